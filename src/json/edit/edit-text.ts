// Owns: one line about an edit, as an agent reads it.

import type { JsonEditReport } from "./edit.ts";
import { safeSlice } from "../read/cut.ts";

/** A value above this many bytes is written, with a warning. */
export const LARGE_VALUE: number = 10 * 1024;

const SHOWN = 80;

/**
 * `Updated $.a = 25 in /workspace/app.json`. Both paths are echoed as the caller gave them. A large value puts
 * `[Warning]` and its size in front.
 */
export function editText(report: JsonEditReport, given: { file: string; jsonPath: string }): string {
  const { file, jsonPath } = given;
  const size =
    report.valueBytes > LARGE_VALUE ? `[Warning] The value has ${kilobytes(report.valueBytes)}. ` : "";
  const twins =
    report.duplicates === undefined
      ? ""
      : report.op === "set"
        ? ` (the key occurs ${report.duplicates} times; the last one was set)`
        : ` (${report.duplicates} duplicates of the key)`;
  return `${size}${sentence(report, file, jsonPath)}${twins}`;
}

function sentence(report: JsonEditReport, file: string, jsonPath: string): string {
  switch (report.op) {
    case "set":
      return report.changed
        ? `Updated ${jsonPath} = ${shownValue(report.new ?? "")} in ${file}`
        : `No change: ${jsonPath} is already ${shownValue(report.new ?? "")} in ${file}`;
    case "delete":
      return `Deleted ${jsonPath} from ${file}`;
    case "append":
      return `Appended value to ${jsonPath} in ${file} (now ${report.count ?? 0} items)`;
    case "insert":
      return report.count === undefined
        ? `Inserted ${jsonPath} = ${shownValue(report.new ?? "")} in ${file}`
        : `Inserted value at ${jsonPath} in ${file} (now ${report.count} items)`;
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

/** `2.3 KB`. */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
