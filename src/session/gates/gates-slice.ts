// Owns: gate sets as a slice: their pure changes, with the place in history at which each set last changed.

import type { Shown } from "../../errors.ts";
import {
  applyGateChange,
  decodeGateSets,
  encodeGateSets,
  gateChangesBetween,
  gateSetKey,
  invertGateChange,
  NO_GATE_SETS,
  rebaseGateChange,
  refuseGateChange,
  type GateChange,
  type GateRecord,
  type GateRefusal,
  type GateSets,
} from "../../gates/index.ts";
import type { Key, Position } from "../../store/journal.ts";
import type { Refusal, Slice, SliceDiff } from "../slice.ts";
import { undoByRebase, type Rebasable } from "../undo-by-rebase.ts";

export interface GatesState {
  readonly sets: GateSets;
  /** The record that last changed a set, also one that has been taken away since. */
  readonly at: ReadonlyMap<string, Position>;
}

/** What tools see of the gate sets. */
export interface GatesReader {
  set(name: string): GateRecord | undefined;
  /** All sets as a value to make a change from. */
  sets(name: string): GateSets;
  at(name: string): Position | undefined;
}

const NO_WEIGHT = Object.freeze({ bytes: 0, files: 0 });

const changes: Rebasable<GatesState, GateChange> = {
  name: "gates",
  apply: (state, change, stamp) => ({
    sets: applyGateChange(state.sets, change),
    at: new Map(state.at).set(change.set, stamp.at),
  }),
  refuse: (state, change) => refuseGateChange(state.sets, change).map(refusalOf),
  part: ({ set }) => set,
  invert: invertGateChange,
  rebase(change, since) {
    const rebased = rebaseGateChange(change, since);
    return isChange(rebased) ? rebased : rebased.map(refusalOf);
  },
};

export const gatesSlice: Slice<GatesState, GateChange, GatesReader> = {
  ...changes,
  empty: () => ({ sets: NO_GATE_SETS, at: new Map() }),
  reader: (state, read) => new GatesView(state, read),
  undo: undoByRebase(changes),
  between: (from, to, scope) => gateChangesBetween(from.sets, to.sets, scope),
  keys: (_state, change) => [gateSetKey(change.set)],
  blobs: () => [],
  weigh: () => NO_WEIGHT,
  diff: diffGates,
  encode: encodeGates,
  decode: decodeGates,
};

function isChange(rebased: GateChange | readonly GateRefusal[]): rebased is GateChange {
  return !Array.isArray(rebased);
}

/** Whether a key is that of a gate set. */
export function isGateKey(key: Key): boolean {
  return key.startsWith(gateSetKey(""));
}

class GatesView implements GatesReader {
  readonly #state: GatesState;
  readonly #read: (key: Key) => void;

  constructor(state: GatesState, read: (key: Key) => void) {
    this.#state = state;
    this.#read = read;
  }

  set(name: string): GateRecord | undefined {
    this.#read(gateSetKey(name));
    return this.#state.sets.get(name);
  }

  sets(name: string): GateSets {
    this.#read(gateSetKey(name));
    return this.#state.sets;
  }

  at(name: string): Position | undefined {
    this.#read(gateSetKey(name));
    return this.#state.at.get(name);
  }
}

function refusalOf({ key, reason, message }: GateRefusal): Refusal {
  return { key, code: "conflict", reason, message };
}

function diffGates(from: GatesState, to: GatesState, scope?: string): SliceDiff {
  const lists = { added: [] as Shown[], changed: [] as Shown[], removed: [] as Shown[] };
  for (const { set, before, after } of gateChangesBetween(from.sets, to.sets, scope)) {
    const list = before === null ? lists.added : after === null ? lists.removed : lists.changed;
    list.push(set as Shown);
  }
  return lists;
}

function* encodeGates(state: GatesState): Generator<Uint8Array, void, undefined> {
  const places = new TextEncoder().encode(`${JSON.stringify([...state.at])}\n`);
  yield places;
  yield encodeGateSets(state.sets);
}

async function decodeGates(chunks: AsyncIterable<Uint8Array>): Promise<GatesState> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  const end = text.indexOf("\n");
  return {
    at: new Map(JSON.parse(text.slice(0, end)) as [string, Position][]),
    sets: decodeGateSets(new TextEncoder().encode(text.slice(end + 1))),
  };
}
