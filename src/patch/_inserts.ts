// Owns: writing a run of inserted lines with as few operations as their endings allow.

import type { Eol, Operation } from "./operation.ts";

/** A line to be inserted, and the `eol` it needs to get its ending, if any. */
export interface InsertedLine {
  readonly text: string;
  readonly eol?: Eol;
}

/**
 * Adds the operations that put the lines before `line`. Lines with the same `eol` are one operation: line breaks inside
 * `new` make several lines. `none` is about the last of them only, so it joins lines that need no `eol`.
 */
export function addInserts(
  operations: Operation[],
  file: string,
  line: number,
  inserted: readonly InsertedLine[],
): void {
  for (let from = 0; from < inserted.length;) {
    let { eol } = inserted[from] as InsertedLine;
    let to = from + 1;
    for (; to < inserted.length && eol !== "none"; to++) {
      const next = (inserted[to] as InsertedLine).eol;
      if (next !== eol && !(next === "none" && eol === undefined)) break;
      eol = next;
    }
    const text = textOf(inserted.slice(from, to));
    operations.push({ file, line, op: "insert", new: text, ...(eol === undefined ? {} : { eol }) });
    from = to;
  }
}

/** The lines as one text. One ending at its end is dropped when it is read, so an empty last line is written with one. */
function textOf(lines: readonly InsertedLine[]): string {
  if (lines.length === 1) return lines[0]?.text ?? "";
  let text = "";
  // A CR before a line feed would be taken for a part of the break, unless the break has its own.
  for (const line of lines.slice(0, -1)) text += line.text + (line.text.endsWith("\r") ? "\r\n" : "\n");
  const last = lines.at(-1)?.text ?? "";
  return last === "" ? `${text}\n` : text + last;
}
