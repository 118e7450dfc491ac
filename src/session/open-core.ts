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

interface Bounds {
  readonly limits: Limits;
  readonly names: NameAlphabet;
}

export interface CoreOptions {
  /** What bounds a session whose bounds never change. */
  readonly limits?: Limits;
  /** What bounds the session in a state of it; asked whenever a bound is looked at. */
  readonly settle?: (state: SessionState) => Bounds;
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
  const fixed: Bounds = { limits: options.limits ?? resolveLimits(), names: "ascii" };
  const { report = () => {}, settle = () => fixed } = options;
  const set = sliceSet(slices);
  const timeline = await Timeline.open(journal, set);
  const core: SessionCore = {
    journal,
    slices: set,
    timeline,
    turns: new Turns(journal),
    get limits() {
      return settle(timeline.state).limits;
    },
    get names() {
      return settle(timeline.state).names;
    },
    outside: new Outside(),
  };
  const upkeep = new Upkeep(core, (cause) => report("the upkeep of a session failed", cause));
  const ending = new AbortController();
  const following = follow(journal, timeline, ending.signal, (cause) =>
    report("a session could not be followed", cause),
  );
  const close = async (): Promise<void> => {
    ending.abort();
    await Promise.all([following, upkeep.stop()]);
    await journal.close();
  };
  return Object.assign(core, { upkeep, close });
}
