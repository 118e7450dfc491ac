// Owns: state that only goes forward: it is journaled and found again like any other, and undo, restore and reset never touch it.

import type { Change, Key } from "../store/journal.ts";
import type { Json } from "../value.ts";
import type { Refusal, Slice, Stamp } from "./slice.ts";

/** What tells one such slice from another. Its state is small: a checkpoint writes it as one JSON text. */
export interface FixedState<S, C extends Change> {
  readonly name: string;
  readonly empty: S;
  apply(state: S, change: C, at: Stamp): S;
  refuse?(state: S, change: C): readonly Refusal[];
  toJson(state: S): Json;
  fromJson(json: Json): S;
}

const NO_WEIGHT = Object.freeze({ bytes: 0, files: 0 });

/** The slice; its name is also its one key. */
export function fixedSlice<S, C extends Change>(of: FixedState<S, C>): Slice<S, C, S> {
  const keys: readonly Key[] = [of.name];
  return {
    name: of.name,
    empty: () => of.empty,
    reader(state, read) {
      read(of.name);
      return state;
    },
    apply: (state, change, at) => of.apply(state, change, at),
    refuse: (state, change) => of.refuse?.(state, change) ?? [],
    undo: async () => ({ undone: [], changes: [], refused: [], gone: [] }),
    between: () => [],
    keys: () => keys,
    blobs: () => [],
    weigh: () => NO_WEIGHT,
    diff: () => ({ added: [], changed: [], removed: [] }),
    *encode(state) {
      yield new TextEncoder().encode(JSON.stringify(of.toJson(state)));
    },
    async decode(chunks) {
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
      return of.fromJson(JSON.parse(text) as Json);
    },
  };
}
