import { describe, expect, test, vi } from "vitest";
import * as kernel from "../../src/json/scan/open.ts";
import type { Agent } from "../../src/tools/index.ts";
import { afterToken, jsonBench } from "./json-session.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const MB = 1024 * 1024;
/** A document of records: 100 MB at full size. */
const SIZE = LONG ? 100 * MB : 3 * MB;
const TIMEOUT = LONG ? 600_000 : 60_000;
const LIMITS = { limits: { callBurst: 100_000, fileBytes: 256 * MB, sessionBytes: 1024 * MB } };

interface Rec {
  readonly id: number;
  readonly name: string;
  readonly tags: readonly string[];
}

function records(bytes: number): Rec[] {
  const one = JSON.stringify(recordOf(500_000)).length + 1;
  return Array.from({ length: Math.floor(bytes / one) }, (_, i) => recordOf(i));
}

function recordOf(id: number): Rec {
  return { id, name: `record ${id} \u00e9 "quoted"`, tags: ["a", `t${id % 97}`, "x".repeat(300)] };
}

/** Follows the cursors of a read; every text keeps its budget. */
async function pages<P>(agent: Agent, tool: string, input: object, budget: number): Promise<P[]> {
  const all: P[] = [];
  let cursor: string | undefined;
  do {
    const sent = { ...input, budget, ...(cursor === undefined ? {} : { cursor }) };
    const { ok, text, value } = await agent.call(tool, sent);
    if (!ok) throw new Error(text);
    expect(text.length).toBeLessThanOrEqual(budget);
    all.push(value as P);
    ({ cursor } = value as { cursor?: string });
  } while (cursor !== undefined);
  return all;
}

interface Got {
  readonly json?: string;
  readonly kind?: string;
  readonly matches?: readonly { readonly json_path: string; readonly json: string }[];
}

/** The texts of all pages, each within its budget. */
async function pageTexts(agent: Agent, tool: string, jsonPath: string, budget: number): Promise<string[]> {
  const input = { path: "a.json", json_path: jsonPath, budget };
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const sent = cursor === undefined ? input : { ...input, cursor };
    const { text, value } = await agent.call<{ cursor?: string }>(tool, sent);
    expect(text.length).toBeLessThanOrEqual(budget);
    texts.push(text);
    cursor = value?.cursor;
  } while (cursor !== undefined);
  return texts;
}

describe("a large document", () => {
  test(
    "[JTOOL-62] [JTOOL-13] no text exceeds its budget, and the cursors lead to everything once",
    { timeout: TIMEOUT },
    async () => {
      const rows = records(SIZE);
      const long = `${"l\u00f6ng \\ \u{1f600}\n".repeat(LONG ? 100_000 : 4_000)}end`;
      const keys = Array.from({ length: 2_000 }, (_, i) => `k${i}`);
      const wide = Object.fromEntries(keys.map((key) => [key, key]));
      const document = JSON.stringify({ rows, long, wide });
      const path = "big.json";
      const { agent } = await jsonBench({ [path]: document }, LIMITS);

      for (const budget of [1_000, 5_000, 32_000])
        for (const [tool, input] of [
          ["preview_json", { max_depth: 10 }],
          ["get_json_value", { json_path: "$" }],
          ["get_json_value", { json_path: "$.rows" }],
          ["get_json_value", { json_path: "$..tags" }],
          ["list_json_keys", {}],
          ["validate_json", {}],
          ["query_json", { json_path: "$..*" }],
        ] as const) {
          const sent = tool === "validate_json" ? {} : { budget };
          const { ok, text } = await agent.call(tool, { path, ...input, ...sent });
          expect(ok, text.slice(0, 200)).toBe(true);
          expect(text.length).toBeLessThanOrEqual(budget);
        }

      const literal = await pages<Got>(agent, "get_json_value", { path, json_path: "$.long" }, 20_000);
      expect(literal.map(({ json = "" }) => JSON.parse(json) as string).join("")).toBe(long);

      const [head, ...rest] = await pages<Got>(agent, "get_json_value", { path, json_path: "$.wide" }, 3_000);
      const { "...": _, ...first } = JSON.parse(head?.json ?? "") as Record<string, string>;
      const others = rest.flatMap(({ matches = [] }) =>
        matches.map(({ json }) => JSON.parse(json) as string),
      );
      expect([...Object.values(first), ...others]).toEqual(keys);

      const some = rows.slice(-300).map(({ name }) => name);
      const query = `$.rows[${rows.length - 300}:].name`;
      for (const tool of ["query_json", "get_json_value"]) {
        const found = await pages<Got>(agent, tool, { path, json_path: query }, 4_000);
        expect(
          found.flatMap(({ matches = [] }) => matches.map(({ json }) => JSON.parse(json) as string)),
        ).toEqual(some);
      }
    },
  );

  test("[JTOOL-62] keys, paths and depths of any length keep the budget", async () => {
    const key = "k".repeat(20_000);
    const deep = `${'{"d":'.repeat(3_000)}1${"}".repeat(3_000)}`;
    const { agent } = await jsonBench({
      "key.json": JSON.stringify({ [key]: { [key]: [1, 2] } }),
      "deep.json": deep,
      "number.json": `{"n": 1${"0".repeat(30_000)}}`,
    });
    for (const path of ["key.json", "deep.json", "number.json"])
      for (const [tool, input] of [
        ["preview_json", {}],
        ["get_json_value", { json_path: "$" }],
        ["get_json_value", { json_path: "$..*" }],
        ["list_json_keys", {}],
        ["query_json", { json_path: "$..*" }],
      ] as const) {
        const { ok, text } = await agent.call(tool, { path, ...input, budget: 1_000 });
        expect(ok, text).toBe(true);
        expect(text.length, `${tool} ${path}`).toBeLessThanOrEqual(1_000);
      }
    const number = await pages<Got>(
      agent,
      "get_json_value",
      { path: "number.json", json_path: "$.n" },
      8_000,
    );
    expect(number.map(({ json = "" }) => json).join("")).toBe(`1${"0".repeat(30_000)}`);
  });

  test.each([1_000, 2_000, 5_000])(
    "[JTOOL-73] [CALL-86] the texts of all pages show every key whole, with a budget of %d",
    async (budget) => {
      for (const [length, value] of [
        [62, (i: number) => (i % 3 === 0 ? ["v".repeat(1_200), i] : i)],
        [200, (i: number) => ({ ["inner".repeat(30)]: "v".repeat(i * 10) })],
        [90, (i: number) => "\u00e9".repeat(i)],
      ] as const) {
        const keys = Array.from({ length: 40 }, (_, i) => `k${"y".repeat(length - 3)}${i}`);
        const document = Object.fromEntries(keys.map((key, i) => [key, value(i)]));
        const { agent } = await jsonBench({ "a.json": JSON.stringify(document) }, LIMITS);
        const all = (await pageTexts(agent, "get_json_value", "$", budget)).join("\n");
        for (const key of keys)
          expect(all.match(new RegExp(`"${key}": |\\$\\['${key}'\\] = `, "g"))).toHaveLength(1);
        expect(all).not.toContain("A key is too long");
      }
    },
  );

  test.each([
    ["preview_json", {}],
    ["get_json_value", { json_path: "$" }],
  ])("[JTOOL-73] %s counts a key that it cut as a key, and what it advises shows it", async (tool, input) => {
    const key = "k".repeat(700);
    const { agent } = await jsonBench({ "a.json": JSON.stringify({ [key]: 1 }) }, LIMITS);
    const { text } = await agent.call(tool, { path: "a.json", ...input, budget: 1_000 });
    expect(text).toMatch(/\[Truncation info: 1 key truncated\]\nNot shown: \$ \(\d+ more bytes of a key\)/);
    expect(text).toContain("a larger budget or read_file shows it");
    const larger = await agent.call(tool, { path: "a.json", ...input, budget: 2_000 });
    expect(larger.text).toContain(`"${key}": 1`);
    expect(larger.text).not.toContain("truncated");
  });

  test("[JTOOL-73] list_json_keys shows keys of any length whole where a page holds them, else says what shows them", async () => {
    const keys = ["A", "B"].map((end) => "k".repeat(300) + end);
    const document = JSON.stringify(Object.fromEntries(keys.map((key, i) => [key, i])));
    const { agent } = await jsonBench({ "a.json": document }, LIMITS);
    const all = await agent.call("list_json_keys", { path: "a.json" });
    for (const key of keys) expect(all.text).toContain(`${key} (number)`);
    expect(all.text).not.toContain("too long");
    const long = "k".repeat(900);
    const { agent: other } = await jsonBench({ "b.json": JSON.stringify({ [long]: 1 }) }, LIMITS);
    const small = await other.call("list_json_keys", { path: "b.json", budget: 1_000 });
    expect(small.text.length).toBeLessThanOrEqual(1_000);
    expect(small.text).toContain("a larger budget or read_file shows it");
    expect((await other.call("list_json_keys", { path: "b.json", budget: 2_000 })).text).toContain(long);
  });

  test("[JTOOL-73] [JTOOL-13] a match whose path fits a page is shown with it, and with its value in any case", async () => {
    const document = JSON.stringify({ ["h".repeat(290)]: "the value", ["i".repeat(900)]: "the other" });
    const { agent } = await jsonBench({ "a.json": document }, LIMITS);
    const texts = await pageTexts(agent, "query_json", "$.*", 1_000);
    expect(texts.join("\n")).toContain(`$['${"h".repeat(290)}'] = "the value"`);
    expect(texts.join("\n")).toMatch(/\$\['i+\.\.\. = "the other"\n\[A key is too long/);
  });

  test("[JREAD-12] cuts whose paths do not fit are counted", async () => {
    const document = JSON.stringify({ o: { ["n".repeat(300)]: [1, 2, 3], z: "v".repeat(400), y: { k: 1 } } });
    const { agent } = await jsonBench({ "a.json": document }, LIMITS);
    const { text } = await agent.call("preview_json", { path: "a.json", budget: 1_000 });
    expect(text).toMatch(/\[Truncation info: .*\]\nNot shown: /);
  });

  test("[JTOOL-73] a key that is longer than a page is cut, and the text says what shows it", async () => {
    const document = JSON.stringify({ ["a".repeat(3_000)]: 1, b: 2, ["c".repeat(3_000)]: 3, d: 4 });
    const { agent } = await jsonBench({ "a.json": document }, LIMITS);
    const texts = await pageTexts(agent, "get_json_value", "$", 1_000);
    for (const part of ["aaa", "ccc"])
      expect(texts.find((text) => text.includes(part))).toContain("a larger budget or read_file shows it");
    expect(texts.join("\n")).toMatch(/\$\['b'\] = 2[^]*\$\['d'\] = 4/);
  });

  test("[JTOOL-13] pages go on in the state they began with, and a cursor of another call is refused", async () => {
    const list = JSON.stringify({ a: Array.from({ length: 400 }, (_, i) => i) });
    const { agent, done } = await jsonBench({ "a.json": list });
    const first = await done("get_json_value", { path: "a.json", json_path: "$.a", budget: 1_000 });
    const { cursor } = first.value as { cursor: string };
    await done("set_json_value", { path: "a.json", json_path: "$.a", value: [] });
    const next = await done("get_json_value", { path: "a.json", json_path: "$.a", budget: 1_000, cursor });
    expect(afterToken(next)).toContain("$['a'][");
    expect(next.text.split("\n")[0]).toBe(first.text.split("\n")[0]);
    const other = await agent.call("get_json_value", { path: "a.json", json_path: "$.b", cursor });
    expect(other.error).toMatchObject({ code: "invalid_argument", reason: "bad_cursor" });
  });
});

describe("what a call costs", () => {
  const documentOf = (bytes: number): string => JSON.stringify({ first: 0, rows: records(bytes), last: 0 });
  const large = documentOf(32 * MB);

  test("[JTOOL-60] neither a write nor the next call scans a known document again", async () => {
    const before = documentOf(6 * MB);
    const { done, text } = await jsonBench({ "big.json": before }, LIMITS);
    const set = (key: string, value: number): Promise<unknown> =>
      done("set_json_value", { path: "big.json", json_path: `$.${key}`, value });
    for (const key of ["last", "first", "last"]) await set(key, 1);
    const read = await bytesRead(async () => {
      for (let i = 2; i < 6; i++) await set("last", i);
      await done("get_json_value", { path: "big.json", json_path: "$.last" });
    });
    expect(read).toBeLessThan(before.length);
    const now = await text("big.json");
    expect(now === before.replace('"first":0', '"first":1').replace(/"last":0\}$/, '"last":5}')).toBe(true);
  });

  test.each([
    ["validate_json", {}],
    ["preview_json", {}],
    ["get_json_value", { json_path: "$.last" }],
    ["query_json", { json_path: "$.rows[?@.id < 0]" }],
    ["set_json_value", { json_path: "$.last", value: 1 }],
  ] as const)("[JTOOL-61] other work goes on during %s of a large document", async (tool, input) => {
    const { done } = await jsonBench({ "big.json": large, "small.json": '{"rows": [], "last": 0}' }, LIMITS);
    // The first call of a tool takes turns to compile its schema.
    await done(tool, { path: "small.json", ...input });
    let turns = 0;
    let open = true;
    const turn = (): void => {
      turns++;
      if (open) setImmediate(turn);
    };
    setImmediate(turn);
    await done(tool, { path: "big.json", ...input });
    open = false;
    expect(turns).toBeGreaterThan(0);
  });
});

/** Bytes of documents that scanners read meanwhile. */
async function bytesRead(run: () => Promise<void>): Promise<number> {
  let bytes = 0;
  const open = kernel.openScanner;
  const spy = vi.spyOn(kernel, "openScanner").mockImplementation((source, options) =>
    open(
      {
        id: source.id,
        size: source.size,
        read(at, into, offset, length) {
          bytes += length;
          return source.read(at, into, offset, length);
        },
      },
      options,
    ),
  );
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
  return bytes;
}
