// Owns: state that only goes forward: it is journaled and found again like any other, and undo, restore and reset never touch it.

import type { Change, Key } from "../store/journal.ts";
import type { Json } from "../value.ts";
import type { Refusal, Slice, Stamp } from "./slice.ts";

/** What tells one such slice from another. */
export interface FixedState<S, C extends Change> {
  readonly name: string;
  readonly empty: S;
  apply(state: S, change: C, at: Stamp): S;
  refuse?(state: S, change: C): readonly Refusal[];
}

/** How a checkpoint holds a state that is small: as one JSON text. */
export interface JsonState<S> {
  toJson(state: S): Json;
  fromJson(json: Json): S;
}

const NO_WEIGHT = Object.freeze({ bytes: 0, files: 0 });

/** The slice; its name is also its one key. */
export function fixedSlice<S, C extends Change>(of: FixedState<S, C> & JsonState<S>): Slice<S, C, S> {
  return {
    ...forwardSlice(of),
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

/** The same for a state that has a form of its own in checkpoints. */
export function forwardSlice<S, C extends Change>(
  of: FixedState<S, C>,
): Omit<Slice<S, C, S>, "encode" | "decode"> {
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
  };
}
