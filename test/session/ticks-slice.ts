// Owns: a second slice beside the one under test: one number. It changes on its own and is checkpointed at other places.

import type { Change } from "../../src/store/journal.ts";
import type { Slice } from "../../src/session/slice.ts";
import { undoByRebase, type Rebasable } from "../../src/session/undo-by-rebase.ts";
import { say } from "../../src/errors.ts";

interface Tick extends Change {
  readonly slice: "ticks";
  readonly op: "tick";
  readonly by: number;
}

const changes: Rebasable<number, Tick> = {
  name: "ticks",
  apply: (state, { by }) => state + by,
  refuse: () => [],
  invert: (change) => ({ ...change, by: -change.by }),
  // Sums do not care about their order.
  rebase: (change) => change,
};

export const ticksSlice: Slice<number, Tick, number> = {
  ...changes,
  empty: () => 0,
  reader: (state) => state,
  undo: undoByRebase(changes),
  between: (from, to) => (from === to ? [] : [{ slice: "ticks", op: "tick", by: to - from }]),
  keys: () => ["ticks"],
  blobs: () => [],
  weigh: () => ({ bytes: 0, files: 0 }),
  diff: (from, to) => ({ added: [], changed: from === to ? [] : [say`ticks`], removed: [] }),
  encode: (state) => [new TextEncoder().encode(String(state).padStart(3_000))],
  async decode(chunks) {
    let text = "";
    for await (const chunk of chunks) text += new TextDecoder().decode(chunk);
    return Number(text);
  },
};
