// Owns: one contestant in this process: preparing it, timing its rounds, asking for its values.
// Must never: put anything but `run` between the two readings of the clock.

import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Started, Subject, Values } from "./harness.ts";

/** One timed round, for one call of `run`: milliseconds of wall clock and of CPU (all threads, and programs it ran). */
export interface Round {
  readonly time: number;
  readonly cpu: number;
  readonly answer: unknown;
}

export interface Finish {
  readonly values: Values;
  /** Peak resident bytes above the process before `start`; only measured in a process of its own. */
  readonly memory?: number;
}

/** A subject that takes turns, here or in a process of its own. */
export interface Contestant {
  readonly name: string;
  round(number: number): Promise<Round>;
  finish(): Promise<Finish>;
  stop(): Promise<void>;
}

const AUTO_ROUND_MS = 20;
const AUTO_MOST = 10_000_000;
/** A longer round loads and compiles in a small part of its time. */
const SHORT_ROUND_MS = 500;

/**
 * Prepares a subject in this process. With `repeat: "auto"` the first round finds out how often to run. With `shared`, other
 * subjects run in the same process.
 */
export async function enter(
  subject: Subject<unknown>,
  env: unknown,
  repeat: number | "auto",
  shared: boolean,
): Promise<Contestant> {
  const started = await subject.start(env);
  let times = repeat === "auto" ? undefined : repeat;
  // Garbage of the subject before is collected off the clock. A full collection also throws away optimized code, which a
  // user's process keeps, so no short round is timed right after one: the work is done once before it.
  let isShort = true;
  const full = async (number: number, runs: number | undefined): Promise<Round> => {
    await started.before?.(number);
    times ??= await calibrate(started);
    const round = await timed(started, runs ?? times);
    await started.after?.(number);
    return round;
  };
  return {
    name: subject.name,
    async round(number) {
      if (shared) collectGarbage();
      if (shared && isShort) await full(number, repeat === "auto" ? times : 1);
      const round = await full(number, times);
      isShort = round.time * (times ?? 1) < SHORT_ROUND_MS;
      return round;
    },
    async finish() {
      return { values: (await started.values?.()) ?? {} };
    },
    async stop() {
      await started.stop?.();
    },
  };
}

// The first calls load and compile and may take a thousand times as long as later ones: once is not enough.
const AUTO_CONFIRMED = 5;

async function calibrate(started: Started): Promise<number> {
  let times = 1;
  let confirmed = 0;
  for (;;) {
    const { time } = await timed(started, times);
    const total = time * times;
    if (total >= AUTO_ROUND_MS || times >= AUTO_MOST) {
      if (++confirmed === AUTO_CONFIRMED) return times;
      continue;
    }
    confirmed = 0;
    const factor = total > 0 ? Math.ceil(AUTO_ROUND_MS / total) : 10;
    times = Math.min(AUTO_MOST, times * Math.min(10, Math.max(2, factor)));
  }
}

async function timed(started: Started, times: number): Promise<Round> {
  if (started.prepare !== undefined) return timedOneByOne(started, times);
  let answer: unknown;
  const cpuBefore = cpuMs();
  const begun = process.hrtime.bigint();
  for (let i = 0; i < times; i++) {
    answer = started.run();
    // Awaiting a value that is not a promise would charge synchronous work for a turn of the event loop.
    if (isThenable(answer)) answer = await answer;
  }
  const ended = process.hrtime.bigint();
  const cpu = cpuMs() - cpuBefore;
  return { time: Number(ended - begun) / 1e6 / times, cpu: cpu / times, answer };
}

async function timedOneByOne(started: Started, times: number): Promise<Round> {
  let [time, cpu, answer]: [number, number, unknown] = [0, 0, undefined];
  for (let i = 0; i < times; i++) {
    await started.prepare?.();
    const cpuBefore = cpuMs();
    const begun = process.hrtime.bigint();
    answer = started.run();
    if (isThenable(answer)) answer = await answer;
    time += Number(process.hrtime.bigint() - begun) / 1e6;
    cpu += cpuMs() - cpuBefore;
  }
  return { time: time / times, cpu: cpu / times, answer };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

// Linux counts finished child processes in ticks of 1/100 s. Elsewhere only this process is counted.
const TICK_MS = 10;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childTicks() * TICK_MS;
}

function childTicks(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name in parentheses may hold blanks; cutime and cstime are fields 16 and 17 of the whole line.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[13]) + Number(fields[14]);
}

let gc: (() => void) | undefined;

/** A full collection, now. */
export function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("gc") as () => void;
  }
  gc();
}
