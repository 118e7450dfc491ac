// Owns: undo for slices whose changes can be inverted and rebased: a record's inverse is carried over all that came later.

import { say } from "../errors.ts";
import type { Change, JournalRecord, Key } from "../store/journal.ts";
import { Pacer } from "../text/steps.ts";
import type { Steps } from "../text/steps.ts";
import { changesOf } from "./packed-changes.ts";
import { recordKey, undoneBy } from "./record-keys.ts";
import type { Refusal, SliceUndo, Stamp, UndoRefusal, UndoRequestOf } from "./slice.ts";
import { neededFor, takenBack, takenAmong, type TakenBack } from "./undo-records.ts";

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
  readonly change: C;
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
    const needed = await neededFor(journal, Math.min(...chosen), stamp.at.seq - 1, keys);
    const { gone } = takenBack(needed.heads);
    const taken = takenAmong(needed.heads, chosen);
    const { twice } = takenBack(needed.heads, taken);
    if (twice.length > 0) this.#refuseTwice(twice, taken);
    else await this.#takeAll(needed.records, needed.from, taken);
    return {
      undone: this.#undone,
      changes: this.#changes,
      refused: this.#refused,
      gone: [...chosen].filter((seq) => !taken.has(seq)).map((seq) => ({ seq, by: [gone.get(seq) ?? 0] })),
    };
  }

  /**
   * Undoing an undo can make an older undo stand again. If what that one took back was taken back by another meanwhile,
   * two undos would take back one record, and what it did would come back twice.
   */
  #refuseTwice(twice: TakenBack["twice"], chosen: ReadonlySet<number>): void {
    const [seq = 0] = chosen;
    for (const { target, by, other } of twice)
      this.#refused.push({
        seq,
        refusal: {
          key: recordKey(target),
          code: "conflict",
          reason: "undone_twice",
          message: say`record ${target} would be undone by record ${other} again, and is by record ${by}; undo that one first`,
        },
      });
  }

  async #takeAll(
    records: readonly JournalRecord[],
    from: number,
    chosen: ReadonlySet<number>,
  ): Promise<void> {
    const { journal } = this.#request;
    const history: Step<C>[] = [];
    for (const { seq, ...record } of records)
      for (const change of await changesOf(journal, { seq, ...record }))
        if (change.slice === this.#slice.name) history.push({ seq, change: change as C });
    let way = this.#withoutEarlierUndos(history, records, from, chosen);
    for (const { seq } of records.toReversed()) {
      if (!chosen.has(seq) || !history.some((step) => step.seq === seq)) continue;
      if (!way.some((step) => step.seq === seq)) {
        this.#refused.push({ seq, refusal: cannotTell(seq) });
        continue;
      }
      const taken = this.#takeRecord(way, seq, way.length);
      const refusals = taken.refusals ?? (await this.#make(taken.inverses));
      for (const refusal of refusals) this.#refused.push({ seq, refusal });
      if (refusals.length > 0) continue;
      this.#undone.push(seq);
      way = taken.rest;
    }
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
   * The same way as if undos that were made before, and all they took back, had never been. So what is to be taken back
   * now is seen where it would be, and what comes back finds its place beside what came back earlier.
   */
  #withoutEarlierUndos(
    history: readonly Step<C>[],
    records: readonly JournalRecord[],
    from: number,
    chosen: ReadonlySet<number>,
  ): readonly Step<C>[] {
    let way = history;
    const gone = new Set<number>();
    // What reaches back least comes first: an undo within another's reach must be out of its way.
    const undos = records
      .map((record) => ({ seq: record.seq, targets: undoneBy(record), reach: Math.min(...undoneBy(record)) }))
      .filter(({ seq, targets, reach }) => targets.length > 0 && !chosen.has(seq) && reach >= from)
      .toSorted((a, b) => b.reach - a.reach || b.seq - a.seq);
    for (const undo of undos) {
      if (gone.has(undo.seq)) continue;
      way = this.#without(way, undo);
      // Also where it had to stay: an undo that is taken back is no undo, whatever became of the one that did it.
      for (const target of undo.targets) gone.add(target);
    }
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
      const taken = this.#takeRecord(list, target, end < 0 ? list.length : end);
      if (taken.refusals !== undefined) return way;
      list = taken.rest;
    }
    return list.filter(({ seq }) => seq !== undo.seq);
  }

  /** A record out of a way, as if it had been taken back right before step `border`. `rest` is the whole way without it. */
  #takeRecord(way: readonly Step<C>[], seq: number, border: number): TakenOut<C> {
    const first = way.findIndex((step) => step.seq === seq);
    const next = way.findLastIndex((step) => step.seq === seq) + 1;
    const own = way.slice(first, next).map(({ change }) => change);
    const taken = this.#takeBack(own, way.slice(next, border));
    return { ...taken, rest: [...way.slice(0, first), ...taken.rest, ...way.slice(border)] };
  }

  #takeBack(changes: readonly C[], later: readonly Step<C>[]): TakenOut<C> {
    const inverses: C[] = [];
    let rest: readonly Step<C>[] = later;
    for (const change of changes.toReversed()) {
      let inverse = this.#slice.invert(change);
      const without: Step<C>[] = [];
      for (const { seq, change: other } of rest) {
        // The two are swapped: the later change as if the record had never been, the inverse on top of it.
        const moved = this.#slice.rebase(inverse, [other]);
        const bare = this.#slice.rebase(other, [inverse]);
        if (isRefused(moved)) return { inverses, rest: later, refusals: moved };
        if (isRefused(bare)) return { inverses, rest: later, refusals: bare };
        inverse = moved;
        without.push({ seq, change: bare });
      }
      inverses.push(inverse);
      rest = without;
    }
    return { inverses, rest };
  }
}

interface TakenOut<C> {
  /** The inverse changes, each as it reads on top of `rest` and of those before it. */
  readonly inverses: readonly C[];
  /** The later steps as they read without the record. */
  readonly rest: readonly Step<C>[];
  readonly refusals?: readonly Refusal[];
}

function isRefused(result: Change | readonly Refusal[]): result is readonly Refusal[] {
  return Array.isArray(result);
}

/** The record went out of the way together with an undo that has been undone since: what of it is left cannot be said. */
function cannotTell(seq: number): Refusal {
  const message = say`it was undone and brought back among other changes, and cannot be told from them; undo those first`;
  return { key: recordKey(seq), code: "conflict", reason: "changed_since", message };
}
