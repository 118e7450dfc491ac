// A process that commits until it is killed, and writes to a file what it asks for and what was acknowledged.
// Arguments: store directory, session id, agent, first number, the file. The first number is asked again, with its key, if it was
// asked before: its outcome is not known.

import { openSync, writeSync } from "node:fs";
import { sqliteStore, type Change } from "../../../src/store/index.ts";
import { bodyOf } from "./crash-body.ts";

const [directory = "", id = "", agent = "", first = "0", file = ""] = process.argv.slice(2);
// Never outlives the test that started it.
process.stdin.resume().on("close", () => process.exit());
const heard = openSync(file, "a");
const store = sqliteStore({ directory });
const journal = await store.open(id, { create: true });
const AT_ONCE = 2;
let next = Number(first);
/** Never the same twice: an agent's processes follow one another. */
let nextPlain = Math.round(performance.timeOrigin) * 1000;

async function lane(): Promise<void> {
  for (;;) {
    const n = next++;
    // Written at once: it outlives this process.
    writeSync(heard, `ask ${n}\n`);
    const [small, second] = bodyOf(agent, n);
    const blobs = [await journal.stage(small), await journal.stage(second)];
    const changes: (Change & { n: number; blobs: string[]; sizes: number[] })[] = [
      { slice: "crash", op: "put", n, blobs, sizes: [small.length, second.length] },
    ];
    const answer = await journal.append({
      expect: [],
      touch: [`file:/${agent}/${n}`, `dir:/${agent}`],
      targets: [`file:/${agent}/${n}`],
      time: new Date(),
      request: `request ${n}`,
      kind: "call",
      agent,
      role: "editor",
      once: `${n}`,
      changes,
      result: { n },
      delta: { bytes: small.length + second.length, files: 1 },
      blobs,
      quota: { bytes: 1e12, files: 1e9 },
    });
    if (!("at" in answer)) throw new Error(JSON.stringify(answer));
    writeSync(heard, `ok ${n} ${answer.at.seq} ${answer.at.hash}\n`);
    if (n % 4 === 0) await plain();
    // Enough load that a kill always hits something; not so much that checking it takes all day.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
  }
}

/** A commit without a key, which nobody asks for again: one row that is a transaction by itself. */
async function plain(): Promise<void> {
  const n = nextPlain++;
  const [small] = bodyOf(agent, n);
  const blobs = [await journal.stage(small)];
  const changes: (Change & { n: number; blobs: string[]; plain: true })[] = [
    { slice: "crash", op: "put", n, blobs, plain: true },
  ];
  const answer = await journal.append({
    expect: [],
    touch: [`file:/${agent}/${n}`, `dir:/${agent}`],
    targets: [`file:/${agent}/${n}`],
    time: new Date(),
    request: `request ${n}`,
    kind: "call",
    agent,
    role: "editor",
    changes,
    delta: { bytes: small.length, files: 1 },
    blobs,
    quota: { bytes: 1e12, files: 1e9 },
  });
  if (!("at" in answer)) throw new Error(JSON.stringify(answer));
  writeSync(heard, `plain ${n} ${answer.at.seq} ${answer.at.hash}\n`);
}

await Promise.all(Array.from({ length: AT_ONCE }, lane));
