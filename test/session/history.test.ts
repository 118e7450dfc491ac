import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/tools/index.ts";
import { memoryStore } from "../../src/store/index.ts";
import { applySplices, renderHunks, type Hunk } from "../../src/text/index.ts";
import { contents, hosted, put } from "./host-session.ts";
import { beforeAppend } from "../store/before-append.ts";
import { spliceFile } from "./splice-tool.ts";

describe("snapshots", () => {
  test("[HIST-20] [HIST-21] are names for places: listed newest first, durable, without changing anything", async () => {
    const { session, store, as } = await hosted({ id: "s" });
    await put(as("ann"), "a", "1");
    const one = await session.snapshot(" first ");
    await put(as("ann"), "a", "2");
    const two = await session.snapshot("second");
    const again = await session.snapshot("second");
    expect([one.label, one.agent, one.expired]).toEqual(["first", "host", false]);
    expect(await contents(session)).toEqual({ a: "2" });
    const [record] = await session.log({ after: one.seq - 1, limit: 1 });
    expect(record).toMatchObject({ kind: "snapshot", changes: [], targets: ["snapshot:first"] });
    await session.close();
    const { session: reopened } = await hosted({ id: "s", store });
    expect(await reopened.snapshots()).toEqual([again, two, one]);
    expect(await reopened.snapshots({ before: again.seq, limit: 1 })).toEqual([two]);
    await reopened.restore({ to: one.id });
    expect(await contents(reopened)).toEqual({ a: "1" });
  });

  test("[HIST-21] need a label that can be shown", async () => {
    const { session } = await hosted();
    for (const label of ["", "  ", "x".repeat(201), "a\0b"])
      await expect(session.snapshot(label)).rejects.toMatchObject({ reason: "bad_label" });
    expect(session.at.seq).toBe(0);
  });

  test("[HIST-22] [HIST-90] are marked when retention has cut them off", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "a", "1");
    const lost = await session.snapshot("lost");
    await put(as("ann"), "a", "2");
    const kept = await session.snapshot("kept");
    await put(as("ann"), "a", "3");
    await session.prune({ before: kept.seq + 1 });
    expect((await session.snapshots()).map(({ label, expired }) => [label, expired])).toEqual([
      ["kept", false],
      ["lost", true],
    ]);
    await expect(session.restore({ to: lost.id })).rejects.toMatchObject({ reason: "snapshot_expired" });
    await session.restore({ to: kept.id });
    expect(await contents(session)).toEqual({ a: "2" });
  });
});

describe("restore", () => {
  test("[HIST-30] [HIST-31] [HIST-33] brings back all, or what lies under a path; versions go on", async () => {
    const { session, as } = await hosted();
    const ann = as("ann");
    await put(ann, "src/a", "1");
    await put(ann, "src/b", "1");
    await put(ann, "doc/c", "1");
    const then = await session.snapshot("then");
    await put(ann, "src/a", "2");
    await put(ann, "doc/c", "2");
    await put(ann, "src/new", "n");
    await session.undo({ record: 2 });
    const part = await session.restore({ to: then.id, path: "src" });
    expect(part.changes).toEqual({ files: 3 });
    expect(await contents(session)).toEqual({ "doc/c": "2", "src/a": "1", "src/b": "1" });
    expect(session.files().map(({ version }) => version)).toEqual([2, 3, 2]);
    const [record] = await session.log({ newestFirst: true, limit: 1 });
    expect(record).toMatchObject({ kind: "restore", agent: "host" });
    const { at } = session;
    await session.restore({ to: then.id });
    expect(await contents(session)).toEqual({ "doc/c": "1", "src/a": "1", "src/b": "1" });
    const again = await session.restore({ to: then.id });
    expect([again.changes, again.at.seq]).toEqual([{}, at.seq + 1]);
    await session.undo({ record: at.seq + 1 });
    expect((await contents(session))["doc/c"]).toBe("2");
  });

  test("[HIST-34] lists all that stands in the way and writes nothing", async () => {
    const { session, as } = await hosted();
    const ann = as("ann");
    await put(ann, "d/x/1", "1");
    await put(ann, "d/x/2", "2");
    const then = session.at;
    await session.undo({ record: 2 });
    await session.undo({ record: 1 });
    await put(ann, "d", "a file now");
    const { at } = session;
    const refused = await session.restore({ to: then, path: "d/x" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "conflict", reason: "restore_refused" });
    expect((refused as { data: { refusals: unknown[] } }).data.refusals).toHaveLength(2);
    expect(session.at).toEqual(at);
    await session.restore({ to: then, path: "d" });
    expect(await contents(session)).toEqual({ "d/x/1": "1", "d/x/2": "2" });
  });

  test("[HIST-35] is planned again when somebody changes the same place meanwhile, and leaves what it does not touch", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "a", "1");
    await put(as("ann"), "b", "1");
    const then = session.at;
    await put(as("ann"), "a", "2");
    const results = await Promise.all([
      session.restore({ to: then }),
      put(as("bob"), "a", "3"),
      put(as("bob"), "b", "2"),
    ]);
    const last = (await session.log({ newestFirst: true, limit: 9, path: "a" }))[0];
    expect((await contents(session))["a"]).toBe(last?.kind === "restore" ? "1" : "3");
    const restoreFirst = results[0].at.seq < Number(results[2].split("-")[0]);
    expect((await contents(session))["b"]).toMatch(restoreFirst ? /^2$/ : /^[12]$/);
    await session.undo({ record: results[0].at.seq, partial: true }).catch(() => {});
    expect(await session.verify({ states: true })).toMatchObject({ ok: true });
  });

  test("[HIST-35] never takes another's change for its own: it sees what came between", async () => {
    const inner = memoryStore();
    let meddle = async (): Promise<unknown> => undefined;
    const store = beforeAppend(inner, async ({ kind }) => {
      if (kind === "restore") await meddle();
    });
    const { session, as } = await hosted({ id: "s", store });
    const other = await hosted({ id: "s", store: inner });
    await put(as("ann"), "a", "1");
    await put(as("ann"), "a", "2");
    let meddled = 0;
    meddle = async () => (meddled++ === 0 ? put(other.as("bob"), "a", "bob's") : undefined);
    const { at } = await session.restore({ to: 1 });
    expect([meddled, at.seq]).toEqual([2, 4]);
    expect(await contents(session)).toEqual({ a: "1" });
    await session.undo({ record: 4 });
    expect(await contents(session)).toEqual({ a: "bob's" });
  });

  test("[HIST-31] refuses a part that does not exist", async () => {
    const { session } = await hosted();
    for (const part of [{ slice: "nothing" }, { scope: "x" }, { path: "a", slice: "notes" }])
      await expect(session.restore({ to: 0, ...part })).rejects.toMatchObject({ reason: "bad_part" });
    for (const to of ["nonsense", -1, 0.5])
      await expect(session.restore({ to })).rejects.toMatchObject({ reason: "bad_token" });
    await expect(session.restore({ to: 7 })).rejects.toMatchObject({ reason: "unknown_position" });
  });
});

describe("undo", () => {
  test("[HIST-40] a restore can be undone by its record and as somebody's last change", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "a", "1");
    await put(as("ann"), "a", "2");
    await session.restore({ to: 1 });
    expect(await contents(session)).toEqual({ a: "1" });
    await session.undo({ lastCallOf: "host" });
    expect(await contents(session)).toEqual({ a: "2" });
    await session.reset();
    expect(await contents(session)).toEqual({});
    await session.undo({ agent: "host", since: 0 });
    expect(await contents(session)).toEqual({ a: "2" });
  });

  test("[HIST-40] what an undo brings back stands before what was added in its place since", async () => {
    const { session, as } = await hosted({ tools: [spliceFile] });
    await put(as("ann"), "f", "one two");
    await as("ann").call("splice_file", { path: "f", at: 3, remove: 4, insert: "" });
    await put(as("bob"), "f", " three", "append");
    expect(await contents(session)).toEqual({ f: "one three" });
    await session.undo({ record: 2 });
    expect(await contents(session)).toEqual({ f: "one two three" });
    await session.undo({ record: 3 });
    expect(await contents(session)).toEqual({ f: "one two" });
  });

  test("[HIST-40] takes back calls that were made while another was undone for a time", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "f", "");
    await put(as("ann"), "f", "one\n", "append");
    await put(as("bob"), "f", "two\n", "append");
    await session.undo({ record: 2 });
    await put(as("ann"), "f", "three\n", "append");
    await session.undo({ record: 4 });
    expect(await contents(session)).toEqual({ f: "one\ntwo\nthree\n" });
    await session.undo({ agent: "ann", since: 1 });
    expect(await contents(session)).toEqual({ f: "two\n" });
  });

  test("[HIST-40] puts text back where it was though all around it was deleted and brought back", async () => {
    const { session, as } = await hosted({ tools: [spliceFile] });
    await put(as("ann"), "f", "abc");
    await as("bob").call("splice_file", { path: "f", at: 2, remove: 1, insert: "" });
    await as("ann").call("splice_file", { path: "f", at: 0, remove: 2, insert: "" });
    await put(as("ann"), "other", "");
    await session.undo({ agent: "ann", since: 2 });
    expect(await contents(session)).toEqual({ f: "ab" });
    await session.undo({ record: 2 });
    expect(await contents(session)).toEqual({ f: "abc" });
  });

  test("[HIST-42] of what is undone already is refused, and works again once that is undone", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "f", "1");
    await put(as("ann"), "f", "2", "append");
    await session.undo({ record: 2 });
    await put(as("bob"), "f", "3", "append");
    const again = session.undo({ record: 2 });
    await expect(again).rejects.toMatchObject({ reason: "nothing_to_undo" });
    await expect(again).rejects.toThrow("undone by record 3");
    expect(await contents(session)).toEqual({ f: "13" });
    await session.undo({ record: 3 });
    expect(await contents(session)).toEqual({ f: "123" });
    await session.undo({ record: 2 });
    expect(await contents(session)).toEqual({ f: "13" });
  });

  test("[HIST-43] of an undo takes out the text it brought, not equal text beside it", async () => {
    const { session, as } = await hosted({ tools: [spliceFile] });
    await put(as("ann"), "f", "...");
    await put(as("ann"), "f", ".ga.", "append");
    await as("ann").call("splice_file", { path: "f", at: 2, remove: 1, insert: "" });
    await session.undo({ record: 2 }); // 4: ".."
    await session.undo({ record: 3 }); // 5: "..."
    await session.undo({ record: 4 }); // 6: "....ga."
    expect(await contents(session)).toEqual({ f: "....ga." });
    await session.undo({ record: 5 });
    expect(await contents(session)).toEqual({ f: "...ga." });
  });

  test("[HIST-42] of what changed nothing, or is pruned, says so", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "a", "1");
    await put(as("ann"), "a", "2");
    const { seq } = await session.snapshot("s");
    await expect(session.undo({ record: seq })).rejects.toMatchObject({ reason: "nothing_to_undo" });
    await expect(session.undo({ lastCallOf: "host" })).rejects.toMatchObject({ reason: "nothing_to_undo" });
    await session.prune({ before: 2 });
    await expect(session.undo({ record: 1 })).rejects.toMatchObject({ reason: "snapshot_expired" });
    await session.undo({ record: 2 });
    expect(await contents(session)).toEqual({ a: "1" });
  });
});

test("[HIST-90] a state that is pruned is refused with the first that is not", async () => {
  const { session, as } = await hosted();
  for (let i = 1; i <= 6; i++) await put(as("ann"), "a", String(i));
  await session.prune({ before: 5 });
  const expired = {
    reason: "snapshot_expired",
    message: "Record 1 is pruned: states before position 4 are gone. Use 4 or a later one.",
  };
  await expect(session.restore({ to: 2 })).rejects.toMatchObject(expired);
  await expect(session.diff({ from: 2, to: 6 })).rejects.toMatchObject(expired);
  await expect(session.fork({ at: 2 })).rejects.toMatchObject(expired);
  await session.restore({ to: 4 });
  expect(await contents(session)).toEqual({ a: "4" });
});

describe("fork", () => {
  test("[HIST-50] goes on from a place with the same tools and policy", async () => {
    const { session, as } = await hosted({ limits: { sessionFiles: 2 } });
    await put(as("ann"), "a", "1");
    await put(as("ann"), "a", "2");
    const fork = await session.fork({ at: 2 });
    expect(fork.id).toMatch(/^[a-z2-7]{26}$/);
    expect(await contents(fork)).toEqual({ a: "1" });
    await put(fork.as({ id: "bob", role: "editor" }), "b", "fork");
    await put(as("ann"), "c", "origin");
    expect([await contents(fork), await contents(session)]).toEqual([
      { a: "1", b: "fork" },
      { a: "2", c: "origin" },
    ]);
    await expect(put(fork.as({ id: "bob", role: "editor" }), "d", "")).rejects.toThrow(/files/);
    const second = await fork.fork();
    expect(await contents(second)).toEqual({ a: "1", b: "fork" });
  });
});

/** The lines of hunks, applied to the old text. */
function applied(text: string, hunks: readonly Hunk[]): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const bytes = new TextEncoder();
  const splices = hunks.map(({ oldStart, oldLines, lines: shown }) => {
    const at = bytes.encode(lines.slice(0, oldStart - 1).join("")).length;
    const remove = bytes.encode(lines.slice(oldStart - 1, oldStart - 1 + oldLines).join("")).length;
    return {
      at,
      remove,
      insert: Buffer.concat(shown.filter(({ kind }) => kind !== "-").map((line) => line.bytes)),
    };
  });
  return new TextDecoder().decode(applySplices(bytes.encode(text), splices));
}

describe("diff", () => {
  test("[HIST-60] [HIST-63] names what was added, removed and changed, with hunks", async () => {
    const { session, as } = await hosted();
    const ann = as("ann");
    await put(ann, "same", "x\n");
    await put(ann, "gone", "bye\n");
    await put(ann, "d/text", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    const { at } = session;
    await session.undo({ record: 2 });
    await put(ann, "d/text", "1\n2\nthree\n4\n5\n6\n7\n8\n9\nten\n");
    await put(ann, "new", "hello");
    const diff = await session.diff({ from: at });
    expect(diff.files.map(({ path, change }) => [path.slice(11), change])).toEqual([
      ["d/text", "changed"],
      ["gone", "removed"],
      ["new", "added"],
    ]);
    expect(diff.files.map(({ hunks }) => (hunks === undefined ? "" : renderHunks(hunks)))).toEqual([
      "@@ -1,9 +1,10 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n 7\n 8\n 9\n+ten\n",
      "@@ -1 +0,0 @@\n-bye\n",
      "@@ -0,0 +1 @@\n+hello\n\\ No newline at end of file\n",
    ]);
    expect((await session.diff({ from: at, path: "d" })).files).toHaveLength(1);
    expect((await session.diff({ from: session.at })).files).toEqual([]);
    const back = await session.diff({ from: session.at, to: at });
    expect(back.files.map(({ change }) => change)).toEqual(["changed", "added", "removed"]);
  });

  test("[HIST-60] hunks turn the old text into the new one", async () => {
    const { session, as } = await hosted();
    const ann = as("ann");
    const old = Array.from({ length: 200 }, (_, i) => `line ${i % 7}\n`).join("");
    await put(ann, "f", old);
    const { at } = session;
    const lines = old.split("\n");
    lines.splice(150, 2);
    lines.splice(100, 0, "in", "between");
    lines[3] = "three";
    const now = lines.join("\n");
    await put(ann, "f", now);
    const [file] = (await session.diff({ from: at })).files;
    expect(file?.hunks?.exact).toBe(true);
    expect(applied(old, file?.hunks?.hunks ?? [])).toBe(now);
  });

  test("[HIST-61] of a large file with a few splices reads only what changed", async () => {
    const { session, as } = await hosted({
      limits: { writeSize: 40_000_000, inputBytes: 40_000_000, diffBytes: 65_536 },
    });
    const ann = as("ann");
    await put(ann, "big", "0123456789\n".repeat(1_000_000));
    const { at } = session;
    await put(ann, "big", "tail one\n", "append");
    await put(ann, "big", "tail two\n", "append");
    const { files } = await session.diff({ from: at });
    expect(files).toHaveLength(1);
    expect(
      renderHunks(files[0]?.hunks ?? { hunks: [], removed: 0, added: 0, leftOut: 0, exact: true }),
    ).toContain("+tail one\n+tail two\n");
    await put(ann, "big", `x${"0123456789\n".repeat(1_000_000)}`);
    expect((await session.diff({ from: at })).files[0]).toMatchObject({ withoutHunks: "too_large" });
  });

  test("[HIST-62] is cut to a budget and to a number of files, and says so", async () => {
    const { session, as } = await hosted();
    const ann = as("ann");
    for (let i = 0; i < 6; i++) await put(ann, `f${i}`, "0123456789\n".repeat(20));
    await ann.call("write_file", { path: "bytes", content_base64: "/wD+" });
    const diff = await session.diff({ budget: 300, limit: 5 });
    expect(diff.moreFiles).toBe(2);
    expect(diff.files.map(({ withoutHunks }) => withoutHunks ?? "hunks")).toEqual([
      "binary",
      "hunks",
      "hunks",
      "over_budget",
      "over_budget",
    ]);
    const [, whole, cut] = diff.files;
    expect([whole?.hunks?.exact, cut?.hunks?.exact]).toEqual([true, false]);
    expect(cut?.hunks?.added).toBe(20);
  });
});

describe("the log", () => {
  test("[HIST-70] filters by who, what, where and when, together", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "src/a", "1");
    await put(as("bob"), "src/b", "1");
    await put(as("ann"), "src/a", "2");
    await put(as("ann"), "doc", "1");
    await session.snapshot("s");
    const seqs = async (query: object) =>
      (await session.log({ limit: 99, ...query })).map((record) => record.seq);
    expect(await seqs({})).toEqual([1, 2, 3, 4, 5]);
    expect(await seqs({ path: "src" })).toEqual([1, 2, 3]);
    expect(await seqs({ path: "src/a" })).toEqual([1, 3]);
    expect(await seqs({ path: "/workspace" })).toEqual([1, 2, 3, 4]);
    expect(await seqs({ path: "src", agent: "ann", newestFirst: true })).toEqual([3, 1]);
    expect(await seqs({ agent: "bob", tool: "write_file" })).toEqual([2]);
    expect(await seqs({ kind: "snapshot" })).toEqual([5]);
    expect(await seqs({ path: "src", newestFirst: true, limit: 2 })).toEqual([3, 2]);
    const [, second] = await session.log({ limit: 2 });
    expect(await seqs({ since: second?.time, until: (await session.log({ limit: 4 }))[3]?.time })).toEqual([
      2, 3,
    ]);
  });
});

describe("blame", () => {
  const runs = async (session: Awaited<ReturnType<typeof hosted>>["session"], path = "f") =>
    (await session.blame({ path })).runs.map(({ first, last, by, before }) => [
      first,
      last,
      by === undefined ? `before ${before ?? 0}` : `${by.agent}${by.record}`,
    ]);

  test("[HIST-80] [HIST-81] says who brought in each line; an overwrite owns only what it changed", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "f", "1\n2\n3\n");
    await put(as("bob"), "f", "4\n", "append");
    await put(as("cat"), "f", "1\ntwo\n3\n4\n");
    await put(as("dan"), "f", "5", "append");
    await put(as("eve"), "f", "!\n", "append");
    expect(await runs(session)).toEqual([
      [1, 1, "ann1"],
      [2, 2, "cat3"],
      [3, 3, "ann1"],
      [4, 4, "bob2"],
      [5, 5, "eve5"],
    ]);
    const [run] = (await session.blame({ path: "f", offset: 4, limit: 1 })).runs;
    expect(run).toMatchObject({ first: 4, last: 4, by: { tool: "write_file", role: "editor", record: 2 } });
    expect((await session.blame({ path: "f", at: 2 })).runs).toHaveLength(2);
    await expect(session.blame({ path: "none" })).rejects.toMatchObject({ reason: "no_such_file" });
  });

  test("[HIST-82] what an undo or a restore brings back stays the work of whoever wrote it", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "f", "1\n");
    await put(as("bob"), "f", "2\n", "append");
    const { at } = session;
    await put(as("cat"), "f", "all new\n");
    await session.undo({ record: 3 });
    const before = [
      [1, 1, "ann1"],
      [2, 2, "bob2"],
    ];
    expect(await runs(session)).toEqual(before);
    await put(as("dan"), "f", "x\n");
    await session.restore({ to: at });
    expect(await runs(session)).toEqual(before);
    await session.reset();
    await session.restore({ to: at });
    await put(as("eve"), "f", "3\n", "append");
    expect(await runs(session)).toEqual([...before, [3, 3, "eve9"]]);
  });

  test("[HIST-83] what only pruned records could say reads before", async () => {
    const { session, as } = await hosted();
    await put(as("ann"), "f", "1\n");
    await put(as("bob"), "f", "2\n", "append");
    await put(as("cat"), "f", "3\n", "append");
    await session.prune({ before: 3 });
    expect(await runs(session)).toEqual([
      [1, 2, "before 3"],
      [3, 3, "cat3"],
    ]);
  });
});

describe("tools", () => {
  const input = z.object({ to: z.string().optional(), dryRun: z.boolean().optional() });
  const save = defineTool({
    name: "save",
    toolset: "test",
    access: "write",
    kind: "snapshot",
    title: "Save",
    description: "Makes a snapshot.",
    input: z.object({}),
    output: z.unknown(),
    targets: () => [],
    async run(ctx) {
      ctx.snapshot("by a tool");
      return {};
    },
    text: () => "saved",
  });
  const bring = defineTool({
    name: "bring",
    toolset: "test",
    access: "write",
    kind: "restore",
    title: "Bring back",
    description: "Restores.",
    input: input.pick({ to: true }),
    output: z.unknown(),
    targets: () => [],
    run: (ctx, { to = "" }) => ctx.restore({ to, path: "d" }),
    text: () => "brought",
  });
  const look = defineTool({
    name: "look",
    toolset: "test",
    access: "read",
    title: "Look",
    description: "Asks the past.",
    input: input.pick({ to: true }),
    output: z.unknown(),
    targets: () => [],
    async run(ctx, { to = "" }) {
      const [{ files }, { runs }, log, snapshots] = await Promise.all([
        ctx.diff({ from: to }),
        ctx.blame({ path: "d/a" }),
        ctx.log({ path: "d", limit: 9 }),
        ctx.snapshots(),
      ]);
      return [files.length, runs.length, log.length, snapshots.map(({ agent, label }) => [agent, label])];
    },
    text: () => "looked",
  });

  test("[HIST-112] work with the past through their context", async () => {
    const { session, as } = await hosted({ tools: [save, bring, look] });
    const ann = as("ann");
    await put(ann, "d/a", "1\n");
    expect((await ann.call("save", { dryRun: true })).ok).toBe(true);
    expect(await session.snapshots()).toEqual([]);
    const saved = await ann.call("save");
    expect(saved.text).toMatch(/^saved\n\[Token \S+\]$/);
    const to = saved.ok ? saved.token : "";
    await put(ann, "d/a", "1\n2\n");
    await put(ann, "b", "b");
    const looked = await ann.call("look", { to });
    expect(looked.text).toBe("looked");
    expect(looked.value).toEqual([2, 2, 2, [["ann", "by a tool"]]]);
    expect((await ann.call("bring", { to })).ok).toBe(true);
    expect(await contents(session)).toEqual({ b: "b", "d/a": "1\n" });
    expect((await session.log({ limit: 9 })).map(({ kind, agent }) => `${kind} ${agent}`)).toEqual([
      "call ann",
      "snapshot ann",
      "call ann",
      "call ann",
      "restore ann",
    ]);
    await session.undo({ lastCallOf: "ann" });
    expect((await contents(session))["d/a"]).toBe("1\n2\n");
  });
});

describe("retention", () => {
  test("[HIST-91] [HIST-92] drops changes and bytes that only the past needs, and keeps the rest readable", async () => {
    const { session, as } = await hosted();
    for (let i = 0; i < 20; i++) await put(as("ann"), "f", `${i}`.repeat(10_000));
    await put(as("ann"), "g", "kept");
    const { bytes, before } = await session.prune({ before: 20 });
    expect(before).toBe(20);
    expect(bytes).toBeGreaterThan(18 * 10_000);
    const log = await session.log({ limit: 99 });
    expect(log.map(({ changes }) => changes !== undefined)).toEqual([...Array(19).fill(false), true, true]);
    expect(log[0]).toMatchObject({ agent: "ann", tool: "write_file", targets: ["file:/f"] });
    expect(await session.verify({ blobs: true, states: true })).toMatchObject({ ok: true, pruned: 19 });
    await session.undo({ record: 20 });
    expect((await contents(session))["f"]).toBe("18".repeat(10_000));
    await expect(session.prune({ before: 99 })).rejects.toMatchObject({ reason: "bad_border" });
    expect((await session.prune({ before: new Date(0) })).before).toBe(1);
  });
});
