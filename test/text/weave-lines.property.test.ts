import { describe, expect, test } from "vitest";
import { applySplices, type Splice } from "../../src/text/splice.ts";
import { bytesSource } from "../../src/text/byte-source.ts";
import { BYTES } from "../../src/text/spliceable.ts";
import { runNow } from "../../src/text/steps.ts";
import { lineStretchSteps } from "../../src/text/line-stretch.ts";
import { textSteps } from "../../src/text/weave-text.ts";
import { partialUndoSteps, undoSteps } from "../../src/text/weave-undo.ts";
import { Weave, type Reversal } from "../../src/text/weave.ts";
import { LONG } from "../effort.ts";
import { below, pick, randomFrom, type Random } from "../session/random.ts";
import { bytesOf, textOf } from "./splice-notation.ts";
import { needSteps } from "./weave-views.ts";

/** A file that is only ever changed by whole lines, each of which is written once. */
class LineStory {
  readonly weave: Weave<Uint8Array>;
  readonly written = new Set<string>([""]);
  readonly base: string;
  readonly #random: Random;
  readonly #ending: string;
  #seq = 0;
  #lines = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#ending = pick(random, ["\n", "\n", "\r\n"]);
    this.base = this.#made(below(random, 4), random() < 0.5);
    this.weave = new Weave({ seq: 0, content: bytesOf(this.base) }, BYTES, {
      chunkRuns: pick(random, [1, 128]),
      lineStretchOf: ({ insert }, offset) => runNow(lineStretchSteps(bytesSource(insert), offset)),
    });
  }

  get text(): string {
    return textOf(runNow(textSteps(this.weave, this.weave.standing())));
  }

  #made(count: number, isEnded: boolean): string {
    const lines = Array.from({ length: count }, () => {
      const line = this.#random() < 0.1 ? "" : `<${this.#lines++}>`;
      this.written.add(line);
      return line;
    });
    return lines.join(this.#ending) + (isEnded && count > 0 ? this.#ending : "");
  }

  /** Puts some lines in the place of some others, as an editor that thinks in lines does. */
  edit(): void {
    const text = this.text;
    const lines = text.split(/(?<=\n)/);
    const from = below(this.#random, lines.length + 1);
    const count = this.#random() < 0.5 ? 0 : Math.min(lines.length - from, below(this.#random, 3));
    const at = lines.slice(0, from).join("").length;
    const remove = lines.slice(from, from + count).join("").length;
    const isLast = at + remove === text.length;
    let insert = this.#made(below(this.#random, 3), !isLast || this.#random() < 0.6);
    // A last line that has no ending gets one.
    if (at > 0 && insert !== "" && !text.slice(0, at).endsWith("\n")) insert = this.#ending + insert;
    const splice: Splice = { at, remove, insert: bytesOf(insert) };
    this.weave.add({ seq: ++this.#seq, splices: [splice] });
    this.check(this.text);
  }

  /** Takes records back where that is not refused. */
  reverse(reversal: Reversal): boolean {
    const plan = runNow(undoSteps(this.weave, reversal));
    if (plan.faults.length > 0) return false;
    this.check(textOf(applySplices(bytesOf(this.text), plan.splices)));
    this.weave.add({ seq: ++this.#seq, ...reversal });
    return true;
  }

  someRecords(): number[] {
    const standing = this.weave.records.filter(({ index, against }) => index > 0 && against === 0);
    const seqs = standing.map(({ seq }) => seq);
    const share = pick(this.#random, [0.1, 0.3, 0.6]);
    return seqs.filter(() => this.#random() < share);
  }

  check(text: string): void {
    for (const line of text.split(/\r?\n/)) expect(this.written, JSON.stringify(text)).toContain(line);
  }
}

describe("a file that is changed by whole lines", () => {
  test(
    "[WEAVE-18] has no line that nobody wrote, whatever is undone, restored or chosen",
    { timeout: 3_600_000 },
    () => {
      let [undone, refused, alone] = [0, 0, 0];
      for (let seed = 0; seed < (LONG ? 100_000 : 1_500); seed++) {
        const random = randomFrom(seed);
        const story = new LineStory(random);
        const length = 2 + below(random, 20);
        try {
          for (let i = 0; i < length; i++) {
            if (random() < 0.6) story.edit();
            const targets = story.someRecords();
            if (targets.length === 0) continue;
            if (random() < 0.3) {
              if (story.reverse({ targets })) undone++;
              else {
                refused++;
                const part = runNow(partialUndoSteps(story.weave, targets));
                story.check(textOf(applySplices(bytesOf(story.text), part.splices)));
              }
            }
            if (random() < 0.1) story.reverse({ restoreTo: below(random, Math.max(...targets)) });
            const { splices } = runNow(needSteps(story.weave, targets));
            story.check(textOf(applySplices(bytesOf(story.base), splices)));
            alone++;
          }
        } catch (cause) {
          throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, {
            cause,
          });
        }
      }
      expect(Math.min(undone, refused, alone)).toBeGreaterThan(500);
    },
  );
});
