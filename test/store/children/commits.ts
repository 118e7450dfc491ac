// A process that makes commits on one session, half of them pinned to a counter that all processes share, and reports how it went.
// Arguments: store directory, session id, agent, number of commits, every how many is pinned (0: none).

import { sqliteStore, type Append, type Change } from "../../../src/store/index.ts";
import { watchHeld } from "./held.ts";

const [directory = "", id = "", agent = "", count = "0", every = "0"] = process.argv.slice(2);
const SHARED = "count:shared";

const store = sqliteStore({ directory });
const journal = await store.open(id, { create: true });
const bytes = new Uint8Array(1024);
const times: number[] = [];
let conflicts = 0;

const base = (n: number): Append => ({
  expect: [],
  touch: [`file:/${agent}/${n % 20}`],
  targets: [`file:/${agent}/${n % 20}`],
  time: new Date(),
  request: `request ${n}`,
  kind: "call",
  agent,
  role: "editor",
  encoding: 1,
  tool: "write_file",
  once: `${n}`,
  changes: [],
  delta: { bytes: 1, files: 0 },
  blobs: [],
  quota: { bytes: 1e12, files: 1e6 },
});

async function pinned(n: number): Promise<Append> {
  const [last] = await journal.records({ key: SHARED, newestFirst: true, limit: 1 });
  const value = ((last?.changes?.[0] as { value?: number } | undefined)?.value ?? 0) + 1;
  const change: Change & { value: number } = { slice: "count", op: "set", value };
  return {
    ...base(n),
    expect: [{ key: SHARED, seq: last?.seq ?? 0, pinned: true }],
    touch: [SHARED],
    changes: [change],
  };
}

// Everybody starts together.
process.stdout.write("ready\n");
await new Promise<void>((resolve) => process.stdin.once("data", () => resolve()));
process.stdin.on("close", () => process.exit(1)).unref();

const held = watchHeld();
for (let n = 0; n < Number(count); n++) {
  const isPinned = every !== "0" && n % Number(every) === 0;
  for (;;) {
    new DataView(bytes.buffer).setUint32(0, n);
    bytes[5] = agent.charCodeAt(0);
    const blob = await journal.stage(bytes);
    const commit = isPinned ? await pinned(n) : base(n);
    const start = performance.now();
    const answer = await journal.append({ ...commit, blobs: [blob] });
    times.push(performance.now() - start);
    if ("at" in answer) break;
    if (!("moved" in answer)) throw new Error(JSON.stringify(answer));
    conflicts++;
    // What a session does when a caller's key moved: read again, after a moment.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  }
}
const most = await held();
await store.close();
times.sort((a, b) => a - b);
const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
process.stdout.write(
  `${JSON.stringify({ agent, conflicts, p50: at(0.5), p99: at(0.99), max: at(1), ...most })}\n`,
);
