import { z } from "zod";
import { describe, expect, test } from "vitest";
import { fileKey } from "../../src/session/files/file-keys.ts";
import { sqliteStore } from "../../src/store/index.ts";
import {
  defineTool,
  openSession,
  type Agent,
  type CallResult,
  type Session,
  type Tool,
} from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";
import { bench, dataOf, EDITOR, OTHER } from "./bench-session.ts";

/** Touches two files at once and wants a version of both. */
const pairTool: Tool = defineTool({
  name: "pair",
  toolset: "test",
  access: "write",
  title: "Pair",
  description: "Names two files.",
  version: "required",
  input: z.object({ a: z.string(), b: z.string() }),
  output: z.object({ ok: z.boolean() }),
  resolve: ({ a, b }, ctx) => [ctx.path(a, "file"), ctx.path(b, "file")],
  targets: (paths) => paths.map((path) => ({ key: fileKey(path), name: path })),
  run: async () => ({ ok: true }),
  text: () => "done",
});

async function written(
  session: Session,
  content: string,
  more: object = {},
): Promise<CallResult & { token: string }> {
  const result = await session.as(EDITOR).call("write_file", { path: "a.txt", content, ...more });
  if (!result.ok) throw new Error(result.text);
  return result as CallResult & { token: string };
}

describe("step 5: versions", () => {
  test("[CALL-50] a stale token is a conflict that brings the latest and who changed it", async () => {
    const { session } = await bench();
    const { token } = await written(session, "1");
    const latest = await session
      .as(OTHER)
      .call("write_file", { path: "a.txt", content: "2", mode: "overwrite" });
    const stale = await session.as(EDITOR).call("write_file", {
      path: "a.txt",
      content: "3",
      mode: "overwrite",
      expectedVersion: token,
    });
    expect(stale.error).toMatchObject({
      code: "conflict",
      reason: "stale_version",
      data: {
        target: "/workspace/a.txt",
        token: latest.ok ? latest.token : "",
        changes: [{ record: 2, agent: "other", tool: "write_file" }],
      },
    });
    expect(stale.text).toContain(latest.ok ? (latest.token ?? "") : "");
    const read = await session
      .as(EDITOR)
      .call<{ content: string; token: string }>("read_file", { path: "a.txt" });
    expect(read.value?.content).toBe("2");
    const fresh = {
      path: "a.txt",
      content: "3",
      mode: "overwrite",
      expectedVersion: read.value?.token,
    } as const;
    expect((await session.as(EDITOR).call("write_file", fresh)).ok).toBe(true);
  });

  test("[CALL-51] of two agents with one token one wins", async () => {
    const { session } = await bench();
    const { token } = await written(session, "0");
    const results = await Promise.all(
      [EDITOR, OTHER].map((who) =>
        session
          .as(who)
          .call("write_file", { path: "a.txt", content: who.id, mode: "overwrite", expectedVersion: token }),
      ),
    );
    const [won] = results.filter((result) => result.ok);
    const [lost] = results.filter((result) => !result.ok);
    expect(won?.ok).toBe(true);
    expect(lost?.error).toMatchObject({
      code: "conflict",
      reason: "stale_version",
      data: { token: won?.ok && won.token },
    });
    expect(await session.log({ limit: 9 })).toHaveLength(2);
  });

  test("[CALL-52] what is no token, and a target that is none, are refused", async () => {
    const { session } = await bench({ tools: [pairTool] });
    const agent = session.as(EDITOR);
    const { token } = await written(session, "1");
    for (const bad of ["", "7", "1-", "1-zzzzzzzz", `${token} `])
      expect(
        (
          await agent.call("write_file", {
            path: "a.txt",
            content: "2",
            mode: "overwrite",
            expectedVersion: bad,
          })
        ).error,
      ).toMatchObject({ code: "invalid_argument", reason: "bad_token" });
    const elsewhere = {
      path: "a.txt",
      content: "2",
      mode: "overwrite",
      expectedVersion: { "b.txt": token },
    } as const;
    expect((await agent.call("write_file", elsewhere)).error?.reason).toBe("bad_token");
    const one = await agent.call("pair", { a: "a.txt", b: "b.txt", expectedVersion: token });
    expect(one.error?.message).toContain("a map from target to token");
  });

  test("[CALL-53] a token of a lost timeline never matches", async () => {
    const { session } = await bench();
    const { token } = await written(session, "1");
    const lost = `${token.slice(0, token.indexOf("-"))}-${token.endsWith("00000000") ? "11111111" : "00000000"}`;
    const result = await session
      .as(EDITOR)
      .call("write_file", { path: "a.txt", content: "2", mode: "overwrite", expectedVersion: lost });
    expect(result.error?.reason).toBe("stale_version");
  });

  test("[CALL-54] a tool that requires a version says which is current", async () => {
    const { session } = await bench({ tools: [pairTool] });
    const { token } = await written(session, "1");
    const result = await session.as(EDITOR).call("pair", { a: "a.txt", b: "b.txt" });
    expect(result.error).toMatchObject({ code: "conflict", reason: "version_required", data: { token } });
  });

  test("[CALL-55] versions come as a map too, under any spelling of the path", async () => {
    const { session } = await bench({ tools: [pairTool] });
    const { token } = await written(session, "1");
    const agent = session.as(EDITOR);
    const good = { a: "a.txt", b: "b.txt", expectedVersion: { "/workspace//a.txt": token } };
    expect((await agent.call("pair", good)).ok).toBe(true);
    const stale = { ...good, expectedVersion: { "a.txt": "1-00000000" } };
    expect((await agent.call("pair", stale)).error?.reason).toBe("stale_version");
  });
});

describe("two stores on one session", () => {
  /** Two processes' worth of state: each store follows the file in its own time. */
  async function two(a = "ann", b = "bob"): Promise<{ ann: Agent; bob: Agent; close: () => Promise<void> }> {
    const directory = scratch();
    const [one, other] = [sqliteStore({ directory }), sqliteStore({ directory })];
    const limits = { callBurst: 10_000 };
    const mine = await openSession({ store: one, id: "shared", limits, toolsets: ["all"] });
    const theirs = await openSession({ store: other, id: "shared", limits, toolsets: ["all"] });
    return {
      ann: mine.as({ id: a, role: "editor" }),
      bob: theirs.as({ id: b, role: "editor" }),
      close: async () => {
        await Promise.all([mine.close(), theirs.close()]);
        await Promise.all([one.close(), other.close()]);
      },
    };
  }

  test("[CALL-56] after a refusal the next read shows what its token names, and obeying loses nothing", async () => {
    const { ann, bob, close } = await two();
    let seen = (await ann.call("write_file", { path: "a", content: "0" })).token as string;
    for (let i = 1; i <= 15; i++) {
      await ann.call("write_file", { path: "a", content: `ann ${i}`, mode: "overwrite" });
      const write = { path: "a", content: `bob ${i}`, mode: "overwrite" } as const;
      const refused = await bob.call("write_file", { ...write, expectedVersion: seen });
      expect(refused.error?.reason).toBe("stale_version");
      const read = await bob.call<{ content: string }>("read_file", { path: "a" });
      expect(read.value?.content).toBe(`ann ${i}`);
      const { token } = dataOf(refused) as { token: string };
      expect(read.token).toBe(token);
      seen = (await bob.call("write_file", { ...write, expectedVersion: token })).token as string;
    }
    await close();
  });

  test("[CALL-58] what another process made can be named at once, by its token, its name and its key", async () => {
    const { ann, bob, close } = await two("twin", "twin");
    for (let i = 0; i < 8; i++) {
      await ann.call("write_file", { path: `f${i}`, content: "old" });
      expect((await bob.call("read_file", { path: `f${i}` })).ok).toBe(true);
      const patch = [{ file: `g${i}`, line: 1, op: "replace", old: "a", new: "b" }];
      await ann.call("write_file", { path: `g${i}`, content: "a\n" });
      expect((await bob.call("apply_patch", { patch })).ok).toBe(true);
      const tree = await ann.call<{ rootNodeId: string }>("create_tree", { name: `t${i}` });
      const add = {
        parentNodeId: tree.value?.rootNodeId ?? "",
        payloadType: "T",
        expectedVersion: tree.token,
      };
      const added = await ann.call("add_child", { ...add, idempotencyKey: `k${i}` });
      expect(await bob.call("add_child", { ...add, idempotencyKey: `k${i}` })).toMatchObject({
        replayed: true,
        token: added.token,
      });
      const later = await ann.call<{ rootNodeId: string }>("create_tree", { name: `u${i}` });
      const pinned = {
        parentNodeId: later.value?.rootNodeId ?? "",
        payloadType: "T",
        expectedVersion: later.token,
      };
      expect((await bob.call("add_child", pinned)).ok).toBe(true);
    }
    expect((await bob.call("read_file", { path: "none" })).error?.reason).toBe("no_such_file");
    await close();
  });

  test("[CALL-58] a refusal within an answer, and a write that finds nothing to do, know what another process wrote", async () => {
    const { ann, bob, close } = await two("twin", "twin");
    for (let i = 0; i < 6; i++) {
      await ann.call("write_file", { path: `f${i}`, content: "old\n" });
      expect((await bob.call("read_file", { path: `f${i}` })).ok).toBe(true);
      await ann.call("write_file", { path: `g${i}`, content: "a\n" });
      const many = await bob.call("read_file", { paths: [`g${i}`, `f${i}`] });
      expect(many.value?.refused).toBeUndefined();
      expect(many.value?.files).toHaveLength(2);
      await ann.call("write_file", { path: `h${i}`, content: "a\n" });
      const patch = [{ file: `h${i}`, line: 1, op: "replace", old: "a", new: "b" }];
      expect((await bob.call("check_patch", { patch })).value?.applies).toBe(true);
      await ann.call("write_file", { path: `k${i}`, content: "a\n" });
      const gone = await bob.call("delete_file", { path: `k${i}`, allow_missing: true });
      expect(gone.value?.deleted).toBe(1);
    }
    await close();
  });

  test("[CALL-56] after a replay the next read finds what was made", async () => {
    const { ann, bob, close } = await two("twin", "twin");
    for (let i = 0; i < 10; i++) {
      const made = { path: `f${i}`, content: "x", idempotencyKey: `k${i}` };
      await ann.call("write_file", made);
      expect(await bob.call("write_file", made)).toMatchObject({ ok: true, replayed: true });
      expect((await bob.call("read_file", { path: `f${i}` })).ok).toBe(true);
    }
    await close();
  });
});
