import { join } from "node:path";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { journalContract } from "./journal-contract.ts";
import { scratch } from "./scratch.ts";

// What holds here holds on any file system; in memory it is quicker to see.
const root = scratch("memory");

let stores = 0;
journalContract({
  name: "sqlite",
  make: async (options) => sqliteStore({ directory: join(root, String(++stores)), ...options }),
});
journalContract({
  name: "sqlite with one open session at a time",
  make: async (options) =>
    sqliteStore({ directory: join(root, String(++stores)), openJournals: 1, blobCacheBytes: 0, ...options }),
});
