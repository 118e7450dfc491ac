// A process that uses a session whose files have flipped bits, over and over, and says what came of it. Whatever is stored, it must
// not end before it has said so. Arguments: directory, seed, rounds of random flips.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../../src/errors.ts";
import { sqliteStore, type Journal, type Position } from "../../../src/store/index.ts";

const [directory = "", seed = "1", rounds = "0"] = process.argv.slice(2);
const FILES = ["sessions/s/journal.db", "sessions/s/audit.db"];
/** The store as it was made; every round has a copy of its own. */
const made = join(directory, "made");
/** Text of every column that holds some. */
const NEEDLES = [
  "genesis",
  "nightly",
  "planner",
  "editor",
  "write_file",
  "request",
  "file:/",
  "first value",
  "the call",
  "a reason",
];

const append = {
  expect: [],
  targets: ["file:/a"],
  kind: "call",
  agent: "planner",
  role: "editor",
  tool: "write_file",
  request: "request",
  encoding: 2,
  delta: { bytes: 1, files: 1 },
  quota: { bytes: 1e9, files: 1e9 },
};

/** The ids of the blobs that were written. */
const blobs = new Set<string>();

/** Where which bit is flipped. */
type Flip = readonly [file: number, at: number, bit: number];

async function write(journal: Journal, from: number, to: number): Promise<Position> {
  let at = journal.genesis;
  for (let n = from; n < to; n++) {
    const blob = await journal.stage(Buffer.from(`the bytes of ${n} `.repeat(9)));
    blobs.add(blob);
    const appended = await journal.append({
      ...append,
      time: new Date(1_700_000_000_000 + n),
      touch: [`file:/${n}`, "file:/ä"],
      changes: [{ slice: blob, op: "put" }],
      blobs: [blob],
      once: `once ${n}`,
      result: { value: `result ${n}` },
    });
    if (!("at" in appended)) throw new Error(JSON.stringify(appended));
    at = appended.at;
  }
  return at;
}

async function make(): Promise<void> {
  const store = sqliteStore({ directory: made });
  const journal = await store.open("s", { create: true, name: "nightly" });
  const at = await write(journal, 0, 6);
  await journal.prune(2, []);
  await journal.checkpoint.save(at, "slice", [Buffer.from("a checkpoint")]);
  await journal.views.save("planner", 0, Buffer.from("a view"));
  await journal.rows.set("row", 0, ["first value"]);
  await write(journal, 6, 9);
  await journal.audit([
    {
      time: new Date(1_700_000_000_000),
      last: new Date(1_700_000_000_000),
      count: 1,
      agent: "planner",
      role: "editor",
      tool: "write_file",
      outcome: "the call",
      reason: "a reason",
      ms: 1.25,
      targets: ["file:/a"],
    },
  ]);
  await store.close();
}

/** Everything that a journal reads, as text; an error as its reason. */
async function look(round: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const note = async (what: string, read: () => Promise<unknown>): Promise<void> => {
    try {
      found[what] = JSON.stringify(await read()) ?? "";
    } catch (error) {
      found[what] = HoldfastError.is(error) ? `! ${error.reason}` : `! ${String(error)}`;
    }
  };
  const store = sqliteStore({ directory: round });
  await note("list", () => store.list());
  let journal: Journal | undefined;
  await note("open", async () => {
    journal = await store.open("s");
  });
  const opened = journal;
  if (opened !== undefined) {
    await note("changes", async () =>
      (await opened.records({ limit: 99 })).map(({ seq, changes }) => [seq, changes]),
    );
    await note("keyed", () => opened.records({ key: "file:/ä", newestFirst: true, limit: 3 }));
    await note("last", () => opened.last(["file:/1", "file:/8"]));
    await note("blobs", async () => {
      const texts: string[] = [];
      for (const { changes } of await opened.records({ limit: 99, after: 2 }))
        for (const { slice } of changes ?? []) texts.push(await read(opened, slice));
      return texts;
    });
    await note("replay", () => opened.replayOf("planner", "once 7"));
    await note("checkpoint", async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await opened.checkpoint.load("slice", 99))?.chunks ?? []) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    });
    await note("view", async () => Buffer.from((await opened.views.load("planner"))?.bytes ?? []).toString());
    await note("row", () => opened.rows.get("row"));
    await note("audited", () => opened.audited({ limit: 9 }));
    await note("verify", () => opened.verify({ blobs: true }));
    await note("fork", async () => {
      const fork = await store.fork("s", await opened.head(), `f${Date.now()}`);
      await fork.close();
      await store.remove(fork.id);
    });
    await note("append", () => write(opened, 9, 10).then(() => 0));
    await note("prune", () => opened.prune(4, []).then(() => 0));
  }
  await store.close();
  return found;
}

async function read(journal: Journal, blob: string): Promise<string> {
  const size = 135;
  const source = await journal.source({ size, extents: [[blob, 0, size]] });
  const bytes = Buffer.alloc(size);
  source.read(0, bytes, 0, size);
  source.close();
  return bytes.toString();
}

/** Looks at a copy with these bits flipped. */
async function lookAt(some: readonly Flip[]): Promise<Record<string, string>> {
  const round = mkdtempSync(join(directory, "round-"));
  cpSync(made, round, { recursive: true });
  const damaged = whole.map((bytes) => Buffer.from(bytes));
  for (const [file, at, bit] of some) {
    const bytes = damaged[file];
    if (bytes !== undefined) bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  }
  for (const [i, file] of FILES.entries()) writeFileSync(join(round, file), damaged[i] ?? "");
  try {
    return await look(round);
  } finally {
    rmSync(round, { recursive: true, force: true });
  }
}

function placesOf(needle: string, bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) places.push(at);
  return places;
}

/** A small generator of its own, so that a seed says it all. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
let state = Number(seed) >>> 0;

await make();
const whole = FILES.map((file) => readFileSync(join(made, file)));
const sound = await lookAt([]);

// A header that names a format which SQLite would only read, or not read at all, and versions of our own that are below nought.
const flips: Flip[][] = [[[0, 18, 7]], [[1, 18, 7]], [[0, 19, 7]], [[1, 19, 7]], [[0, 60, 7]], [[1, 60, 7]]];
for (const [file, bytes] of whole.entries()) {
  for (const needle of NEEDLES) for (const at of placesOf(needle, bytes)) flips.push([[file, at + 1, 7]]);
  // Text that is no JSON any more.
  for (const quoted of ['"result 7"', '"first value"', '"file:/'])
    for (const at of placesOf(quoted, bytes)) flips.push([[file, at, 1]]);
  // Rows that are out of order: their number lies before the header of the row, which says how long it is itself.
  for (const blob of blobs)
    for (const at of placesOf(blob, bytes))
      for (let header = at - 1; header > at - 16; header--)
        if (bytes[header] === at - header) flips.push([[file, header - 1, 6]], [[file, header - 1, 4]]);
}
// The same of records: their first column is the number itself, which the header holds as nothing; then come the 32 bytes of the hash.
for (const [at, byte] of (whole[0] ?? Buffer.of()).entries())
  if (byte > 16 && byte < 24 && whole[0]?.[at + 1] === 0 && whole[0]?.[at + 2] === 12 + 2 * 32)
    for (let bit = 0; bit < 8; bit++) flips.push([[0, at - 1, bit]]);
for (let n = 0; n < Number(rounds); n++)
  flips.push(
    Array.from({ length: 1 + random(3) }, (): Flip => {
      const file = random(4) === 0 ? 1 : 0;
      return [file, random(whole[file]?.length ?? 0), random(8)];
    }),
  );

for (const some of flips) {
  process.stderr.write(`${JSON.stringify(some)}\n`);
  const found = await lookAt(some);
  const changed: Record<string, string> = {};
  for (const [what, text] of Object.entries(found)) if (text !== sound[what]) changed[what] = text;
  process.stdout.write(`${JSON.stringify({ flips: some, changed })}\n`);
}
