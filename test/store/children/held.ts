// Owns: how long the main thread was held at once. On a machine with more work than cores a loop is late because others run,
// so what counts is the time that the thread itself used; and apart from that, without the collections of garbage in it.

import { existsSync, readFileSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";

const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`;
const EVERY_MS = 1;
/** Shorter looks are not kept. */
const LONG_MS = 5;

/** The longest times between two looks, in milliseconds. */
export interface Held {
  readonly used: number;
  /** Of `used`, what was not spent on collections: at most this. */
  readonly computed: number;
  /** How often it was looked, and how often more than {@link BOUND_MS} had been computed since the look before. */
  readonly looks: number;
  readonly over: number;
}

/** No thread may be held longer by our code. */
export const BOUND_MS = 15;

interface Look {
  readonly begun: number;
  readonly ended: number;
  readonly used: number;
}

/** Milliseconds that this thread has run. 0 where the system does not say. */
function usedSoFar(): number {
  return existsSync(SCHEDULE) ? Number(readFileSync(SCHEDULE, "utf8").split(" ")[0]) / 1e6 : 0;
}

/** Begins to watch; the function ends it and answers. */
export function watchHeld(): () => Promise<Held> {
  let looks = 0;
  const long: Look[] = [];
  const collections: { readonly begun: number; readonly ended: number }[] = [];
  const note = (entries: readonly { readonly startTime: number; readonly duration: number }[]): void => {
    for (const { startTime, duration } of entries)
      collections.push({ begun: startTime, ended: startTime + duration });
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });

  let last = performance.now();
  let before = usedSoFar();
  const look = (): void => {
    const [now, after] = [performance.now(), usedSoFar()];
    looks++;
    // What was used before the last look is sometimes counted only now.
    const used = Math.min(after - before, now - last);
    if (used > LONG_MS) long.push({ begun: last, ended: now, used });
    [last, before] = [performance.now(), after];
  };
  const timer = setInterval(look, EVERY_MS);

  return async () => {
    clearInterval(timer);
    // What ended the work may have held the thread since the last look.
    look();
    // Collections are reported a turn later.
    await new Promise((resolve) => setTimeout(resolve, 10));
    observer.disconnect();
    const computing = long.map((look) => computed(look, collections));
    return {
      used: Math.max(0, ...long.map((look) => look.used)),
      computed: Math.max(0, ...computing),
      looks,
      over: computing.filter((ms) => ms > BOUND_MS).length,
    };
  };
}

/** A collection's time is of the clock: as much of it as the thread did not run may be in there, so that much is not taken off. */
function computed(
  look: Look,
  collections: readonly { readonly begun: number; readonly ended: number }[],
): number {
  let collecting = 0;
  for (const { begun, ended } of collections)
    collecting += Math.max(0, Math.min(ended, look.ended) - Math.max(begun, look.begun));
  const idle = look.ended - look.begun - look.used;
  return look.used - Math.max(0, collecting - Math.max(0, idle));
}
