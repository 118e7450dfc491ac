import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractCounting, extractJson } from "../../src/gates/extract/extract.ts";
import { describeRepair } from "../../src/gates/extract/repairs.ts";
import { StrictReader } from "../../src/gates/extract/strict-reader.ts";
import { EXTRACTION_CASES, NONE } from "./extraction-cases.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";

describe("cases", () => {
  test("[EXTRACT-1] there are at least two hundred written cases", () => {
    expect(EXTRACTION_CASES.length).toBeGreaterThanOrEqual(200);
  });
  for (const [index, one] of EXTRACTION_CASES.entries())
    test(`${one.rule} ${one.kind} ${index}: ${JSON.stringify(one.text).slice(0, 90)}`, () => {
      const answer = extractJson(one.text, { want: one.want, requireKeys: one.requireKeys });
      expect(answer.ok ? answer.value : NONE).toStrictEqual(one.value);
      const flags = `${answer.repaired ? "r" : ""}${answer.truncated ? "t" : ""}${answer.unclosed_thinking ? "u" : ""}`;
      expect(flags).toBe(one.flags);
      if (answer.ok) expect(answer.repairs.length > 0).toBe(answer.repaired);
    });
});

describe("what is refused", () => {
  test("[EXTRACT-16] an object nested deeper than 512 is too deep, and no inner object is taken for it", () => {
    const deep = (levels: number, tail = ""): string =>
      `${'{"a":'.repeat(levels)}1${tail}${"}".repeat(levels)}`;
    expect(extractJson(deep(512))).toMatchObject({ ok: true, repaired: false });
    expect(extractJson(deep(513))).toMatchObject({ ok: false, reason: "too_deep" });
    expect(extractJson(deep(513, ","))).toMatchObject({ ok: false, reason: "too_deep" });
    expect(extractJson(`{"a":`.repeat(600))).toMatchObject({ ok: false, reason: "too_deep" });
    expect(extractJson(`${deep(600)} {"b":2}`)).toMatchObject({ ok: true, value: { b: 2 } });
    expect(extractJson(deep(9), { maxDepth: 8 })).toMatchObject({ ok: false, reason: "too_deep" });
    const broken = "{'a':".repeat(600) + "1" + "}".repeat(600);
    expect(extractJson(broken)).toMatchObject({ ok: false, reason: "too_deep" });
    expect(extractJson(`${broken} {"final":1}`)).toMatchObject({ ok: true, value: { final: 1 } });
    expect(extractJson(`${broken} {'final':1}`)).toMatchObject({ ok: true, value: { final: 1 } });
    expect(extractJson(`{"first":1} ${broken}`)).toMatchObject({ ok: true, value: { first: 1 } });
    expect(extractJson("[".repeat(100_000))).toMatchObject({ ok: false });
  });
  test("[EXTRACT-17] a text above the limit is refused with both lengths", () => {
    const answer = extractJson(`{"a":1}${" ".repeat(20)}`, { maxLength: 10 });
    expect(answer).toMatchObject({ ok: false, reason: "too_long" });
    expect(!answer.ok && answer.message).toContain("27");
    expect(extractJson("x".repeat(1_000_001))).toMatchObject({ reason: "too_long" });
    expect(extractJson(" ".repeat(999_993) + '{"a":1}')).toMatchObject({ ok: true });
  });
  test("[EXTRACT-18] a text without an object says so", () => {
    expect(extractJson("nothing")).toStrictEqual({
      ok: false,
      reason: "no_json",
      message: "No JSON object found in text",
      repaired: false,
      truncated: false,
      unclosed_thinking: false,
    });
  });
  test("[EXTRACT-19] what is not text is refused, never thrown at", () => {
    for (const odd of [undefined, null, 1, {}, [], Symbol("x"), () => 1, new Proxy({}, {})])
      expect(extractJson(odd as never)).toMatchObject({ ok: false, reason: "not_text" });
  });
});

describe("repairs", () => {
  test("[EXTRACT-43] repairs are listed in text order with their offsets", () => {
    const answer = extractJson(`{'a': 1, // one\n"b": [1 2,], "c": True}`);
    expect(answer.ok && answer.repairs).toStrictEqual([
      { kind: "quotes", at: 1 },
      { kind: "comment", at: 9 },
      { kind: "missing_comma", at: 24 },
      { kind: "extra_comma", at: 26 },
      { kind: "literal", at: 34 },
    ]);
    expect(describeRepair({ kind: "quotes", at: 1 })).toContain("character 2");
  });
  test("[EXTRACT-43] only a hundred repairs are listed, all are counted", () => {
    const answer = extractJson(`{"a":[${"1,,".repeat(500)}2]}`);
    expect(answer).toMatchObject({ ok: true, repairCount: 500 });
    expect(answer.ok && answer.repairs.length).toBe(100);
  });
  test("[EXTRACT-48] broken objects beyond the first 256 are passed over, strict ones are not", () => {
    const many = "{'a':1} ".repeat(300);
    expect(extractJson(`${many}{'b': 2}`, { requireKeys: ["b"] })).toMatchObject({
      ok: true,
      value: { a: 1 },
    });
    expect(extractJson(`${many}{"b": 2}`)).toMatchObject({ ok: true, value: { b: 2 } });
  });
  test("[EXTRACT-56] the place of a string that the text ended in, and keys that are there twice", () => {
    expect(extractJson('{"a": [1, {"b": "half')).toMatchObject({ halfString: ["a", 1, "b"] });
    expect(extractJson('{"a": [1, {"b": "whole"')).not.toHaveProperty("halfString");
    const twice = '{"a": {"b": 1, "b": 2}, "c": [{"d": 1, "d": 2}], "a": 1}';
    const places = [["a", "b"], ["c", 0, "d"], ["a"]];
    expect(extractJson(twice, { duplicates: true })).toMatchObject({ repaired: false, duplicates: places });
    expect(extractJson(twice.replaceAll('"', "'"), { duplicates: true })).toMatchObject({
      duplicates: places,
    });
    expect(extractJson(twice)).not.toHaveProperty("duplicates");
  });
  test("[EXTRACT-44] a key named __proto__ never reaches a prototype", () => {
    const answer = extractJson(`{'__proto__': {'polluted': 1}, 'a': 1}`);
    expect(answer.ok && Object.getPrototypeOf(answer.value)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

// ---- random texts

/** Words and marks as a model writes them around JSON; none of it can be taken for an object. */
const prosePiece = fc.constantFrom(
  "Here is the answer.",
  "It's done,",
  'he said "yes"',
  "(see below)",
  "a < b > c",
  "{name}",
  "{0}",
  "{{x}}",
  "{ }",
  "}",
  "]",
  "[1]",
  "[link](http://x.y)",
  "`code`",
  ":-}",
  "{1, 2}",
  "if (x) { y(); }",
  "\n",
  "\n\n- item: ",
  "50% … “quoted”",
  "</p>",
  "{ color: red; }",
  "# Title\n",
  "é門🙂",
  "\\",
  "{\\",
);
const prose = fc.array(prosePiece, { maxLength: 8 }).map((pieces) => pieces.join(" "));
const member = fc.tuple(fc.string({ unit: "grapheme", maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }));
const knownObject = fc
  .array(member, { minLength: 1, maxLength: 4 })
  .map((members) => JSON.parse(JSON.stringify(Object.fromEntries(members))) as object)
  .filter((value) => Object.keys(value).length > 0);
const wrapping = fc.constantFrom(
  "bare",
  "fence",
  "plain fence",
  "tilde fence",
  "inline fence",
  "after thinking",
  "spaced",
);

describe("properties", () => {
  test(
    "[EXTRACT-3] a known object embedded in prose is found exactly",
    () => {
      fc.assert(
        fc.property(
          prose,
          knownObject,
          prose,
          wrapping,
          fc.boolean(),
          (before, value, after, how, indent) => {
            const json = indent ? JSON.stringify(value, null, 2) : JSON.stringify(value);
            const body =
              how === "fence"
                ? `\n\`\`\`json\n${json}\n\`\`\`\n`
                : how === "plain fence"
                  ? `\n\`\`\`\n${json}\n\`\`\`\n`
                  : how === "tilde fence"
                    ? `\n~~~json\n${json}\n~~~\n`
                    : how === "inline fence"
                      ? ` \`\`\`json ${json} \`\`\` `
                      : how === "after thinking"
                        ? `<think>${before} {"draft":1}</think>${json}`
                        : how === "spaced"
                          ? `\n\n${json}\n\n`
                          : ` ${json} `;
            const text = before + body + after;
            const answer = extractJson(text);
            expect(answer).toMatchObject({ ok: true, repaired: false, truncated: false });
            expect(answer.ok && answer.value).toStrictEqual(value);
            expect(answer.ok && text.slice(answer.start, answer.end)).toBe(json);
          },
        ),
        { numRuns: LONG ? 40_000 : 800 },
      );
    },
    LONG ? 600_000 : 60_000,
  );

  test(
    "[EXTRACT-19] mutated JSON never hangs or throws, and what comes out is JSON",
    () => {
      const cut = fc.record({
        at: fc.nat(),
        remove: fc.nat(6),
        insert: fc.constantFrom(
          "",
          '"',
          "'",
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\\",
          "\n",
          "`",
          "```",
          "<think>",
          "</think>",
          "/*",
          "//",
          "...",
          "x",
          "“",
          "\u0000",
          "1e",
          "-",
          "(",
          "+",
        ),
      });
      fc.assert(
        fc.property(
          knownObject,
          fc.array(cut, { minLength: 1, maxLength: 6 }),
          fc.boolean(),
          (value, cuts, any) => {
            let text = JSON.stringify(value);
            for (const { at, remove, insert } of cuts) {
              const place = at % (text.length + 1);
              text = text.slice(0, place) + insert + text.slice(place + remove);
            }
            const { extraction, steps } = extractCounting(text, {
              want: any ? "any" : "object",
              requireKeys: ["a"],
            });
            expect(steps).toBeLessThan(BOUND * text.length + 200);
            if (!extraction.ok) return;
            expect(JSON.parse(JSON.stringify(extraction.value))).toBeDefined();
            if (!any)
              expect(typeof extraction.value === "object" && !Array.isArray(extraction.value)).toBe(true);
            expect(extraction.start).toBeGreaterThanOrEqual(0);
            expect(extraction.end).toBeLessThanOrEqual(text.length);
          },
        ),
        { numRuns: LONG ? 100_000 : 800 },
      );
    },
    LONG ? 600_000 : 60_000,
  );

  test("[EXTRACT-37] an escaped quote in a key does not mean that all quotes are escaped", () => {
    expect(extractJson(String.raw`{"\"":`)).toMatchObject({ ok: false, reason: "no_json" });
    expect(extractJson(String.raw`{\"a\": 1}`)).toMatchObject({ ok: true, value: { a: 1 } });
  });

  test("[EXTRACT-40] a key in whole quotes at the end of the text is dropped, though it looks like a key without its quote", () => {
    expect(extractJson('{"":{"a":1,"0: }}  "')).toMatchObject({ truncated: true, value: { "": { a: 1 } } });
    expect(extractJson('{"":{"a":1,"0: }}')).toMatchObject({
      truncated: false,
      repairs: [{ kind: "missing_quote" }, {}],
    });
  });

  test("[EXTRACT-40] every prefix of a valid object yields a part of it, never another object", () => {
    fc.assert(
      fc.property(knownObject, fc.nat(), (value, cut) => {
        const whole = JSON.stringify(value);
        const text = whole.slice(0, cut % whole.length);
        const answer = extractJson(text);
        if (!answer.ok) return;
        // Half a string that ends with just the closers that are missing reads as one whose quote was forgotten (EXTRACT-41).
        const isLostQuote = answer.repairs.some(({ kind }) => kind === "missing_quote");
        expect(answer.truncated || (isLostQuote && /[}\]]\s*$/u.test(text))).toBe(true);
        for (const key of Object.keys(answer.value)) expect(Object.hasOwn(value, key)).toBe(true);
      }),
      { numRuns: LONG ? 20_000 : 400 },
    );
  });
});

// ---- linear time, proved by counting

const BOUND = 40;
const F = "```";
const SOUPS: Record<string, string> = {
  braces: "{",
  "nested objects": '{"a":',
  "nested arrays": "[",
  "unquoted nesting": "{a:",
  quotes: '"',
  "open quotes": '{"',
  apostrophes: "{'",
  fences: `${F}json\n{`,
  "empty fences": `${F}\n`,
  openers: "<think>",
  closers: "</think>",
  "thinking over strings": '<think>{"a":"</think>',
  "half keys": '{"summary"',
  "prose behind a value": '{"a": "x" b ',
  "prose behind apostrophes": "{'a': 'x' b ",
  "open strings": '{"a":"x ',
  "object and brace": '{"a":1} {',
  objects: '{"summary":1} ',
  "block comments": "{/*",
  "line comments": "{ //",
  "hash comments": "{ # x",
  "triple quotes": '{"a":"""',
  escapes: '{\\"',
  "escapes in strings": '{"\\"',
  members: '{"a":1,"b',
  cuts: '{"a":1 {',
  "cuts by lines": '{"a":1\nfoo ',
  "arrays of objects": '[{"a":1},',
  "strings in arrays": '["a" b',
  "closers in strings": '{"a":"}}}}" ',
  empties: "{} ",
  blanks: "{ ",
  ticks: "`",
  tildes: "~~~\n",
  "back to back": "}{",
  lines: '{"a":["b\n","c":',
  colons: '{"a":"b":',
  "bare words": '{"a": yes ',
  "bare items": '{"a": [x {',
  joins: '"a" + ',
  "curly quotes": "{“a”: “b” c ",
  remarks: '{"a":"x" ( ',
  "missing quotes": '{"a": "b, "c": ',
  strays: '{"k":1,"stray",',
  dots: '{"a":...,',
  "half tags": '<think {"a":',
  "tags in strings": '{"a":"</thinking',
  mismatched: '{"a":[1}',
  "keys without colon": '{"a":"x", "y" z',
  minuses: '{"a":-',
  hashes: "{#",
  "hashes and closers": "{#}",
  "hashes in lines": "{#{#\n",
  "hashes before a colon": '{"a" #',
  "lines in strings": '{"a":"x\n',
  backslashes: "\\",
  "comments behind members": "{'a': 1, /*",
  "long info": `${F}${"j".repeat(150)}\n`,
};

describe("linear time", () => {
  test("[EXTRACT-20] looking ahead stops where the text ends", () => {
    for (const text of [
      "{",
      "[",
      '{"',
      "{'",
      "{a",
      '{"a":',
      "[1",
      "```",
      "<think",
      "{ //",
      "{/*",
      '{"a":"',
      "~~~",
      "é",
      "{é",
    ])
      for (const want of ["object", "any"] as const)
        expect(extractCounting(text, { want }).steps, text).toBeLessThan(60);
  });
  for (const [name, unit] of Object.entries(SOUPS))
    test(`[EXTRACT-20] ${name}: ten times the text costs at most ten times the steps, and at most ${BOUND} a character`, () => {
      for (const [prefix, suffix] of [
        ["", ""],
        ['{"s": "', '"}'],
        ["<think>", '{"final":1}'],
        ["", " </think>"],
        [`${F}json\n{"z":[`, "*/ 'k' x"],
      ] as const) {
        const cost = (size: number): number => {
          const text = prefix + unit.repeat(Math.ceil(size / unit.length)) + suffix;
          return extractCounting(text, { requireKeys: ["summary"] }).steps / text.length;
        };
        const small = cost(4_000);
        const large = cost(40_000);
        expect(large).toBeLessThan(Math.max(small * 1.1, small + 0.5));
        expect(large).toBeLessThan(BOUND);
      }
    });
});

// ---- the strict reader against JSON.parse, on the public parsing suite

const SUITE = `${process.env["HOLDFAST_CONFORMANCE"] ?? "../shared/conformance"}/json-parsing/test_parsing`;

describe("strict reading", () => {
  test.skipIf(!existsSync(SUITE))(
    `[EXTRACT-1] a text is strict exactly where JSON.parse takes it (needs ${SUITE})`,
    () => {
      let compared = 0;
      for (const name of readdirSync(SUITE)) {
        const text = readFileSync(`${SUITE}/${name}`, "utf8");
        for (const body of [`{"a":${text}}`, `[${text}]`]) {
          let valid = true;
          try {
            JSON.parse(body);
          } catch {
            valid = false;
          }
          const reader = new StrictReader(body);
          const whole = reader.read(0) && reader.at === body.length;
          expect([name, whole]).toStrictEqual([name, valid]);
          compared++;
        }
      }
      expect(compared).toBeGreaterThan(500);
    },
  );
  test("[EXTRACT-1] a text is strict exactly where JSON.parse takes it, for every character in and out of a string", () => {
    for (let code = 0; code < 0x300; code++)
      for (const body of [
        `{"a":"${String.fromCharCode(code)}"}`,
        `{"a":"\\${String.fromCharCode(code)}"}`,
        `{"a":${String.fromCharCode(code)}1}`,
        `{"a":"\\u00${String.fromCharCode(code)}0"}`,
      ]) {
        let valid = true;
        try {
          JSON.parse(body);
        } catch {
          valid = false;
        }
        const reader = new StrictReader(body);
        expect([body, reader.read(0) && reader.at === body.length]).toStrictEqual([body, valid]);
      }
  });
  test("[EXTRACT-1] a text is strict exactly where JSON.parse takes it, on random and mutated objects", () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", "0", "-", ".", "e", "\\", '"', ",", "]", "\t", "\u2028", "t"),
        (json, at, insert) => {
          const place = at % (json.length + 1);
          for (const inner of [json, json.slice(0, place) + insert + json.slice(place + 1)]) {
            const body = `[${inner}]`;
            let valid = true;
            try {
              JSON.parse(body);
            } catch {
              valid = false;
            }
            const reader = new StrictReader(body);
            expect(reader.read(0) && reader.at === body.length).toBe(valid);
          }
        },
      ),
      { numRuns: LONG ? 20_000 : 400 },
    );
  });
});
