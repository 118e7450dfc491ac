// Owns: following the bytes of one content back through edits, until it is known which record brought each of them in.

import type { Extent, JournalRecord } from "../store/journal.ts";

/** `remove` bytes at `at` of the older content became `insert` bytes of the newer one. Sorted, not overlapping. */
export interface Span {
  readonly at: number;
  readonly remove: number;
  readonly insert: number;
}

/** The record that brought bytes in, or the place before which they were there. */
export type Origin = JournalRecord | { readonly before: number };

/** Bytes of the blamed content from `now` on whose origin is not known yet: `at` is where they stand in an older one. */
interface Piece {
  readonly now: number;
  readonly at: number;
  readonly length: number;
}

/** Bytes that somebody brought back: known only by where they are stored. */
interface Stray {
  readonly now: number;
  readonly stored: Extent;
}

interface Found {
  readonly now: number;
  readonly end: number;
  readonly origin: Origin;
}

export class Origins {
  #pieces: Piece[];
  #strays: Stray[] = [];
  #found: Found[] = [];
  #sorted = true;
  #next = 0;

  constructor(size: number) {
    this.#pieces = size === 0 ? [] : [{ now: 0, at: 0, length: size }];
  }

  get isComplete(): boolean {
    return this.#pieces.length === 0 && this.#strays.length === 0;
  }

  #give(now: number, length: number, origin: Origin): void {
    this.#found.push({ now, end: now + length, origin });
    this.#sorted = false;
  }

  /** Whatever has no origin yet has this one. */
  rest(origin: Origin): void {
    for (const { now, length } of this.#pieces) this.#give(now, length, origin);
    for (const { now, stored } of this.#strays) this.#give(now, stored[2], origin);
    this.#pieces = [];
    this.#strays = [];
  }

  /**
   * Goes back over one edit: `stored[i]` is where the bytes that span i inserted are kept. They are the work of `record`;
   * without one they were brought back, and are looked for in older edits.
   */
  stepBack(
    spans: readonly Span[],
    stored: readonly (readonly Extent[])[],
    record: JournalRecord | undefined,
  ): void {
    if (record !== undefined) this.#claim(stored.flat(), record);
    const pieces: Piece[] = [];
    let next = 0;
    let shift = 0;
    for (let piece of this.#pieces)
      for (;;) {
        const span = spans[next];
        const start = span === undefined ? Number.POSITIVE_INFINITY : span.at + shift;
        const end = start + (span?.insert ?? 0);
        if (span !== undefined && piece.at >= end) {
          shift += span.insert - span.remove;
          next++;
          continue;
        }
        // Up to the span the bytes are older; inside it they are the span's.
        const before = Math.min(piece.length, Math.max(0, start - piece.at));
        if (before > 0) pieces.push({ now: piece.now, at: piece.at - shift, length: before });
        const inside = Math.min(piece.length, end - piece.at) - before;
        if (inside > 0) {
          const now = piece.now + before;
          if (record !== undefined) this.#give(now, inside, record);
          else this.#stray(now, piece.at + before - start, inside, stored[next] ?? []);
        }
        const done = before + Math.max(0, inside);
        if (done >= piece.length) break;
        piece = { now: piece.now + done, at: piece.at + done, length: piece.length - done };
      }
    this.#pieces = pieces;
  }

  #stray(now: number, from: number, length: number, stored: readonly Extent[]): void {
    let at = 0;
    for (const [blob, start, size] of stored) {
      const low = Math.max(from, at);
      const high = Math.min(from + length, at + size);
      if (low < high)
        this.#strays.push({ now: now + low - from, stored: [blob, start + low - at, high - low] });
      at += size;
    }
  }

  /** Gives strays that are stored where `record` put them to that record. */
  #claim(extents: readonly Extent[], record: JournalRecord): void {
    if (this.#strays.length === 0) return;
    for (const [blob, start, length] of extents) {
      const left: Stray[] = [];
      for (const stray of this.#strays) {
        const [strayBlob, at, size] = stray.stored;
        const low = Math.max(at, start);
        const high = Math.min(at + size, start + length);
        if (strayBlob !== blob || low >= high) {
          left.push(stray);
          continue;
        }
        this.#give(stray.now + low - at, high - low, record);
        if (low > at) left.push({ now: stray.now, stored: [blob, at, low - at] });
        if (high < at + size)
          left.push({ now: stray.now + high - at, stored: [blob, high, at + size - high] });
      }
      this.#strays = left;
    }
  }

  /** The newest origin of the bytes from `from` to `to`. Ranges must be asked for in order. */
  newestIn(from: number, to: number): Origin {
    if (!this.#sorted) {
      this.#found.sort((a, b) => a.now - b.now);
      this.#sorted = true;
      this.#next = 0;
    }
    let newest: Origin = { before: 1 };
    let known = false;
    for (; this.#next < this.#found.length; this.#next++) {
      const found = this.#found[this.#next] as Found;
      if (found.now >= to) break;
      if (found.end > from && (!known || ageOf(found.origin) > ageOf(newest))) {
        newest = found.origin;
        known = true;
      }
      if (found.end > to) break;
    }
    return newest;
  }
}

function ageOf(origin: Origin): number {
  return "before" in origin ? origin.before - 0.5 : origin.seq;
}
