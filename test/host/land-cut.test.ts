import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { isTemporaryName } from "../../src/host/pinned-directory.ts";
import { memoryStore, sqliteStore } from "../../src/store/index.ts";
import { inLanes, LONG } from "../effort.ts";
import { put } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { filesIn, folderOf, opened } from "./folder.ts";
import { interrupting } from "./interrupting.ts";
import { killedAfter } from "./killed.ts";
import { startSwapping } from "./outside.ts";

test("[HOST-78] a landing that is cut off is finished by the next call, or taken back where a path changed outside", async () => {
  for (const how of ["all in place", "half in place", "changed outside"] as const) {
    let isCut = true;
    const from = folderOf({ a: "1\n", b: "2\n", "d/c": "3\n" });
    const before = filesIn(from);
    const { session, as } = await opened({
      store: interrupting(memoryStore(), () => isCut),
      mounts: [{ from, to: "/workspace" }],
    });
    await put(as("ann"), "a", "ann a\n");
    await put(as("ann"), "b", "ann b\n");
    await put(as("ann"), "n/e/w", "new\n");
    await as("ann").call("delete_file", { path: "d/c" });
    const plan = await session.plan();
    await expect(plan.land()).rejects.toThrow("cut off");
    const after = { a: "ann a\n", b: "ann b\n", "n/e/w": "new\n" };
    expect(filesIn(from)).toEqual(after);
    if (how !== "all in place") {
      folderOf({ b: "2\n", "d/c": "3\n" }, from);
      rmSync(join(from, "n"), { recursive: true });
    }
    if (how === "changed outside") writeFileSync(join(from, "b"), "host\n");
    isCut = false;
    const isLanded = how !== "changed outside";
    const resumed = how === "half in place" ? await session.plan() : await session.resumeLanding();
    if (how !== "half in place") {
      expect(resumed).toMatchObject({ isLanded });
      const paths = ["a", "b", "n/e/w", "d/c"].map((name) => `/workspace/${name}`);
      expect(resumed).toMatchObject({ paths });
    }
    expect(filesIn(from)).toEqual(isLanded ? after : { ...before, b: "host\n" });
    expect(await session.resumeLanding()).toBeUndefined();
    const left = (await session.plan()).files.length;
    expect(left).toBe(isLanded ? 0 : 4);
    await session.close();
  }
});

test("[HOST-143] a file takes the place of a directory and the reverse, also when it is cut off anywhere", async () => {
  const [old, next] = [
    { "d/k": "k\n", "d/e/l": "l\n", f: "f\n", keep: "1\n" },
    { d: "file\n", "f/x": "x\n", "f/y/z": "z\n", keep: "1\n" },
  ];
  // Which of the places are cut short, and what is in them then.
  const cuts: Record<string, (from: string) => void> = {
    "nothing is done": (from) => {
      for (const path of ["d", "f"]) rmSync(join(from, path), { recursive: true });
      folderOf(old, from);
    },
    "room is made": (from) => {
      for (const path of ["d", "f"]) rmSync(join(from, path), { recursive: true });
      mkdirSync(join(from, "d/e"), { recursive: true });
    },
    "half is placed": (from) => rmSync(join(from, "f/y"), { recursive: true }),
    "all is placed": () => {},
  };
  for (const [cut, make] of Object.entries(cuts))
    for (const isForward of [true, false]) {
      let isCut = true;
      const from = folderOf({ ...old, stranger: "s\n" });
      const { session, as } = await opened({
        store: interrupting(memoryStore(), () => isCut),
        mounts: [{ from, to: "/workspace" }],
      });
      for (const path of ["d/k", "d/e/l", "f"]) await as("ann").call("delete_file", { path });
      for (const path of ["d", "f/x", "f/y/z"] as const) await put(as("ann"), path, next[path] as string);
      await put(as("ann"), "stranger", "ann\n");
      const plan = await session.plan();
      expect(plan.conflicts).toEqual([]);
      await expect(plan.land()).rejects.toThrow("cut off");
      expect(filesIn(from)).toEqual({ ...next, stranger: "ann\n" });
      make(from);
      if (!isForward) writeFileSync(join(from, "stranger"), "host\n");
      isCut = false;
      expect(await session.resumeLanding(), cut).toMatchObject({ isLanded: isForward });
      expect(filesIn(from), cut).toEqual(
        isForward ? { ...next, stranger: "ann\n" } : { ...old, stranger: "host\n" },
      );
      await session.close();
    }
});

test("[HOST-143] a landing of it can be reverted, and a directory that holds anything else is in the way", async () => {
  const from = folderOf({ "d/k": "k\n" });
  const { session, as } = await opened({ mounts: [{ from, to: "/workspace" }] });
  await as("ann").call("delete_file", { path: "d/k" });
  await put(as("ann"), "d", "file\n");
  folderOf({ "d/other": "host\n" }, from);
  expect((await session.plan()).conflicts).toMatchObject([{ path: "/workspace/d" }]);
  rmSync(join(from, "d/other"));
  const { landing } = await (await session.plan()).land();
  expect(filesIn(from)).toEqual({ d: "file\n" });
  expect((await session.plan()).isEmpty).toBe(true);
  await session.revertLanding(landing);
  expect(filesIn(from)).toEqual({ "d/k": "k\n" });
  await session.close();
});

test(
  "[HOST-79] a folder is as before or completely landed after kill -9 while landing",
  { timeout: 3_600_000 },
  async () => {
    const cycles = LONG ? 200 : 2;
    let [cut, whole, resumed] = [0, 0, 0];
    await inLanes(cycles, async (numbers) => {
      const directory = scratch();
      for (const n of numbers) {
        const id = `s${n}`;
        const files = Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => [`d${i % 7}/f${i}`, `${i}\n`.repeat(300)]),
        );
        const from = folderOf(files);
        const mounts = [{ from, to: "/workspace" }];
        const store = sqliteStore({ directory });
        const { session, as } = await opened({ store, id, mounts });
        const after: Record<string, string> = { ...files };
        for (let i = 0; i < 20; i++) {
          const path = `d${i % 7}/f${i}`;
          await put(as("ann"), path, (after[path] = `ann\n${files[path] ?? ""}`));
        }
        for (const path of ["d0/f0", "d3/f24"]) {
          await as("ann").call("delete_file", { path });
          delete after[path];
        }
        for (const path of ["new/one", "new/two"]) await put(as("ann"), path, (after[path] = "new\n"));
        await session.close();
        await store.close();
        const isDone = await killedAfter((n % 50) * 3, [directory, id, from, "land"]);
        const again = sqliteStore({ directory });
        const { session: next } = await opened({ store: again, id, mounts });
        if ((await next.resumeLanding()) !== undefined) resumed++;
        const found = filesIn(from);
        if (found["new/one"] === undefined) {
          expect(isDone).toBe(false);
          expect(found).toEqual(files);
          cut++;
          await (await next.plan()).land();
        } else whole++;
        expect(filesIn(from)).toEqual(after);
        expect((await next.plan()).isEmpty).toBe(true);
        expect((await next.verify({ blobs: true })).ok).toBe(true);
        await next.close({ delete: true });
        await again.close();
        rmSync(from, { recursive: true });
      }
    });
    expect(cut + whole).toBe(cycles);
    if (LONG) expect(Math.min(cut, whole, resumed)).toBeGreaterThan(0);
  },
);

/** How often a session of the race writes before another one takes its place: what a landing costs grows with the history. */
const ROUNDS = 50;
const RACED = ["dir/f", "dir/in/g", "calm/h", ...Array.from({ length: 7 }, (_, i) => `dir/k${i}`)];

test(
  "[HOST-80] nothing outside is touched while another process swaps directories and links",
  { timeout: 3_600_000 },
  async () => {
    const wanted = LONG ? 20_000 : 40;
    const base = scratch();
    const root = folderOf(
      { "dir/f": "0\n", "dir/in/g": "0\n", leaf: "inside", "calm/h": "0\n" },
      join(base, "root"),
    );
    const outside = folderOf({ f: "outside", "in/g": "outside", secret: "outside" }, join(base, "outside"));
    const swapping = startSwapping(root, outside, 300);
    let [written, refused] = [0, 0];
    try {
      for (let first = 1; written < wanted || refused === 0; first += ROUNDS) {
        const { session, as } = await opened({ mounts: [{ from: root, to: "/workspace" }] });
        const ann = as("ann");
        for (let n = first; n < first + ROUNDS && (written < wanted || refused === 0); n++) {
          for (const path of RACED) await put(ann, path, `${n}\n`);
          const made = n % 5 === 0 ? [`dir/made${n}`, `dir/new${n}/x`] : [];
          for (const path of made) await put(ann, path, `${n}\n`);
          for (const { path } of session
            .files()
            .filter(({ path }) => /made|new/.test(path) && !made.includes(path.slice(11))))
            await ann.call("delete_file", { path });
          try {
            const { files } = await (await session.plan({ leave: [] })).land();
            written += files.length;
          } catch {
            refused++;
            const { conflicts } = await session.refresh();
            await session
              .refresh({ take: Object.fromEntries(conflicts.map(({ path }) => [path, "outside"])) })
              .catch(() => {});
          }
        }
        await session.close();
      }
    } finally {
      await swapping.stop();
    }
    expect(written).toBeGreaterThanOrEqual(wanted);
    // The other process is in the way until the end.
    expect(refused).toBeGreaterThanOrEqual(wanted / 200);
    expect(filesIn(outside)).toEqual({ f: "outside", "in/g": "outside", secret: "outside" });
    expect(readdirSync(outside).sort()).toEqual(["f", "in", "secret"]);
    const left = readdirSync(base, { recursive: true, encoding: "utf8" });
    expect(left.filter((path) => isTemporaryName(basename(path)))).toEqual([]);
  },
);
