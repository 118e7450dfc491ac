// A process whose system calls are counted. Each phase begins with a look at a file that is not there, named after it.
// Arguments: store directory.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore, type Append } from "../../../src/store/index.ts";
import { Db } from "../../../src/store/sqlite/_db.ts";

const [directory = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const journal = await store.open("s", { create: true });
let n = 0;

const phase = (name: string): void => void existsSync(`/no/such/place/${name}`);

const rest = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function append(size: number): Promise<void> {
  const bytes = Buffer.alloc(size, `${n} `);
  const blob = await journal.stage(bytes);
  const commit: Append = {
    expect: [],
    touch: [`file:/${n}`, "dir:/"],
    targets: [`file:/${n}`],
    time: new Date(),
    request: `request ${n}`,
    kind: "call",
    agent: "planner",
    role: "editor",
    encoding: 1,
    once: `${n++}`,
    changes: [{ slice: "files", op: "put" }],
    delta: { bytes: size, files: 1 },
    blobs: [blob],
    quota: { bytes: 1e12, files: 1e9 },
  };
  const answer = await journal.append(commit);
  if (!("at" in answer)) throw new Error(JSON.stringify(answer));
}

await append(10_240);
await rest(400);
phase("rested");
await append(10_240);
phase("appends");
for (let i = 0; i < 20; i++) await append(10_240);
// They wait together because the lock is held until all have arrived, not because the writer happens to be slow.
const lock = new Db(join(directory, "sessions", "s", "journal.db"));
lock.exec("BEGIN IMMEDIATE");
phase("together");
const waiting = Promise.all(Array.from({ length: 32 }, () => append(1024)));
await rest(1_000);
lock.rollback();
await waiting;
lock.close();
phase("files");
for (let i = 0; i < 5; i++) await append(300_000);
phase("reads");
const head = await journal.head();
await journal.records({ limit: 100 });
await journal.last(["dir:/"]);
await journal.replayOf("planner", "1");
await journal.verify({ blobs: true });
phase("rows");
for (let rev = 0; rev < 5; rev++) await journal.rows.set("applied", rev, { rev });
phase("light");
for (let rev = 0; rev < 5; rev++) await journal.views.save("planner", rev, new Uint8Array(100));
const lease = await journal.lease("work", 1000);
await lease?.renew(1000);
await lease?.release();
phase("end");
await store.close();
process.stdout.write(`${head.seq}\n`);
