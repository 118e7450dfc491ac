// Owns: the writer's thread: takes requests for any session of this process, and waits only here.
// This file is the entry of a worker; importing it anywhere else does nothing.

import { parentPort, receiveMessageOnPort, type Worker } from "node:worker_threads";
import { GroupCommit } from "./_group-commit.ts";
import { startThread } from "../_threads.ts";
import type { Request, Response } from "./_wire.ts";

const port = parentPort;
if (port !== null) {
  const groups = new Map<string, GroupCommit>();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  let scheduled = false;
  let checkpointer: Worker | undefined;

  /** Only a session that writes a lot ever needs the checkpointer. */
  const checkpoint = (directory: string): void => {
    checkpointer ??= startCheckpointer();
    checkpointer.postMessage(directory);
  };

  const startCheckpointer = (): Worker => {
    const started = startThread("wal-checkpointer");
    const done = (directory: string): void => {
      groups.get(directory)?.writer.walCheckpointed();
      schedule();
    };
    started.on("message", done);
    // Should it die, the WAL waits for the next one.
    const lost = (): void => {
      if (checkpointer !== started) return;
      checkpointer = undefined;
      for (const directory of groups.keys()) done(directory);
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
    for (const [directory, group] of groups) {
      if (!group.hasWork) continue;
      if (group.waitUntil <= now) {
        group.turn();
        worked = true;
      }
      if (!group.hasWork && !group.writer.isOpen && !group.writer.isCheckpointing) groups.delete(directory);
      else if (group.hasWork) wait = Math.min(wait, group.waitUntil - now);
    }
    if (wait === Number.POSITIVE_INFINITY) return;
    // Timers are too coarse for a lock that is free again in a fraction of a millisecond.
    if (!worked && wait > 0) Atomics.wait(bell, 0, 0, wait);
    schedule();
  };

  const respond = (response: Response): void => port.postMessage(response);

  const add = (request: Request): void => {
    let group = groups.get(request.session);
    if (group === undefined) {
      group = new GroupCommit(request.session, respond, checkpoint);
      groups.set(request.session, group);
    }
    group.add(request);
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
