// Owns: the contract of a slice: one kind of state (files, tree, gates) that records change and history takes back.

import type { Shown } from "../errors.ts";
import type { Steps } from "../text/steps.ts";
import type { BlobId, Change, Extent, Journal, Key, Position } from "../store/journal.ts";

/** Where and by whom a record was made; what `apply` may know besides the change. */
export interface Stamp {
  /** A state keeps this very object: the hash of a record that is not committed yet is filled in later. */
  readonly at: Position;
  readonly time: Date;
  readonly agent: string;
}

export function stampOf({ seq, hash, time, agent }: Position & Pick<Stamp, "time" | "agent">): Stamp {
  return { at: { seq, hash }, time, agent };
}

/** Why a change cannot be applied to a state, in words for the caller. */
export interface Refusal {
  readonly key: Key;
  /** `not_found` where something is missing, `conflict` where something stands in the way. */
  readonly code: "not_found" | "conflict";
  readonly reason: Lowercase<string>;
  readonly message: Shown;
}

/** Which of two additions at one place comes first. */
export type Side = "before" | "after";

/** What differs between two states, one entry for each thing that differs. */
export interface SliceDiff {
  readonly added: readonly Shown[];
  readonly changed: readonly Shown[];
  readonly removed: readonly Shown[];
}

/**
 * `apply` is pure and total on recorded changes: `refuse` answers first whether a change may be made. Every access
 * through a reader reports the key it depends on, so that the commit can check it.
 */
export interface Slice<S, C extends Change, R> {
  readonly name: string;
  readonly history: boolean;
  empty(): S;
  reader(state: S, read: (key: Key) => void): R;
  apply(state: S, change: C, at: Stamp, parts: ReadonlyMap<BlobId, Uint8Array>): S;
  /**
   * Works out in steps what `refuse`, `settle` and `apply` of this change on this state would work out at once, where that
   * can take long; they then answer soon. `undefined`: nothing to prepare.
   */
  prepare?(state: S, change: C): Steps<void> | undefined;
  /** The extents, each within one blob, whose bytes `apply` needs; they are found in `parts` by blob. */
  parts(change: C): readonly Extent[];
  invert(change: C): C;
  /**
   * The change as it must read on top of `since`, or why that cannot be. Where both only add at one place, `side` says
   * whether what the change adds comes before or after what they added; after, unless told.
   */
  rebase(change: C, since: readonly C[], side?: Side): C | readonly Refusal[];
  /**
   * The change with what it remembers of the past as `state` has it, so that its own inverse leads back exactly. Asked of
   * changes that were not made from `state` itself, after `refuse` had nothing against them.
   */
  settle?(state: S, change: C): C;
  /** Changes that turn `from` into `to`, within `scope` if one is given. */
  between(from: S, to: S, scope?: string): Iterable<C>;
  /** The same with pauses (`undefined`), where finding the next change can take long. */
  betweenSteps?(from: S, to: S, scope?: string): Iterable<C | undefined>;
  refuse(state: S, change: C): readonly Refusal[];
  /** Whether a change only takes out what stands somewhere, and so has one place, whatever was undone around it. */
  takesOut?(change: C): boolean;
  /** What `refuse` cannot see without reading. Asked of changes that were carried over all records after `since`. */
  confirm?(state: S, change: C, journal: Journal, since: number): Promise<readonly Refusal[]>;
  /** The keys that the change touches when applied to `state`. */
  keys(state: S, change: C): readonly Key[];
  /** Blobs the change refers to. */
  blobs(change: C): readonly BlobId[];
  /** What the change adds to the session's quota when applied to `state`. */
  weigh(state: S, change: C): { readonly bytes: number; readonly files: number };
  diff(from: S, to: S, scope?: string): SliceDiff;
  /** The same state, sharing with `onto` whatever is equal, so that the two can be compared at the cost of what differs. */
  graft?(state: S, onto: S): S;
  encode(state: S): Iterable<Uint8Array>;
  decode(chunks: AsyncIterable<Uint8Array>): Promise<S>;
}

/** A slice of any kind, where only its name matters. */
// oxlint-disable-next-line no-explicit-any -- a registry of slices cannot name each one's types
export type AnySlice = Slice<any, any, any>;
