// Owns: the weave of one file: every run of bytes that its records inserted since a base, in one order, dead ones included.
// Must never: know a run by its bytes or by where they are stored. Equal bytes are not the same bytes.

import { HoldfastError, say } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { validateSplices, type Splice } from "./splice.ts";
import type { Spliceable } from "./spliceable.ts";
import { runNow, type Steps } from "./steps.ts";
import {
  WovenRecord,
  firstByte,
  lastByte,
  type Byte,
  type Chunk,
  type RemovedRange,
  type InsertedPiece,
  type Run,
  type Seam,
  type Standing,
} from "./weave-parts.ts";
import { WovenLines, type LineStretchOf } from "./weave-lines.ts";

/**
 * What takes records back: named ones, or all records of the file after `restoreTo`, standing or not. A named record that
 * is none of the file's is passed over.
 */
export type Reversal = { readonly targets: readonly number[] } | { readonly restoreTo: number };

/**
 * What one record did to a file: an edit of the text as it was then, or a reversal (an undo, an undo of an undo, a
 * restore). A reversal's own splices are not needed: they follow from what it takes back. A rewrite is no record here.
 */
export type WeaveRecord<T> = { readonly seq: number } & (
  | { readonly splices: readonly Splice<T>[] }
  | Reversal
);

/** The text that a weave begins with, and the last record that is in it. It must be closed: see `ClosedBase`. */
export interface WeaveBase<T> {
  readonly seq: number;
  readonly content: T;
}

export interface WeaveOptions<T> {
  /** More runs than this are refused with `invalid_argument` / `too_many_runs`. */
  readonly maxRuns?: number;
  /** A chunk is halved when it has more than twice so many runs. */
  readonly chunkRuns?: number;
  /** By which lines are told. Without it there are none. */
  readonly lineStretchOf?: LineStretchOf<T> | undefined;
}

const CHUNK_RUNS = 128;
const SPLICES_PER_STEP = 256;
const RECORDS_PER_STEP = 64;

/**
 * Built from the records of a file, oldest first. A splice costs some microseconds and up to three runs of about 100 bytes
 * each, however large the text. What is asked of a weave (undo, blame, rebase, needs) walks over all its runs.
 */
export class Weave<T> {
  readonly kind: Spliceable<T>;
  readonly lines: WovenLines<T> | undefined;
  readonly base: WovenRecord<T>;
  /** All records, by index. */
  readonly records: WovenRecord<T>[] = [];
  readonly restores: WovenRecord<T>[] = [];
  readonly chunks: Chunk<T>[] = [{ runs: [], visible: 0 }];
  /** What each splice did, in their order. */
  readonly seams: Seam<T>[] = [];
  readonly #bySeq = new Map<number, WovenRecord<T>>();
  readonly #maxRuns: number;
  readonly #chunkRuns: number;
  #runCount = 0;
  #cutCount = 0;
  #size = 0;

  constructor(base: WeaveBase<T>, kind: Spliceable<T>, options: WeaveOptions<T> = {}) {
    this.kind = kind;
    this.lines = options.lineStretchOf && new WovenLines(options.lineStretchOf);
    this.#maxRuns = options.maxRuns ?? LIMITS.weaveRuns.default;
    this.#chunkRuns = options.chunkRuns ?? CHUNK_RUNS;
    this.base = this.#record(base.seq);
    runNow(this.#editSteps(this.base, [{ at: 0, remove: 0, insert: base.content }]));
  }

  /** Bytes of the visible text. */
  get size(): number {
    return this.#size;
  }

  get cutCount(): number {
    return this.#cutCount;
  }

  record(seq: number): WovenRecord<T> | undefined {
    return this.#bySeq.get(seq);
  }

  /**
   * Adds the next record of the file. Throws `RangeError` for a record out of order, for splices that do not fit the text,
   * and for a reversal that reaches the base (which is then not closed); `invalid_argument` / `too_many_runs` when the
   * weave gets too large. After an error the weave is of no use.
   */
  add(record: WeaveRecord<T>): void {
    runNow(this.addSteps(record));
  }

  *addSteps(record: WeaveRecord<T>): Steps<void> {
    const last = this.records.at(-1)?.seq ?? 0;
    if (record.seq <= last) throw new RangeError(`Record ${record.seq} does not come after record ${last}`);
    if ("splices" in record) {
      validateSplices(record.splices, this.#size, this.kind);
      yield* this.#editSteps(this.#record(record.seq), record.splices);
      return;
    }
    const targets = this.targetsOf(record);
    for (const [i, turned] of this.#turn(targets).entries()) {
      if (i % RECORDS_PER_STEP === RECORDS_PER_STEP - 1) yield;
      this.#settle(turned);
    }
    // The targets of a restore are the last records.
    const takesBack = "restoreTo" in record ? this.records.length - targets.length : targets;
    this.#record(record.seq, takesBack);
  }

  /** The records that a reversal takes back. Throws `RangeError` when it reaches the base. */
  targetsOf(reversal: Reversal): WovenRecord<T>[] {
    const base = this.base.seq;
    if ("restoreTo" in reversal) {
      const { restoreTo } = reversal;
      if (restoreTo < base)
        throw new RangeError(`A restore to ${restoreTo} goes to before the base, ${base}`);
      return this.records.filter(({ seq }) => seq > restoreTo);
    }
    const targets = new Set<WovenRecord<T>>();
    for (const seq of reversal.targets) {
      if (seq <= base) throw new RangeError(`Record ${seq} is not after the base, ${base}`);
      const target = this.#bySeq.get(seq);
      if (target !== undefined) targets.add(target);
    }
    return [...targets];
  }

  /** A cut of the same record, for some of the bytes that one removed. */
  partOf({ record, seam }: RemovedRange<T>): RemovedRange<T> {
    return { index: this.#cutCount++, record, from: new Set(), isWhole: false, seam };
  }

  /** Which records stand. */
  standing(): Standing {
    const standing = new Uint8Array(this.records.length);
    for (const { index, against } of this.records) if (against === 0) standing[index] = 1;
    return standing;
  }

  /** Which records would stand with one more record that takes `targets` back. */
  standingWithout(targets: readonly WovenRecord<T>[]): Standing {
    const standing = this.standing();
    for (const record of this.#turn(targets)) {
      standing[record.index] = record.against + record.turn === 0 ? 1 : 0;
      record.turn = 0;
      record.isTurned = false;
    }
    return standing;
  }

  #record(seq: number, takesBack?: WovenRecord<T>["takesBack"]): WovenRecord<T> {
    const record = new WovenRecord(this, seq, takesBack);
    this.#bySeq.set(seq, record);
    return record;
  }

  /**
   * Works out `turn` of every record that one more record against `targets` concerns, and returns those. Newest first:
   * whatever is against a record is newer, so each is turned once, however often records took each other back.
   */
  #turn(targets: readonly WovenRecord<T>[]): WovenRecord<T>[] {
    const turned: WovenRecord<T>[] = [];
    /** Reversals among them whose own targets are not turned yet. */
    let pending = 0;
    let newest = 0;
    const turn = (record: WovenRecord<T>, by: number): void => {
      record.turn += by;
      if (record.isTurned) return;
      record.isTurned = true;
      turned.push(record);
      if (record.takesBack === undefined) return;
      pending++;
      newest = Math.max(newest, record.index);
    };
    for (const target of targets) turn(target, 1);
    for (let i = newest; pending > 0; i--) {
      const record = this.records[i] as WovenRecord<T>;
      if (!record.isTurned || record.takesBack === undefined) continue;
      pending--;
      const stood = record.against === 0;
      const stands = record.against + record.turn === 0;
      if (stood !== stands) for (const target of record.targets) turn(target, stands ? 1 : -1);
    }
    return turned;
  }

  /** Makes so what was worked out for a record. */
  #settle(record: WovenRecord<T>): void {
    const stood = record.against === 0;
    record.against += record.turn;
    record.turn = 0;
    record.isTurned = false;
    const by = Number(stood) - Number(record.against === 0);
    if (by === 0) return;
    for (const { run, length } of record.inserted) this.#deaden(run, length, by);
    for (const { run, length } of record.removed) this.#deaden(run, length, -by);
  }

  /** `by` more reasons for `length` bytes from `first` on not to be visible. */
  #deaden(first: Run<T>, length: number, by: number): void {
    let run: Run<T> | undefined = first;
    for (let left = length; left > 0 && run !== undefined; run = run.next) {
      const was = run.dead === 0 ? run.length : 0;
      run.dead += by;
      const change = (run.dead === 0 ? run.length : 0) - was;
      run.chunk.visible += change;
      this.#size += change;
      left -= run.length;
    }
  }

  /** Splices, left to right, each on what those before it made. */
  *#editSteps(record: WovenRecord<T>, splices: readonly Splice<T>[]): Steps<void> {
    const all = this.#size;
    const place: Place = { chunk: 0, before: 0, index: 0 };
    let shift = 0;
    for (const [i, { at, remove, insert }] of splices.entries()) {
      if (i % SPLICES_PER_STEP === SPLICES_PER_STEP - 1) yield;
      const length = this.kind.length(insert);
      if (length === 0 && remove === 0) continue;
      this.#open(place, at + shift);
      const chunk = this.chunks[place.chunk] as Chunk<T>;
      // The tie rule: right before the visible byte at `at`, even if this splice removes it, so after all that is dead there.
      const right = chunk.runs[place.index];
      const parent = right === undefined || right.from > 0 ? right?.piece : right.piece.parent;
      const seam: OpenSeam<T> = {
        left: this.#byteBefore(place),
        right: undefined,
        removed: undefined,
        inserted: undefined,
      };
      const end = { chunk: place.chunk, index: place.index };
      let cut: RemovedRange<T> | undefined;
      if (right !== undefined && remove > 0) {
        cut = { index: this.#cutCount++, record, from: new Set(), isWhole: remove === all, seam };
        seam.removed = [firstByte(right), this.#cut(end, remove, cut)];
      }
      seam.right = this.#byteFrom(end);
      if (length > 0) {
        seam.inserted = { record, insert, length, parent, cut, seam };
        this.#insert(chunk, place.index++, seam.inserted);
      }
      this.seams.push(seam);
      if (end.chunk !== place.chunk) this.#halve(end.chunk);
      this.#halve(place.chunk);
      shift += length - remove;
    }
  }

  /** Finds the place right before visible byte `at`, not before `place`; at the end of the text, the end of the weave. */
  #open(place: Place, at: number): void {
    let left = at - place.before;
    for (; place.chunk < this.chunks.length - 1; place.chunk++) {
      const { visible } = this.chunks[place.chunk] as Chunk<T>;
      if (visible > left) break;
      left -= visible;
    }
    place.before = at - left;
    const { runs, visible } = this.chunks[place.chunk] as Chunk<T>;
    place.index = runs.length;
    if (left === visible) return;
    for (let i = 0; ; i++) {
      const run = runs[i] as Run<T>;
      if (run.dead > 0) continue;
      if (left < run.length) {
        place.index = left === 0 ? i : this.#split(i, run, left);
        return;
      }
      left -= run.length;
    }
  }

  #insert(chunk: Chunk<T>, index: number, piece: InsertedPiece<T>): void {
    const { record, length } = piece;
    const run: Run<T> = { piece, from: 0, length, next: undefined, cuts: undefined, dead: 0, chunk };
    this.#count();
    chunk.runs.splice(index, 0, run);
    chunk.visible += length;
    this.#size += length;
    record.inserted.push({ run, length });
  }

  /** Splits a run, `i` in its chunk, after `length` bytes, and returns the place between the two. */
  #split(i: number, run: Run<T>, length: number): number {
    const { piece, from, next, cuts, dead, chunk } = run;
    this.#count();
    run.next = { piece, from: from + length, length: run.length - length, next, cuts, dead, chunk };
    run.length = length;
    chunk.runs.splice(i + 1, 0, run.next);
    return i + 1;
  }

  /** The last visible byte before a place. */
  #byteBefore({ chunk, index }: RunPlace): Byte<T> | undefined {
    for (let at = chunk; at >= 0; at--) {
      const { runs, visible } = this.chunks[at] as Chunk<T>;
      if (visible === 0) continue;
      for (let i = (at === chunk ? index : runs.length) - 1; i >= 0; i--) {
        const run = runs[i] as Run<T>;
        if (run.dead === 0) return lastByte(run);
      }
    }
    return undefined;
  }

  /** The first visible byte from a place on. */
  #byteFrom({ chunk, index }: RunPlace): Byte<T> | undefined {
    for (let at = chunk; at < this.chunks.length; at++) {
      const { runs, visible } = this.chunks[at] as Chunk<T>;
      if (visible === 0) continue;
      for (let i = at === chunk ? index : 0; i < runs.length; i++) {
        const run = runs[i] as Run<T>;
        if (run.dead === 0) return firstByte(run);
      }
    }
    return undefined;
  }

  /** Cuts `remove` visible bytes from `place` on, moves it to where that ends, and returns the last of them. */
  #cut(place: RunPlace, remove: number, cut: RemovedRange<T>): Byte<T> {
    for (let left = remove; ; place.index++) {
      let { runs } = this.chunks[place.chunk] as Chunk<T>;
      while (place.index >= runs.length) {
        ({ runs } = this.chunks[++place.chunk] as Chunk<T>);
        place.index = 0;
      }
      const run = runs[place.index] as Run<T>;
      if (run.dead > 0) continue;
      if (run.length > left) this.#split(place.index, run, left);
      left -= run.length;
      run.cuts = { cut, next: run.cuts };
      cut.record.removed.push({ run, length: run.length });
      const { record } = run.piece;
      if (record !== cut.record && record !== this.base) cut.from.add(record);
      this.#deaden(run, run.length, 1);
      if (left > 0) continue;
      place.index++;
      return lastByte(run);
    }
  }

  /** Halves a chunk that has grown too large. */
  #halve(at: number): void {
    const chunk = this.chunks[at] as Chunk<T>;
    if (chunk.runs.length <= 2 * this.#chunkRuns) return;
    const half: Chunk<T> = { runs: chunk.runs.splice(chunk.runs.length >>> 1), visible: 0 };
    for (const run of half.runs) {
      run.chunk = half;
      if (run.dead === 0) half.visible += run.length;
    }
    chunk.visible -= half.visible;
    this.chunks.splice(at + 1, 0, half);
  }

  #count(): void {
    if (++this.#runCount <= this.#maxRuns) return;
    throw new HoldfastError(
      "invalid_argument",
      "too_many_runs",
      say`The file was changed in more than ${this.#maxRuns} pieces.`,
      { data: { limit: this.#maxRuns } },
    );
  }
}

/** Whether a weave got too large. */
export function isTooManyRuns(error: unknown): error is HoldfastError {
  return HoldfastError.is(error) && error.reason === "too_many_runs";
}

/** A seam while its splice is made. */
type OpenSeam<T> = { -readonly [K in keyof Seam<T>]: Seam<T>[K] };

interface RunPlace {
  chunk: number;
  index: number;
}

/** Where a splice goes: an index in a chunk, and the visible bytes before that chunk. */
interface Place extends RunPlace {
  before: number;
}
