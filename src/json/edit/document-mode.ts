// Owns: whether a document may be edited at all, and by which rules it is read.

import type { ByteSource } from "../../text/byte-source.ts";
import type { JsonIndexes } from "../scan/index-store.ts";
import { openScanner } from "../scan/open.ts";
import { type Scanner, settle } from "../scan/scanner.ts";
import { invalidJson, knownMode, validateJsonSteps } from "../read/validate.ts";

/** `auto`: JSONC when the document holds comments, else JSON. A trailing comma alone does not make it JSONC. */
export type DocumentMode = "auto" | "json" | "jsonc";

export interface WritableOptions {
  readonly mode?: DocumentMode;
  readonly validated?: "json" | "jsonc";
  readonly pauseEvery?: number;
  readonly indexes?: JsonIndexes | null;
}

/** The rules a valid document is read by; throws `invalid_argument` / `invalid_json` with the place otherwise. */
export function* writableDocument(
  source: ByteSource,
  { mode = "auto", validated, pauseEvery, indexes }: WritableOptions,
): Generator<void, "json" | "jsonc", void> {
  if (validated !== undefined) return validated;
  if (mode !== "auto") knownMode(mode);
  const shared = indexes === undefined ? {} : { indexes };
  const first = mode === "jsonc" ? "jsonc" : "json";
  const validity = yield* validateJsonSteps(source, { mode: first, ...shared }, pauseEvery ?? Infinity);
  if (validity.valid) return first;
  if (mode === "auto") {
    const other = yield* validateJsonSteps(source, { mode: "jsonc", ...shared }, pauseEvery ?? Infinity);
    if (other.valid && (yield* hasComments(openScanner(source, shared)))) return "jsonc";
  }
  throw invalidJson(validity.fault);
}

/** Does a valid document hold a comment anywhere? A scanner notes those it comes across, so it is led past all. */
function* hasComments(scanner: Scanner): Generator<void, boolean, void> {
  const end = yield* settle(scanner, scanner.end(scanner.root()));
  scanner.blank(end);
  return scanner.comments;
}
