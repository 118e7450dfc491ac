// Owns: the writer's thread: takes requests for any session of this process, and sleeps only here.
// This file is the entry of a worker; importing it anywhere else does nothing.

import { parentPort } from "node:worker_threads";
import { Lane } from "./_lane.ts";
import type { Request } from "./_wire.ts";

/** After so long without work a WAL is copied back and cut to nothing. */
const IDLE_MS = 250;

const port = parentPort;
if (port !== null) {
  const lanes = new Map<string, Lane>();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  let scheduled = false;
  let idle: NodeJS.Timeout | undefined;

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    // Everything that has arrived by then is one group.
    setImmediate(round);
  };

  const round = (): void => {
    scheduled = false;
    const now = performance.now();
    let wait = Number.POSITIVE_INFINITY;
    let worked = false;
    for (const [directory, lane] of lanes) {
      if (!lane.hasWork) continue;
      if (lane.waitUntil <= now) {
        lane.turn();
        worked = true;
      }
      if (!lane.hasWork && !lane.writer.isOpen) lanes.delete(directory);
      else if (lane.hasWork) wait = Math.min(wait, lane.waitUntil - now);
    }
    if (wait === Number.POSITIVE_INFINITY) return rest();
    // Timers are too coarse for a lock that is free again in a fraction of a millisecond.
    if (!worked && wait > 0) Atomics.wait(bell, 0, 0, wait);
    schedule();
  };

  const rest = (): void => {
    clearTimeout(idle);
    idle = setTimeout(() => {
      for (const lane of lanes.values()) if (!lane.hasWork) lane.writer.tidy(true);
    }, IDLE_MS);
  };

  port.on("message", (request: Request) => {
    let lane = lanes.get(request.session);
    if (lane === undefined) {
      lane = new Lane(request.session, (response) => port.postMessage(response));
      lanes.set(request.session, lane);
    }
    lane.add(request);
    schedule();
  });
}
