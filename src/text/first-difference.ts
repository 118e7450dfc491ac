// Owns: where two texts begin to differ.

import { isHighSurrogate } from "./surrogate.ts";

/** The first place at which two texts differ: its offset in UTF-16 units, and its column, from 1 in code points. */
export function firstDifference(a: string, b: string): { readonly at: number; readonly column: number } {
  let column = 1;
  let at = 0;
  for (; at < a.length && at < b.length; at++) {
    const unit = a.charCodeAt(at);
    if (unit !== b.charCodeAt(at)) break;
    const pairGoesOn = isHighSurrogate(unit);
    if (pairGoesOn && a.charCodeAt(at + 1) !== b.charCodeAt(at + 1)) break;
    if (!pairGoesOn) column++;
  }
  return { at, column };
}
