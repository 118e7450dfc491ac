// Owns: long work in steps: its type, running it at once, and running it with yields to the event loop.
// Must never: hold a thread for longer than one step beyond YIELD_MS.

import { HoldfastError, say } from "../errors.ts";

/** Long work. It yields where other work may run, after about a millisecond each, and returns its result. */
export type Steps<T> = Generator<undefined, T, void>;

const YIELD_MS = 8;
/** No turn of the event loop should last this long. */
const TURN_MS = 64;

/**
 * Runs the work to its end without a pause. Blocks for as long as it takes: for small input, tests and scripts.
 *
 * @example const { splices } = runNow(editJsonSteps(source, edits));
 */
export function runNow<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs the work to its end and yields to the event loop every few milliseconds. Throws `conflict` / `aborted` at the next
 * yield once the signal is aborted.
 *
 * @example const report = await runPaced(validateJsonSteps(source), AbortSignal.timeout(5_000));
 */
export function runPaced<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  return new Pacer(signal).run(steps);
}

/**
 * When paced work last began or went on. Works that follow each other without a wait share one turn of the event loop, so
 * one that begins soon after counts from there: else each would hold the thread for its own YIELD_MS.
 */
let lastTurn = -Infinity;

function turnSince(): number {
  const now = performance.now();
  // A clock that was set back, as tests do, must not stop all yields.
  if (Math.abs(now - lastTurn) >= TURN_MS) lastTurn = now;
  return lastTurn;
}

/** Paced work that follows counts from here: for what begins a turn of the event loop with work that has no steps. */
export function noteTurn(): void {
  turnSince();
}

/** Yields for work that is written as an asynchronous loop: call `step` between two pieces of it. */
export class Pacer {
  readonly #signal: AbortSignal | undefined;
  #since: number = turnSince();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** A promise only when it is time to yield. Throws `conflict` / `aborted` once the signal is aborted. */
  step(): Promise<void> | undefined {
    return performance.now() - this.#since < YIELD_MS ? undefined : this.#yield();
  }

  /** Runs steps to their end on this pacer's clock. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      const turn = this.step();
      if (turn !== undefined) await turn;
    }
  }

  /** What `Array.from(items, map)` returns, for very many items. */
  async map<T, U>(items: Iterable<T>, map: (item: T) => U): Promise<U[]> {
    const mapped: U[] = [];
    for (const item of items) {
      mapped.push(map(item));
      const turn = this.step();
      if (turn !== undefined) await turn;
    }
    return mapped;
  }

  async #yield(): Promise<void> {
    throwIfAborted(this.#signal);
    await nextTurn();
    this.#since = performance.now();
    lastTurn = this.#since;
  }
}

/**
 * Throws `conflict` / `aborted` once the caller has cancelled, with the signal's reason as its cause.
 *
 * @example throwIfAborted(AbortSignal.abort())  // throws: conflict / aborted
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal === undefined || !signal.aborted) return;
  throw new HoldfastError("conflict", "aborted", say`The call was cancelled before anything was written.`, {
    cause: signal.reason,
  });
}

/** Works that have yielded, in the order in which they go on: one in each turn, so that many at once hold the thread no longer. */
const waiting: (() => void)[] = [];

/** A turn of the event loop for this work alone. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) schedule(resumeFirst);
  });
}

function resumeFirst(): void {
  waiting.shift()?.();
  if (waiting.length > 0) schedule(resumeFirst);
}

/** Browsers have no `setImmediate`. */
function schedule(callback: () => void): void {
  const { setImmediate: later = setTimeout } = globalThis as {
    setImmediate?: (callback: () => void) => unknown;
  };
  later(callback);
}
