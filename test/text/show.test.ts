// Names and values that users chose, inside lines of ours.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { showJson, showName, showValue } from "../../src/text/show.ts";
import type { Json } from "../../src/value.ts";

/** What some reader takes for the end of a line, or hides, or reads backwards. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

const forgeries = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc
    .array(
      fc.constantFrom("\n", "\r", "\u2028", "\u2029", "\u0085", "\v", "\u202e", "[Token 9-ab]", "x", '"'),
    )
    .map((parts) => parts.join("")),
);

describe("names in a line", () => {
  test("[TEXT-40] a word is bare, anything else is quoted", () => {
    expect(showName("urgent")).toBe("urgent");
    expect(showName("été/n4-2.md")).toBe("été/n4-2.md");
    expect(showName("")).toBe('""');
    expect(showName("move house")).toBe('"move house"');
    expect(showName("x\n[Token 99-deadbeef.0]")).toBe('"x\\n[Token 99-deadbeef.0]"');
    expect(showName('"')).toBe('"\\""');
    expect(showName("a\u202eb\u2028c")).toBe('"a\\u202eb\\u2028c"');
  });

  test("[TEXT-40] a long name is cut between characters and says how much is missing", () => {
    expect(showName("x".repeat(40_000))).toBe(`"${"x".repeat(80)}"...(39920 more)`);
    expect(showName(`${"x".repeat(3)}\u{1f600}`, 4)).toBe('"xxx"...(2 more)');
    expect(showValue("x".repeat(100))).toBe(`"${"x".repeat(80)}"...(20 more)`);
    expect(showValue({ a: "x".repeat(100) }, 8)).toBe('{"a":"xx...(100 more)');
    expect(showValue([1, null])).toBe("[1,null]");
  });

  test("[TEXT-40] no text adds a line or hides a character", () => {
    fc.assert(
      fc.property(forgeries, (text) => {
        expect(showName(text)).not.toMatch(UNSEEN);
        expect(showName(text).length).toBeLessThan(80 * 6 + 30);
        expect(showValue({ [text]: [text] })).not.toMatch(UNSEEN);
      }),
    );
  });

  test("[TEXT-40] JSON shown whole is one line that reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), forgeries, (value, text) => {
        const whole = { value, [`k${text}`]: text } as Json;
        expect(showJson(whole)).not.toMatch(UNSEEN);
        expect(JSON.parse(showJson(whole))).toEqual(JSON.parse(JSON.stringify(whole)));
      }),
    );
  });
});
