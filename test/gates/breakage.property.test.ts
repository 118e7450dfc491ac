import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractJson } from "../../src/gates/index.ts";
import type { Json } from "../../src/value.ts";
import { runs } from "../effort.ts";
import { BREAKAGES, oddObject, plainObject, textOf, tokensOf, type Breakage } from "./breakage.ts";

/** The extraction of a broken text is the original, or says that it cannot read it; it never says that it was cut off. */
function expectHonest(value: Json, text: string): boolean {
  const found = extractJson(text, { want: "object" });
  if (!found.ok) {
    expect([text, found.reason]).toStrictEqual([text, "unreadable"]);
    return false;
  }
  expect([text, found.truncated]).toStrictEqual([text, false]);
  expect([text, found.value]).toStrictEqual([text, JSON.parse(JSON.stringify(value))]);
  return true;
}

describe("complete texts that are broken", () => {
  for (const [name, breakage] of Object.entries(BREAKAGES))
    test(`[EXTRACT-52] ${name}: the original comes out, or an honest error`, () => {
      const objects = /missing .* quote/.test(name) ? plainObject : oddObject;
      let tried = 0;
      let mended = 0;
      fc.assert(
        fc.property(objects, fc.constantFrom(0, 2), fc.nat(), (value, indent, seed) => {
          const text = breakage(tokensOf(value, indent), (count) => seed % count);
          if (text === undefined) return;
          tried++;
          if (expectHonest(value, text)) mended++;
        }),
        runs(200),
      );
      expect(mended).toBeGreaterThan(tried * 0.9);
    });

  test("[EXTRACT-52] two breakages in one text: never called truncated", () => {
    const kinds = Object.entries(BREAKAGES).filter(
      ([name]) => !/quote|HTML|opening brace|too many/.test(name),
    );
    const kind = fc.constantFrom(...kinds.map(([, breakage]) => breakage));
    fc.assert(
      fc.property(
        plainObject,
        fc.constantFrom(0, 2),
        fc.nat(),
        kind,
        kind,
        (value, indent, seed, one, two) => {
          const tokens = tokensOf(value, indent);
          const apply = (breakage: Breakage): unknown => breakage(tokens, (count) => seed % count);
          if (apply(one) === undefined || apply(two) === undefined) return;
          const text = textOf(tokens);
          const found = extractJson(text);
          expect([text, found.truncated]).toStrictEqual([text, false]);
        },
      ),
      runs(500),
    );
  });

  test("[EXTRACT-52] what cannot be read is refused with its place, and is not called truncated", () => {
    const text = '{"a": {"b": 1}\n"c" and more, {"d": 2}, "e": 3}';
    const found = extractJson(text);
    expect(found).toMatchObject({ ok: false, reason: "unreadable", truncated: false });
    expect(!found.ok && found.at).toBe(text.indexOf('"c"'));
    expect(!found.ok && found.message).toBe(
      'The JSON object at character 1 cannot be read at character 16, "\\"c\\" and more, {\\"d\\": 2}, \\"e\\": 3}": a comma, a colon, a quote or a bracket before that is missing or wrong.',
    );
  });

  test("[EXTRACT-52] a comment in the last line holds none of the closers", () => {
    const one = '{"a": [1, 2 // two]}';
    expect(extractJson(one)).toMatchObject({ ok: true, value: { a: [1, 2] }, truncated: false });
    expect(extractJson('```json\n{"a": 1 # one}\n```')).toMatchObject({ ok: true, value: { a: 1 } });
    expect(extractJson('{"a": 1 // see {x}}')).toMatchObject({ ok: true, value: { a: 1 }, truncated: false });
    for (const text of ['{"a": 1, // one "b": 2}', '{"a": [1 // one], "b": 2}', '{"a": 1, # one "b": 2}\n'])
      expect(extractJson(text), text).toMatchObject({ ok: false, reason: "unreadable", truncated: false });
    expect(extractJson('{"a": 1 // cut off here')).toMatchObject({ ok: true, truncated: true });
    expect(extractJson('{"a": {"b": 1 // cut}')).toMatchObject({ ok: true, truncated: true });
  });

  test("[EXTRACT-52] an object whose first member cannot be read is refused with the place too", () => {
    const text = 'So: {"a": 1 -- "b": 2}';
    expect(extractJson(text)).toMatchObject({ ok: false, reason: "unreadable", at: text.indexOf("1 --") });
    expect(extractJson('{"a": <x>} {"b": 2}')).toMatchObject({ ok: true, value: { b: 2 } });
    expect(extractJson("{a -- b}")).toMatchObject({ ok: false, reason: "no_json" });
  });
});
