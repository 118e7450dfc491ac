// Owns: how long the main thread was held at once. On a machine with more work than cores a loop is late because others run:
// the time for which the system kept this thread waiting for a core is not counted; waiting for a disk is, and so is a
// collection of garbage, whose other threads may have to wait for a core themselves. What the thread used is said apart.

import { existsSync, readFileSync } from "node:fs";

const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`;
const EVERY_MS = 1;

/** Milliseconds that this thread has run, and that it could have run and was not let. 0 where the system does not say. */
function schedule(): { used: number; kept: number } {
  if (!existsSync(SCHEDULE)) return { used: 0, kept: 0 };
  const [used, kept] = readFileSync(SCHEDULE, "utf8").split(" ");
  return { used: Number(used) / 1e6, kept: Number(kept) / 1e6 };
}

/** Begins to watch; the function answers the longest times between two turns, in milliseconds, and ends it. */
export function watchHeld(): () => { held: number; used: number } {
  const most = { held: 0, used: 0 };
  let last = performance.now();
  let before = schedule();
  const timer = setInterval(() => {
    const [now, after] = [performance.now(), schedule()];
    most.held = Math.max(most.held, now - last - EVERY_MS - (after.kept - before.kept));
    most.used = Math.max(most.used, after.used - before.used);
    [last, before] = [performance.now(), after];
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}
