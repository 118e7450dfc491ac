// Owns: noticing what other processes commit, so that reads here see it without asking.

import { setTimeout as sleep } from "node:timers/promises";
import { HoldfastError } from "../errors.ts";
import type { Journal } from "../store/journal.ts";
import type { Timeline } from "./timeline.ts";

const AGAIN_MS = 1_000;

/** Keeps `timeline` close to the journal's head until the signal ends it. Trouble is reported and tried again. */
export async function follow(
  journal: Journal,
  timeline: Timeline,
  signal: AbortSignal,
  report: (cause: unknown) => void,
): Promise<void> {
  while (!signal.aborted)
    try {
      for await (const head of journal.watch(timeline.state.at.seq, signal))
        if (head.seq > timeline.state.at.seq) await timeline.catchUp();
      return;
    } catch (cause) {
      if (signal.aborted || isGone(cause)) return;
      report(cause);
      await sleep(AGAIN_MS, undefined, { ref: false });
    }
}

/** The session was removed or closed: there is nothing left to follow. */
export function isGone(cause: unknown): boolean {
  return (
    HoldfastError.is(cause) && (cause.reason === "session_not_found" || cause.reason === "journal_closed")
  );
}
