import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { commitAs } from "../../src/session/actor.ts";
import { saveAll } from "../../src/session/checkpoints.ts";
import { openCore } from "../../src/session/open-core.ts";
import { sliceSet } from "../../src/session/state.ts";
import { ReplayCosts } from "../../src/session/replay-costs.ts";
import { Timeline } from "../../src/session/timeline.ts";
import type { SessionCore } from "../../src/session/transact.ts";
import { treeSlice } from "../../src/session/tree/tree-slice.ts";
import { Upkeep } from "../../src/session/upkeep.ts";
import {
  memoryStore,
  type Change,
  type Journal,
  type RecordQuery,
  type Store,
} from "../../src/store/index.ts";
import { openSession } from "../../src/tools/index.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { apply, createTree, EMPTY_FOREST, type TreeOp } from "../../src/tree/operations.ts";
import { commit, kept } from "../store/journal-contract.ts";
import { scratch } from "../store/scratch.ts";
import { contents, hosted, put } from "./host-session.ts";
import { notesSlice } from "./notes-slice.ts";
import { ticksSlice } from "./ticks-slice.ts";

const root = scratch("memory");

/** A store that counts the records read from it, and shows what a session saves. */
function counted(): { store: Store; read: () => number; saved: string[] } {
  const store = memoryStore();
  let read = 0;
  const saved: string[] = [];
  const watched = (journal: Journal): Journal =>
    new Proxy(journal, {
      get(target, name) {
        if (name === "records")
          return async (query: RecordQuery) => {
            const records = await target.records(query);
            read += records.length;
            return records;
          };
        if (name === "checkpoint")
          return {
            load: (slice: string, seq: number) => target.checkpoint.load(slice, seq),
            save: (...args: Parameters<Journal["checkpoint"]["save"]>) => {
              saved.push(`${args[1]}@${args[0].seq}`);
              return target.checkpoint.save(...args);
            },
          };
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return {
    store: { ...store, open: async (id, how) => watched(await store.open(id, how)) },
    read: () => read,
    saved,
  };
}

describe("checkpoints", () => {
  test("[HIST-2] [HIST-3] are saved as the tail grows, and bound what a reopening replays", async () => {
    const { store, read, saved } = counted();
    const { session, as, troubles } = await hosted({
      id: "s",
      store,
      limits: { checkpointBytes: 64 * 1024 },
    });
    for (let i = 0; i < 300; i++) {
      await put(as("ann"), `f${i % 10}`, `${i}`);
      await nextTurn();
    }
    await session.close();
    expect(troubles).toEqual([]);
    const files = saved.filter((name) => name.startsWith("files@"));
    // 64 KB of tail are about 15 records of 4 KB and their changes.
    expect(files.length).toBeGreaterThan(13);
    expect(files.length).toBeLessThan(25);
    const before = read();
    const { session: again } = await hosted({ id: "s", store });
    expect(read() - before).toBeLessThan(45);
    // The first record is the policy.
    expect(again.at.seq).toBe(301);
    expect((await contents(again))["f9"]).toBe("299");
    expect(await again.verify({ states: true })).toMatchObject({ ok: true });
  });

  test("[HIST-2] [HIST-1] hold what stood at their place, though calls go on while they are saved", async () => {
    const store = sqliteStore({ directory: join(root, "busy") });
    const { session, as, troubles } = await hosted({ id: "s", store, limits: { checkpointBytes: 4_096 } });
    await Promise.all(
      ["ann", "bob", "cat"].map(async (agent) => {
        for (let i = 0; i < 40; i++) await put(as(agent), `${agent}/${i % 7}`, `${i}`);
      }),
    );
    const before = await contents(session);
    expect(await session.verify({ states: true })).toMatchObject({ ok: true });
    await session.close();
    const { session: again } = await hosted({ id: "s", store });
    expect(await contents(again)).toEqual(before);
    await again.close();
    await store.close();
    expect(troubles).toEqual([]);
  });

  test("[HIST-3] of another process leave what came after them to be replayed", () => {
    const costs = new ReplayCosts(["a", "b"]);
    for (let seq = 3; seq <= 10; seq++) costs.note(seq, "a", 25);
    costs.adopt("a", 6);
    costs.adopt("b", 6);
    expect(costs.starts()).toEqual({ a: 7, b: 0 });
    expect(costs.of("a")).toMatchObject({ since: 6, last: 10, bytes: 4 * 25 });
    costs.adopt("a", 10);
    expect(costs.starts()).toEqual({ a: 0, b: 0 });
    costs.note(12, "a", 25);
    const old = costs.restart("a", 12);
    costs.note(14, "a", 25);
    costs.putBack("a", old);
    expect(costs.of("a")).toMatchObject({ since: 10, first: 12, last: 14 });
  });

  test("[HIST-3] are due for a process's own commits as for those it reads", async () => {
    const store = memoryStore();
    const open = async () => openCore(await store.open("s", { create: true }), [ticksSlice]);
    const [own, other] = [await open(), await open()];
    const actor = { agent: "ann", role: "editor", now: () => new Date() };
    for (let i = 0; i < 3; i++)
      await commitAs(own, actor, "call", null, async (draft) => {
        draft.change({ slice: "ticks", op: "tick", by: 1, why: "x".repeat(1_000) } as Change);
      });
    await other.timeline.catchUp();
    const tail = own.timeline.costs.of("ticks");
    expect(tail.bytes).toBeGreaterThan(3_000);
    expect(tail).toEqual(other.timeline.costs.of("ticks"));
    await Promise.all([own.close(), other.close()]);
  });

  test("[HIST-3] a slice at rest holds no reopening back", async () => {
    const { store, read } = counted();
    const { session, as } = await hosted({
      id: "s",
      store,
      slices: [notesSlice],
      limits: { checkpointBytes: 64 * 1024 },
    });
    for (let i = 0; i < 100; i++) {
      await put(as("ann"), "f", `${i}`);
      await nextTurn();
    }
    await session.close();
    const before = read();
    const { session: again } = await hosted({ id: "s", store, slices: [notesSlice] });
    expect(read() - before).toBeLessThan(45);
    expect(await contents(again)).toEqual({ f: "99" });
  });
});

describe("work beside calls", () => {
  test.each([
    ["memory", () => memoryStore()],
    ["sqlite", () => sqliteStore({ directory: join(root, "turns") })],
  ])(
    "[HIST-144] a checkpoint is saved in turns, as the state was when it was begun (%s)",
    async (_, make) => {
      const store = make();
      const journal = await store.open("s", { create: true });
      const row = (s: number): TreeOp => ({
        slice: "tree",
        op: "insert",
        tree: "t1",
        rows: Array.from({ length: 1_000 }, (_, i) => ({ s: s + i, u: 0, t: "T", p: { i } })),
      });
      let { forest } = createTree(EMPTY_FOREST);
      for (let slot = 1; slot < 12_000; slot += 1_000) forest = apply(forest, row(slot));
      const state = { forest, at: new Map([["t1", journal.genesis]]) };
      const pieces = [...treeSlice.encode(state)];
      let time = performance.now();
      // Every piece takes long.
      const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 10));
      let turns = 0;
      let isSaving = true;
      const tick = (): void => {
        turns++;
        // The session goes on meanwhile.
        forest = apply(forest, row(forest.tree("t1").size));
        if (isSaving) setImmediate(tick);
      };
      setImmediate(tick);
      const slices = new Map([["tree", state]]);
      await saveAll(journal, sliceSet([treeSlice]), { at: journal.genesis, slices });
      isSaving = false;
      clock.mockRestore();
      expect(turns).toBeGreaterThan(pieces.length - 2);
      const saved: Uint8Array[] = [];
      for await (const chunk of (await journal.checkpoint.load("tree", 0))?.chunks ?? []) saved.push(chunk);
      expect(Buffer.concat(saved).equals(Buffer.concat(pieces))).toBe(true);
      await journal.close();
      await store.close();
    },
  );

  test("[HIST-144] a record of very many changes is looked at after its commit", async () => {
    let told: (changes: readonly Change[]) => void = () => {};
    let looked = 0;
    const slices = { get: () => void looked++ };
    const timeline = {
      onAdvance: (listener: typeof told) => (told = listener),
      costs: { due: () => [] },
      state: { at: { seq: 1, hash: "" }, slices },
    };
    const upkeep = new Upkeep({ timeline, limits: {} } as unknown as SessionCore, () => {});
    const changes = Array.from({ length: 5_000 }, (_, i) => ({
      slice: "files",
      op: "create",
      path: `/workspace/f${i}`,
    }));
    told(changes.slice(0, 3));
    expect(looked).toBe(3);
    told(changes);
    expect(looked).toBe(3);
    await upkeep.settled();
    expect(looked).toBe(5_003);
  });

  test("[HIST-144] worn files among very many that come back are rewritten", async () => {
    const { session, as, store } = await hosted({ id: "s" });
    const ann = as("ann");
    for (let i = 0; i < 300; i++) await put(ann, `d/f${i}`, "x");
    for (let i = 0; i < 9; i++) await put(ann, "d/f7", "y", "append");
    await session.close();
    const { session: again, as: agent } = await hosted({ id: "s", store, limits: { contentExtents: 4 } });
    expect((await agent("ann").call("delete_file", { path: "d" })).ok).toBe(true);
    await again.undo({ lastCallOf: "ann" });
    await settled(again, "rewrite");
    expect((await contents(again))["d/f7"]).toBe(`x${"y".repeat(9)}`);
  });
});

test("[HIST-143] a session is not opened without a slice that its records need", async () => {
  const store = memoryStore();
  const journal = await store.open("s", { create: true });
  kept(await journal.append(commit({ changes: [{ slice: "counter", op: "add" }] })));
  await expect(openSession({ id: "s", store })).rejects.toThrow(
    expect.objectContaining({
      code: "invalid_argument",
      reason: "slice_missing",
      message: expect.stringMatching(/"counter".*slices/) as string,
    }) as Error,
  );
});

describe("changes of a record that are many", () => {
  test("[HIST-4] live in a blob, and nobody can tell", async () => {
    const { session, store, as } = await hosted({ id: "s", limits: { packedBytes: 1_024 } });
    for (let i = 0; i < 40; i++) await put(as("ann"), `d/f${i}`, `${i}\n`);
    const { at } = session;
    const before = await contents(session);
    await session.reset();
    const [record] = await session.log({ newestFirst: true, limit: 1 });
    expect(JSON.stringify(record?.changes).length).toBeLessThan(200);
    expect(record?.keys).toContain("file:/d/f39");
    await session.undo({ lastCallOf: "host" });
    expect(await contents(session)).toEqual(before);
    await session.close();
    const { session: again } = await hosted({ id: "s", store });
    expect(await contents(again)).toEqual(before);
    expect((await again.blame({ path: "d/f7" })).runs[0]?.by?.record).toBe(9);
    expect((await again.diff({ from: at })).files).toEqual([]);
    await again.prune({ before: at.seq + 1 });
    expect(await contents(again)).toEqual(before);
    expect(await again.verify({ blobs: true, states: true })).toMatchObject({ ok: true });
  });
});

describe("files that have become many pieces", () => {
  test("[HIST-10] [HIST-11] [HIST-12] are rewritten beside calls, and nobody can tell", async () => {
    const { session, as, troubles } = await hosted({ limits: { contentExtents: 8 } });
    const ann = as("ann");
    await put(ann, "log", "start\n");
    let token = "";
    // The last of them makes it more pieces than there may be.
    for (let i = 0; i < 8; i++) token = await put(ann, "log", `line ${i}\n`, "append");
    const [file] = session.files();
    await settled(session, "rewrite");
    expect(session.at.seq).toBe(11);
    expect(session.files()).toEqual([file]);
    const rewrites = await session.log({ kind: "rewrite", limit: 9 });
    expect(rewrites).toMatchObject([{ seq: 11, keys: [], targets: [] }]);
    expect((await session.log({ limit: 99 })).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await expect(session.undo({ record: 11 })).rejects.toMatchObject({ reason: "nothing_to_undo" });
    // A version that was pinned before still holds.
    const pinned = await ann.call("write_file", {
      path: "log",
      content: "pinned\n",
      mode: "append",
      expectedVersion: token,
    });
    expect(pinned.ok).toBe(true);
    const text = `start\n${Array.from({ length: 8 }, (_, i) => `line ${i}\n`).join("")}pinned\n`;
    expect(await contents(session)).toEqual({ log: text });
    expect((await session.diff({ from: 10, to: 11 })).files).toEqual([]);
    expect((await session.blame({ path: "log" })).runs.map(({ by }) => by?.record)).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 10, 12,
    ]);
    await session.undo({ record: 6 });
    expect((await contents(session))["log"]).toBe(text.replace("line 3\n", ""));
    await session.restore({ to: 5 });
    expect((await contents(session))["log"]).toBe("start\nline 0\nline 1\nline 2\n");
    expect((await session.blame({ path: "log" })).runs.map(({ by }) => by?.record)).toEqual([2, 3, 4, 5]);
    expect(await session.verify({ states: true, blobs: true })).toMatchObject({ ok: true });
    expect(troubles).toEqual([]);
  });

  test("[HIST-10] so are files of which most has been cut out, and a prune frees the rest", async () => {
    const { session, as } = await hosted({ limits: { writeSize: 1_000_000 } });
    await put(as("ann"), "log", "keep\n");
    await put(as("ann"), "log", "x".repeat(200_000), "append");
    await session.undo({ record: 3 });
    await settled(session, "rewrite");
    expect(session.at.seq).toBe(5);
    expect(await contents(session)).toEqual({ log: "keep\n" });
    expect((await session.prune({ before: 6 })).bytes).toBeGreaterThan(200_000);
    expect(await contents(session)).toEqual({ log: "keep\n" });
  });

  test("[HIST-10] a file that is changed all the time is rewritten all the same", async () => {
    const { session, as } = await hosted({ limits: { contentExtents: 4 } });
    const ann = as("ann");
    await put(ann, "log", "0");
    for (let i = 0; i < 100; i++) {
      await put(ann, "log", "x", "append");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await session.log({ kind: "rewrite", limit: 99 })).length).toBeGreaterThan(3);
    expect((await contents(session))["log"]).toBe(`0${"x".repeat(100)}`);
    expect(await session.verify({ states: true })).toMatchObject({ ok: true });
  });

  test("[HIST-11] calls that run meanwhile commit", async () => {
    const { session, as } = await hosted({ limits: { contentExtents: 4 } });
    await put(as("ann"), "log", "0");
    const agents = ["ann", "bob", "cat"].map(as);
    await Promise.all(
      agents.map(async (agent) => {
        for (let i = 0; i < 20; i++) await put(agent, "log", "x", "append");
      }),
    );
    expect(session.files()[0]).toMatchObject({ size_bytes: 61, version: 61 });
    await settled(session, "rewrite");
    expect((await contents(session))["log"]).toBe(`0${"x".repeat(60)}`);
    expect(await session.verify({ states: true })).toMatchObject({ ok: true });
  });
});

/** Waits for a record of a kind to be there. */
async function settled(session: Awaited<ReturnType<typeof hosted>>["session"], kind: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if ((await session.log({ kind, limit: 1 })).length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`no ${kind} came`);
}

describe("two sessions on one journal", () => {
  test.each([
    ["memory", () => memoryStore()],
    ["sqlite", () => sqliteStore({ directory: join(root, "follow") })],
  ])("[HIST-5] [HIST-111] see each other's commits without asking (%s)", async (_name, make) => {
    const store = make();
    const one = await hosted({ id: "s", store });
    const two = await hosted({ id: "s", store });
    const seen: number[] = [];
    const ending = new AbortController();
    const watching = (async () => {
      for await (const record of two.session.watch({ signal: ending.signal })) {
        seen.push(record.seq);
        if (seen.length === 6) return;
      }
    })();
    for (let i = 0; i < 3; i++) {
      await put(one.as("ann"), `a${i}`, "1");
      await put(two.as("bob"), `b${i}`, "1");
    }
    await watching;
    ending.abort();
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    for (let tries = 0; tries < 400 && one.session.files().length < 6; tries++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(one.session.files().map(({ path }) => path)).toEqual(two.session.files().map(({ path }) => path));
    expect(one.session.files()).toHaveLength(6);
    await one.session.close();
    await two.session.close();
    await store.close();
    expect([...one.troubles, ...two.troubles]).toEqual([]);
  });

  test("[HIST-111] a watch begins where it is told and leaves rewrites out", async () => {
    const { session, as } = await hosted({ limits: { contentExtents: 3 } });
    await put(as("ann"), "log", "0");
    for (let i = 0; i < 4; i++) await put(as("ann"), "log", "x", "append");
    await settled(session, "rewrite");
    const last = await put(as("ann"), "log", "y", "append");
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const { seq, kind, hash } of session.watch({ after: 3, signal: ending.signal })) {
      seen.push(kind);
      if (last === `${seq}-${hash.slice(0, 8)}`) break;
    }
    expect(seen).toEqual(["call", "call", "call", "call"]);
  });
});

test("[HIST-122] many small records of others are taken in with turns in between", async () => {
  const store = memoryStore();
  // Others: each record takes this process a millisecond.
  const slow: typeof ticksSlice = {
    ...ticksSlice,
    apply: (state, change, ...rest) => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      return ticksSlice.apply(state, change, ...rest);
    },
  };
  const journal = await store.open("s", { create: true });
  const timeline = await Timeline.open(journal, sliceSet([slow]));
  for (let i = 0; i < 60; i++)
    kept(await journal.append(commit({ changes: [{ slice: "ticks", op: "tick", by: 1 } as Change] })));
  let turns = 0;
  let isDone = false;
  const turning = (async () => {
    for (; !isDone; turns++) await nextTurn();
  })();
  await timeline.catchUp();
  isDone = true;
  await turning;
  expect(timeline.state.slices.get("ticks")).toBe(60);
  expect(turns).toBeGreaterThan(3);
});
