import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/store/index.ts";
import type { Session } from "../../src/tools/index.ts";
import { LONG } from "../effort.ts";
import { contents, put } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { filesIn, folderOf, opened } from "./folder.ts";
import { insertedTexts } from "./history-texts.ts";
import { killedAfter } from "./killed.ts";

test(
  "[HOST-68] a process killed while refreshing leaves the session before or after it, and the next refresh ends alike",
  { timeout: 3_600_000 },
  async () => {
    const cycles = LONG ? 200 : 1;
    const directory = scratch();
    let [cut, whole] = [0, 0];
    for (let n = 0; n < cycles; n++) {
      const id = `s${n}`;
      const files = Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [`d${i % 7}/f${i}`, `${i}\n`.repeat(500)]),
      );
      const from = folderOf(files);
      const store = sqliteStore({ directory });
      const mounts = [{ from, to: "/workspace" }];
      const { session, as } = await opened({ store, id, mounts });
      await put(as("ann"), "d0/f0", `ann\n${files["d0/f0"] ?? ""}`);
      const before = await contents(session);
      await session.close();
      await store.close();
      for (let i = 0; i < 30; i++) files[`d${i % 7}/f${i}`] += "host\n";
      delete files["d1/f1"];
      files["new/f"] = "new\n";
      folderOf(files, from);
      rmSync(join(from, "d1/f1"));
      const after = { ...files, "d0/f0": `ann\n${files["d0/f0"] ?? ""}` };
      // On a busy machine, no number of milliseconds is enough to be done.
      const moment = n % 40 === 39 ? "appended" : (n % 40) * 4;
      const isDone = await killedAfter(moment, [directory, id, from, "refresh"]);
      const again = sqliteStore({ directory });
      const { session: next } = await opened({ store: again, id, mounts });
      const found = await contents(next);
      if (found["new/f"] === undefined) {
        expect(isDone).toBe(false);
        expect(found).toEqual(before);
        cut++;
      } else whole++;
      await next.refresh();
      expect(await contents(next)).toEqual(after);
      expect((await next.verify({ blobs: true })).ok).toBe(true);
      await next.close({ delete: true });
      await again.close();
      rmSync(from, { recursive: true });
    }
    expect(cut + whole).toBe(cycles);
    if (LONG) expect(Math.min(cut, whole)).toBeGreaterThan(0);
  },
);

/** What a process that took sides was doing when it was killed. */
interface Cut {
  readonly what: "refresh" | "sync";
  readonly side: "outside" | "session";
}

interface Left extends Cut {
  readonly moment: number | "appended";
  readonly id: string;
  readonly from: string;
  readonly isDone: boolean;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

const CUTS: readonly Cut[] = [
  { what: "sync", side: "session" },
  { what: "sync", side: "outside" },
  { what: "refresh", side: "session" },
  { what: "refresh", side: "outside" },
];
/** Paths that both sides have: with other texts, and in another case. */
const DECIDED = ["a", "notes.md"] as const;

function takeOf(side: Cut["side"]): Record<string, Cut["side"]> {
  return Object.fromEntries(DECIDED.map((path) => [path, side]));
}

/** Kills a process that takes a side of files that session and folder (or work directory) have both changed. */
async function cutOff(
  directory: string,
  id: string,
  { what, side }: Cut,
  moment: Left["moment"],
): Promise<Left> {
  const clean = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, `${i}\n`.repeat(500)]));
  const from = folderOf({ ...clean, a: "1\n" });
  const store = sqliteStore({ directory });
  const { session, as } = await opened({ store, id, mounts: [{ from, to: "/workspace" }] });
  const merged = Object.fromEntries(Object.entries(clean).map(([path, text]) => [path, `${text}person\n`]));
  const person = { ...merged, a: "person a\n", "notes.md": "person notes\n" };
  await put(as("ann"), "Notes.md", "ann notes\n");
  folderOf(person, what === "sync" ? await session.directory() : from);
  await put(as("ann"), "a", "ann a\n");
  if (what === "sync") await session.settled();
  const before = await contents(session);
  await session.close();
  await store.close();
  const after = side === "outside" ? person : { ...merged, a: "ann a\n", "Notes.md": "ann notes\n" };
  const isDone = await killedAfter(moment, [directory, id, from, what], takeOf(side));
  return { what, side, moment, id, from, isDone, before, after };
}

/** The paths that still need a decision. */
async function undecided(session: Session, what: Cut["what"]): Promise<string[]> {
  const list =
    what === "sync"
      ? (await session.sync({ dryRun: true })).diverged
      : (await session.refresh({ dryRun: true })).conflicts;
  return list.map(({ path }) => path.slice("/workspace/".length));
}

/** Opens what a process left: true when the decision was carried out. Whether it was or not, the same call ends alike. */
async function isWhole(
  directory: string,
  { what, side, moment, id, from, isDone, before, after }: Left,
): Promise<boolean> {
  const store = sqliteStore({ directory });
  const { session } = await opened({ store, id, mounts: [{ from, to: "/workspace" }] });
  const kinds = async (): Promise<string[]> =>
    (await session.log()).map(({ kind }) => kind).filter((kind) => /^(?:import|refresh|restore)$/.test(kind));
  const expected = [what === "sync" ? "import" : "refresh", ...(side === "session" ? ["restore"] : [])];
  const found = await contents(session);
  const whole = (await kinds()).length > 0;
  expect(found).toEqual(whole ? after : before);
  expect(whole || !(isDone || moment === "appended")).toBe(true);
  if (whole) expect(await kinds()).toEqual(expected);
  const dir = what === "sync" ? await session.directory() : undefined;
  // A directory that was not brought up to date is so by now.
  expect(await undecided(session, what)).toEqual(whole ? [] : expect.arrayContaining([...DECIDED]));
  const request = whole ? {} : { take: takeOf(side) };
  await (what === "sync" ? session.sync(request) : session.refresh(request));
  expect(await contents(session)).toEqual(after);
  expect(await kinds()).toEqual(expected);
  if (dir !== undefined) expect(filesIn(dir)).toEqual(after);
  else if (side === "session") {
    await (await session.plan()).land();
    expect(filesIn(from)).toEqual(after);
  }
  const texts = await insertedTexts(store, id);
  for (const text of ["person a", "person notes", "ann a", "ann notes"]) expect(texts).toContain(text);
  expect((await session.verify({ blobs: true })).ok).toBe(true);
  await session.close({ delete: true });
  await store.close();
  rmSync(from, { recursive: true });
  if (dir !== undefined) rmSync(dirname(dir), { recursive: true, force: true });
  return whole;
}

test(
  "[HOST-194] what take decides in a process that is killed holds as a whole or not at all, and the same call again ends alike",
  { timeout: 3_600_000 },
  async () => {
    const rounds = LONG ? 50 : 1;
    const cuts = LONG ? CUTS : CUTS.slice(0, 3);
    const directory = scratch();
    const wholes: boolean[] = [];
    for (let round = 0; round < rounds; round++) {
      const left: Left[] = [];
      // All are killed before the first is looked at: a work directory that a process held is free after some seconds.
      for (const [i, cut] of cuts.entries()) {
        const n = round * cuts.length + i;
        const isAppended = (cut.what === "sync") === (round % 2 === 0);
        left.push(await cutOff(directory, `t${n}`, cut, isAppended ? "appended" : (n % 41) * 4));
      }
      for (const one of left.toReversed()) wholes.push(await isWhole(directory, one));
    }
    expect(wholes).toHaveLength(rounds * cuts.length);
    if (LONG) expect(new Set(wholes).size).toBe(2);
  },
);

test("[HOST-194] so do sides of several files of a work directory whose names differ only in case", async () => {
  const directory = scratch();
  const takes = [
    { "README.md": "session", "readme.md": "session" },
    { "README.md": "session", "readme.md": "outside" },
  ] as const;
  const left: { readonly id: string; readonly from: string; readonly dir: string }[] = [];
  for (const [i, take] of takes.entries()) {
    const [id, from] = [`t${i}`, folderOf({ "Readme.md": "base\n" })];
    const store = sqliteStore({ directory });
    const { session } = await opened({ store, id, mounts: [{ from, to: "/workspace" }] });
    const dir = folderOf({ "README.md": "upper\n", "readme.md": "lower\n" }, await session.directory());
    await session.close();
    await store.close();
    expect(await killedAfter("appended", [directory, id, from, "sync"], take)).toBe(false);
    left.push({ id, from, dir });
  }
  for (const [i, { id, from, dir }] of left.entries()) {
    const store = sqliteStore({ directory });
    const { session } = await opened({ store, id, mounts: [{ from, to: "/workspace" }] });
    const after = i === 0 ? { "Readme.md": "base\n" } : { "readme.md": "lower\n" };
    expect(await contents(session)).toEqual(after);
    expect(await session.directory()).toBe(dir);
    expect(await session.sync()).toMatchObject({ created: [], changed: [], deleted: [], diverged: [] });
    expect(filesIn(dir)).toEqual(after);
    for (const text of ["upper", "lower"]) expect(await insertedTexts(store, id)).toContain(text);
    await session.close({ delete: true });
    await store.close();
    rmSync(from, { recursive: true });
  }
});
