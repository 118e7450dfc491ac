import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractJson, extractor, type PartialJson } from "../../src/gates/index.ts";
import type { Json } from "../../src/value.ts";
import { runs } from "../effort.ts";
import { BREAKAGES, oddObject, tokensOf } from "./breakage.ts";
import { EXTRACTION_CASES } from "./extraction-cases.ts";

type Path = readonly (string | number)[];

/** Cuts a text at these places. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((to, index) => text.slice(places[index - 1] ?? 0, to));
}

/** Every value that a partial calls final, with its place: none on the way to the open place. */
function finals({ value, open }: PartialJson): [Path, Json][] {
  const found: [Path, Json][] = [];
  const waiting: [Path, Json][] = [[[], value]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, item] = next;
    const onTheWay = open !== undefined && path.every((key, index) => key === open[index]);
    if (!onTheWay) found.push([path, structuredClone(item)]);
    else if (typeof item === "object" && item !== null)
      for (const [key, child] of Object.entries(item))
        waiting.push([[...path, Array.isArray(item) ? Number(key) : key], child as Json]);
  }
  return found;
}

function at(value: Json, path: Path): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as { readonly [key: string | number]: Json })[key];
  }
  return here;
}

/** Pushes all pieces; checks that what was final stays so and is in the result, if the result is the same object. */
function expectConsistent(text: string, parts: readonly string[]): void {
  const reading = extractor();
  const seen: { readonly start: number; readonly final: [Path, Json][] }[] = [];
  for (const piece of parts) {
    const partial = reading.push(piece);
    if (partial !== undefined) seen.push({ start: partial.start, final: finals(partial) });
  }
  const result = reading.end();
  expect(result).toStrictEqual(extractJson(text));
  if (!result.ok) return;
  for (const { start, final } of seen)
    if (start === result.start)
      for (const [path, value] of final) expect([path, at(result.value, path)]).toStrictEqual([path, value]);
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe("piece by piece", () => {
  test("[EXTRACT-57] every split of a text gives the result of the whole, and what was final is in it", () => {
    fc.assert(
      fc.property(
        oddObject,
        fc.constantFrom(0, 2),
        cuts,
        fc.constantFrom("", "Sure: {x} [1] ", '<think>{"a":0}</think>'),
        (value, indent, places, before) => {
          const text = `${before}${JSON.stringify(value, null, indent)} done`;
          expectConsistent(text, pieces(text, places));
        },
      ),
      runs(500),
    );
  });
  test("[EXTRACT-57] the same for texts that are broken", () => {
    const breakage = fc.constantFrom(...Object.values(BREAKAGES));
    fc.assert(
      fc.property(oddObject, breakage, fc.nat(), cuts, (value, break_, seed, places) => {
        const text = break_(tokensOf(value, 0), (count) => seed % count);
        if (text !== undefined) expectConsistent(text, pieces(text, places));
      }),
      runs(1_000),
    );
  });
  test("[EXTRACT-57] the same for the written cases, character by character", () => {
    for (const { text } of EXTRACTION_CASES) expectConsistent(text, [...text]);
  });
  test("[EXTRACT-57] what a partial is does not depend on how the text was cut", () => {
    fc.assert(
      fc.property(oddObject, fc.nat(), cuts, (value, end, places) => {
        const json = JSON.stringify(value);
        const text = json.slice(0, end % (json.length + 1));
        const whole = extractor().push(text);
        const reading = extractor();
        let last: PartialJson | undefined;
        for (const piece of pieces(text, places)) last = reading.push(piece);
        expect(last).toStrictEqual(whole);
      }),
      runs(500),
    );
  });
});

describe("what a partial shows", () => {
  function after(text: string): PartialJson | undefined {
    return extractor().push(text);
  }
  test("[EXTRACT-58] strings grow, and the open place says where", () => {
    expect(after('{"a": 1, "b": [true, "hal')).toStrictEqual({
      value: { a: 1, b: [true, "hal"] },
      open: ["b", 1],
      start: 0,
      stalled: false,
    });
    expect(after('x {"a": 12')).toBeUndefined();
    expect(after('x {"a": 12,')).toMatchObject({ value: { a: 12 }, open: ["a"], start: 2 });
    expect(after('x {"a": 12, "b":')).toMatchObject({ value: { a: 12 }, open: ["b"] });
    expect(after('{"a": {"b": 1}} and')).toMatchObject({ value: { a: { b: 1 } }, open: undefined });
    expect(after('{"a": "\\u00e9\\n\\u00')?.value).toStrictEqual({ a: "é\n" });
  });
  test("[EXTRACT-58] prose and thinking show nothing, and a later object replaces one that was not meant", () => {
    expect(after("{name} [1] {1, 2}")).toBeUndefined();
    expect(after('<think>{"a": 1}')).toBeUndefined();
    expect(after("[TH")).toBeUndefined();
    const reading = extractor({ requireKeys: ["b"] });
    expect(reading.push('{"a": 1} ')).toMatchObject({ value: { a: 1 }, start: 0 });
    expect(reading.push('{"b": 2} ')).toMatchObject({ value: { b: 2 }, start: 9 });
    expect(reading.push('{"c": 3}')).toMatchObject({ value: { b: 2 }, start: 9 });
    const lone = extractor();
    lone.push('{"draft": 1} </th');
    expect(lone.push("ink>")).toBeUndefined();
    expect(lone.push('{"final": 2}')).toMatchObject({ value: { final: 2 } });
  });
  test("[EXTRACT-58] from the first place that needs repair on the partial stays as it is until the end", () => {
    const reading = extractor();
    expect(reading.push('{"a": 1, "b": 2, c: 3')).toMatchObject({ value: { a: 1, b: 2 }, stalled: true });
    expect(reading.push(", 'd': 4}")).toMatchObject({ value: { a: 1, b: 2 }, stalled: true });
    expect(reading.end()).toMatchObject({ ok: true, value: { a: 1, b: 2, c: 3, d: 4 } });
  });
  test("[EXTRACT-59] after the end there is no push, what is no text is refused, and a text can be too long", () => {
    const reading = extractor({ maxLength: 1_000 });
    for (let i = 0; i < 20; i++) reading.push("x".repeat(100));
    expect(reading.end()).toMatchObject({ ok: false, reason: "too_long" });
    expect(() => reading.push("x")).toThrow(/has ended/);
    expect(() => extractor().push(5 as never)).toThrow(/must be a string/);
    expect(extractor().end()).toMatchObject({ ok: false, reason: "no_json" });
    expect(extractor({ maxDepth: 8 }).push('{"a":'.repeat(20))).toMatchObject({ stalled: true });
  });
});
