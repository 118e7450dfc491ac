import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/_command.ts";

function bench(...args: readonly string[]): { readonly code: number | null; readonly output: string } {
  const run = spawnSync(process.execPath, ["--import", "tsx", path.join("scripts", "bench.ts"), ...args], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return { code: run.status, output: run.stdout + run.stderr };
}

// Each call compiles first.
describe("npm run bench", { timeout: 120_000 }, () => {
  test("lists the benchmarks, and goals that have none yet", () => {
    const { code, output } = bench("--list");
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
