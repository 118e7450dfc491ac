import { describe, expect, test } from "vitest";
import { parsePatch } from "../../src/patch/index.ts";
import { problemsOf, refusal } from "./_try.ts";

const insert = { file: "a.txt", line: 1, op: "insert", new: "x" };
const fields = (document: unknown): string[] =>
  problemsOf(document).map(({ index, field, reason }) => `${index ?? "-"}.${field ?? "-"} ${reason}`);

describe("the document", () => {
  test("[NDP-1] is an array of operations, as text or as value", () => {
    expect(parsePatch(JSON.stringify([insert])).operations).toEqual([insert]);
    expect(parsePatch([insert]).operations).toEqual([insert]);
    expect(parsePatch(`\ufeff${JSON.stringify([insert])}`).operations).toEqual([insert]);
  });

  test.each([["null"], ["1"], ['"text"'], ["true"]])("[NDP-1] is nothing else: %s", (text) => {
    expect(refusal(text)).toMatchObject({ code: "invalid_argument", reason: "invalid_patch" });
    expect(refusal(text).message).toContain("JSON array");
  });

  test("[NDP-1] one operation alone is told to go into an array", () => {
    expect(refusal(insert).message).toContain("Put it in [ ]");
  });

  test("[NDP-2] may be empty", () => {
    expect(parsePatch([])).toMatchObject({ operations: [], created: [], removed: [], warnings: [] });
  });

  test("[NDP-3] may be an envelope with files and tokens beside the operations", () => {
    const patch = parsePatch({
      operations: [insert],
      created: ["e"],
      removed: ["r"],
      base: { "a.txt": "4.ff" },
    });
    expect(patch).toMatchObject({ operations: [insert], created: ["e"], removed: ["r"] });
    expect([...patch.base]).toEqual([["a.txt", "4.ff"]]);
    expect(parsePatch({ operations: [insert], created: null, removed: null, base: null }).created).toEqual(
      [],
    );
    expect(parsePatch({ removed: ["r"] }).operations).toEqual([]);
  });

  test("[NDP-3] an envelope without operations names the array that was probably meant", () => {
    const error = refusal({ changes: [insert] });
    expect(error.reason).toBe("missing_field");
    expect(error.message).toContain('Rename "changes" to "operations"');
    expect(fields({ created: ["../x", 5], removed: "a" })).toEqual([
      "-.created path_dot_segment",
      "-.created invalid_patch",
      "-.removed invalid_patch",
    ]);
    expect(fields({ created: ["a"], removed: ["/workspace/a"] })).toEqual(["-.- invalid_patch"]);
  });

  test("[NDP-1] reading a patch that was read returns the same patch", () => {
    const patch = parsePatch([insert]);
    expect(parsePatch(patch)).toBe(patch);
  });
});

describe("text that is not JSON", () => {
  test.each([
    ['[{"file": "a",\n  "line" 1}]', "line 2, column 10", '":"'],
    ['[{"file": "é𝒳"; }]', "line 1, column 15", '"," or "}"'],
    ['[{"a": 1},]', "line 1, column 11", "Remove the comma"],
    ['[{"a": 1,}]', "line 1, column 10", "Remove the comma"],
    ['[{"a": "x', "line 1, column 10", "cut off"],
    ['[{"a": [1', "line 1, column 10", "cut off"],
    ['[{"new": "a\nb"}]', "line 1, column 12", "\\n for a line break"],
    ['[{"new": "C:\\dir"}]', "line 1, column 13", "\\\\ for a backslash"],
    ['[{"new": "say "hi""}]', "line 1, column 16", 'A quote inside a string is written \\"'],
    ["[{'a': 1}]", "line 1, column 3", "double quotes"],
    ["[01]", "line 1, column 3", '"," or "]"'],
    ["[-]", "line 1, column 3", "a value"],
    ["[1.]", "line 1, column 4", "a value"],
    ["[tru]", "line 1, column 2", "a value"],
    ["[1] // done", "line 1, column 5", "end of the text"],
    ['{"a":1}\n{"b":2}', "line 2, column 1", "one array"],
    ["", "", "written []"],
  ])("[NDP-4] %j is refused at %s: %s", (text, place, hint) => {
    const error = refusal(text);
    expect(error).toMatchObject({ code: "invalid_argument", reason: "invalid_patch" });
    expect(error.message).toContain(place);
    expect(error.message).toContain(hint);
  });

  test("[NDP-4] a markdown fence is named", () => {
    expect(refusal('```json\n[{"file":"a"}]\n```').message).toMatch(/line 1, column 1.*markdown fence/);
  });

  test("[NDP-4] a mark in front and a second array are named", () => {
    for (const mark of ["+", "- ", " + "])
      expect(refusal(`${mark}[{"file":"a"}]`).message).toContain("the mark of a diff or list in front");
    expect(refusal("[]\n[]").message).toContain("Put all operations into one array");
  });

  test("[NDP-4] a diff is told apart", () => {
    expect(refusal("--- a/x\n+++ b/x\n@@ -1 +1 @@\n").message).toContain("another format");
  });

  test("[NDP-4] the position is found in deep and long text without recursion", () => {
    expect(refusal("[".repeat(500_000)).message).toContain("column 500001");
    expect(refusal(`["${"x".repeat(5_000_000)}`).message).toContain("column 5000003");
  });
});

describe("problems", () => {
  test("[NDP-5] of all operations come together, with index, field, reason and advice", () => {
    const error = refusal([insert, { file: "../x", line: 0, op: "add" }, 7, { ...insert, new: 5 }]);
    expect(fields([insert, { file: "../x", line: 0, op: "add" }, 7, { ...insert, new: 5 }])).toEqual([
      "1.op invalid_operation",
      "1.file path_dot_segment",
      "1.line invalid_line",
      "2.- invalid_operation",
      "3.new invalid_operation",
    ]);
    expect(error.message).toContain("5 problems");
    expect(error.message).toContain("nothing was written");
    expect(error.message).toContain("operations[1].line: 0 is not a line number. Lines count from 1");
  });

  test("[NDP-64] that are many are counted, and bounded in what is listed", () => {
    const error = refusal(Array.from({ length: 5_000 }, () => 1));
    const data = error.data as unknown as { total: number; problems: unknown[] };
    expect(data.total).toBe(5_000);
    expect(data.problems.length).toBeLessThanOrEqual(200);
    expect(error.message).toContain("and 4980 more");
    expect(error.message.length).toBeLessThan(5_000);
  });
});

describe("an operation", () => {
  test("[NDP-6] needs file, line and op, and new for replace and insert", () => {
    expect(fields([{}])).toEqual(["0.op missing_field", "0.file missing_field", "0.line missing_field"]);
    expect(fields([{ file: "a", line: 1, op: "insert" }])).toEqual(["0.new missing_field"]);
    expect(fields([{ file: "a", line: 1, op: "replace", old: "x" }])).toEqual(["0.new missing_field"]);
    expect(parsePatch([{ file: "a", line: 1, op: "delete" }]).operations.length).toBe(1);
  });

  test.each([[1], ["x"], [null], [[]], [true]])("[NDP-6] is an object, not %j", (value) => {
    expect(fields([value])).toEqual(["0.- invalid_operation"]);
  });

  test("[NDP-7] reads null as absent, and an empty string as present", () => {
    expect(parsePatch([{ ...insert, old: null, eol: null, new: "" }]).operations).toEqual([
      { ...insert, new: "" },
    ]);
    expect(fields([{ ...insert, new: null }])).toEqual(["0.new missing_field"]);
    expect(fields([{ ...insert, line: null }])).toEqual(["0.line missing_field"]);
  });

  test("[NDP-8] is read under its other names", () => {
    const other = {
      file: "a",
      line_number: 3,
      operation: "replace",
      original_line_for_reference: "o",
      new_line_content: "n",
    };
    expect(parsePatch([other]).operations).toEqual([
      { file: "a", line: 3, op: "replace", old: "o", new: "n" },
    ]);
    expect(parsePatch([{ ...insert, operation: "insert" }]).operations).toEqual([insert]);
    expect(parsePatch([{ ...insert, operation: null }]).operations).toEqual([insert]);
  });

  test("[NDP-8] with two names that differ is refused", () => {
    expect(fields([{ ...insert, operation: "delete" }])).toEqual(["0.op invalid_operation"]);
    expect(fields([{ ...insert, line_number: 2 }])).toEqual(["0.line invalid_operation"]);
  });

  test.each([[0], [-1], [1.5], ["8"], [2 ** 53], [Infinity], [NaN], [true], [[1]], ["3-5"]])(
    "[NDP-9] has no line %j",
    (line) => {
      expect(fields([{ ...insert, line }])).toEqual(["0.line invalid_line"]);
    },
  );

  test("[NDP-9] gets advice for a line it can guess", () => {
    expect(problemsOf([{ ...insert, line: "8" }])[0]?.message).toContain("without quotes: 8");
    expect(problemsOf([{ ...insert, line: "3-5" }])[0]?.message).toContain("one operation for each line");
    expect(problemsOf([{ ...insert, line: 2 ** 53 }])[0]?.message).toContain("9007199254740991");
    expect(parsePatch([{ ...insert, line: 2 ** 53 - 1 }]).operations[0]?.line).toBe(2 ** 53 - 1);
  });

  test.each([
    ["Replace", "replace"],
    ["add", "insert"],
    ["remove", "delete"],
    ["update", "replace"],
    ["inser", "insert"],
  ])("[NDP-10] %s is not an op, %s is", (op, meant) => {
    const [problem] = problemsOf([{ ...insert, op }]);
    expect(problem?.reason).toBe("invalid_operation");
    expect(problem?.message).toContain(`Did you mean "${meant}"`);
  });

  test.each([
    ["../etc/passwd", "path_dot_segment"],
    ["a/../../b", "path_dot_segment"],
    ["/etc/passwd", "path_absolute"],
    ["C:\\x", "path_drive"],
    ["a\\b", "path_backslash"],
    ["a\u0000b", "path_nul"],
    ["", "path_empty"],
    ["dir/", "path_trailing_slash"],
    ["file:///etc/passwd", "path_url"],
    ["/workspace", "path_root"],
    ["x/".repeat(17) + "y", "path_too_deep"],
  ])("[NDP-11] refuses the file %j", (file, reason) => {
    const [problem] = problemsOf([{ ...insert, file }]);
    expect(problem?.field).toBe("file");
    expect(problem?.reason).toContain(reason);
  });

  test("[NDP-12] takes text for text", () => {
    expect(fields([{ file: 1, line: 1, op: "replace", old: 2, new: {}, eol: 3 }])).toEqual([
      "0.file invalid_operation",
      "0.old invalid_operation",
      "0.new invalid_operation",
      "0.eol invalid_operation",
    ]);
    expect(fields([{ ...insert, eol: "cr" }])).toEqual(["0.eol invalid_operation"]);
  });

  test("[NDP-12] refuses half of a surrogate pair", () => {
    expect(fields([{ ...insert, new: "a\ud800" }])).toEqual(["0.new invalid_operation"]);
    expect(fields([{ file: "a", line: 1, op: "delete", old: "\udc00b" }])).toEqual([
      "0.old invalid_operation",
    ]);
    expect(parsePatch([{ ...insert, new: "𝒳" }]).operations.length).toBe(1);
  });

  test("[NDP-13] refuses an unknown field and names the nearest", () => {
    expect(problemsOf([{ ...insert, op: "replace", oldText: "x", zzzzzz: "y" }])).toMatchObject([
      {
        index: 0,
        field: '"oldText"',
        reason: "invalid_operation",
        message: '"oldText" is not a field of the format. Did you mean "old"? Rename it, or leave it out.',
      },
      { message: '"zzzzzz" is not a field of the format. Leave it out.' },
    ]);
    expect(problemsOf({ operations: [], remove: ["a"] })).toMatchObject([
      { reason: "invalid_patch", message: expect.stringContaining('Did you mean "removed"?') as string },
    ]);
    expect(parsePatch({ operations: [{ ...insert, note: null }], note: null }).operations).toHaveLength(1);
    // What this room adds to its own patches is read again.
    expect(parsePatch({ ...parsePatch([insert]) }).operations).toEqual([insert]);
  });

  test("[NDP-68] a patch that was read is frozen", () => {
    for (const given of [
      JSON.stringify([insert]),
      [{ ...insert }],
      { operations: [insert], created: ["x"] },
    ]) {
      const patch = parsePatch(given);
      for (const part of [
        patch,
        patch.operations,
        patch.operations[0],
        patch.created,
        patch.removed,
        patch.warnings,
      ])
        expect(Object.isFrozen(part)).toBe(true);
    }
    const own = { ...insert };
    parsePatch([own]);
    expect(Object.isFrozen(own)).toBe(false);
  });

  test("[NDP-69] the data of an error do not grow with the number of problems", () => {
    const bad = Array.from({ length: 5_000 }, () => ({ file: "a", line: 0, op: "insrt", new: 1 }));
    const { data, message } = refusal(bad);
    expect((data as { total: number }).total).toBe(15_000);
    expect(JSON.stringify(data).length).toBeLessThan(12_000);
    expect(message.length).toBeLessThan(8_000);
  });

  test.each([
    ["path", "file"],
    ["lin", "line"],
    ["type", "op"],
    ["content", "new"],
  ])("[NDP-13] an unknown field %s is named where %s is missing", (key, field) => {
    const { [field as keyof typeof insert]: value, ...rest } = insert;
    const [problem] = problemsOf([{ ...rest, [key]: value }]);
    expect(problem).toMatchObject({ field, reason: "missing_field" });
    expect(problem?.message).toContain(`rename it to "${field}"`);
  });

  test("[NDP-13] keys that are special to JavaScript are ordinary unknown fields", () => {
    const special = '[{"file":"a","line":1,"op":"delete","__proto__":{"line":9},"constructor":1}]';
    expect(problemsOf(special).map(({ field }) => field)).toEqual(['"__proto__"', '"constructor"']);
  });

  test("[NDP-14] ignores what it has no use for, with a warning unless it is empty", () => {
    const { operations, warnings } = parsePatch([
      { ...insert, old: "x" },
      { file: "a", line: 1, op: "delete", new: "x", eol: "lf" },
      { ...insert, old: "" },
    ]);
    expect(operations[0]).toEqual(insert);
    expect(operations[1]).toEqual({ file: "a", line: 1, op: "delete" });
    expect(warnings.map(({ index, field }) => `${index ?? -1} ${field}`)).toEqual([
      "0 old",
      "1 new",
      "1 eol",
    ]);
  });
});
