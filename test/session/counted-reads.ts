// Owns: how many records are read from a store.

import { vi } from "vitest";
import { memoryStore, type Store } from "../../src/store/index.ts";
import type { Journal, RecordQuery } from "../../src/store/journal.ts";

/** A store that counts how many records its journals have read. */
export function counted(): { store: Store; reads: () => number } {
  const store = memoryStore();
  let reads = 0;
  const open = store.open.bind(store);
  vi.spyOn(store, "open").mockImplementation(async (...how) => {
    const journal: Journal = await open(...how);
    const records = journal.records.bind(journal);
    journal.records = async (query: RecordQuery) => {
      const found = await records(query);
      reads += found.length;
      return found;
    };
    return journal;
  });
  return { store, reads: () => reads };
}
