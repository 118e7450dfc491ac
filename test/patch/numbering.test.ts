import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineList } from "../../src/patch/_line-list.ts";
import { applyPatch, patchedFiles } from "../../src/patch/index.ts";
import { after, numbered, on, reportFor } from "./_try.ts";

const twelve = numbered(12);
const shown = (text: string): string => text.trimEnd().replaceAll("\n", " ");
const without = (...gone: readonly string[]): string =>
  shown(twelve)
    .split(" ")
    .filter((line) => !gone.includes(line))
    .join(" ");
const del = (line: number, old?: string): Record<string, unknown> => ({
  line,
  op: "delete",
  ...(old === undefined ? {} : { old }),
});
const ins = (line: number, text: string): Record<string, unknown> => ({ line, op: "insert", new: text });
const rep = (line: number, old: string, text: string): Record<string, unknown> => ({
  line,
  op: "replace",
  old,
  new: text,
});

/** What each list of operations gives on lines L1 to L12, in original and in offset numbering. */
const TABLE: readonly (readonly [string, Record<string, unknown>[], string, string])[] = [
  [
    "the specification's example",
    [rep(8, "L8", "R"), ins(5, "I"), del(10, "L10")],
    "L1 L2 L3 L4 I L5 L6 L7 R L9 L11 L12",
    "L1 L2 L3 L4 I L5 L6 L7 R L9 L11 L12",
  ],
  [
    "insert 9, replace 3",
    [ins(9, "I"), rep(3, "L3", "R")],
    "L1 L2 R L4 L5 L6 L7 L8 I L9 L10 L11 L12",
    "conflict: fits, old_mismatch",
  ],
  [
    "delete 10, delete 2",
    [del(10, "L10"), del(2, "L2")],
    without("L10", "L2"),
    "conflict: fits, old_mismatch",
  ],
  ["the same without old", [del(10), del(2)], without("L10", "L2"), without("L10", "L1")],
  [
    "two inserts at 4",
    [ins(4, "a"), ins(4, "b")],
    "L1 L2 L3 a b L4 L5 L6 L7 L8 L9 L10 L11 L12",
    "L1 L2 L3 a b L4 L5 L6 L7 L8 L9 L10 L11 L12",
  ],
  [
    "insert 4, then replace the inserted line",
    [ins(4, "a"), rep(4, "a", "b")],
    "conflict: fits, old_mismatch",
    "conflict: fits, old_mismatch",
  ],
  ["delete 5, delete 6", [del(5, "L5"), del(6, "L6")], without("L5", "L6"), without("L5", "L6")],
  [
    "delete 5 twice",
    [del(5, "L5"), del(5, "L5")],
    "conflict: fits, line_already_deleted",
    "conflict: fits, old_mismatch",
  ],
  ["insert 13", [ins(13, "L13")], `${shown(twelve)} L13`, `${shown(twelve)} L13`],
];

describe("the same operations under both numberings", () => {
  test.each(TABLE)("[NDP-18] original: %s", (_, operations, original) => {
    expect(shown(after(twelve, operations))).toBe(original);
  });

  test.each(TABLE)("[NDP-46] offset: %s", (_, operations, _original, offset) => {
    expect(shown(after(twelve, operations, { numbering: "offset" }))).toBe(offset);
  });
});

describe("offset numbering", () => {
  const offset = { numbering: "offset" } as const;

  test("[NDP-46] counts one for an insert of several lines, and nothing for a replace", () => {
    expect(after(numbered(3), [ins(1, "x\ny"), rep(2, "L2", "z")], offset)).toBe("x\ny\nL1\nz\nL3\n");
    expect(after(numbered(3), [rep(1, "L1", "x\ny"), rep(2, "L2", "z")], offset)).toBe("x\ny\nz\nL3\n");
  });

  test("[NDP-46] a failed operation leaves list and counter alone", () => {
    const report = reportFor(
      numbered(3),
      [del(9), ins(9, "x"), rep(2, "L2", "y"), del(1, "?"), rep(3, "L3", "z")],
      offset,
    );
    expect(report.statuses).toEqual(["out_of_range", "out_of_range", "fits", "old_mismatch", "fits"]);
  });

  test("[NDP-46] a place before the list is out of range", () => {
    expect(after(numbered(3), [del(1), del(1)], offset)).toBe("conflict: fits, out_of_range");
    expect(after("", [ins(1, "a"), ins(1, "b")], offset)).toBe("a\nb\n");
  });

  test("[NDP-47] old sees the element that is there, also one that was put there", () => {
    expect(after(numbered(2), [rep(1, "L1", "x"), rep(1, "x", "y")], offset)).toBe("y\nL2\n");
    expect(after(numbered(2), [ins(1, "x"), del(1, "L1"), ins(1, "y")], offset)).toBe("y\nx\nL2\n");
    expect(after("a\r\nb\n", [rep(1, "a", "x"), rep(1, "x", "y"), ins(2, "z")], offset)).toBe(
      "y\r\nz\r\nb\n",
    );
  });

  test("[NDP-47] a mismatch names the original line and gives no number to send", () => {
    const [conflict] = reportFor(twelve, [ins(9, "I"), rep(3, "L3", "R")], offset).conflicts;
    expect(conflict?.resend).toBeUndefined();
    expect(conflict?.message).toContain("line 3 of the original file");
  });

  test("[NDP-45] a patch that was applied before is recognised", () => {
    const operations = [rep(2, "L2", "x"), ins(5, "new"), del(7, "L7")];
    const once = after(numbered(9), operations, offset);
    expect(reportFor(once, operations, offset).files[0]?.status).toBe("already_applied");
  });

  test("[NDP-46] agrees with an array that is spliced operation by operation", () => {
    const step = fc.record({
      line: fc.integer({ min: 1, max: 14 }),
      op: fc.constantFrom("insert", "replace", "delete"),
      check: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.array(step, { maxLength: 12 }), (count, steps) => {
        const list = Array.from({ length: count }, (_, i) => `L${i + 1}`);
        let counter = 0;
        let failed = false;
        const operations = steps.map(({ line, op, check }, i) => {
          const at = line - 1 + counter;
          const there = list[at];
          if (at < 0 || (op === "insert" ? at > list.length : there === undefined)) failed = true;
          else if (op === "insert") {
            list.splice(at, 0, `n${i}`);
            counter++;
          } else if (op === "delete") {
            list.splice(at, 1);
            counter--;
          } else list[at] = `n${i}`;
          return {
            line,
            op,
            ...(check && op !== "insert" && there !== undefined ? { old: there } : {}),
            ...(op === "delete" ? {} : { new: `n${i}` }),
          };
        });
        const result = after(numbered(count), operations, offset);
        if (failed) expect(result).toMatch(/^conflict/);
        else expect(result).toBe(list.map((line) => `${line}\n`).join(""));
      }),
      { numRuns: 2_000 },
    );
  });

  test("[NDP-65] 100,000 operations on 100,000 lines need no quadratic time", () => {
    const count = 100_000;
    const operations = Array.from({ length: count }, (_, i) =>
      i % 2 === 0 ? ins(((i * 7919) % count) + 1, "x") : { line: 1 + (i % 100), op: "replace", new: "y" },
    );
    const files = { f: numbered(count) };
    const patch = on(operations);
    const report = applyPatch(files, patch, offset);
    expect(report.ok || report.conflicts[0]?.reason === "out_of_range").toBe(true);
    expect(patchedFiles(files, report).size).toBe(1);
  });

  test("[NDP-46] the list of lines behaves as an array", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(2)), { maxLength: 200 }),
        (count, edits) => {
          const list = new LineList(count);
          const array = Array.from({ length: count }, (_, i) => i + 1);
          for (const [n, kind] of edits) {
            const at = n % (array.length + (kind === 0 ? 1 : 0) || 1);
            if (kind === 0) {
              list.insert(at, -n - 1);
              array.splice(at, 0, -n - 1);
            } else if (array.length > 0) {
              expect(list.get(at)).toBe(array[at]);
              if (kind === 1) list.set(at, (array[at] = -7));
              else {
                list.remove(at);
                array.splice(at, 1);
              }
            }
          }
          expect(list.length).toBe(array.length);
          expect([...list]).toEqual(array);
        },
      ),
      { numRuns: 100 },
    );
  });
});
