import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { HoldfastError } from "../../src/errors.ts";
import { digest, inlineBlobId, newGenesis, recordHash } from "../../src/store/chain.ts";
import type { Journal, Store } from "../../src/store/journal.ts";
import { Staging } from "../../src/store/_staging.ts";
import { BlobFiles } from "../../src/store/sqlite/_blob-files.ts";
import { Db } from "../../src/store/sqlite/_db.ts";
import { WrongFormat, migrate } from "../../src/store/sqlite/_format.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { commit, kept, noise, readAll } from "./journal-contract.ts";
import { scratch } from "./scratch.ts";

const root = scratch("memory");
let stores = 0;
const place = (): string => join(root, String(++stores));

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => "nothing thrown",
    (thrown: unknown) => thrown,
  );
  return HoldfastError.is(error) ? error.reason : String(error);
}

/** The descriptors of this process that point into a directory. */
function descriptors(directory: string): string[] {
  const open: string[] = [];
  for (const fd of readdirSync("/proc/self/fd")) {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      if (path.startsWith(directory)) open.push(path);
    } catch {
      // Closed meanwhile: the one that listed them.
    }
  }
  return open;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("descriptors", () => {
  test.skipIf(!existsSync("/proc/self/fd"))(
    "[JRN-117] are given back by closed sessions and bounded for open ones (needs /proc)",
    async () => {
      const directory = place();
      const store = sqliteStore({ directory, openJournals: 3 });
      const journals: Journal[] = [];
      for (let i = 0; i < 10; i++) journals.push(await store.open(`s${i}`, { create: true }));
      for (const journal of journals) kept(await journal.append(commit()));
      for (const journal of journals) expect((await journal.head()).seq).toBe(1);
      await sleep(50);
      const sessions = new Set(
        descriptors(directory).map((path) => path.split("/sessions/")[1]?.split("/")[0]),
      );
      expect(sessions.size).toBeLessThanOrEqual(3);
      for (const journal of journals) kept(await journal.append(commit()));
      const last = journals.at(-1) as Journal;
      expect(descriptors(join(directory, "sessions/s9")).length).toBeGreaterThan(0);
      await last.audit([]);
      const blob = await last.stage(noise(400_000, 1));
      const source = await last.source({ size: 10, extents: [[blob, 0, 10]] });
      source.close();
      await last.close();
      expect(descriptors(join(directory, "sessions/s9"))).toEqual([]);
      expect(await store.list({ limit: 99 })).toHaveLength(10);
      await store.close();
      expect(descriptors(directory)).toEqual([]);
    },
  );

  test.skipIf(!existsSync("/proc/self/fd"))(
    "[JRN-117] a blob that several read at a time is open once, until the last has read (needs /proc)",
    async () => {
      const directory = place();
      const store = sqliteStore({ directory });
      const journal = await store.open("s", { create: true });
      const bytes = noise(400_000, 1);
      const blob = await journal.stage(bytes);
      const open = (at: number) => journal.source({ size: 10, extents: [[blob, at, 10]] });
      const readers = [await open(0), await open(300_000), await open(70_000)];
      const files = (): string[] => descriptors(directory).filter((path) => path.includes(blob));
      expect(files()).toHaveLength(1);
      const read = (at: number, i: number): boolean => {
        const into = new Uint8Array(10);
        return readers[i]?.read(0, into, 0, 10) === 10 && into.every((byte, n) => byte === bytes[at + n]);
      };
      expect([read(0, 0), read(300_000, 1), read(70_000, 2)]).toEqual([true, true, true]);
      readers[0]?.close();
      readers[0]?.close();
      expect([read(300_000, 1), read(70_000, 2)]).toEqual([true, true]);
      readers[1]?.close();
      expect([files().length, read(70_000, 2)]).toEqual([1, true]);
      readers[2]?.close();
      expect(files()).toEqual([]);
      await store.close();
    },
  );

  test("[JRN-117] a store that could open no session is refused", () => {
    expect(() => sqliteStore({ directory: place(), openJournals: 0 })).toThrow(
      expect.objectContaining({
        reason: "bad_options",
        message: expect.stringContaining("at least 1") as string,
      }),
    );
  });

  test("[JRN-117] sessions that take turns with few descriptors answer as if they had many", async () => {
    const store = sqliteStore({ directory: place(), openJournals: 2 });
    const journals: Journal[] = [];
    for (let i = 0; i < 6; i++) journals.push(await store.open(`s${i}`, { create: true }));
    await Promise.all(
      journals.map(async (journal, i) => {
        const other = journals[(i + 1) % 6] as Journal;
        for (let n = 1; n <= 40; n++) {
          const reads = [other.head(), other.records({ limit: 5 }), other.last(["file:/a"]), other.verify()];
          expect(kept(await journal.append(commit())).seq).toBe(n);
          await Promise.all(reads);
          expect((await journal.records({ limit: 100 })).length).toBe(n);
        }
      }),
    );
    await store.close();
  });

  test("[JRN-57] staged bytes that nobody carries are forgotten", async () => {
    const directory = place();
    mkdirSync(join(directory, "staging"), { recursive: true });
    mkdirSync(join(directory, "blobs"));
    const files = new BlobFiles(directory);
    const stage = (now: number): Promise<string> =>
      files.stage([noise(1000, now)], (async function* () {})(), now);
    const old = await stage(0);
    const settled = await stage(1);
    await files.settle([settled]);
    const young = await stage(10 * 60_000);
    expect(readdirSync(join(directory, "staging"))).toHaveLength(2);
    const last = await stage(16 * 60_000);
    expect(readdirSync(join(directory, "staging")).sort()).toEqual([young, last].sort());
    expect(readdirSync(join(directory, "blobs"))).toEqual([]);
    expect([files.sizeOf(old), files.sizeOf(settled), files.sizeOf(young)]).toEqual([
      undefined,
      undefined,
      1000,
    ]);

    const staging = new Staging();
    staging.put("old", noise(1, 1), 0);
    staging.put("young", noise(1, 2), 10 * 60_000);
    staging.put("old again", noise(1, 3), 16 * 60_000);
    expect([staging.get("old"), staging.get("young")?.length, staging.get("old again")?.length]).toEqual([
      undefined,
      1,
      1,
    ]);
  });

  test("[JRN-123] the WAL stays bounded under steady writing, and is written over after a rest", async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    const wal = join(directory, "sessions/s/journal.db-wal");
    let most = 0;
    for (let i = 0; i < 2000; i += 10) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, k) => {
          const bytes = Buffer.alloc(60_000, `${i + k} `);
          const blob = await journal.stage(bytes);
          kept(await journal.append(commit({ blobs: [blob] })));
        }),
      );
      most = Math.max(most, statSync(wal).size);
    }
    // 120 MB went through it.
    expect(most).toBeLessThan(80 * 1024 * 1024);
    const few = async (): Promise<number> => {
      await sleep(100);
      for (let i = 0; i < 10; i++) {
        const blob = await journal.stage(Buffer.alloc(60_000, `${Math.random()} `));
        kept(await journal.append(commit({ blobs: [blob] })));
      }
      return statSync(wal).size;
    };
    let size = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 20 && size > 4 * 1024 * 1024; tries++) size = await few();
    expect(size).toBeLessThanOrEqual(4 * 1024 * 1024);
    // 6 MB more.
    for (let i = 0; i < 10; i++) expect(await few()).toBeLessThanOrEqual(4 * 1024 * 1024);
    await store.close();
    expect(existsSync(wal)).toBe(false);
  });
});

describe("retention", () => {
  test("[JRN-94] space that was freed is used again", async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const write = async (from: number, count: number): Promise<number> => {
      const journal = await store.open("s", { create: true });
      for (let i = from; i < from + count; i += 50)
        await Promise.all(
          Array.from({ length: 50 }, async (_, k) => {
            const blob = await journal.stage(noise(10_000, i + k));
            kept(await journal.append(commit({ blobs: [blob] })));
          }),
        );
      await journal.close();
      return statSync(join(directory, "sessions/s/journal.db")).size;
    };
    const full = await write(0, 400);
    const journal = await store.open("s");
    expect((await journal.prune(401, [])).bytes).toBeGreaterThan(3_900_000);
    await journal.close();
    expect(await write(400, 350)).toBeLessThanOrEqual(full * 1.05);
    await store.close();
  });
});

describe("formats", () => {
  const made = async (): Promise<{ directory: string; file: string }> => {
    const directory = place();
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    kept(await journal.append(commit()));
    await store.close();
    return { directory, file: join(directory, "sessions/s/journal.db") };
  };

  test("[JRN-118] refuses a file from a newer version, and leaves it as it is", async () => {
    const { directory, file } = await made();
    const db = new Db(file);
    db.exec("PRAGMA disk.user_version=99");
    db.close();
    const before = readFileSync(file);
    const store = sqliteStore({ directory });
    expect(await reasonOf(store.open("s"))).toBe("newer_format");
    expect(await store.list({ limit: 9 })).toMatchObject([{ id: "s", damaged: "newer_format" }]);
    await store.close();
    expect(Buffer.compare(readFileSync(file), before)).toBe(0);
  });

  test("[JRN-118] refuses what is not a session", async () => {
    const { directory, file } = await made();
    const store = sqliteStore({ directory });
    for (const bytes of [Buffer.from("not a database at all, whatever it is"), noise(8192, 3)]) {
      rmSync(`${file}-shm`, { force: true });
      writeFileSync(file, bytes);
      expect(await reasonOf(store.open("s"))).toBe("store_damaged");
    }
    rmSync(file);
    const foreign = new Db(file);
    foreign.exec("CREATE TABLE disk.other (x)");
    foreign.close();
    expect(await reasonOf(store.open("s"))).toBe("not_a_session");
    mkdirSync(join(directory, "sessions/Not A Session"));
    mkdirSync(join(directory, "sessions/empty"));
    await store.open("whole", { create: true });
    expect(await store.list({ limit: 9 })).toMatchObject([
      { id: "s", damaged: "not_a_session" },
      { id: "whole", head: { seq: 0 } },
    ]);
    rmSync(`${file}-shm`, { force: true });
    writeFileSync(file, "text over a database");
    const [damaged, whole] = await store.list({ limit: 9 });
    expect([damaged?.id, damaged?.damaged, whole?.id]).toEqual(["s", "store_damaged", "whole"]);
    expect(whole).not.toHaveProperty("damaged");
    await store.close();
    writeFileSync(join(directory, "FORMAT"), "holdfast store 2\n");
    expect(() => sqliteStore({ directory })).toThrow("another version");
  });

  test("[JRN-118] brings an older file up to date, step by step, once", () => {
    const file = join(root, "migrate.db");
    const first = new Db(file);
    migrate(first, 7, ["CREATE TABLE disk.a (x)"]);
    first.run("INSERT INTO a (x) VALUES (?)", ["kept"]);
    first.close();
    const steps = ["CREATE TABLE disk.a (x)", "ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = x || '!'"];
    const second = new Db(file);
    migrate(second, 7, steps);
    migrate(second, 7, steps);
    expect(second.all("SELECT x, y FROM a")).toEqual([["kept", "kept!"]]);
    expect(second.value("PRAGMA disk.user_version")).toBe(3);
    expect(() => migrate(second, 7, steps.slice(0, 2))).toThrow(WrongFormat);
    expect(() => migrate(second, 8, steps)).toThrow(WrongFormat);
    expect(() => migrate(second, 7, [...steps, "UPDATE a SET y = 'half'; SELECT nonsense"])).toThrow();
    expect(second.value("SELECT y FROM a")).toBe("kept!");
    expect(second.value("PRAGMA disk.user_version")).toBe(3);
    second.close();
  });
});

/** The tables of the first format, as its first version made them. */
const FORMAT_1 = `
  CREATE TABLE disk.meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE disk.record (
    seq INTEGER PRIMARY KEY, hash BLOB NOT NULL, time INTEGER NOT NULL, kind TEXT NOT NULL, agent TEXT NOT NULL,
    role TEXT NOT NULL, tool TEXT, request TEXT NOT NULL, bytes INTEGER NOT NULL, files INTEGER NOT NULL,
    digest BLOB NOT NULL, targets TEXT NOT NULL, keys TEXT NOT NULL, changes TEXT) STRICT;
  CREATE TABLE disk.touch (key TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (key, seq)) WITHOUT ROWID, STRICT;
  CREATE TABLE disk.blob (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, first INTEGER NOT NULL, last INTEGER NOT NULL,
    size INTEGER NOT NULL, bytes BLOB) STRICT;
  CREATE TABLE disk.result (
    agent TEXT NOT NULL, once TEXT NOT NULL, request TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL,
    value TEXT, blob TEXT, PRIMARY KEY (agent, once)) STRICT;
  CREATE TABLE disk.checkpoint (
    slice TEXT NOT NULL, seq INTEGER NOT NULL, blob TEXT NOT NULL, PRIMARY KEY (slice, seq)) WITHOUT ROWID, STRICT;
  CREATE TABLE disk.view (agent TEXT PRIMARY KEY, rev INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE disk.lease (
    name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID, STRICT;`;

describe("a session of the first format", () => {
  /** Three records, each with a blob of its own, written as the first format had them. */
  const old = (): { directory: string; blobs: string[]; genesis: string } => {
    const directory = place();
    const session = join(directory, "sessions/s");
    for (const folder of ["blobs", "staging"]) mkdirSync(join(session, folder), { recursive: true });
    const genesis = newGenesis();
    const db = new Db(join(session, "journal.db"));
    db.value("PRAGMA disk.journal_mode=WAL");
    migrate(db, 0x486f6c64, [FORMAT_1]);
    db.run("INSERT INTO meta VALUES ('genesis', ?), ('created', '1700000000000')", [genesis]);
    let previous = genesis;
    const blobs: string[] = [];
    for (let seq = 1; seq <= 3; seq++) {
      const bytes = noise(1000, seq);
      const id = inlineBlobId(bytes);
      const changes = JSON.stringify([{ slice: id, op: "put" }]);
      const head = {
        seq,
        time: 1_700_000_000_000 + seq,
        kind: "call",
        agent: "planner",
        role: "editor",
        tool: null,
        request: `r${seq}`,
        encoding: 1,
        targets: ["file:/a"],
        keys: ["file:/a", `file:/${seq}`],
        changes: digest(changes),
      };
      previous = recordHash(previous, head);
      db.run("INSERT INTO record VALUES (?, ?, ?, 'call', 'planner', 'editor', NULL, ?, ?, 0, ?, ?, ?, ?)", [
        seq,
        Buffer.from(previous, "hex"),
        head.time,
        head.request,
        seq * 1000,
        Buffer.from(head.changes, "hex"),
        JSON.stringify(head.targets),
        JSON.stringify(head.keys),
        changes,
      ]);
      for (const key of head.keys) db.run("INSERT INTO touch VALUES (?, ?)", [key, seq]);
      db.run("INSERT INTO blob (id, first, last, size, bytes) VALUES (?, ?, ?, 1000, ?)", [
        id,
        seq,
        seq,
        bytes,
      ]);
      blobs.push(id);
    }
    db.close();
    return { directory, blobs, genesis };
  };

  test("[JRN-118] is brought up to date when opened: all is found, read, forked, pruned and written on", async () => {
    const { directory, blobs } = old();
    const [first = "", second = "", third = ""] = blobs;
    const store = sqliteStore({ directory });
    expect(await store.list({ limit: 9 })).toMatchObject([{ id: "s", head: { seq: 3 } }]);
    const journal = await store.open("s");
    expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: 3 });
    expect((await journal.last(["file:/a", "file:/2", "file:/9"])).map((at) => at?.seq)).toEqual([
      3,
      2,
      undefined,
    ]);
    const read = (id: string): Promise<Uint8Array> =>
      readAll(journal, { size: 1000, extents: [[id, 0, 1000]] });
    for (const [i, id] of blobs.entries()) expect(await read(id)).toEqual(noise(1000, i + 1));

    // The bytes of the second come again, those of the first are used again, new ones come.
    const again = await journal.stage(noise(1000, 2));
    const fresh = await journal.stage(noise(1000, 4));
    expect(again).toBe(second);
    const touch = ["file:/a", "file:/4"];
    const at = kept(await journal.append(commit({ touch, blobs: [again, first] })));
    kept(await journal.append(commit({ touch, blobs: [fresh] })));
    expect(at).toMatchObject({ seq: 4 });
    const fork = await store.fork("s", at, "f");
    expect((await fork.last(["file:/a", "file:/4"])).map((one) => one?.seq)).toEqual([4, 4]);
    expect(await fork.verify({ blobs: true })).toMatchObject({ ok: true, checked: 4 });
    await fork.close();

    await journal.prune(4, []);
    expect(await reasonOf(read(third))).toBe("blob_lost");
    expect(await read(first)).toEqual(noise(1000, 1));
    expect(await read(second)).toEqual(noise(1000, 2));
    expect(await read(fresh)).toEqual(noise(1000, 4));
    expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: 5, pruned: 3 });
    await store.close();
  });
});

describe("records that are not indexed yet", () => {
  const rows = (directory: string, sql: string): number => {
    const db = new Db(join(directory, "sessions/s/journal.db"));
    const value = Number(db.value(sql));
    db.close();
    return value;
  };

  test("[JRN-126] are indexed many at a time, and are found again when the file is opened", async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    for (let i = 0; i < 700; i++) {
      const blob = await journal.stage(noise(50, i % 200));
      kept(await journal.append(commit({ touch: [`file:/${i % 40}`, "dir:/"], blobs: [blob] })));
    }
    await store.close();
    expect(rows(directory, "SELECT indexed FROM state")).toBeGreaterThan(256);
    expect(rows(directory, "SELECT indexed FROM state")).toBeLessThan(700);
    expect(rows(directory, "SELECT count(*) FROM touched WHERE key = 'dir:/'")).toBe(700);
    const bodies =
      "SELECT count(*) FROM record WHERE body IS NOT NULL AND seq <= (SELECT indexed FROM state)";
    expect(rows(directory, bodies)).toBe(200);
    const again = sqliteStore({ directory });
    const opened = await again.open("s");
    expect((await opened.last(["file:/19"])).map((at) => at?.seq)).toEqual([700]);
    expect(await opened.verify({ blobs: true })).toMatchObject({ ok: true, checked: 700 });
    await again.close();
  });

  test("[JRN-126] are indexed at once when they touch a lot", async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    const touch = Array.from({ length: 3000 }, (_, i) => `file:/${i}`);
    kept(await journal.append(commit({ touch: ["file:/7"] })));
    kept(await journal.append(commit({ touch })));
    kept(await journal.append(commit({ touch: ["file:/9"] })));
    expect((await journal.last(["file:/7", "file:/8", "file:/9"])).map((at) => at?.seq)).toEqual([2, 2, 3]);
    await store.close();
    expect(rows(directory, "SELECT indexed FROM state")).toBe(2);
    expect(rows(directory, "SELECT count(*) FROM touch")).toBe(3001);
  });

  test("[JRN-127] a commit beside others is decided on what they have left", async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    const one = await journal.stage(noise(500, 1));
    const two = await journal.stage(noise(500, 2));
    kept(await journal.append(commit({ touch: ["a"], blobs: [one] })));
    kept(await journal.append(commit({ touch: ["b"], blobs: [two] })));
    // Another process, so that nothing but the file tells this one of it.
    const other = (...what: string[]): void => {
      const { status, stderr } = spawnSync(
        process.execPath,
        [childProgram("store", "beside"), directory, ...what],
        {
          encoding: "utf8",
        },
      );
      expect([status, stderr]).toEqual([0, ""]);
    };
    other("commit", "a", "900");
    const stale = await journal.append(
      commit({ touch: ["a"], expect: [{ key: "a", seq: 1, pinned: true }] }),
    );
    expect(stale).toMatchObject({ moved: [{ key: "a", at: { seq: 3 } }] });
    other("commit", "a", "0");
    const full = commit({
      touch: ["b"],
      delta: { bytes: 200, files: 0 },
      quota: { bytes: 1000, files: 9 },
    });
    expect(await journal.append(full)).toEqual({ overQuota: "bytes" });
    expect(kept(await journal.append(commit({ touch: ["b"] })))).toMatchObject({ seq: 5 });

    other("prune", "6", two);
    expect(await reasonOf(journal.append(commit({ blobs: [one] })))).toBe("unknown_blob");
    expect(kept(await journal.append(commit({ blobs: [two] })))).toMatchObject({ seq: 6 });
    other("remove");
    expect(await reasonOf(journal.append(commit()))).toBe("session_not_found");
    await store.close();
  });
});

describe.skipIf(!existsSync("/proc/self/fd"))("sessions at rest (needs /proc)", () => {
  test("[JRN-132] a watch opens no connection for them, and sees what another process commits", async () => {
    const directory = place();
    const store = sqliteStore({ directory, openJournals: 3 });
    const journals: Journal[] = [];
    for (let i = 0; i < 12; i++) journals.push(await store.open(i === 0 ? "s" : `s${i}`, { create: true }));
    const stop = new AbortController();
    const seen = journals.map(() => 0);
    const watches = journals.map(async (journal, i) => {
      for await (const at of journal.watch(0, stop.signal)) seen[i] = at.seq;
    });
    for (const journal of journals) kept(await journal.append(commit()));
    const isOpen = (): string[] =>
      descriptors(directory)
        .filter((path) => path.endsWith("journal.db"))
        .sort();
    await sleep(1500);
    expect(seen).toEqual(journals.map(() => 1));
    const before = isOpen();
    expect(before.length).toBeGreaterThan(0);
    for (let look = 0; look < 20; look++) {
      await sleep(30);
      expect(isOpen()).toEqual(before);
    }
    expect(before.some((path) => path.endsWith("/s/journal.db"))).toBe(false);
    const child = spawn(process.execPath, [childProgram("store", "beside"), directory, "commit", "a", "1"]);
    await new Promise((resolve) => child.on("close", resolve));
    for (let waited = 0; seen[0] === 1 && waited < 11_000; waited += 50) await sleep(50);
    expect(seen).toEqual(journals.map((_, i) => (i === 0 ? 2 : 1)));
    stop.abort();
    await Promise.all(watches);
    await store.close();
  });
});

describe.skipIf(process.platform !== "linux")("a process that rests (on Linux)", () => {
  test("[JRN-136] learns of another's commit at once", async () => {
    const directory = place();
    const store = sqliteStore({ directory, openJournals: 1 });
    const open = await store.open("open", { create: true });
    const closed = await store.open("closed", { create: true });
    await open.head();
    const stop = new AbortController();
    const heard: string[] = [];
    const watches = [open, closed].map(async (journal) => {
      for await (const { seq } of journal.watch(0, stop.signal)) heard.push(`${journal.id} ${seq}`);
    });
    await sleep(6000);
    for (const id of ["open", "closed"]) {
      const { stdout } = spawnSync(process.execPath, [
        childProgram("store", "beside"),
        directory,
        "commit",
        "a",
        "1",
        id,
      ]);
      expect(stdout.toString()).toBe("");
      await sleep(400);
      expect(heard).toContain(`${id} 1`);
    }
    stop.abort();
    await Promise.all(watches);
    await store.close();
  });
});

describe("whole or not at all", () => {
  test("[JRN-119] a session whose maker was killed is whole or absent", { timeout: 120_000 }, async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const parent = await store.open("parent", { create: true });
    const blob = await parent.stage(noise(400_000, 1));
    for (let i = 0; i < 300; i++) kept(await parent.append(commit({ blobs: [blob] })));
    for (let i = 0; i < 10; i++) {
      const child = spawn(process.execPath, [childProgram("store", "make"), directory], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const ended = new Promise((resolve) => child.on("close", resolve));
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await sleep(Math.random() * 30);
      child.kill("SIGKILL");
      await ended;
    }
    const listed = await store.list({ limit: 10_000 });
    expect(listed.map(({ id }) => id).sort()).toEqual(readdirSync(join(directory, "sessions")).sort());
    for (const { id } of listed) {
      const journal = await store.open(id);
      const verified = await journal.verify({ blobs: true });
      expect(verified).toMatchObject({ ok: true });
      if (id.startsWith("f")) {
        expect(verified).toMatchObject({ checked: 300 });
        await readAll(journal, { size: 400_000, extents: [[blob, 0, 400_000]] });
      }
      await journal.close();
    }
    expect(listed.length).toBeGreaterThan(1);
    await store.close();
  });

  test("[JRN-119] sweeps leftovers, and nothing that may be in use", async () => {
    const directory = place();
    let store = sqliteStore({ directory });
    let journal = await store.open("s", { create: true });
    const session = join(directory, "sessions/s");
    const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
    const leave = (path: string, when?: Date): string => {
      writeFileSync(path, "left");
      if (when !== undefined) utimesSync(path, when, when);
      return path;
    };
    const kept_ = await journal.stage(noise(400_000, 1));
    kept(await journal.append(commit({ blobs: [kept_] })));
    utimesSync(join(session, "blobs", kept_), old, old);
    const gone = [
      leave(join(session, "staging", "aaaaaaaaaaaaaaaaaaaaaaaaaa"), old),
      leave(join(session, "blobs", "bbbbbbbbbbbbbbbbbbbbbbbbbb"), old),
    ];
    const stays = [
      leave(join(session, "staging", "cccccccccccccccccccccccccc")),
      leave(join(session, "blobs", "dddddddddddddddddddddddddd")),
      join(session, "blobs", kept_),
    ];
    await journal.prune(1, []);
    expect(gone.filter((path) => existsSync(path))).toEqual([]);
    expect(stays.filter((path) => !existsSync(path))).toEqual([]);
    await store.close();

    const oldMaking = join(directory, "making/old");
    mkdirSync(oldMaking);
    utimesSync(oldMaking, old, old);
    mkdirSync(join(directory, "making/young"));
    renameSync(session, join(directory, "removed/s"));
    store = sqliteStore({ directory });
    for (let waited = 0; waited < 5000 && existsSync(oldMaking); waited += 10) await sleep(10);
    expect(readdirSync(join(directory, "making"))).toEqual(["young"]);
    expect(readdirSync(join(directory, "removed"))).toEqual([]);
    journal = await store.open("s", { create: true });
    expect((await journal.head()).seq).toBe(0);
    await store.close();
  });

  test("[JRN-119] a removal cut off midway is finished by whoever opens next", async () => {
    const directory = place();
    let store = sqliteStore({ directory });
    kept(await (await store.open("s", { create: true })).append(commit()));
    await store.close();
    const db = new Db(join(directory, "sessions/s/journal.db"));
    db.run("INSERT INTO meta (key, value) VALUES (?, ?)", ["removed", "1"]);
    db.close();
    store = sqliteStore({ directory });
    expect(await store.list({ limit: 9 })).toEqual([]);
    expect(await reasonOf(store.open("s"))).toBe("session_not_found");
    const fresh = await store.open("s", { create: true });
    expect((await fresh.head()).seq).toBe(0);
    await store.close();
  });
});

describe("tampering", () => {
  const tampered = async (
    how: (db: Db, journal: Journal) => void,
  ): Promise<{ store: Store; journal: Journal }> => {
    const directory = place();
    let store = sqliteStore({ directory });
    let journal = await store.open("s", { create: true });
    for (let i = 0; i < 6; i++) {
      const blob = await journal.stage(noise(1000, i));
      const changes = [{ slice: blob, op: "put" }];
      kept(await journal.append(commit({ blobs: [blob], changes, encoding: i < 4 ? 1 : 2 })));
    }
    await store.close();
    const db = new Db(join(directory, "sessions/s/journal.db"));
    how(db, journal);
    db.close();
    store = sqliteStore({ directory });
    journal = await store.open("s");
    return { store, journal };
  };

  const cases: [what: string, seq: number, sql: string][] = [
    ["hash", 3, "UPDATE record SET agent = 'someone else' WHERE seq = 3"],
    ["hash", 4, "UPDATE record SET time = time + 1 WHERE seq = 4"],
    ["hash", 2, `UPDATE record SET keys = '["file:/b"]' WHERE seq = 2`],
    ["hash", 2, "UPDATE record SET encoding = 2 WHERE seq = 2"],
    ["hash", 6, "UPDATE record SET encoding = 1 WHERE seq = 6"],
    ["changes", 5, "UPDATE record SET changes = replace(changes, 'put', 'cut') WHERE seq = 5"],
    ["gap", 3, "DELETE FROM record WHERE seq = 3"],
    ["blob", 2, "UPDATE record SET body = zeroblob(1000) WHERE seq = 2"],
  ];
  test.each(cases)("[JRN-120] finds a broken %s at record %i", async (what, seq, sql) => {
    const { store, journal } = await tampered((db) => db.exec(sql));
    expect(await journal.verify({ blobs: true })).toEqual({ ok: false, seq, what });
    await store.close();
  });

  test("[JRN-120] finds a record rewritten with a hash of its own", async () => {
    const { store, journal } = await tampered((db, { genesis }) => {
      const changes = '[{"slice":"forged","op":"put"}]';
      const hash = recordHash(genesis.hash, {
        seq: 1,
        time: 1_700_000_000_000,
        kind: "call",
        agent: "planner",
        role: "editor",
        tool: null,
        request: "r1",
        encoding: 1,
        targets: ["file:/a"],
        keys: ["file:/a"],
        changes: digest(changes),
      });
      db.run("UPDATE record SET changes = ?, digest = ?, hash = ? WHERE seq = 1", [
        changes,
        Buffer.from(digest(changes), "hex"),
        Buffer.from(hash, "hex"),
      ]);
    });
    expect(await journal.verify()).toEqual({ ok: false, seq: 2, what: "hash" });
    await store.close();
  });

  test("[JRN-121] refuses to read damaged bytes", async () => {
    const { store, journal } = await tampered((db) =>
      db.exec("UPDATE record SET body = zeroblob(1000) WHERE seq = 2"),
    );
    const read = async (seq: number): Promise<Uint8Array> => {
      const [record] = await journal.records({ after: seq - 1, limit: 1 });
      return readAll(journal, { size: 1000, extents: [[record?.changes?.[0]?.slice ?? "", 0, 1000]] });
    };
    expect(await reasonOf(read(2))).toBe("blob_lost");
    expect(Buffer.compare(await read(3), noise(1000, 2))).toBe(0);
    await store.close();
  });
});

describe("the event loop", () => {
  test("[JRN-124] has its turn during long reads", async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    for (let i = 0; i < 4000; i += 200)
      await Promise.all(
        Array.from({ length: 200 }, async (_, k) =>
          kept(await journal.append(commit({ changes: [{ slice: "x".repeat(4000), op: `${i + k}` }] }))),
        ),
      );
    const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
      let turns = 0;
      let done = false;
      void work.finally(() => (done = true));
      while (!done) {
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
      }
      return turns;
    };
    expect(await turnsDuring(journal.records({ limit: 100_000 }))).toBeGreaterThan(3);
    expect(await turnsDuring(journal.verify())).toBeGreaterThan(3);
    const at = await journal.head();
    const chunks = Array.from({ length: 20 }, (_, i) => noise(100_000, i));
    expect(await turnsDuring(journal.checkpoint.save(at, "big", chunks))).toBeGreaterThan(3);
    await store.close();
  });
});

describe("maintenance beside commits", () => {
  test("[JRN-125] fork and prune lose nothing that is live", async () => {
    const directory = place();
    const store = sqliteStore({ directory });
    const journal = await store.open("s", { create: true });
    const other = await store.open("s");
    const live = new Map<string, Uint8Array>();
    let n = 0;
    let working = true;
    const put = async (): Promise<void> => {
      const bytes = noise(n % 5 === 0 ? 300_000 : 2000, n);
      n++;
      const blob = await journal.stage(bytes);
      kept(
        await journal.append(commit({ blobs: [blob], changes: [{ slice: blob, op: `${bytes.length}` }] })),
      );
      live.set(blob, bytes);
    };
    for (let i = 0; i < 60; i++) await put();
    const writing = (async () => {
      while (working) await put();
    })();
    const forks: Promise<Journal>[] = [];
    for (let round = 0; round < 4; round++) {
      const at = await other.head();
      const before = at.seq - 20;
      // What states from `before` on need: here, the blobs of the records from there on.
      const needed = await other.records({ after: before - 1, limit: 10_000 });
      const ids = new Set(needed.map((record) => record.changes?.[0]?.slice ?? ""));
      forks.push(store.fork("s", at, `fork-${round}`));
      await other.prune(before, ids);
      for (const id of live.keys()) if (!ids.has(id) && !(await isYoung(other, id, before))) live.delete(id);
    }
    working = false;
    await writing;
    expect((await journal.head()).seq).toBe(n);
    expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: n });
    for (const [blob, bytes] of live) {
      const read = await readAll(journal, { size: bytes.length, extents: [[blob, 0, bytes.length]] });
      expect(Buffer.compare(read, bytes)).toBe(0);
    }
    for (const fork of await Promise.all(forks)) {
      expect(await fork.verify({ blobs: true })).toMatchObject({ ok: true });
      for (const record of await fork.records({ limit: 10_000 })) {
        const change = record.changes?.[0];
        if (change === undefined) continue;
        const size = Number(change.op);
        await readAll(fork, { size, extents: [[change.slice, 0, size]] });
      }
    }
    await store.close();
  });

  async function isYoung(journal: Journal, blob: string, before: number): Promise<boolean> {
    const records = await journal.records({ after: before - 1, limit: 10_000 });
    return records.some((record) => record.changes?.[0]?.slice === blob);
  }

  test("[JRN-21] a session made again under an old id shares no position with the old one", async () => {
    const store = sqliteStore({ directory: place() });
    const old = await (await store.open("s", { create: true })).head();
    await store.remove("s");
    const fresh = await (await store.open("s", { create: true })).head();
    expect(fresh.hash).not.toBe(old.hash);
    expect(newGenesis()).not.toBe(newGenesis());
    await store.close();
  });
});
