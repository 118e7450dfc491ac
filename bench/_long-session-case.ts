// Owns: the case of one session that is written to for very long: the last write costs what the first ones did, and opening it again
// does not read what was written.

import { join } from "node:path";
import { sqliteStore } from "../src/store/index.ts";
import { openSession, type Session, type Store } from "../src/tools/index.ts";
import { spread } from "./_statistics.ts";
import { defineCase, type AnyCase } from "./harness.ts";

const WRITES = 60_000;
/** The medians of so many writes are compared: the first ones, and the slowest run of as many after them. */
const WINDOW = 10_000;
const FILES = 100;
const SIZE = 1024;

export const LONG_SESSION_GOALS: readonly string[] = ["writes-60k", "writes-60k-reopen"];

interface Written {
  readonly dir: string;
  readonly slowest: number;
}

function openLong(store: Store): Promise<Session> {
  return openSession({ store, id: "s", limits: { callBurst: 1e6, callsPerMinute: 1e6 } });
}

/** Overwrites of a hundred files in turn. Returns how long each took, in milliseconds. */
async function writeLong(session: Session): Promise<number[]> {
  const agent = session.as({ id: "planner", role: "editor" });
  const times: number[] = [];
  for (let n = 0; n < WRITES; n++) {
    const content = `${n} `.repeat(SIZE).slice(0, SIZE);
    const begun = performance.now();
    const result = await agent.call("write_file", { path: `${n % FILES}.txt`, content, mode: "upsert" });
    times.push(performance.now() - begun);
    if (!result.ok) throw new Error(result.text);
  }
  return times;
}

export const LONG_SESSION_CASE: AnyCase = defineCase<Written>({
  name: "60,000 writes into one session",
  rounds: 7,
  warmups: 2,
  setup: async (context) => {
    const { dir } = context;
    context.log(`writing ${WRITES} times`);
    const store = sqliteStore({ directory: join(dir, "store") });
    const session = await openLong(store);
    const times = await writeLong(session);
    await session.close();
    await store.close();
    const medians: number[] = [];
    for (let from = 0; from < WRITES; from += WINDOW)
      medians.push(spread(times.slice(from, from + WINDOW)).median);
    const [first = 1, ...later] = medians;
    return { dir, slowest: Math.max(...later) / first };
  },
  ours: {
    name: "holdfast",
    start: ({ dir, slowest }) => {
      let store: Store | undefined;
      let session: Session | undefined;
      return {
        before: () => {
          store = sqliteStore({ directory: join(dir, "store") });
        },
        run: async () => {
          session = await openLong(store as Store);
          if (session.files().length !== FILES || session.at.seq < WRITES)
            throw new Error("not what was written");
        },
        after: async () => {
          await session?.close();
          await store?.close();
        },
        values: () => ({ "slowest ten thousand against the first": slowest }),
      };
    },
  },
});
