// Owns: whether a document may be edited at all, and by which rules it is read.

import { HoldfastError, say } from "../errors.ts";
import type { ByteSource } from "../text/byte-source.ts";
import { openScanner } from "./_open.ts";
import { NONE, type Scanner, settle } from "./_scanner.ts";
import { textAt } from "./_value.ts";

/** `auto`: JSONC when the document holds comments, else JSON. A trailing comma alone does not make it JSONC. */
export type DocumentMode = "auto" | "json" | "jsonc";

export interface WritableOptions {
  readonly mode?: DocumentMode;
  readonly validated?: "json" | "jsonc";
  readonly pauseEvery?: number;
}

/** The rules a valid document is read by; throws `invalid_argument` / `invalid_json` with line and column otherwise. */
export function* writableDocument(
  source: ByteSource,
  { mode = "auto", validated, pauseEvery }: WritableOptions,
): Generator<void, "json" | "jsonc", void> {
  if (validated !== undefined) return validated;
  const scanner = openScanner(source, pauseEvery === undefined ? {} : { pauseEvery });
  const fault = yield* settle(scanner, scanner.validate(mode === "jsonc" ? "jsonc" : "json"));
  if (fault === NONE) return mode === "jsonc" ? "jsonc" : "json";
  if (mode === "auto") {
    const other = yield* settle(scanner, scanner.validate("jsonc"));
    if (other === NONE && (yield* hasComments(scanner))) return "jsonc";
  }
  throw yield* invalidDocument(scanner, fault);
}

/** Does a valid document hold a comment anywhere? A scanner notes those it comes across, so it is led past all. */
function* hasComments(scanner: Scanner): Generator<void, boolean, void> {
  const end = yield* settle(scanner, scanner.end(scanner.root()));
  scanner.blank(end);
  return scanner.comments;
}

function* invalidDocument(scanner: Scanner, fault: number): Generator<void, HoldfastError, void> {
  const line = (yield* settle(scanner, scanner.lines(fault))) + 1;
  let from = fault;
  while (from > 0 && fault - from < 4096 && scanner.byte(from - 1) !== 0x0a) from--;
  const column = [...textAt(scanner, from, fault)].length + 1;
  return new HoldfastError(
    "invalid_argument",
    "invalid_json",
    say`The document is not valid JSON at line ${line}, column ${column}. Mend it before editing values in it.`,
    { data: { line, column, offset: fault } },
  );
}
