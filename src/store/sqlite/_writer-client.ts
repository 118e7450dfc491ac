// Owns: requests to the writer's thread, and its failures as errors.
// Must never: lose a request. If the thread dies, every open request gets an error, and the next starts a new one.

import type { Worker } from "node:worker_threads";
import { HoldfastError, say } from "../../errors.ts";
import { sessionNotFound, unknownBlob } from "../_checks.ts";
import { startThread } from "../_threads.ts";
import type { TaskResults, Request, Response, Task, Failure } from "./_wire.ts";

interface OpenRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

let worker: Worker | undefined;
let lastId = 0;
const open = new Map<number, OpenRequest>();

/** Hands a task to the writer; resolves when it is done (an append: durable). `session` is a directory. */
export function ask<T extends Task>(session: string, task: T): Promise<TaskResults[T["do"]]> {
  worker ??= start();
  const to = worker;
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    open.set(id, { resolve: resolve as (value: unknown) => void, reject });
    if (open.size === 1) to.ref();
    to.postMessage({ id, session, task } satisfies Request);
  });
}

function start(): Worker {
  const started = startThread("writer");
  started.on("message", (response: Response) => {
    const request = open.get(response.id);
    if (request === undefined) return;
    open.delete(response.id);
    if (open.size === 0) started.unref();
    if ("failure" in response) request.reject(errorOf(response.failure, response.detail));
    else request.resolve(response.value);
  });
  const lost = (why: string): void => {
    if (worker === started) worker = undefined;
    for (const [id, request] of open) {
      open.delete(id);
      request.reject(errorOf("unknown", `the writer's thread ended: ${why}`));
    }
  };
  started.on("error", (error) => lost(String(error)));
  started.on("exit", (code) => lost(`exit ${code}`));
  return started;
}

export function errorOf(failure: Failure, detail: string): HoldfastError {
  const cause = new Error(detail);
  switch (failure) {
    case "gone":
      return sessionNotFound("");
    case "unknown blob":
      return unknownBlob();
    case "busy":
      return new HoldfastError(
        "internal",
        "store_busy",
        say`Another process has held this session's lock for too long. Nothing was written; try again.`,
        { cause, retryAfter: 1 },
      );
    case "full":
      return new HoldfastError(
        "internal",
        "store_full",
        say`There is no space left where sessions are stored. Nothing was written; free some space and try again.`,
        { cause },
      );
    case "unknown":
      return new HoldfastError(
        "internal",
        "outcome_unknown",
        say`Storage failed while committing, so the outcome is not known. Send the same call with the same idempotency key again, or read before you write.`,
        { cause },
      );
    case "newer format":
      return new HoldfastError(
        "internal",
        "newer_format",
        say`This session was written by a newer version. Upgrade to open it.`,
        { cause },
      );
    case "not a session":
      return new HoldfastError(
        "internal",
        "not_a_session",
        say`The files of this session are not in a format that can be read.`,
        { cause },
      );
    case "wrong position":
      return new HoldfastError(
        "conflict",
        "wrong_position",
        say`That position is not a place in this session's history.`,
        { cause },
      );
    case "damaged":
      return new HoldfastError(
        "internal",
        "store_damaged",
        say`The files of this session are damaged: they are not what was written. Nothing was changed. Copy the session's directory aside, then put it back from a backup.`,
        { cause },
      );
    case "failed":
      return new HoldfastError(
        "internal",
        "store_failed",
        say`Storage failed. Nothing was written. Try again; if it goes on failing, look at the disk and the permissions of the store's directory.`,
        { cause },
      );
  }
}
