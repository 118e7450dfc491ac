// Owns: a text that is stored elsewhere and is a part of a weave: told by its runs, compared with what the weave shows, edited.
// Must never: know its bytes by their values or by where they are stored.
//
// A held text is a list of runs in the order of the weave, each [`<record>.<piece>`, offset, length]: `piece` counts the inserts of a
// record that are not empty, from 0. It has the form of extents, so that splices over it are those of EXTENTS.

import { applySplices, type Splice } from "./splice.ts";
import { areStoredAlike, EXTENTS, type Extent } from "./spliceable.ts";
import type { Steps } from "./steps.ts";
import { isVisible, type InsertedPiece, type Run, type Standing, type WovenRecord } from "./weave-parts.ts";
import { CHUNKS_PER_STEP, RunReader } from "./weave-text.ts";
import type { Weave } from "./weave.ts";

/** Bytes of pieces, in the order of the weave. */
export type HeldText = readonly Extent[];

/** The name of a piece. */
export function pieceName(seq: number, piece: number): string {
  return `${seq}.${piece}`;
}

/** A part of a run that is held as a whole, or not at all. */
export interface Fragment<T> {
  readonly run: Run<T>;
  readonly name: string;
  /** Its first byte in the piece. */
  readonly from: number;
  readonly length: number;
  readonly isHeld: boolean;
}

/** One place where the held text differs from what the weave shows. `at` and `remove` are over the held text. */
export interface HeldSplice<T> extends Splice<T> {
  readonly removed: HeldText;
  readonly inserted: HeldText;
  /** The records that make the difference, oldest first: who inserted, who removed, who took either back. */
  readonly by: readonly number[];
}

/** What a weave shows if the records of `standing` stood, as runs. */
export function* shownSteps<T>(weave: Weave<T>, standing: Standing): Steps<HeldText> {
  const shown: Extent[] = [];
  for (const { run, name, from, length } of yield* fragmentSteps(weave, []))
    if (isVisible(run, standing)) shown.push([name, from, length]);
  return EXTENTS.join([shown]);
}

/**
 * The least splices from a held text to what the weave shows if the records of `standing` stood. Undefined where the weave does not
 * have the held bytes. `was`: the records whose work the held text has in it already.
 */
export function* heldDifferenceSteps<T>(
  weave: Weave<T>,
  held: HeldText,
  standing: Standing,
  was: Standing = new Uint8Array(weave.records.length),
): Steps<HeldSplice<T>[] | undefined> {
  const fragments = yield* fragmentSteps(weave, held);
  if (!isAllThere(fragments, held)) return undefined;
  const splices: HeldSplice<T>[] = [];
  const reader = new RunReader(weave.kind);
  let at = 0;
  let open: OpenSplice<T> | undefined;
  for (const [i, fragment] of fragments.entries()) {
    if (i % FRAGMENTS_PER_STEP === 0) yield;
    const { run, name, from, length, isHeld } = fragment;
    const isShown = isVisible(run, standing);
    if (isHeld && isShown && open !== undefined) open = closed(weave, open, splices);
    if (isHeld !== isShown) {
      open ??= { at, remove: 0, parts: [], removed: [], inserted: [], by: new Set() };
      (isHeld ? open.removed : open.inserted).push([name, from, length]);
      for (const record of isHeld ? removersOf(run, standing) : insertersOf(run, was)) open.by.add(record);
      if (isHeld) open.remove += length;
      else open.parts.push(reader.read({ piece: run.piece, from, length }));
    }
    if (isHeld) at += length;
  }
  if (open !== undefined) closed(weave, open, splices);
  return splices;
}

const FRAGMENTS_PER_STEP = 4096;

interface OpenSplice<T> {
  readonly at: number;
  remove: number;
  readonly parts: T[];
  readonly removed: Extent[];
  readonly inserted: Extent[];
  readonly by: Set<WovenRecord<T>>;
}

function closed<T>(weave: Weave<T>, open: OpenSplice<T>, splices: HeldSplice<T>[]): undefined {
  const { at, remove, parts, removed, inserted, by } = open;
  splices.push({
    at,
    remove,
    insert: weave.kind.join(parts),
    removed: EXTENTS.join([removed]),
    inserted: EXTENTS.join([inserted]),
    by: [...new Set([...by].map(({ seq }) => seq))].toSorted((a, b) => a - b),
  });
  return undefined;
}

/** Because of which records held bytes are not shown: those that removed them, or took back who inserted them. */
function removersOf<T>(run: Run<T>, standing: Standing): WovenRecord<T>[] {
  const found: WovenRecord<T>[] = [];
  for (let list = run.cuts; list !== undefined; list = list.next)
    if (standing[list.cut.record.index] === 1) found.push(list.cut.record);
  const { record } = run.piece;
  if (standing[record.index] === 0)
    for (const one of record.targetedBy) if (one.against === 0) found.push(one);
  return found;
}

/** Because of which records bytes are shown that are not held: who inserted them, or took back who removed them. */
function insertersOf<T>(run: Run<T>, was: Standing): WovenRecord<T>[] {
  const { record } = run.piece;
  if (was[record.index] === 0) return [record];
  const found: WovenRecord<T>[] = [];
  for (let list = run.cuts; list !== undefined; list = list.next)
    for (const one of list.cut.record.targetedBy) if (one.against === 0) found.push(one);
  return found.length > 0 ? found : [record];
}

/** Where an edit of a held text goes in the text that the weave shows now. */
export interface PlacedEdit<I> {
  /** Over the visible text, without those that have a conflict. */
  readonly splices: readonly Splice<I>[];
  /** The indexes of splices that have no place: bytes that they remove, or the one that they go before, are not visible. */
  readonly conflicts: readonly number[];
}

/**
 * Places splices over a held text. A splice goes right before the held byte that it was right before, so that the held text with the
 * same pieces in it is still in the order of the weave. Undefined where the weave does not have the held bytes.
 */
export function* placeHeldSteps<T, I>(
  weave: Weave<T>,
  held: HeldText,
  edit: readonly Splice<I>[],
): Steps<PlacedEdit<I> | undefined> {
  const fragments = yield* fragmentSteps(weave, held);
  if (!isAllThere(fragments, held)) return undefined;
  const places = placesOf(fragments);
  const splices: Splice<I>[] = [];
  const conflicts: number[] = [];
  let next = 0;
  for (const [index, { at, remove, insert }] of edit.entries()) {
    while (next < places.length && (places[next] as HeldPlace).to <= at) next++;
    const place = remove === 0 ? placeBefore(weave, places, next, at) : placeOfAll(places, next, at, remove);
    if (place === undefined) conflicts.push(index);
    else splices.push({ at: place, remove, insert });
    if (index % FRAGMENTS_PER_STEP === 0) yield;
  }
  return { splices, conflicts };
}

/** Held bytes, and where they are in the visible text; undefined where they are not visible. */
interface HeldPlace {
  readonly at: number;
  readonly to: number;
  readonly shownAt: number | undefined;
}

function placesOf<T>(fragments: readonly Fragment<T>[]): HeldPlace[] {
  const places: HeldPlace[] = [];
  let [at, shown] = [0, 0];
  for (const { run, length, isHeld } of fragments) {
    const isShown = run.dead === 0;
    if (isHeld) places.push({ at, to: at + length, shownAt: isShown ? shown : undefined });
    if (isHeld) at += length;
    if (isShown) shown += length;
  }
  return places;
}

function placeBefore<T>(
  weave: Weave<T>,
  places: readonly HeldPlace[],
  next: number,
  at: number,
): number | undefined {
  const right = places[next];
  if (right !== undefined) return right.shownAt === undefined ? undefined : right.shownAt + at - right.at;
  const last = places.at(-1);
  return last === undefined || last.shownAt !== undefined ? weave.size : undefined;
}

function placeOfAll(
  places: readonly HeldPlace[],
  next: number,
  at: number,
  remove: number,
): number | undefined {
  let start: number | undefined;
  let end: number | undefined;
  for (let i = next; i < places.length; i++) {
    const { at: from, to, shownAt } = places[i] as HeldPlace;
    if (from >= at + remove) break;
    if (shownAt === undefined) return undefined;
    const first = shownAt + Math.max(0, at - from);
    start ??= first;
    // Text that came between them would be torn.
    if (end !== undefined && end !== first) return undefined;
    end = shownAt + Math.min(to, at + remove) - from;
  }
  return start;
}

/** The held text after splices that insert pieces. */
export function spliceHeld(held: HeldText, splices: readonly Splice<HeldText>[]): HeldText {
  return applySplices(held, splices, EXTENTS);
}

/** All runs of the weave in order, split where the held text begins and ends. */
export function* fragmentSteps<T>(weave: Weave<T>, held: HeldText): Steps<Fragment<T>[]> {
  const names = new Map<InsertedPiece<T>, string>();
  for (const { seq, inserted } of weave.records)
    for (const [piece, { run }] of inserted.entries()) names.set(run.piece, pieceName(seq, piece));
  yield;
  const wanted = new Map<string, { readonly runs: Extent[]; next: number }>();
  for (const run of held) {
    const of = wanted.get(run[0]);
    if (of === undefined) wanted.set(run[0], { runs: [run], next: 0 });
    else of.runs.push(run);
  }
  const fragments: Fragment<T>[] = [];
  for (const [i, { runs }] of weave.chunks.entries()) {
    if (i % CHUNKS_PER_STEP === 0) yield;
    for (const run of runs) {
      const name = names.get(run.piece) ?? "";
      splitRun(run, name, wanted.get(name), fragments);
    }
  }
  return fragments;
}

function splitRun<T>(
  run: Run<T>,
  name: string,
  wanted: { readonly runs: readonly Extent[]; next: number } | undefined,
  fragments: Fragment<T>[],
): void {
  const end = run.from + run.length;
  let from = run.from;
  const put = (to: number, isHeld: boolean): void => {
    if (to > from) fragments.push({ run, name, from, length: to - from, isHeld });
    from = Math.max(from, to);
  };
  for (; wanted !== undefined; wanted.next++) {
    const held = wanted.runs[wanted.next];
    if (held === undefined || held[1] >= end) break;
    put(held[1], false);
    put(Math.min(end, held[1] + held[2]), true);
    if (held[1] + held[2] > end) break;
  }
  put(end, false);
}

export function isAllThere<T>(fragments: readonly Fragment<T>[], held: HeldText): boolean {
  const found = fragments.filter(({ isHeld }) => isHeld);
  return areStoredAlike(
    found.map(({ name, from, length }): Extent => [name, from, length]),
    held,
  );
}
