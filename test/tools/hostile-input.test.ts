import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../src/errors.ts";
import { defineTool, type CallRefused } from "../../src/tools/index.ts";
import { inputSchema } from "../../src/tools/input.ts";
import { failure } from "../../src/tools/result.ts";
import { TOOLS } from "../../src/tools/toolsets.ts";
import { runs } from "../effort.ts";
import { bench, dataOf, EDITOR } from "./bench-session.ts";

describe("names that are also names of the language", () => {
  test("[CALL-15] a pinned file named __proto__ is checked like any other", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "__proto__", content: "mine" });
    const pins = JSON.parse('{"__proto__":"1-00000000"}') as object;
    const sent = { path: "__proto__", content: "x", mode: "overwrite", expectedVersion: pins };
    expect((await agent.call<unknown>("write_file", sent)).error?.reason).toBe("stale_version");
    const read = await agent.call<{ content: string; token: string }>("read_file", { path: "__proto__" });
    expect(read.value?.content).toBe("mine");
    const right = JSON.parse(`{"/workspace/__proto__":"${read.value?.token ?? ""}"}`) as object;
    expect((await agent.call<unknown>("write_file", { ...sent, expectedVersion: right })).ok).toBe(true);
  });

  test("[CALL-15] an object with a prototype of its own answers for no field", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const inherited = Object.create({ path: "a", content: "x" }) as object;
    for (const input of [
      inherited,
      { path: "a", content: "x", expectedVersion: inherited },
      new Map(),
      new Date(0),
    ])
      expect((await agent.call<unknown>("write_file", input)).error).toMatchObject({
        code: "invalid_argument",
        reason: "not_plain",
      });
    const own = JSON.parse('{"path":"a","content":"x","__proto__":{"mode":"overwrite"}}') as object;
    expect((await agent.call<unknown>("write_file", own)).error?.message).toContain("__proto__");
    expect(session.files()).toEqual([]);
  });
});

describe("inputs that are no plain data", () => {
  const throwing = (): never => {
    throw new Error("/home/somebody/.secrets");
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const loop: Record<string, unknown> = {};
  loop["a"] = [{ back: loop }];
  const wide: unknown[] = [];
  for (let i = 0; i < 100; i++) wide.push(wide);
  const values: [string, unknown, RegExp][] = [
    ["a BigInt", 5n, /value is a BigInt: send it as a number, or as a string/],
    ["a BigInt deep inside", { list: [{ n: 5n }] }, /value\.list\[0\]\.n is a BigInt/],
    ["a symbol", Symbol("x"), /value is a symbol/],
    ["a function", () => 1, /value is a function/],
    ["NaN", Number.NaN, /value is no finite number/],
    [
      "a getter that throws",
      Object.defineProperty({}, "x", { get: throwing, enumerable: true }),
      /value cannot/,
    ],
    ["a proxy without keys", new Proxy({}, { ownKeys: throwing }), /value cannot be read/],
    ["a proxy without prototype", new Proxy({}, { getPrototypeOf: throwing }), /value cannot be read/],
    [
      "a proxy without values",
      { deep: new Proxy({ a: 1 }, { get: throwing }) },
      /value\.deep cannot be read/,
    ],
    ["a revoked proxy", revoked.proxy, /cannot be read/],
    ["an object in itself", loop, /value contains itself/],
    ["a list in itself, many times", wide, /value contains itself/],
    ["a date", new Date(0), /value has a prototype of its own/],
  ];

  test.each(values)("[CALL-19] %s is refused with its place and what to send", async (_, value, message) => {
    const { session, log } = await bench({ toolsets: ["all"], limits: { inputBytes: 20_000 } });
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a.json", content: "{}" });
    const { at } = session;
    const input = { path: "a.json", json_path: "$.v", value };
    const { error } = await agent.call<unknown>("set_json_value", input);
    expect(error).toMatchObject({ code: "invalid_argument", reason: "not_plain" });
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain("somebody");
    for (const [tool, sent] of [
      ["apply_patch", { patch: value }],
      ["write_file", value],
    ] as const)
      expect((await agent.call<unknown>(tool, sent)).error?.code, tool).toBe("invalid_argument");
    for (const { "~standard": schema } of agent.tools())
      expect(schema.validate(input)).toHaveProperty("issues");
    expect(log.entries).toEqual([]);
    expect(session.at).toEqual(at);
  });

  test("[CALL-19] what is very deep is refused, and a place in it is named by its beginning", async () => {
    const { session } = await bench();
    let deep: unknown = 5n;
    for (let i = 0; i < 1_000; i++) deep = { x: deep };
    const { error } = await session
      .as(EDITOR)
      .call("set_json_value", { path: "a", json_path: "$.a", value: deep as string });
    expect(error?.message).toContain("value.x.x.x.x.x.x.x, 993 levels deeper, is a BigInt");
    for (let i = 0; i < 9_000; i++) deep = [deep];
    const deeper = await session.as(EDITOR).call<unknown>("echo", deep);
    expect(deeper.error?.reason).toBe("input_too_deep");
  });

  test("[CALL-19] what the caller changes after the call was made is not seen by it", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a.json", content: "{}" });
    const value: Record<string, unknown> = { n: 1 };
    const call = agent.call<unknown>("set_json_value", { path: "a.json", json_path: "$.v", value });
    value["n"] = 5n;
    expect((await call).ok).toBe(true);
    expect((await agent.call("get_json_value", { path: "a.json", json_path: "$.v.n" })).text).toContain("1");
  });
});

describe("what a refused call costs", () => {
  test("[CALL-16] of many problems the first 20 are worked out, and the rest is counted", async () => {
    const { session } = await bench();
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 1]));
    const result = await session.as(EDITOR).call("write_file", { path: "a", content: "x", ...fields });
    expect(dataOf(result)["problems"]).toHaveLength(20);
    expect(result.error?.message).toContain("and 4980 more");
    expect(result.text.length).toBeLessThan(4_000);
    const versions = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`f${i}`, "1-00000000"]));
    const many = await session
      .as(EDITOR)
      .call("write_file", { path: "a", content: "x", expectedVersion: versions });
    expect(many.error?.message).toContain("1001 entries");
  });

  test("[CALL-14] a patch that is wrong in every operation is read in steps, and its problems are counted", async () => {
    const { session } = await bench({ limits: { writeSize: 2_000_000 } });
    const agent = session.as(EDITOR);
    await agent.call("apply_patch", { patch: [] });
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const patch = JSON.stringify(Array.from({ length: 100_000 }, () => ({ fil: "a" })));
    const { error } = await agent.call("apply_patch", { patch });
    done = true;
    expect(error?.message).toContain("cannot be read (300000 problems)");
    expect(turns).toBeGreaterThan(1);
  });

  test("[CALL-14] a list or an object of very many entries is refused by their number", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const fields = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`f${i}`, "1-00000000"]));
    const list = Array.from({ length: 10_001 }, () => 5);
    for (const [tool, input] of [
      ["write_file", { path: "a", content: "x", ...fields }],
      ["write_file", { path: "a", content: "x", expectedVersion: fields }],
      ["apply_patch", { patch: [], ...fields }],
      ["search", { filters: list }],
      ["undo_changes", { record: list }],
    ] as [string, object][])
      expect((await agent.call(tool, input)).error, tool).toMatchObject({
        reason: "input_too_large",
        message: expect.stringContaining("entries; it may have 10000"),
      });
    expect((await agent.call("apply_patch", { patch: list })).error?.message).toContain("10001 problems");
    const records = Array.from({ length: 501 }, (_, i) => i + 1);
    expect((await agent.call("undo_changes", { record: records })).error?.reason).toBe("batch_too_large");
  });

  test("[CALL-18] one call sends at most 48,000 characters, whatever the tool", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const tooLong = "x".repeat(48_001);
    const { value } = await agent.call<{ rootNodeId: string }>("create_tree", { name: "t" });
    const add = { parentNodeId: value?.rootNodeId, payloadType: "T", payloadProps: { a: tooLong } };
    for (const [tool, input] of [
      ["echo", { text: tooLong }],
      ["add_child", add],
      ["import_merge", { json: JSON.stringify({ a: tooLong }) }],
      ["write_file", { path: "a", content: tooLong }],
      ["apply_patch", { patch: [{ file: "a", line: 1, op: "insert", new: tooLong }] }],
      ["edit_file", { path: "a", edits: [{ old_text: tooLong, new_text: "" }] }],
      ["write_file", { path: "a", content: "", expectedVersion: { [tooLong]: "1-00000000" } }],
      ["write_file", { path: "a", content: "x".repeat(47_000), encoding: "x".repeat(3_000) }],
    ] as const) {
      const { error } = await agent.call<unknown>(tool, input);
      expect(error, tool).toMatchObject({ code: "invalid_argument", reason: "content_too_large" });
      expect(error?.message).toMatch(
        /^The input holds \d+ characters; one call may send 48000\. (Shorten|Write|Split)/,
      );
    }
    expect((await agent.call("echo", { text: "x".repeat(48_000) })).ok).toBe(true);
    const path = `${"d".repeat(70)}/`.repeat(10);
    expect((await agent.call("write_file", { path: `${path}a`, content: "x".repeat(48_000) })).ok).toBe(true);
  });

  test("[CALL-4] a message that is cut ends with a whole word, and all that is left out is counted", () => {
    const words = Array.from({ length: 500 }, (_, i) => `word${i}`).join(" ");
    for (let budget = 200; budget < 230; budget++) {
      const { text } = failure(new HoldfastError("conflict", "long", words as Shown), budget);
      const [, start = "", left] = /^\[Error\] (.*) \[Cut: (\d+) more characters\]$/.exec(text) ?? [];
      expect(text.length).toBeLessThanOrEqual(budget);
      expect(words.startsWith(`${start} `), text).toBe(true);
      expect(start.length + Number(left)).toBe(words.length);
    }
    const endless = failure(new HoldfastError("conflict", "long", "x".repeat(900) as Shown), 300);
    expect(endless.text).toMatch(/^\[Error\] x{200,} \[Cut: \d+ more characters\]$/);
  });

  test("[CALL-4] the message and the data of an error keep within the budget", async () => {
    const refuse = defineTool({
      name: "refuse",
      toolset: "test",
      access: "read",
      title: "Refuse",
      description: "Refuses at length.",
      input: z.object({}),
      output: z.unknown(),
      targets: () => [],
      run: async () => {
        const problems = Array.from({ length: 300 }, (_, i) => ({
          place: i,
          message: say`${"m".repeat(300) as never}`,
        }));
        throw new HoldfastError("conflict", "many", say`${"long ".repeat(20_000) as never}`, {
          data: { first: 1, problems },
        });
      },
      text: () => "",
    });
    const { session } = await bench({ tools: [refuse], limits: { budgetChars: 2_000 } });
    const result = (await session.as(EDITOR).call("refuse")) as CallRefused;
    expect(result.text.length).toBeLessThan(2_100);
    expect(result.text).toMatch(/\[Cut: \d+ more characters\]$/);
    const data = dataOf(result);
    expect(JSON.stringify(data).length).toBeLessThan(2_100);
    expect(data["first"]).toBe(1);
    expect((data["problems"] as unknown[]).length + Number(data["problems_left_out"])).toBe(300);
  });
});

describe("what a wrong input is told", () => {
  const OURS =
    /^(is missing|is missing: )?(must (be|have) |unknown field|has not the form|cannot be used here|$)/;

  test("[CALL-17] every tool explains every wrong input in our words", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const value = fc.oneof(
      fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, "", "x", [], [1], {}, { a: 1 }, [[]], [null]),
      fc.jsonValue({ maxDepth: 2 }),
    );
    for (const tool of TOOLS) {
      const names = [...Object.keys(inputSchema(tool).shape), "wrong"];
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value), async (input) => {
          const result = await agent.call(tool.name, { ...input, dryRun: true });
          if (result.error?.reason !== "bad_input") return;
          for (const { field, message } of dataOf(result)["problems"] as {
            field: string;
            message: string;
          }[]) {
            expect(message, `${tool.name}.${field}`).toMatch(OURS);
            expect(message).not.toMatch(/nonoptional|Invalid|\bexpected\b|received|undefined|NaN|safeint/);
          }
          expect(result.text).not.toMatch(/\.\.|\b1 (items|characters)\b/);
        }),
        runs(8),
      );
    }
  });

  test("[CALL-17] numbers are small or large, texts long or short, and absence is absence", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const told = async (tool: string, input: unknown): Promise<string> =>
      (await agent.call(tool, input)).error?.message ?? "";
    expect(await told("read_file", { path: "a", offset: 0 })).toContain("offset: must be at least 1");
    expect(await told("create_patch", {})).toContain("from: is missing: must be a string or a number.");
    expect(await told("apply_patch", {})).toContain("patch: is missing");
    expect(await told("apply_patch", { patch: 5 })).toContain(
      "patch: must be an array or a string or an object.",
    );
    expect(await told("write_file", "text")).toBe("write_file was not run. The input must be an object.");
    expect(await told("write_file", { path: "a", content: "x", idempotencyKey: "" })).toContain(
      "idempotencyKey: must have at least 1 character.",
    );
  });
});
