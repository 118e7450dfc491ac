// Owns: what one call has read and changed so far, on one state. Nothing here is visible to others before the commit.

import { HoldfastError, say, sayClauses, type Shown } from "../errors.ts";
import type { BlobId, Change, Expectation, Key } from "../store/journal.ts";
import { takeFromCode } from "../text/code-json.ts";
import { Pacer, runPaced, type Steps } from "../text/steps.ts";
import type { AnySlice, Refusal, Slice, Stamp } from "./slice.ts";
import { OWN_SLICES, sliceOf, type SessionState, type SliceSet } from "./state.ts";

/** Thrown by a plan that has found its state too old to go on: it is run again on a newer one. */
export class StaleDraft extends Error {}

/** Changes that were taken already. */
const taken = new WeakSet<Change>();

/**
 * A change as it will be read back: what a host's slice is given has to be plain JSON, and is copied, since the live state is made of
 * it now and the stored one of its text later. Throws a TypeError for what JSON cannot hold.
 */
export function takeChange(change: Change, name: string = change.slice): Change {
  if (OWN_SLICES.has(name) || taken.has(change)) return change;
  const copy = takeFromCode(change, `a change of the slice "${name}"`, { freeze: true }) as unknown as Change;
  taken.add(copy);
  return copy;
}

/** A call's own view: the state it began with, plus its own changes. */
export class Draft {
  readonly base: SessionState;
  readonly changes: Change[] = [];
  readonly touched: Set<Key> = new Set();
  readonly reads: Set<Key> = new Set();
  readonly blobs: Set<BlobId> = new Set();
  /** Targets that show only while running, beside those the caller named. */
  readonly targets: Key[] = [];
  bytes = 0;
  files = 0;
  /** Where the commit will be, if no other comes first. */
  readonly stamp: Stamp;
  readonly #slices: SliceSet;
  readonly #read: (key: Key) => void;
  /** The hash is not known yet. */
  readonly #place: { readonly seq: number; hash: string };
  #working: Map<string, unknown> | undefined;

  /** `notesReads` is false for a call that commits nothing and that no live folder concerns: then nobody asks what it read. */
  constructor(slices: SliceSet, base: SessionState, time: Date, agent: string, notesReads = true) {
    this.#read = notesReads ? (key) => void this.reads.add(key) : () => {};
    this.#slices = slices;
    this.base = base;
    this.#place = { seq: base.at.seq + 1, hash: "" };
    this.stamp = { at: this.#place, time, agent };
  }

  /** A draft of the record right after this one's, if both are committed together. */
  after(time: Date, agent: string): Draft {
    return new Draft(this.#slices, { at: this.#place, slices: this.made.slices }, time, agent);
  }

  /** Nothing to commit: no change, and no key touched without one. */
  get isEmpty(): boolean {
    return this.changes.length === 0 && this.touched.size === 0;
  }

  reader<S, C extends Change, R>(slice: Slice<S, C, R>): R {
    return slice.reader(this.#stateOf(slice) as S, this.#read);
  }

  /** A slice's state as this draft has made it. What is read of it is not recorded: name it with `depend`. */
  state<S, C extends Change, R>(slice: Slice<S, C, R>): S {
    return this.#stateOf(slice) as S;
  }

  /** What the call depends on beyond what its readers have reported. */
  depend(keys: Iterable<Key>): void {
    for (const key of keys) this.reads.add(key);
  }

  #stateOf(slice: AnySlice): unknown {
    return (this.#working ?? this.base.slices).get(slice.name);
  }

  /** Works out in steps what a large change will need, if what this returns is the next one made here. */
  async prepare(given: Change): Promise<Change> {
    const change = takeChange(given);
    const slice = sliceOf(this.#slices, change.slice);
    const work = slice.prepare?.(this.#stateOf(slice), change);
    if (work !== undefined) await runPaced(work);
    return change;
  }

  /** Makes all changes as one, or none and returns what there is against it. */
  async changeAll(given: readonly Change[]): Promise<readonly Refusal[]> {
    const pace = new Pacer();
    const changes = given.map((change) => takeChange(change));
    for (const name of new Set(changes.map((change) => change.slice))) {
      const slice = sliceOf(this.#slices, name);
      const state = this.#stateOf(slice);
      const own = changes.filter((change) => change.slice === name);
      const refusals = await pace.run(
        slice.refuseAllSteps?.(state, own) ?? refuseEachSteps(slice, state, own, this.stamp),
      );
      if (refusals.length > 0) return refusals;
    }
    for (const change of changes) {
      this.#make(change);
      await pace.step();
    }
    return [];
  }

  /** Makes a change in this draft. Later reads see it. Throws what `refuse` says against it. */
  change(given: Change): void {
    const change = takeChange(given);
    const slice = sliceOf(this.#slices, change.slice);
    const refusals = slice.refuse(this.#stateOf(slice), change);
    if (refusals.length > 0) throw refusalError(refusals);
    this.#make(change);
  }

  /** Makes a change that there is nothing against. */
  #make(change: Change): void {
    const slice = sliceOf(this.#slices, change.slice);
    const state = this.#stateOf(slice);
    for (const key of slice.keys(state, change)) this.touched.add(key);
    for (const blob of slice.blobs(change)) this.blobs.add(blob);
    const weight = slice.weigh(state, change);
    this.bytes += weight.bytes;
    this.files += weight.files;
    this.#working ??= new Map(this.base.slices);
    this.#working.set(slice.name, slice.apply(state, change, this.stamp));
    this.changes.push(change);
  }

  /** Takes all changes back. What was read stays noted. */
  clear(): void {
    this.changes.length = 0;
    this.targets.length = 0;
    this.touched.clear();
    this.blobs.clear();
    this.bytes = 0;
    this.files = 0;
    this.#working = undefined;
  }

  /** The state as this draft has made it so far. */
  get made(): SessionState {
    return { at: this.base.at, slices: this.#working ?? this.base.slices };
  }

  /** The state as this draft has made it, now that it is committed right after `base` and has its hash. */
  committed(hash: string): SessionState {
    this.#place.hash = hash;
    return { at: this.#place, slices: this.#working ?? this.base.slices };
  }

  /** What must still hold when the changes are committed: nothing that was read has moved since `base`. */
  expectations(pinned: readonly Expectation[]): Expectation[] {
    const { seq } = this.base.at;
    const named = new Set(pinned.map((pin) => pin.key));
    const out = [...pinned];
    for (const key of this.reads) if (!named.has(key)) out.push({ key, seq, pinned: false });
    return out;
  }
}

/** What is in the way of the first change that is refused on the state that those before it make. */
function* refuseEachSteps(
  slice: AnySlice,
  state: unknown,
  changes: readonly Change[],
  stamp: Stamp,
): Steps<readonly Refusal[]> {
  let made = state;
  for (const [i, change] of changes.entries()) {
    const refusals = slice.refuse(made, change);
    if (refusals.length > 0) return refusals;
    if (i < changes.length - 1) made = slice.apply(made, change, stamp);
    yield;
  }
  return [];
}

/** One error for all refusals, under the code and reason of the first. */
export function refusalError(refusals: readonly Refusal[]): HoldfastError {
  const [first] = refusals;
  if (first === undefined) throw new RangeError("no refusal to report");
  const message = say`${sayClauses(refusals.map((refusal) => refusal.message))}.`;
  return new HoldfastError(first.code, first.reason, message, {
    data: {
      refusals: refusals.map(({ reason, message }) => ({
        reason: reason as Lowercase<string> & Shown,
        message,
      })),
    },
  });
}
