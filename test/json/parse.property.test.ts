// Owns: the proof that a document parsed in steps is what JSON.parse makes of it.

import fc from "fast-check";
import { expect, test } from "vitest";
import { memorySource, parseJsonSteps, runNow } from "../../src/json/index.ts";
import { runs } from "../effort.ts";

const parsed = (text: string): unknown => runNow(parseJsonSteps(memorySource(text)));

test("[JREAD-23] a small document is what JSON.parse makes of it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parsed(` ${text}\n`)).toEqual(JSON.parse(text));
    }),
    runs(200),
  );
});

test("[JREAD-23] a large one too, and other work goes on meanwhile", () => {
  const long = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.repeat(2_000));
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      long,
      fc.double(),
      fc.array(tie("node"), { maxLength: 12 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), tie("node"), { maxKeys: 12 }),
    ),
  })).node;
  fc.assert(
    fc.property(fc.array(value, { minLength: 5, maxLength: 30 }), fc.constantFrom(0, 1), (items, indent) => {
      const text = JSON.stringify(
        { items, more: Array.from({ length: 20_000 }, (_, i) => i), items2: items },
        undefined,
        indent,
      );
      expect(JSON.stringify(parsed(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
    runs(8),
  );
  const rows = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ i })));
  const steps = parseJsonSteps(memorySource(rows));
  let pauses = 0;
  while (steps.next().done !== true) pauses++;
  expect(pauses).toBeGreaterThan(rows.length / 64 / 1024);
});

test("[JREAD-23] of duplicate keys the last counts, also between large values", () => {
  const big = JSON.stringify("x".repeat(50_000));
  const text = `{"a":1,"b":[${big}],"a":[${big},2],"b":3,"__proto__":{"c":${big}}}`;
  expect(JSON.stringify(parsed(text))).toBe(JSON.stringify(JSON.parse(text)));
  expect(Object.getPrototypeOf(parsed(text))).toBe(Object.prototype);
});

test("[JREAD-23] however deep a document is nested, it is parsed as JSON.parse does", () => {
  const deep = `${"[".repeat(3_000)}${JSON.stringify("y".repeat(100_000))}${"]".repeat(3_000)}`;
  expect(JSON.stringify(parsed(deep))).toBe(deep);
});
