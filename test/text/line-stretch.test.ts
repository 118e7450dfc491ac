import { expect, test } from "vitest";
import { bytesSource } from "../../src/text/byte-source.ts";
import { lineStretchSteps } from "../../src/text/line-stretch.ts";
import { runNow } from "../../src/text/steps.ts";
import { below, pick, randomFrom } from "../session/random.ts";

test("[WEAVE-17] the stretch of a line around a byte goes to the nearest line endings, however far", () => {
  const random = randomFrom(1);
  for (let round = 0; round < 60; round++) {
    const bytes = new Uint8Array(pick(random, [1, 5, 300, 70_000, 200_000])).fill(120);
    for (let endings = below(random, 5); endings > 0; endings--)
      bytes[below(random, bytes.length)] = pick(random, [10, 13]);
    const isEnding = (at: number): boolean => bytes[at] === 10 || bytes[at] === 13;
    for (let tries = 0; tries < 10; tries++) {
      const offset = below(random, bytes.length);
      let [from, to] = [offset, offset];
      while (from > 0 && !isEnding(from - 1) && !isEnding(offset)) from--;
      while (to < bytes.length && !isEnding(to)) to++;
      expect(runNow(lineStretchSteps(bytesSource(bytes), offset))).toEqual({ from, to });
    }
  }
});
