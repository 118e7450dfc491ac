import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { childProgram } from "../children.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { killCycles } from "./kill.ts";
import { scratch } from "./scratch.ts";

const long = process.env["HOLDFAST_LONG"] === "1";
const CYCLES = long ? 10_000 : 15;
/** A session keeps all that was ever written to it, some gigabytes in as many cycles; then the next one begins. */
const CYCLES_A_SESSION = 500;

test(
  `[JRN-112] ${CYCLES} times SIGKILL under load: nothing acknowledged is lost, nothing is kept by halves, a retry is kept once`,
  { timeout: long ? 8 * 60 * 60 * 1000 : 5 * 60 * 1000 },
  async () => {
    const sum = { kills: 0, commits: 0, acknowledged: 0, interrupted: 0, wrong: [] as string[] };
    while (sum.kills < CYCLES && sum.wrong.length === 0) {
      const directory = scratch("memory");
      const store = sqliteStore({ directory });
      const cycles = Math.min(CYCLES_A_SESSION, CYCLES - sum.kills);
      const report = await killCycles(store, directory, childProgram("store", "crash"), cycles);
      await store.close();
      rmSync(directory, { recursive: true });
      sum.kills += report.kills;
      sum.commits += report.commits;
      sum.acknowledged += report.acknowledged;
      sum.interrupted += report.interrupted;
      sum.wrong.push(...report.wrong);
      console.log(JSON.stringify({ ...sum, wrong: sum.wrong.length }));
    }
    expect(sum.wrong.slice(0, 20)).toEqual([]);
    expect(sum.kills).toBeGreaterThanOrEqual(CYCLES);
    expect(sum.commits).toBeGreaterThan(CYCLES);
  },
);
