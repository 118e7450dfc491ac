// Owns: finding lines by offset and offsets by line, in memory that does not grow with the number of lines.
// Must never: read a whole source twice. One pass builds the index; a lookup reads one block.

import { bisect } from "./bisect.ts";
import { asSource, readBytes, windowsOf, type ByteSource } from "./byte-source.ts";
import { utf8BomLength } from "./bom.ts";
import { columnSteps, type LineColumn } from "./line-column.ts";
import { countFeeds, CR, LF, type Line, type LineSummary } from "./lines.ts";
import { runNow, type Steps } from "./steps.ts";
import { isContinuation } from "./utf8.ts";

const BLOCK = 16_384;
const BLOCKS_PER_STEP = 64;

/** The lines of one source. Lookups read at most a block and the line asked for. */
export interface LineIndex extends LineSummary {
  /** The text that the index is of. */
  readonly source: ByteSource;
  /**
   * The line that holds the byte at `offset`; the end of a text with a final newline lies on the line after. Throws `RangeError` for an
   * offset outside the text.
   *
   * @example lineIndex(bytes).lineAt(4) // 2 in "one\ntwo\n"
   */
  lineAt(offset: number): number;
  /**
   * Where line `number` starts. From 1 to one past the last line, which starts at the end; else throws `RangeError`.
   *
   * @example lineIndex(bytes).startOf(2) // 4 in "one\ntwo\n"
   */
  startOf(number: number): number;
  /**
   * The line by its number; undefined when there is no such line.
   *
   * @example lineIndex(bytes).line(1) // { number: 1, start: 0, end: 3, next: 4 } in "one\ntwo\n"
   */
  line(number: number): Line | undefined;
  /**
   * Line and column of an offset. An offset inside a character counts as the character's place. Costs a pass over the line before it.
   * Throws `RangeError` for an offset outside the text.
   *
   * @example lineIndex(bytes).placeOf(5) // { line: 2, column: 2 } in "one\ntwo\n"
   */
  placeOf(offset: number): LineColumn;
  /**
   * The offset of a line and column; a column beyond the line is its end, before the ending. Throws `RangeError` for a line that is not
   * there, and a column below 1.
   *
   * @example lineIndex(bytes).offsetOf({ line: 2, column: 2 }) // 5 in "one\ntwo\n"
   */
  offsetOf(place: LineColumn): number;
}

/**
 * Builds the index in one pass. Steps of about 1 MiB; {@link lineIndex} runs them all.
 *
 * @example const index = await runPaced(lineIndexSteps(bytes));
 */
export function* lineIndexSteps(input: Uint8Array | ByteSource): Steps<LineIndex> {
  const source = asSource(input);
  const blocks = Math.ceil(source.size / BLOCK);
  // before[b]: how many line feeds lie before block b. 8 bytes for each 16 KiB of text.
  const before = new Float64Array(blocks + 1);
  let crlf = 0;
  let feeds = 0;
  let last = 0;
  let block = 0;
  for (const { bytes } of windowsOf(source, 0, source.size, BLOCK)) {
    before[block] = feeds;
    feeds += countFeeds(bytes);
    crlf += countCrLf(bytes, last);
    last = bytes[bytes.length - 1] as number;
    block++;
    if (block % BLOCKS_PER_STEP === 0) yield;
  }
  before[blocks] = feeds;
  return new BlockIndex(source, before, crlf, source.size > 0 && last === LF);
}

/** Line feeds after a CR, which may be the byte before. */
function countCrLf(bytes: Uint8Array, before: number): number {
  let count = before === CR && bytes[0] === LF ? 1 : 0;
  for (let i = bytes.indexOf(CR); i >= 0; i = bytes.indexOf(CR, i + 1)) if (bytes[i + 1] === LF) count++;
  return count;
}

/**
 * The index, at once. Reads all of the source: about a millisecond for each megabyte.
 *
 * @example lineIndex(bytesSource(bytes)).lines
 */
export function lineIndex(input: Uint8Array | ByteSource): LineIndex {
  return runNow(lineIndexSteps(input));
}

class BlockIndex implements LineIndex {
  readonly source: ByteSource;
  readonly lines: number;
  readonly lf: number;
  readonly crlf: number;
  readonly finalNewline: boolean;
  readonly #before: Float64Array;
  readonly #feeds: number;
  readonly #bom: number;

  constructor(source: ByteSource, before: Float64Array, crlf: number, finalNewline: boolean) {
    this.source = source;
    this.#before = before;
    this.#feeds = before[before.length - 1] ?? 0;
    this.crlf = crlf;
    this.lf = this.#feeds - crlf;
    this.finalNewline = finalNewline;
    this.lines = this.#feeds + (source.size > 0 && !finalNewline ? 1 : 0);
    this.#bom = utf8BomLength(readBytes(source, 0, 4));
  }

  lineAt(offset: number): number {
    this.#check(offset);
    const block = Math.floor(offset / BLOCK);
    const bytes = readBytes(this.source, block * BLOCK, offset - block * BLOCK);
    return (this.#before[block] ?? this.#feeds) + countFeeds(bytes) + 1;
  }

  startOf(number: number): number {
    if (!Number.isSafeInteger(number) || number < 1 || number > this.lines + 1)
      throw new RangeError(`Line ${number} is not one of 1 to ${this.lines + 1}`);
    if (number === 1) return 0;
    if (number > this.#feeds + 1) return this.source.size;
    // The start of line n is after the line feed n - 1: find its block, then the feed in it.
    const block = bisect(this.#before.length, (i) => (this.#before[i] as number) < number - 1) - 1;
    const bytes = readBytes(this.source, block * BLOCK, BLOCK);
    let at = -1;
    for (let wanted = number - 1 - (this.#before[block] ?? 0); wanted > 0; wanted--)
      at = bytes.indexOf(LF, at + 1);
    return block * BLOCK + at + 1;
  }

  line(number: number): Line | undefined {
    if (!Number.isSafeInteger(number) || number < 1 || number > this.lines) return undefined;
    const start = this.startOf(number);
    const next = this.startOf(number + 1);
    const tail = readBytes(this.source, Math.max(start, next - 2), Math.min(2, next - start));
    if (tail.at(-1) !== LF) return { number, start, end: next, next };
    return { number, start, end: tail.length > 1 && tail[0] === CR ? next - 2 : next - 1, next };
  }

  placeOf(offset: number): LineColumn {
    const line = this.lineAt(offset);
    const start = this.#contentStart(line);
    if (offset <= start) return { line, column: 1 };
    const column = runNow(columnSteps(this.source, offset));
    const inside = offset < this.source.size && isContinuation(readBytes(this.source, offset, 1)[0] ?? 0);
    return { line, column: inside ? column - 1 : column };
  }

  offsetOf({ line, column }: LineColumn): number {
    if (!Number.isSafeInteger(column) || column < 1)
      throw new RangeError(`Column ${column} is not 1 or more`);
    const start = this.#contentStart(line);
    const end = this.line(line)?.end ?? start;
    let left = column;
    for (const { at, bytes } of windowsOf(this.source, start, Math.max(start, end)))
      for (let i = 0; i < bytes.length; i++)
        if (!isContinuation(bytes[i] as number) && --left === 0) return at + i;
    return Math.max(start, end);
  }

  #contentStart(line: number): number {
    return line === 1 ? this.#bom : this.startOf(line);
  }

  #check(offset: number): void {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset > this.source.size)
      throw new RangeError(`Offset ${offset} is not in 0 to ${this.source.size}`);
  }
}
