import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortedSteps } from "../../src/text/sort-steps.ts";
import { runNow } from "../../src/text/steps.ts";
import { runs } from "../effort.ts";

describe("sorting in steps", () => {
  it("[TEXT-44] gives what sorting at once gives, and keeps the order of equal items", () => {
    const item = fc.record({ key: fc.nat(40), tag: fc.nat() });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 3_000, size: "max" }), (items) => {
        const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
        expect(runNow(sortedSteps(items, compare))).toEqual(items.toSorted(compare));
      }),
      runs(50),
    );
  });

  it("[TEXT-44] compares a bounded number of items in each step", () => {
    const items = Array.from({ length: 20_000 }, (_, i) => (i * 7_919) % 20_011);
    let compared = 0;
    const steps = sortedSteps(items, (a, b) => {
      compared++;
      return a - b;
    });
    let most = 0;
    for (let [before, isDone] = [0, false]; !isDone; before = compared) {
      isDone = steps.next().done === true;
      most = Math.max(most, compared - before);
    }
    expect(most).toBeLessThan(8_192);
  });
});
