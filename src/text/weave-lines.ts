// Owns: whole lines that would share a line with their neighbours when some records stand and others do not.

import type { Steps } from "./steps.ts";
import { CR, LF } from "./lines.ts";
import { CHUNKS_PER_STEP } from "./weave-text.ts";
import {
  isVisible,
  type InsertedPiece,
  type Mark,
  type Run,
  type Standing,
  type WovenRecord,
} from "./weave-parts.ts";
import type { ByteOf, Weave } from "./weave.ts";

/** Whole lines of `a` that are glued to a neighbour. */
export interface GluedLines<T> {
  readonly a: WovenRecord<T>;
  /** The record whose line ending is missing, that removes it again, or whose bytes came back between. */
  readonly b: WovenRecord<T>;
  /** That ending, or those bytes. */
  readonly run: Run<T>;
  /** What keeps the lines apart today: the nearest ending between them. */
  readonly apart: WovenRecord<T> | undefined;
}

/**
 * What was inserted as whole lines, between two line endings or at an end of the text, and is glued to a neighbour although no record
 * since removed an ending between them. Only places at which bytes are missing or came back are read.
 */
export function* gluedLinesSteps<T>(weave: Weave<T>, standing: Standing): Steps<GluedLines<T>[]> {
  const { byteOf } = weave;
  if (byteOf === undefined) return [];
  const runs: Run<T>[] = [];
  for (const [i, chunk] of weave.chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const run of chunk.runs) runs.push(run);
  }
  const finder = new GluedLinesFinder(weave, standing, runs, byteOf);
  for (let i = 0; i < runs.length; i++) {
    if (i % RUNS_PER_STEP === 0) yield;
    finder.meet(i);
  }
  return finder.found;
}

const RUNS_PER_STEP = 2048;

/** The way from a piece to what was beside it: to the text before it, or after it. */
type Way = -1 | 1;

class GluedLinesFinder<T> {
  readonly found: GluedLines<T>[] = [];
  readonly #weave: Weave<T>;
  readonly #standing: Standing;
  readonly #runs: readonly Run<T>[];
  readonly #byteOf: ByteOf<T>;
  /** Pieces of several runs, of which one was visible. */
  readonly #begun = new Set<InsertedPiece<T>>();
  #last: Run<T> | undefined;

  constructor(weave: Weave<T>, standing: Standing, runs: readonly Run<T>[], byteOf: ByteOf<T>) {
    this.#weave = weave;
    this.#standing = standing;
    this.#runs = runs;
    this.#byteOf = byteOf;
  }

  /** Takes the next run of the weave, which is the one at `i`. */
  meet(i: number): void {
    const run = this.#runs[i] as Run<T>;
    if (!this.#isVisible(run)) return;
    const { piece } = run;
    if (piece.record !== this.#weave.base) {
      if (this.#isFirst(run)) this.#meetFirst(i, run);
      if (piece.right !== undefined && this.#isLost(piece.right, piece) && this.#isLast(run))
        this.#lost(i, piece, piece.right, 1);
    }
    this.#last = run;
  }

  #isFirst({ piece, from, length }: Run<T>): boolean {
    if (from > 0 && this.#begun.has(piece)) return false;
    if (from + length < piece.length) this.#begun.add(piece);
    return true;
  }

  #isLast({ next }: Run<T>): boolean {
    for (let run = next; run !== undefined; run = run.next) if (this.#isVisible(run)) return false;
    return true;
  }

  #meetFirst(i: number, { piece }: Run<T>): void {
    const before = this.#last;
    if (before === undefined) return;
    const left = piece.left && lastOf(piece.left);
    if (left !== undefined && this.#isLost(left, piece)) this.#lost(i, piece, left, -1);
    const isThere = left === undefined || (left !== before && this.#isVisible(left));
    if (isThere && before.piece.record.seq < piece.record.seq) this.#cameBetween(i, piece, before);
  }

  /** Whether a run that a piece was put beside is not visible, and not because it was removed since. */
  #isLost(run: Run<T>, { record }: InsertedPiece<T>): boolean {
    return !this.#isVisible(run) && !this.#isRemovedSince(run, record);
  }

  #isRemovedSince({ cuts }: Run<T>, { seq }: WovenRecord<T>): boolean {
    for (let list = cuts; list !== undefined; list = list.next)
      if (this.#stands(list.cut.record) && list.cut.record.seq >= seq) return true;
    return false;
  }

  /** The ending that a piece was put beside is lost: looks for another one, and for what is beside the piece instead. */
  #lost(i: number, piece: InsertedPiece<T>, ending: Run<T>, way: Way): void {
    if (!this.#isWholeLines(piece)) return;
    let near = this.#runs[i] as Run<T>;
    let isBeyond = false;
    for (let k = i + way; k >= 0 && k < this.#runs.length; k += way) {
      const run = this.#runs[k] as Run<T>;
      isBeyond ||= run === ending;
      if (!this.#isVisible(run)) {
        if (this.#isRemovedSince(run, piece.record) && this.#isEnding(run)) return;
        continue;
      }
      if (this.#isBorder(run, near, way)) return;
      if (isBeyond || run.piece.record.seq < piece.record.seq) {
        this.#add(piece, this.#missing(ending), ending, i, k);
        return;
      }
      near = run;
    }
  }

  /** Older bytes are visible between a piece and the ending that it was put beside. */
  #cameBetween(i: number, piece: InsertedPiece<T>, before: Run<T>): void {
    if (!this.#isWholeLines(piece) || this.#isBorder(before, this.#runs[i] as Run<T>, -1)) return;
    let k = i - 1;
    for (; this.#runs[k] !== before; k--)
      if (this.#isRemovedSince(this.#runs[k] as Run<T>, piece.record)) return;
    this.#add(piece, before.piece.record, before, i, k);
  }

  /** Who inserted an ending that is lost, if that record does not stand; else who removes it. */
  #missing({ piece, cuts }: Run<T>): WovenRecord<T> {
    if (!this.#stands(piece.record)) return piece.record;
    for (let list = cuts; list !== undefined; list = list.next)
      if (this.#stands(list.cut.record)) return list.cut.record;
    return piece.record;
  }

  #add({ record: a }: InsertedPiece<T>, b: WovenRecord<T>, run: Run<T>, i: number, k: number): void {
    const way = k < i ? -1 : 1;
    let apart: WovenRecord<T> | undefined;
    for (let n = i + way; n !== k && apart === undefined; n += way) {
      const between = this.#runs[n] as Run<T>;
      if (between.dead === 0 && this.#isEnding(between)) apart = between.piece.record;
    }
    this.found.push({ a, b, run, apart });
  }

  /** Whether a piece was inserted as whole lines. One without an ending of its own is told by what was beside it. */
  #isWholeLines(piece: InsertedPiece<T>): boolean {
    const { left, right, length } = piece;
    const before = left && this.#byteAt(left.run.piece, left.run.from + left.length - 1);
    const after = right && this.#byteAt(right.piece, right.from);
    return (
      (left === undefined || isBorder(before, this.#byteAt(piece, 0))) &&
      (right === undefined || isBorder(this.#byteAt(piece, length - 1), after))
    );
  }

  /** Whether a line ends between two runs, or cannot be told to go on. `far` is beside `near` on this way. */
  #isBorder(far: Run<T>, near: Run<T>, way: Way): boolean {
    const [before, after] = way < 0 ? [far, near] : [near, far];
    const last = this.#byteAt(before.piece, before.from + before.length - 1);
    const first = this.#byteAt(after.piece, after.from);
    return last === undefined || first === undefined || isBorder(last, first);
  }

  /** Whether a line ends before or after a run because of its bytes. */
  #isEnding({ piece, from, length }: Run<T>): boolean {
    return this.#byteAt(piece, from + length - 1) === LF || beginsEnding(this.#byteAt(piece, from));
  }

  #byteAt(piece: InsertedPiece<T>, offset: number): number | undefined {
    return this.#byteOf(piece, offset);
  }

  #isVisible(run: Run<T>): boolean {
    return isVisible(run, this.#standing);
  }

  #stands({ index }: WovenRecord<T>): boolean {
    return this.#standing[index] === 1;
  }
}

/** The run with the last byte of a mark. */
function lastOf<T>({ run, length }: Mark<T>): Run<T> {
  let last = run;
  for (let left = length - run.length; left > 0 && last.next !== undefined; left -= last.length)
    last = last.next;
  return last;
}

function isBorder(before: number | undefined, after: number | undefined): boolean {
  return before === LF || beginsEnding(after);
}

/** A CR is taken for the beginning of an ending. */
function beginsEnding(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}
