import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/index.ts";
import { AuditTrail } from "../../src/tools/audit-trail.ts";
import { RateLimit } from "../../src/tools/rate.ts";
import { bench, EDITOR, OTHER, TestLog } from "./bench-session.ts";

const limits = { callsPerMinute: 60, callBurst: 3 };

describe("step 3: rate and batch", () => {
  test("[CALL-30] beyond its burst an agent waits as long as it is told, and then succeeds", async () => {
    const { session, clock } = await bench({ limits });
    const agent = session.as(EDITOR);
    for (let i = 0; i < 3; i++) expect((await agent.call("echo")).ok).toBe(true);
    const refused = await agent.call("echo");
    expect(refused.error).toMatchObject({ code: "rate_limited", reason: "too_many_calls", retryAfter: 1 });
    clock.ms += 400;
    const { error } = await agent.call("echo");
    expect(error?.retryAfter).toBe(0.6);
    clock.ms += 1000 * (error?.retryAfter ?? 0);
    expect((await agent.call("echo")).ok).toBe(true);
    expect((await agent.call("echo")).ok).toBe(false);
    clock.ms += 60_000;
    for (let i = 0; i < 3; i++) expect((await agent.call("echo")).ok).toBe(true);
    expect((await agent.call("echo")).ok).toBe(false);
  });

  test("[CALL-31] refusals count, and only for the agent who caused them", async () => {
    const { session } = await bench({ limits });
    const agent = session.as(EDITOR);
    await agent.call("no_such_tool");
    await agent.call("echo", { wrong: 1 });
    await agent.call("read_file", { path: "missing" });
    expect((await agent.call("echo")).error?.code).toBe("rate_limited");
    expect((await session.as(OTHER).call("echo")).ok).toBe(true);
  });

  test("[CALL-32] a batch above the limit is refused and the limit named", async () => {
    const { session } = await bench();
    const list = Array.from({ length: 501 }, () => ({ op: "eq" }));
    const result = await session.as(EDITOR).call("echo", { list });
    expect(result.error).toMatchObject({
      code: "invalid_argument",
      reason: "batch_too_large",
      data: { items: 501, limit: 500 },
    });
    expect(result.text).toContain("at most 500");
    expect((await session.as(EDITOR).call("echo", { list: list.slice(1) })).ok).toBe(true);
  });

  test("[CALL-32] every list that a tool declares counts, those of one call together; a list that is data does not", async () => {
    const { session } = await bench({ limits: { batchItems: 2 }, toolsets: ["all"] });
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a.json", content: "{}" });
    const three = ["a", "b", "c"];
    const filter = { path: "x", op: "eq", value: 1 };
    for (const [tool, input] of [
      ["read_file", { paths: three }],
      ["request_landing", { reason: "done", paths: three }],
      ["search_files", { pattern: "x", include: three }],
      ["search_files", { pattern: "x", include: ["a", "b"], exclude: ["c"] }],
      ["replace_in_files", { pattern: "x", replacement: "y", include: three }],
      ["edit_file", { path: "a.json", edits: three.map((old) => ({ old_text: old, new_text: "" })) }],
      ["undo_changes", { record: [1, 2, 3] }],
      ["search", { filters: [filter, filter, filter] }],
      ["get_view", { rootNodeId: "n1", includedProperties: three }],
    ] as [string, object][])
      expect((await agent.call<unknown>(tool, input)).error, tool).toMatchObject({
        reason: "batch_too_large",
        data: { items: 3, limit: 2 },
      });
    expect((await agent.call("search_files", { pattern: "x", include: ["a", "b"] })).ok).toBe(true);
    const set = { path: "a.json", json_path: "$.list", value: [1, 2, 3, 4] };
    expect((await agent.call<unknown>("set_json_value", set)).ok).toBe(true);
  });

  test("[CALL-33] ids that called once are not remembered for ever", () => {
    const collect = globalThis.gc;
    const limit = new RateLimit(() => ({ callsPerMinute: 300, callBurst: 60 }));
    const call = (from: number, to: number): void => {
      for (let i = from; i < to; i++) limit.take(`agent-${i}`, i);
    };
    call(0, 2_000);
    collect?.();
    const before = process.memoryUsage().heapUsed;
    call(2_000, 60_000);
    collect?.();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(1024 * 1024);
    expect(collect, "run with --expose-gc").toBeDefined();
  });

  test("[CALL-33] a session does not grow with the agents that call it", async () => {
    const free = { callsPerMinute: 1_000_000, callBurst: 1_000_000 };
    const { session } = await bench({ store: memoryStore({ auditEntries: 100 }), limits: free });
    await session.as(EDITOR).call("request_landing", { reason: "done" });
    const used = async (from: number, to: number): Promise<number> => {
      for (let i = from; i < to; i++)
        await session.as({ id: `agent-${i}`, role: "reader" }).call("read_file", { path: "missing" });
      await session.audited({ limit: 1 });
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    };
    const before = await used(0, 6_000);
    expect((await used(6_000, 16_000)) - before).toBeLessThan(1024 * 1024);
  }, 60_000);

  test("[CALL-33] what waits to be audited is written when much waits, also when no timer runs", async () => {
    const batches: number[] = [];
    const journal = { audit: async (batch: readonly unknown[]) => void batches.push(batch.length) };
    const trail = new AuditTrail(journal as never, new TestLog());
    const time = new Date(0);
    for (let i = 0; i < 12_000; i++) {
      trail.add({
        time,
        last: time,
        count: 1,
        agent: `agent-${i}`,
        role: "reader",
        tool: "read_file",
        targets: [],
        outcome: "not_found",
        millis: 0,
      } as never);
      await Promise.resolve();
    }
    expect(batches.length).toBeGreaterThan(0);
    await trail.flush();
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(12_000);
  });
});
