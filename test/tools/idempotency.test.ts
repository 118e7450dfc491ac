import { describe, expect, test } from "vitest";
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
