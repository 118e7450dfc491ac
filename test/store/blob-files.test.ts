import { copyFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import type { Journal, Store } from "../../src/store/journal.ts";
import { Db } from "../../src/store/sqlite/_db.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { commit, kept, noise, readAll } from "./journal-contract.ts";
import { scratch } from "./scratch.ts";

const root = scratch("memory");
let stores = 0;
const BLOCK = 64 * 1024;

interface Case {
  readonly store: Store;
  readonly journal: Journal;
  readonly blobs: readonly string[];
  readonly fileOf: (blob: string) => string;
  readonly session: string;
}

/** A session whose records bring in one blob each. */
async function withBlobs(sizes: readonly number[]): Promise<Case> {
  const directory = join(root, String(++stores));
  const store = sqliteStore({ directory });
  const journal = await store.open("s", { create: true });
  const blobs: string[] = [];
  for (const [i, size] of sizes.entries()) {
    const blob = await journal.stage(noise(size, i));
    kept(await journal.append(commit({ blobs: [blob] })));
    blobs.push(blob);
  }
  const session = join(directory, "sessions/s");
  return { store, journal, blobs, session, fileOf: (blob) => join(session, "blobs", blob) };
}

const whole = (blob: string, size: number): Parameters<typeof readAll>[1] => ({
  size,
  extents: [[blob, 0, size]],
});

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => "nothing thrown",
    (thrown: unknown) => thrown,
  );
  return HoldfastError.is(error) ? `${error.code}/${error.reason}` : String(error);
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe("blob files", () => {
  test("[JRN-130] are read at any place and length as they were written", async () => {
    for (const size of [5 * BLOCK, 5 * BLOCK + 1, 6 * BLOCK - 1, 400_000]) {
      const { store, journal, blobs } = await withBlobs([size]);
      const source = await journal.source(whole(blobs[0] ?? "", size));
      const bytes = noise(size, 0);
      const places = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK - 7, size - BLOCK, size - 1];
      for (const at of places)
        for (const length of [1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, size]) {
          const into = new Uint8Array(length + 2);
          const got = source.read(at, into, 1, length);
          expect(got).toBe(Math.min(length, size - at));
          expect(Buffer.compare(into.subarray(1, 1 + got), bytes.subarray(at, at + got))).toBe(0);
          expect([into[0], into.at(-1)]).toEqual([0, 0]);
        }
      source.close();
      expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true });
      await store.close();
    }
  });

  test("[JRN-130] a flipped byte is an error wherever it is, never content; the rest can be read", async () => {
    const size = 5 * BLOCK + 100;
    const { store, journal, blobs, fileOf } = await withBlobs([size, size]);
    const [first = "", second = ""] = blobs;
    const length = readFileSync(fileOf(first)).length;
    for (const at of [0, BLOCK - 1, BLOCK, size - 1, size, size + 5, length - 9, length - 4, length - 1]) {
      flip(fileOf(first), at);
      expect(await reasonOf(readAll(journal, whole(first, size)))).toBe("internal/blob_lost");
      expect(await journal.verify({ blobs: true })).toEqual({ ok: false, seq: 1, what: "blob" });
      expect(Buffer.compare(await readAll(journal, whole(second, size)), noise(size, 1))).toBe(0);
      flip(fileOf(first), at);
    }
    flip(fileOf(first), BLOCK + 9);
    const part = await readAll(journal, { size: 10, extents: [[first, 2 * BLOCK, 10]] });
    expect(Buffer.compare(part, noise(size, 0).subarray(2 * BLOCK, 2 * BLOCK + 10))).toBe(0);
    expect(await reasonOf(readAll(journal, { size: 1, extents: [[first, BLOCK, 1]] }))).toBe(
      "internal/blob_lost",
    );
    await store.close();
  });

  test("[JRN-130] a file that was cut, that grew, that is gone or has another's name is an error", async () => {
    const size = 4 * BLOCK + 1000;
    const { store, journal, blobs, fileOf } = await withBlobs([1000, size, size]);
    const [, second = "", third = ""] = blobs;
    const bytes = readFileSync(fileOf(second));
    const harms: Record<string, () => void> = {
      "cut by a byte": () => truncateSync(fileOf(second), bytes.length - 1),
      "cut by a block and its sum": () => truncateSync(fileOf(second), bytes.length - BLOCK - 4),
      "cut to its content": () => truncateSync(fileOf(second), size),
      empty: () => truncateSync(fileOf(second), 0),
      longer: () => writeFileSync(fileOf(second), Buffer.concat([bytes, Buffer.alloc(16)])),
      "two blocks changed places": () =>
        writeFileSync(
          fileOf(second),
          Buffer.concat([
            bytes.subarray(BLOCK, 2 * BLOCK),
            bytes.subarray(0, BLOCK),
            bytes.subarray(2 * BLOCK),
          ]),
        ),
      "another blob's bytes": () => copyFileSync(fileOf(third), fileOf(second)),
      deleted: () => rmSync(fileOf(second)),
    };
    for (const [harm, doIt] of Object.entries(harms)) {
      doIt();
      expect([harm, await reasonOf(readAll(journal, whole(second, size)))]).toEqual([
        harm,
        "internal/blob_lost",
      ]);
      expect([harm, await journal.verify({ blobs: true })]).toEqual([
        harm,
        { ok: false, seq: 2, what: "blob" },
      ]);
      writeFileSync(fileOf(second), bytes);
    }
    expect(await journal.verify({ blobs: true })).toMatchObject({ ok: true, checked: 3 });
    await store.close();
  });

  test("[JRN-130] the error says what to do and no path", async () => {
    const { store, journal, blobs, fileOf, session } = await withBlobs([400_000]);
    rmSync(fileOf(blobs[0] ?? ""));
    const error: unknown = await readAll(journal, whole(blobs[0] ?? "", 400_000)).catch((thrown) => thrown);
    expect(String(error)).toMatch(/Write it anew, restore an older version/);
    expect(String(error)).not.toContain(session);
    await store.close();
  });

  test("[JRN-131] of format 1, without checksums, are read, forked and verified by size", async () => {
    const { store, journal, blobs, fileOf, session } = await withBlobs([400_000]);
    const [blob = ""] = blobs;
    await store.close();
    // As format 1 had it: the content alone, under 26 characters.
    const plain = blob.slice(0, 26);
    writeFileSync(fileOf(plain), readFileSync(fileOf(blob)).subarray(0, 400_000));
    rmSync(fileOf(blob));
    const db = new Db(join(session, "journal.db"));
    db.run("UPDATE blob SET id = ?", [plain]);
    db.run("UPDATE record SET blobs = json_array(?)", [plain]);
    db.close();
    const again = sqliteStore({ directory: join(session, "../..") });
    const opened = await again.open("s");
    expect(Buffer.compare(await readAll(opened, whole(plain, 400_000)), noise(400_000, 0))).toBe(0);
    expect(await opened.verify({ blobs: true })).toMatchObject({ ok: true });
    const fork = await again.fork("s", await opened.head(), "f");
    expect(Buffer.compare(await readAll(fork, whole(plain, 400_000)), noise(400_000, 0))).toBe(0);
    truncateSync(fileOf(plain), 399_999);
    expect(await reasonOf(readAll(opened, whole(plain, 400_000)))).toBe("internal/blob_lost");
    expect(await opened.verify({ blobs: true })).toEqual({ ok: false, seq: 1, what: "blob" });
    await again.close();
    expect(journal.id).toBe("s");
  });

  test("[JRN-120] verify finds a blob that is nowhere", async () => {
    const { store, blobs, session } = await withBlobs([1000, 2000, 400_000]);
    await store.close();
    expect(readdirSync(join(session, "blobs"))).toEqual([blobs[2]]);
    const db = new Db(join(session, "journal.db"));
    db.exec("UPDATE record SET body = NULL WHERE seq = 2");
    db.close();
    const again = sqliteStore({ directory: join(session, "../..") });
    const opened = await again.open("s");
    expect(await opened.verify()).toMatchObject({ ok: true });
    expect(await opened.verify({ blobs: true })).toEqual({ ok: false, seq: 2, what: "blob" });
    await again.close();
  });
});
