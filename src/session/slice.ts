// Owns: the contract of a slice: one kind of state (files, tree, gates) that records change and history takes back.

import type { Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { BlobId, Change, Journal, JournalRecord, Key, Position } from "../store/journal.ts";
import type { Steps } from "../text/steps.ts";

/** Where and by whom a record was made; what `apply` may know besides the change. */
export interface Stamp {
  /** A state keeps this very object: the hash of a record that is not committed yet is filled in later. */
  readonly at: Position;
  /** When. */
  readonly time: Date;
  /** Who made the change. */
  readonly agent: string;
}

export function stampOf({ seq, hash, time, agent }: Position & Pick<Stamp, "time" | "agent">): Stamp {
  return { at: { seq, hash }, time, agent };
}

/** Why a change cannot be applied to a state, in words for the caller. */
export interface Refusal {
  /** What is in the way, by its key. */
  readonly key: Key;
  /** The file that is in the way, where that is another one. */
  readonly by?: WorkspacePath;
  /** `not_found` where something is missing, `conflict` where something is in the way. */
  readonly code: "not_found" | "conflict";
  /** Why, as a word to compare with. */
  readonly reason: Lowercase<string>;
  /** What is in the way, and what to do. */
  readonly message: Shown;
}

/** What differs between two states, one entry for each thing that differs. */
export interface SliceDiff {
  /** What came, by name. */
  readonly added: readonly Shown[];
  /** What changed, by name. */
  readonly changed: readonly Shown[];
  /** What went, by name. */
  readonly removed: readonly Shown[];
}

/** Records to take back, as one slice is asked for it. */
export interface UndoRequestOf<S> {
  /** Where older records are read from. */
  readonly journal: Journal;
  /** What bounds the session. */
  readonly limits: Limits;
  /** The state after the newest record there is. */
  readonly state: S;
  /** Where the undo will be in the journal. */
  readonly stamp: Stamp;
  /** The records, newest first, each with its changes of this slice. */
  readonly records: readonly RecordOf[];
  /** Only this part of the slice. */
  readonly scope?: string;
  /** Ends the work early: it throws `conflict` / `aborted`. */
  readonly signal?: AbortSignal;
}

/** A record with the changes of one slice. */
export interface RecordOf {
  /** The record. */
  readonly record: JournalRecord;
  /** Its changes of this slice, in order. */
  readonly changes: readonly Change[];
}

/** What taking records back comes to in one slice. */
export interface SliceUndo<C> {
  /** The records that are taken back by `changes`. */
  readonly undone: readonly number[];
  /** The changes that take the records back. */
  readonly changes: readonly C[];
  /** Records that cannot be taken back. `together`: taken back with these, they can. */
  readonly refused: readonly UndoRefusal[];
  /** Records that do not stand, and the undos or restores because of which they do not. */
  readonly gone: readonly { readonly seq: number; readonly by: readonly number[] }[];
  /** Records that do not stand in a part which `changes` change, though they may be taken back elsewhere. */
  readonly passed?: readonly PassedRecord[];
}

/** A record that does not stand in a part of a slice: an undo leaves it there as it is. */
export interface PassedRecord {
  /** The record. */
  readonly seq: number;
  /** The slice. */
  readonly slice: string;
  /** The part, as {@link Slice.part} names it. */
  readonly part: string;
}

/** Why a record cannot be taken back. */
export interface UndoRefusal {
  /** The record. */
  readonly seq: number;
  /** What is in the way. */
  readonly refusal: Refusal;
  /** Records that can be taken back together with it. */
  readonly together?: readonly number[];
}

/**
 * One kind of state, and how it changes. `apply` is pure and total on recorded changes: `refuse` says first whether a change may be
 * made. Every access through a reader reports the key it depends on, so that the commit can check it. A method that throws fails the call
 * or the opening that asked it: refuse with {@link Refusal} instead.
 *
 * Changes are plain JSON data. They come to `refuse` and `apply` as frozen copies that equal what is stored: without fields that are
 * undefined, and with 0 for -0. What JSON cannot hold, from a tool, `undo` or `between`, is a `TypeError` that names the field.
 *
 * @example
 * interface Add extends Change { readonly by: number }
 * const changes: Rebasable<number, Add> = {
 *   name: "counter",
 *   apply: (count, { by }) => count + by,
 *   refuse: () => [],
 *   invert: (change) => ({ ...change, by: -change.by }),
 *   rebase: (change) => change,
 * };
 * const counter: Slice<number, Add, number> = {
 *   ...changes,
 *   empty: () => 0,
 *   reader: (count, read) => (read("counter"), count),
 *   undo: undoByRebase(changes),
 *   between: (from, to) => (from === to ? [] : [{ slice: "counter", op: "add", by: to - from }]),
 *   keys: () => ["counter"],
 *   blobs: () => [],
 *   weigh: () => ({ bytes: 0, files: 0 }),
 *   diff: (from, to) => ({ added: [], changed: from === to ? [] : [say`counter`], removed: [] }),
 *   *encode(count) { yield new TextEncoder().encode(String(count)); },
 *   async decode(chunks) {
 *     let text = "";
 *     for await (const chunk of chunks) text += new TextDecoder().decode(chunk);
 *     return Number(text);
 *   },
 * };
 * const session = await openSession({ slices: [counter], tools: [countTool] });
 *
 * A tool reads it with `ctx.slice(counter)` and changes it with `ctx.change(counter, { slice: "counter", op: "add", by: 1 })`.
 */
export interface Slice<S, C extends Change, R> {
  /** What names it; also in every change. Never change it: it is stored. */
  readonly name: string;
  /** The state before the first record. */
  empty(): S;
  /** What tools see of the state. `read` must be told every key that is looked at: a key that is not is not checked at the commit. */
  reader(state: S, read: (key: Key) => void): R;
  /**
   * The state after a change. Must not change `state`: keep what is equal, since many states are held at once. Must never throw for a
   * recorded change: the session could not be opened. Called for every record that is replayed, so it should cost what changes.
   */
  apply(state: S, change: C, at: Stamp): S;
  /**
   * Works out in steps what `refuse` and `apply` of this change on this state would work out at once, where that can take
   * long; they then return soon. `undefined`: nothing to prepare.
   */
  prepare?(state: S, change: C): Steps<void> | undefined;
  /**
   * What taking records back comes to. A slice whose changes can be inverted and rebased has `undoByRebase` for it. What cannot be taken
   * back goes into `refused`, with a reason for the caller, and is never thrown. May read the journal.
   */
  undo(request: UndoRequestOf<S>): Promise<SliceUndo<C>>;
  /**
   * Changes that turn `from` into `to`, within `scope` if one is given: what restore and reset make. `undefined` is a pause, where finding
   * the next takes long. From `empty()` on, they name every blob that a state needs: retention drops all others.
   */
  between(from: S, to: S, scope?: string): Iterable<C | undefined>;
  /** The same, where the changes remember that `to` is restored, and that it is the state after record `seq`. May read the journal. */
  restore?(
    from: S,
    to: S,
    seq: number,
    scope: string | undefined,
    journal: Journal,
  ): Iterable<C | undefined> | AsyncIterable<C | undefined>;
  /** What is in the way of a change; empty: nothing. Its message is what the caller reads, with its code and reason. */
  refuse(state: S, change: C): readonly Refusal[];
  /** What is in the way of several changes that are made as one; without it, what is in the way of each after those before it. */
  refuseAllSteps?(state: S, changes: readonly C[]): Steps<readonly Refusal[]>;
  /**
   * The keys that the change touches when applied to `state`: calls that read one of them meanwhile run again, and those that named its
   * version are refused with `stale_version`.
   */
  keys(state: S, change: C): readonly Key[];
  /**
   * The part of the slice that the change is in, such as the id of a tree: changes in two parts never concern each other. A restore takes
   * records back in the parts that it changes, and a record may stand in some of its parts. Without it the slice is one: a restore takes
   * back as a whole those records that touched one of its keys. A slice that is restored by `scope` needs it.
   */
  part?(change: C): string;
  /** Blobs the change refers to. One that is left out is not made durable, and is lost. */
  blobs(change: C): readonly BlobId[];
  /** Blobs that a state refers to beyond those of `between`: retention keeps them. */
  held?(state: S): Iterable<BlobId>;
  /** What the change adds to the session's quota when applied to `state`. Beyond the limits the commit is refused with `over_quota`. */
  weigh(state: S, change: C): { readonly bytes: number; readonly files: number };
  /** What differs between two states; only in one part of them when `scope` is given. Should cost what differs. */
  diff(from: S, to: S, scope?: string): SliceDiff;
  /** The same in steps, where that can take long. */
  diffSteps?(from: S, to: S, scope?: string): Steps<SliceDiff>;
  /** The same state, sharing with `onto` whatever is equal, so that the two can be compared at the cost of what differs. */
  graftSteps?(state: S, onto: S): Steps<S>;
  /** The state as bytes, in chunks: a checkpoint, written after every `checkpointBytes` of changes. Equal states have equal bytes. */
  encode(state: S): Iterable<Uint8Array>;
  /** Reads what `encode` wrote, also by earlier versions. */
  decode(chunks: AsyncIterable<Uint8Array>): Promise<S>;
}

/** A slice of any kind, where only its name matters. */
// oxlint-disable-next-line no-explicit-any -- a registry of slices cannot name each one's types
export type AnySlice = Slice<any, any, any>;
