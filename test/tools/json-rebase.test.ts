import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../effort.ts";
import { OTHER } from "./bench-session.ts";
import { jsonBench } from "./json-session.ts";

interface Step {
  readonly op: string;
  readonly json_path: string;
  readonly value?: unknown;
}

/** Two agents edit what both have seen, the second with onConflict. */
async function both(before: string, theirs: Step, ours: Step, path = "a.json") {
  const { session, call, text } = await jsonBench({ [path]: before });
  const expectedVersion = session.files()[0]?.token ?? "";
  const first = await session.as(OTHER).call("edit_json" as string, { path, edits: [theirs] });
  if (!first.ok) throw new Error(first.text);
  const sent = { path, edits: [ours], expectedVersion };
  expect((await call("edit_json", sent)).error).toMatchObject({ reason: "stale_version" });
  const at = session.at.seq;
  const result = await call("edit_json", { ...sent, onConflict: "rebase" });
  expect(session.at.seq).toBe(result.ok ? at + 1 : at);
  return { result, text: await text(path) };
}

describe('onConflict: "rebase"', () => {
  test("[JTOOL-42] an edit beside what others changed applies, and says so", async () => {
    const before = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n';
    const { result, text } = await both(
      before,
      { op: "set", json_path: "$.a", value: 100 },
      { op: "set", json_path: "$.c", value: 300 },
    );
    expect(text).toBe('{\n  "a": 100,\n  "b": 2,\n  "c": 300\n}\n');
    expect(result.text).toMatch(/^Made 1 edit in \/workspace\/a\.json\n\[Token 3-/);
    expect(result.text).toContain('-  "c": 3\n+  "c": 300');
    expect(result.text).toMatch(/\[Rebased \/workspace\/a\.json onto changes by other \(record 2\)\]$/);
  });

  test("[JTOOL-42] the eight operations are rebased too, after their line and token", async () => {
    const { session, call, text } = await jsonBench({ "a.json": '{"a": 1, "b": [1, 2]}' });
    const expectedVersion = session.files()[0]?.token;
    await session.as(OTHER).call("set_json_value", { path: "a.json", json_path: "$.a", value: "2" });
    const sent = { path: "a.json", json_path: "$.b", value: "3", expectedVersion, onConflict: "rebase" };
    const { text: said } = await call("append_json_array", sent);
    expect(said).toMatch(
      /^Appended value to \$\.b in a\.json \(now 3 items\)\n\[Token 3-.*\]\n\[Rebased .*\]$/,
    );
    expect(await text("a.json")).toBe('{"a": 2, "b": [1, 2, 3]}');
    // What is known of the document is that of the result.
    expect((await call("get_json_value", { path: "a.json", json_path: "$.b" })).text).toMatch(/\[1, 2, 3\]$/);
  });

  test.each<[string, string, Step, Step]>([
    [
      "two keys into {}",
      "{}",
      { op: "set", json_path: "$.x", value: 1 },
      { op: "set", json_path: "$.y", value: 2 },
    ],
    [
      "two items into []",
      "[]",
      { op: "append", json_path: "$", value: 2 },
      { op: "append", json_path: "$", value: 3 },
    ],
    [
      "one key twice",
      '{"a": 1}',
      { op: "set", json_path: "$.x", value: 1 },
      { op: "set", json_path: "$.x", value: 2 },
    ],
    [
      "the same place",
      '{"a": 1}',
      { op: "set", json_path: "$.a", value: 2 },
      { op: "set", json_path: "$.a", value: 3 },
    ],
    [
      "a renamed key",
      '{"a": 1, "b": 2}',
      { op: "rename", json_path: "$.a", value: "z" },
      { op: "set", json_path: "$.a", value: 3 },
    ],
    [
      "a deleted parent",
      '{"a": {"b": 1}, "c": 1}',
      { op: "delete", json_path: "$.a" },
      { op: "set", json_path: "$.a.b", value: 3 },
    ],
    [
      "one name for two keys",
      '{"a": 1, "b": 2}',
      { op: "rename", json_path: "$.a", value: "z" },
      { op: "rename", json_path: "$.b", value: "z" },
    ],
  ])(
    "[JTOOL-42] %s is a conflict that shows both, and nothing is written",
    async (_what, before, theirs, ours) => {
      const { result, text } = await both(before, theirs, ours);
      expect(result.error).toMatchObject({ code: "conflict", reason: "stale_version" });
      expect(() => JSON.parse(text) as unknown).not.toThrow();
      expect(result.text).toContain("@@");
    },
  );

  test.each<[string, string, Step, Step, string]>([
    [
      "set beside a new key",
      '{"a": 1}',
      { op: "set", json_path: "$.x", value: 1 },
      { op: "set", json_path: "$.a", value: 2 },
      '{"a": 2, "x": 1}',
    ],
    [
      "delete beside a set",
      '{"a": 1, "b": 2, "c": 3}',
      { op: "set", json_path: "$.a", value: 9 },
      { op: "delete", json_path: "$.c" },
      '{"a": 9, "b": 2}',
    ],
    [
      "merge beside a set",
      '{"a": 1, "b": {"x": 1}}',
      { op: "set", json_path: "$.a", value: 9 },
      { op: "merge", json_path: "$.b", value: { x: 2, y: 3 } },
      '{"a": 9, "b": {"x": 2, "y": 3}}',
    ],
    [
      "rename beside a set",
      '{"a": 1, "b": 2}',
      { op: "set", json_path: "$.a", value: 9 },
      { op: "rename", json_path: "$.b", value: "z" },
      '{"a": 9, "z": 2}',
    ],
    [
      "insert beside a set",
      '{"a": 1, "b": [1, 3]}',
      { op: "set", json_path: "$.a", value: 9 },
      { op: "insert", json_path: "$.b[1]", value: 2 },
      '{"a": 9, "b": [1, 2, 3]}',
    ],
  ])("[JTOOL-42] %s applies", async (_what, before, theirs, ours, after) => {
    const { result, text } = await both(before, theirs, ours);
    expect(result.text).toContain("[Rebased ");
    expect(text).toBe(after);
  });

  test("[JTOOL-80] an item that equals its neighbour goes where it was put, not to the other side of it", async () => {
    const log = '{\n  "log": [\n    "start",\n    "tick"\n  ]\n}\n';
    const append = (value: string): Step => ({ op: "append", json_path: "$.log", value });
    const { text } = await both(log, append('"stop"'), append('"tick"'));
    expect(JSON.parse(text)).toEqual({ log: ["start", "tick", "stop", "tick"] });
  });

  test("[JTOOL-80] what two agents put between equal items is there, in every layout", async () => {
    const layouts: ((items: readonly string[]) => string)[] = [
      (items) => `[\n  ${items.join(",\n  ")}\n]\n`,
      (items) => `[\r\n\t${items.join(",\r\n\t")}\r\n]`,
      (items) => `[\n  ${items.join(",\n  ")},\n]\n`,
      (items) => `[\n  ${items.join("\n  ,")}\n]\n`,
      (items) => `[${items.join(",\n")}]`,
      (items) => `[${items.join(", ")}]`,
    ];
    const item = fc.constantFrom("1", "2", '"a"', '{\n    "k": 1\n  }');
    const items = fc.array(item, { minLength: 1, maxLength: 3 });
    const put = fc.record({ before: fc.nat(3), value: item });
    await fc.assert(
      fc.asyncProperty(items, put, put, fc.constantFrom(...layouts), async (all, one, two, layout) => {
        const step = ({ before, value }: typeof one): Step =>
          before >= all.length
            ? { op: "append", json_path: "$", value }
            : { op: "insert", json_path: `$[${before}]`, value };
        const { result, text } = await both(layout(all), step(one), step(two), "a.jsonc");
        if (!result.ok) return;
        const made = [...all, undefined].flatMap((value, i) => {
          const added = [one, two].filter(({ before }) => Math.min(before, all.length) === i);
          return [...added.map((add) => add.value), ...(value === undefined ? [] : [value])];
        });
        expect(JSON.parse(text.replace(/,\s*\]/, "]"))).toEqual(JSON.parse(`[${made.join(",")}]`));
      }),
      runs(150),
    );
  });

  test.each<[string, string, object]>([
    ["set", "set_json_value", { json_path: "$.a", value: "1" }],
    ["merge", "merge_json_object", { json_path: "$", updates: '{"a": 1}' }],
    ["edits", "edit_json", { edits: [{ op: "set", json_path: "$.a", value: 1 }] }],
  ])("[CALL-101] %s of what was so, and is no more, is a conflict", async (_what, tool, sent) => {
    const { session, call, text } = await jsonBench({ "a.json": '{"a": 1, "b": 2}' });
    const expectedVersion = session.files()[0]?.token;
    const set = (json_path: string, value: string) =>
      session.as(OTHER).call("set_json_value", { path: "a.json", json_path, value });
    const ours = { path: "a.json", ...sent, expectedVersion, onConflict: "rebase" };
    await set("$.b", "3");
    const beside = await call(tool, ours);
    expect(beside.ok && beside.text).toContain(`[Token ${session.files()[0]?.token ?? ""}`);
    expect(session.at.seq).toBe(2);
    await set("$.a", "2");
    const stale = await call(tool, ours);
    expect(stale.error).toMatchObject({
      reason: "stale_version",
      data: { token: session.files()[0]?.token },
    });
    expect(stale.text).toContain("was as you ask in the version you named, but has changed since");
    expect(await text("a.json")).toBe('{"a": 2, "b": 3}');
  });

  test("[CALL-101] a file left as it was beside one that is rebased is looked at as it is now", async () => {
    const { session, call, text } = await jsonBench({ "a.json": '{"a": 1}', "b.json": '{"a": 1, "b": 1}' });
    const tokens = () => Object.fromEntries(session.files().map(({ path, token }) => [path, token]));
    const expectedVersion = tokens();
    const set = (path: string, value: string) =>
      session.as(OTHER).call("set_json_value", { path, json_path: "$.a", value });
    const edits = [
      { path: "a.json", op: "set", json_path: "$.a", value: 1 },
      { path: "b.json", op: "set", json_path: "$.b", value: 2 },
    ];
    const ours = { edits, expectedVersion, onConflict: "rebase" };
    await set("b.json", "5");
    await set("a.json", "2");
    expect((await call("edit_json", ours)).error).toMatchObject({ reason: "stale_version" });
    expect(await text("b.json")).toBe('{"a": 5, "b": 1}');
    await set("a.json", "1");
    const now = tokens()["/workspace/a.json"] ?? "";
    const done = await call("edit_json", ours);
    expect(done.text).toContain(`[Token ${now} of /workspace/a.json, which was already so]`);
    expect(done.text).toMatch(/\[Rebased \/workspace\/b\.json onto changes by other \(record \d+\)\]$/);
    expect(await text("b.json")).toBe('{"a": 5, "b": 2}');
  });

  test("[CALL-104] items are counted in the result, and their array is named", async () => {
    const { session, call, text } = await jsonBench({ "a.json": '{"b": [1, 2, 3]}' });
    const expectedVersion = session.files()[0]?.token;
    const theirs = { path: "a.json", edits: [{ op: "insert", json_path: "$.b[0]", value: 0 }] };
    await session.as(OTHER).call("edit_json" as string, theirs);
    const ours = { path: "a.json", expectedVersion, onConflict: "rebase", dryRun: true };
    const appended = await call("append_json_array", { ...ours, json_path: "$.b", value: "4" });
    expect(appended.text).toContain("Appended value to $.b in a.json (now 5 items)");
    expect(appended).toMatchObject({ value: { json_path: "$['b']", count: 5 } });
    const edits = [{ op: "insert", json_path: "$.b[2]", value: 9 }];
    const inserted = await call("edit_json", { ...ours, edits, dryRun: false });
    expect(inserted.text).toContain("Inserted value at $['b'] in a.json (now 5 items)");
    expect(inserted).toMatchObject({ value: { files: [{ edits: [{ json_path: "$['b']" }] }] } });
    expect(await text("a.json")).toBe('{"b": [0, 1, 2, 9, 3]}');
  });
});
