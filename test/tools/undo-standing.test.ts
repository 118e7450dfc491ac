import { describe, expect, test } from "vitest";
import type { Agent, Session } from "../../src/tools/index.ts";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

async function two(): Promise<{ session: Session; ann: Agent; bob: Agent }> {
  const { session } = await bench();
  return { session, ann: session.as(EDITOR), bob: session.as(OTHER) };
}

async function text(session: Session, path: string): Promise<string | undefined> {
  if (!session.files().some((file) => file.path === `/workspace/${path}`)) return undefined;
  return new TextDecoder().decode(await session.workspace.read(path));
}

async function write(agent: Agent, path: string, content: string): Promise<void> {
  expect((await agent.call("write_file", { path, content })).error).toBeUndefined();
}

async function edit(agent: Agent, path: string, from: string, to: string): Promise<void> {
  const result = await agent.call("edit_file", { path, edits: [{ old_text: from, new_text: to }] });
  expect(result.ok).toBe(true);
}

/** The records that a call took back, or why it did not. */
async function undone(agent: Agent, input: object = {}): Promise<readonly number[] | string> {
  const result = await agent.call<{ undone: { record: number }[] }>("undo_changes", input);
  return result.ok ? result.value.undone.map(({ record }) => record) : result.text;
}

async function listedUndone(agent: Agent): Promise<number[]> {
  const { value } = await agent.call<{ changes: { record: number; undone?: boolean }[] }>("list_changes");
  return (value?.changes ?? []).filter((one) => one.undone === true).map(({ record }) => record);
}

describe("a record stands", () => {
  test("[HIST-49] [FILES-50] nowhere once it is undone by path: plain undo takes back the call before", async () => {
    const { session, ann } = await two();
    await write(ann, "a", "A\n");
    await write(ann, "b", "B\n");
    await write(ann, "c", "C\n");
    expect(await undone(ann, { path: "c" })).toEqual([3]);
    expect(await listedUndone(ann)).toEqual([3]);
    expect(await undone(ann)).toEqual([2]);
    expect((await session.undo({ lastCallOf: EDITOR.id })).undone).toEqual([1]);
    expect(session.files()).toEqual([]);
    expect(await undone(ann, { partial: true })).toContain("has made no change that could be undone");
    expect(await listedUndone(ann)).toEqual([3, 2, 1]);
  });

  test("[HIST-49] [FILES-50] nowhere once the host has restored or reset what it changed", async () => {
    for (const back of ["restore", "reset"] as const) {
      const { session, ann } = await two();
      await write(ann, "a", "A\n");
      if (back === "reset") await session.reset();
      await write(ann, "b", "B\n");
      if (back === "restore") await session.restore({ to: 1 });
      expect(await listedUndone(ann)).toEqual([back === "restore" ? 2 : 1]);
      expect(await undone(ann)).toEqual([back === "restore" ? 1 : 3]);
      expect(session.files()).toEqual([]);
      if (back === "reset") expect(await undone(ann)).toContain("has made no change that could be undone");
    }
  });

  test("[HIST-49] [HT-13] in the file where the undo of it was undone: it is not listed, and plain undo finds it", async () => {
    const { session, ann } = await two();
    await session.workspace.writeAll([
      ["a", "1\n"],
      ["b", "1\n"],
    ]);
    await write(ann, "c", "c\n");
    await ann.call("replace_in_files", { pattern: "1", replacement: "Z", include: ["a", "b"] });
    expect(await undone(ann, { record: 3, path: "a" })).toEqual([3]);
    expect(await listedUndone(ann)).toEqual([]);
    expect(await undone(ann, { record: 3 })).toEqual([3]);
    expect(await listedUndone(ann)).toEqual([3]);
    expect(await undone(ann, { record: 4 })).toEqual([4]);
    expect(await text(session, "a")).toBe("Z\n");
    expect(await listedUndone(ann)).toEqual([4]);
    expect(await undone(ann)).toEqual([3]);
    expect([await text(session, "a"), await text(session, "b"), await text(session, "c")]).toEqual([
      "1\n",
      "1\n",
      "c\n",
    ]);
  });

  test("[HIST-49] in another slice until it is undone as a whole", async () => {
    const { session, ann } = await two();
    await write(ann, "a", "A\n");
    const { value } = await ann.call<{ rootNodeId: string }>("create_tree", { name: "t" });
    expect(value?.rootNodeId).toBeDefined();
    await write(ann, "b", "B\n");
    expect(await undone(ann, { path: "b" })).toEqual([3]);
    expect(await undone(ann)).toEqual([2]);
    expect(await listedUndone(ann)).toEqual([3, 2]);
    expect(await undone(ann)).toEqual([1]);
    expect(session.files()).toEqual([]);
  });

  test("[HIST-44] one that does not is told with all that took it back, and what its caller can do", async () => {
    const { session, ann } = await two();
    await session.workspace.writeAll([
      ["a", "1\n"],
      ["b", "1\n"],
    ]);
    await ann.call("replace_in_files", { pattern: "1", replacement: "X" });
    await undone(ann, { record: 2, path: "a" });
    await undone(ann, { record: 2, path: "b" });
    expect(await undone(ann, { record: 2 })).toBe(
      "[Error] Record 2 was undone by records 3 and 4 already. Undo those to bring it back.",
    );
    await write(ann, "c", "c\n");
    await session.restore({ to: 4 });
    expect(await undone(ann, { record: 5 })).toBe(
      '[Error] Record 5 was undone by record 6 already. You cannot undo record 6 of "host": ask the host to undo record 6 to bring it back.',
    );
    await expect(session.undo({ record: 5 })).rejects.toThrow("Undo that to bring it back.");
  });
});

describe("a path", () => {
  test("[HIST-46] means the file that is there, not one that was", async () => {
    const { session, ann, bob } = await two();
    await write(ann, "a", "1\n2\n");
    await edit(ann, "a", "1", "one");
    await bob.call("move_file", { source: "a", destination: "b" });
    await write(bob, "a", "bob's own\n");
    const none = '[Error] "editor" has made no change at /workspace/a that could be undone.';
    expect(await undone(ann, { path: "a" })).toBe(none);
    expect(await undone(ann, { since: 0, path: "a" })).toContain("has made no change at /workspace/a");
    expect(await undone(ann, { record: 2, path: "a" })).toBe(
      "[Error] There is nothing of it that could be undone.",
    );
    expect((await ann.call("diff_changes", { record: 2, path: "a" })).text).toContain("No difference.");
    expect(await text(session, "b")).toBe("one\n2\n");
    expect((await ann.call("diff_changes", { record: 2, path: "b" })).text).toContain("+one");
    expect(await undone(ann, { path: "b" })).toEqual([2]);
    expect(await undone(ann, { record: 5, path: "b" })).toEqual([5]);
    expect(await text(session, "b")).toBe("one\n2\n");
  });

  test("[HIST-46] [HT-2] of a directory means what is in it now, for every way to ask", async () => {
    const { session, ann, bob } = await two();
    await write(ann, "d/a", "1\n2\n");
    await edit(ann, "d/a", "1", "one");
    await bob.call("move_file", { source: "d", destination: "e" });
    for (const path of ["e", "e/a", "d", "d/a"]) {
      for (const which of [{ record: 2 }, { since: 1 }, {}])
        expect(await undone(ann, { ...which, path, dryRun: true })).toEqual([2]);
      expect((await ann.call("diff_changes", { record: 2, path })).text).toContain("+one");
    }
    await write(bob, "d/a", "bob's own\n");
    for (const which of [{ record: 2 }, { since: 1 }, {}])
      expect(await undone(ann, { ...which, path: "d", dryRun: true })).toMatch(/nothing of it|no change at/);
    expect((await ann.call("diff_changes", { record: 2, path: "d" })).text).toContain("No difference.");
    expect(await undone(ann, { path: "e" })).toEqual([2]);
    expect([await text(session, "e/a"), await text(session, "d/a")]).toEqual(["1\n2\n", "bob's own\n"]);
  });

  test("[HIST-46] means a file that was deleted there, with what was done to it elsewhere", async () => {
    const { session, ann } = await two();
    await write(ann, "d/a", "1\n");
    await edit(ann, "d/a", "1", "one");
    await ann.call("move_file", { source: "d/a", destination: "e/a" });
    await ann.call("delete_file", { path: "e/a" });
    const { changes } = (await ann.call<{ changes: unknown[] }>("list_changes")).value ?? { changes: [] };
    expect(changes).toHaveLength(4);
    expect(await undone(ann, { since: 1, path: "e" })).toEqual([4, 3, 2]);
    expect(await text(session, "d/a")).toBe("1\n");
  });
});

describe("encodings", () => {
  test("[HIST-45] [FILES-27] an encoding is not taken back beneath bytes that were written in it", async () => {
    const { session, ann, bob } = await two();
    await write(ann, "x", "a\nb\n");
    const bytes = (content: string) => ({ path: "x", content_base64: content, mode: "append" as const });
    await bob.call("write_file", { ...bytes("/wo="), encoding: "binary" });
    await ann.call("write_file", bytes("/go="));
    expect(await undone(bob)).toBe(
      '[Error] Nothing was undone: record 2: /workspace/x would have the encoding "utf-8" with bytes of record 3 in it, which are of another. You cannot undo record 3 of "editor": ask the host to undo records 2 and 3 together.',
    );
    expect(session.files()[0]).toMatchObject({ encoding: "binary", size_bytes: 8 });
    expect((await session.undo({ record: [2, 3] })).undone).toEqual([3, 2]);
    expect(session.files()[0]).toMatchObject({ encoding: "utf-8", size_bytes: 4 });
    await session.undo({ record: 4 });
    expect(session.files()[0]).toMatchObject({ encoding: "binary", size_bytes: 8 });
    expect(await undone(ann)).toEqual([3]);
    expect(await undone(bob)).toEqual([2]);
    expect(session.files()[0]).toMatchObject({ encoding: "utf-8", size_bytes: 4 });
  });

  test("[HIST-45] [FILES-152] bytes do not come back into an encoding that they were never in", async () => {
    const { session, ann, bob } = await two();
    await write(ann, "y", "a\nü\nc\n");
    await edit(ann, "y", "ü\n", "");
    await bob.call("write_file", { path: "y", content: "a\nc\n", mode: "overwrite", encoding: "latin1" });
    const refused = await ann.call("undo_changes");
    expect(refused.text).toBe(
      '[Error] Nothing was undone: record 2: /workspace/y was given another encoding by record 3. You cannot undo record 3 of "other": ask the host to undo records 2 and 3 together.',
    );
    expect(refused.error?.data).toMatchObject({ together: [2, 3] });
    await edit(bob, "y", "a", "b");
    expect(await undone(bob)).toEqual([4]);
    expect(await undone(bob)).toEqual([3]);
    expect(await undone(ann)).toEqual([2]);
    expect([await text(session, "y"), session.files()[0]?.encoding]).toEqual(["a\nü\nc\n", "utf-8"]);
  });
});

describe("what is told", () => {
  test("[HIST-44] a refusal over very many files keeps its advice, and the list of records to undo together", async () => {
    const { session, ann, bob } = await two();
    const name = (i: number) => `${"a-directory-of-a-somewhat-longer-name/".repeat(4)}file-${i}.ts`;
    await session.workspace.writeAll(
      Array.from({ length: 160 }, (_, i) => [name(i), "export const a = 1;\n"] as const),
    );
    await ann.call("replace_in_files", { pattern: "const", replacement: "let" });
    await bob.call("replace_in_files", { pattern: "let a", replacement: "let b" });
    const { text: told, error } = await ann.call("undo_changes", { record: 2 });
    expect(told).toContain(
      '; and 140 more places. You cannot undo record 3 of "other": ask the host to undo records 2 and 3 together.',
    );
    expect(error?.data).toMatchObject({ together: [2, 3] });
  });

  test("[HIST-44] very many records are counted, and an agent is told what takes its own back", async () => {
    const { session, ann, bob } = await two();
    await write(ann, "x", "first\n");
    await write(ann, "other", "o\n");
    for (let i = 0; i < 20; i++)
      await ann.call("write_file", { path: "x", content: `${i}\n`, mode: "append" });
    const ten = "1, 3, 4, 5, 6, 7, 8, 9, 10, 11";
    const refused = await ann.call("undo_changes", { record: 1 });
    expect(refused.text).toBe(
      "[Error] Nothing was undone: record 1: /workspace/x would go with text of records 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 10 more in it. " +
        `Set since to 0 to undo all you did after record 0, records ${ten} and 11 more among it.`,
    );
    expect(refused.error?.data).toMatchObject({
      together: [1, ...Array.from({ length: 20 }, (_, i) => i + 3)],
    });
    expect((await ann.call("undo_changes", { since: 0, dryRun: true })).ok).toBe(true);

    await bob.call("write_file", { path: "other", content: "bob\n", mode: "append" });
    expect(await undone(ann, { record: 1 })).toContain(
      `. They are too many to name: ask the host to undo records ${ten} and 11 more together (the error's data lists all, as together).`,
    );
    const host = await session.undo({ record: 1 }).catch((error: unknown) => error);
    expect(host).toMatchObject({ data: { together: { length: 21 } } });

    for (let i = 0; i < 20; i++)
      await bob.call("write_file", { path: "x", content: `${i}\n`, mode: "append" });
    expect(await undone(ann, { record: 1 })).toMatch(
      /You cannot undo records 24, .* 33 and 10 more of "other": ask the host to undo records 1, .* and 31 more together \(the error/,
    );
  });

  test("[HIST-44] very many things that happened to a file are counted too", async () => {
    const { session, ann, bob } = await two();
    await write(ann, "x", "1\n");
    for (let i = 0; i < 30; i++) {
      await bob.call("delete_file", { path: "x" });
      await write(bob, "x", `${i}\n`);
    }
    const error = await session.undo({ record: 1 }).catch((cause: unknown) => cause);
    const { message, data } = error as { message: string; data: { together: number[] } };
    expect(message).toMatch(
      /deleted by record 10 and created again by record 11 and changed by 50 more\. Undo records 1, .* 10 and 51 more together/,
    );
    expect(data.together).toHaveLength(61);
  });

  test("[HIST-44] what was undone in very many records is told so, and brought back by the list in the data", async () => {
    const { session, ann } = await two();
    const names = Array.from({ length: 12 }, (_, i) => `f${i}`);
    await session.workspace.writeAll(names.map((name) => [name, "1\n"] as const));
    await ann.call("replace_in_files", { pattern: "1", replacement: "X" });
    for (const path of names) await undone(ann, { record: 2, path });
    const ten = "3, 4, 5, 6, 7, 8, 9, 10, 11, 12";
    expect(await undone(ann, { record: 2 })).toBe(
      `[Error] Record 2 was undone by records ${ten} and 2 more already. They are too many to name: ask the host to undo records ${ten} and 2 more to bring it back.`,
    );
    const error = await session.undo({ record: 2 }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      message: `Record 2 was undone by records ${ten} and 2 more already (the error's data lists all, as undoneBy). Undo those to bring it back.`,
    });
    const { undoneBy } = (error as { data: { undoneBy: number[] } }).data;
    await session.undo({ record: undoneBy });
    expect(await text(session, "f11")).toBe("X\n");
  });

  test("[HIST-44] what happened to a file since is told as it was", async () => {
    const { ann, bob } = await two();
    await write(ann, "x", "1\n");
    await bob.call("delete_file", { path: "x" });
    await write(ann, "x", "n\n");
    expect(await undone(ann, { record: 1 })).toBe(
      '[Error] Nothing was undone: record 1: /workspace/x was deleted by record 2 and created again by record 3. You cannot undo record 2 of "other": ask the host to undo records 1, 2 and 3 together.',
    );
  });

  test("[HIST-60] [HT-2] a change of the executable bit or the encoding alone is in every diff", async () => {
    const { session, ann } = await two();
    await write(ann, "x", "a\n");
    await session.workspace.write("x", "a\n", { executable: true });
    await ann.call("write_file", { path: "x", content: "a\n", mode: "overwrite", encoding: "latin1" });
    const { files } = await session.diff({ from: 1, to: 2 });
    expect(files).toMatchObject([
      { change: "changed", before: { executable: false }, after: { executable: true } },
    ]);
    expect((await session.undo({ record: 2, dryRun: true })).diff?.files).toHaveLength(1);
    const shown = async (input: object) => (await ann.call("diff_changes", input)).text.split("\n").slice(-2);
    expect(await shown({ record: 2 })).toEqual(["changed /workspace/x (+0 -0)", "[mode: executable]"]);
    expect((await shown({ record: 3 })).at(-1)).toBe("[encoding: utf-8 -> latin1]");
    expect(await shown({ since: 1 })).toEqual(["[mode: executable]", "[encoding: utf-8 -> latin1]"]);
    await session.undo({ record: 2 });
    expect((await shown({ record: 4 })).at(-1)).toBe("[mode: not executable]");
  });

  test("[HT-15] the position that a refusal of a pruned snapshot names can be restored", async () => {
    const { session, ann } = await two();
    await write(ann, "x", "0\n");
    const { value } = await ann.call<{ id: string }>("snapshot_create", { label: "s" });
    for (const content of ["1\n", "2\n", "3\n"])
      await ann.call("write_file", { path: "x", content, mode: "append" });
    await session.prune({ before: 4 });
    const refused = await ann.call("snapshot_restore", { id: value?.id ?? "" });
    const { oldest } = (refused.error?.data ?? {}) as { oldest?: number };
    expect(refused.text).toContain(`Use ${String(oldest)} or a later one`);
    expect((await ann.call("snapshot_restore", { id: String(oldest) })).ok).toBe(true);
    expect(await text(session, "x")).toBe("0\n1\n");
    expect((await ann.call("snapshot_restore", { id: "99" })).error?.reason).toBe("unknown_position");
  });

  test("[HT-15] a token of another history is told as one, with the newest record of this one", async () => {
    const { session, ann } = await two();
    await write(ann, "a", "1\n");
    const fork = await session.fork();
    const { token } = await ann.call("write_file", { path: "a", content: "z\n", mode: "append" });
    const other = fork.as(EDITOR);
    const input = { path: "a", content: "q\n", mode: "append" as const, expectedVersion: token };
    expect((await other.call("write_file", input)).text).toContain(
      "This token is not part of this session's history, whose newest record is 1. The latest token of /workspace/a is 1-",
    );
    await other.call("write_file", { path: "b", content: "b\n" });
    expect((await other.call("write_file", input)).text).toContain("is not part of this session's history");
  });
});

test("[HIST-148] the host takes back the last change that stands, whose it may be; again, the one before", async () => {
  const { session, ann, bob } = await two();
  await write(ann, "a", "A\n");
  await write(bob, "b", "B\n");
  await write(ann, "c", "C\n");
  const last = session.at.seq;
  await session.undo({ record: last, path: "c" });
  expect((await session.undo({ last: true })).undone).toEqual([last - 1]);
  expect((await session.undo({ last: true })).undone).toEqual([last - 2]);
  await expect(session.undo({ last: true })).rejects.toMatchObject({ reason: "nothing_to_undo" });
  await write(ann, "d", "D\n");
  await write(bob, "e", "E\n");
  expect((await session.undo({ last: true, path: "d" })).undone).toEqual([session.at.seq - 2]);
  await write(bob, "f", "F\n");
  await write(ann, "g", "G\n");
  const absent = {
    last: undefined,
    record: undefined,
    agent: undefined,
    since: undefined,
    lastCallOf: OTHER.id,
  };
  expect((await session.undo(absent as never)).undone).toEqual([session.at.seq - 2]);
  for (const wrong of [{ last: false }, { last: true, record: 1 }, {}])
    await expect(session.undo(wrong as { last: true })).rejects.toMatchObject({ reason: "bad_options" });
});
