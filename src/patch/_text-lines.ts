// Owns: one file as lines of valid UTF-8, with the start of every line at hand. One pass finds the lines and proves the
// encoding; a patch then asks for hundred thousands of lines, so a lookup is one array access.
// Must never: decode text that nobody asked for.

import type { LineEnding } from "../text/lines.ts";
import type { Steps } from "./_steps.ts";

const LF = 10;
const CR = 13;
const BYTES_PER_STEP = 1 << 20;
// The same for all four bytes of a word.
const NON_ASCII = 0x80808080 | 0;
const FEEDS = 0x0a0a0a0a;
const ONES = 0x01010101;

/** The lines of one file. Numbers count from 1. */
export class TextLines {
  readonly bytes: Uint8Array;
  /** Number of lines. */
  readonly count: number;
  /** Does the last line have an ending? True for a file without lines. */
  readonly finalNewline: boolean;
  /** starts[i] is where line i + 1 begins, behind a byte order mark; starts[count] is the size of the file. */
  readonly #starts: Uint32Array;

  constructor(bytes: Uint8Array, starts: Uint32Array, count: number) {
    this.bytes = bytes;
    this.#starts = starts;
    this.count = count;
    this.finalNewline = count === 0 || bytes[bytes.length - 1] === LF;
  }

  /** Where line `number` begins; for one past the last line, the end of the file. */
  start(number: number): number {
    return this.#starts[number - 1] as number;
  }

  /** Where the text of the line ends and its ending begins. */
  end(number: number): number {
    const start = this.#starts[number - 1] as number;
    const next = this.#starts[number] as number;
    if (next === start || this.bytes[next - 1] !== LF) return next;
    return next - 2 >= start && this.bytes[next - 2] === CR ? next - 2 : next - 1;
  }

  ending(number: number): LineEnding {
    const length = this.start(number + 1) - this.end(number);
    return length === 0 ? "none" : length === 1 ? "lf" : "crlf";
  }

  /** The text of the line, without its ending; at most about `maxBytes` bytes of it, cut between characters. */
  text(number: number, maxBytes: number = Infinity): string {
    const start = this.start(number);
    let end = this.end(number);
    if (end - start > maxBytes) {
      end = start + maxBytes;
      while (end > start && ((this.bytes[end] as number) & 0xc0) === 0x80) end--;
    }
    return decoder.decode(this.bytes.subarray(start, end));
  }

  /** Is this the text of the line? Compared as UTF-8, without decoding the line. */
  equals(number: number, text: string): boolean {
    const start = this.start(number);
    const length = this.end(number) - start;
    // Each UTF-16 unit takes one to three bytes.
    if (length < text.length || length > text.length * 3) return false;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return sameBytes(this.bytes, start + i, length - i, encoder.encode(text.slice(i)));
      if (unit !== this.bytes[start + i]) return false;
    }
    return length === text.length;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

function sameBytes(bytes: Uint8Array, at: number, length: number, other: Uint8Array): boolean {
  if (length !== other.length) return false;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== other[i]) return false;
  return true;
}

/** How long the byte order mark at the start is: 3 or 0. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/**
 * Finds the lines. Answers why not if the bytes are not UTF-8 or there are more lines than `maxLines`. Line 1 begins
 * behind `skip` bytes, which is the byte order mark unless told.
 */
export function* readLines(
  bytes: Uint8Array,
  maxLines: number,
  skip: number = bomLength(bytes),
): Steps<TextLines | "binary" | "too_large"> {
  const size = bytes.length;
  const bom = skip;
  let starts = new Uint32Array(Math.min(maxLines, (size >>> 5) + 16) + 8);
  starts[0] = bom;
  let feeds = 0;
  const room = (): void => {
    const larger = new Uint32Array(Math.min(maxLines + 8, starts.length * 2));
    larger.set(starts);
    starts = larger;
  };
  // Four bytes at a time where all four are ASCII: `words` covers the bytes from `align` on.
  const align = (4 - (bytes.byteOffset & 3)) & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + align, Math.max(0, (size - align) >> 2));
  let i = bom;
  while (i < size) {
    const stop = Math.min(size, i + BYTES_PER_STEP);
    while (i < stop) {
      if (((i - align) & 3) === 0 && i >= align) {
        let w = (i - align) >> 2;
        for (const end = (stop - align) >> 2; w < end; w++) {
          const word = words[w] as number;
          if ((word & NON_ASCII) !== 0) break;
          const x = word ^ FEEDS;
          // Some byte of x is zero, so some byte of the word is a line feed.
          if (((x - ONES) & ~x & NON_ASCII) === 0) continue;
          if (feeds + 6 > starts.length) {
            if (feeds > maxLines) return "too_large";
            room();
          }
          const at = align + w * 4;
          if (bytes[at] === LF) starts[++feeds] = at + 1;
          if (bytes[at + 1] === LF) starts[++feeds] = at + 2;
          if (bytes[at + 2] === LF) starts[++feeds] = at + 3;
          if (bytes[at + 3] === LF) starts[++feeds] = at + 4;
        }
        i = align + w * 4;
        if (i >= stop) break;
      }
      const byte = bytes[i] as number;
      if (byte >= 0x80) {
        const length = sequenceLength(bytes, i, byte);
        if (length === 0) return "binary";
        i += length;
        continue;
      }
      i++;
      if (byte !== LF) continue;
      if (feeds + 3 > starts.length) {
        if (feeds > maxLines) return "too_large";
        room();
      }
      starts[++feeds] = i;
    }
    yield;
  }
  const count = (starts[feeds] as number) < size ? feeds + 1 : feeds;
  if (count > maxLines) return "too_large";
  starts[count] = size;
  return new TextLines(bytes, starts, count);
}

/** Length of the UTF-8 sequence at `i`; 0 if it is none. Overlong forms, surrogates and values above U+10FFFF are none. */
function sequenceLength(bytes: Uint8Array, i: number, lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = bytes[i + 1];
  if (second === undefined || (second & 0xc0) !== 0x80) return 0;
  if (lead < 0xe0) return 2;
  const third = bytes[i + 2];
  if (third === undefined || (third & 0xc0) !== 0x80) return 0;
  if (lead < 0xf0) {
    if (lead === 0xe0 && second < 0xa0) return 0;
    return lead === 0xed && second > 0x9f ? 0 : 3;
  }
  const fourth = bytes[i + 3];
  if (fourth === undefined || (fourth & 0xc0) !== 0x80) return 0;
  if (lead === 0xf0 && second < 0x90) return 0;
  return lead === 0xf4 && second > 0x8f ? 0 : 4;
}
