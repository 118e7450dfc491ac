import { describe, expect, test } from "vitest";
import type { Agent, CallResult, PathRule } from "../../src/tools/index.ts";
import { bench, dataOf, EDITOR, OTHER } from "./bench-session.ts";

const PINNED: readonly PathRule[] = [
  { paths: ["ro/**"], deny: "write" },
  { paths: ["hid/**"], deny: "all" },
  { paths: ["pin/**"], require: "version" },
];

interface Desk {
  readonly ann: Agent;
  readonly bob: Agent;
  /** The id of the state before `pin/p.txt` and `d/o.txt` were changed. */
  readonly id: string;
  readonly tokenOf: (path: string) => string;
  readonly host: (path: string, text: string) => Promise<unknown>;
}

/** `pin/p.txt` and `d/o.txt`, each changed by one agent, the pinned one last. */
async function desk(rules: readonly PathRule[] = PINNED): Promise<Desk> {
  const { session } = await bench({ rules });
  const [ann, bob] = [session.as(EDITOR), session.as(OTHER)];
  const tokenOf = (path: string): string =>
    session.files().find((file) => file.path === `/workspace/${path}`)?.token ?? "";
  const change = async (path: string, content: string): Promise<void> => {
    const expectedVersion = tokenOf(path);
    const sent = { path, content, mode: "upsert" as const };
    const made = await ann.call("write_file", expectedVersion === "" ? sent : { ...sent, expectedVersion });
    if (!made.ok) throw new Error(made.text);
  };
  await change("pin/p.txt", "one\n");
  await change("d/o.txt", "one\n");
  const id = session.at;
  await change("d/o.txt", "two\n");
  await change("pin/p.txt", "two\n");
  const host = (path: string, text: string): Promise<unknown> => session.workspace.write(path, text);
  return { ann, bob, id: `${id.seq}-${id.hash.slice(0, 8)}`, tokenOf, host };
}

const read = async (agent: Agent, path: string): Promise<unknown> =>
  ((await agent.call("read_file", { path })).value as { content?: string } | undefined)?.content;

describe("versions of what goes back in history", () => {
  const CALLS: readonly [string, (id: string) => object][] = [
    ["snapshot_restore", (id) => ({ id, path: "pin" })],
    ["snapshot_restore", (id) => ({ id })],
    ["undo_changes", () => ({})],
    ["undo_changes", () => ({ path: "pin/p.txt" })],
  ];
  const call = (agent: Agent, tool: string, input: object): Promise<CallResult> =>
    agent.call<unknown>(tool, input);

  test.each(CALLS)("[HT-22] %s names the versions of files that a rule wants, %s", async (tool, sent) => {
    const { ann, id, tokenOf } = await desk();
    const token = tokenOf("pin/p.txt");
    const refused = await call(ann, tool, sent(id));
    expect(refused.error).toMatchObject({ code: "conflict", reason: "version_required" });
    expect(refused.text).toContain(token);
    expect(await read(ann, "pin/p.txt")).toBe("two\n");
    const dry = await call(ann, tool, { ...sent(id), dryRun: true, expectedVersion: token });
    expect(dry.text).toMatch(/^\[Dry run\]/);
    expect((await call(ann, tool, { ...sent(id), expectedVersion: { "pin/p.txt": token } })).ok).toBe(true);
    expect(await read(ann, "pin/p.txt")).toBe("one\n");
  });

  test.each(CALLS)("[HT-22] %s refuses versions that are not the latest, %s", async (tool, sent) => {
    const { ann, id, tokenOf } = await desk([]);
    const [old, now] = [id, tokenOf("pin/p.txt")];
    for (const expectedVersion of [old, { "pin/p.txt": old }])
      expect((await call(ann, tool, { ...sent(id), expectedVersion })).error?.reason).toBe("stale_version");
    expect((await call(ann, tool, { ...sent(id), expectedVersion: { "pin/p.txt": now } })).ok).toBe(true);
  });

  test("[HT-22] a tree is named beside files", async () => {
    const { ann, id, tokenOf } = await desk();
    const tree = await ann.call("create_tree", { payloadType: "Project" });
    expect(tree.ok).toBe(true);
    const p = tokenOf("pin/p.txt");
    const wanted = dataOf(await call(ann, "snapshot_restore", { id, expectedVersion: { t1: tree.token } }));
    expect(wanted["tokens"]).toMatchObject({ t1: tree.token });
    expect(Object.keys(wanted["tokens"] as object)).toEqual(["t1", "/workspace/pin/p.txt"]);
    expect((await call(ann, "undo_changes", { expectedVersion: { t1: tree.token } })).ok).toBe(true);
    const expectedVersion = { "pin/p.txt": p };
    expect((await call(ann, "undo_changes", { expectedVersion })).ok).toBe(true);
  });

  test("[CALL-3] the token of a restore is a version like any other, of every tool", async () => {
    const { ann, id, tokenOf } = await desk([]);
    const restored = await call(ann, "snapshot_restore", { id, path: "d" });
    const token = restored.ok ? (restored.token ?? "") : "";
    expect(token).toMatch(/\.0$/);
    const sent = { path: "d/o.txt", content: "three\n", mode: "overwrite" as const, dryRun: true };
    expect((await ann.call("write_file", { ...sent, expectedVersion: token })).ok).toBe(true);
    expect((await ann.call("create_patch", { from: token })).ok).toBe(true);
    const operations = [{ file: "d/o.txt", line: 1, op: "replace", old: "one", new: "1" }];
    const patch = { operations, base: { "d/o.txt": token } };
    expect((await ann.call("apply_patch", { patch })).ok).toBe(true);
    expect((await ann.call("apply_patch", { patch })).error?.reason).toBe("stale_base");
    const plain = tokenOf("d/o.txt");
    expect((await ann.call("write_file", { ...sent, expectedVersion: `${plain}.x` })).error?.reason).toBe(
      "bad_token",
    );
  });

  test("[CALL-111] what is forbidden whatever versions are named is said first", async () => {
    const { ann, bob, id, host, tokenOf } = await desk();
    await host("ro/r.txt", "two\n");
    const all = { pattern: "two", replacement: "three" };
    expect((await ann.call("replace_in_files", all)).error?.reason).toBe("path_denied");
    const stale = { ...all, expectedVersion: { "pin/p.txt": id } };
    expect((await ann.call("replace_in_files", stale)).error?.reason).toBe("path_denied");
    expect((await call(bob, "undo_changes", { record: 5, expectedVersion: id })).error?.reason).toBe(
      "others_work",
    );
    const tree = await ann.call("create_tree", { payloadType: "Project" });
    expect(tree.ok).toBe(true);
    await host("hid/h.txt", "secret\n");
    expect((await call(ann, "snapshot_restore", { id })).error?.reason).toBe("path_denied");
    const only = { ...all, path: "pin", expectedVersion: tokenOf("pin/p.txt") };
    expect((await ann.call("replace_in_files", only)).ok).toBe(true);
  });
});
