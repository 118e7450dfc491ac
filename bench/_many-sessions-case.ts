// Owns: the case of a process that holds a thousand sessions open: each costs as little as the first ones, and none while it rests.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteStore } from "../src/store/index.ts";
import { openSession, type Session } from "../src/tools/index.ts";
import { collectGarbage } from "./_contest.ts";
import { spread } from "./_statistics.ts";
import { defineCase, type AnyCase } from "./harness.ts";

const SESSIONS = 1000;
const FIRST = 10;
/** Times are compared by the medians of so many sessions, one after another. */
const WINDOW = 100;
const TEXT = "x".repeat(10 * 1024);
/** By then every session rests; then the process is watched. */
const SETTLE_MS = 10_000;
const IDLE_MS = 10_000;

export const MANY_SESSIONS_GOALS: readonly string[] = [
  "sessions-1000-open",
  "sessions-1000-idle",
  "sessions-1000-memory",
  "sessions-1000-descriptors",
];

/** Descriptors of this process; 0 where the system does not say. */
function descriptors(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}

export const MANY_SESSIONS_CASE: AnyCase = defineCase({
  name: "1,000 open sessions",
  rounds: 1,
  warmups: 0,
  isolate: true,
  setup: ({ dir }) => ({ dir }),
  ours: {
    name: "holdfast",
    start: ({ dir }) => {
      const store = sqliteStore({ directory: join(dir, "store") });
      const sessions: Session[] = [];
      const times: number[] = [];
      let before = 0;
      let most = 0;
      const openOne = async (n: number): Promise<void> => {
        const begun = performance.now();
        const session = await openSession({ store, id: `s${n}` });
        const agent = session.as({ id: "planner", role: "editor" });
        const result = await agent.call("write_file", { path: "a.txt", content: TEXT });
        if (!result.ok) throw new Error(result.text);
        times.push(performance.now() - begun);
        sessions.push(session);
        most = Math.max(most, descriptors());
      };
      return {
        run: async () => {
          for (let n = 0; n < SESSIONS; n++) {
            await openOne(n);
            if (n + 1 !== FIRST) continue;
            collectGarbage();
            before = process.memoryUsage.rss();
          }
        },
        values: async () => {
          const first = spread(times.slice(0, FIRST)).median;
          const windows: number[] = [];
          for (let from = FIRST; from < SESSIONS; from += WINDOW)
            windows.push(spread(times.slice(from, from + WINDOW)).median);
          collectGarbage();
          const memory = (process.memoryUsage.rss() - before) / (SESSIONS - FIRST);
          await sleep(SETTLE_MS);
          const begun = performance.now();
          const used = process.cpuUsage();
          await sleep(IDLE_MS);
          const { user, system } = process.cpuUsage(used);
          return {
            "slowest hundred against the first ten": Math.max(...windows) / first,
            "idle CPU, % of a core": (user + system) / 10 / (performance.now() - begun),
            "resident bytes each": memory,
            "most descriptors": most,
          };
        },
        stop: async () => {
          for (const session of sessions) await session.close();
          await store.close();
        },
      };
    },
  },
});
