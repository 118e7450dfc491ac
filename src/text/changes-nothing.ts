// Owns: whether splices leave a source as it is.

import { readBytes, type ByteSource } from "./byte-source.ts";
import { spliceDelta, type Splice } from "./splice.ts";
import { splicedSource } from "./spliced-source.ts";
import type { Steps } from "./steps.ts";

const WINDOW = 64 << 10;

/** Whether a list of splices gives the text that was there. Cost: the bytes up to the first that differs. */
export function* changesNothingSteps(source: ByteSource, splices: readonly Splice[]): Steps<boolean> {
  if (spliceDelta(splices) !== 0) return false;
  const last = splices.at(-1);
  const end = last === undefined ? 0 : last.at + last.remove;
  const edited = splicedSource(source, splices, "");
  for (let at = splices[0]?.at ?? 0; at < end; at += WINDOW) {
    const length = Math.min(WINDOW, end - at);
    if (!isEqual(readBytes(source, at, length), readBytes(edited, at, length))) return false;
    yield;
  }
  return true;
}

function isEqual(some: Uint8Array, other: Uint8Array): boolean {
  return some.every((byte, i) => byte === other[i]);
}
