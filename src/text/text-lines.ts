// Owns: the lines of a text in memory, with the start of every line at hand: a diff or a patch asks for hundred thousands
// of them, so a lookup is one array access. One pass finds the lines and, where it matters, proves the encoding.
// Must never: decode text that is not asked for.

import { utf8BomLength } from "./bom.ts";
import { CR, endingOfLength, LF, type LineEnding } from "./lines.ts";
import type { Steps } from "./steps.ts";
import { isContinuation } from "./utf8.ts";

/** So much is read before room for line starts is made again: room for as many, should they all be line feeds. */
const BLOCK_BYTES = 1 << 11;
const BLOCKS_PER_STEP = 128;
// The same for all four bytes of a word.
const NON_ASCII = 0x80808080 | 0;
const FEEDS = 0x0a0a0a0a;
const ONES = 0x01010101;
const LOW_BITS = 0x7f7f7f7f;
const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The lines of one text. Numbers count from 1. Four bytes of memory for each line. */
export class TextLines {
  readonly bytes: Uint8Array;
  /** Number of lines. */
  readonly count: number;
  /** Does the last line have an ending? True for a file without lines. */
  readonly finalNewline: boolean;
  /** starts[i] is where line i + 1 begins; starts[count] is the size of the text. */
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
    return endingOfLength(this.start(number + 1) - this.end(number));
  }

  /** The text of the line, without its ending; at most about `maxBytes` bytes of it, cut between characters. */
  text(number: number, maxBytes: number = Infinity): string {
    const start = this.start(number);
    let end = this.end(number);
    if (end - start > maxBytes) {
      end = start + maxBytes;
      while (end > start && isContinuation(this.bytes[end] as number)) end--;
    }
    return decoder.decode(this.bytes.subarray(start, end));
  }

  /** The text of several lines, up to but not including `to`, with the endings between them. */
  texts(from: number, to: number): string {
    return decoder.decode(this.bytes.subarray(this.start(from), this.end(to - 1)));
  }

  /** Is this the text of the line? Compared as UTF-8, without decoding the line. */
  equals(number: number, text: string): boolean {
    const start = this.start(number);
    const length = this.end(number) - start;
    // Each UTF-16 unit takes one to three bytes.
    if (length < text.length || length > text.length * 3) return false;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        const rest = encoder.encode(text.slice(i));
        return length - i === rest.length && sameBytes(this.bytes, start + i, rest, 0, rest.length);
      }
      if (unit !== this.bytes[start + i]) return false;
    }
    return length === text.length;
  }

  /** Is a line of another text the same, with its ending? */
  isSame(number: number, other: TextLines, otherNumber: number): boolean {
    const start = this.start(number);
    const length = this.start(number + 1) - start;
    const otherStart = other.start(otherNumber);
    return (
      length === other.start(otherNumber + 1) - otherStart &&
      sameBytes(this.bytes, start, other.bytes, otherStart, length)
    );
  }

  /** Does a line of another text have the same text, whatever its ending? */
  isSameText(number: number, other: TextLines, otherNumber: number): boolean {
    const start = this.start(number);
    const length = this.end(number) - start;
    const otherStart = other.start(otherNumber);
    return (
      length === other.end(otherNumber) - otherStart &&
      sameBytes(this.bytes, start, other.bytes, otherStart, length)
    );
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

function sameBytes(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aFrom + i] !== b[bFrom + i]) return false;
  return true;
}

/** The lines of any bytes, UTF-8 or not; a byte order mark belongs to line 1. */
export function* linesOfBytes(bytes: Uint8Array): Steps<TextLines> {
  const lines = yield* scanLines(bytes, 0, Infinity, false);
  return lines as TextLines;
}

/**
 * The lines of UTF-8 text, or why there are none to work with: the bytes are not UTF-8, or there are more lines than
 * `maxLines`. Line 1 begins after `skip` bytes, by default those of the byte order mark.
 */
export function linesOfUtf8(
  bytes: Uint8Array,
  maxLines: number,
  skip: number = utf8BomLength(bytes),
): Steps<TextLines | "binary" | "too_large"> {
  return scanLines(bytes, skip, maxLines, true);
}

function* scanLines(
  given: Uint8Array,
  from: number,
  maxLines: number,
  isUtf8: boolean,
): Steps<TextLines | "binary" | "too_large"> {
  // Never a Buffer: loops that meet one class of array only run faster.
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.length);
  const scan = new LineScan(bytes, from, isUtf8);
  while (scan.at < bytes.length) {
    for (let block = 0; block < BLOCKS_PER_STEP && scan.at < bytes.length; block++) {
      if (!scan.block()) return "binary";
      if (scan.feeds > maxLines) return "too_large";
    }
    yield;
  }
  const { starts, feeds } = scan;
  const count = (starts[feeds] as number) < bytes.length ? feeds + 1 : feeds;
  if (count > maxLines) return "too_large";
  starts[count] = bytes.length;
  return new TextLines(bytes, starts, count);
}

/** Goes through a text block by block and notes where lines begin. */
class LineScan {
  at: number;
  /** Line feeds so far; starts[feeds] is where the line after the last one begins. */
  feeds = 0;
  starts: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #isUtf8: boolean;
  /** The bytes from `align` on, four to a word. */
  readonly #words: Int32Array;
  readonly #align: number;

  constructor(bytes: Uint8Array, from: number, isUtf8: boolean) {
    this.at = from;
    this.#bytes = bytes;
    this.#isUtf8 = isUtf8;
    this.#align = (4 - (bytes.byteOffset & 3)) & 3;
    const words = Math.max(0, (bytes.length - this.#align) >> 2);
    this.#words = new Int32Array(bytes.buffer, words === 0 ? 0 : bytes.byteOffset + this.#align, words);
    this.starts = new Uint32Array((bytes.length >>> 5) + Math.min(BLOCK_BYTES, bytes.length) + 2);
    this.starts[0] = from;
  }

  /** Reads on to the end of a block; false if the bytes should be UTF-8 and are not. A block may end inside a character. */
  block(): boolean {
    const bytes = this.#bytes;
    const stop = Math.min(bytes.length, this.at + BLOCK_BYTES);
    this.#makeRoom();
    while (this.at < stop) {
      if (((this.at - this.#align) & 3) === 0 && this.at >= this.#align) {
        this.#ascii(stop);
        if (this.at >= stop) break;
      }
      const byte = bytes[this.at] as number;
      if (byte < 0x80 || !this.#isUtf8) {
        this.at++;
        if (byte === LF) this.starts[++this.feeds] = this.at;
        continue;
      }
      const length = sequenceLength(bytes, this.at, byte);
      if (length === 0) return false;
      this.at += length;
    }
    return true;
  }

  /** Room for a block that holds nothing but line feeds. */
  #makeRoom(): void {
    const { starts } = this;
    const needed = this.feeds + Math.min(BLOCK_BYTES, this.#bytes.length - this.at) + 2;
    if (needed <= starts.length) return;
    this.starts = new Uint32Array(Math.max(needed, starts.length * 2));
    this.starts.set(starts);
  }

  /** Reads on in groups of sixteen bytes, as long as all of a group are ASCII. Such text is most of what there is. */
  #ascii(stop: number): void {
    const words = this.#words;
    const { starts } = this;
    let { feeds } = this;
    let w = (this.at - this.#align) >> 2;
    for (const end = ((stop - this.#align) >> 2) - 3; w < end; w += 4) {
      const a = words[w] as number;
      const b = words[w + 1] as number;
      const c = words[w + 2] as number;
      const d = words[w + 3] as number;
      if (((a | b | c | d) & NON_ASCII) !== 0) break;
      // A byte that is a line feed becomes 0, and 0 - 1 borrows: only then a high bit is set.
      const borrows =
        ((a ^ FEEDS) - ONES) | ((b ^ FEEDS) - ONES) | ((c ^ FEEDS) - ONES) | ((d ^ FEEDS) - ONES);
      if ((borrows & NON_ASCII) === 0) continue;
      // One bit for each byte: byte k of word j, counted as a little-endian machine does, is bit 8k + j.
      const found = (feedBits(a) >>> 7) | (feedBits(b) >>> 6) | (feedBits(c) >>> 5) | (feedBits(d) >>> 4);
      const at = this.#align + w * 4;
      if (LITTLE_ENDIAN && (found & (found - 1)) === 0) {
        const bit = 31 - Math.clz32(found);
        starts[++feeds] = at + (bit & 7) * 4 + (bit >> 3) + 1;
      } else {
        for (let i = at; i < at + 16; i++) if (this.#bytes[i] === LF) starts[++feeds] = i + 1;
      }
    }
    this.feeds = feeds;
    this.at = this.#align + w * 4;
  }
}

/** The high bit of every byte that is a line feed. All four bytes are ASCII. */
function feedBits(word: number): number {
  return ~((word ^ FEEDS) + LOW_BITS) & NON_ASCII;
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
