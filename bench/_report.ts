// Owns: how a run is shown: one table per case, one for the goals.

import type { CaseResult, Measured } from "./_measure.ts";
import type { Goal, Judged } from "./_judge.ts";

/** Subjects of a case: how long, how steady, how much more or less than ours. */
export function caseTable(result: CaseResult): string {
  const ours = result.measured.find((m) => m.subject === result.ours);
  const named = [...new Set(result.measured.flatMap((m) => Object.keys(m.values)))];
  const showMemory = result.measured.some((m) => m.memory !== undefined);
  const head = ["", "median", "p10 .. p90", "against ours", "CPU"];
  if (result.bytes !== undefined) head.push("MB/s");
  if (showMemory) head.push("memory");
  const rows = result.measured.map((m) => {
    const cells = [
      m.subject,
      showTime(m.time.median),
      `${showTime(m.time.p10)} .. ${showTime(m.time.p90)}`,
      m === ours || ours === undefined ? "" : showFactor(m.time.median / ours.time.median),
      showTime(m.cpu.median),
    ];
    if (result.bytes !== undefined) cells.push(showNumber(result.bytes / 1e6 / (m.time.median / 1000)));
    if (showMemory) cells.push(m.memory === undefined ? "" : showBytes(m.memory));
    return [...cells, ...named.map((name) => showValue(m, name))];
  });
  return `${result.name} (${result.rounds} rounds)\n${table([[...head, ...named], ...rows])}`;
}

/** Each goal with its bound, what was measured, and the verdict. */
export function goalTable(judged: readonly Judged[]): string {
  const rows = judged.map(({ goal, verdict, measured }) => [
    goal.id,
    goal.what,
    showBound(goal),
    measured === undefined ? "-" : showMeasured(goal, measured),
    verdict === "missed" || verdict === "not measured" ? verdict.toUpperCase() : verdict,
  ]);
  return table([["goal", "what", "bound", "measured", ""], ...rows]);
}

function showBound(goal: Goal): string {
  const bound = goal.atLeast === undefined ? `<= ${String(goal.atMost)}` : `>= ${goal.atLeast}`;
  return `${bound}${unitOf(goal)}`;
}

function showMeasured(goal: Goal, measured: number): string {
  return `${showNumber(measured)}${unitOf(goal)}`;
}

function unitOf(goal: Goal): string {
  if (goal.kind === "ratio") return "x";
  return goal.unit === undefined ? "" : ` ${goal.unit}`;
}

function showValue(measured: Measured, name: string): string {
  const value = measured.values[name];
  return value === undefined ? "" : showNumber(value);
}

export function showTime(ms: number): string {
  if (Number.isNaN(ms)) return "-";
  if (ms < 0.001) return `${showNumber(ms * 1e6)} ns`;
  if (ms < 1) return `${showNumber(ms * 1e3)} us`;
  return ms < 10_000 ? `${showNumber(ms)} ms` : `${showNumber(ms / 1000)} s`;
}

function showBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${showNumber(bytes / 1024)} KB` : `${showNumber(bytes / 1024 / 1024)} MB`;
}

function showFactor(factor: number): string {
  return `${showNumber(factor)}x`;
}

/** Three digits are as many as a benchmark knows. */
function showNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
  return String(Number(value.toPrecision(3)));
}

function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => (row[at] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    `  ${widths.map((width, at) => (row[at] ?? "").padEnd(width)).join("  ")}`.trimEnd();
  const [head, ...body] = rows;
  const rule = `  ${widths.map((width) => "-".repeat(width)).join("  ")}`;
  return [line(head ?? []), rule, ...body.map(line)].join("\n");
}
