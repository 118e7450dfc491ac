import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePatchSteps } from "../../src/patch/index.ts";
import { parseJsonPieces } from "../../src/patch/_json-pieces.ts";
import { runNow } from "../../src/text/steps.ts";
import { runs } from "../effort.ts";

const outcome = (work: () => unknown): unknown => {
  try {
    return { value: work() };
  } catch (error) {
    return (error as Error).name;
  }
};

const MARKS = ["", ",", "]", "}", "[", '"', "\\", " ", "\u00a0", "\ufeff"];
const SPOILS = [...MARKS, "operations", '"operations":1,', String.raw`"\u006fperations":null,`];

/** JSON texts of patches, and texts that were JSON before something was cut out, put in or moved. */
const texts = fc
  .tuple(
    fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 8 }),
    fc.constantFrom("array", "envelope", "twice"),
    fc.array(fc.tuple(fc.nat(400), fc.nat(3), fc.constantFrom(...SPOILS)), { maxLength: 2 }),
  )
  .map(([items, kind, spoils]) => {
    const list = JSON.stringify(items, null, 1);
    const end = kind === "twice" ? ',"operations":[]}' : ',"created":["]"],"x":{}}';
    let text = kind === "array" ? list : `{ "operations": ${list}${end}`;
    for (const [at, remove, put] of spoils) text = text.slice(0, at) + put + text.slice(at + remove);
    return text;
  });

describe("JSON parsed in pieces", () => {
  test("[NDP-1] is what JSON.parse returns, or is refused as it refuses", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 40 }), (text, piece) => {
        expect(outcome(() => runNow(parseJsonPieces(text, piece)))).toEqual(
          outcome(() => JSON.parse(text) as unknown),
        );
      }),
      runs(3_000),
    );
  });

  test.each([
    "[\n ,\n 0\n]",
    "[ , ]",
    "[0,,1]",
    "[0,1,]",
    "[0,1]\u00a0",
    "\ufeff[0,1]",
    '{\u00a0"operations":[0,1]}',
    String.raw`{"operations":[0,1],"\u006fperations":null}`,
    '{"operations":[0,1],}',
    "[]",
    " [ ] ",
  ])("[NDP-1] is so for %j", (text) => {
    for (const piece of [0, 1, 3])
      expect(outcome(() => runNow(parseJsonPieces(text, piece)))).toEqual(
        outcome(() => JSON.parse(text) as unknown),
      );
  });

  test("[NDP-54] takes a step for every few hundred operations", () => {
    const operations = Array.from({ length: 40_000 }, (_, i) => ({
      file: "f",
      line: i + 1,
      op: "replace",
      old: `line ${i} of the file`,
      new: "x",
    }));
    for (const text of [JSON.stringify(operations), JSON.stringify({ operations, created: ["n"] })]) {
      const steps = parsePatchSteps(text);
      let count = 0;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count++;
      expect(step.value.operations).toHaveLength(40_000);
      // One for each 64 K of text, one for each 512 operations.
      expect(count).toBeGreaterThan(text.length / 65_536 + 40_000 / 512 - 5);
    }
  });
});
