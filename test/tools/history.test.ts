import { describe, expect, test } from "vitest";
import type { Agent, CallResult, SessionOptions } from "../../src/tools/index.ts";
import { memoryStore } from "../../src/store/index.ts";
import { bench, type Bench, EDITOR, OTHER, READER } from "./bench-session.ts";

interface Desk extends Bench {
  readonly ann: Agent;
  readonly bob: Agent;
}

async function desk(options: SessionOptions = {}): Promise<Desk> {
  const made = await bench(options);
  return { ...made, ann: made.session.as(EDITOR), bob: made.session.as(OTHER) };
}

/** Calls, and throws what a caller would read. */
async function done(agent: Agent, tool: string, input: object = {}): Promise<CallResult & { ok: true }> {
  const result = await agent.call<unknown>(tool, input);
  if (!result.ok) throw new Error(result.text);
  return result;
}

async function write(agent: Agent, path: string, content: string): Promise<string> {
  const mode = (await agent.call("read_file", { path })).ok ? "overwrite" : "create";
  return (await done(agent, "write_file", { path, content, mode })).token ?? "";
}

async function text(agent: Agent, path: string): Promise<string | undefined> {
  const read = await agent.call("read_file", { path });
  return read.ok ? read.value.content : undefined;
}

function valueOf(result: CallResult): Record<string, unknown> {
  return result.value as Record<string, unknown>;
}

const AT = "2023-11-14T22:13:20.000Z";

describe("looking at what was done", () => {
  test("[HT-1] list_changes lists records newest first, by agent, path and since", async () => {
    const { ann, bob } = await desk();
    const one = await write(ann, "a.txt", "1\n");
    const two = await write(bob, "src/b.txt", "2\n");
    const three = await write(ann, "src/c.txt", "3\n");
    const undo = await done(ann, "undo_changes");
    const lines = [
      `${undo.token ?? ""} editor undo_changes record 3, ${AT}`,
      `${three} editor write_file /workspace/src/c.txt, ${AT} (undone)`,
      `${two} other write_file /workspace/src/b.txt, ${AT}`,
      `${one} editor write_file /workspace/a.txt, ${AT}`,
    ];
    expect((await ann.call("list_changes", {})).text).toBe(lines.join("\n"));
    expect((await ann.call("list_changes", { agent: "other" })).text).toBe(lines[2]);
    expect((await ann.call("list_changes", { path: "src", agent: "editor" })).text).toBe(
      lines.slice(0, 2).join("\n"),
    );
    expect((await ann.call("list_changes", { path: "a.txt" })).text).toBe(lines[3]);
    for (const since of [two, 2])
      expect((await ann.call("list_changes", { since })).text).toBe(lines.slice(0, 2).join("\n"));
    expect((await ann.call("list_changes", { agent: "nobody" })).text).toBe("No changes.");
    expect((await ann.call("list_changes", { since: "1-00000000" })).error?.reason).toBe("unknown_position");
    expect((await ann.call("list_changes", { since: "x" })).error?.reason).toBe("bad_token");
  });

  test("[HT-15] a since that is not in the history is unknown_position and names the newest record", async () => {
    const { ann, session } = await desk();
    await write(ann, "a.txt", "1\n");
    for (const tool of ["list_changes", "diff_changes", "undo_changes"])
      for (const since of [99, "99", "99-00000000"])
        expect((await ann.call<unknown>(tool, { since })).error, tool).toMatchObject({
          reason: "unknown_position",
          message: expect.stringContaining(`whose newest record is ${session.at.seq}.`) as string,
        });
    await expect(session.diff({ from: 99 })).rejects.toThrow(`whose newest record is ${session.at.seq}.`);
    expect((await ann.call("list_changes", { since: 0 })).text).toContain("a.txt");
    expect((await ann.call("list_changes", { since: 1 })).text).toBe("No changes.");
  });

  test("[HT-3] a tree that is in neither snapshot is not found", async () => {
    const { ann, session } = await desk();
    const { id } = await session.snapshot("none");
    const missing = await ann.call("snapshot_diff", { a: id, tree: "t9" });
    expect(missing.error).toMatchObject({ code: "not_found", reason: "tree_not_found" });
    expect(missing.text).toBe('[Error] There is no tree "t9", nor any other. Use create_tree.');
  });

  test("[HT-1] the cursor brings every record once, whatever is written meanwhile", async () => {
    const { ann } = await desk({ limits: { callBurst: 1_000 } });
    for (let i = 0; i < 12; i++) await write(ann, `f${i}.txt`, "x");
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await done(ann, "list_changes", { limit: 5, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...(valueOf(page)["changes"] as { record: number }[]).map(({ record }) => record));
      cursor = valueOf(page)["cursor"] as string | undefined;
      if (cursor !== undefined)
        expect(page.text.startsWith(`[More: call again with cursor ${cursor}]\n`)).toBe(true);
      await write(ann, "later.txt", String(seen.length));
    } while (cursor !== undefined);
    expect(seen).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    const small = await done(ann, "list_changes", { budget: 1_000 });
    expect(small.text.length).toBeLessThanOrEqual(1_000);
    expect(valueOf(small)["cursor"]).toBeDefined();
  });

  test("[HT-1] of a record with very many names the value holds a hundred, and both tell how many more there are", async () => {
    const { ann } = await desk();
    const files = Array.from({ length: 130 }, (_, n) => `d/${n}.txt`);
    for (const path of files) await write(ann, path, "x\n");
    await done(ann, "undo_changes", { since: 0 });
    const listed = await done(ann, "list_changes", { limit: 1 });
    expect(listed.text).toContain(" and 127 more, ");
    const [change] = valueOf(listed)["changes"] as { about: string[]; about_more: number }[];
    expect([change?.about.length, change?.about_more]).toEqual([100, 30]);
  });

  test("[HT-1] long paths are whole in the value and counted each, and cut in the text", async () => {
    const { ann, session } = await desk();
    const files = Array.from({ length: 5 }, (_, n) => `${"d".repeat(60)}/${"e".repeat(60)}/a${n}.txt`);
    await session.workspace.writeAll(files.map((path) => [path, "x\n"]));
    const listed = await done(ann, "list_changes", { limit: 1 });
    const [change] = valueOf(listed)["changes"] as { about: string[] }[];
    expect(change?.about.toSorted()).toEqual(files.map((path) => `/workspace/${path}`));
    expect(listed.text).toContain(" and 2 more, ");
    expect(listed.text).not.toContain("a0.txt");
  });

  test("[HT-1] snapshots are listed by name, of agents as of the host", async () => {
    const { ann, session } = await desk();
    const one = await done(ann, "snapshot_create", { label: "mine" });
    const { id } = await session.snapshot("theirs");
    expect((await ann.call("list_changes", {})).text).toBe(
      `${id} host snapshot snapshot theirs, ${AT}\n${one.token ?? ""} editor snapshot_create snapshot mine, ${AT}`,
    );
    const pinned = await ann.call("snapshot_create", { label: "x", expectedVersion: one.token ?? "" });
    expect(pinned.error?.reason).toBe("stale_version");
    expect((await ann.call("undo_changes", {})).error?.reason).toBe("nothing_to_undo");
  });

  test("[HT-2] diff_changes shows a record, all since a token, or your last change", async () => {
    const { ann, bob } = await desk();
    const one = await write(ann, "a.txt", "one\ntwo\n");
    await write(bob, "a.txt", "one\nTWO\n");
    await write(bob, "b.txt", "b\n");
    expect((await ann.call("diff_changes", {})).text).toBe(
      "Record 1 by editor:\nadded /workspace/a.txt (+2 -0)\n@@ -0,0 +1,2 @@\n+one\n+two",
    );
    expect((await ann.call("diff_changes", { record: 2 })).text).toBe(
      "Record 2 by other:\nchanged /workspace/a.txt (+1 -1)\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO",
    );
    expect((await ann.call("diff_changes", { since: one })).text).toBe(
      "changed /workspace/a.txt (+1 -1)\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\nadded /workspace/b.txt (+1 -0)\n@@ -0,0 +1 @@\n+b",
    );
    expect((await ann.call("diff_changes", { since: one, path: "b.txt" })).text).toBe(
      "added /workspace/b.txt (+1 -0)\n@@ -0,0 +1 @@\n+b",
    );
    expect((await ann.call("diff_changes", { since: one, path: "c.txt" })).text).toBe("No difference.");
    expect((await ann.call("diff_changes", { record: 99 })).error).toMatchObject({
      code: "not_found",
      reason: "no_such_record",
    });
    expect((await ann.call("diff_changes", { record: 1, since: one })).error?.reason).toBe("diff_choice");
  });

  test("[HT-3] snapshot_diff compares files and trees alike", async () => {
    const { ann } = await desk();
    await write(ann, "a.txt", "one\n");
    const tree = await done(ann, "create_tree", { name: "Plan" });
    const { id } = valueOf(await done(ann, "snapshot_create", { label: "before" }));
    await write(ann, "a.txt", "ONE\n");
    await done(ann, "add_child", {
      parentNodeId: "n0",
      payloadType: "Task",
      payloadProps: { Name: "x" },
      expectedVersion: tree.token,
    });
    const both = await done(ann, "snapshot_diff", { a: id });
    expect(both.text).toMatch(/^changed \/workspace\/a\.txt \(\+1 -1\)\n@@ -1 \+1 @@\n-one\n\+ONE\nt1:\n/);
    expect((await done(ann, "snapshot_diff", { a: id, path: "a.txt" })).text).toBe(
      "changed /workspace/a.txt (+1 -1)\n@@ -1 +1 @@\n-one\n+ONE",
    );
    expect((await done(ann, "snapshot_diff", { a: id, tree: "t1" })).text).toMatch(/^t1:\n/);
    const none = (part: object) => done(ann, "snapshot_diff", { a: id, b: id, ...part });
    expect((await none({})).text).toBe("No difference in files and trees.");
    expect((await none({ path: "a.txt" })).text).toBe('No difference in "a.txt".');
  });

  test("[HT-4] a diff goes file by file within the budget, and names what has no hunks", async () => {
    const { ann } = await desk({ limits: { callBurst: 1_000 } });
    const before = await write(ann, "0.txt", "x\n");
    for (let i = 1; i <= 9; i++) await write(ann, `${i}.txt`, `${"line\n".repeat(30)}${i}\n`);
    await done(ann, "write_file", { path: "9.bin", content_base64: "/v8=" });
    const paths: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const more = cursor === undefined ? {} : { cursor };
      const page = await done(ann, "diff_changes", { since: before, budget: 1_200, ...more });
      expect(page.text.length).toBeLessThanOrEqual(1_200);
      paths.push(...(valueOf(page)["files"] as { path: string }[]).map(({ path }) => path));
      cursor = valueOf(page)["cursor"] as string | undefined;
      pages++;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(3);
    expect(paths).toEqual(
      ["1", "2", "3", "4", "5", "6", "7", "8", "9.bin", "9"].map(
        (name) => `/workspace/${name.includes(".") ? name : `${name}.txt`}`,
      ),
    );
    const huge = await write(ann, "huge.txt", "y\n".repeat(20_000));
    const cut = await done(ann, "diff_changes", { record: Number(huge.split("-")[0]), budget: 2_000 });
    expect(cut.text).toContain("more lines of this hunk not shown");
    expect(cut.text.length).toBeLessThanOrEqual(2_000);
    const bytes = await done(ann, "diff_changes", { since: before, path: "9.bin" });
    expect(bytes.text).toBe("added /workspace/9.bin\n[not text: none before, 2 bytes after]");
  });

  test("[HT-5] blame says who brought in which lines", async () => {
    const { ann, bob } = await desk();
    const one = await write(ann, "a.txt", "one\ntwo\nthree\n");
    const two = await write(bob, "a.txt", "one\nTWO\nthree\n");
    expect((await ann.call("blame", { path: "a.txt" })).text).toBe(
      `Lines of /workspace/a.txt:\n1 editor write_file ${one}, ${AT}\n2 other write_file ${two}, ${AT}\n3 editor write_file ${one}, ${AT}`,
    );
    expect((await ann.call("blame", { path: "a.txt", offset: 2, limit: 1 })).text).toBe(
      `Lines of /workspace/a.txt:\n2 other write_file ${two}, ${AT}`,
    );
    expect((await ann.call("blame", { path: "b.txt" })).error?.code).toBe("not_found");
    const past = await ann.call("blame", { path: "a.txt", offset: 4 });
    expect(past.error).toMatchObject({ reason: "offset_past_end", data: { lines: 3 } });
  });

  test("[HT-5] what does not fit comes with the cursor, each line once", async () => {
    const { ann, bob } = await desk({ limits: { callBurst: 1_000 } });
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    await write(ann, "a.txt", lines.join("\n"));
    for (let i = 0; i < 30; i += 2) lines[i] = `bob ${i}`;
    await write(bob, "a.txt", lines.join("\n"));
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? {} : { cursor };
      const page = await done(ann, "blame", { path: "a.txt", budget: 1_000, ...more });
      expect(page.text.length).toBeLessThanOrEqual(1_000);
      for (const { first, last } of valueOf(page)["runs"] as { first: number; last: number }[])
        for (let line = first; line <= last; line++) seen.push(line);
      cursor = valueOf(page)["cursor"] as string | undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(lines.map((_, i) => i + 1));
  });
});

describe("going back", () => {
  test("[HT-10] [HT-11] a snapshot of files and trees is restored as one record, which can be undone", async () => {
    const { ann, session } = await desk();
    await write(ann, "a.txt", "one\n");
    const { token: tree } = await done(ann, "create_tree", { name: "Plan" });
    const made = await done(ann, "snapshot_create", { label: "before" });
    const { id } = valueOf(made);
    expect(made.text).toBe(`Snapshot before: id ${String(id)}`);
    expect((await done(ann, "snapshot_list")).text).toBe(`${String(id)} before by editor, ${AT}`);
    await write(ann, "a.txt", "ONE\n");
    await write(ann, "b.txt", "b\n");
    const add = { parentNodeId: "n0", payloadType: "Task", expectedVersion: tree };
    const { token } = await done(ann, "add_child", add);
    const { seq } = session.at;
    const restored = await done(ann, "snapshot_restore", { id, expectedVersion: token });
    expect(session.at.seq).toBe(seq + 1);
    expect(restored.text).toBe(
      `Restored ${String(id)} (2 changes of files, 1 change of tree)\n[Token ${restored.token ?? ""}]\nchanged /workspace/a.txt (+1 -1)\n@@ -1 +1 @@\n-ONE\n+one\nremoved /workspace/b.txt (+0 -1)\n@@ -1 +0,0 @@\n-b`,
    );
    expect((await session.log({ newestFirst: true, limit: 1 }))[0]?.kind).toBe("restore");
    expect(session.files().map(({ path }) => path)).toEqual(["/workspace/a.txt"]);
    await done(ann, "undo_changes");
    expect(await text(ann, "b.txt")).toBe("b\n");
  });

  test("[HT-11] a path, the files or the trees alone", async () => {
    const { ann } = await desk();
    await write(ann, "a.txt", "one\n");
    await write(ann, "src/b.txt", "one\n");
    const { id } = valueOf(await done(ann, "snapshot_create", { label: "before" }));
    await write(ann, "a.txt", "two\n");
    await write(ann, "src/b.txt", "two\n");
    expect((await done(ann, "snapshot_restore", { id, scope: "trees" })).text).toBe(
      `Nothing to restore: the trees are as at ${String(id)}.`,
    );
    await done(ann, "snapshot_restore", { id, path: "src" });
    expect([await text(ann, "a.txt"), await text(ann, "src/b.txt")]).toEqual(["two\n", "one\n"]);
    await done(ann, "snapshot_restore", { id, scope: "files" });
    expect(await text(ann, "a.txt")).toBe("one\n");
    const wrong = await ann.call("snapshot_restore", { id: String(id), path: "a.txt", scope: "files" });
    expect(wrong.error?.reason).toBe("restore_choice");
  });

  test("[HT-12] the work of others is not reverted unless the host allows it", async () => {
    for (const agentsMayRestore of [false, true]) {
      const { ann, bob } = await desk({ agentsMayRestore });
      await write(ann, "a.txt", "one\n");
      await write(ann, "b.txt", "one\n");
      const { id } = valueOf(await done(ann, "snapshot_create", { label: "before" }));
      await write(ann, "a.txt", "two\n");
      await write(bob, "b.txt", "two\n");
      await write(bob, "c.txt", "new\n");
      // Beside others' work in the same directory.
      await done(ann, "snapshot_restore", { id, path: "a.txt" });
      expect(await text(ann, "a.txt")).toBe("one\n");
      const others = await ann.call<unknown>("snapshot_restore", { id });
      if (agentsMayRestore) expect(await text(ann, "b.txt")).toBe("one\n");
      else
        expect(others.text).toBe(
          '[Error] This would revert the work of "other" in /workspace/b.txt (record 6). Restore a part that only you have changed, or ask the host.',
        );
      expect(await text(ann, "c.txt")).toBe(agentsMayRestore ? undefined : "new\n");
    }
  });

  test("[HT-13] [HT-14] one file of a larger change is undone, and the undo undone", async () => {
    const { ann } = await desk();
    await write(ann, "a.txt", "a\n");
    await write(ann, "b.txt", "b\n");
    const patch = [
      { file: "a.txt", line: 1, op: "replace", old: "a", new: "A" },
      { file: "b.txt", line: 1, op: "replace", old: "b", new: "B" },
    ];
    await done(ann, "apply_patch", { patch });
    const dry = await done(ann, "undo_changes", { record: 3, path: "a.txt", dryRun: true });
    expect(dry.text).toBe(
      "[Dry run] Undid record 3 (apply_patch /workspace/a.txt /workspace/b.txt), only in a.txt\nchanged /workspace/a.txt (+1 -1)\n@@ -1 +1 @@\n-A\n+a",
    );
    const undone = await done(ann, "undo_changes", { record: 3, path: "a.txt" });
    expect(undone.text).toBe(
      `Undid record 3 (apply_patch /workspace/a.txt /workspace/b.txt), only in a.txt\n[Token ${undone.token ?? ""}]\n[To redo, undo record 4]\nchanged /workspace/a.txt (+1 -1)\n@@ -1 +1 @@\n-A\n+a`,
    );
    expect([await text(ann, "a.txt"), await text(ann, "b.txt")]).toEqual(["a\n", "B\n"]);
    await done(ann, "undo_changes", { record: 4 });
    expect([await text(ann, "a.txt"), await text(ann, "b.txt")]).toEqual(["A\n", "B\n"]);
  });

  test("[HT-13] [HT-1] a record that is undone in one file, or was kept, still counts as done", async () => {
    const { ann, bob } = await desk();
    await write(ann, "a.txt", "a\n");
    await write(ann, "b.txt", "b\n");
    const patch = [
      { file: "a.txt", line: 1, op: "replace", old: "a", new: "A" },
      { file: "b.txt", line: 1, op: "replace", old: "b", new: "B" },
    ];
    await done(ann, "apply_patch", { patch });
    await done(ann, "undo_changes", { record: 3, path: "a.txt" });
    const lines = (await ann.call("list_changes", { agent: "me" })).text.split("\n");
    expect(lines.filter((line) => line.endsWith("(undone)"))).toEqual([]);
    expect(lines[0]).toContain("editor undo_changes /workspace/a.txt, ");
    expect((await bob.call("list_changes", { agent: "me" })).text).toBe("No changes.");
    const rest = await done(ann, "undo_changes");
    expect(rest.text).toContain("Undid record 3 (apply_patch");
    expect([await text(ann, "a.txt"), await text(ann, "b.txt")]).toEqual(["a\n", "b\n"]);

    const mine = await write(ann, "c.txt", "c\n");
    await write(bob, "c.txt", "d\n");
    const record = Number(mine.split("-")[0]);
    const part = await done(ann, "undo_changes", { record: [2, record], partial: true });
    expect(part.text).toContain(`Not undone: record ${record}: `);
    const after = (await ann.call("list_changes", { path: "c.txt" })).text.split("\n");
    expect(after.filter((line) => line.endsWith("(undone)"))).toEqual([]);
  });

  test("[HT-15] a record is named by its number or by its token, as lists and blame print it", async () => {
    const { ann, bob } = await desk();
    const first = await write(ann, "a.txt", "one\n");
    await write(bob, "b.txt", "two\n");
    await write(ann, "a.txt", "one\nmore\n");
    const listed = (await done(ann, "list_changes", { agent: "me" })).text.split(" ")[0] ?? "";
    const blamed = (await done(ann, "blame", { path: "a.txt", offset: 2 })).text.split(" ").at(-2) ?? "";
    expect(blamed).toBe(`${listed},`);
    const shown = await done(ann, "diff_changes", { record: listed });
    expect(shown.text).toBe((await done(ann, "diff_changes", { record: 3 })).text);
    expect(shown.text).toBe((await done(ann, "diff_changes", { record: "3" })).text);
    expect((await done(ann, "diff_changes", { since: 2 })).text).toContain("+more");
    expect((await done(ann, "list_changes", { since: first })).text).toBe(
      (await done(ann, "list_changes", { since: 1 })).text,
    );
    await done(ann, "undo_changes", { record: listed });
    expect(await text(ann, "a.txt")).toBe("one\n");
    await done(ann, "undo_changes", { since: 0 });
    expect([await text(ann, "a.txt"), await text(ann, "b.txt")]).toEqual([undefined, "two\n"]);
    const reasons = [];
    for (const record of ["1-00000000", "99-00000000", "x", "", 99])
      reasons.push((await ann.call("undo_changes", { record })).error?.reason);
    expect(reasons).toEqual([
      "unknown_position",
      "unknown_position",
      "bad_token",
      "bad_token",
      "nothing_to_undo",
    ]);
  });

  test("[HT-13] [HIST-46] [HIST-70] [HT-2] what history knows of a file follows it to its present path", async () => {
    const { ann, bob, session } = await desk();
    await write(ann, "f.txt", "1\n");
    await write(ann, "other.txt", "o\n");
    await write(ann, "f.txt", "1\n2\n");
    await done(bob, "move_file", { source: "f.txt", destination: "h.txt" });
    const listed = valueOf(await done(ann, "list_changes", { path: "h.txt" }))["changes"];
    expect((listed as { record: number }[]).map(({ record }) => record)).toEqual([4, 3, 1]);
    expect((await session.log({ path: "h.txt", limit: 9 })).map(({ seq }) => seq)).toEqual([1, 3, 4]);
    expect((await done(ann, "diff_changes", { record: 3, path: "h.txt" })).text).toContain("+2");
    expect((await done(ann, "undo_changes", { path: "h.txt" })).text).toContain("Undid record 3 ");
    expect(await text(ann, "h.txt")).toBe("1\n");
    expect(await text(ann, "other.txt")).toBe("o\n");
  });

  test("[HT-13] others' work is undone only where the host allows it", async () => {
    for (const agentsMayRestore of [false, true]) {
      const { ann, bob } = await desk({ agentsMayRestore });
      await write(bob, "a.txt", "a\n");
      const undone = await ann.call("undo_changes", { record: 2 });
      if (!agentsMayRestore) expect(undone.error?.reason).toBe("others_work");
      expect(await text(ann, "a.txt")).toBe(agentsMayRestore ? undefined : "a\n");
    }
  });
});

describe("rules of the host", () => {
  const rules = [
    { paths: ["secret/**"], deny: "all" as const },
    { paths: ["fixed/**"], deny: "write" as const },
  ];

  test("[HT-20] hidden files are in no list, diff or blame", async () => {
    const { ann, session } = await desk({ rules });
    const { seq, hash } = session.at;
    await session.workspace.write("secret/key.txt", "k\n");
    await session.workspace.writeAll([
      ["secret/more.txt", "m\n"],
      ["open.txt", "o\n"],
    ]);
    expect((await ann.call("list_changes", {})).text).not.toContain("secret");
    expect(valueOf(await ann.call("list_changes", {}))["changes"]).toHaveLength(1);
    const diff = await ann.call("diff_changes", { since: `${seq}-${hash.slice(0, 8)}` });
    expect(diff.text).toBe("added /workspace/open.txt (+1 -0)\n@@ -0,0 +1 @@\n+o");
    for (const [tool, input] of [
      ["blame", { path: "secret/key.txt" }],
      ["list_changes", { path: "secret" }],
      ["diff_changes", { record: 2, path: "secret/key.txt" }],
      ["snapshot_diff", { a: `${seq}-${hash.slice(0, 8)}`, path: "secret" }],
      ["snapshot_restore", { id: `${seq}-${hash.slice(0, 8)}`, path: "secret" }],
      ["undo_changes", { record: 2, path: "secret" }],
      ["request_landing", { reason: "x", paths: ["secret"] }],
    ] as const)
      expect((await ann.call<unknown>(tool, input)).error, tool).toMatchObject({
        code: "forbidden",
        reason: "path_denied",
      });
  });

  test("[HT-20] a record is listed for a directory only by what may be seen of it there", async () => {
    const closed = [
      { paths: ["sec/open.txt"], allow: "all" as const },
      { paths: ["sec"], deny: "all" as const },
    ];
    const { ann, session } = await desk({ rules: closed });
    await session.workspace.write("sec/open.txt", "o\n");
    await session.workspace.write("sec/key.txt", "k\n");
    await session.workspace.writeAll([
      ["sec/more.txt", "m\n"],
      ["pub.txt", "p\n"],
    ]);
    const listed = await ann.call("list_changes", { path: "sec" });
    expect(valueOf(listed)["changes"]).toHaveLength(1);
    expect(listed.text).not.toMatch(/pub|key|more\.txt/);
  });

  test("[HT-20] naming a hidden path says the same whether or not something is there or has changed", async () => {
    const { ann, session } = await desk({ rules });
    await session.workspace.write("secret/key.txt", "k\n");
    const { id } = await session.snapshot("now");
    for (const path of ["secret", "secret/key.txt", "secret/none.txt"]) {
      const told = new Set<string>();
      for (const [tool, input] of [
        ["blame", { path }],
        ["list_changes", { path }],
        ["diff_changes", { record: 1, path }],
        ["snapshot_diff", { a: id, path }],
        ["snapshot_restore", { id, path }],
        ["undo_changes", { path }],
        ["create_patch", { from: id, path }],
        ["request_landing", { reason: "x", paths: [path] }],
      ] as const) {
        const { error } = await ann.call<unknown>(tool, input);
        expect(error?.reason, tool).toBe("path_denied");
        told.add(error?.message ?? "");
      }
      expect([...told]).toHaveLength(1);
    }
  });

  test("[HT-21] an undo that is refused names no hidden file, with partial neither", async () => {
    const store = memoryStore();
    const before = await desk({ store, id: "moved" });
    await write(before.ann, "s/x.txt", "one\n");
    await done(before.bob, "edit_file", {
      path: "s/x.txt",
      edits: [{ old_text: "one", new_text: "two" }],
    });
    await done(before.bob, "move_file", { source: "s/x.txt", destination: "s/hidden-name.txt" });
    await before.session.close();
    const { ann } = await desk({ store, id: "moved", rules: [{ paths: ["s/**"], deny: "all" }] });
    for (const partial of [false, true]) {
      const refused = await ann.call("undo_changes", { record: 1, partial });
      expect(refused.error).toMatchObject({ code: "forbidden", reason: "path_denied" });
      expect(JSON.stringify(refused)).not.toContain("hidden-name");
    }
  });

  test("[HT-21] a restore or an undo that meets a hidden file does not name it", async () => {
    const { ann, session } = await desk({ rules: [{ paths: ["d/hidden-name/**"], deny: "all" }] });
    await write(ann, "d", "1\n");
    const { id } = await session.snapshot("file");
    await done(ann, "delete_file", { path: "d" });
    await session.workspace.write("d/hidden-name/x", "h\n");
    for (const [tool, input] of [
      ["snapshot_restore", { id, path: "d" }],
      ["undo_changes", {}],
    ] as const) {
      const refused = await ann.call<unknown>(tool, input);
      expect(refused.error, tool).toMatchObject({ code: "forbidden", reason: "path_denied" });
      expect(JSON.stringify(refused)).not.toContain("hidden-name");
    }
  });

  test("[HT-21] what agents may not write is not reverted either", async () => {
    const { ann, session } = await desk({ rules, agentsMayRestore: true });
    const { id } = await session.snapshot("empty");
    await session.workspace.writeAll([
      ["fixed/a.txt", "a\n"],
      ["b.txt", "b\n"],
    ]);
    for (const [tool, input] of [
      ["snapshot_restore", { id }],
      ["undo_changes", { record: 3 }],
    ] as const) {
      const refused = await ann.call<unknown>(tool, input);
      expect(refused.text, tool).toBe(
        "[Error] This would change files that a rule of the host closes to agents. Name a path without them, or ask the host.",
      );
    }
    await done(ann, "snapshot_restore", { id, path: "b.txt" });
    expect(session.files().map(({ path }) => path)).toEqual(["/workspace/fixed/a.txt"]);
  });
});

describe("landing requests", () => {
  test("[HT-30] [HT-31] a request is a record that changes nothing, open until it is settled or withdrawn", async () => {
    const { ann, bob, session } = await desk();
    await write(ann, "a.txt", "a\n");
    const asked = await done(ann, "request_landing", { reason: "It is done", paths: ["a.txt"] });
    expect(asked.text).toBe(
      `Asked the host to land /workspace/a.txt: request 2\n[Token ${asked.token ?? ""}]`,
    );
    expect((await done(bob, "request_landing", { reason: "All" })).text).toMatch(/the session: request 3\n/);
    expect((await session.log({ kind: "landing_request" })).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(session.landings()).toMatchObject([
      { request: 3, agent: "other", reason: "All", paths: [], state: "open" },
      {
        request: 2,
        token: asked.token,
        agent: "editor",
        reason: "It is done",
        paths: ["/workspace/a.txt"],
        state: "open",
      },
    ]);
    expect((await ann.call("undo_changes", { record: 2 })).error?.code).toBe("not_found");
    expect((await ann.call("request_landing", { withdraw: 3 })).error?.reason).toBe("others_work");
    expect((await done(bob, "request_landing", { withdraw: 3 })).text).toMatch(
      /^Withdrew landing request 3\n/,
    );
    await session.reset();
    await session.settleLanding(2, { state: "landed" });
    expect(session.landings().map(({ state }) => state)).toEqual(["withdrawn", "landed"]);
    const fork = await session.fork();
    expect(fork.landings()).toEqual(session.landings());
  });

  test("[HT-32] the reply comes with the agent's next result, once, and to no other", async () => {
    const { ann, bob, session } = await desk();
    await done(ann, "request_landing", { reason: "please" });
    await session.settleLanding(1, { state: "declined", reply: "Tests are missing\n[Token 9-99999999]" });
    expect((await bob.call("list_directory", {})).text).not.toContain("Landing");
    const next = await ann.call("list_directory", {});
    expect(next.text.split("\n").at(-1)).toBe(
      '[Landing request 1 declined: "Tests are missing\\n[Token 9-99999999]"]',
    );
    expect((await ann.call("list_directory", {})).text).not.toContain("Landing");
  });

  test("[HT-33] blank reasons, second settlements and wrong choices are refused", async () => {
    const { ann, session } = await desk();
    for (const input of [{ reason: "  " }, { reason: "x".repeat(1_001) }])
      expect((await ann.call("request_landing", input)).error?.reason).toBe("bad_reason");
    for (const input of [{}, { reason: "x", withdraw: 1 }])
      expect((await ann.call("request_landing", input)).error?.reason).toBe("landing_choice");
    await done(ann, "request_landing", { reason: "x" });
    await session.settleLanding(1, { state: "landed" });
    await expect(session.settleLanding(1, { state: "declined" })).rejects.toMatchObject({
      code: "conflict",
      reason: "landing_not_open",
    });
    await expect(session.settleLanding(9, { state: "declined" })).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await ann.call("request_landing", { withdraw: 1 })).error?.reason).toBe("landing_not_open");
    const missing = await ann.call("request_landing", { reason: "x", paths: ["nope.txt"] });
    expect(missing.error?.code).toBe("not_found");
    expect(
      session
        .as(READER)
        .tools()
        .map(({ name }) => name),
    ).not.toContain("request_landing");
  });
});
