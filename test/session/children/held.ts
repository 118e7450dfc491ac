// Owns: how long the main thread was held at once. On a machine with more work than cores a loop is late because others run:
// the time for which the system kept this thread waiting for a core is not counted; waiting for a disk is.

import { existsSync, readFileSync } from "node:fs";

const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`;
const EVERY_MS = 1;

/** Milliseconds for which this thread could have run and was not let. 0 where the system does not say. */
function kept(): number {
  return existsSync(SCHEDULE) ? Number(readFileSync(SCHEDULE, "utf8").split(" ")[1]) / 1e6 : 0;
}

/** Begins to watch; the function answers the longest time, in milliseconds, and ends it. */
export function watchHeld(): () => number {
  let most = 0;
  let last = performance.now();
  let before = kept();
  const timer = setInterval(() => {
    const [now, after] = [performance.now(), kept()];
    most = Math.max(most, now - last - EVERY_MS - (after - before));
    [last, before] = [performance.now(), after];
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}
