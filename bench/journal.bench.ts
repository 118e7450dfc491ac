// The journal: what a durable commit costs, on disk and in time, alone and among processes.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { sqliteStore, type Append, type Change, type Journal } from "../src/store/index.ts";
import { sqlDriver } from "../src/store/sqlite/_db.ts";
import { openSession } from "../src/tools/index.ts";
import { buildStore } from "../test/store/build.ts";
import { commitTogether, type CommitReport } from "../test/store/processes.ts";
import { hasStrace, trace } from "../test/store/trace.ts";
import { bareCommits } from "./_bare-commits.ts";
import { BLAME_CASES, BLAME_GOALS } from "./_blame-cases.ts";
import { HISTORY_CASES, HISTORY_GOALS } from "./_history-cases.ts";
import { LONG_SESSION_CASE, LONG_SESSION_GOALS } from "./_long-session-case.ts";
import { MANY_SESSIONS_CASE, MANY_SESSIONS_GOALS } from "./_many-sessions-case.ts";
import { spread } from "./_statistics.ts";
import { defineBench, defineCase, type AnyCase, type Started, type Subject } from "./harness.ts";

/** What a write_file of these bytes commits. */
async function commitFile(journal: Journal, path: string, bytes: Uint8Array): Promise<void> {
  const blob = await journal.stage(bytes);
  const content = { size: bytes.length, extents: [[blob, 0, bytes.length]] };
  const change: Change & { path: string; content: typeof content } = {
    slice: "files",
    op: "put",
    path,
    content,
  };
  const commit: Append = {
    expect: [],
    touch: [`file:${path}`],
    targets: [`file:${path}`],
    time: new Date(),
    request: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
    kind: "call",
    agent: "planner",
    role: "editor",
    encoding: 1,
    tool: "write_file",
    changes: [change],
    delta: { bytes: bytes.length, files: 0 },
    blobs: [blob],
    quota: { bytes: 1e12, files: 1e6 },
  };
  const answer = await journal.append(commit);
  if (!("at" in answer)) throw new Error(JSON.stringify(answer));
}

const SIZE = 10 * 1024;

/** Equal bytes would be skipped by a database: every write brings new ones. */
const newText = (): string => randomBytes((SIZE / 4) * 3).toString("base64");

const WRITE_WARMUPS = 10;
const WRITES_A_ROUND = 200;

interface Writer extends Pick<Started, "values" | "stop"> {
  /** Replaces the text of file `n`, durably. */
  write(n: number, text: string): unknown;
}

/**
 * Rounds of writes to a hundred files in turn, each with a text that was made before the round. Also times every write by
 * itself. The goal is about the median write: in the mean of a round there is what a disk, or whoever shares the machine,
 * does once in a while to anybody.
 */
function writing(writer: Writer): Started {
  const times: number[] = [];
  let texts: string[] = [];
  let n = 0;
  return {
    ...writer,
    before: () => {
      texts = Array.from({ length: WRITES_A_ROUND }, newText);
    },
    run: async () => {
      const text = texts.pop() ?? newText();
      const begun = performance.now();
      await writer.write(n++ % 100, text);
      times.push(performance.now() - begun);
    },
    values: async () => ({
      ...(await writer.values?.()),
      "median write, ms": spread(times.slice(WRITE_WARMUPS * WRITES_A_ROUND)).median,
    }),
  };
}

/** The floor of a store that never makes its caller's thread wait for a disk. */
const bareThread: Subject<{ readonly dir: string }> = {
  name: "the same in a thread",
  start: async ({ dir }) => {
    const thread = new Worker(new URL("./_bare-commit-thread.js", import.meta.url), {
      workerData: join(dir, "in-thread.db"),
    });
    await once(thread, "message");
    return writing({
      write: async (n, text) => {
        thread.postMessage([`${n}.txt`, new TextEncoder().encode(text)]);
        await once(thread, "message");
      },
      stop: async () => {
        await thread.terminate();
      },
    });
  },
};

const write = defineCase({
  name: "write 10 KB without work directory",
  rounds: 15,
  // Everybody as in a process that has been at work for a while: 2,000 writes come first.
  warmups: WRITE_WARMUPS,
  repeat: WRITES_A_ROUND,
  // A process for each: nobody's garbage is collected on another's clock.
  isolate: true,
  setup: ({ dir }) => ({ dir }),
  bytes: () => SIZE,
  ours: {
    name: "holdfast",
    missing: () => (hasStrace ? undefined : "strace is not installed"),
    start: async ({ dir }) => {
      const store = sqliteStore({ directory: join(dir, "store") });
      const session = await openSession({ store, id: "s", limits: { callBurst: 1e6, callsPerMinute: 1e6 } });
      const agent = session.as({ id: "planner", role: "editor" });
      const write = async (
        n: number,
        content: string,
        mode: "create" | "append" | "overwrite",
      ): Promise<void> => {
        const result = await agent.call("write_file", { path: `${n}.txt`, content, mode });
        if (!result.ok) throw new Error(result.text);
      };
      for (let i = 0; i < 100; i++) await write(i, "", "create");
      return writing({
        write: (n, text) => write(n, text, "overwrite"),
        values: () => {
          const build = buildStore();
          try {
            mkdirSync(join(dir, "traced"));
            const { calls } = trace(
              build.child("syncs"),
              [join(dir, "traced/store")],
              join(dir, "traced/log"),
            );
            const syncs = calls.filter(({ phase, name }) => phase === "appends" && /sync/.test(name));
            return { "fsyncs per write": syncs.length / 20 };
          } finally {
            build.remove();
          }
        },
        stop: async () => {
          await session.close();
          await store.close();
        },
      });
    },
  },
  peers: [
    {
      name: "agentfs-sdk",
      start: async ({ dir }) => {
        const { AgentFS } = await import("agentfs-sdk");
        const agent = await AgentFS.open({ path: join(dir, "agentfs.db") });
        for (let i = 0; i < 100; i++) await agent.fs.writeFile(`/${i}.txt`, Buffer.alloc(1));
        return writing({
          write: (n, text) => agent.fs.writeFile(`/${n}.txt`, text),
          stop: () => agent.close(),
        });
      },
    },
    {
      // The floor: what one durable commit of these bytes costs in the same SQLite, without anything around it.
      name: "bare SQLite commit",
      start: ({ dir }) => {
        const bare = bareCommits(join(dir, "bare.db"));
        return writing({
          write: (n, text) => bare.write(`${n}.txt`, new TextEncoder().encode(text)),
          stop: () => bare.close(),
        });
      },
    },
    bareThread,
    {
      name: "temp + fsync + rename",
      start: ({ dir }) => {
        mkdirSync(join(dir, "plain"));
        return writing({
          write: async (n, text) => {
            const path = join(dir, "plain", `${n}.txt`);
            const file = await open(`${path}.tmp`, "w");
            await file.writeFile(text);
            await file.sync();
            await file.close();
            await rename(`${path}.tmp`, path);
          },
        });
      },
    },
  ],
});

const appends = defineCase({
  name: "1,000 appends of 1 KB",
  rounds: 3,
  warmups: 0,
  setup: ({ dir }) => ({ dir }),
  bytes: () => 1000 * 1024,
  ours: {
    name: "holdfast",
    start: ({ dir }) => {
      const store = sqliteStore({ directory: join(dir, "store") });
      let round = 0;
      let journal: Journal | undefined;
      return {
        before: async () => {
          await journal?.close();
          journal = await store.open(`s${++round}`, { create: true });
        },
        run: async () => {
          for (let i = 0; i < 1000; i++)
            await commitFile(journal as Journal, "/workspace/log.txt", randomBytes(1024));
        },
        values: async () => {
          await journal?.close();
          return {
            "bytes on disk per byte of text": sizeOf(join(dir, `store/sessions/s${round}`)) / (1000 * 1024),
          };
        },
        stop: () => store.close(),
      };
    },
  },
});

function sizeOf(directory: string): number {
  let size = 0;
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const { blocks } = statSync(join(directory, name));
    size += blocks * 512;
  }
  return size;
}

const COMMITS = 200;

const processes = (count: number): AnyCase =>
  defineCase({
    name: `${count} processes`,
    rounds: 1,
    warmups: 0,
    setup: ({ dir }) => ({ dir }),
    ours: {
      name: "holdfast",
      start: ({ dir }) => {
        const directory = join(dir, "store");
        const build = buildStore();
        let reports: CommitReport[] = [];
        return {
          run: async () => {
            reports = await commitTogether(build.child("commits"), directory, count, COMMITS, 2);
          },
          values: async () => {
            const store = sqliteStore({ directory });
            const journal = await store.open("s");
            const { seq } = await journal.head();
            await store.close();
            return {
              "commit p99": Math.max(...reports.map(({ p99 }) => p99)),
              "commit max": Math.max(...reports.map(({ max }) => max)),
              "commits lost": count * COMMITS - seq,
              "event loop used": Math.max(...reports.map(({ used }) => used)),
            };
          },
          stop: () => build.remove(),
        };
      },
    },
  });

export default defineBench({
  name: "journal",
  title: `durable commits with ${sqlDriver().name}, several processes that make them, and history`,
  goals: [
    "write-plain",
    "write-fsync",
    "call-append-disk",
    "processes-2-p99",
    "processes-2-max",
    "processes-2-lost",
    "processes-8-p99",
    "processes-8-max",
    "processes-8-lost",
    ...MANY_SESSIONS_GOALS,
    ...LONG_SESSION_GOALS,
    ...HISTORY_GOALS,
    ...BLAME_GOALS,
  ],
  cases: [
    write,
    appends,
    processes(2),
    processes(8),
    MANY_SESSIONS_CASE,
    LONG_SESSION_CASE,
    ...HISTORY_CASES,
    ...BLAME_CASES,
  ],
});
