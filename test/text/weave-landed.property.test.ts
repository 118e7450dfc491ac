import { expect, test } from "vitest";
import { EXTENTS, type Extent } from "../../src/text/spliceable.ts";
import { runNow } from "../../src/text/steps.ts";
import { heldDifferenceSteps, shownSteps, spliceHeld, type HeldText } from "../../src/text/weave-held.ts";
import { landedSteps } from "../../src/text/weave-landed.ts";
import { closeSteps } from "../../src/text/weave-needs.ts";
import type { Standing } from "../../src/text/weave-parts.ts";
import { undoSteps } from "../../src/text/weave-undo.ts";
import { Weave, type WeaveRecord } from "../../src/text/weave.ts";
import { LONG } from "../effort.ts";
import { below, pick, randomFrom, type Random } from "../session/random.ts";
import { Blobs, randomEdit } from "./weave-model.ts";

type Extents = readonly Extent[];

/** Among whose texts is one that has a part of what one splice removed: text that others took back came between. */
const HALF_A_CUT = 3156;

/** A history of edits and undos, and a text outside that got parts of it. */
class Landing {
  readonly random: Random;
  readonly blobs = new Blobs();
  readonly records: WeaveRecord<Extents>[] = [];
  /** Records that count as landed, though the text may have only a part of one. */
  landed: ReadonlySet<number> = new Set([1]);
  held: HeldText;

  constructor(seed: number) {
    this.random = randomFrom(seed);
    const insert = this.blobs.fresh(3 + below(this.random, 20));
    this.records.push({ seq: 1, splices: [{ at: 0, remove: 0, insert }] });
    const weave = this.weave();
    this.held = runNow(shownSteps(weave, weave.standing()));
  }

  weave(): Weave<Extents> {
    const weave = new Weave<Extents>({ seq: 0, content: [] }, EXTENTS, {
      chunkRuns: pick(this.random, [1, 128]),
    });
    for (const record of this.records) weave.add(record);
    return weave;
  }

  grow(): void {
    const weave = this.weave();
    const seq = this.records.length + 1;
    const targets = this.random() < 0.2 && seq > 2 ? [2 + below(this.random, seq - 2)] : [];
    if (targets.length > 0 && runNow(undoSteps(weave, { targets })).faults.length === 0)
      this.records.push({ seq, targets });
    else this.records.push({ seq, splices: randomEdit(this.random, this.blobs, weave.size, true) });
  }
}

/** What stands when `takes` is chosen, and what came along. */
function chosen(weave: Weave<Extents>, was: Standing, takes: Set<number>): Standing {
  for (;;) {
    const mask = Uint8Array.from(weave.records, ({ index, seq, against, targetedBy }) => {
      if (against === 0) return was[index] === 1 || takes.has(seq) ? 1 : 0;
      return was[index] === 1 && !targetedBy.some((one) => one.against === 0 && takes.has(one.seq)) ? 1 : 0;
    });
    const { size } = takes;
    for (const { seq } of runNow(closeSteps(weave, mask))) takes.add(seq);
    if (takes.size === size) return mask;
  }
}

test(
  "[HOST-190] [WEAVE-51] what a text has of each record makes that text, and no choice brings in what is not chosen",
  { timeout: 3_600_000 },
  () => {
    let [split, offered] = [0, 0];
    const first = LONG ? Math.floor(Math.random() * 2 ** 31) : 1;
    for (let n = 0; n < (LONG ? 10_000 : 300); n++) {
      const seed = n === 0 ? HALF_A_CUT : first + n;
      const landing = new Landing(seed);
      const { random } = landing;
      for (let round = 0; round < 6; round++) {
        for (let i = 1 + below(random, 4); i > 0; i--) landing.grow();
        const { held, landed, records } = landing;
        const weave = landing.weave();
        const was = runNow(landedSteps(weave, held, (seq) => landed.has(seq)));
        if (was === undefined) throw new Error("not a part of the weave");
        expect(runNow(shownSteps(weave, was)), `seed ${seed}`).toEqual(EXTENTS.join([held]));
        if (weave.records.length > records.length + 1) split++;
        const takes = new Set(records.map(({ seq }) => seq).filter(() => random() < 0.4));
        const mask = chosen(weave, was, takes);
        const splices = runNow(heldDifferenceSteps(weave, held, mask, was)) ?? [];
        for (const { by } of splices) {
          // Of two undos of one record, one that is chosen is enough.
          const rest = by.filter((seq) => !takes.has(seq));
          const isUndo = rest.every((seq) => weave.record(seq)?.takesBack !== undefined);
          expect(rest.length < by.length && isUndo, `seed ${seed}: ${by.join()}`).toBe(true);
          offered++;
        }
        const taken = splices.filter(() => random() < 0.6);
        if (taken.length === 0) continue;
        const left = new Set(splices.filter((one) => !taken.includes(one)).flatMap(({ by }) => by));
        const got = new Set(taken.flatMap(({ by }) => by));
        landing.held = spliceHeld(
          held,
          taken.map(({ at, remove, inserted }) => ({ at, remove, insert: inserted })),
        );
        const stands = weave.records.filter(({ index }) => mask[index] === 1).map(({ seq }) => seq);
        landing.landed = new Set(stands.filter((seq) => landed.has(seq) || !left.has(seq) || got.has(seq)));
      }
    }
    expect(split).toBeGreaterThan(100);
    expect(offered).toBeGreaterThan(1_000);
  },
);
