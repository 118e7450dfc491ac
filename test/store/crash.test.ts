import { afterAll, expect, test } from "vitest";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { buildStore } from "./build.ts";
import { killCycles } from "./kill.ts";
import { scratch } from "./scratch.ts";

const long = process.env["HOLDFAST_LONG"] === "1";
const CYCLES = long ? 10_000 : 200;

const build = buildStore();
afterAll(() => build.remove());

test(
  `[JRN-112] ${CYCLES} times SIGKILL under load: nothing acknowledged is lost, nothing is kept by halves, a retry is kept once`,
  { timeout: long ? 8 * 60 * 60 * 1000 : 5 * 60 * 1000 },
  async () => {
    const directory = scratch("memory");
    const store = sqliteStore({ directory });
    const report = await killCycles(store, directory, build.child("crash"), CYCLES);
    await store.close();
    console.log(JSON.stringify({ ...report, wrong: report.wrong.length }));
    expect(report.wrong.slice(0, 20)).toEqual([]);
    expect(report.kills).toBeGreaterThanOrEqual(CYCLES);
    expect(report.commits).toBeGreaterThan(CYCLES);
  },
);
