// Owns: `npm test`: the build, every check and every test, counted together. The last line is the result.
// Must never: hide a skip; what was skipped is listed by name and counted apart.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { runChecks } from "./_checks.ts";
import { ROOT, run } from "./_command.ts";
import { countVitest, resultLine, type Count } from "./_count.ts";

const args = process.argv.slice(2);
const long = args.includes("--long");
const filters = args.filter((arg) => arg !== "--long");
const report = path.join(ROOT, ".build", "vitest.json");

const checks = await runChecks();
const tests = await runTests();

const total: Count = {
  passed: checks.passed.length + tests.passed,
  failed: [...checks.failed.map((name) => `check: ${name}`), ...tests.failed],
  skipped: [...checks.skipped, ...tests.skipped],
};
for (const name of total.skipped) console.log(`skipped: ${name}`);
for (const name of total.failed) console.log(`failed: ${name}`);
console.log(resultLine(total));
process.exitCode = total.failed.length > 0 ? 1 : 0;

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
