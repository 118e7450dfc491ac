// A process on a disk that fails: commits one after another, sends a failed one again with its key, and says how each ended.
// Arguments: store directory, how many commits, how often one is sent at most.

import { sqliteStore, type Append, type Change } from "../../../src/store/index.ts";

const [directory = "", count = "0", tries = "1"] = process.argv.slice(2);
const store = sqliteStore({ directory });
const journal = await store.open("s");

for (let n = 0; n < Number(count); n++)
  for (let attempt = 0; attempt < Number(tries); attempt++) {
    try {
      const body = Buffer.alloc(n % 3 === 2 ? 300_000 : 3000, `${n} `);
      const blob = await journal.stage(body);
      const change: Change & { n: number; blob: string; size: number } = {
        slice: "sick",
        op: "put",
        n,
        blob,
        size: body.length,
      };
      const commit: Append = {
        expect: [],
        touch: [`file:/${n}`],
        targets: [],
        time: new Date(),
        request: `${n}`,
        kind: "call",
        agent: "sick",
        role: "editor",
        encoding: 1,
        once: `${n}`,
        changes: [change],
        delta: { bytes: body.length, files: 1 },
        blobs: [blob],
        quota: { bytes: 1e12, files: 1e9 },
      };
      const answer = await journal.append(commit);
      process.stdout.write(`${"at" in answer ? "ok" : JSON.stringify(answer)} ${n}\n`);
      break;
    } catch (error) {
      const { code, reason } = error as { code?: string; reason?: string };
      process.stdout.write(`failed ${n} ${String(code)}/${String(reason)}\n`);
      if (reason === undefined) throw error;
    }
  }
await store.close().catch(() => {});
