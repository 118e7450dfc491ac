import { expect, test } from "vitest";
import { changesOf, packChanges } from "../../src/session/packed-changes.ts";
import type { Change, Journal } from "../../src/store/journal.ts";
import { memoryStore } from "../../src/store/memory.ts";

const recordOf = (changes: readonly Change[]) => ({ seq: 1, changes, encoding: 2 });

test("[HIST-4] changes in a blob that are asked for again and again are read once", async () => {
  const store = memoryStore();
  const journal = await store.open("s", { create: true });
  let reads = 0;
  const counted: Journal = Object.assign(Object.create(journal) as Journal, {
    source: (...args: Parameters<Journal["source"]>) => {
      reads++;
      return journal.source(...args);
    },
  });
  const changes = Array.from({ length: 50 }, (_, n) => ({ slice: "test", op: "note", n }) as Change);
  const other = changes.map((change) => ({ ...change, op: "other" }));
  const [one, two] = [await packChanges(journal, changes, 10), await packChanges(journal, other, 10)];
  for (let n = 0; n < 20; n++) expect(await changesOf(counted, recordOf(one.changes))).toEqual(changes);
  expect(reads).toBe(1);
  expect(await changesOf(counted, recordOf(two.changes))).toEqual(other);
  expect(await changesOf(counted, recordOf(one.changes))).toEqual(changes);
  expect(reads).toBe(2);
  await store.close();
});
