import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/_command.ts";

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function node(...args: readonly string[]): Ran {
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  return { code: run.status, output: run.stdout + run.stderr };
}

/** What the first test has compiled. */
const bench = (...args: readonly string[]): Ran =>
  node(path.join(ROOT, ".build", "compiled", "bench", "run.js"), ...args);

describe("npm run bench", { timeout: 120_000 }, () => {
  test("compiles, and lists the benchmarks, and goals that have none yet", () => {
    const { code, output } = node("--import", "tsx", path.join("scripts", "bench.ts"), "--list");
    expect(code).toBe(0);
    expect(output).toContain("json: ");
    expect(output).toContain("host: ");
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
