// Owns: the whole state of a session at one position, and how a record turns it into the next.

import type { BlobId, Change, Journal, Position } from "../store/journal.ts";
import type { AnySlice, Stamp } from "./slice.ts";

/** Immutable. Old states stay whole: a call reads one state from its first to its last line. */
export interface SessionState {
  readonly at: Position;
  readonly slices: ReadonlyMap<string, unknown>;
}

/** The slices a session is made of, by name. */
export type SliceSet = ReadonlyMap<string, AnySlice>;

export type Parts = ReadonlyMap<BlobId, Uint8Array>;

export const NO_PARTS: Parts = new Map();

export function sliceSet(slices: readonly AnySlice[]): SliceSet {
  return new Map(slices.map((slice) => [slice.name, slice]));
}

export function emptyState(slices: SliceSet, at: Position): SessionState {
  return { at, slices: new Map([...slices].map(([name, slice]) => [name, slice.empty()])) };
}

export function sliceOf(slices: SliceSet, name: string): AnySlice {
  const slice = slices.get(name);
  if (slice === undefined) throw new RangeError(`no slice is named ${JSON.stringify(name)}`);
  return slice;
}

/** The state after `changes`, standing at `stamp`. */
export function applyChanges(
  slices: SliceSet,
  state: SessionState,
  changes: readonly Change[],
  stamp: Stamp,
  parts: Parts = NO_PARTS,
): SessionState {
  const next = new Map(state.slices);
  for (const change of changes) {
    const slice = sliceOf(slices, change.slice);
    next.set(change.slice, slice.apply(next.get(change.slice), change, stamp, parts));
  }
  return { at: stamp.at, slices: next };
}

/** Loads the bytes that applying `changes` needs. */
export async function loadParts(
  slices: SliceSet,
  journal: Journal,
  changes: readonly Change[],
): Promise<Parts> {
  let parts: Map<BlobId, Uint8Array> | undefined;
  for (const change of changes)
    for (const extent of sliceOf(slices, change.slice).parts(change)) {
      parts ??= new Map();
      const bytes = new Uint8Array(extent[2]);
      const source = await journal.source({ size: extent[2], extents: [extent] });
      try {
        source.read(0, bytes, 0, bytes.length);
      } finally {
        source.close();
      }
      parts.set(extent[0], bytes);
    }
  return parts ?? NO_PARTS;
}
