// Owns: the writer's thread: takes requests for any session of this process, and sleeps only here.
// This file is the entry of a worker; importing it anywhere else does nothing.

import { parentPort, receiveMessageOnPort, type Worker } from "node:worker_threads";
import type { Keep } from "./_keeper-thread.ts";
import { Lane } from "./_lane.ts";
import { spawnThread } from "./_spawn.ts";
import type { Request, Response } from "./_wire.ts";

const port = parentPort;
if (port !== null) {
  const lanes = new Map<string, Lane>();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  let scheduled = false;
  let keeper: Worker | undefined;

  /** Only a session that writes a lot ever needs the keeper. */
  const keep = (request: Keep): void => {
    keeper ??= startKeeper();
    keeper.postMessage(request);
  };

  const startKeeper = (): Worker => {
    const started = spawnThread("keeper");
    const done = (directory: string): void => {
      lanes.get(directory)?.writer.wasKept();
      schedule();
    };
    started.on("message", done);
    // Should it die, the WAL waits for the next one.
    const lost = (): void => {
      if (keeper !== started) return;
      keeper = undefined;
      for (const directory of lanes.keys()) done(directory);
    };
    started.on("error", lost);
    started.on("exit", lost);
    return started;
  };

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
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
      if (!lane.hasWork && !lane.writer.isOpen && !lane.writer.isKept) lanes.delete(directory);
      else if (lane.hasWork) wait = Math.min(wait, lane.waitUntil - now);
    }
    if (wait === Number.POSITIVE_INFINITY) return;
    // Timers are too coarse for a lock that is free again in a fraction of a millisecond.
    if (!worked && wait > 0) Atomics.wait(bell, 0, 0, wait);
    schedule();
  };

  const answer = (response: Response): void => port.postMessage(response);

  const add = (request: Request): void => {
    let lane = lanes.get(request.session);
    if (lane === undefined) {
      lane = new Lane(request.session, answer, keep);
      lanes.set(request.session, lane);
    }
    lane.add(request);
  };

  port.on("message", (first: Request) => {
    // Everything that has arrived by now is one group.
    let next: Request | undefined = first;
    while (next !== undefined) {
      add(next);
      next = receiveMessageOnPort(port)?.message as Request | undefined;
    }
    if (!scheduled) round();
  });
}
