// Owns: placing an edit that was made for an older text on the text as it is now.
// Must never: guess. Where the bytes an edit was made for are gone, it has no place.

import { bisect } from "./bisect.ts";
import { validateSplices, type Splice } from "./splice.ts";
import type { Spliceable } from "./spliceable.ts";
import { cuttersOf } from "./weave-text.ts";
import type { Run, WovenRecord } from "./weave-parts.ts";
import type { Weave } from "./weave.ts";

/**
 * A splice by the bytes that it removes, or lies between: nothing that comes later changes which those are. What it inserts
 * (`I`) need not be what the weave is made of (`T`): it is only carried along.
 */
export interface Anchor<T, I> {
  readonly insert: I;
  /** None where it only inserts. */
  readonly removed: readonly Stretch<T>[];
  /** The byte before and the one after; undefined at the start and at the end of the text. */
  readonly left: Stretch<T> | undefined;
  readonly right: Stretch<T> | undefined;
}

/** Bytes of a piece, from `from` on. They lie in `run`, and where that is split later, in those that follow it. */
interface Stretch<T> {
  readonly run: Run<T>;
  readonly from: number;
  readonly length: number;
}

/**
 * - `removed`: bytes that the splice removes are gone.
 * - `separated`: others inserted between the bytes that it removes.
 * - `place_gone`: it only inserts, and the bytes on both sides of its place, or the one there was, are gone.
 * - `unfit`: it does not fit beside what others put, or left, next to it.
 */
export type RebaseReason = "removed" | "separated" | "place_gone" | "unfit";

/** A place in the text now, for a splice that has one. */
export interface RebasePlace {
  /** The index of the splice. */
  readonly splice: number;
  readonly at: number;
  /** Of a splice that only inserts: where in the text now that is which came between its neighbours; `at` is one end of it. */
  readonly theirs?: { readonly from: number; readonly to: number };
}

export interface RebaseConflict {
  /** The index of the splice. */
  readonly splice: number;
  readonly reason: RebaseReason;
  /** The records in the way; none where it is text of the base. */
  readonly by: readonly number[];
}

export interface RebasedEdit<I> {
  /** The edit over the text now, without the splices that have a conflict. */
  readonly splices: readonly Splice<I>[];
  readonly conflicts: readonly RebaseConflict[];
  /** Splices that only insert, at a place where other text came too. */
  readonly met: readonly MetText[];
}

interface MetText {
  readonly splice: number;
  /** Whose it is, as above. */
  readonly by: readonly number[];
  /** Whether the splice goes before it, or after it. */
  readonly isBefore: boolean;
}

/**
 * Notes where splices belong that are over the text which the weave shows now. Then add what came later, and
 * {@link settleEdit}. Throws `RangeError` for splices that do not fit the text.
 */
export function anchorEdit<T, I>(
  weave: Weave<T>,
  splices: readonly Splice<I>[],
  kind: Spliceable<I>,
): Anchor<T, I>[] {
  validateSplices(splices, weave.size, kind);
  const places = new VisiblePlaces(weave);
  return splices.map(({ at, remove, insert }) => ({
    insert,
    removed: places.stretches(at, remove),
    left: places.stretches(at - 1, 1)[0],
    right: places.stretches(at + remove, 1)[0],
  }));
}

/**
 * The anchored edit over the text that the weave shows now. `fits` may refuse a place for what the bytes there are, which the
 * weave does not know. Cost: one look for each splice and run it is about.
 */
export function settleEdit<T, I>(
  weave: Weave<T>,
  anchors: readonly Anchor<T, I>[],
  fits: (place: RebasePlace) => boolean = () => true,
): RebasedEdit<I> {
  const places = new VisiblePlaces(weave);
  const splices: Splice<I>[] = [];
  const conflicts: RebaseConflict[] = [];
  const met: MetText[] = [];
  let end = 0;
  for (const [splice, anchor] of anchors.entries()) {
    const { insert, removed, left, right } = anchor;
    const found = removed.length > 0 ? places.ofAll(removed) : places.between(left, right);
    if ("reason" in found) {
      conflicts.push({ splice, ...found });
      continue;
    }
    const { remove, theirs } = found;
    const ends = theirs === undefined ? [] : [theirs.from, theirs.to];
    const at = [found.at, ...ends].find(
      (place) => place >= end && fits({ splice, at: place, ...(theirs && { theirs }) }),
    );
    if (at === undefined) {
      conflicts.push({ splice, reason: "unfit", by: places.changesBeside(anchor) });
      continue;
    }
    splices.push({ at, remove, insert });
    end = at + remove;
    if (at !== found.at) met.push({ splice, by: places.textBetween(left, right), isBefore: at < found.at });
    else if (found.met !== undefined) met.push({ splice, by: found.met, isBefore: false });
  }
  return { splices, conflicts, met };
}

interface Found {
  readonly at: number;
  readonly remove: number;
  /** Where the text is that came between the neighbours, if there is any. */
  readonly theirs?: { readonly from: number; readonly to: number };
  /** Whose it is, if both neighbours are there. */
  readonly met?: readonly number[];
}

interface NoPlace {
  readonly reason: RebaseReason;
  readonly by: readonly number[];
}

/** From a place in the visible text to runs, and back. */
class VisiblePlaces<T> {
  readonly #weave: Weave<T>;
  /** Visible bytes before each chunk, and the index of each. */
  readonly #starts: Float64Array;
  readonly #indexOf = new Map<Run<T>["chunk"], number>();

  constructor(weave: Weave<T>) {
    this.#weave = weave;
    this.#starts = new Float64Array(weave.chunks.length + 1);
    for (const [i, chunk] of weave.chunks.entries()) {
      this.#indexOf.set(chunk, i);
      this.#starts[i + 1] = (this.#starts[i] ?? 0) + chunk.visible;
    }
  }

  /** The visible bytes from `at` on. None where there is no text. */
  stretches(at: number, length: number): Stretch<T>[] {
    const found: Stretch<T>[] = [];
    if (at < 0 || at >= this.#weave.size) return found;
    let left = length;
    const first = this.#chunkAt(at);
    let start = this.#starts[first] ?? 0;
    for (let i = first; left > 0 && i < this.#weave.chunks.length; i++)
      for (const run of this.#weave.chunks[i]?.runs ?? []) {
        if (run.dead > 0 || left === 0) continue;
        const skip = Math.max(0, at - start);
        start += run.length;
        if (skip >= run.length) continue;
        const part = Math.min(left, run.length - skip);
        found.push({ run, from: run.from + skip, length: part });
        left -= part;
      }
    return found;
  }

  #chunkAt(at: number): number {
    return bisect(this.#weave.chunks.length - 1, (i) => (this.#starts[i + 1] ?? 0) <= at);
  }

  /** Where bytes that were next to each other lie, if they still do. */
  ofAll(removed: readonly Stretch<T>[]): Found | NoPlace {
    const gone = new Set<number>();
    const between = new Set<WovenRecord<T>>();
    let at = -1;
    let remove = 0;
    let last: Run<T> | undefined;
    for (const stretch of removed)
      for (const { run, from, length } of runsOf(stretch)) {
        if (run.dead > 0) for (const seq of whyDead(run)) gone.add(seq);
        if (last === undefined) at = this.#startOf({ run, from });
        else for (const { piece } of this.#runsBetween(last, run)) between.add(piece.record);
        last = run;
        remove += length;
      }
    if (gone.size > 0) return { reason: "removed", by: sorted(gone) };
    return between.size > 0 ? { reason: "separated", by: this.#seqs(between) } : { at, remove };
  }

  /** Where the place between two bytes that were next to each other is: before the right one, else after the left. */
  between(left: Stretch<T> | undefined, right: Stretch<T> | undefined): Found | NoPlace {
    const [before, after] = [byteNow(left), byteNow(right)];
    const beside = [before, after].filter((one) => one !== undefined);
    // The border of the text is a neighbour as long as the other one is there: alone it would hold any insert.
    if (beside.length > 0 && beside.every(({ run }) => run.dead > 0))
      return { reason: "place_gone", by: sorted(new Set(beside.flatMap(({ run }) => whyDead(run)))) };
    const isLeft = before === undefined || before.run.dead === 0;
    const isRight = after === undefined || after.run.dead === 0;
    const from = before === undefined ? 0 : this.#startOf(before) + (isLeft ? 1 : 0);
    const to = after === undefined ? this.#weave.size : this.#startOf(after);
    const place = { at: isRight ? to : from, remove: 0 };
    if (from === to) return place;
    const theirs = { from, to };
    return isLeft && isRight
      ? { ...place, theirs, met: this.textBetween(left, right) }
      : { ...place, theirs };
  }

  /** Who inserted the visible text between two bytes; none where it is text of the base. */
  textBetween(left: Stretch<T> | undefined, right: Stretch<T> | undefined): number[] {
    const runs = this.#runsBetween(byteNow(left)?.run, byteNow(right)?.run);
    return this.#seqs(new Set(runs.map(({ piece }) => piece.record)));
  }

  /** Who put text next to a splice, brought some back there, or removed the bytes that were there. */
  changesBeside<I>({ removed, left, right }: Anchor<T, I>): number[] {
    const [before, after] = [byteNow(left)?.run, byteNow(right)?.run];
    const here = removed.flatMap(runsOf);
    const there = this.#runsBetween(before, here[0]?.run ?? after);
    if (here.length > 0) there.push(...this.#runsBetween(here.at(-1)?.run, after));
    const gone = [before, after].filter((run) => run !== undefined && run.dead > 0) as Run<T>[];
    const shown = this.#seqs(new Set(there.flatMap(whyShown)));
    return sorted(new Set([...gone.flatMap(whyDead), ...shown]));
  }

  #seqs(records: ReadonlySet<WovenRecord<T>>): number[] {
    return sorted(
      new Set([...records].filter((record) => record !== this.#weave.base).map(({ seq }) => seq)),
    );
  }

  /** The visible bytes before a byte of a run. */
  #startOf({ run, from }: Pick<Stretch<T>, "run" | "from">): number {
    let at = this.#starts[this.#indexOf.get(run.chunk) ?? 0] ?? 0;
    for (const other of run.chunk.runs) {
      if (other === run) break;
      if (other.dead === 0) at += other.length;
    }
    return run.dead === 0 ? at + from - run.from : at;
  }

  /** What is visible between two runs; undefined: the start, or the end of the weave. */
  #runsBetween(from: Run<T> | undefined, to: Run<T> | undefined): Run<T>[] {
    const found: Run<T>[] = [];
    if (from !== undefined && from === to) return found;
    const { chunks } = this.#weave;
    let i = from === undefined ? 0 : (this.#indexOf.get(from.chunk) ?? 0);
    let j = from === undefined ? 0 : from.chunk.runs.indexOf(from) + 1;
    for (; i < chunks.length; i++, j = 0) {
      const { runs } = chunks[i] as Run<T>["chunk"];
      for (; j < runs.length; j++) {
        const run = runs[j] as Run<T>;
        if (run === to) return found;
        if (run.dead === 0) found.push(run);
      }
    }
    return found;
  }
}

/** The runs in which a stretch lies now, each with its part of it. */
function runsOf<T>({ run, from, length }: Stretch<T>): Stretch<T>[] {
  const found: Stretch<T>[] = [];
  const end = from + length;
  for (let part: Run<T> | undefined = run; part !== undefined && part.from < end; part = part.next) {
    const start = Math.max(from, part.from);
    const stop = Math.min(end, part.from + part.length);
    if (start < stop) found.push({ run: part, from: start, length: stop - start });
  }
  return found;
}

/** One byte, in the run in which it lies now. */
function byteNow<T>(byte: Stretch<T> | undefined): Stretch<T> | undefined {
  return byte && runsOf(byte)[0];
}

/** The standing records because of which a run is not visible. */
function whyDead<T>(run: Run<T>): number[] {
  const { record } = run.piece;
  const because: readonly WovenRecord<T>[] = [...record.targetedBy, ...cuttersOf(run)];
  return because.filter(({ against }) => against === 0).map(({ seq }) => seq);
}

/** The records because of which a run is visible: who took back what removed it, else who inserted it. */
function whyShown<T>({ piece, cuts }: Run<T>): WovenRecord<T>[] {
  const found: WovenRecord<T>[] = [];
  for (let list = cuts; list !== undefined; list = list.next)
    for (const one of list.cut.record.targetedBy) if (one.against === 0) found.push(one);
  return found.length > 0 ? found : [piece.record];
}

function sorted(seqs: ReadonlySet<number>): number[] {
  return [...seqs].toSorted((a, b) => a - b);
}
