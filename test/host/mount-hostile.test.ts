import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { HoldfastError } from "../../src/errors.ts";
import { resolveMounts } from "../../src/host/mount.ts";
import { SessionMounts } from "../../src/host/session-mounts.ts";
import { resolveLimits } from "../../src/limits.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { foldersSlice } from "../../src/session/folders/folders-slice.ts";
import { openCore } from "../../src/session/open-core.ts";
import { memoryStore, sqliteStore } from "../../src/store/index.ts";
import { LONG } from "../effort.ts";
import { contents } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";
import { folderOf, opened } from "./folder.ts";
import { startSwapping } from "./outside.ts";

test(
  "[HOST-35] no byte from outside is mounted while another process swaps directories and links",
  { timeout: 900_000 },
  async () => {
    const wanted = LONG ? 20_000 : 300;
    const base = scratch();
    const root = folderOf(
      { "dir/f": "inside", "dir/in/g": "inside", leaf: "inside", "calm/h": "inside" },
      join(base, "root"),
    );
    const outside = folderOf({ f: "outside", "in/g": "outside", secret: "outside" }, join(base, "outside"));
    const swapping = startSwapping(root, outside);
    let [files, swapped] = [0, 0];
    const seen = new Set<string>();
    const until = performance.now() + 800_000;
    try {
      for (let n = 0; files < wanted && performance.now() < until; n++) {
        const { session } = await opened({
          mounts: [{ from: root, to: "/workspace", followSymlinks: n % 2 === 0 }],
          mountRoots: [root],
        });
        const all = await contents(session);
        for (const [path, text] of Object.entries(all)) {
          // The other process's file is empty between its making and its filling.
          seen.add(path === "leaf" ? text || "inside" : text);
          files++;
        }
        if (!("dir/f" in all)) swapped++;
        await session.close();
      }
    } finally {
      await swapping.stop();
    }
    expect(files).toBeGreaterThanOrEqual(wanted);
    expect(swapped).toBeGreaterThan(0);
    expect([...seen]).toEqual(["inside"]);
    expect(readdirSync(outside).sort()).toEqual(["f", "in", "secret"]);
  },
);

test("[HOST-35] a directory that is replaced by a file and back, again and again, hangs nothing", async () => {
  const from = folderOf({ calm: "1" });
  let isEnded = false;
  const flipping = (async (): Promise<void> => {
    for (let n = 0; !isEnded; n++) {
      rmSync(join(from, "x"), { recursive: true, force: true });
      if (n % 2 === 0) folderOf({ "x/y/z": "deep" }, from);
      else writeFileSync(join(from, "x"), "file");
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let n = 0; n < 20; n++) {
    const { session } = await opened({ mounts: [{ from, to: "/workspace" }] });
    const { calm, ...rest } = await contents(session);
    expect(calm).toBe("1");
    for (const text of Object.values(rest)) expect(["deep", "file", ""]).toContain(text);
    await session.close();
  }
  isEnded = true;
  await flipping;
});

test(
  "[HOST-34] a process killed while mounting leaves nothing of the mount, and the next one mounts it whole",
  { timeout: 3_600_000 },
  async () => {
    const cycles = LONG ? 200 : 2;
    const directory = scratch();
    const files: Record<string, string> = {};
    for (let i = 0; i < 200; i++) files[`d${i % 20}/f${i}`] = `${i} `.repeat(8_000);
    const from = folderOf(files);
    const script = childProgram("host", "mounts");
    let [cut, whole] = [0, 0];
    for (let n = 0; n < cycles; n++) {
      const id = `s${n}`;
      const child = spawn(process.execPath, [script, directory, id, from], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
      let said = "";
      child.stdout.on("data", (data: Buffer) => {
        // Some are left alone: on a busy machine, no number of milliseconds is enough to be done.
        if (said === "" && n % 20 !== 19) setTimeout(() => child.kill("SIGKILL"), Math.random() * 250);
        said += data.toString();
      });
      await ended;
      const store = sqliteStore({ directory });
      const before = await opened({ store, id });
      const records = await before.session.log();
      expect([0, 1]).toContain(records.length);
      expect([0, 200]).toContain(before.session.files().length);
      if (said.includes("mounted")) expect(records).toHaveLength(1);
      if (records.length === 0) cut++;
      else whole++;
      await before.session.close();
      const after = await opened({ store, id, mounts: [{ from, to: "/workspace" }] });
      expect(after.session.files()).toHaveLength(200);
      expect(await after.session.log()).toHaveLength(1);
      expect((await after.session.verify({ blobs: true })).ok).toBe(true);
      await after.session.close({ delete: true });
      await store.close();
    }
    expect(cut + whole).toBe(cycles);
    if (LONG) expect(Math.min(cut, whole)).toBeGreaterThan(0);
  },
);

test("[HOST-8] without descriptors mounts work alike, and the host is told once that races are not guarded against", async () => {
  const from = folderOf({ a: "1", "in/b": "2" });
  const told: string[] = [];
  const limits = resolveLimits();
  for (let n = 0; n < 2; n++) {
    const journal = await memoryStore().open("s", { create: true });
    const core = await openCore(journal, [filesSlice, foldersSlice], { limits });
    const mounts = new SessionMounts({
      core,
      actor: { agent: "host", role: "host", now: () => new Date() },
      mounts: resolveMounts([{ from, to: "/workspace" }], { limits, names: "ascii", pin: { by: "paths" } }),
      warn: (what) => told.push(what),
    });
    await mounts.open();
    expect(mounts.reports[0]).toMatchObject({ files: 2, bytes: 2 });
    await core.close();
  }
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("/proc/self/fd");
});

test("[HOST-28] copying holds a bounded number of bytes in memory", { timeout: 300_000 }, async () => {
  const from = scratch();
  mkdirSync(join(from, "in"));
  const megabytes = LONG ? 1_000 : 200;
  for (let i = 0; i < megabytes / 20; i++)
    writeFileSync(join(from, "in", `f${i}`), Buffer.alloc(20 << 20, i));
  const store = sqliteStore({ directory: scratch() });
  global.gc?.();
  const before = process.memoryUsage().rss;
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 5);
  const { session } = await opened({ store, mounts: [{ from, to: "/workspace" }] });
  clearInterval(watching);
  expect(session.mounted[0]?.bytes).toBe(megabytes << 20);
  expect(most).toBeLessThan(120 << 20);
  await session.close();
  await store.close();
});

test("[HOST-9] a folder that cannot be read is an error without its path", async () => {
  const from = scratch();
  const options = { mounts: [{ from: join(from, "missing") }] };
  const failure: unknown = await opened(options).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(HoldfastError.is(failure) && !failure.message.includes(from)).toBe(true);
});
