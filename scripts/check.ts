// Owns: `npm run check`: every check that needs no test run.

import { runChecks } from "./_checks.ts";

const { failed, skipped } = await runChecks();
for (const what of skipped) console.log(`skipped: ${what}`);
if (failed.length > 0) {
  console.log(`\n${failed.length} failed: ${failed.join(", ")}. Run one alone with \`npm run <name>\`.`);
  process.exitCode = 1;
}
