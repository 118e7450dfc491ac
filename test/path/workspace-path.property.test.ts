import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { HoldfastError } from "../../src/errors.ts";
import {
  comparePaths,
  displayPath,
  foldText,
  isUnder,
  parentOf,
  parsePath,
  pathFromSegments,
  segmentsOf,
  type NameAlphabet,
  type WorkspacePath,
} from "../../src/path/index.ts";
import { runs } from "../effort.ts";

const ODD: readonly string[] = (
  "/ // . .. \\ : \0 \n ~ % $ C: workspace /workspace/ .holdfast NUL aux. com1 \u00e9 e\u0301 \u200b \ud800 " +
  "\u{1f600} a B \u3000"
).split(" ");
const odd = fc.constantFrom(...ODD, " ", "x".repeat(79));
const text = fc.oneof(
  fc.array(fc.oneof(odd, fc.string({ maxLength: 3 })), { maxLength: 12 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc
    .array(fc.constantFrom("a", "b", "a b", "A", "a-b", ".x", "\u00e9", "\u{1f600}"), { maxLength: 6 })
    .map((parts) => parts.join("/")),
);
const names = fc.constantFrom<NameAlphabet>("ascii", "unicode");

function accepted(candidate: string, alphabet: NameAlphabet): WorkspacePath | undefined {
  try {
    return parsePath(candidate, { names: alphabet, allowRoot: true });
  } catch (error) {
    // Nothing but our own refusals ever comes out.
    if (HoldfastError.is(error) && error.code === "invalid_argument" && /^path_[a-z_]+$/.test(error.reason))
      return undefined;
    throw error;
  }
}

/** The refused classes once more, written apart from the grammar and as plainly as possible. */
function isRefused(segment: string, index: number, alphabet: NameAlphabet): boolean {
  const points = Array.from(segment);
  const lower = segment.toLowerCase();
  return (
    ["", ".", ".."].includes(segment) ||
    points.some((point) => "/\\:\0".includes(point) || /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]/u.test(point)) ||
    (alphabet === "ascii" && points.some((point) => point < " " || point > "~")) ||
    segment.trim() !== segment ||
    segment.endsWith(".") ||
    segment.normalize("NFC") !== segment ||
    points.length > 80 ||
    new TextEncoder().encode(segment).length > 255 ||
    /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9\u00b9\u00b2\u00b3])\s*(\.|$)/.test(lower) ||
    (index === 0 && lower === ".holdfast")
  );
}

describe("whatever is sent", () => {
  test("[PATH-16] no accepted path holds a refused segment after canonicalisation", () => {
    let count = 0;
    fc.assert(
      fc.property(text, names, (candidate, alphabet) => {
        const path = accepted(candidate, alphabet);
        if (path === undefined) return;
        count++;
        expect(path === "/workspace" || path.startsWith("/workspace/")).toBe(true);
        const segments = segmentsOf(path);
        expect(segments.length).toBeLessThanOrEqual(16);
        for (const [i, segment] of segments.entries())
          expect(isRefused(segment, i, alphabet), JSON.stringify(segment)).toBe(false);
      }),
      runs(4_000),
    );
    expect(count).toBeGreaterThan(500);
  });

  test("[PATH-16] no text is refused whose segments are all fine", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        names,
        (segments, alphabet) => {
          const fine = segments.every(
            (segment, i) =>
              !isRefused(segment, i, alphabet) && !/[\p{Co}\p{Noncharacter_Code_Point}]/u.test(segment),
          );
          const path = accepted(segments.join("/"), alphabet);
          if (fine) expect(path).toBe(`/workspace/${segments.join("/")}`);
          else if (segments.every((segment) => segment !== "" && !segment.includes("/")))
            expect(path).toBeUndefined();
        },
      ),
      runs(1_500),
    );
  });

  test("[PATH-16] canonical, display and segments forms read back as the same path", () => {
    fc.assert(
      fc.property(text, names, (candidate, alphabet) => {
        const path = accepted(candidate, alphabet);
        if (path === undefined) return;
        const options = { names: alphabet, allowRoot: true };
        expect(parsePath(path, options)).toBe(path);
        expect(parsePath(displayPath(path), options)).toBe(path);
        expect(pathFromSegments(segmentsOf(path), options)).toBe(path);
      }),
      runs(1_500),
    );
  });

  const path = fc
    .array(fc.constantFrom("a", "b", "ab", "a-b", "a b", "A", "\uffe6", "\u{1f600}"), { maxLength: 4 })
    .map((segments) => pathFromSegments(segments, { names: "unicode", allowRoot: true }));

  test("[PATH-18] isUnder agrees with comparing segments", () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        const directory = segmentsOf(other);
        const expected = directory.every((segment, i) => segmentsOf(one)[i] === segment);
        expect(isUnder(one, other)).toBe(expected);
        const parent = parentOf(one);
        if (parent !== undefined) expect(isUnder(one, parent)).toBe(true);
      }),
    );
  });

  test("[PATH-19] order agrees with comparing segments by code points", () => {
    const points = (segment: string): number[] => Array.from(segment, (point) => point.codePointAt(0) ?? 0);
    const compareLists = <T>(a: readonly T[], b: readonly T[], compare: (x: T, y: T) => number): number => {
      for (let i = 0; i < Math.min(a.length, b.length); i++) {
        const order = compare(a[i] as T, b[i] as T);
        if (order !== 0) return order;
      }
      return a.length - b.length;
    };
    fc.assert(
      fc.property(path, path, (one, other) => {
        const expected = compareLists(segmentsOf(one), segmentsOf(other), (x, y) =>
          compareLists(points(x), points(y), (p, q) => p - q),
        );
        expect(Math.sign(comparePaths(one, other))).toBe(Math.sign(expected));
      }),
      runs(800),
    );
  });

  test("[PATH-26] folding is idempotent and blind to letter case, for every character", () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x1ffff; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const char = String.fromCodePoint(code);
      const folded = foldText(char);
      if ([folded, char.toUpperCase(), char.toLowerCase()].some((other) => foldText(other) !== folded))
        wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-composite", maxLength: 8 }), (name) => {
        expect(foldText(foldText(name))).toBe(foldText(name));
        expect(foldText(name.normalize("NFD"))).toBe(foldText(name));
      }),
    );
  });
});
