// Owns: the SQLite libraries that are there on this machine, and processes that use a given one.

import { createRequire, isBuiltin } from "node:module";
import { SQL_DRIVERS, type SqlDriverName } from "../../src/store/sqlite/_driver.ts";

/** Never empty: without any, no test of a store on disk can run. */
export const DRIVERS: readonly SqlDriverName[] = SQL_DRIVERS.filter((name) => {
  if (name === "node:sqlite") return isBuiltin(name);
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
});

/** The environment of a child that uses this library. A process uses one only. */
export function environmentFor(driver: SqlDriverName): NodeJS.ProcessEnv {
  return { ...process.env, HOLDFAST_SQLITE: driver };
}
