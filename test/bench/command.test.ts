import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Goal } from "../../bench/_judge.ts";
import { ROOT } from "../../scripts/_command.ts";

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** What a benchmark says of itself. */
interface Told {
  readonly name: string;
  readonly goals: readonly string[];
}

function node(...args: readonly string[]): Ran {
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  return { code: run.status, output: run.stdout + run.stderr };
}

/** What the first test has compiled. */
const COMPILED = path.join(ROOT, ".build", "compiled", "bench");
const bench = (...args: readonly string[]): Ran => node(path.join(COMPILED, "run.js"), ...args);

describe("npm run bench", { timeout: 120_000 }, () => {
  test("compiles, and lists the benchmarks, and goals that have none yet", () => {
    const { code, output } = node("--import", "tsx", path.join("scripts", "bench.ts"), "--list");
    expect(code).toBe(0);
    expect(output).toContain("json: ");
    expect(output).toContain("host: ");
  });

  test("has a benchmark for every goal, which names it", () => {
    const { goals } = JSON.parse(readFileSync(path.join(ROOT, "bench", "goals.json"), "utf8")) as {
      readonly goals: readonly Goal[];
    };
    const files = readdirSync(COMPILED).filter((name) => name.endsWith(".bench.js"));
    const print = `
      for (const file of ${JSON.stringify(files)}) {
        const { default: { name, goals } } = await import(${JSON.stringify(pathToFileURL(COMPILED).href)} + "/" + file);
        console.log(JSON.stringify({ file, name, goals }));
      }`;
    const { output } = node("--input-type=module", "-e", print);
    const told = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Told);
    expect(told.map(({ name }) => `${name}.bench.js`)).toEqual(files);
    for (const { name, goals: own } of told) {
      const wanted = goals.filter((goal) => goal.bench === name).map((goal) => goal.id);
      expect(own.toSorted()).toEqual(wanted.toSorted());
    }
  });

  test("helps", () => {
    expect(bench("--help")).toMatchObject({
      code: 0,
      output: expect.stringContaining("--rounds <n>") as string,
    });
    expect(bench().code).toBe(2);
  });

  test.each([
    [["nothing-of-that-name"]],
    [["--unknown"]],
    [["json", "--rounds", "0"]],
    [["json", "--rounds", "x"]],
  ])("refuses %j with a code of its own", (args) => {
    expect(bench(...args).code).toBe(2);
  });
});
