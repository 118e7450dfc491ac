import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Tool, type WriteCtx } from "../../src/tools/index.ts";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

const write = { path: "a.txt", content: "one\n", idempotencyKey: "k1" };

describe("step 4: idempotency", () => {
  test("[CALL-40] a retry after a lost answer answers the same and changes nothing", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const first = await agent.call("write_file", write);
    const { seq } = session.at;
    const again = await agent.call("write_file", write);
    expect(again).toEqual({ ...first, replayed: true });
    expect(session.at.seq).toBe(seq);
    expect(await session.log({ limit: 10 })).toHaveLength(1);
  });

  test("[CALL-40] keys belong to one agent", async () => {
    const { session } = await bench();
    await session.as(EDITOR).call("write_file", write);
    const other = await session.as(OTHER).call("write_file", write);
    expect(other.error?.reason).toBe("file_exists");
  });

  test("[CALL-41] the same key for another request is refused; key order and version are not part of it", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const first = await agent.call("write_file", write);
    const another = await agent.call("write_file", { ...write, content: "two\n" });
    expect(another.error).toMatchObject({ code: "invalid_argument", reason: "idempotency_key_reused" });
    expect((await agent.call("write_file", { ...write, path: "b.txt" })).error?.reason).toBe(
      "idempotency_key_reused",
    );
    const { idempotencyKey, content, path } = write;
    const shuffled = {
      idempotencyKey,
      mode: "create",
      content,
      path,
      expectedVersion: "1-00000000",
    } as const;
    expect((await agent.call("write_file", shuffled)).value).toEqual(first.value);
  });

  test("[CALL-42] a failure is not stored", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const append = { ...write, mode: "append" } as const;
    expect((await agent.call("write_file", append)).error?.reason).toBe("no_such_file");
    await agent.call("write_file", { path: "a.txt", content: "zero\n" });
    expect(await agent.call("write_file", append)).toMatchObject({ ok: true, value: { size_bytes: 9 } });
  });

  test("[CALL-43] a retry succeeds though its token is stale by its own doing", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const { token } = (await agent.call("write_file", { path: "a.txt", content: "x" })) as { token: string };
    const pinned = { ...write, mode: "overwrite", expectedVersion: token } as const;
    const first = await agent.call("write_file", pinned);
    expect(await agent.call("write_file", pinned)).toEqual({ ...first, replayed: true });
  });

  test("[CALL-44] of many calls at once with one key one is applied", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "log", content: "" });
    const calls = Array.from({ length: 20 }, () =>
      agent.call("write_file", { path: "log", content: "line\n", mode: "append", idempotencyKey: "k" }),
    );
    const results = await Promise.all(calls);
    expect(new Set(results.map((result) => JSON.stringify(result.value))).size).toBe(1);
    expect(results.filter((result) => result.ok && result.replayed !== true)).toHaveLength(1);
    expect(session.files()[0]?.size_bytes).toBe(5);
  });

  test("[CALL-45] a key beside the input works like one in it", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const { idempotencyKey, ...input } = write;
    const first = await agent.call("write_file", input, { idempotencyKey });
    expect(await agent.call("write_file", write)).toEqual({ ...first, replayed: true });
    const long = await agent.call("write_file", input, { idempotencyKey: "k".repeat(201) });
    expect(long.error?.reason).toBe("idempotency_key_too_long");
  });

  test("[CALL-46] a dry run neither stores nor replays", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const dry = { ...write, dryRun: true };
    expect(await agent.call("write_file", dry)).toMatchObject({ ok: true, value: { dryRun: true } });
    expect(await agent.call("write_file", write)).not.toHaveProperty("replayed");
    expect((await agent.call("write_file", dry)).error?.reason).toBe("file_exists");
  });
});

describe("results of calls that change nothing", () => {
  test("[CALL-116] are stored in a record without changes, which log shows and list_changes and undo pass over", async () => {
    const { session } = await bench({ toolsets: ["all"], agentsMayRestore: true });
    const agent = session.as(EDITOR);
    const made = await agent.call("write_file", { path: "a", content: "x" });
    const { id } = await session.snapshot("now");
    const before = await session.log();
    const listed = await agent.call("list_changes", {});
    const idle = [
      ["delete_file", { path: "none", allow_missing: true }],
      ["snapshot_restore", { id }],
    ] as const;
    for (const [tool, input] of idle) expect((await agent.call<unknown>(tool, input)).ok).toBe(true);
    expect(await session.log()).toEqual(before);
    for (const [tool, input] of idle)
      for (const replayed of [undefined, true])
        expect(await agent.call<unknown>(tool, { ...input, idempotencyKey: tool })).toMatchObject({
          ok: true,
          ...(replayed === undefined ? {} : { replayed }),
        });
    const records = (await session.log()).slice(before.length);
    expect(records.map(({ tool, changes }) => [tool, changes])).toEqual(idle.map(([tool]) => [tool, []]));
    expect((await agent.call("list_changes", {})).text).toBe(listed.text);
    const undone = await session.undo({ lastCallOf: EDITOR.id, dryRun: true });
    expect(undone.undone).toEqual([Number(made.token?.split("-")[0])]);
  });
});

/** Makes a file, or changes nothing, and returns whatever it is told. */
function returning(output: unknown, access: "write" | "view", isIdle: boolean): Tool {
  return defineTool({
    name: "make",
    toolset: "test",
    access,
    title: "Make",
    description: "Makes a file.",
    input: z.object({}),
    output: z.unknown(),
    targets: () => [],
    async run(ctx) {
      if (!isIdle) await (ctx as WriteCtx).files.create(ctx.path("n.txt", "file"), "x");
      return output;
    },
    text: (value) => `${String(value)} ${JSON.stringify(value)} ${Object.keys(Object(value)).join()}`,
  });
}

const WAYS = [
  ["a write", "write", false],
  ["a write that changes nothing", "write", true],
  ["a change of the view", "view", true],
] as const;

const OUTPUTS: readonly unknown[] = [
  undefined,
  null,
  "text",
  [1, [null, undefined]],
  { path: "n.txt", none: undefined, by: -0, list: [{ none: undefined }] },
  JSON.parse('{"__proto__": {"x": 1}}'),
  { token: "mine" },
];

describe("what is returned the first time and again", () => {
  test.each(WAYS)("[CALL-40] [CALL-124] is the same: %s", async (_, access, isIdle) => {
    for (const output of OUTPUTS) {
      const { session } = await bench({ tools: [returning(output, access, isIdle)] });
      const agent = session.as(EDITOR);
      const dry = await agent.call("make", { dryRun: true });
      const first = await agent.call("make", { idempotencyKey: "k" });
      expect(first.ok, first.text).toBe(true);
      expect(await agent.call("make", { idempotencyKey: "k" })).toStrictEqual({ ...first, replayed: true });
      expect(dry.text.split("\n")[0]).toContain("[Dry run] ");
      expect(first.value === undefined).toBe(false);
    }
  });

  test("[CALL-40] a call of a built-in tool that changed nothing shows no token when it is replayed", async () => {
    const { session } = await bench({ toolsets: ["all"], agentsMayRestore: true });
    const agent = session.as(EDITOR);
    const { id } = await session.snapshot("now");
    for (const [tool, input] of [
      ["delete_file", { path: "none", allow_missing: true }],
      ["snapshot_restore", { id }],
      ["snapshot_create", { label: "x" }],
    ] as const) {
      const first = await agent.call<unknown>(tool, { ...input, idempotencyKey: tool });
      expect(await agent.call<unknown>(tool, { ...input, idempotencyKey: tool })).toStrictEqual({
        ...first,
        replayed: true,
      });
      expect(first.token === undefined, tool).toBe(tool !== "snapshot_create");
    }
  });

  test.each(WAYS)("[CALL-124] [CALL-66] what is no JSON fails the call: %s", async (_, access, isIdle) => {
    for (const [output, said] of [
      [{ created_at: new Date(0) }, "created_at is an instance of Date"],
      [{ list: [Number.NaN] }, "list[0] is NaN"],
      [10n, "it is a BigInt"],
    ] as const) {
      const { session, log } = await bench({ tools: [returning(output, access, isIdle)] });
      const before = session.at;
      for (const how of [{ dryRun: true }, {}, { idempotencyKey: "k" }, { idempotencyKey: "k" }]) {
        const result = await session.as(EDITOR).call<unknown>("make", how);
        expect(result.error).toMatchObject({ code: "internal", reason: "unexpected" });
        expect(result.text).toContain("Nothing was written.");
      }
      expect(session.at).toEqual(before);
      expect(String(log.entries[0]?.detail["cause"])).toContain(
        `what "make" returns must be plain JSON data: ${said}`,
      );
    }
  });
});
