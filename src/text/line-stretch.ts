// Owns: the stretch of a line that a byte is in: what is around it up to the line endings or the ends of the source.

import { utf8BomLength } from "./bom.ts";
import { readBytes, type ByteSource } from "./byte-source.ts";
import { CR, LF } from "./lines.ts";
import type { Steps } from "./steps.ts";

/** Bytes side by side without a line ending among them. Around a byte of a line ending, or of a byte order mark, there are none. */
export interface LineStretch {
  readonly from: number;
  readonly to: number;
  /** It is around a byte of a byte order mark, which is the beginning of a text. */
  readonly isMark?: true;
}

/** Where the first line begins: after a byte order mark. */
export function firstLineAt(source: ByteSource): number {
  return utf8BomLength(readBytes(source, 0, BOM_BYTES));
}

const BOM_BYTES = 3;

/** The stretch of a line around a byte of a source. Cost: its bytes are read once. */
export function* lineStretchSteps(source: ByteSource, offset: number): Steps<LineStretch> {
  const first = firstLineAt(source);
  if (offset < first) return { from: offset, to: offset, isMark: true };
  const [byte] = readBytes(source, offset, 1);
  if (byte === LF || byte === CR) return { from: offset, to: offset };
  return { from: yield* startSteps(source, first, offset), to: yield* endSteps(source, offset) };
}

/** Most lines are shorter than the first window. */
const FIRST_WINDOW = 256;
const WINDOW = 65_536;

function* startSteps(source: ByteSource, first: number, offset: number): Steps<number> {
  for (let end = offset, size = FIRST_WINDOW; end > first; size = WINDOW) {
    const at = Math.max(first, end - size);
    const bytes = readBytes(source, at, end - at);
    const ending = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR));
    if (ending >= 0) return at + ending + 1;
    end = at;
    yield;
  }
  return first;
}

function* endSteps(source: ByteSource, offset: number): Steps<number> {
  let size = FIRST_WINDOW;
  for (let at = offset; at < source.size; at += size, size = WINDOW) {
    const bytes = readBytes(source, at, size);
    const endings = [bytes.indexOf(LF), bytes.indexOf(CR)].filter((place) => place >= 0);
    if (endings.length > 0) return at + Math.min(...endings);
    yield;
  }
  return source.size;
}
