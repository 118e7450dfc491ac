// Owns: the order of one session's work in the writer's thread: groups of small tasks, long work in steps between them, and
// what happens while another process holds the lock.
// Must never: wait inside SQLite. A held lock is met with a backoff outside of it.

import { forkSession, createSession } from "./_create-session.ts";
import { pruneSession } from "./_prune.ts";
import { failureIn } from "./_failure.ts";
import { SessionWriter, type RequestCheckpoint } from "./_session-writer.ts";
import { sqlFailureOf } from "./_db.ts";
import type { Request, Response } from "./_wire.ts";

/** Work in steps: each yielded function is run, again and again while the lock is held, and its result is handed back. */
export type TaskSteps<T> = Generator<() => unknown, T, unknown>;

const GROUP_TASKS = 256;
const GROUP_BYTES = 8 * 1024 * 1024;
const GIVE_UP_MS = 10_000;
/**
 * How long to stay away from a held lock, by how long this session has waited already. There is no queue across processes, so
 * who has waited longest retries soonest; a newcomer that tried at once would overtake them all.
 */
const WAITS_MS: readonly (readonly [waited: number, least: number, most: number])[] = [
  [0, 1, 3],
  [5, 0.5, 1.5],
  [15, 0.2, 0.6],
  [40, 0.05, 0.2],
];
/** For so long after it met a held lock, a session with new work waits a moment before its first try. */
const CONTENDED_MS = 30;

interface Job {
  readonly id: number;
  readonly steps: TaskSteps<unknown>;
  /** The step to run next; undefined before the first. */
  step: (() => unknown) | undefined;
}

export class GroupCommit {
  readonly writer: SessionWriter;
  readonly #respond: (response: Response) => void;
  #queue: Request[] = [];
  #jobs: Job[] = [];
  /** When the lock was first met held, for the work at hand; 0 when it was not. */
  #busySince = 0;
  /** When it was last met held, for any work. */
  #contended = Number.NEGATIVE_INFINITY;
  /** Nothing is tried before this time. */
  waitUntil: number = 0;

  constructor(directory: string, respond: (response: Response) => void, checkpoint: RequestCheckpoint) {
    this.writer = new SessionWriter(directory, checkpoint);
    this.#respond = respond;
  }

  add(request: Request): void {
    this.#queue.push(request);
  }

  /** A close that waits for the checkpointer is no work; it is tried again when the checkpointer is done. */
  get hasWork(): boolean {
    if (this.#jobs.length > 0) return true;
    const first = this.#queue[0]?.task.do;
    return first !== undefined && !(first === "close" && this.writer.isCheckpointing);
  }

  /** Does a round: one group, then one step of every job. */
  turn(): void {
    this.#takeJobs();
    const group = this.#takeGroup();
    if (group.length > 0 && !this.#commit(group)) return;
    for (const job of this.#jobs) if (!this.#advance(job)) return;
    if (this.#jobs.length === 0 && this.#queue[0]?.task.do === "close" && !this.writer.isCheckpointing)
      this.#close();
    this.writer.afterWork();
  }

  /** Long tasks leave the queue for the list of jobs, up to a close, which waits for all before it. */
  #takeJobs(): void {
    const rest: Request[] = [];
    let closing = false;
    for (const request of this.#queue) {
      closing ||= request.task.do === "close";
      const steps = closing ? undefined : stepsOf(this.writer, request);
      if (steps === undefined) rest.push(request);
      else this.#jobs.push({ id: request.id, steps, step: undefined });
    }
    this.#queue = rest;
  }

  #takeGroup(): Request[] {
    let bytes = 0;
    let count = 0;
    for (const { task } of this.#queue) {
      if (task.do === "close" || count >= GROUP_TASKS || bytes >= GROUP_BYTES) break;
      if (task.do === "append") for (const blob of task.blobs) bytes += blob.bytes?.length ?? 0;
      count++;
      // What comes after it is refused.
      if (task.do === "remove") break;
    }
    return this.#queue.slice(0, count);
  }

  /** False when the lock is held: the group stays in the queue. */
  #commit(group: readonly Request[]): boolean {
    let responses: readonly Response[];
    try {
      responses = this.writer.commit(group);
    } catch (error) {
      if (this.#wait(error)) return false;
      responses = group.map(({ id }) => failed(id, error));
    }
    this.#got();
    this.#queue.splice(0, group.length);
    for (const response of responses) this.#respond(response);
    return true;
  }

  #advance(job: Job): boolean {
    try {
      const value = job.step?.();
      this.#got();
      this.#settle(job, () => job.steps.next(value));
    } catch (error) {
      if (this.#wait(error)) return false;
      // The work learns of it, so that it can clean up; it usually throws the same on.
      this.#settle(job, () => job.steps.throw(error));
    }
    return true;
  }

  #settle(job: Job, resume: () => IteratorResult<() => unknown, unknown>): void {
    let response: Response;
    try {
      const { done, value } = resume();
      if (done !== true) {
        job.step = value as () => unknown;
        return;
      }
      response = { id: job.id, value };
    } catch (error) {
      response = failed(job.id, error);
    }
    this.#jobs = this.#jobs.filter((other) => other !== job);
    this.#respond(response);
  }

  #close(): void {
    const request = this.#queue.shift() as Request;
    try {
      this.writer.close();
      this.#respond({ id: request.id, value: null });
    } catch (error) {
      this.#respond(failed(request.id, error));
    }
  }

  /** Others may be waiting where there was a crowd a moment ago: they go first. */
  #got(): void {
    this.#busySince = 0;
    const now = performance.now();
    if (now - this.#contended < CONTENDED_MS) this.waitUntil = now + pause(0);
  }

  /** Arranges to come back later if the lock is held; false when it is something else, or has taken too long. */
  #wait(error: unknown): boolean {
    if (sqlFailureOf(error) !== "busy") return false;
    const now = performance.now();
    if (this.#busySince === 0) this.#busySince = now;
    this.#contended = now;
    const waited = now - this.#busySince;
    if (waited > GIVE_UP_MS) return false;
    this.waitUntil = now + pause(waited);
    return true;
  }
}

function pause(waited: number): number {
  const [, least, most] = WAITS_MS.findLast(([from]) => waited >= from) ?? [0, 1, 3];
  return least + Math.random() * (most - least);
}

function failed(id: number, error: unknown): Response {
  return { id, failure: failureIn(error), detail: String(error) };
}

function stepsOf(writer: SessionWriter, { task }: Request): TaskSteps<unknown> | undefined {
  switch (task.do) {
    case "make":
      return createSession(writer, task);
    case "fork":
      return forkSession(writer, task);
    case "prune":
      return pruneSession(writer, task);
    case "open":
      return once(() => {
        writer.open();
        return null;
      });
    case "audit":
      return once(() => {
        writer.writeAudit(task.batch, task.most);
        return null;
      });
    case "audited":
      return once(() => writer.readAudit(task.query));
    default:
      return undefined;
  }
}

function* once(work: () => unknown): TaskSteps<unknown> {
  return yield work;
}
