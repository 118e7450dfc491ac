import { describe, expect, test } from "vitest";
import {
  editJsonSteps,
  editJson,
  type JsonEdit,
  type JsonEditOptions,
  type JsonEditResult,
} from "../../src/json/edit/edit.ts";
import { editText } from "../../src/json/edit/edit-text.ts";
import * as json from "../../src/json/index.ts";
import { editJsonText, getValue } from "../../src/json/text.ts";
import type { Json } from "../../src/value.ts";
import { getJson } from "../../src/json/read/get.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import type { ByteSource } from "../../src/text/byte-source.ts";

function splice(text: string, result: JsonEditResult): string {
  const bytes = Buffer.from(text);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { at: start, remove, insert } of result.splices) {
    parts.push(bytes.subarray(at, start), insert);
    at = start + remove;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]).toString();
}

function after(text: string, edits: JsonEdit | readonly JsonEdit[], options: JsonEditOptions = {}): string {
  const list = Array.isArray(edits) ? (edits as readonly JsonEdit[]) : [edits as JsonEdit];
  return splice(text, editJson(memorySource(text), list, options));
}

const set = (path: string, json: string): JsonEdit => ({ op: "set", path, json });
const del = (path: string): JsonEdit => ({ op: "delete", path });
const append = (path: string, json: string): JsonEdit => ({ op: "append", path, json });
const insert = (path: string, json: string): JsonEdit => ({ op: "insert", path, json });
const merge = (path: string, json: string, deep = false): JsonEdit => ({ op: "merge", path, json, deep });
const rename = (path: string, name: string): JsonEdit => ({ op: "rename", path, name });

function refused(
  text: string,
  edit: JsonEdit,
  options: JsonEditOptions = {},
): { code: string; reason: string; message: string } {
  try {
    editJson(memorySource(text), [edit], options);
  } catch (error) {
    return error as { code: string; reason: string; message: string };
  }
  throw new Error("not refused");
}

describe("what can be asked", () => {
  test("[JEDIT-1] set replaces a value or creates the last key, and nothing more", () => {
    expect(after('{"a": {"b": 1}}', set("$.a.b", "2"))).toBe('{"a": {"b": 2}}');
    expect(after('{"a": {"b": 1}}', set("$.a.c", "2"))).toBe('{"a": {"b": 1, "c": 2}}');
    expect(after("[1, [2, 3]]", set("$[1][-1]", '"x"'))).toBe('[1, [2, "x"]]');
    expect(refused('{"a": {"b": 1}}', set("$.x.y", "2")).reason).toBe("path_not_found");
  });

  test("[JEDIT-2] delete removes members and items, and refuses what is not there", () => {
    expect(after('{"a": 1, "b": [1, 2, 3]}', del("$.b[1]"))).toBe('{"a": 1, "b": [1, 3]}');
    expect(after('{"a": 1, "b": [1, 2, 3]}', del("$.b[-1]"))).toBe('{"a": 1, "b": [1, 2]}');
    expect(after('{"a": 1, "b": 2}', del("$.a"))).toBe('{"b": 2}');
    for (const path of ["$.x", "$.b.c", "$.a[0]"])
      expect(() => after('{"a": 1, "b": {}}', del(path))).toThrow();
    expect(refused("[1]", del("$[1]"))).toMatchObject({ code: "not_found", reason: "index_out_of_range" });
  });

  test("[JEDIT-3] append and insert return the new number of items", () => {
    const grown = editJson(memorySource("[1, 2]"), [append("$", "3")]);
    expect(splice("[1, 2]", grown)).toBe("[1, 2, 3]");
    expect(grown.reports[0]).toMatchObject({ count: 3, path: "$[2]" });
    expect(after("[1, 2]", insert("$[0]", "0"))).toBe("[0, 1, 2]");
    expect(after("[1, 2]", insert("$[2]", "3"))).toBe("[1, 2, 3]");
    expect(after("[1, 2]", insert("$[-1]", "1.5"))).toBe("[1, 1.5, 2]");
    expect(after('{"a": 1}', insert("$.b", "2"))).toBe('{"a": 1, "b": 2}');
    expect(refused('{"a": 1}', insert("$.a", "2")).reason).toBe("key_exists");
    expect(refused("[1, 2]", insert("$[3]", "0")).reason).toBe("index_out_of_range");
    expect(refused('{"a": 1}', append("$.a", "2"))).toMatchObject({
      code: "invalid_argument",
      reason: "not_an_array",
    });
  });

  test("[JEDIT-4] merge is shallow unless deep is asked for, and counts what it set", () => {
    const text = '{"a":{"b":1,"c":{"d":2}},"e":3}';
    const updates = '{"a":{"c":{"x":9}},"f":4}';
    expect(after(text, merge("$", updates))).toBe('{"a":{"c":{"x":9}},"e":3,"f":4}');
    expect(after(text, merge("$", updates, true))).toBe('{"a":{"b":1,"c":{"d":2,"x":9}},"e":3,"f":4}');
    expect(editJson(memorySource(text), [merge("$", updates)]).reports[0]?.count).toBe(2);
    expect(editJson(memorySource(text), [merge("$.a", "{}")])).toMatchObject({
      splices: [],
      reports: [{ count: 0 }],
    });
    expect(refused(text, merge("$.e", "{}")).reason).toBe("not_an_object");
    expect(refused(text, merge("$.a", "[1]")).reason).toBe("invalid_value");
    expect(after('{"a": 1}', merge("$", '{"a": 2, "a": 3.0}'))).toBe('{"a": 3.0}');
  });

  test("[JEDIT-4] [JEDIT-20] a merge that brings nothing new changes nothing, and reports only what it changes", () => {
    const text = '{"a": 1, "b": {"c": 2}, "d": 3}';
    for (const deep of [false, true])
      expect(editJson(memorySource(text), [merge("$", '{"d":3,"b":{"c":2},"a":1}', deep)])).toMatchObject({
        splices: [],
        reports: [{ changed: false, removed: 0, inserted: 0, count: 3 }],
      });
    expect(
      editJson(memorySource(text), [merge("$", '{"a":1,"b":{"c":2},"d":4}', true)]).reports,
    ).toMatchObject([{ changed: true, at: text.length - 2, removed: 1, inserted: 1, count: 3 }]);
  });

  test("[JEDIT-4] a merge brings thousands of keys, flat and nested, in one pass over its object", () => {
    let reads = 0;
    const counted = (text: string): ReturnType<typeof memorySource> => {
      const source = memorySource(text);
      return { size: source.size, id: source.id, read: (...where) => (reads++, source.read(...where)) };
    };
    const record = (from: number, to: number): Record<string, unknown> =>
      Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`k${from + i}`, { v: i, w: [i] }]));
    const [held, given] = [record(0, 3_000), record(1_500, 6_000)];
    for (const deep of [false, true]) {
      const text = JSON.stringify(held);
      reads = 0;
      const result = editJson(counted(text), [{ op: "merge", path: "$", json: JSON.stringify(given), deep }]);
      // A few for each key. One by one it would be all that went before, for each key again.
      expect(reads).toBeLessThan(20 * 6_000);
      expect(JSON.parse(splice(text, result))).toEqual({ ...held, ...given });
      expect(result.reports[0]?.count).toBe(deep ? 6_000 : 4_500);
    }
  });

  test("[JEDIT-5] rename keeps place and value, and refuses a name that exists", () => {
    expect(after('{ "a" : 1.0 , "b":2 }', rename("$.a", "z z"))).toBe('{ "z z" : 1.0 , "b":2 }');
    expect(refused('{"a": 1, "b": 2}', rename("$.a", "b")).reason).toBe("key_exists");
    expect(refused("[1]", rename("$[0]", "b")).reason).toBe("not_a_key");
    expect(refused('{"a": 1}', rename("$.q", "b")).reason).toBe("path_not_found");
    expect(editJson(memorySource('{"a": 1}'), [rename("$.a", "a")]).splices).toEqual([]);
  });

  test("[JEDIT-6] several edits build on each other, and are all or nothing", () => {
    const text = '{\n  "a": 1,\n  "b": [1, 2]\n}\n';
    const edits = [
      set("$.c", "{}"),
      set("$.c.d", "[]"),
      append("$.c.d", "1"),
      del("$.a"),
      append("$.b", "3"),
      rename("$.b", "z"),
    ];
    expect(after(text, edits)).toBe('{\n  "z": [1, 2, 3],\n  "c": {\n    "d": [\n      1\n    ]\n  }\n}\n');
    const failed = refusedAll(text, [set("$.a", "2"), del("$.nope")]);
    expect(failed).toMatchObject({ code: "not_found", reason: "path_not_found", data: { edit: 1 } });
    expect(failed.message).toMatch(/^Edit 2: /);
  });

  test("[JEDIT-7] only a path to one place can be written; quoted signs are part of a name", () => {
    const text = '{"a": [1], "*": 1, "..": 2, "x": {"?@": 1}}';
    expect(refused(text, set("$.a[*]", "1")).reason).toBe("wildcard_write");
    expect(refused(text, set("$.*", "1")).reason).toBe("wildcard_write");
    expect(refused(text, del("$..a")).reason).toBe("descendant_write");
    expect(refused(text, del("$.a[0:1]")).reason).toBe("slice_write");
    expect(refused(text, set("$.a[0, 0]", "1")).reason).toBe("union_write");
    expect(refused(text, set("$[?@.a]", "1")).reason).toBe("filter_write");
    expect(after(text, [set("$['*']", "9"), del("$['..']"), set("$.x['?@']", "8")])).toBe(
      '{"a": [1], "*": 9, "x": {"?@": 8}}',
    );
  });

  test("[JEDIT-8] the root itself cannot be written, but merged into and appended to", () => {
    for (const edit of [set("$", "1"), del("$"), insert("$", "1"), rename("$", "x")])
      expect(refused("{}", edit)).toMatchObject({ code: "invalid_argument", reason: "root_write" });
    expect(after('{"a":1}', merge("$", '{"b":2}'))).toBe('{"a":1,"b":2}');
    expect(after("[1]", append("$", "2"))).toBe("[1, 2]");
  });

  test("[JEDIT-9] what is missing is named, with what is there instead", () => {
    const text = '{"users": [{"name": "a"}], "n": 1}';
    expect(refused(text, set("$.users[7]", "1")).message).toBe(
      "$.users has 1 item, so there is no [7]. Add items with append (append_json_array).",
    );
    expect(refused(text, set("$.users[0].address.city", "1")).message).toBe(
      '$.users[0] has no key "address". Its keys: "name". Set $.users[0].address to {"city": 1} instead.',
    );
    expect(refused(text, set("$.n.x", "1"))).toMatchObject({
      reason: "not_an_object",
      message: "$.n is a number, not an object.",
    });
    expect(refused(text, set("$.n[0]", "1")).reason).toBe("not_an_array");
    expect(refused(text, del("$.users.name")).reason).toBe("not_an_object");
  });

  test("[JEDIT-10] the value is one JSON value, written as given", () => {
    expect(after('{"a": 1}', set("$.a", " 1.0 "))).toBe('{"a": 1.0}');
    expect(after('{"a": 1}', set("$.a", "12345678901234567890"))).toBe('{"a": 12345678901234567890}');
    expect(after('{"a": 1}', set("$.a", '"\\u00e9\\/"'))).toBe('{"a": "\\u00e9\\/"}');
    expect(after('{"a": 1}', { op: "set", path: "$.a", value: { x: [1, "é"] } })).toBe(
      '{"a": {"x": [1, "é"]}}',
    );
    expect(refused("{}", set("$.a", "hello"))).toMatchObject({ reason: "invalid_value" });
    expect(refused("{}", set("$.a", "hello")).message).toContain('A text needs quotes: "\\"hello\\""');
    for (const bad of ["", "1 2", "{", "01", "{'a':1}", "1,", "// c\n1", "[1,]"])
      expect(refused("{}", set("$.a", bad)).reason).toBe("invalid_value");
    expect(refused("{}", { op: "set", path: "$.a" }).reason).toBe("invalid_value");
    expect(refused("{}", { op: "set", path: "$.a", json: "1", value: 1 }).reason).toBe("invalid_value");
  });

  test("[JEDIT-10] a value that is no JSON is refused with its place and what to write instead", () => {
    const message = (json: string): string => refused("{}", set("$.a", json)).message;
    expect(message('{\n"é": 1,\n"b" 2}')).toBe(
      "The value is not valid JSON at line 3, column 5: expected ':', found '2'. Put a ':' between the key and its value.",
    );
    expect(message("True")).toContain("Python's True is true in JSON.");
    expect(message("{'a': 1}")).toContain("Strings and keys are in double quotes");
    expect(message('"\ud83d"')).toContain("half of a surrogate pair");
    expect(after('{"a": 1}', { op: "set", path: "$.a", value: "\ud83d" })).toBe('{"a": "\\ud83d"}');
  });

  test("[JEDIT-10] data that JSON cannot say is refused, however deep it is", () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    for (const value of [Number.NaN, { a: [Number.POSITIVE_INFINITY] }, { a: 10n }, cyclic, deep, () => 1])
      expect(refused("{}", { op: "set", path: "$.a", value } as never)).toMatchObject({
        code: "invalid_argument",
        reason: "invalid_value",
      });
  });

  test("[JEDIT-27] what is no edit at all is told what there is", () => {
    const told = (
      edits: unknown,
      options: unknown = {},
    ): { code: string; reason: string; message: string } => {
      try {
        editJson(memorySource('{"a": 1}'), edits as never, options as never);
      } catch (error) {
        return error as never;
      }
      throw new Error("not refused");
    };
    expect(told([{ op: "replace", path: "$.a", json: "1" }])).toMatchObject({
      code: "invalid_argument",
      reason: "unknown_edit",
      message: 'There is no edit "replace". Use set, delete, append, insert, merge or rename.',
    });
    for (const edits of [[null], [{ path: "$.a" }], ["set"]]) expect(told(edits).reason).toBe("unknown_edit");
    expect(told({ op: "set" }).reason).toBe("invalid_edit");
    for (const path of [undefined, null, 5, ["a", 1.5], [null]])
      expect(told([{ op: "delete", path }])).toMatchObject({
        code: "invalid_argument",
        reason: "invalid_path",
      });
    for (const name of [undefined, 5])
      expect(told([{ op: "rename", path: "$.a", name }]).reason).toBe("invalid_name");
    expect(told([set("$.a", "2")], { mode: "json5" })).toMatchObject({
      reason: "unknown_mode",
      message: 'There is no mode "json5". A document is read as json or jsonc, or judged as strict.',
    });
  });

  test("[JEDIT-11] the document must be valid, in its own mode", () => {
    expect(after('{"a": 1 /* x */,}', set("$.a", "2"))).toBe('{"a": 2 /* x */,}');
    expect(refused('{"a": 1,}', set("$.a", "2"))).toMatchObject({
      code: "invalid_argument",
      reason: "invalid_json",
    });
    expect(refused('{"a": 1,}', set("$.a", "2")).message).toContain("line 1, column 9");
    expect(after('{"a": 1,}', set("$.a", "2"), { mode: "jsonc" })).toBe('{"a": 2,}');
    expect(refused('{"a": 1 // x\n}', set("$.a", "2"), { mode: "json" }).reason).toBe("invalid_json");
    expect(after('\ufeff{"a": 1}', set("$.a", "2"))).toBe('\ufeff{"a": 2}');
    for (const bad of ["", " ", "{", '{"a": 1}}', "[1] 2", '{"a": 1, "b" 2}', "{'a': 1}"])
      expect(refused(bad, set("$.a", "2")).reason).toBe("invalid_json");
  });

  test("[JEDIT-11] a trailing comma alone is refused with the mode that allows it", () => {
    expect(refused('{"a": 1,}', set("$.a", "2")).message).toContain('mode "jsonc"');
    expect(refused('{"a": 1,}', set("$.a", "2"), { mode: "json" }).message).toContain('mode "jsonc"');
    expect(refused('{"a": 1,,}', set("$.a", "2")).message).not.toContain("jsonc");
  });

  test("[JEDIT-28] a large document with comments stays editable after reads and edits", () => {
    const rows = Array.from({ length: 200_000 }, () => 1).join(",");
    for (const head of ["// c\n", '"t": [1,], // c\n']) {
      const source = memorySource(`{${head} "v":1,"rows":[${rows}]}`);
      for (let i = 0; i < 3; i++) {
        expect(editJson(source, [set("$.v", "2")]).mode).toBe("jsonc");
        expect(getJson(source, "$.v")).toMatchObject({ kind: "number" });
      }
    }
  });

  test("[JREAD-6] no edit makes a key that no path can name", () => {
    const half = String.raw`{"\ud800": 1}`;
    expect(refused('{"k": {}}', merge("$", half)).reason).toBe("invalid_value");
    expect(refused('{"k": {}}', merge("$", `{"k": ${half}}`, true)).reason).toBe("invalid_value");
    expect(refused('{"k": {}}', set("$.k", `[${half}]`)).reason).toBe("invalid_value");
    expect(refused('{"k": {}}', { op: "merge", path: "$", value: { "\ud800": 1 } }).message).toContain(
      "surrogate",
    );
    const whole = String.raw`{"\ud83d\ude00": "\ud800"}`;
    expect(after('{"k": {}}', set("$.k", whole))).toBe(`{"k": ${whole}}`);
    expect(after(half, set("$.k", "2"))).toBe(String.raw`{"\ud800": 1, "k": 2}`);
  });

  test("[JEDIT-10] data that JSON cannot say is refused, at any depth, and -0 is written", () => {
    const bad: readonly unknown[] = [
      new Map([["a", 1]]),
      new Set(),
      new Date(0),
      undefined,
      () => 1,
      Symbol("s"),
      5n,
    ];
    for (const value of bad)
      for (const given of [value, [value], { x: value }])
        expect(refused('{"a": 1}', { op: "set", path: "$.a", value: given as Json }).reason).toBe(
          "invalid_value",
        );
    const set0 = (value: Json): string => after('{"a": 1}', { op: "set", path: "$.a", value });
    expect(set0(-0)).toBe('{"a": -0}');
    expect(set0(["\ud800"])).toBe('{"a": ["\\ud800"]}');
    expect(set0([-0, { b: "x\u2028", c: [], d: {} }])).toBe(
      '{"a": [-0, {"b": "x\u2028", "c": [], "d": {}}]}',
    );
  });

  test("[JEDIT-7] a path may be given as its steps", () => {
    expect(after('{"a.b": [1, 2]}', { op: "set", path: ["a.b", -1], value: 3 })).toBe('{"a.b": [1, 3]}');
    expect(refused('{"a": 1}', { op: "delete", path: [1.5] }).reason).toBe("invalid_path");
  });

  test("[JEDIT-9] a missing parent names what to set in its place", () => {
    const { reason, message } = refused('{"a": {"k": 1}}', set("$.a.b.c.d", "5"));
    expect(reason).toBe("path_not_found");
    const told = /Set (\S+) to "?(.+?)"? instead/.exec(message);
    expect(told?.[1]).toBe("$.a.b");
    expect(message).toContain("$.a has no key");
    expect(after('{"a": {"k": 1}}', set("$.a.b", '{"c": {"d": 5}}'))).toContain('"d"');
  });

  test("[JEDIT-7] [JEDIT-9] below a missing array the message names the array to set", () => {
    const before = '{"a": {"k": 1}}';
    const { reason, message } = refused(before, set("$.a.x[0].y", "5"));
    expect(reason).toBe("path_not_found");
    expect(message).toContain('Set $.a.x to [{"y": 5}] instead.');
    expect(JSON.parse(after(before, set("$.a.x", '[{"y": 5}]')))).toEqual({ a: { k: 1, x: [{ y: 5 }] } });
    expect(refused(before, set("$.a.x[3]", "5")).message).toContain(
      "Set $.a.x to [5] instead: a new array begins at [0].",
    );
  });

  test("[JEDIT-16] blanks inside the brackets of an array are followed", () => {
    expect(after("[ [ 1, 2 ] ]", { op: "append", path: "$", value: [5, 6] })).toBe("[ [ 1, 2 ], [ 5, 6 ] ]");
  });

  test("[JEDIT-19] merge tells of duplicates; a name with half a surrogate pair is refused", () => {
    const { reports } = editJson(memorySource('{"k":1,"k":2}'), [
      { op: "merge", path: "$", value: { k: 9 } },
    ]);
    expect(reports[0]).toMatchObject({ duplicates: 2 });
    expect(refused('{"k":1}', { op: "rename", path: "$.k", name: "\ud800" }).reason).toBe("invalid_name");
  });

  test("[JEDIT-10] a comment in a value is to be removed, whatever the document is", () => {
    const text = '{"a": 1} // c';
    expect(() => editJsonText(text, [set("$.a", '{"z": 1 /* x */}')])).toThrow(
      "A value has no comments: remove it.",
    );
  });

  test("[JEDIT-29] text in, text out", () => {
    expect(editJsonText('{ "a": 1.0 } // c', [{ op: "set", path: "$.b", value: [2] }])).toBe(
      '{ "a": 1.0, "b": [2] } // c',
    );
    expect(editJsonText("[1]", [])).toBe("[1]");
    expect(() => editJsonText("[1", [])).toThrow("line 1, column 3");
    const half = '{"a":"\ud800","b":1}';
    for (const edits of [[], [set("$.b", "2")]])
      expect(() => editJsonText(half, edits)).toThrow(expect.objectContaining({ reason: "not_unicode" }));
    expect(() => getValue(half, "$.a")).toThrow(expect.objectContaining({ reason: "not_unicode" }));
    for (const none of [5, null, Buffer.from("{}")])
      expect(() => editJsonText(none as never, [])).toThrow(
        expect.objectContaining({ reason: "bad_options" }),
      );
  });

  test("[JEDIT-29] the door applies what it returns", () => {
    const text = '\ufeff{ "\u00e9": "\ud83c\udf1f", "a": 1 }';
    const { splices } = json.editJson(json.memorySource(text), [del("$['\u00e9']"), set("$.a", "2")]);
    expect(json.applySplices(text, splices)).toBe('\ufeff{ "a": 2 }');
  });

  test("[JEDIT-12] a call takes a bounded number of edits", () => {
    const edits = Array.from({ length: 501 }, () => set("$.a", "1"));
    expect(() => editJson(memorySource("{}"), edits)).toThrow(
      expect.objectContaining({ reason: "too_many_edits" }),
    );
    expect(editJson(memorySource("{}"), edits.slice(0, 2), { maxEdits: 2 }).reports).toHaveLength(2);
  });
});

function refusedAll(
  text: string,
  edits: readonly JsonEdit[],
): { code: string; reason: string; message: string; data: unknown } {
  try {
    editJson(memorySource(text), edits);
  } catch (error) {
    return error as never;
  }
  throw new Error("not refused");
}

describe("style", () => {
  test("[JEDIT-15] a new member looks like its neighbours", () => {
    expect(after('{"a":1}', set("$.b", "2"))).toBe('{"a":1,"b":2}');
    expect(after('{ "a" : 1 }', set("$.b", "2"))).toBe('{ "a" : 1, "b" : 2 }');
    expect(after('{"a": 1,  "b": 2}', set("$.c", "3"))).toBe('{"a": 1,  "b": 2,  "c": 3}');
    expect(after('{\n\t"a": 1\n}', set("$.b", "2"))).toBe('{\n\t"a": 1,\n\t"b": 2\n}');
    expect(after('{\r\n    "a": 1\r\n}\r\n', set("$.b", "2"))).toBe(
      '{\r\n    "a": 1,\r\n    "b": 2\r\n}\r\n',
    );
    expect(after("[\n 1,\n 2, // two\n]", append("$", "3"))).toBe("[\n 1,\n 2, // two\n 3,\n]");
    expect(after("[1, 2,]", append("$", "3"), { mode: "jsonc" })).toBe("[1, 2, 3,]");
    expect(after("[\n  1, 2,\n  3, 4\n]", append("$", "5"))).toBe("[\n  1, 2,\n  3, 4, 5\n]");
    expect(after("[1,2]", insert("$[0]", "9"))).toBe("[9,1,2]");
    expect(after("[[1,2],[3,4]]", insert("$[0]", '{"a":1,"b":2}'))).toBe('[{"a":1,"b":2},[1,2],[3,4]]');
    expect(after("[\n  1,\n  2\n]", insert("$[1]", "9"))).toBe("[\n  1,\n  9,\n  2\n]");
    expect(after("[\n  1,\n  2]", append("$", "3"))).toBe("[\n  1,\n  2,\n  3]");
  });

  test("[JEDIT-15] without siblings a member gets two blanks and a line break like the document's, else LF", () => {
    expect(after("{}", set("$.a", "1"))).toBe('{\n  "a": 1\n}');
    expect(after("{}\r\n", set("$.a", "1"))).toBe('{\r\n  "a": 1\r\n}\r\n');
    expect(after('{"a":{}}', set("$.a.b", "1"))).toBe('{"a":{"b":1}}');
    expect(after('{\n    "a": {},\n    "b": []\n}', [set("$.a.x", "1"), append("$.b", "1")])).toBe(
      '{\n    "a": {\n        "x": 1\n    },\n    "b": [\n        1\n    ]\n}',
    );
    expect(after('{\n  "a": {\n  }\n}', set("$.a.x", "1"))).toBe('{\n  "a": {\n    "x": 1\n  }\n}');
    expect(after('{ "a": { } }', set("$.a.x", "1"))).toBe('{ "a": { "x": 1 } }');
    expect(after("{ // head\n}", set("$.x", "1"))).toBe('{ // head\n  "x": 1\n}');
    expect(after("{ /* c */ }", set("$.x", "1"))).toBe('{ /* c */ "x": 1 }');
    expect(after("{\n\t// none yet\n}", set("$.x", "1"))).toBe('{\n\t// none yet\n\t"x": 1\n}');
    expect(after("[\r\n// none yet\r\n]", append("$", "1"))).toBe("[\r\n// none yet\r\n1\r\n]");
    expect(after("{\n      /* a */ /* b */\n}", set("$.x", "1"))).toBe(
      '{\n      /* a */ /* b */\n  "x": 1\n}',
    );
  });

  test("[JEDIT-16] a new container is laid out like the one it replaces, else like the one beside it", () => {
    const value = '{"x":[1.0,{"y":2e5}],"z":[]}';
    expect(after('{\n  "a": {"q": 1}\n}', set("$.a", value))).toBe(
      '{\n  "a": {"x": [1.0, {"y": 2e5}], "z": []}\n}',
    );
    expect(after('{\n  "a": {\n    "q": 1\n  }\n}', set("$.a", value))).toBe(
      '{\n  "a": {\n    "x": [\n      1.0,\n      {\n        "y": 2e5\n      }\n    ],\n    "z": []\n  }\n}',
    );
    expect(after('[\n  {"id":1},\n  {"id":2}\n]', append("$", '{"id": 3}'))).toBe(
      '[\n  {"id":1},\n  {"id":2},\n  {"id":3}\n]',
    );
    expect(after('[\n  { "id": 1 }\n]', append("$", '{"id": 3}'))).toBe(
      '[\n  { "id": 1 },\n  { "id": 3 }\n]',
    );
    expect(after('{\n  "a": null,\n  "b": ["x"]\n}', set("$.a", '["y", "z"]'))).toBe(
      '{\n  "a": ["y", "z"],\n  "b": ["x"]\n}',
    );
    expect(after('{\n  "a": null\n}', set("$.a", '["y"]'))).toBe('{\n  "a": [\n    "y"\n  ]\n}');
    expect(after('{"a": null}', set("$.a", '["y"]'))).toBe('{"a": ["y"]}');
  });

  test("[JEDIT-31] a document that puts commas first is followed", () => {
    const object = '{\n    "a": 1\n  , "b": 2 // two\n  , "c": 3\n}';
    expect(after(object, set("$.d", "4"))).toBe(object.replace("\n}", '\n  , "d": 4\n}'));
    expect(after(object, merge("$", '{"d": 4, "e": 5}'))).toBe(
      object.replace("\n}", '\n  , "d": 4\n  , "e": 5\n}'),
    );
    expect(after(object, del("$.a"))).toBe('{\n    "b": 2 // two\n  , "c": 3\n}');
    expect(after(object, del("$.b"))).toBe('{\n    "a": 1\n  , "c": 3\n}');
    expect(after(object, del("$.c"))).toBe('{\n    "a": 1\n  , "b": 2 // two\n}');
    const array = "[ 1\r\n, 2\r\n]";
    expect(after(array, append("$", "3"))).toBe("[ 1\r\n, 2\r\n, 3\r\n]");
    expect(after(array, insert("$[1]", "0"))).toBe("[ 1\r\n, 0\r\n, 2\r\n]");
    expect(after(array, insert("$[0]", "0"))).toBe("[ 0\r\n, 1\r\n, 2\r\n]");
    expect(after(array, del("$[1]"))).toBe("[ 1\r\n]");
    const nested = '[\n    {\n        "x": 1\n      , "y": 2\n    }\n]';
    expect(after(nested, append("$", '{"x":3,"y":[4,5]}'))).toBe(
      nested.replace(
        "\n]",
        ',\n    {\n        "x": 3\n      , "y": [\n            4\n          , 5\n        ]\n    }\n]',
      ),
    );
  });

  test("[JEDIT-31] brackets on lines of their own are followed", () => {
    const object = '{\n  "a":\n  {\n    "x": 1\n  },\n  "n": 2\n}';
    const more = (text: string): string => object.replace("2\n}", `2,\n  ${text}\n}`);
    expect(after(object, set("$.b", "3"))).toBe(more('"b": 3'));
    expect(after(object, set("$.b", '{"y":1}'))).toBe(more('"b":\n  {\n    "y": 1\n  }'));
    expect(after(object, set("$.b", "{}"))).toBe(more('"b": {}'));
    expect(after(object, set("$.b", '[{"z":{"q":1}}]'))).toBe(
      more('"b":\n  [\n    {\n      "z":\n      {\n        "q": 1\n      }\n    }\n  ]'),
    );
    const list = '[\n  {\n    "a" :\n    [\n      1\n    ]\n  }\n]';
    expect(after(list, append("$", '{"a":[2]}'))).toBe(
      list.replace("  }\n]", '  },\n  {\n    "a" :\n    [\n      2\n    ]\n  }\n]'),
    );
    expect(after('{\n  "a": {\n    "x": 1\n  }\n}', set("$.b", '{"y":1}'))).toBe(
      '{\n  "a": {\n    "x": 1\n  },\n  "b": {\n    "y": 1\n  }\n}',
    );
  });

  test("[JEDIT-16] blanks inside brackets are those of the nearest ones around, too", () => {
    expect(after("[ 1, 2 ]", append("$", "[5,{}]"))).toBe("[ 1, 2, [ 5, {} ] ]");
    expect(after("[ 1, 2 ]", append("$", '{"a":5}'))).toBe('[ 1, 2, { "a": 5 } ]');
    expect(after('{ "a": 1 }', set("$.b", '{"y":[5,6]}'))).toBe('{ "a": 1, "b": { "y": [5, 6] } }');
    expect(after('{"a": [ 1 ]}', set("$.b", "[2]"))).toBe('{"a": [ 1 ], "b": [ 2 ]}');
    expect(after('{"a": [1]}', set("$.b", '{"c":[2]}'))).toBe('{"a": [1], "b": {"c": [2]}}');
  });

  test.each<[before: string, edit: JsonEdit, expected: string]>([
    ["[[ 1, 2 ]]", append("$", '{"a":5}'), '[[ 1, 2 ], { "a": 5 }]'],
    ["[[ 1, 2 ]]", append("$", "[5,[6]]"), "[[ 1, 2 ], [ 5, [ 6 ] ]]"],
    ["[ [1, 2] ]", append("$", '{"a":[5]}'), '[ [1, 2], {"a": [5]} ]'],
    ['{"rows": [[ 1 ]]}', append("$.rows", '{"a":5}'), '{"rows": [[ 1 ], { "a": 5 }]}'],
    ['{ "rows": [[1]] }', append("$.rows", '{"a":5}'), '{ "rows": [[1], { "a": 5 }] }'],
    ['[{ "a": [ 2 ] }]', append("$", '{"a":[5]}'), '[{ "a": [ 2 ] }, { "a": [ 5 ] }]'],
    ['[\n  { "a": [ 2 ] }\n]', append("$", '{"a":[5]}'), '[\n  { "a": [ 2 ] },\n  { "a": [ 5 ] }\n]'],
    ['[{ "a": 1 }, {"a":1}]', append("$", '{"b":2}'), '[{ "a": 1 }, {"a":1}, {"b":2}]'],
    ['[{ "a": 1 }, {"a":1}]', insert("$[0]", '{"b":2}'), '[{ "b": 2 }, { "a": 1 }, {"a":1}]'],
    ['[{ "a": 1 }]', insert("$[0]", '{"b":2}'), '[{ "b": 2 }, { "a": 1 }]'],
    ["[[ 1 ]]", insert("$[0]", '{"b":2}'), '[{ "b": 2 }, [ 1 ]]'],
    ['{"a": [ 1 ], "b": 0}', set("$.b", "[2]"), '{"a": [ 1 ], "b": [ 2 ]}'],
    ['{"a": { "x": 1 }, "b": 0}', set("$.b", '{"y":[2]}'), '{"a": { "x": 1 }, "b": { "y": [2] }}'],
    ['{"a": { "x": 1 }}', merge("$", '{"b":{"y":2}}'), '{"a": { "x": 1 }, "b": { "y": 2 }}'],
    ['{"a": [ 1 ], "b": []}', append("$.b", "2"), '{"a": [ 1 ], "b": [ 2 ]}'],
    [
      '{"a": {"x":1,"y":2}, "b": {}}',
      merge("$.b", '{"z":1,"w":2}'),
      '{"a": {"x":1,"y":2}, "b": {"z":1,"w":2}}',
    ],
    ['{\n  "a": { "x": 1 },\n  "b": {}\n}', set("$.b.y", "2"), '{\n  "a": { "x": 1 },\n  "b": { "y": 2 }\n}'],
    ["[[ ]]", append("$[0]", '{"a":1}'), '[[ { "a": 1 } ]]'],
    ['{"a": { "x": 1 }}', rename("$.a.x", "y"), '{"a": { "y": 1 }}'],
    ['[{ /* [ */ "a": 1 }]', append("$", "[2]"), '[{ /* [ */ "a": 1 }, [2]]'],
    ['[{ "[": "{ ", "a": [ 1 ] }]', append("$", "[2]"), '[{ "[": "{ ", "a": [ 1 ] }, [ 2 ]]'],
  ])("[JEDIT-32] blanks inside brackets are those of the nearest ones: %s", (before, edit, expected) => {
    expect(after(before, edit)).toBe(expected);
  });

  test("[JEDIT-16] what no container beside a new one shows, the members beside it do", () => {
    expect(after("[1,2]", append("$", '{"a":1,"b":[3,4]}'))).toBe('[1,2,{"a":1,"b":[3,4]}]');
    expect(after("[[1,2],[3,4]]", append("$", '{"a":1,"b":2}'))).toBe('[[1,2],[3,4],{"a":1,"b":2}]');
    expect(after("[1, 2]", append("$", '{"a":1,"b":2}'))).toBe('[1, 2, {"a": 1, "b": 2}]');
    expect(after("[ 1\n, 2\n]", append("$", '{"a":1,"b":2}'))).toBe(
      '[ 1\n, 2\n, {\n    "a": 1\n  , "b": 2\n  }\n]',
    );
  });

  test.each([
    ["between two empty lines one is left", "{A,\n\n  B,\n\n  C}", "$.b", "{A,\n\n  C}"],
    ["the larger gap is left", "{A,\n\n  B,\n\n\n  C}", "$.b", "{A,\n\n\n  C}"],
    ["the larger gap is left, above", "{A,\n\n \n  B,\n\n  C}", "$.b", "{A,\n\n \n  C}"],
    ["one above stays", "{A,\n\n  B,\n  C}", "$.b", "{A,\n\n  C}"],
    ["one below stays", "{A,\n  B,\n\n  C}", "$.b", "{A,\n\n  C}"],
    ["the first takes the one below along", "{A,\n\n  B,\n\n  C}", "$.a", "{B,\n\n  C}"],
    ["the last takes the one above along", "{A,\n\n  B,\n\n  C}", "$.c", "{A,\n\n  B}"],
    ["one at the start stays", "{\n  A,\n\n  B}", "$.a", "{\n  B}"],
    ["one at the end stays", "{A,\n\n  B\n}", "$.b", "{A\n}"],
    [
      "a comment of no one keeps its distance",
      "{A,\n\n  // x\n\n  B,\n\n  C}",
      "$.b",
      "{A,\n\n  // x\n\n  C}",
    ],
  ])("[JEDIT-17] a delete leaves no empty line more: %s", (_, before, path, expected) => {
    const written = (text: string): string =>
      text
        .replace("{", "{\n  ")
        .replace(/(\n?)\}/, "$1\n}")
        .replace(/ +\n/g, (blank) => (blank === " \n" ? blank : "\n"))
        .replace("A", '"a": 1')
        .replace("B", '"b": 2')
        .replace("C", '"c": 3');
    expect(after(written(before), del(path))).toBe(written(expected));
  });

  test("[JEDIT-17] a delete leaves clean text, wherever it cuts", () => {
    const lines = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n';
    expect(after(lines, del("$.a"))).toBe('{\n  "b": 2,\n  "c": 3\n}\n');
    expect(after(lines, del("$.b"))).toBe('{\n  "a": 1,\n  "c": 3\n}\n');
    expect(after(lines, del("$.c"))).toBe('{\n  "a": 1,\n  "b": 2\n}\n');
    expect(after('{ "a": 1, "b": 2, "c": 3 }', del("$.a"))).toBe('{ "b": 2, "c": 3 }');
    expect(after('{ "a": 1, "b": 2, "c": 3 }', del("$.b"))).toBe('{ "a": 1, "c": 3 }');
    expect(after('{ "a": 1, "b": 2, "c": 3 }', del("$.c"))).toBe('{ "a": 1, "b": 2 }');
    expect(after('{\n  "a": 1\n}\n', del("$.a"))).toBe("{}\n");
    expect(after("[ 1 ]", del("$[0]"))).toBe("[]");
    expect(after("[\n  1,\n  2, // c\n]", del("$[1]"))).toBe("[\n  1,\n]");
    expect(after("[\n  1, 2,\n  3, 4\n]", del("$[2]"))).toBe("[\n  1, 2,\n  4\n]");
    expect(after("[\n  1, 2,\n  3, 4\n]", del("$[1]"))).toBe("[\n  1,\n  3, 4\n]");
    expect(after("[\n  1, 2,\n  3, 4\n]", del("$[3]"))).toBe("[\n  1, 2,\n  3\n]");
  });

  test("[JEDIT-18] comments stay with their key", () => {
    const text =
      '{ // head\n  // about a\n  "a": 1, // one\n\n  // loose\n\n  // about b\n  /* more */\n  "b": 2 // two\n  // end\n}';
    expect(after(text, del("$.b"))).toBe(
      '{ // head\n  // about a\n  "a": 1 // one\n\n  // loose\n\n  // end\n}',
    );
    expect(after(text, del("$.a"))).toBe(
      '{ // head\n\n  // loose\n\n  // about b\n  /* more */\n  "b": 2 // two\n  // end\n}',
    );
    expect(after(text, set("$.c", "3"))).toContain('"b": 2, // two\n  "c": 3\n  // end\n}');
    expect(after("[\n  // one\n  1,\n  // two\n  2\n]", insert("$[1]", "9"))).toBe(
      "[\n  // one\n  1,\n  9,\n  // two\n  2\n]",
    );
    expect(after("[1 /* one */, /* two */ 2]", del("$[1]"))).toBe("[1 /* one */]");
    expect(after("[1 /* one */]", append("$", "2"))).toBe("[1 /* one */, 2]");
    expect(after("[\n  1, // one\n  2]", del("$[1]"))).toBe("[\n  1 // one\n  ]");
    expect(after('{ "a": 1 // one\n}', set("$.b", "2"))).toBe('{ "a": 1, // one\n  "b": 2\n}');
  });

  test("[JEDIT-19] of duplicate keys the last is written, and none comes back to life", () => {
    const text = '{"a": 1, "b": 0, "\\u0061": 2, "c": {"a": 1, "a": 1}}';
    expect(after(text, set("$.a", "3"))).toBe('{"a": 1, "b": 0, "\\u0061": 3, "c": {"a": 1, "a": 1}}');
    expect(after(text, del("$.a"))).toBe('{"b": 0, "c": {"a": 1, "a": 1}}');
    expect(after(text, rename("$.a", "z"))).toBe('{"b": 0, "z": 2, "c": {"a": 1, "a": 1}}');
    expect(editJson(memorySource(text), [set("$.a", "3")]).reports[0]?.duplicates).toBe(2);
    expect(editJson(memorySource(text), [del("$.a")]).reports[0]?.duplicates).toBe(2);
    expect(editJson(memorySource(text), [set("$.b", "3")]).reports[0]?.duplicates).toBeUndefined();
  });

  test("[JEDIT-20] setting what is there changes nothing", () => {
    const result = editJson(memorySource('{"a": 1.0}'), [set("$.a", "1.0")]);
    expect(result).toMatchObject({
      splices: [],
      reports: [{ changed: false }],
      sizeBefore: 10,
      sizeAfter: 10,
    });
    expect(editJson(memorySource('{"a": 1.0}'), [set("$.a", "1")]).reports[0]?.changed).toBe(true);
  });

  test("[JEDIT-23] keys that are special in JavaScript are not special here", () => {
    const text = '{"__proto__": {"x": 1}, "10": 1, "2": 2, "": 3}';
    expect(after(text, set("$.__proto__.x", "2"))).toBe('{"__proto__": {"x": 2}, "10": 1, "2": 2, "": 3}');
    expect(after(text, del("$['10']"))).toBe('{"__proto__": {"x": 1}, "2": 2, "": 3}');
    expect(after(text, set("$['']", "4"))).toBe('{"__proto__": {"x": 1}, "10": 1, "2": 2, "": 4}');
    expect(after("{}", merge("$", '{"__proto__": 1, "constructor": 2}'))).toBe(
      '{\n  "__proto__": 1,\n  "constructor": 2\n}',
    );
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe("the result", () => {
  test("[JEDIT-13] exotic text elsewhere is untouched", () => {
    const text =
      '\ufeff{"n": [1.0, 1e400, 12345678901234567890, -0],\r\n"s": "\\u00e9\\/é",   "d": 1, "d": 2, "t":0}';
    expect(after(text, set("$.t", "1"))).toBe(`${text.slice(0, -2)}1}`);
  });

  test("[JEDIT-14] [JEDIT-21] an edit that does not read back as asked is not answered", () => {
    // A source that changes under the hand: the proof reads other bytes than the plan did.
    const honest = memorySource('{"a": 1, "b": 2}');
    let lie = false;
    const source: ByteSource = {
      size: honest.size,
      id: "liar",
      read(at, into, offset, length) {
        const got = honest.read(at, into, offset, length);
        if (lie) for (let i = 0; i < got; i++) if (into[offset + i] === 0x2c) into[offset + i] = 0x20;
        return got;
      },
    };
    const run = editJsonSteps(source, [set("$.c", "3")], { validated: "json" });
    lie = true;
    expect(() => {
      while (run.next().done !== true);
    }).toThrow(expect.objectContaining({ code: "internal", reason: "edit_not_proven" }));
  });

  test("[JEDIT-22] the report names place, range, line, values and sizes", () => {
    const text = '{\n  "a": 1,\n  "long": "x"\n}';
    const result = editJson(memorySource(text), [
      set("$.long", JSON.stringify("y".repeat(500))),
      set("$.b", "[1]"),
    ]);
    expect(result.reports[0]).toMatchObject({
      op: "set",
      path: "$['long']",
      changed: true,
      at: 22,
      removed: 3,
      inserted: 502,
      line: 3,
      old: '"x"',
      valueBytes: 502,
    });
    expect(result.reports[0]?.new).toHaveLength(203);
    expect(result.reports[1]).toMatchObject({ path: "$['b']", line: 4, new: "[1]" });
    expect(result).toMatchObject({ sizeBefore: 27, mode: "json" });
    expect(result.sizeAfter).toBe(splice(text, result).length);
    expect(editJson(memorySource(text), [del("$.a")]).reports[0]).toMatchObject({
      line: 2,
      old: "1",
      at: 1,
      removed: 10,
      inserted: 0,
    });
  });

  test("[JEDIT-24] pausing at every window gives the same splices", () => {
    const text = `{"pad": "${"x".repeat(600_000)}", "a": [1, 2], "b": {"c": 1}}`;
    const edits = [set("$.b.c", "2"), append("$.a", "3"), del("$.pad")];
    const run = editJsonSteps(memorySource(text), edits, { pauseEvery: 1 });
    let pauses = 0;
    for (;;) {
      const step = run.next();
      if (step.done === true) {
        expect(step.value.splices).toEqual(editJson(memorySource(text), edits).splices);
        break;
      }
      pauses++;
    }
    expect(pauses).toBeGreaterThan(3);
  });

  test("[JEDIT-25] the text is that of the specification", () => {
    const file = "/workspace/app.json";
    const say = (text: string, edit: JsonEdit): string => {
      const [report] = editJson(memorySource(text), [edit]).reports;
      if (report === undefined) throw new Error("no report");
      return editText(report, { file, jsonPath: edit.path as string });
    };
    expect(say('{"a": {"p": 1}}', set("$.a.p", "25"))).toBe("Updated $.a.p = 25 in /workspace/app.json");
    expect(say("{}", set("$.a", '{"on": true}'))).toBe("Updated $.a = {...} in /workspace/app.json");
    expect(say("{}", set("$.a", "[1]"))).toBe("Updated $.a = [...] in /workspace/app.json");
    expect(say('{"a": 1}', del("$.a"))).toBe("Deleted $.a from /workspace/app.json");
    expect(say('{"u": [1]}', append("$.u", "2"))).toBe(
      "Appended value to $.u in /workspace/app.json (now 2 items)",
    );
    expect(say("{}", merge("$", '{"a": 1, "b": 2}'))).toBe("Merged 2 keys into $ in /workspace/app.json");
    expect(say('{"a": 1}', rename("$.a", "b"))).toBe('Renamed $.a to "b" in /workspace/app.json');
    expect(say("[1]", insert("$[0]", "0"))).toBe(
      "Inserted value at $[0] in /workspace/app.json (now 2 items)",
    );
    expect(say("{}", set("$.a", JSON.stringify("x".repeat(20_000))))).toMatch(
      /^\[Warning\] The value has 19\.5 KB\. Updated \$\.a = "x{79}\.\.\. in /,
    );
  });

  test("[JEDIT-26] very deep documents and values do not overflow anything", () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect(after(deep, set("$.b", "2"))).toBe(`${deep.slice(0, -1)},"b":2}`);
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(after('{\n  "a": 1\n}', set("$.a", nested))).toBe(`{\n  "a": ${nested}\n}`);
    expect(refused('{"a": [', set("$.a", "1")).reason).toBe("invalid_json");
    const twins = `{${Array.from({ length: 101 }, () => '"a":1').join(",")}}`;
    expect(refused(twins, del("$.a")).reason).toBe("too_many_duplicates");
  });
});
