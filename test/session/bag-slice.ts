// Owns: a slice that holds whatever its changes hold, so that a difference between live and stored state shows.

import { say } from "../../src/errors.ts";
import type { Slice } from "../../src/session/slice.ts";
import { undoByRebase, type Rebasable } from "../../src/session/undo-by-rebase.ts";
import type { Change } from "../../src/store/journal.ts";

export interface BagChange extends Change {
  readonly slice: "bag";
  readonly op: "put" | "take";
  readonly data: unknown;
}

export type Bag = readonly unknown[];

/** `inverse` makes the data of the change that takes one back. */
export function bagSlice(inverse: (data: unknown) => unknown = (data) => data): Slice<Bag, BagChange, Bag> {
  const changes: Rebasable<Bag, BagChange> = {
    name: "bag",
    apply: (bag, { op, data }) => (op === "put" ? [...bag, data] : bag.slice(0, -1)),
    refuse: () => [],
    invert: (change) => ({ ...change, op: "take", data: inverse(change.data) }),
    rebase: (change) => change,
  };
  return {
    ...changes,
    empty: () => [],
    reader: (bag, read) => (read("bag"), bag),
    undo: undoByRebase(changes),
    *between(from, to) {
      for (const data of from) yield { slice: "bag", op: "take", data };
      for (const data of to) yield { slice: "bag", op: "put", data: inverse(data) };
    },
    keys: () => ["bag"],
    blobs: () => [],
    weigh: () => ({ bytes: 0, files: 0 }),
    diff: (from, to) => ({ added: [], changed: from === to ? [] : [say`bag`], removed: [] }),
    encode: (bag) => [new TextEncoder().encode(JSON.stringify(bag))],
    async decode(chunks) {
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      return JSON.parse(Buffer.concat(all).toString()) as Bag;
    },
  };
}
