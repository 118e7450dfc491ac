// Owns: a second slice beside the one under test: one number. It changes on its own and is checkpointed at other places.

import type { Change } from "../../src/store/journal.ts";
import type { Slice } from "../../src/session/slice.ts";
import { say } from "../../src/errors.ts";

interface Tick extends Change {
  readonly slice: "ticks";
  readonly op: "tick";
  readonly by: number;
}

export const ticksSlice: Slice<number, Tick, number> = {
  name: "ticks",
  history: true,
  empty: () => 0,
  reader: (state) => state,
  apply: (state, { by }) => state + by,
  parts: () => [],
  invert: (change) => ({ ...change, by: -change.by }),
  // Sums do not care about their order.
  rebase: (change) => change,
  between: (from, to) => (from === to ? [] : [{ slice: "ticks", op: "tick", by: to - from }]),
  refuse: () => [],
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
