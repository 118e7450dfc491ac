import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ROOT } from "../../src/path/index.ts";
import { liveRow } from "../../src/host/live-folder.ts";
import { sqliteStore } from "../../src/store/index.ts";
import { hosted, put } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { beforeEach } from "./before-each.ts";
import { inSession } from "./directory.ts";
import { folderOf } from "./folder.ts";
import { live, shown } from "./live-session.ts";

/** Puts a text, or nothing, at a path as git does: by another file. */
function replace(folder: string, path: string, text: string | undefined): void {
  const at = join(folder, path);
  if (text === undefined) return rmSync(at);
  mkdirSync(dirname(at), { recursive: true });
  rmSync(at, { force: true });
  writeFileSync(at, text);
}

/** Counts what is taken from a live folder, or linked into it. */
function countWrites(): { readonly writes: string[]; readonly end: () => void } {
  const writes: string[] = [];
  const ends = [
    beforeEach("rename", (name) => writes.push(`take ${name}`)),
    beforeEach("link", (name, _, as) => writes.push(`link ${name} ${String(as)}`)),
  ];
  return { writes, end: () => ends.forEach((end) => end()) };
}

for (const [what, texts] of [
  ["other texts", ["1\n2\n", "1\n3\n", "1\n2\n", "1\n3\n", "1\n2\n"]],
  ["nothing", ["1\n2\n", undefined, "1\n2\n", undefined, "1\n2\n"]],
  ["something", [undefined, "1\n2\n", undefined, "1\n2\n", undefined]],
] as const)
  test(`[HOST-152] what others put back before an import is settled is theirs: ${what} between equal states`, async () => {
    const [first, ...others] = texts;
    const it = await live({ other: "o\n", ...(first === undefined ? {} : { "in/a": first }) });
    const { writes, end } = countWrites();
    let seq = it.session.at.seq;
    const left = [...others];
    replace(it.folder, "in/a", left.shift());
    // Whenever a change has been imported, there is another one before anything is looked at.
    const endStats = beforeEach("stat", (name) => {
      if (it.session.at.seq === seq || left.length === 0 || (name !== "a" && name !== "in")) return;
      seq = it.session.at.seq;
      replace(it.folder, "in/a", left.shift());
    });
    try {
      for (let calls = 0; left.length > 0 && calls < 20; calls++)
        await it.as("ann").call("list_directory", {});
      await it.as("ann").call("list_directory", {});
    } finally {
      endStats();
      end();
    }
    const last = texts.at(-1);
    expect(left).toEqual([]);
    expect(shown(it.folder)).toEqual({ ...(last === undefined ? {} : { "in/a": last }), other: "o\n" });
    expect(await inSession(it.session)).toEqual(shown(it.folder));
    expect(writes).toEqual([]);
    expect((await it.session.log()).every(({ kind }) => kind === "mount" || kind === "import")).toBe(true);
    await it.session.close();
  });

test("[HOST-152] a file that was changed outside in part stays the file that it is", async () => {
  const it = await live({ a: "1\n2\n3\n" });
  const { ino } = statSync(join(it.folder, "a"));
  appendFileSync(join(it.folder, "a"), "4\n");
  await it.as("ann").call("read_file", { path: "a" });
  expect(await inSession(it.session)).toEqual({ a: "1\n2\n3\n4\n" });
  await put(it.as("ann"), "b", "b\n");
  expect(statSync(join(it.folder, "a")).ino).toBe(ino);
  expect(readdirSync(join(it.folder, ".holdfast/old"))).toEqual([]);
  await it.session.close();
});

test("[HOST-152] a file whose pieces the session writes together stays the file that it is", async () => {
  const it = await live({ a: "1\n" }, {}, { limits: { contentExtents: 4 } });
  const { ino } = statSync(join(it.folder, "a"));
  for (let n = 2; n < 12; n++) {
    appendFileSync(join(it.folder, "a"), `${n}\n`);
    await it.as("ann").call("read_file", { path: "a" });
  }
  const rewrites = async (): Promise<number> => (await it.session.log({ kind: "rewrite" })).length;
  for (let tries = 0; tries < 50 && (await rewrites()) === 0; tries++) await sleep(50);
  expect(await rewrites()).toBeGreaterThan(0);
  await put(it.as("ann"), "b", "b\n");
  await it.as("ann").call("list_directory", {});
  expect(statSync(join(it.folder, "a")).ino).toBe(ino);
  expect(await inSession(it.session)).toEqual(shown(it.folder));
  await it.session.close();
});

test("[HOST-134] [HOST-152] after a crash, what was imported last counts as in place: older bytes that are back are others' doing", async () => {
  const folder = folderOf({ import: "1\n", deleted: "1\n", both: "1\n" });
  const store = sqliteStore({ directory: scratch() });
  const mounts = [{ from: folder, to: "/workspace", live: true }];
  const first = await hosted({ store, id: "s", mounts });
  const rows = (await store.open("s")).rows;
  const before = await rows.get(liveRow(ROOT));
  for (const name of ["import", "both"]) replace(folder, name, "2\n");
  replace(folder, "deleted", undefined);
  await first.as("ann").call("list_directory", {});
  await put(first.as("ann"), "both", "2\nann\n");
  await first.session.close();
  // As a process leaves it that dies before it has noted how far it came.
  const { rev = 0 } = (await rows.get(liveRow(ROOT))) ?? {};
  await rows.set(liveRow(ROOT), rev, before?.value ?? null);
  for (const name of ["import", "both", "deleted"]) replace(folder, name, "1\n");
  const it = await hosted({ store, id: "s", mounts });
  expect(shown(folder)).toEqual({ both: "1\nann\n", deleted: "1\n", import: "1\n" });
  expect(await inSession(it.session)).toEqual(shown(folder));
  await it.session.close();
  await store.close();
});

/** Another process that does two things by turns, for a random time below `longest` milliseconds each. */
function byTurns(
  cwd: string,
  turns: readonly [string, string],
  rounds: number,
  longest: number,
): Promise<string> {
  const program = `
import { execSync } from "node:child_process";
const [one, other, rounds, longest] = process.argv.slice(1);
const mv = (text) => { const [, from, to] = text.split(" "); fs.renameSync(from, to); };
import fs from "node:fs";
for (let i = 0; i < rounds * 2; i++) {
  const text = i % 2 === 0 ? one : other;
  if (text.startsWith("mv ")) mv(text);
  else execSync(text, { stdio: ["ignore", "ignore", "inherit"] });
  await new Promise((done) => setTimeout(done, Math.random() * longest));
}
`;
  const args = ["--input-type=module", "-e", program, ...turns, String(rounds), String(longest)];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (data: Buffer) => (said += data.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve(code === 0 ? "" : `failed: ${said}`)));
}

async function whileLooking(
  isLooking: boolean,
  work: Promise<string>,
  look: () => Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  while (!isOver) {
    if (isLooking) await look();
    await sleep(10);
  }
  expect(await over).toBe("");
}

for (const isLooking of [false, true]) {
  const who = isLooking ? "an agent that only looks" : "nobody";

  test(
    `[HOST-152] branches are switched in a live folder beside ${who}: the checkout is git's`,
    { timeout: 120_000 },
    async () => {
      const folder = folderOf({ k: "k\n", "s/1": "1\n", "z/a": "za\n", "z/b": "zb\n" });
      const git = (...args: string[]): string =>
        execFileSync(
          "git",
          ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=one", ...args],
          {
            cwd: folder,
            encoding: "utf8",
          },
        );
      git("init", "-q");
      git("add", "-A");
      git("commit", "-qm", "one");
      git("checkout", "-qb", "two");
      git("rm", "-qr", "z");
      folderOf({ k: "kk\n", "s/2": "2\n" }, folder);
      git("add", "-A");
      git("commit", "-qm", "two");
      git("checkout", "-q", "one");
      const it = await hosted({ mounts: [{ from: folder, to: "/workspace", live: true, gitignore: true }] });
      const { writes, end } = countWrites();
      const look = (): Promise<unknown> => it.as("ann").call("list_directory", {});
      try {
        await whileLooking(
          isLooking,
          byTurns(folder, ["git checkout -q two", "git checkout -q one"], 6, 200),
          look,
        );
        await sleep(200);
        await look();
      } finally {
        end();
      }
      expect(git("status", "--short")).toBe("");
      expect(writes).toEqual([]);
      expect(await inSession(it.session)).toEqual(shown(folder));
      await it.session.close();
    },
  );

  test(
    `[HOST-152] a directory is moved away and back beside ${who}: its files stay`,
    { timeout: 120_000 },
    async () => {
      const files = { k: "k\n", "z/a": "za\n", "z/b": "zb\n", "z/in/c": "zc\n" };
      const it = await live(files);
      const inode = (path: string): number => statSync(join(it.folder, path)).ino;
      const inodes = Object.keys(files).map(inode);
      const { writes, end } = countWrites();
      const look = (): Promise<unknown> => it.as("ann").call("list_directory", { depth: 3 });
      try {
        await whileLooking(isLooking, byTurns(it.folder, ["mv z z.away", "mv z.away z"], 20, 100), look);
        await sleep(200);
        await look();
      } finally {
        end();
      }
      expect(shown(it.folder)).toEqual(files);
      expect(Object.keys(files).map(inode)).toEqual(inodes);
      expect(writes).toEqual([]);
      expect(await inSession(it.session)).toEqual(files);
      await it.session.close();
    },
  );
}
