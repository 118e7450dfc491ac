// Owns: one line about an edit, as an agent reads it.

import type { JsonEditOp, JsonEditReport } from "./edit.ts";
import { plural } from "../../text/plural.ts";
import { safeSlice } from "../read/cut.ts";

/** A value above this many bytes is written, with a warning. */
export const LARGE_VALUE: number = 10 * 1024;

const SHOWN = 80;

/**
 * `Updated $.a = 25 in /workspace/app.json`. Both paths are echoed as the caller gave them. A large value puts
 * `[Warning]` and its size in front.
 *
 * @example
 * const { reports } = editJson(source, [{ op: "set", path: "$.a", value: 1 }]);
 * reports.map((report) => editText(report, { file: "a.json", jsonPath: "$.a" }));  // ["Updated $.a = 1 in a.json"]
 */
export function editText(report: JsonEditReport, given: EditedNames): string {
  const size =
    report.valueBytes > LARGE_VALUE ? `[Warning] The value has ${kilobytes(report.valueBytes)}. ` : "";
  const twins =
    report.duplicates === undefined
      ? ""
      : report.op === "set"
        ? ` (the key occurs ${report.duplicates} times; the last one was set)`
        : ` (${report.duplicates} duplicates of the key)`;
  const { file, jsonPath } = given;
  const line =
    report.op === "set" && !report.changed
      ? `No change: ${jsonPath} is already ${shownValue(report.new ?? "")} in ${file}`
      : editLine(report, given);
  return `${size}${line}${twins}`;
}

/** What the line of an edit says. */
export interface ToldEdit {
  /** What was done. */
  readonly op: JsonEditOp;
  /** The new value as JSON text. */
  readonly new?: string | undefined;
  /** Items of the array afterwards; keys merged. */
  readonly count?: number | undefined;
}

/** File and path as the caller gave them. */
export interface EditedNames {
  /** The file. */
  readonly file: string;
  /** The place in it. */
  readonly jsonPath: string;
}

/**
 * The line of {@link editText} alone, whether or not something changed. Cost: the line. Never fails.
 *
 * @example editLine({ op: "append", count: 3 }, { file: "a.json", jsonPath: "$.tags" })
 * // "Appended value to $.tags in a.json (now 3 items)"
 */
export function editLine(report: ToldEdit, { file, jsonPath }: EditedNames): string {
  switch (report.op) {
    case "set":
      return `Updated ${jsonPath} = ${shownValue(report.new ?? "")} in ${file}`;
    case "delete":
      return `Deleted ${jsonPath} from ${file}`;
    case "append":
      return `Appended value to ${jsonPath} in ${file} (now ${plural(report.count ?? 0, "item")})`;
    case "insert":
      return report.count === undefined
        ? `Inserted ${jsonPath} = ${shownValue(report.new ?? "")} in ${file}`
        : `Inserted value at ${jsonPath} in ${file} (now ${plural(report.count, "item")})`;
    case "merge":
      return `Merged ${report.count ?? 0} ${report.count === 1 ? "key" : "keys"} into ${jsonPath} in ${file}`;
    case "rename":
      return `Renamed ${jsonPath} to ${shownValue(report.new ?? "")} in ${file}`;
  }
}

/** Scalars as written, containers as `{...}` or `[...]`. */
function shownValue(text: string): string {
  if (text.startsWith("{")) return "{...}";
  if (text.startsWith("[")) return "[...]";
  return text.length <= SHOWN ? text : `${safeSlice(text, SHOWN)}...`;
}

/**
 * `2.3 KB`.
 *
 * @example kilobytes(2_048) // "2.0 KB"
 */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
