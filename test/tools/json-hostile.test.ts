import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../effort.ts";
import { APP, jsonBench, PATH } from "./json-session.ts";

const TOOLS = [
  "preview_json",
  "get_json_value",
  "list_json_keys",
  "validate_json",
  "query_json",
  "set_json_value",
  "delete_json_key",
  "append_json_array",
  "merge_json_object",
  "edit_json",
] as const;

const CODES = ["invalid_argument", "not_found", "forbidden", "conflict", "rate_limited"];

const path = fc.oneof(
  fc.constantFrom(
    PATH,
    "bad.json",
    "binary.json",
    "utf16.json",
    "config",
    "/",
    "",
    "../x",
    "/etc/passwd",
    "a\0b",
    "C:\\x",
    "~/x",
    "nope.json",
  ),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 10 }),
);
const jsonPath = fc.oneof(
  fc.constantFrom(
    "$",
    "$.env",
    "$..*",
    "$.features.rollout",
    "$.cache[-1]",
    "$.cache[99999999999999999999]",
    "$[",
    "$['",
    "env",
    "$.a..",
    "$[?@.a == ",
    "$[?match(@, '(a+)+b')]",
    `$${"[0]".repeat(2_000)}`,
    "$['\\ud800']",
  ),
  fc.string({ maxLength: 30 }).map((text) => `$.${text}`),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -0,
    1e308,
    "",
    "1",
    '"x"',
    "{",
    "[1,",
    '"\ud800"',
    "\ud800",
    "NaN",
    "1e999",
    "[]",
    "{}",
    '{"__proto__":1}',
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
);
const edit = fc.record(
  {
    path: fc.oneof(path, anything),
    op: fc.oneof(fc.constantFrom("set", "delete", "append", "insert", "merge", "rename"), anything),
    json_path: fc.oneof(jsonPath, anything),
    value: anything,
    deep: anything,
  },
  { requiredKeys: ["op", "json_path"] },
);
const input = fc.record(
  {
    path: fc.oneof({ weight: 6, arbitrary: path }, { weight: 1, arbitrary: anything }),
    json_path: fc.oneof({ weight: 6, arbitrary: jsonPath }, { weight: 1, arbitrary: anything }),
    value: anything,
    updates: anything,
    edits: fc.oneof(fc.array(edit, { maxLength: 4 }), anything),
    max_depth: fc.oneof(fc.integer({ min: -2, max: 12 }), anything),
    budget: fc.oneof(fc.integer({ min: -1, max: 50_000 }), anything),
    limit: fc.oneof(fc.integer({ min: -1, max: 1_000 }), anything),
    cursor: fc.oneof(fc.string(), anything),
    expectedVersion: fc.oneof(fc.constantFrom("1-00000000", "x", ""), anything),
    dryRun: fc.oneof(fc.boolean(), anything),
  },
  { requiredKeys: [] },
);

describe("hostile arguments", () => {
  test("[JTOOL-72] [JTOOL-3] give only documented errors, name no host path and leave the state as it was", async () => {
    const { session, agent, call } = await jsonBench(
      {
        [PATH]: APP,
        "bad.json": '{"a": [1, }',
        "binary.json": Uint8Array.of(0xff, 0xfe, 0, 1, 2, 0x80),
        "utf16.json": Buffer.from('\ufeff{"a": 1}', "utf16le"),
      },
      { limits: { callBurst: 1_000_000, callsPerMinute: 1_000_000 } },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TOOLS), input, async (tool, sent) => {
        const allowed = new Set(fieldsOf(agent, tool));
        const taken = Object.fromEntries(
          Object.entries(sent).filter(([name]) => allowed.has(name) || name === "dryRun"),
        );
        const before = session.at.seq;
        const { ok, text, error } = await call(tool, taken);
        expect(text.length).toBeLessThanOrEqual(33_000);
        expect(text).not.toMatch(/\/home\/|\/tmp\/|node_modules|\.ts:\d|at async /);
        if (ok) return;
        expect(session.at.seq).toBe(before);
        expect(text).toMatch(/^\[Error\] \S/);
        expect(CODES, `${tool} ${JSON.stringify(taken)}: ${text}`).toContain(error.code);
        expect(error.reason).toMatch(/^[a-z][a-z0-9_]+$/);
      }),
      runs(400),
    );
    expect(await session.verify({ states: true })).toMatchObject({ ok: true });
  });

  test("[JTOOL-72] whatever was written, the document stays JSON", async () => {
    const { call, text } = await jsonBench(
      { "a.json": '{"a": [], "o": {}}' },
      { limits: { callBurst: 1_000_000, callsPerMinute: 1_000_000 } },
    );
    const place = fc.constantFrom("$.a", "$.o", "$.a[0]", "$.o.x", "$.a[-1].y", "$.z", "$['']");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("set", "append", "insert", "merge", "delete", "rename"),
        place,
        anything,
        async (op, json_path, value) => {
          await call("edit_json", {
            path: "a.json",
            edits: [{ op, json_path, ...(op === "delete" ? {} : { value }) }],
          });
          const now = await text("a.json");
          expect(() => JSON.parse(now) as unknown, now).not.toThrow();
        },
      ),
      runs(100),
    );
  });
});

function fieldsOf(agent: Awaited<ReturnType<typeof jsonBench>>["agent"], tool: string): string[] {
  const found = agent.tools().find(({ name }) => name === tool);
  return Object.keys((found?.inputSchema["properties"] ?? {}) as object);
}
