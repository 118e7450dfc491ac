// Owns: what a tool may write through one context, and until when: a write that would be lost is an error that names the tool.
// Must never: let a write resolve that no commit will hold.

import type { Log } from "./log.ts";

/** `view`: only what the agent sees. */
export type MayWrite = "nothing" | "view" | "state";

/** The writes of one context of a call. What they throw is a mistake of the tool: the agent learns that it failed, the log why. */
export class ToolWrites {
  readonly #tool: string;
  readonly #may: MayWrite;
  readonly #log: Log;
  /** Refused writes of the call, also of its other contexts: the tool may have forgotten to await one. */
  readonly #refused: Error[];
  /** Writes at work, by what they are. */
  readonly #open = new Map<Promise<unknown>, string>();
  #isEnded = false;

  constructor(tool: string, may: MayWrite, log: Log, refused: Error[]) {
    this.#tool = tool;
    this.#may = may;
    this.#log = log;
    this.#refused = refused;
  }

  /** Throws unless `what`, such as `ctx.snapshot`, can be written now. */
  require(what: string, kind: "view" | "state" = "state"): void {
    const why = this.#isEnded
      ? LATE
      : this.#may === kind || this.#may === "state"
        ? undefined
        : WHY[this.#may];
    if (why === undefined) return;
    const error = this.#mistake(`called ${what} ${why}`);
    if (this.#isEnded) this.#log.error("a tool wrote too late", { tool: this.#tool, cause: error });
    else this.#refused.push(error);
    throw error;
  }

  /** Does a write that takes its time. Rejects where the tool has not waited for it. */
  write<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      this.require(what);
    } catch (error) {
      return heard(Promise.reject(error as Error));
    }
    const done = work()
      .then((value) => {
        if (this.#isEnded) throw this.#mistake(unawaited(what));
        return value;
      })
      .finally(() => this.#open.delete(done));
    this.#open.set(done, what);
    return done;
  }

  /** Runs a part of the tool; nothing can be written once it has ended. Throws where it has lost a write. */
  async during<T>(work: () => T | Promise<T>): Promise<T> {
    this.#isEnded = false;
    try {
      const value = await work();
      const [refused] = this.#refused;
      if (refused !== undefined) throw refused;
      const [open] = this.#open.values();
      if (open !== undefined) throw this.#mistake(unawaited(open));
      return value;
    } finally {
      this.#isEnded = true;
      for (const write of this.#open.keys()) void heard(write);
    }
  }

  #mistake(happened: string): Error {
    return new Error(`The tool ${this.#tool} ${happened}`);
  }
}

const LATE = "after it had returned: nothing was written. Await every write before run returns.";
const WHY: Readonly<Record<Exclude<MayWrite, "state">, string>> = {
  nothing:
    'where it can only read: nothing was written. Write in run of a tool with access: "write", and neither in resolve nor in a state of ctx.past or ctx.resume.',
  view: 'with access: "view", which changes only what its agent sees, by ctx.changeView: nothing was written. Declare access: "write".',
};

function unawaited(what: string): string {
  return `returned while its ${what} was at work: nothing was written. Put await before it.`;
}

/** A promise whose rejection is told elsewhere too, so that it ends no process where nobody waits for it. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
