import { describe, expect, test } from "vitest";
import type { ToolEvent } from "../../src/tools/index.ts";
import { bench, EDITOR, READER } from "./bench-session.ts";

describe("step 8: audit and events", () => {
  test("[CALL-80] every call leaves an entry, whatever became of it", async () => {
    const { session, clock } = await bench();
    clock.tick = 0;
    const agent = session.as(EDITOR);
    clock.ms = 1_000;
    await agent.call("write_file", { path: "a", content: "x", idempotencyKey: "k" });
    await agent.call("write_file", { path: "a", content: "x", idempotencyKey: "k" });
    await agent.call("write_file", { path: "a", content: "y", mode: "overwrite", dryRun: true });
    await session.as(READER).call("read_file", { path: "a" });
    await session.as(READER).call("write_file", { path: "b", content: "" });
    await agent.call("nothing");
    const entries = (await session.audited({ limit: 99 })).toReversed();
    expect(
      entries.map(({ agent, role, tool, outcome, reason, seq }) => [agent, role, tool, outcome, reason, seq]),
    ).toEqual([
      ["editor", "editor", "write_file", "ok", undefined, 1],
      ["editor", "editor", "write_file", "replayed", undefined, 1],
      ["editor", "editor", "write_file", "dry_run", undefined, undefined],
      ["reader", "reader", "read_file", "ok", undefined, undefined],
      ["reader", "reader", "write_file", "forbidden", "role", undefined],
      ["editor", "editor", "nothing", "invalid_argument", "unknown_tool", undefined],
    ]);
    expect(entries[0]).toMatchObject({ targets: ["file:/a"], time: clock.now(), ms: 0, count: 1 });
  });

  test("[CALL-81] a flood of refusals becomes one entry with its number and times", async () => {
    const { session, clock } = await bench();
    const agent = session.as(READER);
    const first = clock.now();
    for (let i = 0; i < 500; i++) {
      clock.ms = i;
      await agent.call("read_file", { path: `missing-${i}` });
    }
    await agent.call("list_directory");
    const entries = await session.audited({ limit: 99 });
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({
      agent: "reader",
      tool: "read_file",
      outcome: "not_found",
      count: 500,
      time: first,
      last: clock.now(),
    });
  });

  test("[CALL-82] every call is an event, and a listener that throws hurts nobody", async () => {
    const { session, log, clock } = await bench();
    clock.tick = 0;
    const seen: ToolEvent[] = [];
    session.on("tool", () => {
      throw new Error("listener");
    });
    const stop = session.on("tool", (event) => seen.push(event));
    const agent = session.as(EDITOR);
    const result = await agent.call("write_file", { path: "a", content: "x" });
    await agent.call("read_file", { path: "zzz" });
    stop();
    await agent.call("list_directory");
    expect(seen).toEqual([
      {
        agent: "editor",
        role: "editor",
        tool: "write_file",
        targets: ["/workspace/a"],
        mode: "create",
        resultSize: result.text.length,
        duration: 0,
        outcome: "ok",
        token: result.ok ? result.token : "",
      },
      expect.objectContaining({ tool: "read_file", outcome: "not_found", reason: "no_such_file" }),
    ]);
    expect(log.entries.map((entry) => entry.message)).toEqual(Array(3).fill("a listener failed"));
  });

  test("[CALL-83] [CALL-30] 100,000 calls over the limit keep the heap and the audit small", async () => {
    const collect = globalThis.gc;
    const { session, clock } = await bench({ limits: { callBurst: 60, callsPerMinute: 300 } });
    const agent = session.as(READER);
    let refused = 0;
    let heap = 0;
    for (let i = 1; i <= 100_000; i++) {
      clock.ms += 1 / 64;
      const result = await agent.call("list_directory");
      if (!result.ok && result.error.code === "rate_limited") refused++;
      if (i === 20_000) {
        collect?.();
        heap = process.memoryUsage().heapUsed;
      }
    }
    collect?.();
    const grown = process.memoryUsage().heapUsed - heap;
    expect(refused).toBe(100_000 - 60 - Math.floor(((100_000 / 64) * 300) / 60_000));
    const last = await agent.call("list_directory");
    clock.ms += 1000 * (last.error?.retryAfter ?? 0);
    expect((await agent.call("list_directory")).ok).toBe(true);
    const entries = await session.audited({ limit: 10_000 });
    expect(entries.length).toBeLessThan(200);
    expect(entries.reduce((sum, entry) => sum + entry.count, 0)).toBe(100_002);
    expect(collect, "run with --expose-gc").toBeDefined();
    expect(grown).toBeLessThan(5 * 1024 * 1024);
  });
});
