// What one store has looked up and another takes away, or replaces, before its bytes are read; and bytes that are on their way
// while a journal is closed.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import type { Content, Journal } from "../../src/store/journal.ts";
import { BlobFiles } from "../../src/store/sqlite/_blob-files.ts";
import { Connections } from "../../src/store/sqlite/_connections.ts";
import { Db } from "../../src/store/sqlite/_db.ts";
import { blobFile, journalFile } from "../../src/store/sqlite/_layout.ts";
import { errorOf } from "../../src/store/sqlite/_writer-client.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { commit, kept, noise, readAll } from "./journal-contract.ts";
import { scratch } from "./scratch.ts";

const LARGE = 400_000;
const root = scratch("memory");
let stores = 0;

interface Two {
  readonly directory: string;
  readonly mine: Journal;
  readonly theirs: Journal;
}

/** Two stores on one directory, as two processes have them, and one session open in both. */
async function two(): Promise<Two> {
  const directory = join(root, String(++stores));
  const store = sqliteStore({ directory });
  const other = sqliteStore({ directory });
  onTestFinished(async () => {
    await store.close();
    await other.close();
  });
  const mine = await store.open("s", { create: true });
  return { directory: join(directory, "sessions/s"), mine, theirs: await other.open("s") };
}

/** Has `meanwhile` happen once: after a row was found, before the bytes that it names are read. */
function beforeBytes(meanwhile: () => Promise<unknown>): void {
  // oxlint-disable-next-line typescript/unbound-method -- called on its own object below
  const { inlineBlob } = Connections.prototype;
  const spy = vi.spyOn(Connections.prototype, "inlineBlob").mockImplementationOnce(async function (
    this: Connections,
    id,
  ) {
    await meanwhile();
    return inlineBlob.call(this, id);
  });
  onTestFinished(() => spy.mockRestore());
}

/** Has `ask` stand between a journal and the writer, for appends. */
function onAppend(ask: (appended: Promise<unknown>) => Promise<unknown>): void {
  // oxlint-disable-next-line typescript/unbound-method -- called on its own object below
  const original = Connections.prototype.ask;
  const spy = vi.spyOn(Connections.prototype, "ask").mockImplementation(function (this: Connections, task) {
    const asked = original.call(this, task);
    return (task.do === "append" ? ask(asked) : asked) as never;
  });
  onTestFinished(() => spy.mockRestore());
}

async function saved(journal: Journal, seq: number): Promise<string | undefined> {
  const found = await journal.checkpoint.load("files", seq);
  if (found === undefined) return undefined;
  let size = 0;
  for await (const chunk of found.chunks) size += chunk.length;
  return `${found.at.seq}: ${size}`;
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => "nothing thrown",
    (thrown: unknown) => thrown,
  );
  return HoldfastError.is(error) ? error.reason : String(error);
}

describe.each([
  ["large", LARGE],
  ["small", 1000],
])("a %s checkpoint", (_, size) => {
  test("[JRN-68] that was replaced and pruned after it was found is not lost: the newer one is read", async () => {
    const { mine, theirs } = await two();
    const first = kept(await mine.append(commit()));
    await mine.checkpoint.save(first, "files", [noise(size, 1)]);
    const second = kept(await mine.append(commit()));
    beforeBytes(async () => {
      await theirs.checkpoint.save(second, "files", [noise(size + 1, 2)]);
      await theirs.prune(3, []);
    });
    expect(await saved(mine, 2)).toBe(`2: ${size + 1}`);
  });

  test("[JRN-68] that was replaced at its place is read as it is now", async () => {
    const { mine, theirs } = await two();
    const at = kept(await mine.append(commit()));
    await mine.checkpoint.save(at, "files", [noise(size, 1)]);
    beforeBytes(async () => {
      await theirs.checkpoint.save(at, "files", [noise(size + 1, 2)]);
      kept(await theirs.append(commit()));
      await theirs.prune(2, []);
    });
    expect(await saved(mine, 2)).toBe(`1: ${size + 1}`);
  });

  test("[JRN-68] that was pruned, with none left, is none", async () => {
    const { mine, theirs } = await two();
    const first = kept(await mine.append(commit()));
    await mine.checkpoint.save(first, "files", [noise(size, 1)]);
    const second = kept(await mine.append(commit()));
    beforeBytes(async () => {
      await theirs.checkpoint.save(second, "files", [noise(size, 2)]);
      await theirs.prune(3, []);
    });
    expect(await saved(mine, 1)).toBeUndefined();
  });
});

test("[JRN-68] a checkpoint whose row is there and whose bytes are not is lost", async () => {
  const { directory, mine } = await two();
  const at = kept(await mine.append(commit()));
  const large = vi.spyOn(BlobFiles.prototype, "stage");
  onTestFinished(() => large.mockRestore());
  await mine.checkpoint.save(at, "files", [noise(LARGE, 1)]);
  rmSync(blobFile(directory, await (large.mock.results[0]?.value as Promise<string>)));
  expect(await reasonOf(saved(mine, 1))).toBe("blob_lost");
});

test("[JRN-45] a stored result that is pruned while it is looked up is none, and its key is free", async () => {
  const { mine, theirs } = await two();
  const request = commit({ once: "k", result: { text: "x".repeat(LARGE) } });
  const prune = async (): Promise<unknown> => theirs.prune((await theirs.head()).seq + 1, []);
  kept(await mine.append(request));
  beforeBytes(prune);
  expect(await mine.replayOf(request.agent, "k")).toBeUndefined();
  kept(await mine.append(request));
  beforeBytes(prune);
  expect(await mine.append(request)).toMatchObject({ at: { seq: 3 } });
  expect(await mine.append(request)).toMatchObject({ replay: request.result, at: { seq: 3 } });
});

test("[JRN-120] verify does not take for missing what is pruned while it looks", async () => {
  const { directory, mine } = await two();
  const blobs = [await mine.stage(noise(LARGE, 1))];
  kept(await mine.append(commit({ blobs })));
  // oxlint-disable-next-line typescript/unbound-method -- called on its own object below
  const { get } = Db.prototype;
  const prune = (): void => {
    const db = new Db(journalFile(directory));
    db.run("DELETE FROM blob");
    db.close();
    rmSync(blobFile(directory, blobs[0] ?? ""));
  };
  let isPruned = false;
  const spy = vi.spyOn(Db.prototype, "get").mockImplementation(function (this: Db, sql, binds) {
    const row = get.call(this, sql, binds);
    if (!isPruned && sql.includes("bytes IS NULL AND holder IS NULL")) {
      isPruned = true;
      prune();
    }
    return row;
  });
  onTestFinished(() => spy.mockRestore());
  expect(await mine.verify({ blobs: true })).toMatchObject({ ok: true });
  expect(isPruned).toBe(true);
});

describe("a session that is removed", () => {
  const saveLarge = async ({ mine }: Two): Promise<void> =>
    mine.checkpoint.save(kept(await mine.append(commit())), "files", [noise(LARGE, 1)]);

  test("[JRN-4] while its bytes are looked for is not found, and none of them is lost", async () => {
    const both = await two();
    await saveLarge(both);
    const store = sqliteStore({ directory: join(both.directory, "../..") });
    beforeBytes(() => store.remove("s"));
    expect(await reasonOf(saved(both.mine, 1))).toBe("session_not_found");
    await store.close();
  });

  test("[JRN-4] by deleting its files is not found either", async () => {
    const both = await two();
    await saveLarge(both);
    beforeBytes(async () => rmSync(both.directory, { recursive: true }));
    expect(await reasonOf(saved(both.mine, 1))).toBe("session_not_found");
  });
});

describe("bytes on their way", () => {
  const content = (blob: string): Content => ({ size: LARGE, extents: [[blob, 0, LARGE]] });

  test("[JRN-59] are not deleted by a journal that is closed before it knows that they were committed", async () => {
    const { mine, theirs } = await two();
    const blob = await mine.stage(noise(LARGE, 1));
    let closing: Promise<void> | undefined;
    onAppend(async (appended) => {
      await appended;
      closing = mine.close();
      await new Promise(setImmediate);
      return appended;
    });
    kept(await mine.append(commit({ blobs: [blob] })));
    await closing;
    expect(Buffer.compare(await readAll(theirs, content(blob)), noise(LARGE, 1))).toBe(0);
  });

  test("[JRN-59] are not deleted when the outcome of their commit is unknown", async () => {
    const { mine, theirs } = await two();
    const blob = await mine.stage(noise(LARGE, 1));
    onAppend(async (appended) => {
      await appended;
      throw errorOf("unknown", "planted");
    });
    expect(await reasonOf(mine.append(commit({ blobs: [blob] })))).toBe("outcome_unknown");
    await mine.close();
    expect(Buffer.compare(await readAll(theirs, content(blob)), noise(LARGE, 1))).toBe(0);
  });

  test("[JRN-55] are deleted when their commit was refused", async () => {
    const { directory, mine } = await two();
    const blob = await mine.stage(noise(LARGE, 1));
    const expected = [{ key: "file:/a", seq: 7, pinned: true }];
    expect(await mine.append(commit({ blobs: [blob], expect: expected }))).toHaveProperty("moved");
    expect(existsSync(blobFile(directory, blob))).toBe(true);
    await mine.close();
    expect(existsSync(blobFile(directory, blob))).toBe(false);
  });
});
