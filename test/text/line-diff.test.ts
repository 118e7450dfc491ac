import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { commonElements } from "../../src/text/_sequence-diff.ts";
import { diffLines, diffLinesSteps } from "../../src/text/line-diff.ts";
import { runNow } from "../../src/text/steps.ts";
import { applySplices, validateSplices } from "../../src/text/splice.ts";
import { bytesOf, notationOf, textOf } from "./splice-notation.ts";
import { runs } from "../effort.ts";

/** The length of a longest common subsequence, by the table. */
function longestCommon(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries())
      next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

function commonBy(a: readonly number[], b: readonly number[], maxWork = 1e9): number[] {
  const common = runNow(commonElements(Int32Array.from(a), Int32Array.from(b), 8, maxWork));
  const [inA, inB] = [a.filter((_, i) => common.a[i] === 1), b.filter((_, j) => common.b[j] === 1)];
  expect(inA).toEqual(inB);
  return inA;
}

const text = (words: readonly string[], maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.array(fc.constantFrom(...words), { maxLength }), fc.constantFrom("", "end", "\r"))
    .map(([lines, last]) => bytesOf(lines.join("") + last));

describe("the difference of two texts", () => {
  test.each([
    ["a\nb\nc\n", "a\nB\nc\n", "2-2+B\n"],
    ["a\nc\n", "a\nb\nc\n", "2+b\n"],
    ["a\nb\nc\n", "a\nc\n", "2-2"],
    ["a\n", "a\n", ""],
    ["", "x", "0+x"],
    ["x", "", "0-1"],
    ["a", "a\n", "0-1+a\n"],
    ["a\r\nb\n", "a\nb\n", "0-3+a\n"],
    ["x\nx\nx\n", "x\nx\n", "4-2"],
  ])("[TEXT-26] of %j and %j is %j", (before, after, expected) => {
    expect(notationOf(diffLines(bytesOf(before), bytesOf(after)))).toBe(expected);
  });

  test("[TEXT-26] applied to the first gives the second, in whole lines", () => {
    const pair = fc.oneof(
      fc.tuple(text(["a\n", "b\n"], 30), text(["a\n", "b\n"], 30)),
      fc.tuple(
        text(["a\n", "b\r\n", "\n", "\u00e9\n", "}\n", "  x\n"], 40),
        text(["a\n", "b\n", "\n", "}\n"], 40),
      ),
      fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 })),
    );
    fc.assert(
      fc.property(pair, fc.constantFrom(undefined, 0, 10, 60), ([before, after], maxWork) => {
        const splices = diffLines(before, after, maxWork === undefined ? {} : { maxWork });
        validateSplices(splices, before.length);
        expect(applySplices(before, splices)).toEqual(after);
        const border = (at: number): boolean => at === 0 || at === before.length || before[at - 1] === 10;
        for (const { at, remove } of splices) expect(border(at) && border(at + remove)).toBe(true);
      }),
      runs(1_500),
    );
  });

  test("[TEXT-27] keeps as many lines as can be kept", () => {
    const sequence = fc.oneof(
      fc.array(fc.nat(2), { maxLength: 50 }),
      fc.array(fc.nat(7), { maxLength: 50 }),
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7]),
    );
    fc.assert(
      fc.property(sequence, sequence, (a, b) => {
        expect(commonBy(a, b)).toHaveLength(longestCommon(a, b));
      }),
      runs(1_500),
    );
  });

  test("[TEXT-27] keeps equal lines only, however little work it may do", () => {
    const sequence = fc.array(fc.nat(7), { maxLength: 60 });
    fc.assert(
      fc.property(sequence, sequence, fc.nat(400), (a, b, maxWork) => {
        expect(commonBy(a, b, maxWork).length).toBeLessThanOrEqual(longestCommon(a, b));
      }),
      runs(800),
    );
  });

  test("[TEXT-27] of a few edits in many lines is those edits", () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i % 97} of ${i}\n`);
    const edited = lines.with(500, "changed\n").toSpliced(9_000, 2).toSpliced(15_000, 0, "new\n", "newer\n");
    const before = bytesOf(lines.join(""));
    const after = bytesOf(edited.join(""));
    const splices = diffLines(before, after);
    expect(splices).toHaveLength(3);
    expect(splices.map(({ insert }) => textOf(insert))).toEqual(["changed\n", "", "new\nnewer\n"]);
  });

  test("[TEXT-27] finds a block that moved, also beyond the bound of work", () => {
    // Every third line is unique; the search for the shortest edit cannot afford 4,000 edits.
    const lines = Array.from({ length: 20_000 }, (_, i) => (i % 3 === 0 ? `line ${i}\n` : `${i % 7}\n`));
    const block = lines.slice(6_000, 8_000);
    const moved = lines.toSpliced(6_000, 2_000).toSpliced(13_000, 0, ...block);
    const [before, after] = [bytesOf(lines.join("")), bytesOf(moved.join(""))];
    const splices = diffLines(before, after, { maxWork: 100_000 });
    expect(applySplices(before, splices)).toEqual(after);
    const size = bytesOf(block.join("")).length;
    expect(splices.reduce((sum, { remove }) => sum + remove, 0)).toBe(size);
  });

  test("[TEXT-27] is bounded on texts that have nothing or everything in common", () => {
    const hostile: [string, (i: number) => string, (i: number) => string][] = [
      ["no line in common", (i) => `a${i}\n`, (i) => `b${i}\n`],
      ["few lines in another order", (i) => `${(i * 7919) % 13}\n`, (i) => `${(i * 104_729) % 13}\n`],
      ["reversed", (i) => `${i}\n`, (i) => `${19_999 - i}\n`],
      ["alternating", (i) => `${i % 2}\n`, (i) => `${i % 3}\n`],
      [
        "one long run of equal lines between many others",
        (i) => (i > 2_000 && i < 18_000 ? "x\n" : `${(i * 7919) % 3}\n`),
        (i) => (i > 2_000 && i < 18_000 ? "x\n" : `${(i * i) % 3}\n`),
      ],
    ];
    for (const [what, one, other] of hostile) {
      const before = bytesOf(Array.from({ length: 20_000 }, (_, i) => one(i)).join(""));
      const after = bytesOf(Array.from({ length: 20_000 }, (_, i) => other(i)).join(""));
      const steps = diffLinesSteps(before, after);
      let count = 0;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count++;
      expect(applySplices(before, step.value), what).toEqual(after);
      // Each step but the 40 reading ones stands for some 2^17 comparisons: the bound, and not the product of the sizes.
      expect(count, what).toBeLessThan(100);
    }
  });
});
