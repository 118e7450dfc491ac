// Undos and restores of slices that invert and rebase, against a model that adds up what stands.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HoldfastError, say, type Shown } from "../../src/errors.ts";
import { commitAs, type Actor } from "../../src/session/actor.ts";
import { History } from "../../src/session/history.ts";
import { openCore, type OpenCore } from "../../src/session/open-core.ts";
import type { Slice } from "../../src/session/slice.ts";
import { standingOf, type Stands } from "../../src/session/standing.ts";
import { undoByRebase, type Rebasable } from "../../src/session/undo-by-rebase.ts";
import type { Change, JournalRecord, Store } from "../../src/store/journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { below, pick, randomFrom, type Random } from "./random.ts";

type Tallies = ReadonlyMap<string, number>;

interface Tally extends Change {
  readonly name: string;
  readonly by: number;
}

/** Numbers by name. Nothing is ever in the way of an undo, so that all it can go wrong in is what it takes back. */
function talliesSlice(slice: string, hasParts: boolean): Slice<Tallies, Tally, Tallies> {
  const changes: Rebasable<Tallies, Tally> = {
    name: slice,
    apply: (state, { name, by }) => new Map(state).set(name, (state.get(name) ?? 0) + by),
    refuse: () => [],
    invert: (change) => ({ ...change, by: -change.by }),
    rebase: (change) => change,
    ...(hasParts ? { part: ({ name }: Tally) => name } : {}),
  };
  const between = (from: Tallies, to: Tallies, scope?: string): Tally[] =>
    [...new Set([...from.keys(), ...to.keys()])]
      .filter((name) => scope === undefined || scope === name)
      .map((name) => ({ slice, op: "add", name, by: (to.get(name) ?? 0) - (from.get(name) ?? 0) }))
      .filter(({ by }) => by !== 0);
  return {
    ...changes,
    empty: () => new Map(),
    reader: (state) => state,
    undo: undoByRebase(changes),
    between,
    keys: (_state, { name }) => [`${slice}:${name}`],
    blobs: () => [],
    weigh: () => ({ bytes: 0, files: 0 }),
    diff: (from, to, scope) => ({
      added: [],
      changed: between(from, to, scope).map(({ name }) => say`${name as Shown}`),
      removed: [],
    }),
    encode: (state) => [new TextEncoder().encode(JSON.stringify([...state]))],
    async decode(chunks) {
      let text = "";
      for await (const chunk of chunks) text += new TextDecoder().decode(chunk);
      return new Map(JSON.parse(text) as [string, number][]);
    },
  };
}

const SLICES = [talliesSlice("parted", true), talliesSlice("whole", false)];
/** A slice without parts is used with one name, as the counter of a host would be. */
const PLACES = ["parted a", "parted b", "parted c", "whole n"];

function placeOf(change: Change): string {
  return `${change.slice} ${(change as Tally).name}`;
}

/** What happened, as the test saw it. */
interface Told {
  readonly seq: number;
  readonly places: ReadonlySet<string>;
  readonly adds: ReadonlyMap<string, number>;
  /** Records taken back, each with the places where it stood before; or the position restored. */
  readonly undone?: ReadonlyMap<number, ReadonlySet<string>>;
  readonly to?: number;
}

/** The definition, from the newest back: a record stands in a place until a later one that stands there takes it back. */
function standingIn(history: readonly Told[], place: string): ReadonlySet<number> {
  const standing: Told[] = [];
  for (const one of history.toReversed())
    if (
      !standing.some(
        ({ places, undone, to = Infinity }) =>
          places.has(place) && (undone?.get(one.seq)?.has(place) === true || one.seq > to),
      )
    )
      standing.push(one);
  return new Set(standing.map(({ seq }) => seq));
}

/** Where an undo takes each record back, so that none of them stands anywhere: also one that would come back with another. */
function takenFrom(history: readonly Told[], chosen: readonly number[]): Map<number, Set<string>> {
  const taken = new Map<number, Set<string>>();
  const undo: Told = { seq: Infinity, places: new Set(PLACES), adds: new Map(), undone: taken };
  const takeStanding = (): void => {
    for (const seq of chosen.toSorted((a, b) => b - a))
      for (const place of history[seq - 1]?.places ?? [])
        if (stands([...history, undo], seq, place)) taken.set(seq, (taken.get(seq) ?? new Set()).add(place));
  };
  takeStanding();
  takeStanding();
  return taken;
}

function stands(history: readonly Told[], seq: number, place: string): boolean {
  return standingIn(history, place).has(seq);
}

const LONG = process.env["HOLDFAST_LONG"] === "1";

class Run {
  readonly random: Random;
  readonly told: Told[] = [];
  readonly store: Store = memoryStore();
  core!: OpenCore;
  history!: History;

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  async open(id = "s"): Promise<void> {
    this.core = await openCore(await this.store.open(id, { create: true }), SLICES);
    const actor: Actor = { agent: "ann", role: "editor", now: () => new Date(0) };
    this.history = new History(this.core, actor);
  }

  get seq(): number {
    return this.core.timeline.state.at.seq;
  }

  async tell(taken: Pick<Told, "undone" | "to"> = {}): Promise<void> {
    const [record] = await this.core.journal.records({ after: this.seq - 1, upTo: this.seq, limit: 1 });
    const changes = (record as JournalRecord).changes as readonly Tally[];
    const adds = new Map<string, number>();
    const isWork = taken.undone === undefined && taken.to === undefined;
    for (const change of isWork ? changes : [])
      adds.set(placeOf(change), (adds.get(placeOf(change)) ?? 0) + change.by);
    this.told.push({ seq: this.seq, places: new Set(changes.map(placeOf)), adds, ...taken });
  }

  async add(): Promise<void> {
    const actor: Actor = { agent: "ann", role: "editor", now: () => new Date(0) };
    await commitAs(this.core, actor, "call", null, async (draft) => {
      for (let count = 1 + below(this.random, 2); count > 0; count--) {
        const [slice = "", name = ""] = pick(this.random, PLACES).split(" ");
        draft.change({ slice, op: "add", name, by: 1 + below(this.random, 1000) } as Change);
      }
    });
    await this.tell();
  }

  async restore(): Promise<void> {
    const before = this.seq;
    const to = below(this.random, before + 1);
    const [slice = "", scope = ""] = pick(this.random, PLACES).split(" ");
    const part = pick(this.random, [{}, {}, { slice }, slice === "parted" ? { slice, scope } : { slice }]);
    if (to === 0 && this.random() < 0.5) await this.history.reset();
    else await this.history.restore({ to, ...part });
    if (this.seq > before) await this.tell({ to: this.core.timeline.state.at.seq > before ? to : 0 });
  }

  async undo(): Promise<void> {
    const before = this.seq;
    const count = this.random() < 0.7 ? 1 : 2;
    const record = Array.from({ length: count }, () => 1 + below(this.random, before));
    const wasStanding = (seq: number, place: string): boolean => stands(this.told, seq, place);
    const taken = takenFrom(this.told, record);
    try {
      const { undone } = await this.history.undo({ record });
      expect(new Set(undone)).toEqual(new Set(taken.keys()));
      await this.tell({ undone: taken });
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      expect(this.seq).toBe(before);
      if (error.reason === "nothing_to_undo") {
        for (const seq of record)
          for (const place of this.told[seq - 1]?.places ?? [])
            expect(wasStanding(seq, place), error.message).toBe(false);
        return;
      }
      expect(error.message).toMatch(/would be undone by record \d+ again, and is by record \d+/);
      return;
    }
    for (const seq of record)
      for (const place of this.told[seq - 1]?.places ?? [])
        expect(stands(this.told, seq, place), `${seq} in ${place}`).toBe(false);
  }

  async check(): Promise<void> {
    for (const place of PLACES) {
      const standing = standingIn(this.told, place);
      const sum = this.told
        .filter(({ seq }) => standing.has(seq))
        .reduce((all, { adds }) => all + (adds.get(place) ?? 0), 0);
      const [slice = "", name = ""] = place.split(" ");
      const tallies = this.core.timeline.state.slices.get(slice) as Tallies;
      expect([place, tallies.get(name) ?? 0]).toEqual([place, sum]);
    }
    const records = await this.core.journal.records({ newestFirst: true, limit: 1000 });
    const listed = await standingOf(this.core, this.seq, records);
    for (const { seq, places } of this.told) {
      const there = [...places].map((place) => stands(this.told, seq, place));
      const expected: Stands = there.every(Boolean)
        ? "everywhere"
        : there.some(Boolean)
          ? "in_part"
          : "nowhere";
      expect([seq, listed.get(seq)]).toEqual([seq, expected]);
    }
  }
}

describe("records outside files", () => {
  test(
    "[HIST-37] [HIST-49] stand where no standing undo or restore took them back, and are there once or not at all",
    () =>
      fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const run = new Run(seed);
          await run.open();
          for (let step = 0; step < 14; step++) {
            const dice = run.random();
            if (run.seq === 0 || dice < 0.4) await run.add();
            else if (dice < 0.6) await run.restore();
            else if (dice < 0.95) await run.undo();
            else {
              await run.core.close();
              await run.open();
            }
            await run.check();
          }
          await run.core.close();
          await run.store.close();
        }),
        { numRuns: LONG ? 5_000 : 400 },
      ),
    LONG ? 3_600_000 : 120_000,
  );
});
