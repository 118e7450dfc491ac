// A process that commits as often as its input has bytes, until it is killed, and writes to a file what it asks for and what was
// acknowledged. Arguments: store directory, session id, agent, first number, the file. The first number is asked again, with its key,
// if it was asked before: its outcome is not known.

import { openSync, writeSync } from "node:fs";
import { sqliteStore, type Change } from "../../../src/store/index.ts";
import { bodyOf } from "./crash-body.ts";

const [directory = "", id = "", agent = "", first = "0", file = ""] = process.argv.slice(2);
/** Commits that it may still make, and who waits for one. */
let allowed = 0;
const waiting: (() => void)[] = [];
process.stdin.on("data", (told: Buffer) => {
  allowed += told.length;
  for (const go of waiting.splice(0)) go();
});
// Never outlives the test that started it.
process.stdin.on("close", () => process.exit());
const heard = openSync(file, "a");
const store = sqliteStore({ directory });
const journal = await store.open(id, { create: true });
const AT_ONCE = 2;
let next = Number(first);
/** Never the same twice: an agent's processes follow one another. */
let nextPlain = Math.round(performance.timeOrigin) * 1000;

/** Commits number `n` with these bytes, and says `word` when it is acknowledged. */
async function commit(
  word: string,
  n: number,
  bodies: readonly Uint8Array[],
  how: { readonly once: string } | { readonly plain: true },
): Promise<void> {
  const blobs: string[] = [];
  for (const body of bodies) blobs.push(await journal.stage(body));
  const isPlain = "plain" in how;
  const change: Change & { n: number; blobs: string[]; plain?: true } = {
    slice: "crash",
    op: "put",
    n,
    blobs,
    ...(isPlain ? how : {}),
  };
  const answer = await journal.append({
    expect: [],
    touch: [`file:/${agent}/${n}`, `dir:/${agent}`],
    targets: [`file:/${agent}/${n}`],
    time: new Date(),
    request: `request ${n}`,
    kind: "call",
    agent,
    role: "editor",
    encoding: 1,
    changes: [change],
    ...(isPlain ? {} : { ...how, result: { n } }),
    delta: { bytes: bodies.reduce((sum, body) => sum + body.length, 0), files: 1 },
    blobs,
    quota: { bytes: 1e12, files: 1e9 },
  });
  if (!("at" in answer)) throw new Error(JSON.stringify(answer));
  writeSync(heard, `${word} ${n} ${answer.at.seq} ${answer.at.hash}\n`);
}

async function permission(): Promise<void> {
  while (allowed === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  allowed--;
}

/** Sets this agent's row again and again, and says each revision that was acknowledged. */
async function setRows(): Promise<void> {
  for (let rev = (await journal.rows.get(agent))?.rev ?? 0; ;) {
    await permission();
    const answer = await journal.rows.set(agent, rev, { rev: rev + 1 });
    if (!("rev" in answer)) throw new Error(JSON.stringify(answer));
    rev = answer.rev;
    writeSync(heard, `row ${rev}\n`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
  }
}

async function lane(): Promise<void> {
  for (;;) {
    await permission();
    const n = next++;
    // Written at once: it outlives this process.
    writeSync(heard, `ask ${n}\n`);
    await commit("ok", n, bodyOf(agent, n), { once: `${n}` });
    if (n % 4 === 0) {
      // Without a key, so never asked for again.
      const number = nextPlain++;
      await commit("plain", number, [bodyOf(agent, number)[0]], { plain: true });
    }
    // Some are made together with others', some alone.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
  }
}

await Promise.all([setRows(), ...Array.from({ length: AT_ONCE }, lane)]);
