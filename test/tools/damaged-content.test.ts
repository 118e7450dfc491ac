// Stored bytes that are gone: the file is named, the rest goes on, and the advice can be followed.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/store/index.ts";
import { openSession, type Agent, type CallResult, type Session } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";

const BIG = `${"x".repeat(399_999)}\n`;
const LOST = { code: "internal", reason: "blob_lost" };

/** A session with a large file, of whose stored bytes one is changed. */
async function damaged(text = BIG): Promise<{ session: Session; agent: Agent; close: () => Promise<void> }> {
  const directory = scratch();
  const id = "damaged";
  const first = sqliteStore({ directory });
  const session = await openSession({ store: first, id });
  await session.workspace.write("big.txt", text);
  await session.workspace.write("small.txt", "xx needle\n");
  await session.close();
  await first.close();
  const blobs = join(directory, "sessions", id, "blobs");
  const [name = ""] = readdirSync(blobs).filter((file) => statSync(join(blobs, file)).size > 300_000);
  const bytes = readFileSync(join(blobs, name));
  bytes[200_000] = (bytes[200_000] ?? 0) ^ 1;
  writeFileSync(join(blobs, name), bytes);
  const store = sqliteStore({ directory });
  const again = await openSession({ store, id, toolsets: ["all"] });
  return {
    session: again,
    agent: again.as({ id: "editor", role: "editor" }),
    close: async () => {
      await again.close();
      await store.close();
    },
  };
}

test("[FILES-66] reading a damaged file names it, whatever the tool", async () => {
  const { agent, close } = await damaged();
  for (const [tool, input] of [
    ["read_file", { path: "big.txt" }],
    ["stat_file", { path: "big.txt" }],
    ["edit_file", { path: "big.txt", edits: [{ old_text: "y", new_text: "z" }] }],
    ["replace_in_files", { pattern: "xx", replacement: "y" }],
    ["validate_json", { path: "big.txt" }],
  ] as const) {
    const result: CallResult = await agent.call<unknown>(tool, input);
    expect(result.error, tool).toMatchObject({ ...LOST, data: { path: "/workspace/big.txt" } });
    expect(result.text, tool).toContain("Stored bytes of /workspace/big.txt are missing or damaged");
  }
  const both = await agent.call("read_file", { paths: ["big.txt", "small.txt"] });
  expect(both.text).toContain("[Not read: Stored bytes of /workspace/big.txt");
  expect(both.text).toContain("xx needle");
  await close();
});

test("[WEAVE-19] nothing is glued to lost bytes: what is left can be taken back", async () => {
  const { session, agent, close } = await damaged("x".repeat(400_000));
  const append = async (content: string): Promise<void> => {
    const appended = await agent.call("write_file", { path: "big.txt", mode: "append", content });
    expect(appended.ok, appended.text).toBe(true);
  };
  await append("\nC\n");
  const first = session.at.seq;
  await append("D\n");
  const undone = await session.undo({ record: first });
  expect(undone.undone).toEqual([first]);
  await close();
});

test("[FILES-66] a search goes on with the other files and names the damaged one", async () => {
  const { agent, close } = await damaged();
  const result = await agent.call("search_files", { pattern: "needle" });
  expect(result.value).toMatchObject({ damaged: ["/workspace/big.txt"], hits: [{ line: 1 }] });
  expect(result.text).toContain("[Not searched: big.txt: stored bytes are missing or damaged");
  expect(result.text).toContain("small.txt:1: xx needle");
  const without = await agent.call("replace_in_files", {
    pattern: "xx",
    replacement: "y",
    exclude: ["big.txt"],
  });
  expect(without.ok, without.text).toBe(true);
  await close();
});

test("[FILES-66] a damaged file is copied, moved, overwritten and deleted, and that is undone and shown", async () => {
  const { agent, close } = await damaged();
  const steps = [
    ["copy_file", { source: "big.txt", destination: "copy.txt" }],
    ["undo_changes", {}],
    ["move_file", { source: "big.txt", destination: "moved.txt" }],
    ["diff_changes", {}],
    ["write_file", { path: "moved.txt", content: "more", mode: "append" }],
    ["write_file", { path: "moved.txt", content: "anew\n", mode: "overwrite" }],
    ["diff_changes", {}],
    ["edit_file", { path: "moved.txt", edits: [{ old_text: "anew", new_text: "again" }] }],
    ["undo_changes", {}],
    ["undo_changes", {}],
    ["delete_file", { path: "moved.txt" }],
    ["diff_changes", {}],
  ] as const;
  const texts: string[] = [];
  for (const [tool, input] of steps) {
    const result: CallResult = await agent.call<unknown>(tool, input);
    expect(result.ok, `${tool}: ${result.text}`).toBe(true);
    texts.push(result.text);
  }
  expect(texts.at(-1)).toContain("[stored bytes missing or damaged: 400004 bytes before, none after]");
  await close();
});

test("[FILES-67] bytes that are not UTF-8 are shown in no diff, hunk or conflict", async () => {
  const session = await openSession({ toolsets: ["all"] });
  const agent = session.as({ id: "editor", role: "editor" });
  const latin = Uint8Array.from([0x61, 0xe9, 0x62, 10]);
  await session.workspace.write("latin.txt", latin, { encoding: "latin1" });
  await session.workspace.write("text.txt", "a\ufffdb\n");
  const seen = await agent.call("read_file", { path: "latin.txt" });
  const edit = (path: string, old_text: string): Promise<CallResult> =>
    agent.call("edit_file", { path, edits: [{ old_text, new_text: "z" }] });
  const written = await edit("latin.txt", "a");
  const diff = await agent.call("diff_changes", {});
  const stale = await agent.call("edit_file", {
    path: "latin.txt",
    edits: [{ old_text: "a", new_text: "c" }],
    expectedVersion: (seen.value as { token: string }).token,
    onConflict: "rebase",
  });
  for (const { text } of [written, diff, stale]) expect(text).not.toContain("\ufffd");
  expect(diff.text).toContain("[not text: 4 bytes before, 4 bytes after]");
  expect(stale.error).toMatchObject({ reason: "stale_version" });
  // A file that holds the character itself is text.
  expect((await edit("text.txt", "b")).text).toContain("+a\ufffdz");
});
