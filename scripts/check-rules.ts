// Owns: `npm run rules`: rules, tests and specifications name each other. Reads the files; _rules.ts judges.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./_command.ts";
import { judgeRules } from "./_rules.ts";

// The tests of these scripts hold ids that only look like rules.
const NOT_TESTS = ["fixtures", "frameworks", "scripts"];

const spec = path.join(ROOT, "docs", "spec");
const given = path.resolve(ROOT, process.env["HOLDFAST_SPECS"] ?? "../shared/specs");
const rules = read(spec, (name) => name.endsWith(".md"));
const coverage = rules.get("coverage.md") ?? "";
rules.delete("coverage.md");
const tests = read(path.join(ROOT, "test"), (name) => {
  const top = name.split(path.sep)[0] ?? "";
  return name.endsWith(".ts") && !NOT_TESTS.includes(top);
});
const specifications = existsSync(given) ? read(given, (name) => /^\d.*\.md$/u.test(name)) : undefined;

const report = judgeRules({ rules, tests, coverage, specifications });
for (const problem of report.problems) console.error(problem);
if (specifications === undefined)
  console.log(
    "skipped: comparing docs/spec/coverage.md with the specifications: set HOLDFAST_SPECS to their folder",
  );
console.log(
  `note: ${report.rules} rules, ${report.titles} named by tests; ${report.rows} parts of the specifications, ` +
    `${report.open} open, ${report.withoutBehaviour} without behaviour; ${report.problems.length} problems`,
);
if (report.problems.length > 0) process.exitCode = 1;

function read(folder: string, wanted: (name: string) => boolean): Map<string, string> {
  const files = new Map<string, string>();
  const folders = existsSync(folder) ? [""] : [];
  for (let below = folders.pop(); below !== undefined; below = folders.pop())
    for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const name = path.join(below, entry.name);
      // Installed packages are not ours, and may link back to this repository.
      if (entry.isDirectory() && entry.name !== "node_modules") folders.push(name);
      if (entry.isFile() && wanted(name)) files.set(name, readFileSync(path.join(folder, name), "utf8"));
    }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
