import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/index.ts";
import { OTHER } from "./bench-session.ts";
import { APP, jsonBench, PATH } from "./json-session.ts";

describe("the specification's lines", () => {
  test("[JTOOL-30] [JTOOL-31] [JTOOL-1] set, delete, append and merge say exactly what the examples say", async () => {
    const { done, text } = await jsonBench();
    const said = async (tool: string, input: object): Promise<string> => {
      const { text: shown, token = "" } = await done(tool, { path: PATH, ...input });
      expect(shown).toMatch(new RegExp(`\\n\\[Token ${token}\\]$`));
      return shown.slice(0, shown.lastIndexOf("\n"));
    };
    expect(await said("set_json_value", { json_path: "$.features.rollout.percent", value: "25" })).toBe(
      "Updated $.features.rollout.percent = 25 in /workspace/config/app.json",
    );
    expect(
      await said("set_json_value", { json_path: "$.features.newFeature", value: '{"enabled": true}' }),
    ).toBe("Updated $.features.newFeature = {...} in /workspace/config/app.json");
    expect(await said("set_json_value", { json_path: "$.list", value: "[1]" })).toBe(
      "Updated $.list = [...] in /workspace/config/app.json",
    );
    expect(await said("delete_json_key", { json_path: "$.features.deprecatedFeature" })).toBe(
      "Deleted $.features.deprecatedFeature from /workspace/config/app.json",
    );
    expect(
      await said("append_json_array", { json_path: "$.cache", value: '{"id": "u-101", "name": "Alice"}' }),
    ).toBe("Appended value to $.cache in /workspace/config/app.json (now 1 item)");
    expect(await said("append_json_array", { json_path: "$.features.rollout.regions", value: '"x"' })).toBe(
      "Appended value to $.features.rollout.regions in /workspace/config/app.json (now 3 items)",
    );
    const updates = '{"percent": 75, "regions": ["us-east-1"]}';
    expect(await said("merge_json_object", { json_path: "$.features.rollout", updates })).toBe(
      "Merged 2 keys into $.features.rollout in /workspace/config/app.json",
    );
    expect(await text()).toBe(`{
  "features": {
    "rollout": {
      "enabled": true,
      "percent": 75,
      "regions": ["us-east-1"]
    },
    "darkMode": false,
    "analytics": {},
    "newFeature": {
      "enabled": true
    }
  },
  "version": "1.4.0",
  "env": "prod",
  "logging": null,
  "cache": [
    {
      "id": "u-101",
      "name": "Alice"
    }
  ],
  "list": [
    1
  ]
}
`);
  });

  test("[JTOOL-2] [JTOOL-30] both paths are echoed as they were given", async () => {
    const { done } = await jsonBench();
    const input = { path: "config//app.json", json_path: "$['features']['darkMode']", value: "true" };
    expect((await done("set_json_value", input)).text).toMatch(
      /^Updated \$\['features'\]\['darkMode'\] = true in config\/\/app\.json\n/,
    );
  });

  test("[JTOOL-31] a value above 10 KB is written after a line of warning; 10 KB are not warned of", async () => {
    const { done } = await jsonBench();
    const set = async (length: number): Promise<string[]> => {
      const value = JSON.stringify("x".repeat(length - 2));
      const { text } = await done("set_json_value", { path: PATH, json_path: "$.env", value });
      return text.split("\n");
    };
    expect(await set(10 * 1024)).toHaveLength(2);
    const [warning, line, token] = await set(10 * 1024 + 1);
    expect(warning).toBe("[Warning] The value has 10.0 KB.");
    expect(line).toMatch(/^Updated \$\.env = "x+\.\.\. in \/workspace\/config\/app\.json$/);
    expect(token).toMatch(/^\[Token /);
  });

  test("[JTOOL-31] notices come after the token: duplicates, and that nothing changed", async () => {
    const { done, session } = await jsonBench({ "a.json": '{"k": 1, "k": 2}' });
    const set = await done("set_json_value", { path: "a.json", json_path: "$.k", value: 3 });
    expect(set.text).toBe(
      `Updated $.k = 3 in a.json\n[Token ${set.token ?? ""}]\n[The key occurs 2 times; the last one was changed, as JSON.parse reads it]`,
    );
    const again = await done("set_json_value", { path: "a.json", json_path: "$.k", value: 3 });
    expect(again.text.split("\n").slice(0, 3)).toEqual([
      "Updated $.k = 3 in a.json",
      `[Token ${session.files()[0]?.token ?? ""}]`,
      "[No change: the file was already so]",
    ]);
    const gone = await done("delete_json_key", { path: "a.json", json_path: "$.k" });
    expect(gone.text).toBe(
      `Deleted $.k from a.json\n[Token ${gone.token ?? ""}]\n[The key occurred 2 times; all of them are gone]`,
    );
  });
});

describe("what a write returns and leaves", () => {
  test("[JTOOL-32] the value has version, token, the changed range and a small hunk", async () => {
    const { done } = await jsonBench();
    const { value, token } = await done("set_json_value", {
      path: PATH,
      json_path: "$.features.rollout.percent",
      value: "25",
    });
    const at = APP.indexOf("50");
    expect(value).toEqual({
      path: PATH,
      json_path: "$['features']['rollout']['percent']",
      version: 2,
      token,
      changed: { at, removed: 2, inserted: 2, line: 5 },
      new: "25",
      value_bytes: 2,
      hunk: `@@ -4,3 +4,3 @@\n       "enabled": true,\n-      "percent": 50,\n+      "percent": 25,\n       "regions": ["us-east-1", "eu-west-1"]`,
    });
  });

  test("[JTOOL-36] only the bytes of the edit change", async () => {
    const before = `\ufeff// head\r\n{\r\n\t"a": 1.0, // one\r\n\t"b":  [1e400, "\\u00e9"],\r\n\t"a": 2,\r\n\t/* last */ "c": {}\r\n}\r\n\r\n`;
    const { done, text } = await jsonBench({ "a.json": before });
    await done("set_json_value", { path: "a.json", json_path: "$.a", value: "3.50" });
    await done("append_json_array", { path: "a.json", json_path: "$.b", value: "0" });
    await done("set_json_value", { path: "a.json", json_path: "$.d", value: "true" });
    expect(await text("a.json")).toBe(
      `\ufeff// head\r\n{\r\n\t"a": 1.0, // one\r\n\t"b":  [1e400, "\\u00e9", 0],\r\n\t"a": 3.50,\r\n\t/* last */ "c": {},\r\n\t"d": true\r\n}\r\n\r\n`,
    );
  });

  test("[JTOOL-37] a write is one durable record with a new version, and can be undone", async () => {
    const store = memoryStore();
    const { done, session } = await jsonBench({ [PATH]: APP }, { store, id: "s" });
    await done("set_json_value", { path: PATH, json_path: "$.env", value: '"test"' });
    const records = await session.log({ limit: 10 });
    expect(records.at(-1)).toMatchObject({ tool: "set_json_value", keys: ["file:/config/app.json"] });
    expect(session.files()[0]).toMatchObject({ version: 2 });
    await session.close();
    const again = await jsonBench({}, { store, id: "s" });
    expect(await again.text()).toBe(APP.replace('"prod"', '"test"'));
    await again.done("undo_changes", {});
    expect(await again.text()).toBe(APP);
  });

  test("[JTOOL-37] what is already as asked makes no record", async () => {
    const { done, session } = await jsonBench();
    const before = session.at;
    for (const [tool, input] of [
      ["set_json_value", { json_path: "$.env", value: '"prod"' }],
      ["merge_json_object", { json_path: "$.features.rollout", updates: { percent: 50 } }],
      ["edit_json", { edits: [{ op: "set", json_path: "$.env", value: '"prod"' }] }],
      [
        "edit_json",
        {
          edits: [
            { op: "set", json_path: "$.env", value: '"other"' },
            { op: "set", json_path: "$.added", value: "1" },
            { op: "set", json_path: "$.env", value: '"prod"' },
            { op: "delete", json_path: "$.added" },
          ],
        },
      ],
    ] as const) {
      const { text, token } = await done(tool, { path: PATH, ...input });
      expect(text).toMatch(/\[No change: the file was already so\]|, which was already so\]/);
      expect(text).toContain(`Token ${session.files()[0]?.token ?? ""}`);
      expect(token ?? session.files()[0]?.token).toBe(session.files()[0]?.token);
    }
    expect(session.at).toEqual(before);
  });

  test("[JTOOL-39] a dry run returns the same line and hunk, and writes nothing", async () => {
    const { done, session, text } = await jsonBench();
    const input = { path: PATH, json_path: "$.env", value: "1" };
    const before = session.at;
    const dry = await done("set_json_value", { ...input, dryRun: true });
    expect(dry.text).toBe("[Dry run] Updated $.env = 1 in /workspace/config/app.json");
    expect(session.at).toEqual(before);
    expect(await text()).toBe(APP);
    const { token: _, ...real } = (await done("set_json_value", input)).value as Record<string, unknown>;
    expect(dry.value).toEqual({ ...real, dryRun: true });
  });

  test("[JTOOL-40] a token that is no longer the file's is a conflict", async () => {
    const { done, refused, session } = await jsonBench();
    const stale = session.files()[0]?.token;
    await session.as(OTHER).call("set_json_value", { path: PATH, json_path: "$.env", value: "1" });
    const input = { path: PATH, json_path: "$.version", value: 2, expectedVersion: stale };
    expect(await refused("set_json_value", input)).toBe("conflict/stale_version");
    await done("set_json_value", { ...input, expectedVersion: session.files()[0]?.token });
  });
});

describe("what a write takes", () => {
  test("[JTOOL-33] values are JSON text, or what they are when sent as such", async () => {
    const { done, text } = await jsonBench({ "a.json": "{}" });
    const values = ["25", '"text"', "null", "[1, 2]", '{"a": 1.0}', 25, true, null, [1, "x"], { b: [] }, -0];
    for (const [i, value] of values.entries())
      await done("set_json_value", { path: "a.json", json_path: `$.k${i}`, value });
    expect(JSON.parse(await text("a.json"))).toEqual(
      Object.fromEntries(
        values.map((value, i) => [`k${i}`, typeof value === "string" ? JSON.parse(value) : value]),
      ),
    );
    expect(await text("a.json")).toContain('"a": 1.0');
  });

  test("[JTOOL-33] text that is no JSON is refused, and shown in quotes", async () => {
    const { agent, refused } = await jsonBench();
    for (const [value, hint] of [
      ["hello there", String.raw`A text needs its quotes: send "\"hello there\"".`],
      ["2024-01-01", String.raw`A text needs its quotes: send "\"2024-01-01\"".`],
      ["/a/b", String.raw`A text needs its quotes: send "\"/a/b\"".`],
      ["", String.raw`A text needs its quotes: send "\"\"".`],
      ['{"a": 1,}', "Remove the comma before it"],
      ["True", String.raw`send "\"True\""`],
    ] as const) {
      const input = { path: PATH, json_path: "$.env", value };
      expect(await refused("set_json_value", input)).toBe("invalid_argument/invalid_value");
      expect((await agent.call("set_json_value", input)).text).toContain(hint);
      expect(await refused("append_json_array", { ...input, json_path: "$.cache" })).toBe(
        "invalid_argument/invalid_value",
      );
    }
  });

  test("[JTOOL-34] updates are an object, and targets of the right kind", async () => {
    const { refused } = await jsonBench();
    const merge = (jsonPath: string, updates: unknown): Promise<string> =>
      refused("merge_json_object", { path: PATH, json_path: jsonPath, updates });
    for (const updates of ["[1]", "1", "null", '"x"', [1], 1, null, "nope", '{"a"}'])
      expect(await merge("$.features", updates)).toBe("invalid_argument/invalid_value");
    expect(await merge("$.cache", "{}")).toBe("invalid_argument/not_an_object");
    expect(await merge("$.env", "{}")).toBe("invalid_argument/not_an_object");
    const append = (jsonPath: string): Promise<string> =>
      refused("append_json_array", { path: PATH, json_path: jsonPath, value: "1" });
    expect(await append("$.features")).toBe("invalid_argument/not_an_array");
    expect(await append("$.logging")).toBe("invalid_argument/not_an_array");
  });

  test("[JTOOL-35] a write takes a path to one place, and never the root", async () => {
    const { done, refused, call, text } = await jsonBench();
    for (const [jsonPath, reason] of [
      ["$.users[*].status", "wildcard_write"],
      ["$.*", "wildcard_write"],
      ["$..name", "descendant_write"],
      ["$.cache[0:5]", "slice_write"],
      ["$.cache[?(@.age > 18)]", "filter_write"],
      ["$['a','b']", "union_write"],
    ] as const)
      for (const [tool, more] of [
        ["set_json_value", { value: 1 }],
        ["delete_json_key", {}],
        ["append_json_array", { value: 1 }],
        ["merge_json_object", { updates: {} }],
      ] as const)
        expect(await refused(tool, { path: PATH, json_path: jsonPath, ...more })).toBe(
          `invalid_argument/${reason}`,
        );
    const root = { path: PATH, json_path: "$" };
    expect(await refused("set_json_value", { ...root, value: 1 })).toBe("invalid_argument/root_write");
    expect(await refused("delete_json_key", root)).toBe("invalid_argument/root_write");
    const past = { path: PATH, json_path: "$.features.rollout.regions[9]", value: 1 };
    expect(await refused("set_json_value", past)).toBe("not_found/index_out_of_range");
    expect((await call("set_json_value", past)).text).toContain("append_json_array");
    await done("merge_json_object", { ...root, updates: { env: "x" } });
    await done("set_json_value", {
      path: PATH,
      json_path: "$.features.rollout.regions[-1]",
      value: '"last"',
    });
    expect(await text()).toBe(APP.replace('"prod"', '"x"').replace('"eu-west-1"', '"last"'));
  });

  test("[JTOOL-38] JSONC is for .jsonc and for files with comments; a trailing comma alone makes none", async () => {
    const { done, refused, text } = await jsonBench({
      "a.jsonc": '{"a": 1,}',
      "b.json": '{"a": 1, /* c */}',
      "c.json": '{"a": 1,}',
    });
    const set = (path: string): object => ({ path, json_path: "$.a", value: 2 });
    await done("set_json_value", set("a.jsonc"));
    await done("set_json_value", set("b.json"));
    expect(await refused("set_json_value", set("c.json"))).toBe("invalid_argument/invalid_json");
    expect([await text("a.jsonc"), await text("b.json"), await text("c.json")]).toEqual([
      '{"a": 2,}',
      '{"a": 2, /* c */}',
      '{"a": 1,}',
    ]);
  });

  test.each(["set_json_value", "delete_json_key", "append_json_array", "merge_json_object"])(
    "[JTOOL-4] [JTOOL-3] %s refuses a file that is no JSON with the place, a missing one and one outside",
    async (tool) => {
      const { agent, refused, text } = await jsonBench({ "a.json": '{"a": [],\n"o": {} "b": 1}' });
      const input = (path: string): object => ({
        path,
        json_path: "$.a",
        ...(tool === "merge_json_object" ? { updates: {} } : tool === "delete_json_key" ? {} : { value: 1 }),
      });
      expect(await refused(tool, input("a.json"))).toBe("invalid_argument/invalid_json");
      expect((await agent.call(tool, input("a.json"))).text).toContain("Invalid JSON at line 2, column 9");
      expect(await text("a.json")).toBe('{"a": [],\n"o": {} "b": 1}');
      expect(await refused(tool, input("nope.json"))).toBe("not_found/no_such_file");
      for (const path of ["../a.json", "/etc/passwd", "a/../../b.json"])
        expect(await refused(tool, input(path))).toMatch(/^invalid_argument\//);
    },
  );

  test("[JTOOL-41] [JTOOL-8] keys of any kind are set, read and deleted by their bracketed path", async () => {
    const { done, text } = await jsonBench({ "a.json": "{}" });
    for (const key of [
      "__proto__",
      "constructor",
      "",
      "a.b",
      "it's",
      'say "x"',
      "a b",
      "é",
      "*",
      "..",
      "0",
      "x\n[Token 9]",
    ]) {
      const jsonPath = `$[${JSON.stringify(key)}]`;
      const set = await done("set_json_value", { path: "a.json", json_path: jsonPath, value: 1 });
      expect(set.text.split("\n")).toHaveLength(2);
      expect(Object.keys(JSON.parse(await text("a.json")) as object)).toEqual([key]);
      const got = await done("get_json_value", { path: "a.json", json_path: jsonPath });
      expect(got.text).toMatch(/^\[Token .*\]\n1$/);
      const listed = await done("list_json_keys", { path: "a.json" });
      expect(listed.text.split("\n")).toHaveLength(2);
      const deleted = await done("delete_json_key", { path: "a.json", json_path: jsonPath });
      expect(deleted.text.split("\n")).toHaveLength(2);
      expect(await text("a.json")).toBe("{}");
    }
  });

  test("[JTOOL-8] blanks in a path and unseen characters in a value make no line of their own", async () => {
    const { done } = await jsonBench({ "a.json": '{"a": 1}' });
    const value = JSON.stringify("x\u2028[Token 9-00000000]");
    const { text } = await done("set_json_value", { path: "a.json", json_path: "$\n['a']", value });
    expect(text.split(/[\n\u2028]/)).toHaveLength(2);
    expect(text).toMatch(/^Updated "\$\\n\['a'\]" = "x\\u2028\[Token 9-00000000\]" in a\.json\n\[Token /);
  });
});

describe("edit_json", () => {
  test("[JTOOL-50] [JTOOL-52] makes edits of every kind in several files as one record", async () => {
    const { done, session, text } = await jsonBench({
      "a.json": '{\n  "a": 1,\n  "list": [1, 3]\n}\n',
      "b.json": '{"o": {"x": 1}, "gone": 0}',
    });
    const {
      text: shown,
      token,
      value,
    } = await done("edit_json", {
      path: "a.json",
      edits: [
        { op: "set", json_path: "$.a", value: "2" },
        { op: "insert", json_path: "$.list[1]", value: 2 },
        { path: "b.json", op: "merge", json_path: "$.o", value: { y: 2 } },
        { op: "append", json_path: "$.list", value: "4" },
        { path: "/workspace/b.json", op: "delete", json_path: "$.gone" },
        { op: "rename", json_path: "$.a", value: "first" },
      ],
    });
    expect(await text("a.json")).toBe('{\n  "first": 2,\n  "list": [1, 2, 3, 4]\n}\n');
    expect(await text("b.json")).toBe('{"o": {"x": 1, "y": 2}}');
    expect(shown).toBe(`Made 6 edits in 2 files\n[Token ${token ?? ""}]
Updated $.a = 2 in a.json
Inserted value at $.list[1] in a.json (now 3 items)
Merged 1 key into $.o in b.json
Appended value to $.list in a.json (now 4 items)
Deleted $.gone from /workspace/b.json
Renamed $.a to "first" in a.json
--- /workspace/a.json
@@ -1,4 +1,4 @@
 {
-  "a": 1,
-  "list": [1, 3]
+  "first": 2,
+  "list": [1, 2, 3, 4]
 }
--- /workspace/b.json
@@ -1 +1 @@
-{"o": {"x": 1}, "gone": 0}
\\ No newline at end of file
+{"o": {"x": 1, "y": 2}}
\\ No newline at end of file`);
    expect((await session.log({ limit: 9 })).at(-1)).toMatchObject({
      tool: "edit_json",
      keys: ["file:/a.json", "file:/b.json"],
    });
    expect(value).toMatchObject({
      files: [
        {
          path: "/workspace/a.json",
          version: 2,
          edits: [{ op: "set" }, { op: "insert" }, { op: "append" }, { op: "rename" }],
        },
        { path: "/workspace/b.json", version: 2 },
      ],
    });
  });

  test("[JTOOL-52] a file that was already so keeps its token, which is named", async () => {
    const { done, session } = await jsonBench({ "a.json": '{"a": 1}', "b.json": '{"b": 1}' });
    const old = session.files()[1]?.token ?? "";
    const { text } = await done("edit_json", {
      edits: [
        { path: "a.json", op: "set", json_path: "$.a", value: 2 },
        { path: "b.json", op: "set", json_path: "$.b", value: 1 },
      ],
    });
    expect(text).toContain(`\n[Token ${old} of /workspace/b.json, which was already so]\n`);
    expect(session.files()[1]?.token).toBe(old);
  });

  test("[JTOOL-51] all edits are made or none, and the refusal names the edit", async () => {
    const { call, refused, text } = await jsonBench({
      "a.json": '{"a": 1}',
      "b.json": '{"b": 1}',
      "c.json": "{",
    });
    const edit = (path: string, op: string, jsonPath: string, value?: unknown): object => ({
      path,
      op,
      json_path: jsonPath,
      ...(value === undefined ? {} : { value }),
    });
    for (const [edits, at, reason] of [
      [
        [
          edit("a.json", "set", "$.a", 2),
          edit("b.json", "set", "$.x", 1),
          edit("a.json", "delete", "$.nope"),
        ],
        2,
        "not_found/path_not_found",
      ],
      [
        [edit("a.json", "set", "$.a", 2), edit("c.json", "set", "$.x", 1)],
        1,
        "invalid_argument/invalid_json",
      ],
      [
        [edit("a.json", "set", "$.a", 2), edit("b.json", "set", "$.x[*]", 1)],
        1,
        "invalid_argument/wildcard_write",
      ],
      [
        [edit("a.json", "set", "$.a", 2), edit("b.json", "set", "$.x", "nope")],
        1,
        "invalid_argument/invalid_value",
      ],
      [
        [edit("a.json", "set", "$.a", 2), edit("../b", "set", "$.x", 1)],
        1,
        "invalid_argument/path_dot_segment",
      ],
      [[edit("a.json", "set", "$.a", 2), edit("gone.json", "set", "$.x", 1)], 1, "not_found/no_such_file"],
    ] as const) {
      const failed = await refused("edit_json", { edits });
      expect(failed).toBe(reason);
      const { error } = await call("edit_json", { edits });
      expect(error?.message).toMatch(new RegExp(`^edits\\[${at}\\]: `));
      expect(error?.data).toMatchObject({ edit: at });
    }
    expect([await text("a.json"), await text("b.json")]).toEqual(['{"a": 1}', '{"b": 1}']);
  });

  test("[JTOOL-53] an edit without value or file, and too many edits, are refused", async () => {
    const { call, refused } = await jsonBench();
    const one = { op: "set", json_path: "$.a", value: 1 };
    expect(await refused("edit_json", { edits: [one] })).toBe("invalid_argument/invalid_edit");
    expect(await refused("edit_json", { path: PATH, edits: [{ op: "set", json_path: "$.a" }] })).toBe(
      "invalid_argument/invalid_edit",
    );
    expect(await refused("edit_json", { path: PATH, edits: [{ ...one, op: "delete" }] })).toBe(
      "invalid_argument/invalid_edit",
    );
    expect(await refused("edit_json", { path: PATH, edits: [{ ...one, op: "rename" }] })).toBe(
      "invalid_argument/invalid_edit",
    );
    expect(await refused("edit_json", { path: PATH, edits: [] })).toBe("invalid_argument/bad_input");
    expect(await refused("edit_json", { path: PATH, edits: [{ ...one, op: "move" }] })).toBe(
      "invalid_argument/bad_input",
    );
    const many = Array.from({ length: 501 }, () => one);
    expect(await refused("edit_json", { path: PATH, edits: many })).toBe("invalid_argument/batch_too_large");
    expect((await call("edit_json", { edits: [one] })).text).toBe(
      "[Error] edits[0] names no file. Send path in it or beside edits.",
    );
  });

  test("[JTOOL-40] several files are pinned by a map", async () => {
    const { done, refused, session } = await jsonBench({ "a.json": "{}", "b.json": "{}" });
    const [a, b] = session.files().map(({ token }) => token ?? "");
    const edits = ["a.json", "b.json"].map((path) => ({ path, op: "set", json_path: "$.x", value: 1 }));
    const wrong = { "/workspace/a.json": a, "b.json": a };
    expect(await refused("edit_json", { edits, expectedVersion: wrong })).toBe("conflict/stale_version");
    await done("edit_json", { edits, expectedVersion: { "a.json": a, "b.json": b } });
  });
});
