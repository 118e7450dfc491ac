// Owns: what a model reads about an edit: the specification's line, and the notices around it.

import { editLine, kilobytes, LARGE_VALUE, type JsonEditOp, type ToldEdit } from "../../json/index.ts";
import { escapeUnseen } from "../../errors.ts";
import { pathAsGiven } from "./_arguments.ts";

/** What is said of an edit. */
export interface ReportedEdit extends ToldEdit {
  readonly changed: boolean;
  readonly valueBytes: number;
  readonly duplicates?: number | undefined;
}

/** Paths as the caller gave them. */
export interface GivenPlace {
  readonly path: string;
  readonly json_path: string;
}

/** `Updated $.a = 25 in /workspace/app.json`. */
export function editedLine(report: ReportedEdit, { path, json_path: jsonPath }: GivenPlace): string {
  return escapeUnseen(editLine(report, { file: pathAsGiven(path), jsonPath: pathAsGiven(jsonPath) }));
}

/** What comes before the line: that a value is large. */
export function warningsOf({ valueBytes }: ReportedEdit): string[] {
  return valueBytes > LARGE_VALUE ? [`[Warning] The value has ${kilobytes(valueBytes)}.`] : [];
}

/** What comes after the token. */
export function noticesOf({ op, changed, duplicates }: ReportedEdit): string[] {
  return [
    ...(changed ? [] : ["[No change: the file was already so]"]),
    ...(duplicates === undefined ? [] : [DUPLICATES[op](duplicates)]),
  ];
}

const all = (count: number): string => `[The key occurred ${count} times; all of them are gone]`;
const last = (count: number): string =>
  `[The key occurs ${count} times; the last one was changed, as JSON.parse reads it]`;

const DUPLICATES: { readonly [O in JsonEditOp]: (count: number) => string } = {
  set: last,
  delete: all,
  append: last,
  insert: last,
  merge: (count) => `[A key occurs ${count} times; the last one was changed, as JSON.parse reads it]`,
  rename: (count) => `[The key occurred ${count} times; the last one was renamed, the others are gone]`,
};
