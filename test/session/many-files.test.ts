import { expect, test } from "vitest";
import type { JournalRecord } from "../../src/store/journal.ts";
import { tokenOf } from "../../src/store/token.ts";
import type { Session } from "../../src/tools/index.ts";
import { turnsDuring } from "../turns.ts";
import { counted } from "./counted-reads.ts";
import { contents, hosted, put } from "./host-session.ts";
import { moveOne } from "./splice-tool.ts";

const FILES = 2_000;

async function manyFiles(): Promise<{
  session: Session;
  call: (tool: string, input: object) => Promise<void>;
}> {
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`many/f${i}`, `text ${i}\n`]));
  const { session, as } = await hosted({ files });
  return {
    session,
    async call(tool, input) {
      const { ok, text } = await as("ann").call<unknown>(tool, input);
      expect(ok, text).toBe(true);
    },
  };
}

/** The number of a record that a session has just got. */
const newest = (session: Session): number => session.at.seq;

const isRefused = (session: Session, record: number): Promise<void> =>
  expect(session.undo({ record })).rejects.toMatchObject({ reason: "undo_refused" });

// The last is how often the work goes through all files, at least.
test.each([
  ["undo of a move", ["move"], (session) => session.undo({ record: newest(session) }), 20],
  ["undo of that undo", ["move", "undo"], (session) => session.undo({ record: newest(session) }), 20],
  ["undo of a deletion", ["delete"], (session) => session.undo({ record: newest(session) }), 20],
  ["refusal to undo a move", ["move", "copy"], (session) => isRefused(session, newest(session) - 1), 40],
  ["restore of a move", ["move"], (session) => session.restore({ to: newest(session) - 1 }), 18],
  ["diff of a move", ["move"], (session) => session.diff({ from: newest(session) - 1, limit: 1 }), 4],
  ["prune", ["move"], (session) => session.prune({ before: newest(session) }), 5],
  ["verify", ["move"], (session) => session.verify({ blobs: true }), 5],
] satisfies [string, string[], (session: Session) => Promise<unknown>, number][])(
  "[HIST-123] other work goes on during %s of very many files",
  async (_name, before, work, passes) => {
    const { session, call } = await manyFiles();
    for (const step of before)
      if (step === "undo") await session.undo({ record: newest(session) });
      else if (step === "copy") await call("copy_file", { source: "moved", destination: "many" });
      else if (step === "delete") await call("delete_file", { path: "many" });
      else await call("move_file", { source: "many", destination: "moved" });
    const turns = await turnsDuring(() => work(session));
    expect(turns).toBeGreaterThan((passes * FILES) / 10);
    await session.close();
  },
);

test.each(["undo_changes", "snapshot_restore"])(
  "[HIST-123] %s of very many files that is cancelled leaves nothing",
  async (tool) => {
    const { session, call } = await manyFiles();
    await call("move_file", { source: "many", destination: "moved" });
    const at = newest(session);
    const giveUp = new AbortController();
    const [before] = await session.log({ after: at - 2, limit: 1 });
    const input = tool === "undo_changes" ? {} : { id: tokenOf(before as JournalRecord) };
    const undone = session
      .as({ id: "ann", role: "editor" })
      .call<unknown>(tool, input, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 5);
    expect(await undone).toMatchObject({ ok: false, error: { code: "conflict", reason: "aborted" } });
    expect(newest(session)).toBe(at);
    expect(session.files()[0]?.path).toBe("/workspace/moved/f0");
  },
);

test("[HIST-124] an undo and its undo read history once for all files, however many there are", async () => {
  const { store, reads } = counted();
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`many/f${i}`, `text ${i}\n`]));
  const { session, as } = await hosted({ store, files });
  await as("ann").call("move_file", { source: "many", destination: "moved" });
  for (let i = 0; i < 3; i++) {
    const before = reads();
    await session.undo({ record: newest(session) });
    expect(reads() - before).toBeLessThan(20);
  }
  expect(Object.keys(await contents(session))).toHaveLength(100);
  expect(session.files()[0]?.path).toBe("/workspace/many/f0");
});

test("[HIST-124] a refused undo reads history once for all names that are taken, and tells of each", async () => {
  const { store, reads } = counted();
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`many/f${i}`, `text ${i}\n`]));
  const { session, as } = await hosted({ store, files });
  await as("ann").call("move_file", { source: "many", destination: "moved" });
  const moved = newest(session);
  await as("ann").call("copy_file", { source: "moved", destination: "many" });
  const copied = newest(session);
  const before = reads();
  const refused: unknown = await session.undo({ record: moved }).catch((error: unknown) => error);
  expect(reads() - before).toBeLessThan(40);
  const message = `/workspace/many/f99 exists already: another file is there, since record ${copied}`;
  expect(refused).toMatchObject({
    reason: "undo_refused",
    message: expect.stringContaining(`Undo records ${moved} and ${copied} together.`) as string,
    data: { together: [moved, copied] },
  });
  expect((refused as { data: { refusals: unknown[] } }).data.refusals).toHaveLength(100);
  expect((refused as { data: { refusals: unknown[] } }).data.refusals).toContainEqual({
    record: moved,
    message,
  });
  await session.undo({ record: [moved, copied] });
  expect(session.files()[0]?.path).toBe("/workspace/many/f0");
});

test("[HIST-48] an undo of very many files is refused where what it needs is pruned, naming each", async () => {
  const { session, call } = await manyFiles();
  await call("move_file", { source: "many", destination: "moved" });
  await session.undo({ record: newest(session) });
  await session.prune({ before: newest(session) });
  await expect(session.undo({ record: newest(session) })).rejects.toMatchObject({
    reason: "undo_refused",
    message: expect.stringContaining("what is needed of /workspace/many/f0 up to record") as string,
  });
});

test("[HIST-125] names that files pass on to each other are undone and redone, in rows and in rings", async () => {
  const { session, as } = await hosted({ tools: [moveOne] });
  const move = async (path: string, to: string) => {
    const { ok, text } = await as("ann").call<unknown>("move_one", { path, to });
    expect(ok, text).toBe(true);
  };
  const names = Array.from({ length: 40 }, (_, i) => `f${i}`);
  for (const name of [...names, "x", "y", "z"]) await put(as("ann"), name, `was ${name}\n`);
  const before = await contents(session);
  const start = newest(session);
  for (let i = names.length - 1; i >= 0; i--) await move(`f${i}`, `f${i + 1}`);
  for (const [from, to] of [
    ["x", "free"],
    ["z", "x"],
    ["y", "z"],
    ["free", "y"],
  ] as const)
    await move(from, to);
  const after = await contents(session);
  expect(after).toMatchObject({ f1: "was f0\n", f40: "was f39\n", x: "was z\n", y: "was x\n", z: "was y\n" });
  await session.undo({ agent: "ann", since: start });
  expect(await contents(session)).toEqual(before);
  await session.undo({ record: newest(session) });
  expect(await contents(session)).toEqual(after);
  await session.undo({ record: newest(session) });
  expect(await contents(session)).toEqual(before);
});
