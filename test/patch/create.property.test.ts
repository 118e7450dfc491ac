import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveLimits } from "../../src/limits.ts";
import { applyPatch, createPatch, formatPatch, parsePatch, patchedFiles } from "../../src/patch/index.ts";
import { textOfLines } from "./_model.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LONG = process.env["HOLDFAST_LONG"] === "1";
const RUNS = LONG ? 20_000 : 500;
const FILE = "f.txt";

function roundTrip(before: string, after: string): string | undefined {
  const limits = resolveLimits({ patchOperations: 1_000_000, patchChars: 256 * 1024 * 1024 });
  const patch = createPatch(before, after, { file: FILE, limits });
  const files = { [FILE]: before };
  const report = applyPatch(files, parsePatch(formatPatch(patch), { limits }), { limits });
  expect(report.conflicts).toEqual([]);
  return decoder.decode(patchedFiles(files, report).get(FILE));
}

/** Does lines lose nothing? Only a byte order mark that goes away cannot be said in lines. */
const expressible = (before: string, after: string): boolean =>
  !before.startsWith("\ufeff") || after.startsWith("\ufeff");

describe("apply(create(a, b), a) = b", () => {
  test("[NDP-55] for any two small texts: mixed endings, final newline or not, empty, Unicode", () => {
    fc.assert(
      fc.property(textOfLines(10), textOfLines(10), (before, after) => {
        fc.pre(expressible(before, after));
        expect(roundTrip(before, after)).toBe(after);
      }),
      { numRuns: RUNS },
    );
  });

  test("[NDP-55] for a text and its edited copy", () => {
    const edited = textOfLines(60).chain((before) =>
      fc.tuple(
        fc.constant(before),
        fc.array(fc.tuple(fc.nat(80), fc.nat(3), fc.constantFrom("", "n\n", "n\r\n", "p\nq\n"))),
      ),
    );
    fc.assert(
      fc.property(edited, ([before, edits]) => {
        const lines = before.split(/(?<=\n)/);
        for (const [at, remove, text] of edits) lines.splice(at, remove, text);
        const after = lines.join("");
        fc.pre(expressible(before, after));
        expect(roundTrip(before, after)).toBe(after);
      }),
      { numRuns: RUNS },
    );
  });

  test("[NDP-57] for any two sets of files", () => {
    const tree = fc.dictionary(fc.constantFrom("a", "b", "c/d", "e.txt"), textOfLines(4));
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        fc.pre(Object.keys(after).every((name) => expressible(before[name] ?? "", after[name] ?? "")));
        const patch = parsePatch(formatPatch(createPatch(before, after)));
        const report = applyPatch(before, patch);
        const got = new Map(
          [...patchedFiles(before, report)].map(([name, bytes]) => [name, decoder.decode(bytes)]),
        );
        expect(got).toEqual(new Map(Object.entries(after)));
      }),
      { numRuns: RUNS },
    );
  });

  test("[NDP-55] for texts of 100,000 lines", () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const word = (): string =>
      `${random(5) === 0 ? "}" : `line ${random(60_000)} é`}${random(9) === 0 ? "\r\n" : "\n"}`;
    const lines = Array.from({ length: 100_000 }, word);
    const before = lines.join("");
    const edited = [...lines];
    for (let i = 0; i < 5_000; i++) edited[random(edited.length)] = random(3) === 0 ? "" : word() + word();
    expect(roundTrip(before, edited.join("").trimEnd())).toBe(edited.join("").trimEnd());
    const other = Array.from({ length: LONG ? 100_000 : 20_000 }, word).join("");
    expect(roundTrip(before, other)).toBe(other);
    expect(roundTrip(before, "")).toBe("");
    expect(roundTrip("", before)).toBe(before);
  }, 300_000);

  test("[NDP-56] with as few changed lines as a textbook table finds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 14 }),
        fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 14 }),
        (a, b) => {
          const patch = createPatch(a.map((l) => `${l}\n`).join(""), b.map((l) => `${l}\n`).join(""), {
            file: FILE,
          });
          const removed = patch.operations.filter(({ op }) => op !== "insert").length;
          const added = patch.operations
            .filter(({ op }) => op !== "delete")
            .reduce((sum, operation) => sum + (operation.new ?? "").split("\n").length, 0);
          expect(removed + added).toBe(a.length + b.length - 2 * commonLength(a, b));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

/** Length of the longest common subsequence, by the quadratic table. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries())
      next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    row = next;
  }
  return row[b.length] ?? 0;
}
