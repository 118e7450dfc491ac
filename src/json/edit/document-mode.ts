// Owns: whether a document may be edited at all, and by which rules it is read.

import type { Steps } from "../../text/steps.ts";
import { say, type Shown } from "../../errors.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import type { JsonIndexes } from "../scan/index-store.ts";
import { openScanner } from "../scan/open.ts";
import { settle } from "../scan/scanner.ts";
import { invalidJson, type JsonFault, knownMode, validateJsonSteps } from "../read/validate.ts";

/** `auto`: JSONC when the document holds comments, else JSON. A trailing comma alone does not make it JSONC. */
export type DocumentMode = "auto" | "json" | "jsonc";

interface WritableOptions {
  readonly mode?: DocumentMode;
  readonly validated?: "json" | "jsonc";
  readonly pauseEvery?: number;
  readonly indexes?: JsonIndexes | null;
  readonly maxDepth?: number;
}

/** The rules a valid document is read by; throws `invalid_argument` / `invalid_json` with the place otherwise. */
export function* writableDocument(
  source: ByteSource,
  { mode = "auto", validated, pauseEvery, indexes, maxDepth }: WritableOptions,
): Steps<"json" | "jsonc"> {
  if (validated !== undefined) return validated;
  if (mode !== "auto") knownMode(mode);
  const shared = {
    ...(indexes === undefined ? {} : { indexes }),
    ...(maxDepth === undefined ? {} : { maxDepth }),
  };
  const first = mode === "jsonc" ? "jsonc" : "json";
  const validity = yield* validateJsonSteps(source, { mode: first, ...shared }, pauseEvery ?? Infinity);
  if (validity.valid) return first;
  const { fault } = validity;
  if (mode === "jsonc") throw invalidJson(fault);
  const other = yield* validateJsonSteps(source, { mode: "jsonc", ...shared }, pauseEvery ?? Infinity);
  if (!other.valid) throw invalidJson(fault);
  if (mode === "auto" && (fault.reason === "comment" || (yield* hasComments(source)))) return "jsonc";
  throw invalidJson(withAdvice(fault, say`Or allow it: name the file .jsonc (in code: mode "jsonc").`));
}

function withAdvice(fault: JsonFault, advice: Shown): JsonFault {
  const hint = fault.hint === undefined ? advice : say`${fault.hint} ${advice}`;
  return { ...fault, hint, message: say`${fault.message} ${advice}` };
}

/**
 * Does a valid document hold a comment anywhere? A scanner notes those it comes across, so it is led past all. An index
 * would know the way without looking: it is left out.
 */
function* hasComments(source: ByteSource): Steps<boolean> {
  const scanner = openScanner(source, { indexes: null });
  const end = yield* settle(scanner, scanner.end(scanner.root()));
  scanner.blank(end);
  return scanner.comments;
}
