import { describe, expect, test } from "vitest";
import { countTap, countVitest, resultLine, sumOf } from "../../scripts/_count.ts";

function report(...statuses: readonly string[]): string {
  return JSON.stringify({
    testResults: [
      {
        name: "/repo/test/a.test.ts",
        status: statuses.includes("failed") ? "failed" : "passed",
        assertionResults: statuses.map((status, i) => ({ fullName: `t${i}`, status })),
      },
    ],
  });
}

describe("counting a run", () => {
  test("names what failed and what was skipped", () => {
    const count = countVitest(report("passed", "failed", "skipped", "pending", "todo", "passed"), 1, "/repo");
    expect(count).toEqual({
      passed: 2,
      failed: ["test/a.test.ts: t1"],
      skipped: ["test/a.test.ts: t2", "test/a.test.ts: t3", "test/a.test.ts: t4"],
    });
    expect(resultLine(count)).toBe("2 passed, 1 failed, 3 skipped");
  });

  test("says nothing of skips when there are none", () => {
    expect(resultLine(countVitest(report("passed"), 0, "/repo"))).toBe("1 passed, 0 failed");
  });

  test("counts a file that did not load as a failure", () => {
    const text = JSON.stringify({
      testResults: [{ name: "/repo/test/b.test.ts", status: "failed", assertionResults: [] }],
    });
    expect(countVitest(text, 1, "/repo").failed).toEqual(["test/b.test.ts: the file did not run"]);
  });

  test("counts a missing report, and a bad end without a failed test, as a failure", () => {
    expect(countVitest(undefined, 0, "/repo").failed).toHaveLength(1);
    expect(countVitest(report("passed"), 1, "/repo").failed).toEqual([
      "vitest ended with code 1 although no test failed",
    ]);
  });

  test("counts what node --test reports, and a run without tests as a failure", () => {
    const tap =
      "TAP version 13\nok 1 - a\nnot ok 2 - b\n    ok 1 - inner\nok 3 - c # SKIP no browser\n1..3\n";
    const count = countTap(tap, 1, "there");
    expect(count).toEqual({ passed: 1, failed: ["there: b"], skipped: ["there: c"] });
    expect(countTap("", 0, "there").failed).toHaveLength(1);
    expect(countTap("ok 1 - a\n", 1, "there").failed).toHaveLength(1);
    const other = { passed: 2, failed: [], skipped: [] };
    expect(resultLine(sumOf([count, other]))).toBe("3 passed, 1 failed, 1 skipped");
  });
});
