// Owns: the contract of a journal on SQLite, with the library that a test file names: a process uses one only.

import { join } from "node:path";
import { describe, test } from "vitest";
import type { SqlDriverName } from "../../src/store/sqlite/_driver.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { DRIVERS } from "./drivers.ts";
import { journalContract } from "./journal-contract.ts";
import { scratch } from "./scratch.ts";

export function sqliteContract(driver: SqlDriverName): void {
  if (!DRIVERS.includes(driver)) {
    describe(driver, () => {
      test.skip("is not there in this Node", () => {});
    });
    return;
  }
  process.env["HOLDFAST_SQLITE"] = driver;
  // What holds here holds on any file system; in memory it is quicker to see.
  const root = scratch("memory");
  let stores = 0;
  journalContract({
    name: driver,
    make: async (options) => sqliteStore({ directory: join(root, String(++stores)), ...options }),
  });
  journalContract({
    name: `${driver} with one open session at a time`,
    make: async (options) =>
      sqliteStore({
        directory: join(root, String(++stores)),
        openJournals: 1,
        blobCacheBytes: 0,
        ...options,
      }),
  });
}
