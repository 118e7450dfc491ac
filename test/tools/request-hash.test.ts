import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requestHash } from "../../src/tools/request-hash.ts";

/** Strings around the length from which one is hashed by itself, lone surrogates among them. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc
    .tuple(fc.constantFrom(511, 512, 513, 5000), fc.constantFrom("a", "é", "\ud800", "\udc00", "😀", '"'))
    .map(([length, end]) => "x".repeat(length) + end),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, text, fc.integer(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "content", "path"), tie("value"), { maxKeys: 3 }),
})).value;

describe("The hash of a request", () => {
  test("[CALL-41] is the same for the same request, whatever the order of fields", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), value), (input) => {
        const turned = Object.fromEntries(Object.entries(input).reverse());
        expect(requestHash("t", turned)).toBe(requestHash("t", input));
      }),
    );
  });

  test("[CALL-41] differs for another request, long texts and broken ones included", () => {
    fc.assert(
      fc.property(value, value, (one, two) => {
        const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(two));
        expect(requestHash("t", { v: one }) === requestHash("t", { v: two })).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });

  test("[CALL-41] tells long texts apart that UTF-8 cannot", () => {
    const hashes = ["\ud800", "\udc00", "\ufffd"].map((end) => requestHash("t", "x".repeat(5000) + end));
    expect(new Set(hashes).size).toBe(3);
  });

  test("[CALL-41] of a long text is not that of its hash written out", () => {
    const long = "x".repeat(5000);
    const written = `#${hash("sha256", long, "base64url")}`;
    expect(requestHash("t", { v: long })).not.toBe(requestHash("t", { v: written }));
  });
});

/** Keys in order, at every depth. */
function sorted(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(sorted);
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, of]) => [key, sorted(of)]),
  );
}
