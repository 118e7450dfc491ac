// Owns: which bytes of a weave are of one line, and where others would be glued to each other when some records stand and others do not.

import type { LineStretch } from "./line-stretch.ts";
import type { Steps } from "./steps.ts";
import { CHUNKS_PER_STEP, cuttersOf } from "./weave-text.ts";
import {
  firstByte,
  isVisible,
  lastByte,
  type Byte,
  type InsertedPiece,
  type Run,
  type Seam,
  type Standing,
  type WovenRecord,
} from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/** The stretch of a line that a byte is in. Undefined where it is not known: then nothing is told by it. */
export type LineStretchOf<T> = (piece: InsertedPiece<T>, offset: number) => LineStretch | undefined;

/**
 * Lines in the sense of what belongs together. Bytes are of one line if they are side by side in a piece, if an edit put them side by side,
 * if it replaced a part of a line and they are what it removed and inserted, or through a third; line endings and byte order marks are of none. So in every text
 * that edits made, what is side by side on a line is of one line, and where lines are split, joined or rewritten, their parts stay of one
 * line, whatever stands.
 */
export class WovenLines<T> {
  readonly #stretchOf: LineStretchOf<T>;
  /** By piece and by where it begins: the number of a stretch. */
  readonly #numbers = new Map<InsertedPiece<T>, Map<number, number>>();
  /** By stretch, another one of its line; the last one of a line leads to itself. */
  readonly #next: number[] = [];
  /** How many seams are worked in, and how many of them were asked for. */
  #joined = 0;
  #asked = 0;

  constructor(stretchOf: LineStretchOf<T>) {
    this.#stretchOf = stretchOf;
  }

  /** Whether it is known of two bytes side by side that one line ended with the first, another began with the second, and the two were never one. */
  *areTwoSteps(seams: readonly Seam<T>[], last: Byte<T>, first: Byte<T>): Steps<boolean> {
    if (!this.#isEnd(last) || !this.#isStart(first)) return false;
    yield* this.#joinSteps(seams);
    return this.#lineOf(last) !== this.#lineOf(first);
  }

  /** Whether only bytes of its own stretch were between a byte and the end of its line, when it was inserted. */
  #isEnd({ piece, offset }: Byte<T>): boolean {
    const stretch = this.#stretchOf(piece, offset);
    if (stretch === undefined || stretch.from === stretch.to) return false;
    return stretch.to < piece.length || this.#isBorder(piece.seam.right);
  }

  #isStart({ piece, offset }: Byte<T>): boolean {
    const stretch = this.#stretchOf(piece, offset);
    if (stretch === undefined || stretch.from === stretch.to) return false;
    return stretch.from > 0 || this.#isBorder(piece.seam.left);
  }

  /** Whether a run begins with a byte order mark, which has nothing before it in a text. */
  isMark({ piece, from }: Run<T>): boolean {
    return from === 0 && this.#stretchOf(piece, from)?.isMark === true;
  }

  /** Whether there is a line ending, or no byte: an end of the text. */
  #isBorder(byte: Byte<T> | undefined): boolean {
    return byte === undefined || this.#lineOf(byte) === NO_LINE;
  }

  /** Whether a line ends in a run. */
  hasEnding({ piece, from, length }: Run<T>): boolean {
    const stretch = this.#stretchOf(piece, from);
    return stretch !== undefined && stretch.to < from + length;
  }

  /** Works seams in, in their order, up to one with a byte that is not known. Those after it are asked for, so that they get known at once. */
  *#joinSteps(seams: readonly Seam<T>[]): Steps<void> {
    for (let i = this.#joined; i < seams.length; i++) {
      if (i % SEAMS_PER_STEP === 0) yield;
      const seam = seams[i] as Seam<T>;
      const unknown = bytesOf(seam).filter((byte) => this.#lineOf(byte) === undefined);
      if (unknown.length === 0 && this.#joined === i) {
        this.#join(seam);
        this.#joined++;
      } else if (i < this.#asked) return;
      this.#asked = Math.max(this.#asked, i + 1);
    }
  }

  #join({ left, right, removed, inserted }: Seam<T>): void {
    if (inserted === undefined) {
      this.#joinTwo(left, right);
      return;
    }
    const [first, last] = endsOf(inserted);
    this.#joinTwo(left, first);
    this.#joinTwo(last, right);
    if (removed !== undefined && this.#isOne(...removed) && this.#isOne(first, last))
      this.#joinTwo(removed[0], first);
  }

  #joinTwo(a: Byte<T> | undefined, b: Byte<T> | undefined): void {
    const [one, other] = [a, b].map((byte) => (byte === undefined ? NO_LINE : this.#lineOf(byte)));
    if (one === undefined || other === undefined || one === NO_LINE || other === NO_LINE) return;
    this.#next[one] = other;
  }

  #isOne(a: Byte<T>, b: Byte<T>): boolean {
    const line = this.#lineOf(a);
    return line !== NO_LINE && line === this.#lineOf(b);
  }

  /** The line of a byte; undefined if it is not known. */
  #lineOf({ piece, offset }: Byte<T>): number | undefined {
    const stretch = this.#stretchOf(piece, offset);
    if (stretch === undefined) return undefined;
    if (stretch.from === stretch.to) return NO_LINE;
    let numbers = this.#numbers.get(piece);
    if (numbers === undefined) this.#numbers.set(piece, (numbers = new Map<number, number>()));
    const number = numbers.get(stretch.from) ?? this.#next.length;
    if (number === this.#next.length) {
      numbers.set(stretch.from, number);
      this.#next.push(number);
    }
    return this.#lastOf(number);
  }

  #lastOf(stretch: number): number {
    let last = stretch;
    for (let next = this.#next[last] as number; next !== last; next = this.#next[last] as number) {
      // Halves the way for the next time.
      this.#next[last] = this.#next[next] as number;
      last = next;
    }
    return last;
  }
}

const SEAMS_PER_STEP = 1024;
/** What line endings are of. */
const NO_LINE = -1;

function bytesOf<T>({ left, right, removed, inserted }: Seam<T>): Byte<T>[] {
  const bytes = [left, right, ...(removed ?? []), ...(inserted === undefined ? [] : endsOf(inserted))];
  return bytes.filter((byte) => byte !== undefined);
}

function endsOf<T>(piece: InsertedPiece<T>): [Byte<T>, Byte<T>] {
  return [
    { piece, offset: 0 },
    { piece, offset: piece.length - 1 },
  ];
}

/** The end of one line and the beginning of another, side by side; or a byte order mark and what is before it. */
export interface GluedLines<T> {
  /** The newer one's record, and the other's. Where both are the base, `a` is the newest that removed what was between. */
  readonly a: WovenRecord<T>;
  readonly b: WovenRecord<T>;
  /** Both, the newer one first, and what is between them, from that one on. */
  readonly runs: readonly [Run<T>, Run<T>, ...Run<T>[]];
}

/**
 * Where lines are glued to each other if the records of `standing` stand, and not today. Bytes are read only where no splice put
 * them side by side.
 */
export function* gluedLinesSteps<T>(weave: Weave<T>, standing: Standing): Steps<GluedLines<T>[]> {
  const { base, lines, seams, chunks } = weave;
  const found: GluedLines<T>[] = [];
  if (lines === undefined) return found;
  let before: Run<T> | undefined;
  let gap: Run<T>[] = [];
  for (const [i, { runs }] of chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const run of runs) {
      if (!isVisible(run, standing)) {
        gap.push(run);
        continue;
      }
      if (before !== undefined && !werePutSideBySide(before, gap, run)) {
        const areTwo =
          lines.isMark(run) || (yield* lines.areTwoSteps(seams, lastByte(before), firstByte(run)));
        if (areTwo) found.push(gluedLines(before, gap, run));
      }
      before = run;
      gap = [];
    }
  }
  return found;

  function gluedLines(left: Run<T>, between: readonly Run<T>[], right: Run<T>): GluedLines<T> {
    const [one, other] = [left.piece.record, right.piece.record];
    if (other.seq > one.seq) return { a: other, b: one, runs: [right, left, ...between.toReversed()] };
    const removers = one === base ? between.flatMap((run) => cuttersOf(run, standing)) : [];
    const a = removers.reduce((newest, record) => (record.seq > newest.seq ? record : newest), one);
    return { a, b: other, runs: [left, right, ...between] };
  }
}

/** Whether the bytes on both sides of a border are side by side today, were inserted so, or put so by one splice. */
function werePutSideBySide<T>(before: Run<T>, gap: readonly Run<T>[], after: Run<T>): boolean {
  if (before.dead === 0 && after.dead === 0 && gap.every(({ dead }) => dead > 0)) return true;
  const [left, right] = [lastByte(before), firstByte(after)];
  if (left.piece === right.piece && left.offset + 1 === right.offset) return true;
  if (right.offset === 0 && isSame(right.piece.seam.left, left)) return true;
  if (left.offset === left.piece.length - 1 && isSame(left.piece.seam.right, right)) return true;
  for (const { cuts } of gap)
    for (let list = cuts; list !== undefined; list = list.next) {
      const { seam } = list.cut;
      if (seam.inserted === undefined && isSame(seam.left, left) && isSame(seam.right, right)) return true;
    }
  return false;
}

function isSame<T>(a: Byte<T> | undefined, b: Byte<T>): boolean {
  return a?.piece === b.piece && a.offset === b.offset;
}
