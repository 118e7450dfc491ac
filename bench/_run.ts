// Owns: one run of one benchmark from the first round to the exit code.
// Must never: end with 0 when a goal is missed or unmeasured, a peer is missing, or answers disagree.

import { compareGoals, judge, QUIET_LOAD, type Goal, type Judged } from "./_judge.ts";
import { measure, type CaseResult } from "./_measure.ts";
import { caseTable, goalTable } from "./_report.ts";
import type { Bench } from "./harness.ts";

export interface RunOptions {
  readonly file: string;
  readonly rounds?: number | undefined;
  /** Run only the cases whose name holds this, and judge only their goals. */
  readonly only?: string | undefined;
  /** The 1-minute load before the run. */
  readonly load: number;
  readonly print: (text: string) => void;
  readonly log: (line: string) => void;
}

export interface RunResult {
  readonly code: number;
  readonly cases: readonly CaseResult[];
  readonly judged: readonly Judged[];
  readonly problems: readonly string[];
}

/** Measures, prints and judges. `goals` are the rows of goals.json that name this benchmark. */
export async function runBench(
  bench: Bench,
  goals: readonly Goal[],
  options: RunOptions,
): Promise<RunResult> {
  const { only } = options;
  const chosen = only === undefined ? bench.cases : bench.cases.filter((c) => c.name.includes(only));
  const names = new Set(chosen.map((c) => c.name));
  const problems = compareGoals(bench, goals);
  if (chosen.length === 0) problems.push(`${bench.name} has no case whose name holds "${String(only)}"`);

  const cases = await measure({ ...bench, cases: chosen }, options);
  for (const result of cases) {
    problems.push(...result.problems);
    if (result.measured.length > 0) options.print(`\n${caseTable(result)}`);
  }
  const asked =
    only === undefined ? goals : goals.filter((goal) => needs(goal).every((name) => names.has(name)));
  const judged = judge(asked, cases, options.load);
  if (judged.length > 0) options.print(`\n${goalTable(judged)}`);
  const left = goals.length - asked.length;
  if (left > 0) options.print(`\n${left} goals of other cases were not asked for.`);
  if (judged.some((j) => j.verdict === "not judged"))
    options.print(
      `\nnot judged: absolute times count only when the 1-minute load before the run is below ${QUIET_LOAD}; ` +
        `it was ${options.load.toFixed(2)}. Run again on a quiet machine.`,
    );
  for (const problem of problems) options.print(`\nPROBLEM: ${problem}`);

  const bad = judged.filter((j) => j.verdict === "missed" || j.verdict === "not measured").length;
  const met = judged.filter((j) => j.verdict === "met").length;
  options.print(
    `\n${bench.name}: ${met} goals met, ${bad} missed or not measured, ` +
      `${judged.length - met - bad} not judged, ${problems.length} problems`,
  );
  return { code: bad + problems.length > 0 ? 1 : 0, cases, judged, problems };
}

function needs(goal: Goal): string[] {
  return goal.kind === "ratio" && goal.against.case !== undefined
    ? [goal.case, goal.against.case]
    : [goal.case];
}
