// Owns: opening and closing what a session works with: its journal, state, turns, and the work done beside calls.

import { resolveLimits, type Limits } from "../limits.ts";
import type { NameAlphabet } from "../path/index.ts";
import type { Journal } from "../store/journal.ts";
import { follow } from "./follow.ts";
import { Outside } from "./outside.ts";
import type { AnySlice } from "./slice.ts";
import { sliceSet, type SessionState } from "./state.ts";
import { Timeline } from "./timeline.ts";
import type { SessionCore } from "./transact.ts";
import { Turns } from "./turns.ts";
import { Upkeep } from "./upkeep.ts";

export interface CoreOptions {
  /** What bounds the session; `settle` may know better once its state is there. */
  readonly limits?: Limits;
  readonly names?: NameAlphabet;
  readonly settle?: (state: SessionState) => { readonly limits: Limits; readonly names: NameAlphabet };
  /** Told of trouble in the work beside calls, which no caller waits for. */
  readonly report?: (what: string, cause: unknown) => void;
}

export interface OpenCore extends SessionCore {
  readonly upkeep: Upkeep;
  /** Ends the work beside calls, then closes the journal. */
  close(): Promise<void>;
}

export async function openCore(
  journal: Journal,
  slices: readonly AnySlice[],
  options: CoreOptions = {},
): Promise<OpenCore> {
  const { report = () => {} } = options;
  const set = sliceSet(slices);
  const timeline = await Timeline.open(journal, set);
  const { limits = resolveLimits(), names = "ascii" } = options.settle?.(timeline.state) ?? options;
  const core: SessionCore = {
    journal,
    slices: set,
    timeline,
    turns: new Turns(journal),
    limits,
    names,
    outside: new Outside(),
  };
  const upkeep = new Upkeep(core, (cause) => report("the upkeep of a session failed", cause));
  const ending = new AbortController();
  const following = follow(journal, timeline, ending.signal, (cause) =>
    report("a session could not be followed", cause),
  );
  return {
    ...core,
    upkeep,
    async close() {
      ending.abort();
      await Promise.all([following, upkeep.stop()]);
      await journal.close();
    },
  };
}
