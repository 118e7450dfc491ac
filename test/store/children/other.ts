// A second process on a session, doing one thing per line that it is sent. Arguments: store directory.

import { createInterface } from "node:readline";
import { sqliteStore, type Lease } from "../../../src/store/index.ts";

const [directory = ""] = process.argv.slice(2);
const store = sqliteStore({ directory });
const journal = await store.open("s");
let lease: Lease | undefined;

async function obey(order: string): Promise<string> {
  switch (order) {
    case "head":
      return JSON.stringify(await journal.head());
    case "append": {
      const answer = await journal.append({
        expect: [],
        touch: ["file:/b"],
        targets: [],
        time: new Date(),
        request: "r",
        kind: "call",
        agent: "other",
        role: "editor",
        encoding: 1,
        changes: [],
        delta: { bytes: 0, files: 0 },
        blobs: [],
        quota: { bytes: 1e9, files: 1e9 },
      });
      return JSON.stringify("at" in answer ? answer.at : answer);
    }
    case "lease":
      lease = await journal.lease("work", 60_000);
      return String(lease !== undefined);
    case "release":
      await lease?.release();
      return "done";
    case "watch":
      for await (const at of journal.watch((await journal.head()).seq, new AbortController().signal))
        return JSON.stringify(at);
      return "ended";
    case "remove":
      await store.remove("s");
      return "done";
    default:
      return "what?";
  }
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${await obey(line)}\n`);
await store.close();
