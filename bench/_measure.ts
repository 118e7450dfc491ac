// Owns: running a benchmark: subjects of a case in turns, every round begun by another one.
// Must never: let a missing or failing subject pass; it is a problem of the run, by name.

import type { Contestant } from "./_contest.ts";
import { enter } from "./_contest.ts";
import { caseContext } from "./_context.ts";
import { enterIsolated } from "./_isolated.ts";
import type { AnyCase, Bench, Subject, Values } from "./harness.ts";
import { spread, type Spread } from "./_statistics.ts";

export interface Measured {
  readonly subject: string;
  /** Milliseconds for one run. */
  readonly time: Spread;
  readonly cpu: Spread;
  /** Bytes. */
  readonly memory: number | undefined;
  readonly values: Values;
}

export interface CaseResult {
  readonly name: string;
  readonly rounds: number;
  readonly bytes: number | undefined;
  readonly ours: string;
  readonly measured: readonly Measured[];
  readonly problems: readonly string[];
}

export interface MeasureOptions {
  /** The file of the benchmark; isolated cases load it again in their processes. */
  readonly file: string;
  readonly rounds?: number | undefined;
  readonly log: (line: string) => void;
}

const ROUNDS = 11;
const WARMUPS = 2;

/** Runs the cases of a benchmark one after the other. */
export async function measure(bench: Bench, options: MeasureOptions): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const c of bench.cases) {
    options.log(`${bench.name}: ${c.name}`);
    results.push(await measureCase(bench, c, options));
  }
  return results;
}

async function measureCase(bench: Bench, c: AnyCase, options: MeasureOptions): Promise<CaseResult> {
  const problems: string[] = [];
  const rounds = options.rounds ?? c.rounds ?? ROUNDS;
  const context = caseContext(bench.name, options.log);
  const contestants: Contestant[] = [];
  let bytes: number | undefined;
  let measured: Measured[] = [];
  try {
    const env = await c.setup(context);
    try {
      bytes = c.bytes?.(env);
      for (const subject of [c.ours, ...(c.peers ?? [])]) {
        const entered = await tryEnter(c, subject, env, options.file);
        if (typeof entered === "string") problems.push(`${c.name}: ${subject.name} is missing: ${entered}`);
        else contestants.push(entered);
      }
      if (contestants[0]?.name === c.ours.name) {
        const warmups = c.warmups ?? WARMUPS;
        measured = await takeTurns(c, contestants, rounds, warmups, problems);
      }
    } finally {
      for (const contestant of contestants) await contestant.stop();
      await c.teardown?.(env);
    }
  } catch (error) {
    problems.push(`${c.name}: ${describe(error)}`);
  } finally {
    context.remove();
  }
  return { name: c.name, rounds, bytes, ours: c.ours.name, measured, problems };
}

async function tryEnter(
  c: AnyCase,
  subject: Subject<unknown>,
  env: unknown,
  file: string,
): Promise<Contestant | string> {
  try {
    const missing = await subject.missing?.();
    if (missing !== undefined) return missing;
    return c.isolate === true
      ? await enterIsolated(file, c.name, subject.name, env)
      : await enter(subject, env, c.repeat ?? 1, true);
  } catch (error) {
    return describe(error);
  }
}

async function takeTurns(
  c: AnyCase,
  contestants: readonly Contestant[],
  rounds: number,
  warmups: number,
  problems: string[],
): Promise<Measured[]> {
  const times = contestants.map((): number[] => []);
  const cpus = contestants.map((): number[] => []);
  const answers = contestants.map((): unknown => undefined);
  for (let number = -warmups; number < rounds; number++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const at = (turn + number + warmups) % contestants.length;
      const contestant = contestants[at];
      if (contestant === undefined) continue;
      const round = await contestant.round(number);
      answers[at] = round.answer;
      if (number < 0) continue;
      times[at]?.push(round.time);
      cpus[at]?.push(round.cpu);
    }
    if (number === -warmups) compareAnswers(c, contestants, answers, problems);
  }
  const measured: Measured[] = [];
  for (const [at, contestant] of contestants.entries()) {
    const { values, memory } = await contestant.finish();
    measured.push({
      subject: contestant.name,
      time: spread(times[at] ?? []),
      cpu: spread(cpus[at] ?? []),
      memory,
      values,
    });
  }
  return measured;
}

function compareAnswers(
  c: AnyCase,
  contestants: readonly Contestant[],
  answers: readonly unknown[],
  problems: string[],
): void {
  if (c.agree === undefined) return;
  for (const [at, contestant] of contestants.entries())
    if (at > 0 && !c.agree(answers[0], answers[at], contestant.name))
      problems.push(
        `${c.name}: ${contestant.name} answered something else than ${c.ours.name}: ` +
          `${shorten(answers[at])} instead of ${shorten(answers[0])}`,
      );
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
