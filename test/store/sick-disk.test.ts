import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { HoldfastError } from "../../src/errors.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { commit, kept, noise, readAll } from "./journal-contract.ts";
import { scratch } from "./scratch.ts";
import { hasStrace } from "./trace.ts";

const long = process.env["HOLDFAST_LONG"] === "1";

const ALLOWED = /^internal\/(outcome_unknown|store_failed|store_full)$/;

/** Runs commits while a system call fails, then looks at what is there with a healthy disk. */
async function runSick(inject: string, count: number, tries: number) {
  const directory = scratch("memory");
  const store = sqliteStore({ directory });
  await (await store.open("s", { create: true })).close();
  const run = spawnSync(
    "strace",
    [
      ...`-f -qq -o ${directory}/log -e trace=fsync,pwrite64,write -e inject=${inject}`.split(" "),
      ...`-P ${directory}/sessions/s/journal.db-wal -P ${directory}/sessions/s/blobs`.split(" "),
      process.execPath,
      childProgram("store", "sick"),
      directory,
      String(count),
      String(tries),
    ],
    { encoding: "utf8", timeout: 120_000 },
  );
  const lines = run.stdout.split("\n").filter((line) => line !== "");
  const numbers = (word: string): Set<number> =>
    new Set(lines.filter((line) => line.startsWith(word)).map((line) => Number(line.split(" ")[1])));
  const acknowledged = numbers("ok");
  const failed = lines.filter((line) => line.startsWith("failed"));

  const journal = await store.open("s");
  const verified = await journal.verify({ blobs: true });
  const found: number[] = [];
  for (const record of await journal.records({ limit: 1000 })) {
    const {
      n = -1,
      blob = "",
      size = 0,
    } = (record.changes?.[0] ?? {}) as Partial<{ n: number; blob: string; size: number }>;
    found.push(n);
    const bytes = await readAll(journal, { size, extents: [[blob, 0, size]] });
    expect(Buffer.compare(bytes, Buffer.alloc(size, `${n} `))).toBe(0);
  }
  kept(await journal.append(commit({ time: new Date() })));
  await store.close();
  return { status: run.status, stderr: run.stderr, acknowledged, failed, found, verified };
}

describe.skipIf(!hasStrace)("a disk that fails (needs strace)", () => {
  const upTo = (most: number): number[] => (long ? Array.from({ length: most }, (_, i) => i + 1) : [1, 2, 5]);
  const once = [
    ...["fsync:error=EIO", "fsync:error=ENOSPC"].flatMap((fault) => upTo(8).map((n) => `${fault}:when=${n}`)),
    ...["pwrite64:error=EIO", "pwrite64:error=ENOSPC"].flatMap((fault) =>
      upTo(20).map((n) => `${fault}:when=${n}`),
    ),
  ];

  test.each(once)(
    "[JRN-113] survives %s: nothing acknowledged is lost, a retry is kept once",
    async (inject) => {
      const run = await runSick(inject, 8, 5);
      expect(run.stderr).toBe("");
      expect(run.status).toBe(0);
      expect([...run.acknowledged]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(run.found).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      for (const line of run.failed) expect(line.split(" ")[2]).toMatch(ALLOWED);
      expect(run.verified).toMatchObject({ ok: true });
    },
  );

  test.each(["fsync:error=EIO:when=3+", "pwrite64:error=EIO:when=6+", "pwrite64:error=ENOSPC:when=6+"])(
    "[JRN-113] acknowledges nothing more when the disk stays sick with %s",
    async (inject) => {
      const run = await runSick(inject, 6, 2);
      expect(run.failed.length).toBeGreaterThan(0);
      for (const line of run.failed) expect(line.split(" ")[2]).toMatch(ALLOWED);
      expect(run.verified).toMatchObject({ ok: true });
      // What was not acknowledged may be there; what was is there, once.
      expect(new Set(run.found).size).toBe(run.found.length);
      for (const n of run.acknowledged) expect(run.found).toContain(n);
    },
  );
});

const mountPoint = scratch();
let mounted = false;
try {
  if (process.getuid?.() === 0) {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "holdfast", mountPoint], { stdio: "pipe" });
    mounted = true;
  }
} catch {
  // Not allowed to mount here.
}
// Registered after the scratch directory's, so it runs before that is removed.
afterAll(() => {
  if (mounted) execFileSync("umount", ["-l", mountPoint], { stdio: "pipe" });
});

describe.skipIf(!mounted)("a disk without space (needs root and tmpfs)", () => {
  const filler = join(mountPoint, "filler");
  beforeAll(() => mkdirSync(mountPoint, { recursive: true }));

  test("[JRN-114] says so, loses nothing, reopens, and goes on when there is space", async () => {
    let store = sqliteStore({ directory: join(mountPoint, "store") });
    let journal = await store.open("s", { create: true });
    writeFileSync(filler, Buffer.alloc(1_500_000));
    const acknowledged: string[] = [];
    let reason = "";
    for (let n = 0; n < 500 && reason === ""; n++) {
      try {
        const blob = await journal.stage(noise(10_000, n));
        kept(
          await journal.append(
            commit({ blobs: [blob], once: `${n}`, time: new Date(), changes: [{ slice: blob, op: `${n}` }] }),
          ),
        );
        acknowledged.push(blob);
      } catch (error) {
        reason = HoldfastError.is(error) ? `${error.code}/${error.reason}` : String(error);
      }
    }
    expect(reason).toBe("internal/store_full");
    expect(acknowledged.length).toBeGreaterThan(10);

    const large = await journal.stage(noise(3_000_000, 1)).then(
      () => "staged",
      (error: unknown) => (HoldfastError.is(error) ? error.reason : String(error)),
    );
    expect(large).toBe("store_full");

    const check = async (): Promise<void> => {
      const records = await journal.records({ limit: 1000 });
      expect(records.map((record) => record.changes?.[0]?.slice)).toEqual(acknowledged);
      for (const [n, blob] of acknowledged.entries()) {
        const bytes = await readAll(journal, { size: 10_000, extents: [[blob, 0, 10_000]] });
        expect(Buffer.compare(bytes, noise(10_000, n))).toBe(0);
      }
      expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true });
    };
    await check();
    await store.close();
    rmSync(filler);
    store = sqliteStore({ directory: join(mountPoint, "store") });
    journal = await store.open("s");
    await check();
    const blob = await journal.stage(noise(10_000, acknowledged.length));
    const again = commit({
      blobs: [blob],
      once: `${acknowledged.length}`,
      changes: [{ slice: blob, op: "x" }],
    });
    kept(await journal.append(again));
    acknowledged.push(blob);
    await check();
    await store.close();
  });
});
