import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../src/json/scan/memory-source.ts";
import { openScanner } from "../../../src/json/scan/open.ts";
import { evaluate, type EvaluateOptions } from "../../../src/json/path/evaluate.ts";
import { parseJsonPath } from "../../../src/json/path/parse.ts";
import { JsScanner } from "../../../src/json/scan/js-scanner.ts";
import { Rows } from "../../../src/json/scan/rows.ts";
import { Keys, type Scanner } from "../../../src/json/scan/scanner.ts";
import { Random } from "../support/styled-document.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const RUNS = LONG ? 100_000 : 600;
const LONG_ENOUGH = LONG ? 3_600_000 : 60_000;

const NUMBERS = [
  "0",
  "-0",
  "7",
  "-7",
  "7.0",
  "7.5",
  "-7.25",
  "0.1",
  "70e-1",
  "7E0",
  "700",
  "0.30000000000000004",
];
const LONG_NUMBERS = [
  "999999999999999",
  "1000000000000000",
  "9007199254740993",
  "123456789012345.6",
  "0.000000000000001",
];
const TEXTS = [
  '"seven"',
  '"seven "',
  '"seve"',
  '"s\\u0065ven"',
  '"7"',
  '""',
  '"\\u0000"',
  '"a\\/b"',
  '"a/b"',
  '"Zürich"',
  '"Z\\u00fcrich"',
];
const OTHERS = ["true", "false", "null", "[7]", '{"x":7}', "[]", "{}"];
const OPERATORS = ["==", "!=", "<", "<=", ">", ">="] as const;

type Operator = (typeof OPERATORS)[number];

/** The result of RFC 9535, 2.3.5.2.2, for a member against a literal that is no container. */
function compared(op: Operator, a: unknown, b: unknown): boolean {
  switch (op) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return (typeof a === "number" || typeof a === "string") && typeof a === typeof b && a < (b as typeof a);
    case "<=":
      return compared("<", a, b) || a === b;
    default:
      return compared(op === ">" ? "<" : "<=", b, a);
  }
}

function anyValue(random: Random): string {
  const of = random.pick([NUMBERS, NUMBERS, TEXTS, LONG_NUMBERS, OTHERS]);
  if (random.chance(10))
    return JSON.stringify("long ".repeat(1 + random.below(30)) + random.pick(["", '"', "\\"]));
  return random.pick(of);
}

/** A record, or now and then something else. */
function item(random: Random, names: readonly string[]): string {
  if (random.chance(4)) return anyValue(random);
  const blank = random.pick(["", " ", "\n      "]);
  const members: string[] = [];
  for (let i = random.below(7); i > 0; i--) {
    const name = random.chance(60)
      ? random.pick(names)
      : random.pick(["other", "x", "nam", "score2", "", "a/b"]);
    const key = random.chance(3)
      ? `"\\u00${(name.codePointAt(0) ?? 0x78).toString(16)}${name.slice(1)}"`
      : JSON.stringify(name);
    members.push(`${blank}${key}${random.pick([":", ": ", " : "])}${anyValue(random)}`);
  }
  return `{${members.join(",")}${blank}}`;
}

interface Found {
  readonly matches: readonly { readonly place: string; readonly text: string }[];
  readonly end: string;
}

function taken(scanner: Scanner, path: string, options: EvaluateOptions): Found {
  const run = evaluate(scanner, parseJsonPath(path), options);
  const decoder = new TextDecoder();
  const matches: Found["matches"][number][] = [];
  for (;;) {
    const step = run.next();
    if (step.done === true) return { matches, end: step.value };
    if (step.value === undefined) continue;
    const { start, end, path: place } = step.value;
    matches.push({ place, text: decoder.decode(scanner.bytes(start, end)) });
  }
}

describe("a filter that compares one member with a literal", () => {
  test(
    `[JPATH-16] [JPATH-14] selects what a comparison of the parsed values selects, on ${RUNS} arrays of records`,
    () => {
      let selected = 0;
      const check = (seed: number): void => {
        const random = new Random(seed);
        const names = random.pick([
          ["score", "name"],
          ["n", "name"],
          ["name"],
          ["a long name of a member", "score"],
        ]);
        const [first = "n", last = "n"] = [names[0], names.at(-1)];
        const items = Array.from({ length: random.pick([0, 1, 2, 9, 60]) }, () => item(random, names));
        const text = `{"m": [${items.join(random.pick([",", ", ", "\n  ,\n"]))}], "z": 1}`;
        const parsed = (JSON.parse(text) as { m: Record<string, unknown>[] }).m;

        const op = random.pick(OPERATORS);
        const literal = random.pick([...NUMBERS, ...TEXTS, ...LONG_NUMBERS, "true", "false", "null"]);
        const value: unknown = JSON.parse(literal);
        const also = random.chance(25);
        const below = random.chance(60) ? last : undefined;
        const sides = random.chance(50)
          ? `@['${first}'] ${op} ${literal}`
          : `${literal} ${mirrored(op)} @['${first}']`;
        const path = `$.m[?${sides}${also ? ` && @['${last}'] != 7` : ""}]${below === undefined ? "" : `['${below}']`}`;

        const expected = parsed.flatMap((record, index) => {
          const isRecord = typeof record === "object" && record !== null && !Array.isArray(record);
          const member = (name: string): unknown => (isRecord ? record[name] : undefined);
          if (!compared(op, member(first), value) || (also && member(last) === 7)) return [];
          if (below === undefined) return [{ place: `$['m'][${index}]`, value: record as unknown }];
          return member(below) === undefined
            ? []
            : [{ place: `$['m'][${index}]['${below}']`, value: member(below) }];
        });
        selected += expected.length;

        const source = memorySource(text);
        const options = { window: random.pick([64, 128, 1024, 262_144]), indexes: null, pauseEvery: 1 };
        for (const scanner of [openScanner(source, options), new JsScanner(source, options)])
          for (const maxMatches of [Infinity, 10_000, 3]) {
            const { matches, end } = taken(scanner, path, { maxMatches });
            expect(
              matches.map((match) => ({ place: match.place, value: JSON.parse(match.text) as unknown })),
              `${path} of ${text}`,
            ).toEqual(expected.slice(0, maxMatches));
            expect(end).toBe(expected.length > maxMatches ? "matches" : "complete");
          }
        const maxSteps = 1 + random.below(items.length + 3);
        const bounded = { maxMatches: 10_000, maxSteps };
        expect(
          taken(openScanner(source, options), path, bounded),
          `${path} of ${text}, ${maxSteps} steps`,
        ).toEqual(taken(new JsScanner(source, options), path, bounded));
      };
      fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 31 }), check), { numRuns: RUNS });
      expect(selected).toBeGreaterThan(RUNS);
    },
    LONG_ENOUGH,
  );

  test("[JPATH-17] [JPATH-18] counts the records it passes over, and ends with them", () => {
    const text = `{"m": [${Array.from({ length: 5_000 }, (_, i) => `{"n": ${i}}`).join(",")}]}`;
    const run = (path: string, options: EvaluateOptions): Found =>
      taken(openScanner(memorySource(text), { indexes: null }), path, options);
    // One step is the look-up of `m`.
    expect(run("$.m[?@.n >= 100]", { maxMatches: 9_999, maxSteps: 1_001 })).toMatchObject({
      end: "steps",
      matches: { length: 900 },
    });
    expect(run("$.m[?@.n < 0]", { maxMatches: 1, maxSteps: 5_001 })).toEqual({
      end: "complete",
      matches: [],
    });
    expect(run("$.m[?@.n < 0]", { maxMatches: 1, maxSteps: 5_000 })).toEqual({ end: "steps", matches: [] });
    let clock = 0;
    expect(run("$.m[?@.n < 0]", { maxMatches: 1, maxMillis: 3, now: () => clock++ * 10 })).toEqual({
      end: "time",
      matches: [],
    });
  });

  test("[JSON-20] a prefilter leaves out what cannot pass, and keeps what it cannot read at a glance", () => {
    const text =
      '[{"n":1},{"n":8},{"n":80e-1},{"n":"8"},{},{"n":8.5,"s":"abc"},[8],{"n":1234567890123456,"s":"a\\"c"}]';
    const scanner = openScanner(memorySource(text));
    const rows = new Rows(new Keys("n", "s"), { key: 0, than: 7, passing: 4, final: true }, 1);
    expect(scanner.rows(1, rows)).toBe(8);
    const kept = Array.from({ length: rows.count }, (_, i) => [rows.ordinal(i), rows.passes(i), rows.far(i)]);
    expect(kept).toEqual([
      [1, true, -1],
      [2, false, -1],
      [5, true, text.indexOf('"abc"') + 5],
      [7, false, -1],
    ]);
    expect(rows.end).toBe(text.length - 1);
  });
});

function mirrored(op: Operator): string {
  return op.replace(/[<>]/, (sign) => (sign === "<" ? ">" : "<"));
}
