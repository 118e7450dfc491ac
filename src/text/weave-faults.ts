// Owns: what makes no sense in a text when some records stand and others do not.

import type { Steps } from "./steps.ts";
import { gluedLinesSteps } from "./weave-lines.ts";
import { CHUNKS_PER_STEP } from "./weave-text.ts";
import {
  isVisible,
  type RemovedRange,
  type InsertedPiece,
  type Run,
  type Standing,
  type WovenRecord,
} from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/**
 * - `over`: visible bytes of `a` came from a splice that removed bytes of `b`, which does not stand.
 * - `inside`: visible bytes of `a` lie strictly inside a piece of `b`, at any depth, and `b` does not stand.
 * - `spent`: `a` stands and removed bytes of a piece of `b` whose splice had replaced something; `b` does not stand.
 * - `torn`: visible bytes of `b` lie strictly inside the span of a standing splice of `a` (from the last byte it inserted,
 *   else the first it removed, to the last it removed); or `a` removed the whole text, and they are older.
 * - `line`: a line of `a` and one of `b` are glued to each other that were never of one line: see `GluedLines`.
 */
export type FaultKind = "over" | "inside" | "spent" | "torn" | "line";

export interface Fault<T> {
  readonly kind: FaultKind;
  readonly a: WovenRecord<T>;
  readonly b: WovenRecord<T>;
  /** What shows it: a run; of `line`, see `GluedLines`. */
  readonly runs: readonly [Run<T>, ...Run<T>[]];
}

/** The records of some runs: who inserted them, and who removed them. */
export function recordsOfRuns<T>(runs: readonly Run<T>[]): Set<WovenRecord<T>> {
  const records = new Set<WovenRecord<T>>();
  for (const { piece, cuts } of runs) {
    records.add(piece.record);
    for (let list = cuts; list !== undefined; list = list.next) records.add(list.cut.record);
  }
  return records;
}

/** Faults by kind and records: those of two standings can be compared. */
export type Faults<T> = ReadonlyMap<string, Fault<T>>;

/**
 * The faults if the records of `standing` stood. It depends on nothing else. Cost: three walks over all runs, and one over all splices
 * where lines have to be told.
 */
export function* faultSteps<T>(weave: Weave<T>, standing: Standing): Steps<Faults<T>> {
  const spans = yield* openSpans(weave, standing);
  const finder = new FaultFinder(standing, spans);
  for (const [i, { runs }] of weave.chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const run of runs) finder.meet(run);
  }
  for (const glued of yield* gluedLinesSteps(weave, standing)) finder.add({ kind: "line", ...glued });
  return finder.found;
}

/** The spans of standing cuts: how many of the runs that border or fill each are still to come, by the cut's index. */
interface Spans<T> {
  readonly left: Int32Array;
  /** The newest standing record that removed the whole text, else the base. */
  readonly newestWhole: WovenRecord<T>;
}

function* openSpans<T>(weave: Weave<T>, standing: Standing): Steps<Spans<T>> {
  const left = new Int32Array(weave.cutCount);
  let newestWhole = weave.base;
  for (const [i, { runs }] of weave.chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const run of runs)
      for (let list = spansOf(run); list !== undefined; list = list.next) {
        const { record, index, isWhole } = list.cut;
        if (standing[record.index] === 0) continue;
        left[index] = (left[index] ?? 0) + 1;
        if (isWhole && record.seq > newestWhole.seq) newestWhole = record;
      }
  }
  return { left, newestWhole };
}

/** The cuts whose span a run belongs to: those that removed it, and its own splice's where its piece ends. */
function spansOf<T>({ cuts, piece, from, length }: Run<T>): Run<T>["cuts"] {
  const isEnd = piece.cut !== undefined && from + length === piece.length;
  return isEnd ? { cut: piece.cut, next: cuts } : cuts;
}

class FaultFinder<T> {
  readonly found = new Map<string, Fault<T>>();
  readonly #standing: Standing;
  readonly #left: Int32Array;
  readonly #newestWhole: WovenRecord<T>;
  /** Standing cuts inside whose span the walk is, and whose visible bytes were met since one was opened. */
  readonly #open = new Set<RemovedRange<T>>();
  readonly #met = new Set<WovenRecord<T>>();
  /** Cuts whose splice has visible bytes. */
  readonly #over = new Set<RemovedRange<T>>();
  /** For a piece, the nearest record around it that does not stand. */
  readonly #lost = new Map<InsertedPiece<T>, WovenRecord<T> | undefined>();

  constructor(standing: Standing, { left, newestWhole }: Spans<T>) {
    this.#standing = standing;
    this.#left = left;
    this.#newestWhole = newestWhole;
  }

  /** Takes the next run of the weave. */
  meet(run: Run<T>): void {
    if (isVisible(run, this.#standing)) this.#meetVisible(run);
    const { piece } = run;
    for (let list = spansOf(run); list !== undefined; list = list.next) {
      const { cut } = list;
      if (!this.#stands(cut.record)) continue;
      const isSpent = cut !== piece.cut && piece.cut !== undefined && !this.#stands(piece.record);
      if (isSpent) this.#add("spent", cut.record, piece.record, run);
      const left = (this.#left[cut.index] ?? 0) - 1;
      this.#left[cut.index] = left;
      if (left === 0) this.#open.delete(cut);
      else if (!this.#open.has(cut)) {
        this.#open.add(cut);
        this.#met.clear();
      }
    }
  }

  #meetVisible(run: Run<T>): void {
    const { record, cut } = run.piece;
    if (this.#open.size > 0 && !this.#met.has(record)) {
      this.#met.add(record);
      for (const { record: around } of this.#open) this.#add("torn", around, record, run);
    }
    if (record.seq < this.#newestWhole.seq) this.#add("torn", this.#newestWhole, record, run);
    const lost = this.#lostAround(run.piece);
    if (lost !== undefined) this.#add("inside", record, lost, run);
    if (cut === undefined || this.#over.has(cut)) return;
    this.#over.add(cut);
    for (const other of cut.from) if (!this.#stands(other)) this.#add("over", record, other, run);
  }

  #lostAround(piece: InsertedPiece<T>): WovenRecord<T> | undefined {
    const path: InsertedPiece<T>[] = [];
    for (
      let one: InsertedPiece<T> | undefined = piece;
      one !== undefined && !this.#lost.has(one);
      one = one.parent
    )
      path.push(one);
    for (let one = path.pop(); one !== undefined; one = path.pop()) {
      const { parent } = one;
      const isLost = parent !== undefined && !this.#stands(parent.record);
      this.#lost.set(one, isLost ? parent.record : parent && this.#lost.get(parent));
    }
    return this.#lost.get(piece);
  }

  #stands(record: WovenRecord<T>): boolean {
    return this.#standing[record.index] === 1;
  }

  #add(kind: FaultKind, a: WovenRecord<T>, b: WovenRecord<T>, run: Run<T>): void {
    this.add({ kind, a, b, runs: [run] });
  }

  add(fault: Fault<T>): void {
    const key = `${fault.kind} ${fault.a.index} ${fault.b.index}`;
    if (!this.found.has(key)) this.found.set(key, fault);
  }
}
