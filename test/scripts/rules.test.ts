import { describe, expect, test } from "vitest";
import { outline } from "../../scripts/_outline.ts";
import { judgeRules, type RuleReport, type RuleSources } from "../../scripts/_rules.ts";

const SPECIFICATION = [
  "# Title",
  "## Reading",
  "Some words.",
  "- first item that is",
  "  rather long",
  "- second item",
  "```",
  "## not a heading",
  "- not an item",
  "```",
  "#### Scenario: Batch",
  "| Tool | What |",
  "| ---- | ---- |",
  "| `read` | reads |",
  "#### Scenario: Batch",
].join("\n");

const COVERAGE = [
  "# Coverage",
  "## spec.md",
  "| section or scenario | rules |",
  "| --- | --- |",
  "| ## Reading | ROOM-1 |",
  "| - first item... | ROOM-2, open |",
  "| - second item | no behaviour: an example |",
  "| #### Scenario: Batch | open |",
  "| #### Scenario: Batch | ROOM-1, ROOM-2 |",
].join("\n");

const RULES = "**[ROOM-1]** One.\n- **[ROOM-2]** Two, see **[ROOM-1]**.\n";
const TESTS = 'test("[ROOM-1] is one", go);\ntest.skipIf(x)(`[ROOM-2] is two`, go);\n';

interface Changed {
  readonly rules?: string;
  readonly tests?: string;
  readonly coverage?: string;
  readonly specification?: string | undefined;
}

function judge(changed: Changed = {}): RuleReport {
  const specification = "specification" in changed ? changed.specification : SPECIFICATION;
  const sources: RuleSources = {
    rules: new Map([["room.md", changed.rules ?? RULES]]),
    tests: new Map([["room.test.ts", changed.tests ?? TESTS]]),
    coverage: changed.coverage ?? COVERAGE,
    specifications: specification === undefined ? undefined : new Map([["spec.md", specification]]),
  };
  return judgeRules(sources);
}

describe("rule coverage", () => {
  test("is content when rules, tests and coverage name each other, and counts them", () => {
    expect(judge()).toEqual({ problems: [], rules: 2, titles: 2, rows: 5, open: 2, withoutBehaviour: 1 });
  });

  test("reports a rule that no test names", () => {
    expect(judge({ rules: `${RULES}**[ROOM-3]** Three.\n` }).problems).toEqual([
      "room.md: rule ROOM-3 has no test that names it",
    ]);
  });

  test("does not take a test that never runs for a proof", () => {
    const skipped = 'test("[ROOM-1] is one", go);\ntest.skip("[ROOM-2] is two", go);\n';
    expect(judge({ tests: skipped }).problems).toEqual(["room.md: rule ROOM-2 has no test that names it"]);
  });

  test("reports a test that names an unknown rule", () => {
    expect(judge({ tests: `${TESTS}test("[ROOM-9] is nothing", go);` }).problems).toEqual([
      "room.test.ts: a test names ROOM-9, which is no rule",
    ]);
  });

  test("finds every id at the front of a title", () => {
    const tests = 'test("[ROOM-1] [ROOM-2] are both", go);';
    expect(judge({ tests }).problems).toEqual([]);
  });

  test("reports an id that two rules share", () => {
    expect(judge({ rules: `${RULES}**[ROOM-1]** Again.\n` }).problems).toEqual([
      "room.md: rule ROOM-1 stands already in room.md",
    ]);
  });

  test("reports a heading of a specification that coverage lacks", () => {
    expect(judge({ coverage: COVERAGE.replace("| ## Reading | ROOM-1 |\n", "") }).problems).toEqual([
      'coverage of spec.md lacks the heading "## Reading"',
    ]);
  });

  test("reports one of two headings of the same name", () => {
    expect(judge({ coverage: COVERAGE.replace("| #### Scenario: Batch | open |\n", "") }).problems).toEqual([
      'coverage of spec.md lacks the heading "#### Scenario: Batch"',
    ]);
  });

  test("reports the missing item of a list that is taken apart, but not a list left whole", () => {
    const without = COVERAGE.replace("| - second item | no behaviour: an example |\n", "");
    expect(judge({ coverage: without }).problems).toEqual([
      'coverage of spec.md lacks the item "- second item"',
    ]);
    expect(judge({ coverage: without.replace("| - first item... | ROOM-2, open |\n", "") }).problems).toEqual(
      [],
    );
  });

  test("reports a row that the specification does not have", () => {
    expect(judge({ coverage: `${COVERAGE}\n| ## Writing | open |` }).problems).toEqual([
      'coverage of spec.md has "## Writing", which the specification does not',
    ]);
  });

  test("reports a specification without a table", () => {
    expect(judge({ coverage: "# Coverage\n" }).problems).toEqual(["coverage.md has no table for spec.md"]);
  });

  test("reports a mapped id that is no rule", () => {
    expect(judge({ coverage: COVERAGE.replace("| ROOM-1 |", "| ROOM-7 |") }).problems).toEqual([
      'coverage of spec.md, "## Reading": ROOM-7 is no rule',
    ]);
  });

  test.each(["", "later", "no behaviour:", "ROOM-1 maybe"])("refuses the answer %j", (answer) => {
    expect(judge({ coverage: COVERAGE.replace("| ROOM-1 |", `| ${answer} |`) }).problems).toHaveLength(1);
  });

  test("goes by the rows themselves when the specifications are not there", () => {
    const report = judge({
      specification: undefined,
      coverage: COVERAGE.replace("| ## Reading | ROOM-1 |\n", ""),
    });
    expect(report.problems).toEqual([]);
    expect(report.rows).toBe(4);
  });
});

test("an outline holds headings, items and table rows outside code", () => {
  expect(outline(SPECIFICATION)).toEqual([
    { text: "## Reading" },
    { text: "- first item that is rather long", list: 0 },
    { text: "- second item", list: 0 },
    { text: "#### Scenario: Batch" },
    { text: "row `read`", list: 1 },
    { text: "#### Scenario: Batch" },
  ]);
});
