// Owns: a place in a text as people name it: line and column.
// Must never: hold a whole line; a text can be one line of gigabytes.

import { utf8BomLength } from "./bom.ts";
import { readBytes, windowsOf, type ByteSource } from "./byte-source.ts";
import { countFeeds, LF } from "./lines.ts";
import type { Steps } from "./steps.ts";
import { charactersFrom } from "./utf8.ts";

const CHUNK = 65_536;

/** A place in a text as people name it. Both count from 1; columns count code points, a BOM counts as none. */
export interface LineColumn {
  /** Counted from 1. */
  readonly line: number;
  /** Characters before it in its line, plus 1. */
  readonly column: number;
}

/**
 * The column of an offset: its line is read backwards, as far as it goes. An offset inside a character counts it as
 * before. Steps of 64 KiB.
 */
export function* columnSteps(source: ByteSource, offset: number): Steps<number> {
  let column = 1;
  for (let end = offset; end > 0;) {
    const start = Math.max(0, end - CHUNK);
    const bytes = readBytes(source, start, end - start);
    const last = bytes.lastIndexOf(LF);
    column += charactersFrom(bytes, last + 1);
    if (last >= 0) return column;
    end = start;
    if (end > 0) yield;
  }
  const bom = utf8BomLength(readBytes(source, 0, 4));
  return bom > 0 && offset >= bom ? column - 1 : column;
}

/** Line feeds from `from` to `to`. A step for every window: many calls that are near each other yield too. */
export function* countFeedsSteps(source: ByteSource, from: number, to: number): Steps<number> {
  let feeds = 0;
  for (const { bytes } of windowsOf(source, from, to)) {
    feeds += countFeeds(bytes);
    yield;
  }
  return feeds;
}

/** Line numbers, from 1, of rising offsets: counted from one to the next. */
export class LineCounter {
  readonly #source: ByteSource;
  #at = 0;
  #line = 1;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  *lineAt(offset: number): Steps<number> {
    this.#line += yield* countFeedsSteps(this.#source, this.#at, offset);
    this.#at = offset;
    return this.#line;
  }
}
