import { expect, test } from "vitest";
import { applySplices, type Splice } from "../../src/text/splice.ts";
import { EXTENTS, type Extent } from "../../src/text/spliceable.ts";
import { runNow } from "../../src/text/steps.ts";
import {
  heldDifferenceSteps,
  pieceName,
  placeHeldSteps,
  shownSteps,
  spliceHeld,
  type HeldSplice,
  type HeldText,
} from "../../src/text/weave-held.ts";
import { closeSteps } from "../../src/text/weave-needs.ts";
import { Weave } from "../../src/text/weave.ts";
import { LONG } from "../effort.ts";
import { below, pick, randomFrom, type Random } from "../session/random.ts";
import { Blobs, Model, randomEdit, type Edit } from "./weave-model.ts";

type Extents = readonly Extent[];

/** A history from nothing, with edits and undos, and the model of it. */
class Growing {
  readonly random: Random;
  readonly blobs = new Blobs();
  readonly model = new Model([]);
  readonly weave: Weave<Extents>;
  seq = 0;

  constructor(seed: number) {
    this.random = randomFrom(seed);
    this.weave = new Weave({ seq: 0, content: [] }, EXTENTS, { chunkRuns: pick(this.random, [1, 2, 128]) });
    this.edit([{ at: 0, remove: 0, insert: this.blobs.fresh(3 + below(this.random, 20)) }]);
  }

  edit(splices: readonly Edit[]): void {
    this.weave.add({ seq: ++this.seq, splices });
    this.model.edit(this.seq, this.blobs.numbers(splices));
  }

  grow(count: number): void {
    for (let i = 0; i < count; i++) {
      const targets = this.random() < 0.2 && this.seq > 1 ? [2 + below(this.random, this.seq - 1)] : [];
      if (targets.length === 0) this.edit(randomEdit(this.random, this.blobs, this.weave.size, true));
      else {
        this.weave.add({ seq: ++this.seq, targets });
        this.model.reverse(this.seq, targets);
      }
    }
  }

  /** Records by index that stand: a random part, as it is or with what it needs. */
  choice(): { mask: Uint8Array; chosen: Set<number> } {
    const mask = this.weave.standing();
    if (this.random() < 0.7)
      for (const { index, seq } of this.weave.records) if (seq > 1 && this.random() < 0.5) mask[index] = 0;
    if (this.random() < 0.5) runNow(closeSteps(this.weave, mask));
    return {
      mask,
      chosen: new Set(this.weave.records.filter(({ index }) => mask[index] === 1).map(({ seq }) => seq)),
    };
  }

  values(held: HeldText): number[] {
    return held.flatMap(([name, at, length]) => {
      const [seq, piece] = name.split(".").map(Number);
      const { insert } = this.weave.record(seq ?? -1)?.inserted[piece ?? -1]?.run.piece ?? { insert: [] };
      return this.blobs.read(insert).slice(at, at + length);
    });
  }
}

function difference(growing: Growing, held: HeldText, mask: Uint8Array): HeldSplice<Extents>[] {
  const found = runNow(heldDifferenceSteps(growing.weave, held, mask));
  if (found === undefined) throw new Error("not a part of the weave");
  return found;
}

const inHeld = ({ at, remove, inserted }: HeldSplice<Extents>): Splice<HeldText> => ({
  at,
  remove,
  insert: inserted,
});
const words = ({ removed, inserted, by }: HeldSplice<Extents>): string =>
  JSON.stringify([removed, inserted, by]);

function seeds(each: (seed: number) => void): void {
  const count = LONG ? 2_500 : 150;
  const first = LONG ? Math.floor(Math.random() * 2 ** 31) : 1;
  for (let seed = first; seed < first + count; seed++)
    try {
      each(seed);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
}

test(
  "[WEAVE-50] [WEAVE-51] any choice of records and splices leads from what is held to what is chosen",
  { timeout: 3_600_000 },
  () => {
    let [choices, parts] = [0, 0];
    seeds((seed) => {
      const growing = new Growing(seed);
      const { random, blobs, model, weave } = growing;
      let held: HeldText = runNow(shownSteps(weave, weave.standing()));
      for (let round = 0; round < 6; round++) {
        growing.grow(1 + below(random, 6));
        const { mask, chosen } = growing.choice();
        const splices = difference(growing, held, mask);
        const wanted = model.visible(chosen).map(({ value }) => value);
        const before = growing.values(held);
        const numbers = splices.map(({ at, remove, insert }) => ({ at, remove, insert: blobs.read(insert) }));
        expect(applied(before, numbers)).toEqual(wanted);
        expect(growing.values(spliceHeld(held, splices.map(inHeld)))).toEqual(wanted);
        const holding = heldCharacters(growing, held);
        for (const { by, inserted, at, remove } of splices) {
          const removers = holding.slice(at, at + remove).flatMap(({ removals }) => removals);
          const inserters = inserted.map(([name]) => Number(name.split(".")[0]));
          const named = [...inserters, ...removers.map((one) => one.by).filter((seq) => chosen.has(seq))];
          for (const seq of named) expect(by).toContain(seq);
        }
        const taken = splices.filter(() => random() < 0.5);
        held = spliceHeld(held, taken.map(inHeld));
        expect(growing.values(held)).toEqual(
          applied(
            before,
            taken.map(({ at, remove, insert }) => ({ at, remove, insert: blobs.read(insert) })),
          ),
        );
        const rest = splices.filter((splice) => !taken.includes(splice));
        expect(difference(growing, held, mask).map(words)).toEqual(rest.map(words));
        choices++;
        if (taken.length > 0 && rest.length > 0) parts++;
      }
    });
    expect(choices).toBeGreaterThanOrEqual(LONG ? 10_000 : 500);
    expect(parts).toBeGreaterThan(choices / 10);
  },
);

test("[WEAVE-50] a list that is not a part of the weave has no difference", () => {
  const growing = new Growing(7);
  const { weave } = growing;
  growing.edit([{ at: 1, remove: 0, insert: growing.blobs.fresh(2) }]);
  const all = weave.standing();
  for (const held of [
    [
      ["2.0", 0, 2],
      ["1.0", 0, 1],
    ],
    [["3.0", 0, 1]],
    [["1.1", 0, 1]],
    [["1.0", 0, 99]],
    [
      ["1.0", 0, 2],
      ["1.0", 1, 1],
    ],
  ] as const)
    expect(runNow(heldDifferenceSteps(weave, held, all))).toBeUndefined();
  expect(runNow(placeHeldSteps(weave, [["3.0", 0, 1]], []))).toBeUndefined();
});

test(
  "[WEAVE-52] an edit of a held text goes where its bytes are, and the held text stays one",
  { timeout: 3_600_000 },
  () => {
    let [clean, conflicting] = [0, 0];
    seeds((seed) => {
      const growing = new Growing(seed);
      const { random, blobs, model, weave } = growing;
      let held: HeldText = runNow(shownSteps(weave, weave.standing()));
      for (let round = 0; round < 6; round++) {
        growing.grow(below(random, 4));
        const values = growing.values(held);
        const edit = randomEdit(random, blobs, values.length).filter(
          ({ remove, insert }) => remove > 0 || insert.length > 0,
        );
        const placed = runNow(placeHeldSteps(weave, held, edit));
        if (placed === undefined) throw new Error("not a part of the weave");
        const { characters } = model;
        const seen = model.visible();
        // Values are used again: characters are found by their place among the held ones.
        const holding = heldCharacters(growing, held);
        for (const [i, { at, remove }] of edit.entries()) {
          const cut = holding.slice(at, at + remove).map((character) => seen.indexOf(character));
          const right = holding[at] ?? holding.at(-1);
          const isPlaced =
            remove > 0
              ? cut.every((place, k) => place >= 0 && place === (cut[0] as number) + k)
              : right === undefined || seen.includes(right);
          expect(placed.conflicts.includes(i)).toBe(!isPlaced);
        }
        expect(characters.length).toBeGreaterThan(0);
        if (placed.conflicts.length > 0) {
          conflicting++;
          continue;
        }
        clean++;
        const text = model.visible().map(({ value }) => value);
        growing.edit(placed.splices);
        expect(model.visible().map(({ value }) => value)).toEqual(
          applied(text, blobs.numbers(placed.splices)),
        );
        let pieces = 0;
        held = spliceHeld(
          held,
          edit.map(({ at, remove, insert }) => {
            const size = EXTENTS.length(insert);
            return { at, remove, insert: size === 0 ? [] : [[pieceName(growing.seq, pieces++), 0, size]] };
          }),
        );
        expect(growing.values(held)).toEqual(applied(values, blobs.numbers(edit)));
        difference(growing, held, weave.standing());
      }
    });
    expect(clean).toBeGreaterThan(50);
    expect(conflicting).toBeGreaterThan(20);
  },
);

/** The characters of a held text: pieces are numbered in the order in which they were inserted. */
function heldCharacters({ model }: Growing, held: HeldText): Model["characters"] {
  const ofPiece = new Map<string, Model["characters"]>();
  const names = new Map<string, string>();
  const counts = new Map<number, number>();
  const pieces = [...new Set(model.characters.map(({ by, piece }) => `${by} ${piece}`))].sort(
    (a, b) => Number(a.split(" ")[1]) - Number(b.split(" ")[1]),
  );
  for (const piece of pieces) {
    const by = Number(piece.split(" ")[0]);
    const count = counts.get(by) ?? 0;
    counts.set(by, count + 1);
    names.set(piece, pieceName(by, count));
  }
  for (const character of model.characters) {
    const name = names.get(`${character.by} ${character.piece}`) ?? "";
    ofPiece.set(name, [...(ofPiece.get(name) ?? []), character]);
  }
  return held.flatMap(([name, at, length]) => (ofPiece.get(name) ?? []).slice(at, at + length));
}

function applied(values: readonly number[], splices: readonly Splice<readonly number[]>[]): number[] {
  const result = [...values];
  for (const { at, remove, insert } of splices.toReversed()) result.splice(at, remove, ...insert);
  return result;
}

test("[WEAVE-50] splices over runs are those of extents", () => {
  expect(applySplices([["1.0", 0, 4]], [{ at: 1, remove: 2, insert: [["2.0", 0, 1]] }], EXTENTS)).toEqual([
    ["1.0", 0, 1],
    ["2.0", 0, 1],
    ["1.0", 3, 1],
  ]);
});
