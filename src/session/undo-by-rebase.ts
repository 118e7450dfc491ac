// Owns: undo for slices whose changes can be inverted and rebased: a record's inverse is carried over all that came later.

import { say } from "../errors.ts";
import type { Change, JournalRecord, Key } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import type { Steps } from "../text/steps.ts";
import { changesOf } from "./packed-changes.ts";
import { recordKey, undoneIn } from "./record-keys.ts";
import type { PassedRecord, Refusal, SliceUndo, Stamp, UndoRefusal, UndoRequestOf } from "./slice.ts";
import {
  isRestoredOver,
  neededFor,
  partsIn,
  restoreOf,
  takenAmong,
  takenBack,
  WHOLE_SLICE,
  type NeededRecords,
  type SlicePart,
  type TakenBack,
} from "./undo-records.ts";

/** What a slice must know of its changes for this. */
export interface Rebasable<S, C extends Change> {
  /** The name of the slice. */
  readonly name: string;
  /** The state after the change. */
  apply(state: S, change: C, at: Stamp): S;
  /** What is in the way of a change; empty: nothing. */
  refuse(state: S, change: C): readonly Refusal[];
  /** Long work that must be done before `apply`, in steps. */
  prepare?(state: S, change: C): Steps<void> | undefined;
  /** The part of the slice that a change is in, as {@link Slice.part} says it. */
  part?(change: C): string;
  /** The change that takes it back. */
  invert(change: C): C;
  /** The change as it must read on top of `since`, or why that cannot be. */
  rebase(change: C, since: readonly C[]): C | readonly Refusal[];
  /** The change with what it remembers of the past as `state` has it, so that its own inverse leads back exactly. */
  settle?(state: S, change: C): C;
}

/** A change on the way from a record to the present, and the record it is of. */
interface Step<C> {
  readonly seq: number;
  /** Its place among all that are looked at. */
  readonly place: number;
  readonly change: C;
}

/** What happened to one part of the slice. */
interface PartOfHistory<C> {
  /** The records that changed it, oldest first, and those of which that is not known. */
  readonly records: JournalRecord[];
  readonly steps: Step<C>[];
}

/** A part as it is while records are taken back, newest first. */
interface PartOfUndo<C> {
  /** The records that are taken back in it. */
  readonly taken: ReadonlySet<number>;
  way: readonly Step<C>[];
}

/**
 * A {@link Slice.undo} for slices whose changes can be inverted and rebased. Costs the records since the oldest one that is taken back
 * which touched the same keys. What `rebase` or `refuse` finds in the way is in `refused`; nothing is thrown for it.
 *
 * @example const slice: Slice<number, Add, number> = { ...changes, undo: undoByRebase(changes), ... };
 */
export function undoByRebase<S, C extends Change>(
  slice: Rebasable<S, C>,
): (request: UndoRequestOf<S>) => Promise<SliceUndo<C>> {
  return (request) => new RebaseUndo(slice, request).run();
}

class RebaseUndo<S, C extends Change> {
  readonly #slice: Rebasable<S, C>;
  readonly #request: UndoRequestOf<S>;
  readonly #undone: number[] = [];
  readonly #refused: UndoRefusal[] = [];
  readonly #changes: C[] = [];
  #state: S;

  constructor(slice: Rebasable<S, C>, request: UndoRequestOf<S>) {
    this.#slice = slice;
    this.#request = request;
    this.#state = request.state;
  }

  async run(): Promise<SliceUndo<C>> {
    const { journal, stamp, records } = this.#request;
    const chosen = new Set(records.map(({ record }) => record.seq));
    const keys = new Set<Key>(records.flatMap(({ record }) => record.keys));
    const { name } = this.#slice;
    const needed = await neededFor(journal, name, chosen, stamp.at.seq - 1, keys);
    const gone = new Map<number, number[]>();
    const passed: PassedRecord[] = [];
    const parts: PartOfUndo<C>[] = [];
    for (const [part, history] of await this.#partsOf(needed)) {
      const of = { slice: this.#slice, part };
      const own = new Set(history.steps.map(({ seq }) => seq).filter((seq) => chosen.has(seq)));
      if (own.size === 0) continue;
      const now = takenBack(of, history.records);
      const taken = takenAmong(of, history.records, own);
      const then = takenBack(of, history.records, taken);
      for (const seq of own) {
        if (taken.has(seq)) continue;
        gone.set(seq, [...(gone.get(seq) ?? []), then.gone.get(seq) ?? 0]);
        if (taken.size > 0) passed.push({ seq, slice: name, part });
      }
      if (taken.size === 0) continue;
      this.#refuseTwice(now.twice, then.twice, taken);
      parts.push({ taken, way: this.#wayOf(of, history, needed.from, then.gone) });
    }
    if (this.#refused.length === 0)
      for (const seq of [...chosen].toSorted((a, b) => b - a)) await this.#takeBack(seq, parts);
    const isTaken = (seq: number): boolean => parts.some(({ taken }) => taken.has(seq));
    return {
      undone: this.#undone,
      changes: this.#changes,
      refused: this.#refused,
      gone: [...gone].filter(([seq]) => !isTaken(seq)).map(([seq, by]) => ({ seq, by })),
      passed,
    };
  }

  /** What happened, part by part. Records from before `from` are in all of them: what they changed cannot be told, or need not. */
  async #partsOf({ heads, from }: NeededRecords): Promise<ReadonlyMap<string, PartOfHistory<C>>> {
    const parts = new Map<string, PartOfHistory<C>>();
    const partOf = (name: string): PartOfHistory<C> => {
      const part = parts.get(name) ?? { records: heads.filter(({ seq }) => seq < from), steps: [] };
      parts.set(name, part);
      return part;
    };
    let place = 0;
    for (const record of heads) {
      if (record.seq < from) continue;
      const changes = await changesOf(this.#request.journal, record);
      for (const name of partsIn(this.#slice, changes)) partOf(name).records.push(record);
      for (const change of changes as readonly C[])
        if (change.slice === this.#slice.name)
          partOf(this.#slice.part?.(change) ?? WHOLE_SLICE).steps.push({
            seq: record.seq,
            place: place++,
            change,
          });
    }
    return parts;
  }

  /**
   * Undoing an undo can make an older undo or restore stand again. If what that one took back was taken back by another meanwhile,
   * two would take back one record, and what it did would come back twice.
   */
  #refuseTwice(now: TakenBack["twice"], then: TakenBack["twice"], chosen: ReadonlySet<number>): void {
    const [seq = 0] = chosen;
    for (const { target, by, other } of then)
      if (!now.some((was) => was.target === target && was.other === other))
        this.#refused.push({
          seq,
          refusal: {
            key: recordKey(target),
            code: "conflict",
            reason: "undone_twice",
            message: say`record ${target} would be undone by record ${other} again, and is by record ${by}`,
          },
          together: [by],
        });
  }

  /** Takes a record back in all parts in which that is to be, or in none. */
  async #takeBack(seq: number, parts: readonly PartOfUndo<C>[]): Promise<void> {
    const inverses: Step<C>[] = [];
    const rests: [part: PartOfUndo<C>, rest: readonly Step<C>[]][] = [];
    const refused: UndoRefusal[] = [];
    for (const part of parts) {
      if (!part.taken.has(seq)) continue;
      if (!part.way.some((step) => step.seq === seq)) {
        refused.push({ seq, refusal: cannotTell(seq) });
        continue;
      }
      const out = this.#takeOut(part.way, seq, part.way.length);
      for (const refusal of out.refused?.refusals ?? [])
        refused.push({ seq, refusal, together: [out.refused?.by ?? seq] });
      inverses.push(...out.inverses);
      rests.push([part, out.rest]);
    }
    if (refused.length === 0) {
      const changes = inverses.toSorted((a, b) => b.place - a.place).map(({ change }) => change);
      const later = rests.flatMap(([, rest]) => rest.map((step) => step.seq)).filter((one) => one > seq);
      for (const refusal of await this.#make(changes))
        refused.push({ seq, refusal, ...laterRecords(new Set(later)) });
    }
    this.#refused.push(...refused);
    if (refused.length > 0 || rests.length === 0) return;
    this.#undone.push(seq);
    for (const [part, rest] of rests) part.way = rest;
  }

  async #make(changes: readonly C[]): Promise<readonly Refusal[]> {
    const { stamp, signal } = this.#request;
    const pace = new Pacer(signal);
    let state = this.#state;
    const made: C[] = [];
    for (const change of changes) {
      const work = this.#slice.prepare?.(state, change);
      if (work !== undefined) await pace.run(work);
      const refusals = this.#slice.refuse(state, change);
      if (refusals.length > 0) return refusals;
      const settled = this.#slice.settle?.(state, change) ?? change;
      made.push(settled);
      state = this.#slice.apply(state, settled, stamp);
      await pace.step();
    }
    this.#state = state;
    this.#changes.push(...made);
    return [];
  }

  /**
   * The way from the oldest record to the present as if undos and restores that were made before, and all they took back, had never been.
   * So what is to be taken back now is seen where it would be, and what comes back finds its place beside what came back earlier.
   */
  #wayOf(
    { part }: SlicePart,
    { records, steps }: PartOfHistory<C>,
    from: number,
    gone: ReadonlyMap<number, number>,
  ): readonly Step<C>[] {
    const restored = new Set<number>();
    for (const record of records) {
      const restore = gone.has(record.seq) ? undefined : restoreOf(this.#slice, record);
      if (restore === undefined) continue;
      // After it the part is what it was: what lies between leads nowhere.
      restored.add(record.seq);
      for (const one of records) if (isRestoredOver(restore, one)) restored.add(one.seq);
    }
    let way: readonly Step<C>[] = steps.filter(({ seq }) => !restored.has(seq));
    const here = new Set(records.map(({ seq }) => seq));
    // What reaches back least comes first: an undo within another's reach must be out of its way. One that is taken back goes with that.
    const undos = records
      .filter(({ seq }) => seq >= from && !gone.has(seq) && !restored.has(seq))
      .map((record) => ({ seq: record.seq, targets: undoneIn(record, this.#slice.name, part) }))
      .map(({ seq, targets }) => ({ seq, targets: targets.filter((target) => here.has(target)) }))
      .map((undo) => ({ ...undo, reach: Math.min(...undo.targets) }))
      .filter(({ targets, reach }) => targets.length > 0 && reach >= from)
      .toSorted((a, b) => b.reach - a.reach || b.seq - a.seq);
    for (const undo of undos) way = this.#without(way, undo);
    return way;
  }

  /** The same way without an undo and what it took back. Left as it is where that cannot be said. */
  #without(
    way: readonly Step<C>[],
    undo: { readonly seq: number; readonly targets: readonly number[] },
  ): readonly Step<C>[] {
    let list = way;
    for (const target of undo.targets.toSorted((a, b) => b - a)) {
      if (!list.some(({ seq }) => seq === target)) continue;
      const end = list.findIndex(({ seq }) => seq === undo.seq);
      const taken = this.#takeOut(list, target, end < 0 ? list.length : end);
      if (taken.refused !== undefined) return way;
      list = taken.rest;
    }
    return list.filter(({ seq }) => seq !== undo.seq);
  }

  /** A record out of a way, as if it had been taken back right before step `border`. `rest` is the whole way without it. */
  #takeOut(way: readonly Step<C>[], seq: number, border: number): TakenOut<C> {
    const first = way.findIndex((step) => step.seq === seq);
    const next = way.findLastIndex((step) => step.seq === seq) + 1;
    const taken = this.#invertOver(way.slice(first, next), way.slice(next, border));
    return { ...taken, rest: [...way.slice(0, first), ...taken.rest, ...way.slice(border)] };
  }

  #invertOver(own: readonly Step<C>[], later: readonly Step<C>[]): TakenOut<C> {
    const inverses: Step<C>[] = [];
    let rest: readonly Step<C>[] = later;
    for (const step of own.toReversed()) {
      let inverse = this.#slice.invert(step.change);
      const without: Step<C>[] = [];
      for (const other of rest) {
        // The two are swapped: the later change as if the record had never been, the inverse on top of it.
        const moved = this.#slice.rebase(inverse, [other.change]);
        const bare = this.#slice.rebase(other.change, [inverse]);
        const by = other.seq;
        if (isRefused(moved)) return { inverses, rest: later, refused: { refusals: moved, by } };
        if (isRefused(bare)) return { inverses, rest: later, refused: { refusals: bare, by } };
        inverse = moved;
        without.push({ ...other, change: bare });
      }
      inverses.push({ ...step, change: inverse });
      rest = without;
    }
    return { inverses, rest };
  }
}

interface TakenOut<C> {
  /** The inverse changes, each as it reads on top of `rest` and of those before it, with the place of what it inverts. */
  readonly inverses: readonly Step<C>[];
  /** The later steps as they read without the record. */
  readonly rest: readonly Step<C>[];
  /** What is in the way, and the record that put it there. */
  readonly refused?: { readonly refusals: readonly Refusal[]; readonly by: number };
}

function isRefused(result: Change | readonly Refusal[]): result is readonly Refusal[] {
  return Array.isArray(result);
}

/** So many later records are named where one of them is in the way and nothing says which. */
const NAMED = 8;

function laterRecords(seqs: ReadonlySet<number>): Pick<UndoRefusal, "together"> {
  return seqs.size === 0 || seqs.size > NAMED ? {} : { together: [...seqs] };
}

/** The record went out of the way together with an undo that has been undone since: what of it is left cannot be said. */
function cannotTell(seq: number): Refusal {
  const message = say`it was undone and brought back among other changes, and cannot be told from them; undo those first`;
  return { key: recordKey(seq), code: "conflict", reason: "changed_since", message };
}
