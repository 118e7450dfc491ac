// Owns: `npm run bench`: the command line around one or more benchmarks.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, type } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { goalProblems, type Goal } from "./_judge.ts";
import { EXTENSION, HERE, ROOT } from "./_root.ts";
import { runBench, type RunResult } from "./_run.ts";
import type { Bench } from "./harness.ts";

const HELP = `npm run bench -- <name>... [options]

Runs Holdfast and the programs people use today for the same job, in turns, and compares with bench/goals.json.
Ends with a code other than 0 when a goal is missed or could not be measured, or when a peer is missing.

  <name>          a benchmark; \`all\` runs every one
  --list          the benchmarks, their cases and how many goals they answer
  --rounds <n>    timed rounds per subject (default: what the case says, mostly 11)
  --case <text>   only cases whose name holds the text; only their goals are judged
  --json <file>   write everything that was measured
  --help          this text

Ratios are taken inside one run. Absolute times count only when the 1-minute load before the run is below 0.5.
HOLDFAST_BENCH_DIR says where the cases write (default: the temporary directory). Large inputs are kept in .build/bench.`;

function files(): Map<string, string> {
  const found = new Map<string, string>();
  const ending = `.bench${EXTENSION}`;
  // A compiled file outlives its source, which decides.
  for (const file of readdirSync(path.join(ROOT, "bench")).sort())
    if (file.endsWith(".bench.ts")) {
      const name = file.slice(0, -".bench.ts".length);
      found.set(name, path.join(HERE, name + ending));
    }
  return found;
}

async function load(name: string, file: string): Promise<Bench> {
  const { default: bench } = (await import(pathToFileURL(file).href)) as { default: Bench };
  if (bench.name !== name) throw new Error(`${file} declares "${bench.name}"; its file must be called so`);
  return bench;
}

async function list(goals: readonly Goal[]): Promise<void> {
  const benches = files();
  for (const [name, file] of benches) {
    const bench = await load(name, file);
    console.log(`${name}: ${bench.title} (${goals.filter((goal) => goal.bench === name).length} goals)`);
    for (const c of bench.cases)
      console.log(`    ${c.name}: ${[c.ours, ...(c.peers ?? [])].map((s) => s.name).join(", ")}`);
  }
  for (const name of new Set(goals.map((goal) => goal.bench)))
    if (!benches.has(name)) console.log(`${name}: has goals and no benchmark yet`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      rounds: { type: "string" },
      case: { type: "string" },
      json: { type: "string" },
    },
  });
  const { goals } = JSON.parse(readFileSync(path.join(ROOT, "bench", "goals.json"), "utf8")) as {
    goals: Goal[];
  };
  const wrong = goalProblems(goals);
  if (wrong.length > 0) throw new Error(`goals.json: ${wrong.join("; ")}`);
  if (values.list === true) {
    await list(goals);
    return 0;
  }
  if (values.help === true || positionals.length === 0) {
    console.log(HELP);
    return values.help === true ? 0 : 2;
  }
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error("--rounds takes a whole number from 1 up");

  const benches = files();
  const names = positionals.includes("all") ? [...benches.keys()] : positionals;
  const unknown = names.filter((name) => !benches.has(name));
  if (unknown.length > 0)
    throw new Error(
      `no benchmark called ${unknown.join(", ")}; there is ${[...benches.keys()].join(", ") || "none"}`,
    );

  const before = loadavg()[0] ?? 0;
  const machine = `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, ${type()} ${release()}`;
  console.log(`Node ${process.versions.node}, ${machine}, load ${before.toFixed(2)}`);
  const results: Record<string, RunResult> = {};
  for (const name of names) {
    const file = benches.get(name) ?? "";
    results[name] = await runBench(
      await load(name, file),
      goals.filter((goal) => goal.bench === name),
      {
        file,
        rounds,
        only: values.case,
        load: before,
        print: (text) => console.log(text),
        log: (line) => console.error(`... ${line}`),
      },
    );
  }
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ node: process.versions.node, machine, load: before, results }, null, 2)}\n`,
    );
  return Math.max(0, ...Object.values(results).map((result) => result.code));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
