import { describe, expect, test } from "vitest";
import type { HoldfastError } from "../../src/errors.ts";
import { commitAs } from "../../src/session/actor.ts";
import { openCore } from "../../src/session/open-core.ts";
import { History } from "../../src/session/history.ts";
import { memoryStore } from "../../src/store/index.ts";
import { contents, hosted, put, type Hosted } from "./host-session.ts";
import { notesSlice, type NoteChange } from "./notes-slice.ts";
import { deleteOne, moveOne, setMode, spliceFile } from "./splice-tool.ts";

const TOOLS = [spliceFile, deleteOne, moveOne, setMode];

async function session(): Promise<
  Hosted & {
    do(agent: string, tool: string, input: object): Promise<void>;
    text(path?: string): Promise<string>;
  }
> {
  const host = await hosted({ tools: TOOLS });
  return {
    ...host,
    async do(agent, tool, input) {
      const result = await host.as(agent).call(tool, input);
      if (!result.ok) throw new Error(result.text);
    },
    text: async (path = "f") => (await contents(host.session))[path] ?? "no file",
  };
}

async function refusal(undo: Promise<unknown>): Promise<HoldfastError & { data: Record<string, unknown> }> {
  const error = (await undo.catch((cause: unknown) => cause)) as HoldfastError;
  expect(error).toMatchObject({ code: "conflict", reason: "undo_refused" });
  return error as HoldfastError & { data: Record<string, unknown> };
}

describe("undo in a file", () => {
  const lines = async () => {
    const host = await session();
    const line = (text: string) => `${text}\n`;
    await put(host.as("ann"), "f", ["base1", "base2", "base3"].map(line).join(""));
    await host.do("bob", "splice_file", { path: "f", at: 12, remove: 0, insert: "L2\n" });
    await host.do("cat", "splice_file", { path: "f", at: 15, remove: 6, insert: "" });
    await host.do("cat", "splice_file", { path: "f", at: 12, remove: 0, insert: "L5\nL6\n" });
    await host.do("ann", "splice_file", { path: "f", at: 15, remove: 3, insert: "" });
    expect(await host.text()).toBe("base1\nbase2\nL5\nL2\n");
    return host;
  };

  test("[HIST-40] tears nothing where the place itself was gone, one by one", async () => {
    const host = await lines();
    for (const record of [2, 3, 5]) await host.session.undo({ record });
    expect(await host.text()).toBe("base1\nbase2\nL5\nL6\nbase3\n");
  });

  test("[HIST-40] nor all at once, in any order", async () => {
    const host = await lines();
    expect((await host.session.undo({ record: [3, 2, 5] })).undone).toEqual([5, 3, 2]);
    expect(await host.text()).toBe("base1\nbase2\nL5\nL6\nbase3\n");
    const other = await lines();
    for (const record of [5, 3, 2]) await other.session.undo({ record });
    expect(await other.text()).toBe("base1\nbase2\nL5\nL6\nbase3\n");
  });

  test("[HIST-44] is refused over what it made, in words, and works together with it", async () => {
    const host = await session();
    await put(host.as("ann"), "d/f", "foo");
    await host.do("bob", "splice_file", { path: "d/f", at: 0, remove: 3, insert: "bar" });
    await host.do("cat", "splice_file", { path: "d/f", at: 0, remove: 3, insert: "baz" });
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.message).toBe(
      "Nothing was undone: record 2: /workspace/d/f was changed in the same place by record 3. " +
        "Undo records 2 and 3 together.",
    );
    expect(error.data).toEqual({
      refusals: [{ record: 2, message: "/workspace/d/f was changed in the same place by record 3" }],
      together: [2, 3],
    });
    await host.session.undo({ record: [2, 3] });
    expect(await host.text("d/f")).toBe("foo");
  });

  test("[HIST-41] takes back what it can with partial, in all files or none", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "foo\n");
    await put(host.as("ann"), "g", "");
    await host.do("bob", "splice_file", { path: "f", at: 0, remove: 3, insert: "bar" });
    await host.do("bob", "splice_file", { path: "g", at: 0, remove: 0, insert: "g\n" });
    await host.do("cat", "splice_file", { path: "f", at: 0, remove: 3, insert: "baz" });
    const report = await host.session.undo({ agent: "bob", since: 2, partial: true });
    expect(report.undone).toEqual([4]);
    expect(report.refused.map(({ seq }) => seq)).toEqual([3]);
    expect(await contents(host.session)).toEqual({ f: "baz\n", g: "" });
  });

  test("[HIST-43] a record under two undos stands again when neither does", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "1");
    await put(host.as("ann"), "f", "2", "append");
    for (const record of [2, 3, 4, 3]) await host.session.undo({ record }); // 3 to 6
    expect(await host.text()).toBe("12");
    await host.session.undo({ record: 5 }); // 7: 3 is under 4 and 6
    expect(await host.text()).toBe("12");
    await host.session.undo({ record: 6 });
    expect(await host.text()).toBe("12");
    await host.session.undo({ record: 4 });
    expect(await host.text()).toBe("1");
  });

  test("[HIST-47] of what is not visible counts all the same", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await put(host.as("bob"), "f", "two\n", "append");
    await host.do("ann", "delete_one", { path: "f" });
    await host.session.undo({ record: 2 });
    expect(await host.text()).toBe("no file");
    await host.session.undo({ record: 3 });
    expect(await host.text()).toBe("one\n");
    await host.session.undo({ record: 4 });
    expect(await host.text()).toBe("one\ntwo\n");
  });

  test("[HIST-46] takes a record back in one file, and it stands in the others", async () => {
    const both = (text: string) => [
      { file: "a", line: 1, op: "insert", new: text },
      { file: "b", line: 1, op: "insert", new: text },
    ];
    const host = await session();
    await put(host.as("ann"), "a", "a\n");
    await put(host.as("ann"), "b", "b\n");
    await host.do("ann", "apply_patch", { patch: both("new") });
    const before = await contents(host.session);
    await host.session.undo({ record: 3, path: "a" });
    expect(await contents(host.session)).toEqual({ a: "a\n", b: before["b"] });
    await expect(host.session.undo({ record: 3, path: "a" })).rejects.toMatchObject({
      reason: "nothing_to_undo",
    });
    await host.session.undo({ record: 3 });
    expect(await contents(host.session)).toEqual({ a: "a\n", b: "b\n" });
    await host.session.undo({ record: 4 });
    expect(await contents(host.session)).toEqual({ a: before["a"], b: "b\n" });
  });

  test("[HIST-48] is refused where what it needs is pruned", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await put(host.as("bob"), "f", "two\n", "append");
    await host.session.undo({ record: 2 });
    await put(host.as("cat"), "f", "three\n", "append");
    await host.session.prune({ before: 3 });
    const error = await refusal(host.session.undo({ record: 3 }));
    expect(error.message).toContain("/workspace/f up to record 2 is pruned");
    await host.session.undo({ record: 4 });
    expect(await host.text()).toBe("one\n");
    expect((await host.session.blame({ path: "f" })).runs).toEqual([{ first: 1, last: 1, before: 4 }]);
  });

  test("[HIST-112] after other changes of one call is refused", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    const result = await host
      .as("ann")
      .call("splice_file", { path: "f", at: 0, remove: 0, insert: "x", undo: 1 });
    expect(result.error).toMatchObject({ code: "conflict", reason: "undo_after_changes" });
  });
});

describe("what of a file is not text", () => {
  test("[HIST-45] a move is undone beneath edits, and refused beneath another move", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "move_one", { path: "f", to: "g" });
    await put(host.as("bob"), "g", "two\n", "append");
    await host.session.undo({ record: 2 });
    expect(await contents(host.session)).toEqual({ f: "one\ntwo\n" });
    await host.session.undo({ record: 4 });
    await host.do("bob", "move_one", { path: "g", to: "h" });
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.message).toContain(
      "/workspace/h was moved again by record 6. Undo records 2 and 6 together",
    );
    await host.session.undo({ record: [2, 6] });
    expect(await contents(host.session)).toEqual({ f: "one\ntwo\n" });
  });

  test("[HIST-45] text of before a move is undone after it", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await put(host.as("bob"), "f", "two\n", "append");
    await host.do("ann", "move_one", { path: "f", to: "d/g" });
    await put(host.as("cat"), "f", "another file\n");
    await host.session.undo({ record: 2 });
    expect(await contents(host.session)).toEqual({ "d/g": "one\n", f: "another file\n" });
  });

  test("[HIST-45] a file does not go with text of others in it", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await put(host.as("bob"), "f", "two\n", "append");
    const error = await refusal(host.session.undo({ record: 1 }));
    expect(error.message).toContain(
      "/workspace/f would go with text of record 2 in it. Undo records 1 and 2",
    );
    await host.session.undo({ record: [1, 2] });
    expect(await contents(host.session)).toEqual({});
  });

  test("[HIST-45] deletion and re-creation are one history", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "delete_one", { path: "f" });
    await put(host.as("bob"), "f", "two\n");
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.message).toContain("/workspace/f was created or deleted again by record 3");
    await host.session.undo({ record: [2, 3] });
    expect(await contents(host.session)).toEqual({ f: "one\n" });
    await host.session.undo({ record: 4 });
    expect(await contents(host.session)).toEqual({ f: "two\n" });
  });

  test("[HIST-45] the executable bit is what the newest standing record made it", async () => {
    const host = await session();
    const bit = async () => {
      const [record] = await host.session.log({ newestFirst: true, limit: 1 });
      return JSON.stringify(record?.changes).includes('"executable":true');
    };
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "set_mode", { path: "f", executable: true });
    await put(host.as("bob"), "f", "two\n", "append");
    await host.session.undo({ record: 2 });
    expect(await bit()).toBe(true);
    await host.session.undo({ record: 4 });
    await host.do("bob", "set_mode", { path: "f", executable: false });
    expect((await refusal(host.session.undo({ record: 2 }))).message).toContain(
      "given another mode by record 6",
    );
  });

  test("[HIST-45] files that changed names with each other get them back", async () => {
    const host = await session();
    await put(host.as("ann"), "a", "a\n");
    await put(host.as("ann"), "b", "b\n");
    await host.do("ann", "move_one", { path: "a", to: "c" });
    await host.do("ann", "move_one", { path: "b", to: "a" });
    await host.do("ann", "move_one", { path: "c", to: "b" });
    await host.session.undo({ record: [3, 4, 5] });
    expect(await contents(host.session)).toEqual({ a: "a\n", b: "b\n" });
    await put(host.as("bob"), "a", "more\n", "append");
    await host.session.undo({ record: 6 });
    expect(await contents(host.session)).toEqual({ a: "b\n", b: "a\nmore\n" });
    expect((await host.session.blame({ path: "b" })).runs.map(({ by }) => by?.record)).toEqual([1, 7]);
  });

  test("[HIST-44] a name that is taken meanwhile is in the way", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "move_one", { path: "f", to: "g" });
    await put(host.as("bob"), "f", "other\n");
    expect((await refusal(host.session.undo({ record: 2 }))).message).toContain(
      "/workspace/f exists already",
    );
  });
});

describe("a restore", () => {
  test("[HIST-36] [HIST-42] takes back what came after its position, until it is undone", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await put(host.as("bob"), "f", "two\n", "append");
    await put(host.as("cat"), "f", "three\n", "append");
    await host.session.restore({ to: 2 });
    const gone = host.session.undo({ record: 3 });
    await expect(gone).rejects.toMatchObject({ reason: "nothing_to_undo" });
    await expect(gone).rejects.toThrow("Record 3 was undone by record 4 already");
    await put(host.as("dan"), "f", "four\n", "append");
    await host.session.undo({ record: 2 });
    expect(await host.text()).toBe("one\nfour\n");
    await host.session.undo({ record: 4 });
    expect(await host.text()).toBe("one\nthree\nfour\n");
    expect((await host.session.blame({ path: "f" })).runs.map(({ by }) => by?.record)).toEqual([1, 3, 5]);
  });

  test("[HIST-36] [HIST-82] of a file that was moved and deleted brings the same file back", async () => {
    const host = await session();
    await put(host.as("ann"), "d/f", "one\n");
    await host.do("ann", "move_one", { path: "d/f", to: "e/f" });
    await put(host.as("bob"), "e/f", "two\n", "append");
    await host.do("ann", "delete_one", { path: "e/f" });
    await host.session.restore({ to: 3 });
    expect((await host.session.blame({ path: "e/f" })).runs.map(({ by }) => by?.record)).toEqual([1, 3]);
    await host.session.restore({ to: 1, path: "d" });
    expect(await contents(host.session)).toEqual({ "d/f": "one\n", "e/f": "one\ntwo\n" });
    await host.session.restore({ to: 1 });
    expect(await contents(host.session)).toEqual({ "d/f": "one\n" });
    expect((await host.session.blame({ path: "d/f" })).runs.map(({ by }) => by?.record)).toEqual([1]);
    await host.session.undo({ record: 7 });
    expect(await contents(host.session)).toEqual({ "d/f": "one\n", "e/f": "one\ntwo\n" });
  });

  test("[HIST-44] refusals never show keys of the journal", async () => {
    const host = await session();
    await put(host.as("ann"), "README.md", "one\n");
    await put(host.as("bob"), "README.md", "two\n");
    await host.do("ann", "delete_one", { path: "README.md" });
    for (const record of [1, 2]) {
      const { message } = await refusal(host.session.undo({ record }));
      expect(message).not.toMatch(/(file|record|dir|fold):/);
    }
  });
});

test("[HIST-40] undo is the same after a reopen, and in a fork", async () => {
  const store = memoryStore();
  const { session: one, as } = await hosted({ store, id: "s", tools: TOOLS });
  await put(as("ann"), "f", "one\n");
  await put(as("bob"), "f", "two\n", "append");
  await one.undo({ record: 2 });
  await put(as("cat"), "f", "three\n", "append");
  const fork = await one.fork();
  await one.close();
  const { session: two } = await hosted({ store, id: "s" });
  for (const again of [two, fork]) {
    await again.undo({ record: 3 });
    expect(await contents(again)).toEqual({ f: "one\ntwo\nthree\n" });
  }
});

test("[HIST-43] outside files, what would be undone by two undos at once is refused, naming the other", async () => {
  const journal = await memoryStore().open("s", { create: true });
  const core = await openCore(journal, [notesSlice]);
  const actor = { agent: "ann", role: "editor", now: () => new Date(0) };
  const history = new History(core, actor);
  let last: NoteChange["after"] = null;
  for (const text of ["1", "2"]) {
    const stored = [await journal.stage(new TextEncoder().encode(text)), 0, 1] as const;
    const change: NoteChange = {
      slice: "notes",
      op: "set",
      name: "n",
      before: last,
      after: { text, stored },
    };
    await commitAs(core, actor, "call", null, async (draft) => draft.change(change));
    last = change.after;
  }
  for (const record of [2, 3, 4, 3]) await history.undo({ record });
  const error = await refusal(history.undo({ record: 5 }));
  expect(error.message).toContain("record 3 would be undone by record 4 again, and is by record 6");
  await expect(history.undo({ record: 3 })).rejects.toThrow("Record 3 was undone by record 6 already");
  await core.close();
});
