// Owns: the order of one session's work in the writer's thread: groups of small tasks, long work in steps between them, and
// what happens while another process holds the lock.
// Must never: wait inside SQLite. A held lock is met with a short sleep of random length, outside.

import { fork, make } from "./_make.ts";
import { prune } from "./_prune.ts";
import { SessionWriter, troubleIn } from "./_session-writer.ts";
import { troubleOf } from "./_driver.ts";
import { WrongFormat } from "./_format.ts";
import type { Request, Response } from "./_wire.ts";

/** Work in steps: each yielded function is run, again and again while the lock is held, and its answer is handed back. */
export type Steps<T> = Generator<() => unknown, T, unknown>;

const GROUP_TASKS = 256;
const GROUP_BYTES = 8 * 1024 * 1024;
const GIVE_UP_MS = 10_000;
const SHORTEST_WAIT_MS = 0.2;
const LONGEST_WAIT_MS = 4;

interface Job {
  readonly id: number;
  readonly steps: Steps<unknown>;
  /** The step to run next; undefined before the first. */
  step: (() => unknown) | undefined;
}

export class Lane {
  readonly writer: SessionWriter;
  readonly #answer: (response: Response) => void;
  #queue: Request[] = [];
  #jobs: Job[] = [];
  #busySince = 0;
  #busyTries = 0;
  /** Nothing is tried before this time. */
  waitUntil: number = 0;

  constructor(directory: string, answer: (response: Response) => void) {
    this.writer = new SessionWriter(directory);
    this.#answer = answer;
  }

  add(request: Request): void {
    this.#queue.push(request);
  }

  get hasWork(): boolean {
    return this.#queue.length > 0 || this.#jobs.length > 0;
  }

  /** Does a round: one group, then one step of every job. */
  turn(): void {
    this.#takeJobs();
    const group = this.#takeGroup();
    if (group.length > 0 && !this.#commit(group)) return;
    for (const job of this.#jobs) if (!this.#advance(job)) return;
    if (this.#jobs.length === 0 && this.#queue[0]?.task.do === "close") this.#close();
    this.writer.tidy(false);
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
    }
    return this.#queue.slice(0, count);
  }

  /** False when the lock is held: the group stays in the queue. */
  #commit(group: readonly Request[]): boolean {
    let answers: readonly Response[];
    try {
      answers = this.writer.commit(group);
    } catch (error) {
      if (this.#wait(error)) return false;
      answers = group.map(({ id }) => failure(id, error));
    }
    this.#busyTries = 0;
    this.#queue.splice(0, group.length);
    for (const answer of answers) this.#answer(answer);
    return true;
  }

  #advance(job: Job): boolean {
    try {
      const value = job.step?.();
      this.#busyTries = 0;
      this.#settle(job, () => job.steps.next(value));
    } catch (error) {
      if (this.#wait(error)) return false;
      // The work learns of it, so that it can clean up; it usually throws the same on.
      this.#settle(job, () => job.steps.throw(error));
    }
    return true;
  }

  #settle(job: Job, resume: () => IteratorResult<() => unknown, unknown>): void {
    let answer: Response;
    try {
      const { done, value } = resume();
      if (done !== true) {
        job.step = value as () => unknown;
        return;
      }
      answer = { id: job.id, value };
    } catch (error) {
      answer = failure(job.id, error);
    }
    this.#jobs = this.#jobs.filter((other) => other !== job);
    this.#answer(answer);
  }

  #close(): void {
    const request = this.#queue.shift() as Request;
    try {
      this.writer.close();
      this.#answer({ id: request.id, value: null });
    } catch (error) {
      this.#answer(failure(request.id, error));
    }
  }

  /** Arranges to come back later if the lock is held; false when it is something else, or has taken too long. */
  #wait(error: unknown): boolean {
    if (troubleOf(error) !== "busy") return false;
    const now = performance.now();
    if (this.#busyTries === 0) this.#busySince = now;
    if (now - this.#busySince > GIVE_UP_MS) return false;
    const longest = Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** this.#busyTries);
    this.#busyTries++;
    this.waitUntil = now + SHORTEST_WAIT_MS + Math.random() * longest;
    return true;
  }
}

function failure(id: number, error: unknown): Response {
  if (error instanceof WrongFormat)
    return { id, trouble: error.newer ? "newer format" : "not a session", detail: error.message };
  return { id, trouble: troubleIn(error), detail: String(error) };
}

function stepsOf(writer: SessionWriter, { task }: Request): Steps<unknown> | undefined {
  switch (task.do) {
    case "make":
      return make(writer, task);
    case "fork":
      return fork(writer, task);
    case "prune":
      return prune(writer, task);
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

function* once(work: () => unknown): Steps<unknown> {
  return yield work;
}
