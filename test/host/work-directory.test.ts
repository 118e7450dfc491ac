import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryStore, sqliteStore } from "../../src/store/index.ts";
import { HoldfastError, say } from "../../src/errors.ts";
import { WorkDirectory } from "../../src/host/work-directory.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { openCore } from "../../src/session/open-core.ts";
import { hosted, put, type Hosted } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { beforeEach } from "./before-each.ts";
import { inSession, onDisk } from "./directory.ts";

async function withFiles(
  files: Record<string, string>,
  more: object = {},
): Promise<Hosted & { dir: string }> {
  const it = await hosted({ files, ...more });
  return { ...it, dir: await it.session.directory() };
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: unknown) => (HoldfastError.is(error) ? `${error.code} / ${error.reason}` : String(error)),
  );
}

describe("the directory of a session", () => {
  test("[HOST-100] is made by the first call, for its owner alone, and shows the files", async () => {
    const { session, dir } = await withFiles({ "a.txt": "one\n", "in/deep/b.txt": "two\n", empty: "" });
    expect(dirname(dirname(dir))).toBe(tmpdir());
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(dir)).mode & 0o777).toBe(0o700);
    expect(onDisk(dir)).toEqual({ "a.txt": "one\n", empty: "", "in/deep/b.txt": "two\n" });
    expect(await session.directory()).toBe(dir);
    await session.close();
  });

  test("[HOST-101] follows every commit, and settled waits for it", async () => {
    const { session, as, dir } = await withFiles({ "a.txt": "one\n", "in/b.txt": "two\n", "in/c.txt": "3" });
    const agent = as("ann");
    await put(agent, "a.txt", "changed\n");
    await agent.call("delete_file", { path: "in/b.txt" });
    await agent.call("move_file", { source: "in/c.txt", destination: "d.txt" });
    await session.settled();
    expect(onDisk(dir)).toEqual({ "a.txt": "changed\n", "d.txt": "3" });
    expect(existsSync(join(dir, "in"))).toBe(false);
    const token = await put(agent, "a.txt", "again\n");
    await session.settled(token);
    expect(onDisk(dir)["a.txt"]).toBe("again\n");
    expect(await reasonOf(session.settled(999))).toBe("conflict / unknown_position");
    await session.undo({ lastCallOf: "ann" });
    await session.settled();
    expect(onDisk(dir)).toEqual(await inSession(session));
    await session.close();
  });

  test("[HOST-101] settled names what the system did not write, which is written later and keeps no other file", async () => {
    const { session, as, dir } = await withFiles({ "a.txt": "one\n", "b.txt": "one\n" });
    const end = beforeEach("rename", (_, __, to) => {
      if (to === "a.txt") throw new HoldfastError("internal", "no_space", say`There is no room left.`);
    });
    try {
      await put(as("ann"), "a.txt", "two\n");
      await put(as("ann"), "b.txt", "two\n");
      const error = await session.settled().catch((cause: unknown) => cause as HoldfastError);
      expect(error).toMatchObject({ code: "conflict", reason: "not_written" });
      expect((error as HoldfastError).message).toContain("/workspace/a.txt");
      expect((error as HoldfastError).message).not.toContain(dir);
      expect(onDisk(dir)).toEqual({ "a.txt": "one\n", "b.txt": "two\n" });
      expect(await session.sync()).toMatchObject({ changed: [], diverged: [] });
    } finally {
      end();
    }
    await session.settled();
    expect(onDisk(dir)).toEqual(await inSession(session));
    await session.close();
  });

  test("[HOST-105] a path that holds again what was last in place has no longer diverged", async () => {
    const { session, as, dir } = await withFiles({ "a.txt": "one\n" });
    writeFileSync(join(dir, "a.txt"), "outside\n");
    await put(as("ann"), "a.txt", "two\n");
    expect((await session.sync()).diverged).toHaveLength(1);
    writeFileSync(join(dir, "a.txt"), "one\n");
    expect((await session.sync()).diverged).toEqual([]);
    expect(onDisk(dir)).toEqual({ "a.txt": "two\n" });
    await session.close();
  });

  test("[HOST-101] there is nothing to wait for, or to import, before there is a directory", async () => {
    const { session } = await hosted();
    expect(await reasonOf(session.settled())).toBe("invalid_argument / no_directory");
    expect(await reasonOf(session.sync())).toBe("invalid_argument / no_directory");
    await session.close();
  });

  test("[HOST-104] files are replaced in one step, keep the executable bit, and give way to directories and back", async () => {
    const { session, as, dir } = await withFiles({ "a.txt": "one\n", x: "file" });
    const before = statSync(join(dir, "a.txt")).ino;
    const held = readFileSync(join(dir, "a.txt"));
    await session.workspace.write("a.txt", "two\n", { executable: true });
    await session.workspace.remove("x");
    await put(as("ann"), "x/y/z", "below");
    await session.settled();
    expect(statSync(join(dir, "a.txt")).ino).not.toBe(before);
    expect(held.toString()).toBe("one\n");
    expect(onDisk(dir)).toEqual({ "a.txt": "*two\n", "x/y/z": "below" });
    await session.workspace.remove("x");
    await put(as("ann"), "x", "file again");
    await session.settled();
    expect(onDisk(dir)["x"]).toBe("file again");
    await session.close();
  });

  test("[HOST-102] is the same one for another process and after reopening, and is brought up to date there", async () => {
    const store = sqliteStore({ directory: scratch() });
    const first = await hosted({ store, id: "s", files: { a: "1", b: "1" } });
    const dir = await first.session.directory();
    await first.session.close();
    expect(existsSync(dir)).toBe(true);
    const second = await hosted({ store, id: "s" });
    await put(second.as("ann"), "a", "2");
    expect(onDisk(dir)).toEqual({ a: "1", b: "1" });
    expect(await second.session.directory()).toBe(dir);
    expect(onDisk(dir)).toEqual({ a: "2", b: "1" });
    const third = await hosted({ store, id: "s" });
    expect(await third.session.directory()).toBe(dir);
    await put(third.as("bob"), "c", "3");
    await put(second.as("ann"), "b", "4");
    await second.session.settled();
    await third.session.settled();
    expect(onDisk(dir)).toEqual({ a: "2", b: "4", c: "3" });
    await third.session.close();
    await second.session.close({ delete: true });
    expect(existsSync(dirname(dir))).toBe(false);
    await store.close();
  });

  test("[HOST-103] is built again when it is lost, and never in a directory of another's", async () => {
    const { session, dir } = await withFiles({ a: "1", "in/b": "2" });
    rmSync(dirname(dir), { recursive: true });
    await session.workspace.write("c", "3");
    await session.settled();
    const next = await session.directory();
    expect(onDisk(next)).toEqual({ a: "1", c: "3", "in/b": "2" });
    rmSync(dirname(next), { recursive: true });
    const bait = scratch();
    symlinkSync(bait, dirname(next));
    const third = await session.directory();
    expect(third).not.toBe(next);
    expect(onDisk(third)).toEqual({ a: "1", c: "3", "in/b": "2" });
    expect(onDisk(bait)).toEqual({});
    rmSync(dirname(next));
    await session.close();
  });

  test("[HOST-110] a reset gives a new one, a fork has its own, and closing keeps it unless the session goes", async () => {
    const store = sqliteStore({ directory: scratch() });
    const { session } = await hosted({ store, id: "s", files: { a: "1" } });
    const dir = await session.directory();
    const fork = await session.fork();
    const own = await fork.directory();
    expect(own).not.toBe(dir);
    await fork.workspace.write("a", "fork");
    await fork.settled();
    expect([onDisk(dir), onDisk(own)]).toEqual([{ a: "1" }, { a: "fork" }]);
    await fork.close({ delete: true });
    expect(existsSync(own)).toBe(false);
    await session.reset();
    expect(existsSync(dir)).toBe(false);
    const next = await session.directory();
    expect(next).not.toBe(dir);
    expect(onDisk(next)).toEqual({});
    await session.close();
    await session.close();
    expect(existsSync(next)).toBe(true);
    await (await hosted({ store, id: "s" })).session.close({ delete: true });
    expect(existsSync(next)).toBe(false);
    await store.close();
    const memory = await withFiles({ a: "1" });
    mkdirSync(join(memory.dir, ...Array.from({ length: 300 }, () => "d")), { recursive: true });
    await memory.session.close();
    expect(existsSync(dirname(memory.dir))).toBe(false);
  });

  test("[HOST-111] without descriptors it is refused unless the host accepts races", async () => {
    const journal = await memoryStore().open("s", { create: true });
    const core = await openCore(journal, [filesSlice]);
    const troubles: unknown[] = [];
    const work = new WorkDirectory({
      core,
      host: { agent: "host", role: "host", now: () => new Date() },
      isVolatile: true,
      pin: { by: "paths" },
      report: (what) => troubles.push(what),
    });
    expect(await reasonOf(work.directory())).toBe("forbidden / races_not_guarded");
    const dir = await work.directory({ acceptRaces: true });
    writeFileSync(join(dir, "a"), "1");
    expect((await work.sync()).created).toEqual(["/workspace/a"]);
    await work.close({ isDeleted: false });
    expect(existsSync(dir)).toBe(false);
    await core.close();
    expect(troubles).toEqual([]);
  });
});

describe("what is changed there", () => {
  test("[HOST-105] what a program puts back while sync imports is not overwritten, and the next sync imports it", async () => {
    const { session, dir } = await withFiles({ "a.txt": "1\n2\n" });
    writeFileSync(join(dir, "a.txt"), "1\n3\n");
    const { seq } = session.at;
    let isOnce = true;
    const end = beforeEach("stat", (name) => {
      if (name !== "a.txt" || session.at.seq === seq || !isOnce) return;
      isOnce = false;
      writeFileSync(join(dir, "a.txt"), "1\n2\n");
    });
    try {
      expect(await session.sync()).toMatchObject({ changed: ["/workspace/a.txt"], diverged: [] });
      expect(await session.sync({ dryRun: true })).toMatchObject({ diverged: [] });
    } finally {
      end();
    }
    expect(isOnce).toBe(false);
    expect(onDisk(dir)).toEqual({ "a.txt": "1\n2\n" });
    expect(await session.sync()).toMatchObject({ changed: ["/workspace/a.txt"], diverged: [] });
    expect(await inSession(session)).toEqual(onDisk(dir));
    await session.close();
  });

  test("[HOST-106] is imported as one commit by external, and a second look finds nothing", async () => {
    const { session, dir } = await withFiles({ "a.txt": "one\ntwo\nthree\n", "b.txt": "gone\n", c: "x" });
    const from = session.at.seq;
    writeFileSync(join(dir, "a.txt"), "one\n2\nthree\nfour\n");
    unlinkSync(join(dir, "b.txt"));
    mkdirSync(join(dir, "new"));
    writeFileSync(join(dir, "new", "n.txt"), "new\n");
    chmodSync(join(dir, "c"), 0o755);
    const dry = await session.sync({ dryRun: true });
    expect(session.at.seq).toBe(from);
    const report = await session.sync();
    expect({ ...report, at: 0 }).toEqual({ ...dry, at: 0 });
    expect(report).toMatchObject({
      created: ["/workspace/new/n.txt"],
      changed: ["/workspace/a.txt", "/workspace/c"],
      deleted: ["/workspace/b.txt"],
      diverged: [],
      skippedCount: 0,
    });
    const [record, ...others] = await session.log({ after: from });
    expect(others).toEqual([]);
    expect(record).toMatchObject({ kind: "import", agent: "external", seq: report.at.seq });
    expect(record?.changes?.find((change) => "splices" in change)).toMatchObject({
      op: "splice",
      splices: [
        { at: 4, remove: 4 },
        { at: 14, remove: 0 },
      ],
    });
    expect(await inSession(session)).toEqual(onDisk(dir));
    const again = await session.sync();
    expect([again.created, again.changed, again.deleted, again.at.seq]).toEqual([[], [], [], report.at.seq]);
    await session.close();
  });

  test("[HOST-106] undo and blame work beneath an import", async () => {
    const { session, as, dir } = await withFiles({ "a.txt": "one\ntwo\nthree\n" });
    const agent = as("ann");
    await agent.call("edit_file", { path: "a.txt", edits: [{ old_text: "one", new_text: "ONE" }] });
    await session.settled();
    writeFileSync(join(dir, "a.txt"), readFileSync(join(dir, "a.txt"), "utf8").replace("three", "THREE"));
    await session.sync();
    const { runs } = await session.blame({ path: "a.txt" });
    expect(runs.map(({ by }) => by?.agent)).toEqual(["ann", "host", "external"]);
    await session.undo({ lastCallOf: "ann" });
    await session.settled();
    expect(onDisk(dir)).toEqual({ "a.txt": "one\ntwo\nTHREE\n" });
    await session.undo({ lastCallOf: "external" });
    await session.settled();
    expect(onDisk(dir)).toEqual({ "a.txt": "one\ntwo\nthree\n" });
    await session.close();
  });

  test("[HOST-105] is never overwritten or removed", async () => {
    const { session, as, dir } = await withFiles({
      edited: "1\n",
      deleted: "1\n",
      kept: "1\n",
      "d/e": "1\n",
    });
    for (const name of ["edited", "deleted"]) appendFileSync(join(dir, name), "outside\n");
    unlinkSync(join(dir, "kept"));
    writeFileSync(join(dir, "new"), "outside\n");
    rmSync(join(dir, "d"), { recursive: true });
    symlinkSync(tmpdir(), join(dir, "d"));
    const agent = as("ann");
    await put(agent, "edited", "session\n");
    await put(agent, "kept", "session\n");
    await put(agent, "new", "session\n");
    await put(agent, "d/e", "session\n");
    await agent.call("delete_file", { path: "deleted" });
    await session.settled();
    const left = { d: "->", deleted: "1\noutside\n", edited: "1\noutside\n", new: "outside\n" };
    expect(onDisk(dir)).toEqual(left);
    const report = await session.sync();
    expect(onDisk(dir)).toEqual(left);
    expect(report.diverged.map(({ path }) => path)).toEqual([
      "/workspace/deleted",
      "/workspace/edited",
      "/workspace/new",
      "/workspace/d/e",
      "/workspace/kept",
    ]);
    expect(report.skipped).toEqual([{ path: "d", reason: "symlink" }]);
    expect(report.diverged[1]).toEqual({
      path: "/workspace/edited",
      session: { exists: true, size: 8, changes: "@@ -1 +1 @@\n-1\n+session" },
      outside: { exists: true, size: 10, changes: "@@ -1 +1,2 @@\n 1\n+outside" },
    });
    expect(report.diverged[4]?.outside).toMatchObject({ exists: false, size: 0 });
    await session.close();
  });

  test("[HOST-107] of a path changed on both sides one is taken, and the other is in the history", async () => {
    const store = sqliteStore({ directory: scratch() });
    const first = await hosted({ store, id: "s", files: { a: "1\n", b: "1\n", c: "1\n" } });
    const dir = await first.session.directory();
    for (const name of ["a", "b", "c"]) writeFileSync(join(dir, name), `outside ${name}\n`);
    for (const name of ["a", "b", "c"]) await put(first.as("ann"), name, `session ${name}\n`);
    await first.session.settled();
    await first.session.close();
    // What has diverged is known after reopening, too.
    const { session } = await hosted({ store, id: "s" });
    await session.directory();
    expect((await session.sync()).diverged).toHaveLength(3);
    expect(await reasonOf(session.sync({ take: { x: "outside" } }))).toBe("invalid_argument / not_diverged");
    expect(await reasonOf(session.sync({ take: { a: "mine" as "outside" } }))).toBe(
      "invalid_argument / bad_take",
    );
    const report = await session.sync({ take: { a: "outside", b: "session" } });
    expect(report.changed).toEqual(["/workspace/a"]);
    expect(report.diverged.map(({ path }) => path)).toEqual(["/workspace/c"]);
    const now = { a: "outside a\n", b: "session b\n", c: "outside c\n" };
    expect(onDisk(dir)).toEqual(now);
    expect(await inSession(session)).toEqual({ ...now, c: "session c\n" });
    const texts = new Set<string>();
    for (const { seq } of await session.log()) {
      const then = await session.fork({ at: seq });
      for (const text of Object.values(await inSession(then))) texts.add(text);
      await then.close({ delete: true });
    }
    for (const text of ["outside a\n", "session a\n", "outside b\n", "session b\n"])
      expect(texts).toContain(text);
    expect((await session.sync({ take: { c: "session" } })).diverged).toEqual([]);
    expect(onDisk(dir)).toEqual(await inSession(session));
    await session.close({ delete: true });
    await store.close();
  });

  test("[HOST-107] both sides alike are no difference", async () => {
    const { session, as, dir } = await withFiles({ a: "1\n" });
    writeFileSync(join(dir, "a"), "same\n");
    await put(as("ann"), "a", "same\n");
    const report = await session.sync();
    expect([report.diverged, report.changed]).toEqual([[], []]);
    await put(as("ann"), "a", "next\n");
    await session.settled();
    expect(onDisk(dir)).toEqual({ a: "next\n" });
    await session.close();
  });

  test("[HOST-108] what no session can hold is listed with a reason and left alone", async () => {
    const { session, dir } = await withFiles({ a: "1" }, { limits: { fileBytes: 1_000, pathDepth: 4 } });
    writeFileSync(join(scratch(), "secret"), "secret");
    symlinkSync("/etc/passwd", join(dir, "link"));
    symlinkSync(".", join(dir, "loop"));
    execFileSync("mknod", [join(dir, "pipe"), "p"]);
    writeFileSync(join(dir, "two"), "2");
    linkSync(join(dir, "two"), join(dir, "names"));
    writeFileSync(join(dir, "giant"), "");
    truncateSync(join(dir, "giant"), 2 ** 40);
    writeFileSync(join(dir, "bad\nname"), "");
    mkdirSync(join(dir, "d/d/d/d/d/d"), { recursive: true });
    writeFileSync(join(dir, "d/d/d/d/d/d/deep"), "");
    const server = createServer().listen(join(dir, "sock"));
    await new Promise((resolve) => server.once("listening", resolve));
    const { skipped, created } = await session.sync();
    server.close();
    expect(created).toEqual([]);
    expect(Object.fromEntries(skipped.map(({ path, reason }) => [path, reason]))).toEqual({
      "bad\nname": "bad_name",
      "d/d/d/d/d": "bad_name",
      giant: "too_large",
      link: "symlink",
      loop: "symlink",
      names: "multiple_links",
      pipe: "special_file",
      sock: "special_file",
      two: "multiple_links",
    });
    await session.close();
  });

  test("[HOST-113] is noticed even when size and time of modification are as before", async () => {
    const { session, dir } = await withFiles({ a: "11", b: "11" });
    await session.sync();
    const { atime, mtime } = statSync(join(dir, "a"));
    writeFileSync(join(dir, "a"), "22");
    utimesSync(join(dir, "a"), atime, mtime);
    // Written in the same moment as ours: its stat need not differ at all.
    await session.workspace.write("b", "33");
    await session.settled();
    writeFileSync(join(dir, "b"), "44");
    const { changed } = await session.sync();
    expect(changed).toEqual(["/workspace/a", "/workspace/b"]);
    await session.close();
  });

  test("[HOST-106] a file replaced by a directory and back is imported as what it is", async () => {
    const { session, dir } = await withFiles({ x: "file", "y/z": "below" });
    renameSync(join(dir, "x"), join(dir, "was-x"));
    mkdirSync(join(dir, "x"));
    writeFileSync(join(dir, "x", "in"), "1");
    rmSync(join(dir, "y"), { recursive: true });
    writeFileSync(join(dir, "y"), "file");
    await session.sync();
    expect(await inSession(session)).toEqual({ "was-x": "file", "x/in": "1", y: "file" });
    expect(onDisk(dir)).toEqual(await inSession(session));
    await session.close();
  });
});
