// Owns: whether hunks can be shown as text.

import type { HunkLine, HunkList } from "./hunk.ts";
import { firstBadUtf8, isContinuation } from "./utf8.ts";

/**
 * False when a line that they show is not UTF-8: shown as text, other characters would be in place of its bytes.
 *
 * @example areTextHunks(runNow(hunksOfSteps(bytes, splices)))  // true for UTF-8
 */
export function areTextHunks({ hunks }: HunkList): boolean {
  return hunks.every(({ lines }) => lines.every((line) => firstBadUtf8(wholeCharacters(line)) === undefined));
}

/** The bytes of a line without the half characters at its cuts. */
function wholeCharacters({ bytes, cutBefore, cutAfter }: HunkLine): Uint8Array {
  let from = 0;
  let to = bytes.length;
  if (cutBefore) while (from < Math.min(3, to) && isContinuation(bytes[from] as number)) from++;
  if (cutAfter) {
    let last = to - 1;
    while (last > Math.max(from, to - 4) && isContinuation(bytes[last] as number)) last--;
    if (last >= from && to - last < lengthOf(bytes[last] as number)) to = last;
  }
  return bytes.subarray(from, to);
}

/** How many bytes the character has that begins with this one. */
function lengthOf(byte: number): number {
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}
