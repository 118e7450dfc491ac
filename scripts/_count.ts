// Owns: reading vitest's JSON report into counts, and the one line a run ends with.
// Must never: count a run that broke as a run without failures.

export interface Count {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/**
 * Counts a report. A file that could not be loaded, a missing report, and a run that ended badly without naming a
 * failure (an unhandled rejection, a crash) each count as one failure.
 */
export function countVitest(text: string | undefined, exitCode: number, root: string): Count {
  if (text === undefined) return { passed: 0, failed: ["vitest wrote no report"], skipped: [] };
  const report = JSON.parse(text) as Report;
  let passed = 0;
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const file of report.testResults) {
    const name = file.name.startsWith(root) ? file.name.slice(root.length + 1) : file.name;
    let failedHere = 0;
    for (const test of file.assertionResults) {
      const title = `${name}: ${test.fullName.trim()}`;
      if (test.status === "passed") passed++;
      else if (test.status === "failed") {
        failedHere++;
        failed.push(title);
      } else skipped.push(title);
    }
    if (file.status === "failed" && failedHere === 0) failed.push(`${name}: the file did not run`);
  }
  if (exitCode !== 0 && failed.length === 0)
    failed.push(`vitest ended with code ${exitCode} although no test failed`);
  return { passed, failed, skipped };
}

/**
 * Counts a report in the form of TAP, as `node --test` writes it: one test for each line at its margin. A run that ended badly without
 * naming a failure, or without a test, counts as one failure.
 */
export function countTap(text: string, exitCode: number, where: string): Count {
  let passed = 0;
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const line of text.split("\n")) {
    const [, not, title = ""] = /^(not )?ok \d+ - (.*)$/u.exec(line) ?? [];
    if (title === "") continue;
    const name = `${where}: ${title.replace(/ # (?:SKIP|TODO).*$/u, "")}`;
    if (not !== undefined) failed.push(name);
    else if (/ # (?:SKIP|TODO)/u.test(title)) skipped.push(name);
    else passed++;
  }
  if (failed.length === 0 && (exitCode !== 0 || passed === 0))
    failed.push(`${where}: ended with code ${exitCode} after ${passed} tests`);
  return { passed, failed, skipped };
}

/** Several counts as one. */
export function sumOf(counts: readonly Count[]): Count {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.flatMap(({ failed }) => failed),
    skipped: counts.flatMap(({ skipped }) => skipped),
  };
}

/** Names what was skipped and what failed, then says the result in the last line. Returns the exit code. */
export function printResult(count: Count): 0 | 1 {
  for (const name of count.skipped) console.log(`skipped: ${name}`);
  for (const name of count.failed) console.log(`failed: ${name}`);
  console.log(resultLine(count));
  return count.failed.length > 0 ? 1 : 0;
}

/** `N passed, N failed`, and `, N skipped` when something was. */
export function resultLine(count: Count): string {
  const line = `${count.passed} passed, ${count.failed.length} failed`;
  return count.skipped.length === 0 ? line : `${line}, ${count.skipped.length} skipped`;
}
