// Owns: the whole state of a session at one position, and how a record turns it into the next.

import { echo, HoldfastError, say } from "../errors.ts";
import type { Change, Position } from "../store/journal.ts";
import type { AnySlice, Stamp } from "./slice.ts";

/** Immutable. Old states stay whole: a call reads one state from its first to its last line. */
export interface SessionState {
  /** The newest record in it. */
  readonly at: Position;
  /** Each kind of state by its name. */
  readonly slices: ReadonlyMap<string, unknown>;
}

/** The slices a session is made of, by name. */
export type SliceSet = ReadonlyMap<string, AnySlice>;

/** The names of the slices of the house: their changes are made as plain JSON, and no slice of a host's has one of these. */
export const OWN_SLICES: ReadonlySet<string> = new Set([
  "files",
  "gates",
  "tree",
  "landings",
  "policy",
  "folders",
]);

export function sliceSet(slices: readonly AnySlice[]): SliceSet {
  return new Map(slices.map((slice) => [slice.name, slice]));
}

export function emptyState(slices: SliceSet, at: Position): SessionState {
  return { at, slices: new Map([...slices].map(([name, slice]) => [name, slice.empty()])) };
}

/** A record of a kind of state that this opening does not know. */
export function noSlice(name: string): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "slice_missing",
    say`The session holds state of the slice ${echo(name)}, which was not given. Open it with that slice in the option slices.`,
  );
}

export function sliceOf(slices: SliceSet, name: string): AnySlice {
  const slice = slices.get(name);
  if (slice === undefined) throw noSlice(name);
  return slice;
}

/** The state after `changes`, at `stamp`. */
export function applyChanges(
  slices: SliceSet,
  state: SessionState,
  changes: readonly Change[],
  stamp: Stamp,
): SessionState {
  const next = new Map(state.slices);
  for (const change of changes) {
    const slice = sliceOf(slices, change.slice);
    next.set(change.slice, slice.apply(next.get(change.slice), change, stamp));
  }
  return { at: stamp.at, slices: next };
}
