// Owns: the rules of docs/spec/history.md that hold for any slice, as one suite to be run over each of them.
// A slice brings an adapter: how to make a random change, and what a user can see of a state.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { resolveLimits } from "../../src/limits.ts";
import { commitAs, type Actor } from "../../src/session/actor.ts";
import { openCore, type OpenCore } from "../../src/session/open-core.ts";
import { rebuild } from "../../src/session/checkpoints.ts";
import { History } from "../../src/session/history.ts";
import { changesOf } from "../../src/session/packed-changes.ts";
import type { Slice } from "../../src/session/slice.ts";
import type { BlobId, Change, Content, Position, Store } from "../../src/store/journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { ticksSlice } from "./ticks-slice.ts";
import { below, pick, randomFrom, type Random } from "./random.ts";

export interface SliceUnderTest<S, C extends Change> {
  readonly name: string;
  // oxlint-disable-next-line no-explicit-any -- what tools read of it makes no difference here
  readonly slice: Slice<S, C, any>;
  /** A change that `state` accepts; undefined when the dice have none. Bytes it needs are staged first. */
  change(state: S, random: Random, stage: (bytes: Uint8Array) => Promise<BlobId>): Promise<C | undefined>;
  /** What a user can see of a state: equal for two states that hold the same, whatever their counters say. */
  view(state: S, read: (content: Content) => Promise<Uint8Array>): unknown;
  /** A scope that the slice knows, such as a path or the id of a tree, to restore only that part. */
  scopes?(state: S): readonly string[];
  /** What of a view lies in a scope. */
  within?(view: unknown, scope: string): unknown;
  /** Whether it changes what no view shows, and a restore therefore leaves as it is. */
  isHidden?(change: C): boolean;
}

export interface SuiteOptions {
  /** A fresh store for each run; in memory when left out. */
  readonly store?: () => Store;
  /** Runs of each property; 18 unless told, 300 with HOLDFAST_LONG. */
  readonly runs?: number;
}

const LONG = process.env["HOLDFAST_LONG"] === "1";
const AGENTS = ["ann", "bob"] as const;
const fileOf = (change: Change): unknown =>
  change.slice === "files" && "id" in change ? change.id : undefined;

export function historySuite<S, C extends Change>(
  subject: SliceUnderTest<S, C>,
  options: SuiteOptions = {},
): void {
  const { store: makeStore = () => memoryStore(), runs = LONG ? 300 : 18 } = options;
  const limits = resolveLimits({ checkpointBytes: 8 * 1024, packedBytes: 1024 });

  /** One session under test, with the view and position after each commit. */
  class Run {
    readonly store: Store;
    readonly random: Random;
    readonly places: { readonly at: Position; readonly view: unknown }[] = [];
    /** What went wrong beside calls. */
    readonly troubles: unknown[] = [];
    core!: OpenCore;
    history!: History;
    #time = 0;

    constructor(seed: number) {
      this.store = makeStore();
      this.random = randomFrom(seed);
    }

    async open(id = "one"): Promise<this> {
      this.core = await openCore(await this.store.open(id, { create: true }), [subject.slice, ticksSlice], {
        limits,
        report: (what, cause) => this.troubles.push([what, cause]),
      });
      this.history = new History(this.core, this.actor("host"));
      return this;
    }

    actor(agent: string): Actor {
      return { agent, role: "editor", now: () => new Date(1_700_000_000_000 + ++this.#time * 1000) };
    }

    get state(): S {
      return this.core.timeline.state.slices.get(subject.slice.name) as S;
    }

    view(state: S = this.state): unknown {
      return subject.view(state, async (content) => {
        const source = await this.core.journal.source(content);
        const bytes = new Uint8Array(source.size);
        source.read(0, bytes, 0, bytes.length);
        source.close();
        return bytes;
      });
    }

    get ticks(): number {
      return this.core.timeline.state.slices.get("ticks") as number;
    }

    async mark(): Promise<void> {
      this.places.push({ at: this.core.timeline.state.at, view: await this.view() });
    }

    /** Commits up to `count` random changes, a few at a time, by turns. */
    async commit(count: number): Promise<void> {
      const { core, random } = this;
      for (let i = 0; i < count; i++) {
        const { at } = await commitAs(core, this.actor(pick(random, AGENTS)), "call", null, async (draft) => {
          for (let changes = 1 + below(random, 3); changes > 0; changes--) {
            const state = draft.state(subject.slice);
            const change = await subject.change(state, random, (bytes) => core.journal.stage(bytes));
            if (change === undefined) continue;
            const refused = await draft.changeAll([change]);
            expect(refused, "the adapter made a change that its slice refuses").toEqual([]);
          }
          if (random() < 0.3) draft.change({ slice: "ticks", op: "tick", by: 1 } as Change);
          draft.depend(draft.touched);
        });
        expect(core.timeline.state.at.seq).toBeGreaterThanOrEqual(at.seq);
        await this.mark();
      }
    }

    async close(): Promise<void> {
      await this.core.close();
    }
  }

  const property = (check: (run: Run) => Promise<void>, numRuns = runs): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const run = await new Run(seed).open();
        await run.mark();
        try {
          await check(run);
        } finally {
          await run.close();
          await run.store.close();
        }
        expect(run.troubles).toEqual([]);
      }),
      { numRuns },
    );

  const textOf = (state: S): string =>
    [...subject.slice.encode(state)].map((chunk) => Buffer.from(chunk).toString("latin1")).join("");

  describe(`the history of ${subject.name}`, { timeout: LONG ? 3_600_000 : 120_000 }, () => {
    test("[HIST-1] [HIST-2] [HIST-3] a reopened session, and one replayed without checkpoints, hold the same state", () =>
      property(async (run) => {
        await run.commit(5 + below(run.random, 20));
        await run.core.upkeep.settled();
        const [text, view, at] = [textOf(run.state), await run.view(), run.core.timeline.state.at];
        const { ticks } = run;
        const bare = await rebuild(run.core.journal, run.core.slices, at.seq, -1);
        expect(textOf(bare.state.slices.get(subject.slice.name) as S)).toBe(text);
        expect(await run.history.verify({ states: true, blobs: true })).toMatchObject({ ok: true });
        await run.close();
        await run.open();
        expect(textOf(run.state)).toBe(text);
        expect(await run.view()).toEqual(view);
        expect([run.core.timeline.state.at, run.ticks]).toEqual([at, ticks]);
        await run.commit(2);
      }));

    test("[HIST-6] every place of the past is what it was", () =>
      property(async (run) => {
        await run.commit(3 + below(run.random, 15));
        await run.close();
        await run.open();
        for (const { at, view } of run.places) {
          const past = await run.core.timeline.past(at);
          expect(await run.view(past.slices.get(subject.slice.name) as S)).toEqual(view);
        }
        const last = run.places.at(-1)?.at ?? { seq: 0, hash: "" };
        for (const wrong of [
          { seq: last.seq + 1, hash: "" },
          { seq: last.seq, hash: "nothex" },
        ])
          await expect(run.core.timeline.past(wrong)).rejects.toMatchObject({ reason: "unknown_position" });
      }));

    test("[HIST-40] undoing every record, newest first, leads back through every state", () =>
      property(async (run) => {
        await run.commit(2 + below(run.random, 8));
        for (let i = run.places.length - 1; i > 0; i--) {
          const [before, place] = [run.places[i - 1], run.places[i]];
          if (before === undefined || place === undefined || before.at.seq === place.at.seq) continue;
          await run.history.undo({ record: place.at.seq });
          expect(await run.view()).toEqual(before.view);
        }
      }));

    test("[HIST-40] [HIST-41] an undo beneath later changes is refused and changes nothing, or can itself be undone", () =>
      property(async (run) => {
        await run.commit(3 + below(run.random, 10));
        const { seq } = run.core.timeline.state.at;
        if (seq === 0) return;
        const view = await run.view();
        try {
          await run.history.undo({ record: 1 + below(run.random, seq) });
        } catch (error) {
          expect(HoldfastError.is(error) && error.reason).toBe("undo_refused");
          expect(await run.view()).toEqual(view);
          expect(run.core.timeline.state.at.seq).toBe(seq);
          return;
        }
        expect(run.core.timeline.state.at.seq).toBe(seq + 1);
        await run.history.undo({ record: seq + 1 });
        expect(await run.view()).toEqual(view);
      }));

    test("[HIST-30] [HIST-32] any place can be restored, that undone, and that restored again", () =>
      property(async (run) => {
        await run.commit(3 + below(run.random, 12));
        const now = await run.view();
        const { at, view } = pick(run.random, run.places);
        const before = run.core.timeline.state.at;
        const restored = await run.history.restore({ to: at });
        expect(await run.view()).toEqual(view);
        if (restored.at.seq === before.seq) return expect(view).toEqual(now);
        expect(restored.at.seq).toBe(before.seq + 1);
        await run.history.undo({ record: restored.at.seq });
        expect(await run.view()).toEqual(now);
        await run.history.restore({ to: restored.at });
        expect(await run.view()).toEqual(view);
        await run.history.restore({ to: restored.at });
        await run.commit(2);
      }));

    test("[HIST-36] [HIST-37] after a restore nothing since its position can be undone, and what was before as if nothing had been", () =>
      property(async (run) => {
        await run.commit(3 + below(run.random, 10));
        const { at } = pick(run.random, run.places);
        const end = run.core.timeline.state.at.seq;
        const restored = (await run.history.restore({ to: at })).at.seq;
        if (restored === end || at.seq === 0) return;
        const records = await run.core.journal.records({ limit: 1000 });
        const all = await Promise.all(records.map((record) => changesOf(run.core.journal, record)));
        const touched = new Set(records.at(-1)?.keys);
        // A file that was at one of its paths for a while, and is none that it changes, is not restored.
        const files = new Set(all.at(-1)?.map(fileOf));
        const isRestored = (seq: number): boolean =>
          records[seq - 1]?.keys.every((key) => touched.has(key)) === true &&
          all[seq - 1]?.every((change) => files.has(fileOf(change))) === true;
        for (let seq = at.seq + 1; seq <= end; seq++)
          if (isRestored(seq) && records[seq - 1]?.changes?.length !== 0)
            await expect(run.history.undo({ record: seq })).rejects.toMatchObject({
              reason: "nothing_to_undo",
            });
        const since = all.slice(at.seq, end);
        if (!since.every((_, i) => isRestored(at.seq + 1 + i))) return;
        if (since.flat().some((change) => subject.isHidden?.(change as C))) return;
        const fork = new Run(0);
        Object.assign(fork, { store: run.store });
        await (await run.store.fork("one", at, "two")).close();
        await fork.open("two");
        const record = 1 + below(run.random, at.seq);
        const undone = async ({ history }: Run): Promise<unknown> =>
          history.undo({ record }).then(
            () => "undone",
            (error: unknown) => HoldfastError.is(error) && error.reason,
          );
        expect(await undone(run)).toBe(await undone(fork));
        expect(await run.view()).toEqual(await fork.view());
        await fork.close();
      }));

    test.runIf(subject.scopes !== undefined)("[HIST-31] a scope is restored and the rest is left", () =>
      property(async (run) => {
        await run.commit(4 + below(run.random, 12));
        const now = await run.view();
        const { at, view } = pick(run.random, run.places);
        const scopes = (state: S): readonly string[] => subject.scopes?.(state) ?? [];
        const within = (all: unknown, scope: string): unknown => subject.within?.(all, scope) ?? all;
        const past = (await run.core.timeline.past(at)).slices.get(subject.slice.name) as S;
        const all = [...scopes(run.state), ...scopes(past)];
        if (all.length === 0) return;
        const scope = pick(run.random, all);
        const others = all.filter((other) => !related(other, scope));
        try {
          await run.history.restore({ to: at, slice: subject.slice.name, scope });
        } catch (error) {
          expect(HoldfastError.is(error) && error.reason).toBe("restore_refused");
          return expect(await run.view()).toEqual(now);
        }
        const after = await run.view();
        expect(within(after, scope)).toEqual(within(view, scope));
        for (const other of others) expect(within(after, other)).toEqual(within(now, other));
      }),
    );

    test("[HIST-50] a fork goes its own way", () =>
      property(
        async (run) => {
          await run.commit(2 + below(run.random, 10));
          const { at, view } = pick(run.random, run.places);
          const end = await run.view();
          const journal = await run.store.fork("one", at, "two");
          const fork = new Run(below(run.random, 1e9));
          Object.assign(fork, { store: run.store });
          await journal.close();
          await fork.open("two");
          expect(fork.core.timeline.state.at).toEqual(at);
          expect(await fork.view()).toEqual(view);
          await fork.commit(3);
          expect(await run.view()).toEqual(end);
          const mine = await fork.view();
          await run.commit(3);
          expect(await fork.view()).toEqual(mine);
          await fork.close();
        },
        Math.ceil(runs / 2),
      ));

    test("[HIST-63] a diff is empty between a state and itself, and not between states that look different", () =>
      property(async (run) => {
        await run.commit(3 + below(run.random, 10));
        const [a, b] = [pick(run.random, run.places), pick(run.random, run.places)];
        const [from, to] = await Promise.all(
          [a, b].map(
            async ({ at }) => (await run.core.timeline.past(at)).slices.get(subject.slice.name) as S,
          ),
        );
        expect(count(subject.slice.diff(from as S, from as S))).toBe(0);
        if (!isSame(a.view, b.view)) expect(count(subject.slice.diff(from as S, to as S))).toBeGreaterThan(0);
        const whole = await run.history.diff({ from: a.at, to: b.at });
        const { ticks: _, ...slices } = whole.slices;
        const shown = whole.files.length + Object.keys(slices).length;
        if (!isSame(a.view, b.view)) expect(shown).toBeGreaterThan(0);
      }));

    test("[HIST-100] a reset empties it, and can be undone", () =>
      property(async (run) => {
        await run.commit(2 + below(run.random, 6));
        const view = await run.view();
        const { at } = await run.history.reset();
        expect(await run.view()).toEqual(run.places[0]?.view);
        if (at.seq > (run.places.at(-1)?.at.seq ?? 0)) await run.history.undo({ record: at.seq });
        expect(await run.view()).toEqual(view);
      }));

    test("[HIST-90] [HIST-91] what is after the border of a prune stays whole", () =>
      property(async (run) => {
        await run.commit(3 + below(run.random, 12));
        const border = 1 + below(run.random, run.core.timeline.state.at.seq + 1);
        await run.history.prune({ before: border });
        expect(await run.history.verify({ states: true, blobs: true })).toMatchObject({ ok: true });
        await run.close();
        await run.open();
        for (const { at, view } of run.places) {
          if (at.seq >= border - 1) {
            const past = await run.core.timeline.past(at);
            expect(await run.view(past.slices.get(subject.slice.name) as S)).toEqual(view);
          } else if (at.seq > 0)
            await expect(run.core.timeline.past(at)).rejects.toMatchObject({ reason: "snapshot_expired" });
        }
        await run.commit(3);
      }));

    test("[HIST-1] two sessions on one journal agree, whoever commits", () =>
      property(
        async (run) => {
          const other = new Run(below(run.random, 1e9));
          Object.assign(other, { store: run.store });
          await other.open();
          for (let i = 0; i < 3; i++) {
            await Promise.all([run.commit(2), other.commit(2)]);
          }
          await Promise.all([run.core.timeline.catchUp(), other.core.timeline.catchUp()]);
          expect(textOf(other.state)).toBe(textOf(run.state));
          await other.close();
        },
        Math.ceil(runs / 2),
      ));
  });
}

function related(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

function count(diff: {
  added: readonly unknown[];
  changed: readonly unknown[];
  removed: readonly unknown[];
}): number {
  return diff.added.length + diff.changed.length + diff.removed.length;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
