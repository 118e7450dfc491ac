// Owns: the blanks inside the brackets of containers on one line: `[ 1, 2 ]` or `[1, 2]`.
// Must never: read more of a container than its first bytes.

import type { Scanner } from "../scan/scanner.ts";
import { isClose, tokens } from "./tokens.ts";

/** The blanks inside braces and inside brackets, as far as they are known. */
export interface Padding {
  /** Inside the braces of an object. */
  pad?: string | undefined;
  /** Inside the brackets of an array. */
  arrayPad?: string | undefined;
}

/** Bytes of a container that are looked at, for its own blanks and for those inside it. */
const OWN = 256;
const INSIDE = 2_048;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const SLASH = 0x2f;

/** Adds what the container at `at` shows. */
export function learnPad(scanner: Scanner, at: number, padding: Padding): void {
  learnBracket(scanner.bytes(at, at + OWN), 0, padding);
}

/** Adds what the container at `at`, and those inside it, show: of each kind the first, as far as no comment comes before it. */
export function learnPads(scanner: Scanner, at: number, padding: Padding): void {
  const bytes = scanner.bytes(at, at + INSIDE);
  let depth = 0;
  for (const { from } of tokens(bytes)) {
    const byte = bytes[from];
    if (byte === SLASH) return;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      learnBracket(bytes, from, padding);
      depth++;
    } else if (isClose(byte) && --depth === 0) return;
  }
}

/** A container that is empty, begins with a line break or with a comment shows nothing. */
function learnBracket(bytes: Uint8Array, open: number, padding: Padding): void {
  let to = open + 1;
  while (bytes[to] === 0x20 || bytes[to] === 0x09) to++;
  const next = bytes[to];
  if (next === undefined || next === 0x0a || next === 0x0d || next === SLASH || isClose(next)) return;
  const pad = String.fromCharCode(...bytes.subarray(open + 1, to));
  if (bytes[open] === OPEN_OBJECT) padding.pad ??= pad;
  else padding.arrayPad ??= pad;
}
