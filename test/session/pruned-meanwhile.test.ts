// What one process has in hand and another prunes: none of it is taken for damage, and nothing stops because of it.

import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { changesOf } from "../../src/session/packed-changes.ts";
import type { Journal, JournalRecord, Store } from "../../src/store/journal.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { scratch } from "../store/scratch.ts";
import { contents, hosted, put, type Hosted } from "./host-session.ts";

const root = scratch("memory");
let stores = 0;

interface Two {
  /** Learns of the other's commits only when it looks. */
  readonly mine: Hosted;
  readonly theirs: Hosted;
  /** Of `mine`, and of what is opened on its store later. */
  readonly journals: Journal[];
  readonly directory: string;
}

/** One session in two stores on one directory, as two processes have it. */
async function two(limits: Parameters<typeof hosted>[0] = {}): Promise<Two> {
  const directory = join(root, String(++stores));
  const theirs = await hosted({ id: "s", store: sqliteStore({ directory }), ...limits });
  const journals: Journal[] = [];
  const store = unfollowed(directory, (journal) => journals.push(journal));
  const mine = await hosted({ id: "s", store, ...limits });
  onTestFinished(async () => {
    for (const one of [mine, theirs]) {
      await one.session.close();
      await one.store.close();
    }
  });
  return { mine, theirs, journals, directory };
}

/** A store whose sessions follow nobody, and which caches no bytes. */
function unfollowed(directory: string, opened: (journal: Journal) => void): Store {
  const store = sqliteStore({ directory, blobCacheBytes: 1 });
  const open = store.open.bind(store);
  store.open = async (id, how) => {
    const journal = await open(id, how);
    journal.watch = async function* () {};
    opened(journal);
    return journal;
  };
  return store;
}

/** Has something happen once, right before a method of the journal does its work. */
function before(
  journal: Journal | undefined,
  method: "records" | "source",
  meanwhile: () => Promise<unknown>,
): void {
  if (journal === undefined) throw new Error("no journal was opened");
  const original = journal[method].bind(journal) as (given: never) => Promise<never>;
  vi.spyOn(journal, method).mockImplementationOnce((async (given: never) => {
    await meanwhile();
    return original(given);
  }) as never);
}

const text = (letter: string): string => letter.repeat(10_000);

/** Writes a file anew and forgets everything before. */
async function overwriteAndPrune({ session, as }: Hosted, content: string): Promise<void> {
  await put(as("them"), "a.txt", content);
  await put(as("them"), "b.txt", `${content}!`);
  await session.prune({ before: (await session.log({ newestFirst: true, limit: 1 }))[0]?.seq ?? 0 });
}

test("[HIST-93] a process that is behind reads and writes what there is now", async () => {
  const { mine, theirs } = await two();
  await put(mine.as("ann"), "a.txt", text("a"));
  await overwriteAndPrune(theirs, text("b"));
  const read = await mine.as("ann").call("read_file", { path: "a.txt", limit: 1 });
  expect(read).toMatchObject({ ok: true, value: { content: expect.stringMatching(/^b/) as string } });
  await overwriteAndPrune(theirs, text("c"));
  expect(Buffer.from(await mine.session.workspace.read("a.txt")).toString()).toBe(text("c"));
  await overwriteAndPrune(theirs, text("d"));
  await put(mine.as("ann"), "c.txt", "mine");
  expect(await mine.session.workspace.read("c.txt")).toHaveLength(4);
  expect(mine.troubles).toEqual([]);
});

test("[HIST-93] a session that is opened while another process prunes opens at the present", async () => {
  const { theirs, directory } = await two();
  for (let i = 0; i < 5; i++) await put(theirs.as("them"), "a.txt", text(String(i)));
  const store = unfollowed(directory, (journal) =>
    before(journal, "records", () => overwriteAndPrune(theirs, text("z"))),
  );
  const { session, as } = await hosted({ id: "s", store });
  const read = await as("ann").call("read_file", { path: "a.txt", limit: 1 });
  expect(read).toMatchObject({ ok: true, value: { content: expect.stringMatching(/^z/) as string } });
  await session.close();
  await store.close();
});

test("[HIST-93] a large record that is pruned while its changes are read is pruned, not lost", async () => {
  const { mine, theirs } = await two({ limits: { packedBytes: 1_024 } });
  await mine.session.workspace.writeAll(
    Array.from({ length: 50 }, (_, i): [string, string] => [`f/${i}.txt`, String(i)]),
  );
  const journal = await mine.store.open("s");
  const [record] = await journal.records({ newestFirst: true, limit: 1 });
  before(journal, "source", () => overwriteAndPrune(theirs, text("z")));
  await expect(changesOf(journal, record as JournalRecord)).rejects.toMatchObject({
    reason: "snapshot_expired",
  });
  await journal.close();
});

test("[HIST-113] verify takes nothing for missing that another process rewrites and prunes while it looks", async () => {
  const { mine, theirs, journals } = await two();
  await put(mine.as("ann"), "a.txt", text("a"));
  await put(mine.as("ann"), "b.txt", text("b"));
  before(journals.at(-1), "source", () => overwriteAndPrune(theirs, text("c")));
  expect(await mine.session.verify({ blobs: true, states: true })).toMatchObject({ ok: true });
});

test("[HIST-93] a file that another process has rewritten and pruned is left alone by upkeep", async () => {
  const { mine, theirs, journals } = await two({ limits: { contentExtents: 4 } });
  await put(mine.as("ann"), "a.txt", text("a"));
  let pruned: Promise<void> | undefined;
  before(journals.at(-1), "source", () => (pruned ??= overwriteAndPrune(theirs, text("z"))));
  for (let i = 0; i < 8; i++) await put(mine.as("ann"), "a.txt", `${i}\n`, "append");
  await pruned;
  await mine.session.close();
  expect(mine.troubles).toEqual([]);
  expect(await theirs.session.verify({ blobs: true })).toMatchObject({ ok: true });
});

test("[HIST-90] [HIST-93] a state that another process has pruned is gone for this one too, though it has it in hand", async () => {
  const { mine, theirs } = await two();
  await put(mine.as("ann"), "a.txt", text("a"));
  const { seq } = mine.session.at;
  for (const name of ["b", "c", "d"]) await put(mine.as("ann"), "a.txt", text(name), "overwrite");
  await theirs.session.prune({ before: mine.session.at.seq });
  const expired = { reason: "snapshot_expired" };
  await expect(mine.session.diff({ from: seq })).rejects.toMatchObject(expired);
  await expect(mine.session.restore({ to: seq })).rejects.toMatchObject(expired);
  await mine.session.restore({ to: mine.session.at.seq - 1 });
  expect(await contents(mine.session)).toEqual({ "a.txt": text("c") });
});
