import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Budget, countChars, countLines, cutText } from "../../src/text/budget.ts";
import { editDistance, nearest } from "../../src/text/nearest.ts";
import { runs } from "../effort.ts";

const text = fc
  .array(fc.constantFrom("a", "\u00e9", "\u{1f600}", "\n", "\r\n", "\r", "word"), { maxLength: 30 })
  .map((parts) => parts.join(""));

describe("cutting a text", () => {
  test("[TEXT-28] keeps whole lines while one fits", () => {
    expect(cutText("one\ntwo\nthree\n", 10)).toEqual({
      text: "one\ntwo\n",
      cut: { chars: 6, lines: 1 },
      chars: 8,
      wholeLines: true,
    });
    expect(cutText("one\ntwo\nthree", 100)).toEqual({
      text: "one\ntwo\nthree",
      cut: undefined,
      chars: 13,
      wholeLines: true,
    });
    expect(cutText("one\n", 4).cut).toBeUndefined();
    expect(cutText("", 0).cut).toBeUndefined();
  });

  test("[TEXT-28] keeps whole characters of a line that does not fit", () => {
    expect(cutText("\u{1f600}\u{1f600}\u{1f600}", 2)).toEqual({
      text: "\u{1f600}\u{1f600}",
      cut: { chars: 1, lines: 1 },
      chars: 2,
      wholeLines: false,
    });
    expect(cutText("abc\r\nd", 4).text).toBe("abc");
    expect(cutText("abc", 0)).toMatchObject({ text: "", cut: { chars: 3, lines: 1 } });
    expect(cutText("abc", -5)).toMatchObject({ text: "" });
  });

  test("[TEXT-28] is a prefix within the budget, counts the rest exactly, and goes on from there", () => {
    fc.assert(
      fc.property(text, fc.nat(40), (whole, budget) => {
        const part = cutText(whole, budget);
        expect(whole.startsWith(part.text)).toBe(true);
        expect(Array.from(part.text).length).toBe(part.chars);
        expect(part.chars).toBeLessThanOrEqual(budget);
        const rest = whole.slice(part.text.length);
        expect(Array.from(whole).slice(part.chars).join("")).toBe(rest);
        expect(part.cut ?? { chars: 0, lines: 0 }).toEqual({
          chars: Array.from(rest).length,
          lines: rest.split("\n").filter((line, i, all) => i < all.length - 1 || line !== "").length,
        });
        expect(part.text.endsWith("\r") && rest.startsWith("\n")).toBe(false);
        if (part.wholeLines) expect(part.text === "" || rest === "" || part.text.endsWith("\n")).toBe(true);
        // Nothing longer that ends with a line would have fitted.
        const next = whole.indexOf("\n", part.text.length) + 1;
        if (rest !== "" && next > 0) expect(Array.from(whole.slice(0, next)).length).toBeGreaterThan(budget);
      }),
      runs(1_000),
    );
  });

  test("[TEXT-28] counts characters and lines", () => {
    expect([countChars("a\u{1f600}\ud800"), countChars(""), countChars("\udc00\ud83d")]).toEqual([3, 0, 2]);
    expect([countLines(""), countLines("a"), countLines("a\n"), countLines("a\n\nb")]).toEqual([0, 1, 1, 3]);
  });
});

describe("a list within a budget", () => {
  test("[TEXT-29] is a prefix; the rest is counted", () => {
    const budget = new Budget(10);
    const taken = ["abc", "def", "toolong", "x"].map((item) => budget.add(item));
    expect(taken).toEqual([true, true, false, false]);
    expect(budget.text()).toBe("abc\ndef");
    expect([budget.taken, budget.leftOut, budget.used, budget.remaining, budget.full]).toEqual([
      2,
      2,
      8,
      2,
      true,
    ]);
    budget.leaveOut(5);
    expect(budget.leftOut).toBe(7);
  });

  test("[TEXT-29] never takes more than the budget", () => {
    fc.assert(
      fc.property(fc.array(text), fc.nat(60), (items, chars) => {
        const budget = new Budget(chars);
        for (const item of items) budget.add(item);
        expect(countChars(budget.text())).toBeLessThanOrEqual(chars);
        expect(budget.taken + budget.leftOut).toBe(items.length);
        expect(budget.text()).toBe(items.slice(0, budget.taken).join("\n"));
      }),
    );
  });
});

describe("the nearest name", () => {
  const known = ["path", "content", "encoding", "expectedVersion", "json_path", "mode"];

  test.each([
    ["pth", "path"],
    ["paht", "path"],
    ["Path", "path"],
    ["expected_version", "expectedVersion"],
    ["jsonPath", "json_path"],
    ["contents", "content"],
    ["encodng", "encoding"],
    ["mod", "mode"],
  ])("[TEXT-30] of %s is %s", (name, expected) => {
    expect(nearest(name, known)).toBe(expected);
  });

  test("[TEXT-30] is none when nothing is near", () => {
    for (const name of ["", "x", "filename", "zzzz", "p".repeat(65)])
      expect(nearest(name, known)).toBeUndefined();
    expect(nearest("path", [])).toBeUndefined();
    expect(nearest("ab", ["cd"])).toBeUndefined();
  });

  test("[TEXT-30] is the same name first, then the first of equals", () => {
    expect(nearest("a_b", ["ab", "a_b"])).toBe("a_b");
    expect(nearest("cart", ["care", "card"])).toBe("care");
  });

  test("[TEXT-30] counts inserts, removals, changes and swaps of neighbours up to the bound", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.nat(8), (a, b, most) => {
        const rows = Array.from({ length: a.length + 1 }, () =>
          Array.from({ length: b.length + 1 }, () => 0),
        );
        for (let i = 0; i <= a.length; i++)
          for (let j = 0; j <= b.length; j++) {
            const at = (x: number, y: number): number => rows[x]?.[y] ?? Infinity;
            let cost =
              i === 0
                ? j
                : j === 0
                  ? i
                  : Math.min(
                      at(i - 1, j) + 1,
                      at(i, j - 1) + 1,
                      at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
                    );
            if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
              cost = Math.min(cost, at(i - 2, j - 2) + 1);
            (rows[i] as number[])[j] = cost;
          }
        const exact = rows[a.length]?.[b.length] ?? 0;
        expect(editDistance(a, b, most)).toBe(Math.min(exact, most + 1));
      }),
      runs(800),
    );
  });
});
