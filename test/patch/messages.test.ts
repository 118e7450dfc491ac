import { describe, expect, test } from "vitest";
import {
  applyPatch,
  conflictError,
  describeReport,
  fromUnifiedDiff,
  parsePatch,
  toUnifiedDiff,
} from "../../src/patch/index.ts";
import { numbered, on, refusal, reportFor } from "./_try.ts";

const source = [
  "import fs from 'node:fs';",
  "",
  "export function read(path) {",
  "  const text = fs.readFileSync(path, 'utf8');",
  "  return text.split('\\n');",
  "}",
  "",
  "export function count(path) {",
  "  const lines = read(path);",
  "  return lines.length;",
  "}",
  "",
  "export function first(path) {",
  "  return read(path)[0];",
  "}",
  "",
  "export function last(path) {",
  "  return read(path).at(-1);",
  "}",
  "// the end",
];
const text = `${source.join("\n")}\n`;
const change = (line: number, old: string): Record<string, unknown> => ({
  line,
  op: "replace",
  old,
  new: "  return 1;",
});
const first = (operations: readonly Record<string, unknown>[], file = text) =>
  reportFor(file, operations).conflicts[0];
const says = (operations: readonly Record<string, unknown>[], file = text): string =>
  describeReport(reportFor(file, operations));

/** Takes a refused patch and sends it again as its conflicts say. */
function resent(operations: readonly Record<string, unknown>[], file: string): boolean {
  const report = reportFor(file, operations);
  const fixed = operations.map((operation, i) => ({
    ...operation,
    ...report.conflicts.find(({ index }) => index === i)?.resend,
  }));
  return reportFor(file, fixed).ok;
}

describe("patches spoiled in one way", () => {
  test("[NDP-51] none: the control applies", () => {
    expect(reportFor(text, [change(10, "  return lines.length;")]).ok).toBe(true);
  });

  test("[NDP-50] a line number off by 7 is corrected by the only place of the text", () => {
    const wrong = [change(3, "  return lines.length;")];
    expect(first(wrong)).toMatchObject({
      reason: "old_mismatch",
      candidates: [{ line: 10, match: "exact" }],
      resend: { line: 10 },
    });
    expect(says(wrong)).toContain('send "line": 10');
    expect(resent(wrong, text)).toBe(true);
  });

  test("[NDP-50] all line numbers off by 7 are corrected by one distance, also where a text is there twice", () => {
    const wrong = [
      change(3, "  return lines.length;"),
      change(4, "}"),
      change(6, "export function first(path) {"),
    ];
    expect(reportFor(text, wrong).conflicts.map(({ shift }) => shift)).toEqual([7, 7, 7]);
    expect(says(wrong)).toContain('fit 7 lines further down: add 7 to their "line"');
    expect(resent(wrong, text)).toBe(true);
    const up = [change(17, "  return lines.length;"), change(20, "export function first(path) {")];
    expect(says(up)).toContain('7 lines further up: take 7 from their "line"');
  });

  test("[NDP-50] a text that is in several places is listed with the nearest first", () => {
    expect(first([change(10, "}")])?.candidates?.map(({ line }) => line)).toEqual([11, 6, 15]);
    expect(first([change(10, "}")])?.resend).toBeUndefined();
    expect(says([change(10, "}")])).toContain("is at lines 11, 6, 15");
  });

  test("[NDP-49] a double blank is named as a difference in blanks", () => {
    const wrong = [change(10, "  return  lines.length;")];
    expect(first(wrong)).toMatchObject({
      difference: "blanks",
      column: 10,
      resend: { old: "  return lines.length;" },
    });
    expect(resent(wrong, text)).toBe(true);
  });

  test("[NDP-49] a blank at the end of the removed line is named", () => {
    const wrong = [change(10, "  return lines.length; ")];
    expect(first(wrong)).toMatchObject({ difference: "trailing blanks", column: 23 });
    expect(says(wrong)).toContain("Only blanks at the end differ");
    expect(resent(wrong, text)).toBe(true);
  });

  test("[NDP-49] look-alike characters, letter case and copied line numbers are named", () => {
    expect(first([change(4, "  const text = fs.readFileSync(path, ‘utf8’);")])?.difference).toBe(
      "look-alike characters",
    );
    expect(first([change(10, "\u00a0 return lines.length;")])?.difference).toBe("no-break spaces");
    expect(says([change(10, "\u00a0 return lines.length;")])).toContain('Expected "\\u00a0 return');
    expect(says([change(10, "  RETURN lines.length;")])).toContain("Only letter case differs");
    expect(first([change(10, "  RETURN lines.length;")])?.difference).toBe("letter case");
    expect(first([change(10, "  RETURN lines.length;")])?.resend).toBeUndefined();
    for (const old of [
      "10:   return lines.length;",
      "10\t  return lines.length;",
      "    10→  return lines.length;",
      "10|  return lines.length;",
    ]) {
      expect(first([change(10, old)])).toMatchObject({
        difference: "line number",
        resend: { old: "  return lines.length;" },
      });
      expect(resent([change(10, old)], text)).toBe(true);
    }
  });

  test("[NDP-49] a stale removed line shows expected, found and the first column that differs", () => {
    const stale = [change(10, "  return lines.size;")];
    expect(first(stale)).toMatchObject({
      expected: "  return lines.size;",
      found: "  return lines.length;",
      column: 16,
      difference: "text",
      candidates: [],
    });
    expect(says(stale)).toContain(
      'Expected "  return lines.size;", found "  return lines.length;"; first difference at column 16',
    );
    expect(says(stale)).toContain('If you mean this line, send "old": "  return lines.length;"');
  });

  test("[NDP-50] a line that differs in letter case is named before other places", () => {
    const file = "one\ntwo\nthree\nfour\nTwo\n";
    expect(says([change(2, "TWO")], file)).toContain(
      'Only letter case differs. If you mean this line, send "old": "two". Otherwise: Nearly the same text is at line 5: ',
    );
    expect(says([change(2, "TWO")], file.replace("Two", "TWO"))).toContain(
      'If you mean this line, send "old": "two". Otherwise: The expected text is at line 5: send "line": 5.',
    );
    expect(says([change(2, "TWO")], "one\ntwo\n").match(/If you mean/g)).toHaveLength(1);
    expect(reportFor(file, [change(2, "two")]).ok).toBe(true);
  });

  test("[NDP-49] columns count characters, not UTF-16 units", () => {
    expect(first([change(1, "𝒳𝒳a")], "𝒳𝒳b\n")?.column).toBe(3);
    expect(first([change(1, "𝒳")], "𝒴\n")?.column).toBe(1);
    expect(first([change(1, "abc")], "ab\n")?.column).toBe(3);
  });

  test("[NDP-60] a stale context line of a diff is refused", () => {
    const diff = toUnifiedDiff({ f: text }, on([change(10, "  return lines.length;")]));
    const stale = diff.replace("   const lines = read(path);", "   const lines = load(path);");
    expect(stale).not.toBe(diff);
    const report = applyPatch({ f: text }, fromUnifiedDiff(stale));
    expect(report.conflicts).toMatchObject([
      { reason: "old_mismatch", line: 9, found: "  const lines = read(path);" },
    ]);
    expect(applyPatch({ f: text }, fromUnifiedDiff(diff)).ok).toBe(true);
  });

  test("[NDP-27] a missing final newline in the text of an operation does not matter", () => {
    expect(
      reportFor(text, [{ line: 10, op: "replace", old: "  return lines.length;\n", new: "x\n" }]).ok,
    ).toBe(true);
  });

  test("[NDP-4] a patch wrapped in a markdown fence is told to come without", () => {
    expect(refusal(`\`\`\`json\n${JSON.stringify(on([change(10, "x")]))}\n\`\`\``).message).toContain(
      "without the markdown fence",
    );
  });

  test("[NDP-49] lost indentation is a difference in blanks", () => {
    expect(first([change(10, "return lines.length;")])).toMatchObject({ difference: "blanks", column: 1 });
  });

  test("[NDP-49] several lines in old are told to become several operations", () => {
    expect(says([change(9, "  const lines = read(path);\n  return lines.length;")])).toContain(
      "Send one operation for each line",
    );
  });

  test("[NDP-49] the wish to edit one's own insert is recognised", () => {
    const own = [{ line: 2, op: "insert", new: "const a = 1;" }, change(2, "const a = 1;")];
    expect(says(own)).toContain("operations[0] inserts the expected text");
  });

  test("[NDP-25] a second operation that forgets the first is told what it left", () => {
    expect(says([change(10, "  return lines.length;"), change(10, "  return lines.length;")])).toContain(
      "An earlier operation of this patch put that text there",
    );
  });
});

describe("long lines", () => {
  const long = (length: number, end: string): string => `${"0123456789".repeat(length / 10)}${end}`;

  test.each([
    ["trailing blanks", "x", "x  "],
    ["letter case", "Xy", "xy"],
    ["look-alike characters", "\u2018x\u2019", "'x'"],
    ["no-break spaces", "a\u00a0b", "a b"],
    ["blanks", "a  b", "a b"],
  ])("[NDP-49] %s are named at any length", (difference, sent, there) => {
    for (const length of [0, 300, 1_900, 5_000, 100_000]) {
      const wrong = [change(1, long(length, sent))];
      const conflict = first(wrong, `${long(length, there)}\n`);
      expect(conflict?.difference).toBe(difference);
      expect(conflict?.column).toBeGreaterThan(length);
      // The part around the difference is shown.
      expect(conflict?.found).toContain(there.trimEnd().slice(-1));
      expect(says(wrong, `${long(length, there)}\n`).length).toBeLessThan(5_000);
    }
  });

  test("[NDP-51] are sent again whole, or the message says to read them; never cut", () => {
    for (const length of [0, 390, 1_990]) {
      const wrong = [change(1, `${long(length, "x")} `)];
      expect(first(wrong, `${long(length, "x")}\n`)?.resend?.old).toBe(long(length, "x"));
      expect(says(wrong, `${long(length, "x")}\n`)).toContain(`send "old": "${long(length, "x")}"`);
      expect(resent(wrong, `${long(length, "x")}\n`)).toBe(true);
    }
    const wrong = [change(1, `${long(3_000, "x")} `)];
    expect(first(wrong, `${long(3_000, "x")}\n`)?.resend).toBeUndefined();
    expect(says(wrong, `${long(3_000, "x")}\n`)).toContain(
      'read line 1, which is too long to be repeated here, and send all of it as "old"',
    );
    expect(says(wrong, `${long(3_000, "x")}\n`)).not.toContain('send "old":');
  });

  test("[NDP-65] many conflicts on one huge line cost a bounded look at it", () => {
    const operations = Array.from({ length: 300 }, () => change(1, "nope"));
    const report = reportFor(`${"y".repeat(4_000_000)}\n`, operations);
    expect(report.conflictCount).toBe(300);
    expect(JSON.stringify(report.conflicts).length).toBeLessThan(500_000);
  });
});

describe("texts that are not in the file", () => {
  test("[NDP-49] the mark of a diff in front of old is named, and taken off", () => {
    for (const mark of ["-", "+"]) {
      const wrong = [{ ...change(10, `${mark}  return lines.length;`), new: "+  return 1;" }];
      expect(first(wrong)).toMatchObject({
        difference: "diff marker",
        resend: { old: "  return lines.length;" },
      });
      expect(says(wrong)).toContain('Take the "+" off "new" too.');
      expect(resent(wrong, text)).toBe(true);
    }
  });

  test("[NDP-50] the line most like them is named", () => {
    const wrong = [change(2, "  const text = fs.readFileSync(path, 'ascii');")];
    expect(first(wrong)).toMatchObject({ candidates: [], similar: 4 });
    expect(says(wrong)).toContain("line 4 is most like it");
    expect(first([change(2, "nothing of the kind, not by far")])?.similar).toBeUndefined();
  });

  test("[NDP-53] the file that was meant is named", () => {
    const operations = [{ file: "src/reed.ts", line: 1, op: "delete" }];
    const message = (files: Record<string, string>): string => describeReport(applyPatch(files, operations));
    expect(message({ "src/read.ts": "x" })).toContain("Did you mean /workspace/src/read.ts?");
    expect(message({ "lib/reed.ts": "x", "src/read.ts": "x" })).toContain(
      "Did you mean /workspace/lib/reed.ts?",
    );
    expect(message({ "src/other.ts": "x" })).not.toContain("Did you mean");
  });
});

describe("messages", () => {
  test("[NDP-52] count in good grammar", () => {
    expect(says([change(1, "x"), change(10, "  return lines.length;")])).toMatch(
      /^1 of 2 operations does not fit; nothing was written\. Send the whole patch again with this corrected:/,
    );
    expect(says([change(1, "x")])).toMatch(/^1 of 1 operation does not fit/);
    expect(says([change(2, source[2] ?? ""), change(3, source[3] ?? "")])).toContain(
      "fit 1 line further down",
    );
    const created = { operations: [], created: ["f"] };
    expect(describeReport(applyPatch({ f: "x" }, created))).toContain("it exists and has 1 line.");
  });

  test("[NDP-4] words around the JSON are told to go", () => {
    const json = JSON.stringify(on([change(10, "x")]));
    expect(refusal(`Here is the patch:\n${json}`).message).toContain("without the words around it");
    expect(refusal(`${json}\nThat should do.`).message).toContain("without the words around it");
  });

  test("[NDP-69] the error's text and data obey the budget, what to send again first", () => {
    const operations = Array.from({ length: 300 }, (_, i) => ({
      line: i + 1,
      op: "delete",
      old: `${"w".repeat(400)}${i} `,
    }));
    const file = operations.map(({ old }) => `${old.trimEnd()}\n`).join("");
    for (const budget of [2_000, 8_000, 30_000]) {
      const error = conflictError(reportFor(file, operations), { budget });
      expect(error.message.length + JSON.stringify(error.data).length).toBeLessThan(budget + 2_000);
      const { total, conflicts } = error.data as unknown as {
        total: number;
        conflicts: { resend: object }[];
      };
      expect(total).toBe(300);
      expect(conflicts.every(({ resend }) => resend !== undefined)).toBe(true);
    }
  });

  test("[NDP-51] the data of the error can be sent back as they are", () => {
    const wrong = [change(4, `${source[3] ?? ""}  `), change(3, "  return lines.length;")];
    const { conflicts } = conflictError(reportFor(text, wrong)).data as unknown as {
      conflicts: { index: number; resend: object }[];
    };
    const fixed = wrong.map((operation, i) => ({
      ...operation,
      ...conflicts.find(({ index }) => index === i)?.resend,
    }));
    expect(reportFor(text, fixed).ok).toBe(true);
    const stale = { operations: on([change(10, "  return lines.length;")]), base: { f: "1-a" } };
    const files = { f: { content: text, token: "2-b" } };
    const [conflict] = (
      conflictError(applyPatch(files, stale)).data as unknown as {
        conflicts: { token: string }[];
      }
    ).conflicts;
    expect(applyPatch(files, { ...stale, base: { f: conflict?.token } }).ok).toBe(true);
  });

  test("[NDP-53] out_of_range says how many lines there are and which number appends", () => {
    expect(first([{ line: 25, op: "insert", new: "x" }])).toMatchObject({
      reason: "out_of_range",
      lines: 20,
    });
    expect(says([{ line: 25, op: "insert", new: "x" }])).toContain(
      'has 20 lines. To append, send "line": 21',
    );
    expect(says([{ line: 25, op: "delete" }])).toContain("from 1 to 20");
    expect(says([{ line: 1, op: "delete" }], "")).toContain("the file is empty");
    expect(says([{ line: 3, op: "insert", new: "x" }], "a")).toContain("has 1 line.");
  });

  test("[NDP-52] say that nothing was written, which operations do not fit, and that the others do", () => {
    const message = says([
      change(10, "  return lines.length;"),
      change(3, "nope"),
      { line: 99, op: "delete" },
    ]);
    expect(message).toMatch(/^2 of 3 operations do not fit; nothing was written\./);
    expect(message).toContain("operations[1] (replace line 3 of /workspace/f)");
    expect(message).toContain("operations[2] (delete line 99 of /workspace/f)");
    expect(message).toContain("The other operation fits: send it again as it is.");
  });

  test("[NDP-52] hold at most 20 operations and say how many more there are", () => {
    const operations = Array.from({ length: 500 }, (_, i) => ({ line: i + 1, op: "delete", old: "?" }));
    const report = reportFor(numbered(500), operations);
    expect(report.conflictCount).toBe(500);
    expect(report.conflicts.length).toBe(200);
    const message = describeReport(report);
    expect(message).toContain("and 480 more");
    expect(message.split("\n").length).toBeLessThan(25);
  });

  test("[NDP-52] control characters and long lines do not get through", () => {
    const message = says([change(1, "\u001b[2J\u202e")], `\u001b]0;x\u0007${"y".repeat(100_000)}\n`);
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(message.length).toBeLessThan(2_000);
  });

  test("[NDP-48] a success says what became of each file", () => {
    const report = applyPatch(
      { a: "1\n", b: "x\n", c: "" },
      {
        operations: [
          { file: "a", line: 1, op: "replace", old: "1", new: "2\n3" },
          { file: "a", line: 2, op: "insert", old: "?", new: "4" },
          { file: "b", line: 1, op: "replace", old: "y", new: "x" },
        ],
        created: ["d"],
        removed: ["c"],
      },
    );
    expect(report.statuses).toEqual(["applied", "applied", "already_applied"]);
    expect(describeReport(report)).toBe(
      [
        "3 operations on 4 files:",
        "- /workspace/a: +3 -1, now 3 lines",
        "- /workspace/b: already applied, not changed again",
        "- /workspace/d: created, +0 -0, now 0 lines",
        "- /workspace/c: removed",
        '[Warning] operations[1]: "old" is not used by this operation and was ignored.',
      ].join("\n"),
    );
    expect(describeReport(applyPatch({}, []))).toBe("The patch is empty; nothing changed.");
  });

  test("[NDP-43] the error carries every conflict as data", () => {
    const error = conflictError(
      applyPatch({ f: text }, on([change(3, "  return lines.length;"), { line: 99, op: "delete" }])),
    );
    expect(error).toMatchObject({ code: "conflict", reason: "old_mismatch" });
    expect(error.data).toMatchObject({
      total: 2,
      conflicts: [
        { index: 0, reason: "old_mismatch", resend: { line: 10 } },
        { index: 1, reason: "out_of_range", lines: 20 },
      ],
    });
  });

  test("[NDP-14] warnings are in the patch that was read", () => {
    expect(parsePatch(on([{ line: 1, op: "delete", new: "x" }])).warnings.length).toBe(1);
  });
});
