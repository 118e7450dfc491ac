import { describe, expect, test } from "vitest";
import type { HoldfastError } from "../../src/errors.ts";
import { commitAs } from "../../src/session/actor.ts";
import { openCore } from "../../src/session/open-core.ts";
import { History } from "../../src/session/history.ts";
import { memoryStore } from "../../src/store/index.ts";
import { contents, hosted, put, type Hosted } from "./host-session.ts";
import { notesSlice, type NoteChange, type NotesState } from "./notes-slice.ts";
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

  test("[HIST-44] over very many records it names ten, and its data has all", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "0");
    const many = Array.from({ length: 300 }, (_, i) => i + 2);
    for (const record of many)
      await host.do("bob", "splice_file", {
        path: "f",
        at: 0,
        remove: String(record - 2).length,
        insert: String(record - 1),
      });
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.message).toBe(
      "Nothing was undone: record 2: /workspace/f was changed in the same place by records 3 and 301. " +
        "Undo records 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 290 more together (the error's data lists all, as together).",
    );
    expect(error.data["together"]).toEqual(many);
    await host.session.undo({ record: error.data["together"] as number[] });
    expect(await host.text()).toBe("0");
  });

  test("[HIST-44] glues no line to another, and works together with the lines in the way", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "alpha\nbeta");
    await put(host.as("ann"), "f", "alpha\nbeta\ngamma\n");
    await host.do("bob", "splice_file", { path: "f", at: 17, remove: 0, insert: "delta\n" });
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.message).toMatch(/f got text by record 3 that would be glued to another line/);
    expect(error.data["together"]).toEqual([2, 3]);
    expect(await host.text()).toBe("alpha\nbeta\ngamma\ndelta\n");
    expect((await host.session.undo({ record: [2, 3] })).undone).toEqual([3, 2]);
    expect(await host.text()).toBe("alpha\nbeta");
  });

  test("[WEAVE-17] a byte order mark is of no line", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "\uFEFFimport x");
    await host.do("bob", "splice_file", { path: "f", at: 3, remove: 8, insert: "" });
    await host.do("cat", "splice_file", { path: "f", at: 3, remove: 0, insert: "call()\n" });
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.data["together"]).toEqual([2, 3]);
    await host.session.undo({ record: [2, 3] });
    expect(await host.text()).toBe("\uFEFFimport x");
  });

  test("[WEAVE-11] no text comes to be before a byte order mark", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "\uFEFFone\ntwo\n");
    await put(host.as("bob"), "f", "ONE\ntwo\n", "overwrite");
    await host.do("cat", "splice_file", { path: "f", at: 0, remove: 0, insert: "// head\n" });
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.data["together"]).toEqual([2, 3]);
    await host.session.undo({ record: 3 });
    await host.session.undo({ record: 2 });
    expect(await host.text()).toBe("\uFEFFone\ntwo\n");
  });

  test("[HIST-44] [WEAVE-19] a file that is no text has no lines to be glued", async () => {
    const host = await session();
    await host.session.workspace.write("f", Buffer.from("\xff\nb", "latin1"));
    await host.do("ann", "splice_file", { path: "f", at: 3, remove: 0, insert: "\n" });
    await host.do("bob", "splice_file", { path: "f", at: 4, remove: 0, insert: "c\n" });
    await host.session.undo({ record: 2 });
    expect(Buffer.from(await host.session.workspace.read("f")).toString("latin1")).toBe("\xff\nbc\n");
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
    expect(error.message).toContain(
      "/workspace/f up to record 2 is pruned. No other undo changes that: restore or write what is to be there.",
    );
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

  test("[HIST-45] what was emptied before it was deleted comes back with the deletion's undo", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await put(host.as("ann"), "g", "another\n");
    await put(host.as("bob"), "f", "", "overwrite");
    await host.do("cat", "delete_one", { path: "f" });
    const error = await refusal(host.session.undo({ record: 3 }));
    expect(error.message).toContain("/workspace/f was deleted by record 4. Undo records 3 and 4 together");
    await host.session.undo({ record: [3, 4] });
    expect(await host.text()).toBe("one\n");
  });

  test("[HIST-45] deletion and re-creation are one history", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "delete_one", { path: "f" });
    await put(host.as("bob"), "f", "two\n");
    const error = await refusal(host.session.undo({ record: 2 }));
    expect(error.message).toContain("/workspace/f was created again by record 3");
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
    const { message } = await refusal(host.session.undo({ record: 2 }));
    expect(message).toContain(
      "/workspace/f exists already: another file is there, since record 3. Undo records 2 and 3 together.",
    );
    await host.session.undo({ record: [2, 3] });
    expect(await contents(host.session)).toEqual({ f: "one\n" });
  });

  test("[HIST-44] also one that another file was moved to", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "delete_one", { path: "f" });
    await put(host.as("bob"), "g", "other\n");
    await host.do("bob", "move_one", { path: "g", to: "f" });
    const { message, data } = await refusal(host.session.undo({ record: 2 }));
    expect(message).toContain("another file is there, since record 4");
    expect(data["together"]).toEqual([2, 4]);
    await host.session.undo({ record: [2, 4] });
    expect(await contents(host.session)).toEqual({ f: "one\n", g: "other\n" });
  });

  test("[HIST-44] also one that another file gets by the same undo, and every record that was meant is in the list", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "delete_one", { path: "f" });
    await put(host.as("bob"), "g", "other\n");
    await host.do("bob", "move_one", { path: "g", to: "f" });
    await host.do("bob", "move_one", { path: "f", to: "g" });
    const { message, data } = await refusal(host.session.undo({ record: [2, 5] }));
    expect(message).toContain("another file is there, since record 4. Undo records 2, 4 and 5 together");
    expect(data["together"]).toEqual([2, 4, 5]);
    await host.session.undo({ record: [2, 4, 5] });
    expect(await contents(host.session)).toEqual({ f: "one\n", g: "other\n" });
  });

  test("[HIST-41] names that are taken are told beside what else is in the way", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "delete_one", { path: "f" });
    await put(host.as("ann"), "g", "two\n");
    await host.do("ann", "delete_one", { path: "g" });
    await put(host.as("bob"), "h", "other\n");
    await host.do("bob", "move_one", { path: "h", to: "f" });
    await put(host.as("bob"), "g", "again\n");
    const { message, data } = await refusal(host.session.undo({ record: [2, 4] }));
    expect(message).toContain("/workspace/g was created again by record 7");
    expect(message).toContain("/workspace/f exists already: another file is there, since record 6");
    expect(data["together"]).toEqual([2, 4, 6, 7]);
    await host.session.undo({ record: [2, 4, 6, 7] });
    expect(await contents(host.session)).toEqual({ f: "one\n", g: "two\n", h: "other\n" });
  });

  test("[HIST-32] a restore brings back a file that died where another died later, and is undone", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "move_one", { path: "f", to: "g" });
    await host.session.undo({ record: [1, 2] });
    await put(host.as("ann"), "h", "two\n");
    await host.do("ann", "move_one", { path: "h", to: "g" });
    await host.do("ann", "delete_one", { path: "g" });
    await host.session.restore({ to: 1 });
    expect(await contents(host.session)).toEqual({ f: "one\n" });
    expect((await host.session.blame({ path: "f" })).runs.map(({ by }) => by?.record)).toEqual([1]);
    await host.session.undo({ record: 7 });
    expect(await contents(host.session)).toEqual({});
    await host.session.undo({ record: 6 });
    expect(await contents(host.session)).toEqual({ g: "two\n" });
  });

  test("[HIST-45] a reset is not undone beneath what was made since, as a deletion is not", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.session.reset();
    await put(host.as("bob"), "f", "two\n");
    const { message, data } = await refusal(host.session.undo({ record: 2 }));
    expect(message).toBe(
      "Nothing was undone: record 2: /workspace/f was created again by record 3. Undo records 2 and 3 together.",
    );
    expect(data["together"]).toEqual([2, 3]);
    await host.session.undo({ record: [2, 3] });
    expect(await contents(host.session)).toEqual({ f: "one\n" });
    await host.session.undo({ record: 4 });
    expect(await contents(host.session)).toEqual({ f: "two\n" });
  });

  test("[HIST-45] an undo of moves is not undone beneath a later move", async () => {
    const host = await session();
    await put(host.as("ann"), "a", "a\n");
    await host.do("ann", "move_one", { path: "a", to: "b" });
    await host.do("ann", "move_one", { path: "b", to: "c" });
    await host.session.undo({ record: [2, 3] }); // 4
    await host.do("ann", "move_one", { path: "a", to: "q" });
    const { message, data } = await refusal(host.session.undo({ record: 4 }));
    expect(message).toContain("/workspace/q was moved again by record 5");
    await host.session.undo({ record: data["together"] as number[] });
    expect(await contents(host.session)).toEqual({ c: "a\n" });
    await host.session.undo({ record: 6 });
    expect(await contents(host.session)).toEqual({ q: "a\n" });
  });
});

describe("undo of a record together with what took it back", () => {
  test("[HIST-40] [HIST-41] leaves neither of them, in one file", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "x\n");
    await host.do("ann", "splice_file", { path: "f", at: 0, remove: 1, insert: "zz" });
    await host.session.undo({ record: 2 });
    expect((await host.session.undo({ record: [2, 3] })).undone).toEqual([3, 2]);
    expect(await host.text()).toBe("x\n");
    await expect(host.session.undo({ record: 2 })).rejects.toMatchObject({ reason: "nothing_to_undo" });
    await host.session.undo({ record: 4 });
    await host.session.undo({ record: 3 });
    expect(await host.text()).toBe("zz\n");
  });

  test("[HIST-46] leaves neither where it was taken back in one file only", async () => {
    const { session: one, as } = await hosted({ tools: TOOLS });
    await put(as("ann"), "f", "x\n");
    await put(as("ann"), "g", "x\n");
    await as("ann").call("replace_in_files", { pattern: "x", replacement: "zz" });
    await one.undo({ record: 3, path: "f" });
    expect((await one.undo({ record: [3, 4] })).undone).toEqual([4, 3]);
    expect(await contents(one)).toEqual({ f: "x\n", g: "x\n" });
    await expect(one.undo({ record: 3 })).rejects.toMatchObject({ reason: "nothing_to_undo" });
  });

  test("[HIST-42] a record that stays taken back is passed over", async () => {
    const host = await session();
    for (const text of ["1", "2", "3"])
      await put(host.as("ann"), "f", text, text === "1" ? "create" : "append");
    await host.session.undo({ record: 2 }); // 4
    expect((await host.session.undo({ record: [2, 3] })).undone).toEqual([3]);
    expect(await host.text()).toBe("1");
    await host.session.undo({ record: 4 });
    expect(await host.text()).toBe("12");
  });

  test("[HIST-44] [HIST-46] what only the same record is in the way of is advised without the path", async () => {
    const host = await session();
    await put(host.as("ann"), "x", "one\n");
    await host.do("ann", "move_one", { path: "x", to: "c" });
    await put(host.as("ann"), "x", "other\n");
    await host.session.restore({ to: 1 });
    await host.session.restore({ to: 3 });
    const record = host.session.at.seq;
    const { message } = await refusal(host.session.undo({ record, path: "c" }));
    expect(message).toContain("Leave path out to undo all of it.");
    await host.session.undo({ record });
    expect(await contents(host.session)).toEqual({ x: "one\n" });
  });

  test("[HIST-44] works as advised: the list holds what would come back", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\ntwo\n");
    await host.do("ann", "splice_file", { path: "f", at: 4, remove: 3, insert: "TWO" });
    await host.do("ann", "splice_file", { path: "f", at: 4, remove: 3, insert: "2" });
    await host.session.undo({ record: 3 });
    const { data } = await refusal(host.session.undo({ record: [2, 4] }));
    expect(data["together"]).toEqual([2, 3, 4]);
    await host.session.undo({ record: [2, 3, 4] });
    expect(await host.text()).toBe("one\ntwo\n");
  });
});

describe("what a refused undo advises", () => {
  test("[HIST-44] the records in the way are told to the end, also where a file came or went", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await put(host.as("ann"), "f", "two\n", "append");
    await host.do("ann", "delete_one", { path: "f" });
    const { data, message } = await refusal(host.session.undo({ record: 1 }));
    expect(data["together"]).toEqual([1, 2, 3]);
    expect(message).toMatch(/Undo records 1, 2 and 3 together\.$/);
    await host.session.undo({ record: [1, 2, 3] });
    expect(await host.text()).toBe("no file");
  });

  test("[HIST-44] in other files too, that the records in the way changed", async () => {
    const { session: one, as } = await hosted({ tools: TOOLS });
    await put(as("ann"), "f", "x\n");
    await put(as("ann"), "g", "x\n");
    await as("ann").call("replace_in_files", { pattern: "x", replacement: "y" });
    await as("ann").call("replace_in_files", { pattern: "y", replacement: "z" });
    await as("ann").call("replace_in_files", { pattern: "z", replacement: "w", path: "g" });
    const { data } = await refusal(one.undo({ record: 3, path: "f" }));
    expect(data["together"]).toEqual([3, 4]);
    expect((await refusal(one.undo({ record: 3 }))).data["together"]).toEqual([3, 4, 5]);
    await one.undo({ record: [3, 4, 5] });
    expect(await contents(one)).toEqual({ f: "x\n", g: "x\n" });
  });

  test("[HIST-44] partial only where it takes something back", async () => {
    const host = await session();
    await put(host.as("ann"), "f", "one\n");
    await host.do("ann", "splice_file", { path: "f", at: 0, remove: 3, insert: "two" });
    await host.do("ann", "delete_one", { path: "f" });
    expect((await refusal(host.session.undo({ record: [1, 2] }))).message).not.toContain("partial");
    await put(host.as("ann"), "g", "one\n");
    expect((await refusal(host.session.undo({ record: [1, 2, 4] }))).message).toContain("or set partial");
    expect((await host.session.undo({ record: [1, 2, 4], partial: true })).undone).toEqual([4]);
  });

  test("[HIST-41] with partial, pruned records are left out and named", async () => {
    const host = await session();
    for (let i = 1; i <= 4; i++) await put(host.as("ann"), `f${i}`, "x\n");
    await host.session.prune({ before: 3 });
    const all = { agent: "ann", since: 0 };
    await expect(host.session.undo(all)).rejects.toThrow(
      "record 2 and all before it are pruned and cannot be undone. Name later ones only, or set partial",
    );
    const { undone, refused } = await host.session.undo({ ...all, partial: true });
    expect(undone).toEqual([4, 3]);
    expect(refused.map(({ seq, refusal: { message } }) => `${seq}: ${message}`)).toEqual([
      "2: it is pruned",
      "1: it is pruned",
    ]);
  });

  test("[HIST-41] [HIST-48] with partial, records of a file that need pruned ones are left out, and only those", async () => {
    const host = await session();
    const write = (text: string): Promise<unknown> => put(host.as("ann"), "f", text, "overwrite");
    await put(host.as("ann"), "f", "1\n");
    await write("1\n2\n");
    await host.session.undo({ record: 2 });
    for (const line of [4, 5, 6]) await write(`1\n${line}\n`);
    await host.session.prune({ before: 3 });
    const error = await refusal(host.session.undo({ record: [3, 4, 5, 6] }));
    expect(error.message).toBe(
      "Nothing was undone: record 3: what is needed of /workspace/f up to record 2 is pruned. " +
        "No other undo changes that: restore or write what is to be there, or set partial to undo what can be.",
    );
    const { undone, refused } = await host.session.undo({ record: [3, 4, 5, 6], partial: true });
    expect([undone, refused.map(({ seq }) => seq)]).toEqual([[6, 5, 4], [3]]);
    expect(await host.text()).toBe("1\n");
  });

  test("[HIST-40] a request names records in one way", async () => {
    const { session: one } = await session();
    const requests = [
      { record: 1, lastCallOf: "a" },
      { record: 1, agent: "a", since: 0 },
      { agent: "a" },
      {},
    ];
    for (const request of requests)
      await expect(one.undo(request as { record: number })).rejects.toMatchObject({ reason: "bad_options" });
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

/** A session with notes alone, and two records that wrote one of them: "1", "2". */
async function twoNotes() {
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
  const note = () => (core.timeline.state.slices.get("notes") as NotesState).get("n")?.text;
  return { core, history, note };
}

test("[HIST-43] outside files, what would be undone by two undos at once is refused, naming the other", async () => {
  const { core, history } = await twoNotes();
  for (const record of [2, 3, 4, 3]) await history.undo({ record });
  const error = await refusal(history.undo({ record: 5 }));
  expect(error.message).toContain("record 3 would be undone by record 4 again, and is by record 6");
  await expect(history.undo({ record: 3 })).rejects.toThrow("Record 3 was undone by record 6 already");
  await core.close();
});

test("[HIST-42] outside files too, a record undone with what took it back stays undone", async () => {
  const { core, history, note } = await twoNotes();
  await history.undo({ record: 2 });
  expect((await history.undo({ record: [2, 3] })).undone).toEqual([3, 2]);
  expect(note()).toBe("1");
  await expect(history.undo({ record: 2 })).rejects.toThrow("Record 2 was undone by record 4 already");
  await history.undo({ record: 4 });
  expect(note()).toBe("1");
  await history.undo({ record: 3 });
  expect(note()).toBe("2");
  await core.close();
});

test("[HIST-42] outside files too, a record that what is undone had brought back is undone with it", async () => {
  const { core, history, note } = await twoNotes();
  for (const record of [2, 3]) await history.undo({ record });
  expect(note()).toBe("2");
  expect((await history.undo({ record: [2, 4] })).undone).toEqual([4]);
  expect(note()).toBe("1");
  await expect(history.undo({ record: 2 })).rejects.toThrow("Record 2 was undone by record 3 already");
  await history.undo({ record: 5 });
  expect(note()).toBe("2");
  await core.close();
});
