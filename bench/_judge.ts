// Owns: goals.json and the verdict on each of its rows.
// Must never: pass a row that was not measured, or judge an absolute time on a busy machine.

import type { CaseResult } from "./_measure.ts";
import type { Bench } from "./harness.ts";

export type Unit = "ns" | "us" | "ms" | "s" | "B" | "KB" | "MB";

interface GoalBase {
  readonly id: string;
  readonly bench: string;
  readonly case: string;
  readonly what: string;
  /** What is compared; `time` when it is left out. */
  readonly value?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export type Goal =
  /** `atLeast: 25` means 25 times less than the other; `atMost: 1.5` means up to 1.5 times the other. */
  | (GoalBase & {
      readonly kind: "ratio";
      readonly against: { readonly peer?: string; readonly case?: string };
    })
  /** A time. Counts only when the machine is quiet. */
  | (GoalBase & { readonly kind: "absolute"; readonly unit: Unit })
  /** Bytes, fsyncs, factors: the same on a busy machine. */
  | (GoalBase & { readonly kind: "count"; readonly unit?: Unit });

export type Verdict = "met" | "missed" | "not judged" | "not measured";

export interface Judged {
  readonly goal: Goal;
  readonly verdict: Verdict;
  /** In the unit of the goal; a ratio is plain. */
  readonly measured: number | undefined;
}

/** The 1-minute load below which absolute rows count. */
export const QUIET_LOAD = 0.5;

// Values are measured in milliseconds and bytes.
const UNITS: Readonly<Record<Unit, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1000,
  B: 1,
  KB: 1024,
  MB: 1024 * 1024,
};

export function judge(goals: readonly Goal[], results: readonly CaseResult[], load: number): Judged[] {
  return goals.map((goal) => {
    const measured = measuredFor(goal, results);
    if (measured === undefined || Number.isNaN(measured))
      return { goal, verdict: "not measured", measured: undefined };
    if (goal.kind === "absolute" && load >= QUIET_LOAD) return { goal, verdict: "not judged", measured };
    const met =
      (goal.atLeast === undefined || measured >= goal.atLeast) &&
      (goal.atMost === undefined || measured <= goal.atMost);
    return { goal, verdict: met ? "met" : "missed", measured };
  });
}

function measuredFor(goal: Goal, results: readonly CaseResult[]): number | undefined {
  const value = goal.value ?? "time";
  const ours = valueOf(results, goal.case, undefined, value);
  if (ours === undefined) return undefined;
  switch (goal.kind) {
    case "ratio": {
      const theirs = valueOf(results, goal.against.case ?? goal.case, goal.against.peer, value);
      if (theirs === undefined) return undefined;
      return goal.atLeast === undefined ? ours / theirs : theirs / ours;
    }
    case "absolute":
      return ours / UNITS[goal.unit];
    case "count":
      return goal.unit === undefined ? ours : ours / UNITS[goal.unit];
  }
}

function valueOf(
  results: readonly CaseResult[],
  caseName: string,
  subject: string | undefined,
  value: string,
): number | undefined {
  const result = results.find((r) => r.name === caseName);
  const measured = result?.measured.find((m) => m.subject === (subject ?? result.ours));
  if (measured === undefined) return undefined;
  if (value === "time") return measured.time.median;
  if (value === "cpu") return measured.cpu.median;
  if (value === "memory") return measured.memory;
  return measured.values[value];
}

/** What is wrong between a benchmark and the rows of goals.json that name it. */
export function compareGoals(bench: Bench, goals: readonly Goal[]): string[] {
  const wanted = new Set(goals.map((goal) => goal.id));
  const claimed = new Set(bench.goals);
  return [
    ...bench.goals
      .filter((id) => !wanted.has(id))
      .map((id) => `${bench.name} claims the goal ${id}, which goals.json does not give to it`),
    ...[...wanted]
      .filter((id) => !claimed.has(id))
      .map((id) => `${bench.name} must answer the goal ${id} and does not claim it`),
  ];
}

/** Rows that cannot be understood, each as a sentence. */
export function goalProblems(goals: readonly Goal[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const goal of goals) {
    if (seen.has(goal.id)) problems.push(`${goal.id} stands twice`);
    seen.add(goal.id);
    if ((goal.atLeast === undefined) === (goal.atMost === undefined))
      problems.push(`${goal.id} needs one of atLeast and atMost`);
    if (goal.kind === "ratio" && (goal.against.peer === undefined) === (goal.against.case === undefined))
      problems.push(`${goal.id} is measured against one of a peer and a case`);
    if (goal.kind !== "ratio" && goal.atLeast !== undefined)
      problems.push(`${goal.id} is ${goal.kind}, which is bounded by atMost`);
  }
  return problems;
}
