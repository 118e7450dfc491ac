import { describe, expect, test } from "vitest";
import { memoryStore, sqliteStore, type Store } from "../../src/store/index.ts";
import { openSession, type CallResult, type Session } from "../../src/tools/index.ts";
import { contents, hosted, put } from "../session/host-session.ts";
import { scratch } from "../store/scratch.ts";

const STORES: readonly (readonly [string, () => Store])[] = [
  ["memory", () => memoryStore()],
  ["sqlite", () => sqliteStore({ directory: scratch() })],
];

const FILES = { "Dir/a.txt": "a\n", "Dir/Sub/b.txt": "b\n", "Dir/z": "z\n", other: "o\n" };
const RENAMED = { "dir/a.txt": "a\n", "dir/Sub/b.txt": "b\n", "dir/z": "z\n", other: "o\n" };

async function start(store: Store) {
  const host = await hosted({ store, id: "s" });
  for (const [path, content] of Object.entries(FILES)) await put(host.as("ann"), path, content);
  const call = (tool: string, input: object): Promise<CallResult> =>
    host.as("bob").call<unknown>(tool, input);
  const move = (source: string, destination: string) => call("move_file", { source, destination });
  return { ...host, call, move };
}

function reasonOf(result: CallResult): string {
  return result.ok ? "ok" : `${result.error.code}/${result.error.reason}`;
}

const blamed = async (session: Session, path: string) =>
  (await session.blame({ path })).runs.map(({ by }) => by?.agent);

describe.each(STORES)("a name that differs in case only, %s", (_name, open) => {
  test("[FILES-95] a directory gets it in one move; undo, redo, restore, blame and reopening agree", async () => {
    const store = open();
    const { session, move, call, as } = await start(store);
    const before = session.at;
    const moved = await move("Dir", "dir");
    expect(moved.text).toContain("Moved /workspace/Dir to /workspace/dir (3 files)");
    expect(await contents(session)).toEqual(RENAMED);
    expect(await blamed(session, "dir/Sub/b.txt")).toEqual(["ann"]);
    expect(session.files().map(({ version }) => version)).toEqual([2, 2, 2, 1]);
    expect(session.at.seq).toBe(before.seq + 1);
    const twin = { path: "Dir/new", content: "", mode: "create" };
    expect(reasonOf(await call("write_file", twin))).toBe("conflict/case_clash");
    await session.undo({ record: session.at.seq });
    expect(await contents(session)).toEqual(FILES);
    await session.undo({ record: session.at.seq });
    expect(await contents(session)).toEqual(RENAMED);
    expect(await blamed(session, "dir/a.txt")).toEqual(["ann"]);
    await put(as("ann"), "dir/a.txt", "a\nmore\n");
    await session.restore({ to: before });
    expect(await contents(session)).toEqual(FILES);
    await session.undo({ record: session.at.seq });
    expect(await contents(session)).toEqual({ ...RENAMED, "dir/a.txt": "a\nmore\n" });
    const other = await openSession({ store, id: "s" });
    expect(await contents(other)).toEqual(await contents(session));
    expect((await other.verify()).ok).toBe(true);
    await other.close();
    await session.close();
  });

  test("[FILES-95] the undo is refused while another file keeps the new spelling, and nothing is moved", async () => {
    const { session, move, as } = await start(open());
    await move("Dir", "dir");
    const { seq } = session.at;
    await put(as("bob"), "dir/new", "n\n");
    await expect(session.undo({ record: seq })).rejects.toMatchObject({
      reason: "undo_refused",
      message: expect.stringContaining("/workspace/dir/new is in its way since record") as string,
    });
    await expect(session.undo({ record: seq, path: "dir/z" })).rejects.toMatchObject({
      reason: "undo_refused",
    });
    expect(await contents(session)).toEqual({ ...RENAMED, "dir/new": "n\n" });
    expect((await session.undo({ record: [seq, seq + 1] })).undone).toEqual([seq + 1, seq]);
    expect(await contents(session)).toEqual(FILES);
    await session.close();
  });

  test("[FILES-95] a file, a directory below, and both ways through a third name", async () => {
    const { session, move } = await start(open());
    for (const [from, to] of [
      ["Dir/a.txt", "Dir/A.TXT"],
      ["Dir/Sub", "Dir/sUB"],
      ["Dir", "x"],
      ["x", "dIR"],
      ["other", "Dir2"],
      ["dIR", "third"],
      ["Dir2", "dir"],
      ["third", "DIR2"],
    ] as const)
      expect(reasonOf(await move(from, to)), `${from} to ${to}`).toBe("ok");
    expect(await contents(session)).toEqual({
      "DIR2/A.TXT": "a\n",
      "DIR2/sUB/b.txt": "b\n",
      "DIR2/z": "z\n",
      dir: "o\n",
    });
    for (let record = session.at.seq, undone = 0; undone < 8; undone++)
      await session.undo({ record: record-- });
    expect(await contents(session)).toEqual(FILES);
    await session.close();
  });

  test("[FILES-94] [FILES-95] nothing goes into itself in another spelling, and a copy has no room beside its source", async () => {
    const { session, call, move } = await start(open());
    expect(reasonOf(await move("Dir", "dir/sub"))).toBe("invalid_argument/into_itself");
    expect(reasonOf(await move("Dir", "dIR/Sub/deep"))).toBe("invalid_argument/into_itself");
    const copy = { source: "Dir", destination: "dir" };
    expect(reasonOf(await call("copy_file", copy))).toBe("conflict/case_clash");
    expect(reasonOf(await call("copy_file", { ...copy, destination: "dir/x" }))).toBe(
      "invalid_argument/into_itself",
    );
    expect(reasonOf(await move("Dir/Sub", "dir"))).toBe("conflict/case_clash");
    expect(reasonOf(await move("other", "dir"))).toBe("conflict/case_clash");
    expect(await contents(session)).toEqual(FILES);
    await session.close();
  });

  test("[FILES-95] a patch that renames every file of a directory does it too, and can be undone", async () => {
    const { session, call } = await start(open());
    const { seq } = session.at;
    const patch = ["a.txt", "Sub/b.txt", "z"]
      .map((name) =>
        [
          `diff --git a/Dir/${name} b/dir/${name}`,
          "similarity index 100%",
          `rename from Dir/${name}`,
          `rename to dir/${name}`,
          "",
        ].join("\n"),
      )
      .join("");
    const applied = await call("apply_patch", { patch });
    expect(applied.text).not.toContain("[Error]");
    expect(await contents(session)).toEqual(RENAMED);
    await session.undo({ record: seq + 1 });
    expect(await contents(session)).toEqual(FILES);
    await session.close();
  });
});

test("[FILES-95] a hidden file in the way is not named", async () => {
  const store = memoryStore();
  const { session } = await start(store);
  await session.workspace.write("target/secret.key", "k");
  await session.close();
  const rules = [{ paths: ["**/*.key"], deny: "all" }] as const;
  const bound = await hosted({ store, id: "s", rules });
  const result = await bound.as("bob").call("move_file", { source: "Dir", destination: "TARGET" });
  expect(reasonOf(result)).toBe("forbidden/path_denied");
  expect(result.text).not.toMatch(/secret|key/);
  await bound.session.close();
});
