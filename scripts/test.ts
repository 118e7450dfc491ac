// Owns: `npm test`: the build, every check and every test, counted together. The last line is the result.
// With `--frameworks`, and with `--long`, the bridges against the real frameworks count too; with `--long` also the package, installed.
// Must never: hide a skip; what was skipped is listed by name and counted apart.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { runChecks } from "./_checks.ts";
import { ROOT, run } from "./_command.ts";
import { countVitest, printResult, sumOf, type Count } from "./_count.ts";
import { testFrameworks } from "./_frameworks.ts";
import { testPackage } from "./_package.ts";

const args = process.argv.slice(2);
const long = args.includes("--long");
const withFrameworks = long || args.includes("--frameworks");
const filters = args.filter((arg) => arg !== "--long" && arg !== "--frameworks");
const report = path.join(ROOT, ".build", "vitest.json");

const checks = await runChecks();
const tests = await runTests();
const frameworks = withFrameworks ? [await testFrameworks(long)] : [];
const installed = long ? [await testPackage()] : [];

process.exitCode = printResult(
  sumOf([
    {
      passed: checks.passed.length,
      failed: checks.failed.map((name) => `check: ${name}`),
      skipped: checks.skipped,
    },
    tests,
    ...frameworks,
    ...installed,
  ]),
);

async function runTests(): Promise<Count> {
  mkdirSync(path.dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const { code } = await run(
    [
      "vitest",
      "run",
      "--reporter=default",
      "--reporter=json",
      "--outputFile.json=.build/vitest.json",
      ...filters,
    ].join(" "),
    { env: long ? { HOLDFAST_LONG: "1" } : {} },
  );
  let text: string | undefined;
  try {
    text = readFileSync(report, "utf8");
  } catch {
    text = undefined;
  }
  return countVitest(text, code, ROOT);
}
