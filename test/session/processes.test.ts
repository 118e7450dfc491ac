import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { childProgram } from "../children.ts";
import type { Held } from "../store/children/held.ts";
import { heldInWords, startControl } from "../store/processes.ts";
import { scratch } from "../store/scratch.ts";
import { contents, hosted, put } from "./host-session.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const PROCESSES = 8;
const COMMITS = LONG ? 1_000 : 9;
/** Appends to one file, by all processes together. */
const TOTAL = LONG ? 400 : 120;
const SCRIPT = childProgram("session", "counters");
const APPENDS = childProgram("session", "appends");
const CONTROL = childProgram("store", "control");

interface Tally extends Held {
  readonly shared: number;
  readonly pinned: number;
  readonly own: number;
  readonly reasons: Record<string, number>;
}

test("[HIST-121] eight processes lose nothing and count exactly", { timeout: 1_800_000 }, async () => {
  const directory = join(scratch(), "store");
  const store = sqliteStore({ directory });
  const { session, as, troubles } = await hosted({ id: "s", store });
  await put(as("keeper"), "shared", "0");
  await put(as("keeper"), "pinned", "0");
  const control = startControl([CONTROL]);
  const children = Array.from({ length: PROCESSES }, (_, i) => {
    const child = spawn(process.execPath, [SCRIPT, directory, "s", `agent-${i}`, String(COMMITS)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  for (const { lines } of children) expect((await lines.next()).value).toBe("ready");
  for (const { child } of children) child.stdin.write("go\n");
  const tallies: Tally[] = [];
  for (const { lines } of children) tallies.push(JSON.parse(String((await lines.next()).value)) as Tally);
  const total = (of: "shared" | "pinned" | "own"): number =>
    tallies.reduce((sum, tally) => sum + tally[of], 0);

  const [newest] = await session.log({ newestFirst: true, limit: 1 });
  await session.diff({ to: newest?.seq ?? 0, from: newest?.seq ?? 0 });
  const all = await contents(session);
  expect(total("shared") + total("pinned") + total("own")).toBe(PROCESSES * COMMITS);
  expect([all["shared"], all["pinned"]]).toEqual([String(total("shared")), String(total("pinned"))]);
  for (let i = 0; i < PROCESSES; i++) {
    const lines = (all[`own/agent-${i}`] ?? "").trimEnd().split("\n").map(Number);
    expect(lines).toEqual(Array.from({ length: COMMITS }, (_, n) => n).filter((n) => n % 3 === 2));
  }
  const calls = (await session.log({ limit: 1_000_000 })).filter(({ kind }) => kind === "call");
  expect(calls).toHaveLength(2 + PROCESSES * COMMITS);
  expect(await session.verify({ states: true, blobs: true })).toMatchObject({ ok: true });
  await session.close();
  await store.close();
  expect(troubles).toEqual([]);
  console.log(heldInWords(tallies, await control()), JSON.stringify(tallies.map(({ reasons }) => reasons)));
});

test.each([2, 4])(
  "[CALL-62] %i processes that append to one file without pins: every call is written",
  { timeout: 600_000 },
  async (processes) => {
    const directory = join(scratch(), "store");
    const store = sqliteStore({ directory });
    const { session, as } = await hosted({ id: "s", store });
    await put(as("keeper"), "log.txt", "");
    const calls = TOTAL / processes;
    const children = Array.from({ length: processes }, (_, i) => {
      const child = spawn(process.execPath, [APPENDS, directory, "s", `agent-${i}`, String(calls)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
    for (const { lines } of children) expect((await lines.next()).value).toBe("ready");
    for (const { child } of children) child.stdin.write("go\n");
    for (const { lines } of children) expect(JSON.parse(String((await lines.next()).value))).toEqual({});
    // Naming the newest record makes this process take in what the others wrote.
    const [newest] = await session.log({ newestFirst: true, limit: 1 });
    await session.diff({ to: newest?.seq ?? 0, from: newest?.seq ?? 0 });
    const log = ((await contents(session))["log.txt"] ?? "").trimEnd().split("\n");
    expect(log).toHaveLength(TOTAL);
    for (let i = 0; i < processes; i++)
      expect(log.filter((line) => line.startsWith(`agent-${i} `))).toEqual(
        Array.from({ length: calls }, (_, n) => `agent-${i} ${n}`),
      );
    await session.close();
    await store.close();
  },
);
