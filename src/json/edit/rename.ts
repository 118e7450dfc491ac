// Owns: the edit that gives a key another name and leaves the member where it is.

import { HoldfastError, say } from "../../errors.ts";
import type { Splice } from "../../text/splice.ts";
import type { Steps } from "../../text/steps.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { isNameable } from "../path/normalized.ts";
import { cutValue } from "../read/cut.ts";
import { settle } from "../scan/scanner.ts";
import { endNow } from "../scan/value.ts";
import { type JsonChange, isThere, rangeOf, SHOWN } from "./change.ts";
import { removeTwins } from "./delete.ts";
import { findKey, keyExists, locate, missing } from "./locate.ts";
import { notProven } from "./prove.ts";
import type { WorkingDocument } from "./working-document.ts";

const encoder = new TextEncoder();

export function* renameKey(
  document: WorkingDocument,
  steps: readonly JsonPathStep[],
  name: string,
): Steps<JsonChange> {
  const parent = yield* locate(document.scanner, steps.slice(0, -1));
  const step = steps.at(-1) ?? "";
  if (typeof step !== "string")
    throw new HoldfastError("invalid_argument", "not_a_key", say`Only a key can be renamed, not an item.`);
  if (typeof name !== "string")
    throw new HoldfastError("invalid_argument", "invalid_name", say`Give the new name of the key as text.`);
  if (!isNameable(name))
    throw new HoldfastError(
      "invalid_argument",
      "invalid_name",
      say`The name holds half of a surrogate pair: no path could name such a key.`,
    );
  const found = yield* findKey(document.scanner, parent.at, step);
  if (found === undefined) throw yield* missing(document.scanner, parent.at, step, parent.steps);
  if (name !== step && (yield* findKey(document.scanner, parent.at, name)) !== undefined)
    throw keyExists([...parent.steps, name]);
  const { keyStart, keyEnd, start } = found.frame;
  const line = (yield* settle(document.scanner, document.scanner.lines(keyStart))) + 1;
  const insert = encoder.encode(JSON.stringify(name));
  const written = {
    path: [...parent.steps, name],
    line,
    old: cutValue(document.scanner, keyStart, keyEnd, SHOWN),
    new: JSON.stringify(name).slice(0, SHOWN),
    valueBytes: insert.length,
  };
  if (name === step) return { ...written, at: keyStart, removed: 0, inserted: 0 };
  const end = endNow(document.scanner, start);
  const held = document.scanner.bytes(start, end);
  const splices: Splice[] = [{ at: keyStart, remove: keyEnd - keyStart, insert }];
  const delta = yield* document.applySteps(splices);
  const now = yield* findKey(document.scanner, parent.at, name);
  if (now?.frame.start !== start + delta || !isThere(document.scanner, start + delta, end + delta, held))
    throw notProven();
  return yield* removeTwins(document, parent, step, found.occurrences, { ...written, ...rangeOf(splices) });
}
