import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../src/json/scan/memory-source.ts";
import { openScanner } from "../../../src/json/scan/open.ts";
import { evaluate, type EvaluateOptions } from "../../../src/json/path/evaluate.ts";
import { parseJsonPath } from "../../../src/json/path/parse.ts";
import { JsScanner } from "../../../src/json/scan/js-scanner.ts";
import type { Scanner } from "../../../src/json/scan/scanner.ts";
import { Random } from "../support/styled-document.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const RUNS = LONG ? 40_000 : 150;
const LONG_ENOUGH = LONG ? 3_600_000 : 60_000;

/** What a bounded run gives, which may hold matches back, and how it ended. */
function taken(scanner: Scanner, path: string, options: EvaluateOptions): unknown {
  const run = evaluate(scanner, parseJsonPath(path), options);
  const matches: unknown[] = [];
  for (;;) {
    const step = run.next();
    if (step.done === true) return { matches, end: step.value };
    if (step.value !== undefined) {
      const { start, end, kind, path: place } = step.value;
      matches.push({ start, end, kind, place });
    }
  }
}

function spelled(random: Random, name: string): string {
  if (name === "" || random.chance(70)) return JSON.stringify(name);
  return `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${JSON.stringify(name.slice(1)).slice(1)}`;
}

/** An object of records and other values; some keys twice when asked for. */
function objectText(random: Random, size: number, twins: boolean, comment: string): string {
  const blank = random.pick(["", " ", "\n  "]);
  const members: string[] = [];
  for (let i = 0; i < size; i++) {
    const name =
      twins && random.chance(5) ? `k${random.below(i + 1)}` : random.pick([`k${i}`, `é${i}`, `${i}`]);
    const x = random.below(4);
    const value = random.pick([
      `{"x":${x},"y":"v${i}"}`,
      `{ "y" : [${i}] , "x" : ${x} }`,
      `{"\\u0078":${x},"y":{"x":9}}`,
      `{"x":1,"x":${x}}`,
      `[${x}]`,
      `${x}`,
      `"x"`,
      "{}",
    ]);
    members.push(`${blank}${spelled(random, name)}${random.pick([":", " : "])}${value}`);
  }
  return `{${members.join(`${blank}${comment},`)}${blank}}`;
}

const QUERIES = [
  "$.m[?@.x > 1]",
  "$.m[?@.x > 1].y",
  "$.m[?@ == 1]",
  "$.m[?@.x == 1 || @[0] == 2]",
  "$.m[?@.y.x]",
];

describe("a filter over the values of an object", () => {
  test(
    `[JPATH-14] [JPATH-18] gives in one pass what it gives in several, on ${RUNS} objects with and without duplicate keys`,
    () => {
      let withTwins = 0;
      const check = (seed: number): void => {
        const random = new Random(seed);
        const twins = random.chance(50);
        const comment = random.chance(20) ? "/* c */" : "";
        const size = random.pick([0, 1, 3, 20, 100, 600]);
        const again = random.chance(10) ? `, "m": ${objectText(random, 5, false, "")}` : "";
        const text = `{"a": [1], "m": ${objectText(random, size, twins, comment)}, "z": {"m": 2}${again}}`;
        if (twins) withTwins++;
        const source = memorySource(text);
        const path = random.pick(QUERIES);
        const all = taken(openScanner(source, { indexes: null }), path, {}) as { matches: unknown[] };
        const options = { window: random.pick([64, 128, 4096]), indexes: null, pauseEvery: 1 };
        const scanners = [openScanner(source, options), new JsScanner(source, options)];
        for (const scanner of scanners)
          for (const maxMatches of [1, 7, 10_000]) {
            const skip = random.below(3);
            expect(taken(scanner, path, { maxMatches, skip }), text).toEqual({
              matches: all.matches.slice(skip, skip + maxMatches),
              end: all.matches.length > skip + maxMatches ? "matches" : "complete",
            });
          }
      };
      fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 31 }), check), { numRuns: RUNS });
      expect(withTwins).toBeGreaterThan(RUNS / 4);
    },
    LONG_ENOUGH,
  );

  test("[JPATH-14] [JPATH-17] reads a large object once, its keys included", () => {
    const member = (i: number): string => `"key ${i}": {"n": ${i}, "s": "${"x".repeat(60)}"}`;
    const text = `{"m": {${Array.from({ length: 20_000 }, (_, i) => member(i)).join(", ")}}, "z": 1}`;
    const inner = memorySource(text);
    let bytes = 0;
    const source = {
      size: inner.size,
      id: inner.id,
      read: (...place: Parameters<typeof inner.read>): number => {
        const got = inner.read(...place);
        bytes += got;
        return got;
      },
    };
    for (const maxMatches of [5, 100_000]) {
      bytes = 0;
      const scanner = openScanner(source, { indexes: null });
      const run = [...evaluate(scanner, parseJsonPath("$.m[?@.n >= 10000].n"), { maxMatches })];
      expect(run.filter((match) => match !== undefined)).toHaveLength(Math.min(maxMatches, 10_000));
      expect(bytes).toBeLessThan(1.3 * source.size);
    }
  });

  test("[JPATH-14] [JPATH-18] bounds end it, and a scalar or missing member has nothing to filter", () => {
    const text = `{"m": {${Array.from({ length: 50 }, (_, i) => `"k${i}": {"n": ${i}}`).join(",")}}, "s": "{[", "n": 1}`;
    const run = (path: string, options: EvaluateOptions): unknown =>
      taken(openScanner(memorySource(text)), path, options);
    expect(run("$.m[?@.n >= 0].n", { maxMatches: 99, maxSteps: 11 })).toMatchObject({
      end: "steps",
      matches: { length: 10 },
    });
    for (const path of ["$.s[?@.n]", "$.n[?@.n]", "$.none[?@.n]"])
      expect(run(path, { maxMatches: 9 })).toEqual({ matches: [], end: "complete" });
  });
});
