import fc from "fast-check";
import { expect, test } from "vitest";
import { applySplices, diffLines, validateSplices } from "../../src/text/index.ts";
import { mergeSplices } from "../../src/text/merge-splices.ts";
import { runs } from "../effort.ts";

const bytes = (lines: readonly string[]): Uint8Array =>
  new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 12 });

test("[TEXT-47] of two edits of one text all of the winning one is kept, and all of the other where they do not meet", () => {
  fc.assert(
    fc.property(lines, lines, lines, (base, one, two) => {
      const old = bytes(base);
      const [winning, other] = [diffLines(old, bytes(one)), diffLines(old, bytes(two))];
      const merged = mergeSplices(winning, other);
      validateSplices(merged, old.length);
      for (const splice of winning) expect(merged).toContain(splice);
      for (const splice of merged) expect([...winning, ...other]).toContain(splice);
      expect(applySplices(old, mergeSplices(winning, []))).toEqual(bytes(one));
      expect(applySplices(old, mergeSplices([], other))).toEqual(bytes(two));
      const isApart = (a: (typeof merged)[0], b: (typeof merged)[0]): boolean =>
        a.at + a.remove < b.at || b.at + b.remove < a.at;
      for (const splice of other)
        if (winning.every((own) => isApart(own, splice))) expect(merged).toContain(splice);
    }),
    runs(300),
  );
});

test("[TEXT-47] no line of one edit is glued to one of the other, also where a text ends without a line ending", () => {
  const text = fc.tuple(lines, fc.boolean()).map(([all, isEnded]) => {
    const made = bytes(all);
    return isEnded ? made : made.subarray(0, Math.max(0, made.length - 1));
  });
  fc.assert(
    fc.property(text, text, text, (old, one, two) => {
      const merged = applySplices(old, mergeSplices(diffLines(old, one), diffLines(old, two)));
      expect(new TextDecoder().decode(merged)).toMatch(/^(?:[a-e]\n)*[a-e]?$/);
    }),
    runs(300),
  );
});
