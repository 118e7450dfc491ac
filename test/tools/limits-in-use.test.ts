import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Limits } from "../../src/limits.ts";
import { openSession, type CallResult } from "../../src/tools/index.ts";
import { TestLog } from "./bench-session.ts";
import { stageWith } from "./catalogue.ts";

/** The limits that were asked for of a session's own, and not of the defaults. */
const asked = vi.hoisted(() => new Set<string>());

vi.mock("../../src/limits.ts", async (load) => {
  const real = await load<typeof import("../../src/limits.ts")>();
  const noted = (limits: Limits): Limits =>
    new Proxy(limits, {
      get(target, name) {
        asked.add(String(name));
        return target[name as keyof Limits];
      },
    });
  return { ...real, resolveLimits: (changes?: object) => noted(real.resolveLimits(changes)) };
});

const RULES = JSON.stringify({ id: "r", rules: [{ rule: "pattern", property: "name", pattern: "a" }] });

/** Calls of what the stage leaves out: a glob, a page, a selector, a pattern, a patch as text. */
const CALLS: Readonly<Record<string, object>> = {
  find_files: { glob: "**/{a,b}" },
  write_file: { path: "pattern.json", content: RULES },
  validate_tree: { rulesetId: "pattern.json" },
  get_subtree: { nodeId: "n0", limit: 1 },
  list_children: { nodeId: "n0", limit: 1 },
  select_nodes: { queryDsl: "*" },
  check_patch: { patch: "[]" },
  blame: { path: "plan.md" },
};

test("[LIM-5] every limit that a session takes is in use", async () => {
  const { LIMITS, STORE_LIMITS } = await import("../../src/limits.ts");
  const from = mkdtempSync(join(tmpdir(), "holdfast-"));
  writeFileSync(join(from, "a"), "a");
  const { session, agent, sure } = await stageWith("a", { mounts: [{ from, to: "mounted" }] });
  const calls = [...Object.entries(CALLS), ...Object.entries(sure)];
  for (const [tool, input] of calls) await agent.call<unknown>(tool, input, { idempotencyKey: tool });
  await session.close();
  rmSync(from, { recursive: true });
  const unused = Object.keys(LIMITS).filter((name) => !asked.has(name));
  expect(unused).toEqual([...STORE_LIMITS]);
});

const EDITOR = { id: "editor", role: "editor" } as const;

test("[LIM-5] the length of patterns, the depth of documents and the bounds of answers are the session's own", async () => {
  const session = await openSession({
    toolsets: ["all"],
    requireVersions: false,
    gates: { plan: { gate_order: ["goal"], gates: { goal: { question: "What for?", required: true } } } },
    limits: { jsonPatternLength: 2, jsonDepth: 3, answerLength: 1_000, answerDepth: 8 },
    log: new TestLog(),
    files: { "a.json": '{"list": ["aaa"], "p": "a.*"}', "deep.json": "[[[[]]]]" },
  });
  const agent = session.as(EDITOR);
  const query = (pattern: string): object => ({
    path: "a.json",
    json_path: `$.list[?search(@, ${pattern})]`,
  });
  expect((await agent.call<unknown>("query_json", query("'aa'"))).text).toContain("aaa");
  for (const long of ["'aaa'", "$.p"]) {
    const none = await agent.call<unknown>("query_json", query(long));
    expect(none.text, long).toContain("No match");
  }
  expect((await agent.call<unknown>("query_json", query("'aaa'"))).text).toContain(
    "it is longer than 2 characters",
  );

  const set = (path: string, json_path: string, value: string): Promise<CallResult> =>
    agent.call("set_json_value", { path, json_path, value });
  expect(await agent.call("validate_json", { path: "deep.json" })).toMatchObject({ ok: false });
  expect(await set("deep.json", "$[0]", "1")).toMatchObject({ error: { reason: "invalid_json" } });
  expect(await set("a.json", "$.list", "[[1]]")).toMatchObject({ ok: true });
  expect(await set("a.json", "$.list", "[[[1]]]")).toMatchObject({ error: { reason: "invalid_json" } });

  const answer = (raw: string): string => JSON.stringify({ summary: "s", gates: { goal: { raw } } });
  const deep = `{"a":${"[".repeat(9)}${"]".repeat(9)}}`;
  for (const bad of [answer("x".repeat(1_000)), deep]) {
    expect(await agent.call("submit_gates", { answer: bad })).toMatchObject({ ok: false });
    expect(await session.gates.submit(bad)).toMatchObject({
      ok: false,
      errors: [{ message: expect.stringMatching(/at most 1000 are read|nested deeper than 8/) }],
    });
  }
  expect(await session.gates.submit(answer("x"))).toMatchObject({ ok: true });
  await session.close();
});
