import { join } from "node:path";
import { z } from "zod";
import { describe, expect, test, vi } from "vitest";
import { HoldfastError, say } from "../../src/errors.ts";
import { parsePath } from "../../src/path/index.ts";
import { memoryStore } from "../../src/store/index.ts";
import { defineTool, type Session, type Tool } from "../../src/tools/index.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { beforeAppend } from "../store/before-append.ts";
import { scratch } from "../store/scratch.ts";
import { bench, dataOf, EDITOR, OTHER } from "./bench-session.ts";

/** Reads a counter from a file and writes the next number: loses an update whenever its read is not checked. */
function countTool(between: () => Promise<void> = async () => {}): Tool {
  return defineTool({
    name: "count",
    toolset: "test",
    access: "write",
    title: "Count",
    description: "Adds one to the number in a file.",
    input: z.object({}),
    output: z.object({ runs: z.int() }),
    targets: () => [],
    async run(ctx) {
      const path = parsePath("counter");
      const next = Number(new TextDecoder().decode(await ctx.files.read(path))) + 1;
      await between();
      await ctx.files.replace(path, String(next));
      return { runs: 1 };
    },
    text: () => "counted",
  });
}

async function counter(session: Session): Promise<number> {
  const result = await session.as(EDITOR).call<{ content: string }>("read_file", { path: "counter" });
  return Number(result.value?.content);
}

describe("steps 6 and 7: run and commit", () => {
  test.each(["memory", "sqlite"])(
    "[CALL-114] a call whose staged bytes were swept while its process slept runs again (%s)",
    async (kind) => {
      const inner = kind === "memory" ? memoryStore() : sqliteStore({ directory: join(scratch(), "store") });
      let naps = 0;
      const store = beforeAppend(inner, async (_, journal) => {
        if (++naps > 1) return;
        // What is staged long after sweeps what was staged before.
        const later = performance.now() + 16 * 60_000;
        const now = vi.spyOn(performance, "now").mockReturnValue(later);
        await journal.stage(new Uint8Array(10));
        await journal.stage(new Uint8Array(300_000));
        now.mockRestore();
      });
      const { session } = await bench({ store });
      const write = { path: "a.txt", content: "x" };
      expect(await session.as(EDITOR).call("write_file", write)).toMatchObject({ ok: true });
      expect(naps).toBe(2);
      expect(await session.workspace.read("a.txt")).toHaveLength(1);
      await session.close();
      await store.close();
    },
  );

  test("[CALL-113] a call whose outcome is unknown is not sent again", async () => {
    let isSick = false;
    const store = beforeAppend(memoryStore(), async (commit, journal) => {
      if (!isSick) return;
      isSick = false;
      await journal.append(commit);
      throw new HoldfastError("internal", "outcome_unknown", say`Storage failed while committing.`);
    });
    const { session } = await bench({ store });
    const append = { path: "a.txt", content: "x\n", mode: "append" } as const;
    await session.as(EDITOR).call("write_file", { path: "a.txt", content: "" });
    isSick = true;
    const result = await session.as(EDITOR).call("write_file", append);
    expect(result).toMatchObject({ ok: false, error: { reason: "outcome_unknown" } });
    // Naming a record makes this process take in what was committed.
    await session.diff({ from: 1, to: 2 });
    expect(await session.workspace.read("a.txt")).toHaveLength(2);
  });

  test("[CALL-60] a write is one record with who, what and where", async () => {
    const { session, clock } = await bench();
    clock.ms = 5_000;
    await session.as(EDITOR).call("write_file", { path: "d/a.txt", content: "x" });
    const [record, ...more] = await session.log({ limit: 10 });
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      seq: 1,
      kind: "call",
      agent: "editor",
      role: "editor",
      tool: "write_file",
      targets: ["file:/d/a.txt"],
      time: clock.now(),
    });
    expect([...(record?.keys ?? [])].toSorted()).toEqual([
      "dir:/",
      "dir:/d",
      "file:/d/a.txt",
      "fold:/d",
      "fold:/d/a.txt",
    ]);
  });

  test("[CALL-61] writers without pins all land, and no update is lost", async () => {
    const { session } = await bench({
      tools: [countTool(() => new Promise((resolve) => setTimeout(resolve, 1)))],
    });
    await session.as(EDITOR).call("write_file", { path: "counter", content: "0" });
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, i) => session.as(i % 2 === 0 ? EDITOR : OTHER).call("count")),
    );
    expect(results.filter((result) => !result.ok)).toEqual([]);
    expect(await counter(session)).toBe(12);
    expect(await session.log({ limit: 99 })).toHaveLength(13);
  });

  test("[CALL-61] appends of two agents land in either order", async () => {
    const { session } = await bench();
    await session.as(EDITOR).call("write_file", { path: "log", content: "" });
    const append = (content: string) => ({ path: "log", content, mode: "append" as const });
    await Promise.all([
      session.as(EDITOR).call("write_file", append("one\n")),
      session.as(OTHER).call("write_file", append("two\n")),
    ]);
    const read = await session.as(EDITOR).call<{ content: string }>("read_file", { path: "log" });
    expect(["one\ntwo\n", "two\none\n"]).toContain(read.value?.content);
  });

  test("[CALL-61] two creations that clash only in case cannot both land", async () => {
    const { session } = await bench();
    const results = await Promise.all(
      ["docs/A.md", "Docs/b.md", "docs", "docs/a.md"].map((path) =>
        session.as(EDITOR).call("write_file", { path, content: "x" }),
      ),
    );
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    for (const result of results) if (!result.ok) expect(result.error.code).toBe("conflict");
  });

  test("[CALL-68] the input is resolved once, however often the call runs", async () => {
    let losses = 2;
    const store = beforeAppend(memoryStore(), async (commit, journal) => {
      if (commit.tool !== "sum" || losses-- <= 0) return;
      await journal.append({ ...commit, expect: [], touch: ["rival"], changes: [], agent: "rival" });
    });
    const seen: string[] = [];
    const sum = defineTool({
      name: "sum",
      toolset: "test",
      access: "write",
      title: "Sum",
      description: "Adds numbers up.",
      input: z.object({ numbers: z.string() }),
      output: z.object({ sum: z.number() }),
      async resolve({ numbers }) {
        seen.push("resolve");
        await Promise.resolve();
        return numbers.split("+").map(Number);
      },
      targets: (numbers) => [{ key: "sum", name: say`sum of ${numbers.length}` }],
      async run(ctx, numbers) {
        seen.push("run");
        ctx.depend(["rival"]);
        ctx.snapshot("sum");
        return { sum: numbers.reduce((a, b) => a + b, 0) };
      },
      text: (output) => String(output.sum),
    });
    const { session } = await bench({ store, tools: [sum] });
    const targets: (readonly string[])[] = [];
    session.on("tool", (event) => targets.push(event.targets));
    const result = await session.as(EDITOR).call("sum", { numbers: "1+2+3" });
    expect(result.value).toMatchObject({ sum: 6 });
    expect(seen).toEqual(["resolve", "run", "run", "run"]);
    expect(targets).toEqual([["sum of 3"]]);
  });

  test("[CALL-62] a call that always loses ends as contended, with nothing written", async () => {
    let busy = false;
    const store = beforeAppend(memoryStore(), async (commit, journal) => {
      if (!busy) return;
      await journal.append({ ...commit, expect: [], touch: ["file:/counter"], changes: [], agent: "rival" });
    });
    const { session } = await bench({ store, tools: [countTool()] });
    await session.as(EDITOR).call("write_file", { path: "counter", content: "0" });
    busy = true;
    const result = await session.as(EDITOR).call("count");
    expect(result.error).toMatchObject({ code: "conflict", reason: "contended" });
    busy = false;
    expect(await counter(session)).toBe(0);
    expect(await session.log({ agent: "rival", limit: 99 })).toHaveLength(5);
    expect((await session.as(EDITOR).call("count")).ok).toBe(true);
  });

  test("[CALL-62] whoever has lost twice gets a turn in which others wait", async () => {
    let losses = 2;
    let runs = 0;
    const store = beforeAppend(memoryStore(), async (commit, journal) => {
      if (commit.tool !== "count" || losses-- <= 0) return;
      await journal.append({ ...commit, expect: [], touch: ["file:/counter"], changes: [], agent: "rival" });
    });
    const slow = countTool(async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    const { session } = await bench({ store, tools: [slow] });
    await session.as(EDITOR).call("write_file", { path: "counter", content: "0" });
    const count = session.as(EDITOR).call("count");
    // While the third run is under way, a stream of writes of the same file would overtake it if it were let through.
    while (runs < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    const others = Promise.all(
      Array.from({ length: 5 }, () =>
        session.as(OTHER).call("write_file", { path: "counter", content: "5", mode: "overwrite" }),
      ),
    );
    expect((await count).ok).toBe(true);
    expect(runs).toBe(3);
    expect((await others).every((result) => result.ok)).toBe(true);
    const order = (await session.log({ limit: 99 })).map((record) => record.tool);
    expect(order.indexOf("count")).toBeLessThan(order.lastIndexOf("write_file"));
  });

  test("[CALL-63] [CALL-66] what a tool throws stays inside: no state, no history, no host path", async () => {
    const { session, log } = await bench();
    const before = session.at;
    const result = await session.as(EDITOR).call("broken");
    expect(result.error).toMatchObject({ code: "internal", reason: "unexpected" });
    expect(JSON.stringify(result)).not.toMatch(/ENOENT|somebody|secrets|stack/);
    const reference = String(dataOf(result)["reference"]);
    expect(result.text).toContain(reference);
    expect(log.entries).toHaveLength(1);
    expect(log.entries[0]?.detail).toMatchObject({ reference, tool: "broken", agent: "editor" });
    expect(String(log.entries[0]?.detail["cause"])).toContain("secrets");
    expect(session.at).toEqual(before);
    const [entry] = await session.audited({ limit: 1 });
    expect(entry).toMatchObject({ outcome: "internal", reference });
  });

  test("[CALL-66] what fails once the change is written says that it was", async () => {
    const speechless = defineTool({
      name: "speechless",
      toolset: "files",
      access: "write",
      title: "Speechless",
      description: "Writes a file, and fails to say so.",
      input: z.object({}),
      output: z.object({}),
      targets: () => [],
      async run(ctx) {
        await ctx.files.create(parsePath("a.txt"), "x");
        return {};
      },
      text() {
        throw new TypeError("no words");
      },
    });
    const { session } = await bench({ tools: [speechless] });
    const before = session.at.seq;
    const result = await session.as(EDITOR).call("speechless");
    expect(result.text).toBe(
      `[Error] Something went wrong inside "speechless". What it changed was written as record ${before + 1}: look at it before you go on. Give the host this reference: ${String(dataOf(result)["reference"])}.`,
    );
    expect(session.at.seq).toBe(before + 1);
  });

  test("[CALL-64] a dry run answers what would happen and changes nothing", async () => {
    const { session } = await bench();
    const result = await session.as(EDITOR).call("write_file", { path: "a", content: "xy", dryRun: true });
    expect(result).toEqual({
      ok: true,
      text: "[Dry run] Created /workspace/a (2 bytes, version 1)",
      value: {
        path: "/workspace/a",
        mode: "create",
        created: true,
        version: 1,
        size_bytes: 2,
        encoding: "utf-8",
        dryRun: true,
      },
    });
    expect(session.files()).toEqual([]);
    expect(session.at.seq).toBe(0);
  });

  test("[CALL-117] beforeWrite hears the paths of a write, can stop it, and is not asked for what is not written", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const heard: unknown[] = [];
    const beforeWrite = async (paths: readonly string[]): Promise<void> => void heard.push(paths);
    const input = { path: "a.txt", content: "a" };
    const how = { beforeWrite, idempotencyKey: "once" };
    expect((await agent.call("write_file", { ...input, dryRun: true }, how)).ok).toBe(true);
    expect(heard).toEqual([]);
    expect((await agent.call("write_file", input, how)).ok).toBe(true);
    expect((await agent.call("write_file", input, how)).ok).toBe(true);
    expect((await agent.call("read_file", { path: "a.txt" }, { beforeWrite })).ok).toBe(true);
    expect(heard).toEqual([["/workspace/a.txt"]]);
    const { seq } = session.at;
    const cancel = new AbortController();
    const stopped = await agent.call(
      "write_file",
      { path: "b.txt", content: "b" },
      { signal: cancel.signal, beforeWrite: async () => cancel.abort() },
    );
    expect(stopped).toMatchObject({ ok: false, error: { code: "conflict", reason: "aborted" } });
    expect(session.at.seq).toBe(seq);
  });

  test("[CALL-65] a cancelled call writes nothing", async () => {
    const { session } = await bench();
    const controller = new AbortController();
    controller.abort();
    const agent = session.as(EDITOR);
    const early = await agent.call("write_file", { path: "a", content: "x" }, { signal: controller.signal });
    expect(early.error).toMatchObject({ code: "conflict", reason: "aborted" });
    const during = new AbortController();
    const { session: other } = await bench({ tools: [countTool(async () => during.abort())] });
    await other.as(EDITOR).call("write_file", { path: "counter", content: "0" });
    const late = await other.as(EDITOR).call("count", {}, { signal: during.signal });
    expect(late.error?.reason).toBe("aborted");
    expect(await counter(other)).toBe(0);
  });

  test("[CALL-67] a session holds no more bytes and files than it may", async () => {
    const { session } = await bench({ limits: { sessionBytes: 10, sessionFiles: 2 } });
    const agent = session.as(EDITOR);
    expect((await agent.call("write_file", { path: "a", content: "12345678901" })).error).toMatchObject({
      code: "invalid_argument",
      reason: "over_quota",
      data: { limit: 10 },
    });
    await agent.call("write_file", { path: "a", content: "1234567890" });
    expect((await agent.call("write_file", { path: "b", content: "1" })).error?.reason).toBe("over_quota");
    await agent.call("write_file", { path: "b", content: "" });
    expect((await agent.call("write_file", { path: "c", content: "" })).error?.reason).toBe("over_quota");
    expect((await agent.call("write_file", { path: "a", content: "", mode: "overwrite" })).ok).toBe(true);
    expect(session.files().map((file) => file.size_bytes)).toEqual([0, 0]);
  });
});
