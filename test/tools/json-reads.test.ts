import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/index.ts";
import { afterToken, APP, jsonBench, PATH } from "./json-session.ts";
import { READER } from "./bench-session.ts";

describe("preview_json", () => {
  test("[JTOOL-10] [JTOOL-2] shows levels down to max_depth, and what was cut", async () => {
    const { done, session } = await jsonBench();
    const token = session.files()[0]?.token ?? "";
    const { text, value } = await done("preview_json", { path: PATH, max_depth: 2 });
    expect(text).toBe(`[Token ${token}]
{
  "features": {
    "rollout": {
      "enabled": "... [max depth reached]",
      "percent": "... [max depth reached]",
      "regions": "... [max depth reached]"
    },
    "darkMode": false,
    "analytics": {},
    "deprecatedFeature": 1
  },
  "version": "1.4.0",
  "env": "prod",
  "logging": null,
  "cache": []
}
[Truncation info: 3 deep structures]
Not shown: $.features.rollout.enabled (below max depth); $.features.rollout.percent (below max depth); $.features.rollout.regions (below max depth)`);
    expect(value).toMatchObject({ path: PATH, version: 1, token });
    expect(afterToken(await done("preview_json", { path: PATH, max_depth: 10 }))).not.toContain("Truncation");
  });

  test("[JTOOL-10] three levels unless said; a document of 15 levels is cut at 10 at most", async () => {
    const deep = `${'{"a":'.repeat(15)}1${"}".repeat(15)}`;
    const { done } = await jsonBench({ "deep.json": deep });
    const at = async (depth: object): Promise<number> =>
      (await done("preview_json", { path: "deep.json", ...depth })).text.split('"a"').length - 1;
    expect(await at({})).toBe(4);
    expect(await at({ max_depth: 0 })).toBe(1);
    expect(await at({ max_depth: 10 })).toBe(11);
  });

  test("[JTOOL-10] a large array ends with the number of items left, a large object with that of keys", async () => {
    const list = JSON.stringify(Array.from({ length: 1_500 }, (_, i) => i));
    const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`k${i}`, i])));
    const { done } = await jsonBench({ "list.json": list, "keys.json": keys });
    const items = (await done("preview_json", { path: "list.json" })).text;
    expect(items).toContain('  99,\n  "... [1400 more items]"\n]\n[Truncation info: 1 array truncated]');
    expect(items).toContain("Not shown: $ (1400 more items)");
    const members = (await done("preview_json", { path: "keys.json" })).text;
    expect(members).toContain(
      '"k49": 49,\n  "...": "[70 more keys]"\n}\n[Truncation info: 1 object truncated]',
    );
  });
});

describe("get_json_value", () => {
  test("[JTOOL-11] [JTOOL-2] returns what the specification's examples return", async () => {
    const { done, session } = await jsonBench();
    const token = session.files()[0]?.token ?? "";
    const get = async (jsonPath: string): Promise<string> =>
      (await done("get_json_value", { path: PATH, json_path: jsonPath })).text;
    expect(await get("$.features.rollout")).toBe(
      `[Token ${token}]\n{"enabled": true, "percent": 50, "regions": ["us-east-1", "eu-west-1"]}`,
    );
    expect(await get("$.features.rollout.percent")).toBe(`[Token ${token}]\n50`);
    expect(await get("$['version']")).toBe(`[Token ${token}]\n"1.4.0"`);
    expect(await get("$.features.rollout.regions[-1]")).toBe(`[Token ${token}]\n"eu-west-1"`);
    expect(await get("$.logging")).toBe(`[Token ${token}]\nnull`);
    expect(await get("$.cache")).toBe(`[Token ${token}]\n[]`);
  });

  test("[JTOOL-11] literals are those of the document, and containers are bounded", async () => {
    const long = "x".repeat(2_000);
    const document = `{"big": 12345678901234567890, "one": 1.0, "list": [${"1,".repeat(299)}1], "o": {"s": "${long}"}}`;
    const { done } = await jsonBench({ "a.json": document });
    const get = async (jsonPath: string): Promise<string> =>
      afterToken(await done("get_json_value", { path: "a.json", json_path: jsonPath }));
    expect(await get("$.big")).toBe("12345678901234567890");
    expect(await get("$.one")).toBe("1.0");
    expect(await get("$.list")).toContain('"... [200 more items]"');
    expect(await get("$.o")).toBe(
      `{\n  "s": "${"x".repeat(1_000)}..."\n}\n[Truncation info: 1 string truncated]\nNot shown: $.o.s (1000 more bytes)`,
    );
    expect(await get("$.o.s")).toBe(`"${long}"`);
  });

  test("[JTOOL-12] several matches come with their paths; none is not_found; a duplicate key is said", async () => {
    const { done, refused } = await jsonBench({
      "a.json": '{"a": {"n": 1}, "b": [{"n": 2}], "b": [{"n": 3}]}',
    });
    const get = async (jsonPath: string): Promise<string> =>
      afterToken(await done("get_json_value", { path: "a.json", json_path: jsonPath }));
    expect(await get("$..n")).toBe("$['a']['n'] = 1\n$['b'][0]['n'] = 3");
    expect(await get("$.b")).toBe('[{"n": 3}]\n[The key occurs 2 times; this is the last]');
    expect(await refused("get_json_value", { path: "a.json", json_path: "$..zzz" })).toBe(
      "not_found/path_not_found",
    );
  });

  test("[JTOOL-5] a path that leads nowhere is not_found and names what there is, in every tool", async () => {
    const { agent, refused } = await jsonBench();
    const lost = { path: PATH, json_path: "$.features.rolout.x" };
    for (const [tool, more] of [
      ["get_json_value", {}],
      ["list_json_keys", {}],
      ["set_json_value", { value: 1 }],
      ["delete_json_key", {}],
      ["append_json_array", { value: 1 }],
      ["merge_json_object", { updates: {} }],
    ] as const)
      expect(await refused(tool, { ...lost, ...more }), tool).toBe("not_found/path_not_found");
    expect((await agent.call("get_json_value", lost)).text).toBe(
      '[Error] $.features has no key "rolout". Its keys: "rollout", "darkMode", "analytics", "deprecatedFeature".',
    );
  });
});

describe("list_json_keys", () => {
  test("[JREAD-24] a key that no path can name is shown as one, whichever tool shows it", async () => {
    const { done } = await jsonBench();
    const content = String.raw`{"\ud800": {"x": 1}, "b": [1, 2]}`;
    await done("write_file", { path: "half.json", content });
    const warning = /\n\[Warning\] 1 key holds half of a surrogate pair: no path can name it/;
    for (const [tool, input] of [
      ["list_json_keys", {}],
      ["preview_json", {}],
      ["get_json_value", { json_path: "$" }],
      ["query_json", { json_path: "$" }],
    ] as const)
      expect((await done(tool, { path: "half.json", ...input })).text, tool).toMatch(warning);
    const { value } = await done("list_json_keys", { path: "half.json" });
    expect(value).toMatchObject({ keys: [{ name: "\ud800", unnamed: true }, { name: "b" }] });
    const all = await done("query_json", { path: "half.json", json_path: "$.*" });
    expect(all.text).toContain("[Warning] Left out: 1 ");
  });

  test("[JTOOL-14] [JTOOL-2] lists keys with types, counts arrays, names scalars", async () => {
    const { done, session } = await jsonBench();
    const token = session.files()[0]?.token ?? "";
    const list = async (input: object): Promise<string> =>
      (await done("list_json_keys", { path: PATH, ...input })).text;
    expect(await list({ json_path: "$.features" })).toBe(
      `[Token ${token}]\nKeys at $.features: rollout (object), darkMode (boolean), analytics (object), deprecatedFeature (number)`,
    );
    expect(await list({})).toBe(
      `[Token ${token}]\nKeys at $: features (object), version (string), env (string), logging (null), cache (array)`,
    );
    expect(await list({ json_path: "$.features.rollout.regions" })).toBe(
      `[Token ${token}]\n[Array with 2 items]`,
    );
    expect(await list({ json_path: "$.cache" })).toBe(`[Token ${token}]\n[Array with 0 items]`);
    expect(await list({ json_path: "$.version" })).toBe(
      `[Token ${token}]\n$.version is a string: it has no keys`,
    );
    expect(await list({ json_path: "$.logging" })).toBe(
      `[Token ${token}]\n$.logging is null: it has no keys`,
    );
    expect(await list({ json_path: "$.features.analytics" })).toBe(
      `[Token ${token}]\nKeys at $.features.analytics: none`,
    );
  });

  test("[JTOOL-15] keys that do not fit come with the cursor, all of them once", async () => {
    const names = Array.from({ length: 3_000 }, (_, i) => `key-${i}-${"k".repeat(i % 40)}`);
    const document = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const { done } = await jsonBench({ "a.json": document });
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
      const input = { path: "a.json", budget: 4_000, ...(cursor === undefined ? {} : { cursor }) };
      const { text, value } = await done("list_json_keys", input);
      expect(text.length).toBeLessThanOrEqual(4_000);
      const page = value as { keys: { name: string }[]; cursor?: string; more?: number };
      seen.push(...page.keys.map(({ name }) => name));
      ({ cursor } = page);
      expect(page.more ?? 0).toBe(names.length - seen.length);
      expect(text.split("\n").length).toBe(cursor === undefined ? 2 : 3);
    }
    expect(seen).toEqual(names);
  });
});

describe("validate_json", () => {
  test("[JTOOL-16] [JTOOL-2] says what is at the root, and the size", async () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, i])));
    const { done } = await jsonBench({
      [PATH]: APP,
      "many.json": many,
      "list.json": "[1, 2, 3]",
      "one.json": "[1]",
      "text.json": '"x"',
      "empty.json": "{}",
      "single.json": '{"a b": 1}',
    });
    const valid = async (path: string): Promise<string> => afterToken(await done("validate_json", { path }));
    expect(await valid(PATH)).toBe(
      "Valid JSON: 5 keys at root (features, version, env, logging, cache), size: 0.3 KB",
    );
    expect(await valid("many.json")).toBe(
      "Valid JSON: 12 keys at root (k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, ...), size: 0.1 KB",
    );
    expect(await valid("list.json")).toBe("Valid JSON: array with 3 items at root, size: 0.0 KB");
    expect(await valid("one.json")).toBe("Valid JSON: array with 1 item at root, size: 0.0 KB");
    expect(await valid("text.json")).toBe("Valid JSON: string at root, size: 0.0 KB");
    expect(await valid("empty.json")).toBe("Valid JSON: 0 keys at root, size: 0.0 KB");
    expect(await valid("single.json")).toBe('Valid JSON: 1 key at root ("a b"), size: 0.0 KB');
  });

  test.each([
    [
      '{\n"a": ,}',
      "Invalid JSON at line 2: unexpected token ',' at column 6, expected a value. There is a comma too many, or a value is missing before it.",
    ],
    [
      '{"a": 1',
      "Invalid JSON at line 1: unexpected end of the document at column 8, expected ',' or '}' (object opened at 1:1 is never closed). The document stops too early: restore what was cut off, or close it with \"}\".",
    ],
    [
      '{"a": nope}',
      'Invalid JSON at line 1: unexpected token "nope" at column 8, expected a value. Put text in double quotes; the only bare words are true, false and null.',
    ],
    [
      "",
      "Invalid JSON at line 1: unexpected end of the document at column 1, expected a value. A JSON document holds one value: write {} for an empty object.",
    ],
  ])("[JTOOL-17] %j is refused with line, token and column", async (content, message) => {
    const { agent, refused } = await jsonBench({ "a.json": content });
    expect(await refused("validate_json", { path: "a.json" })).toBe("invalid_argument/invalid_json");
    expect((await agent.call("validate_json", { path: "a.json" })).text).toBe(`[Error] ${message}`);
  });

  test("[JTOOL-17] [JTOOL-4] a file that is no JSON from its first byte on is refused as such", async () => {
    for (const content of ["hello\n", "xword", "# Notes\n", "0x", "}", ",", "\u0000"]) {
      const { agent } = await jsonBench({ "a.txt": content });
      for (const [tool, input] of [
        ["validate_json", {}],
        ["get_json_value", { json_path: "$" }],
        ["set_json_value", { json_path: "$.a", value: "1" }],
      ] as const) {
        const { error } = await agent.call<unknown>(tool, { path: "a.txt", ...input });
        expect(error, `${tool} of ${JSON.stringify(content)}`).toMatchObject({
          code: "invalid_argument",
          reason: "invalid_json",
        });
      }
    }
  });

  test("[JTOOL-18] is strict, also for JSONC, and says that the other tools take the file", async () => {
    const { agent, refused } = await jsonBench({
      "a.jsonc": '{"a": 1,}',
      "a.json": '{"a": 1,}',
      "b.json": '{\n// c\n"a": 1}',
      "bom.json": '\ufeff{"a": 1}',
    });
    const loose = "This check is strict; the other JSON tools read and edit the file as it is";
    for (const path of ["a.jsonc", "a.json", "b.json", "bom.json"])
      expect(await refused("validate_json", { path }), path).toBe("invalid_argument/invalid_json");
    const text = async (path: string): Promise<string> => (await agent.call("validate_json", { path })).text;
    expect(await text("a.jsonc")).toMatch(/unexpected token '}' at column 9.*\(JSONC\)\.$/);
    expect(await text("b.json")).toContain(`${loose} (JSONC).`);
    expect(await text("bom.json")).toContain(`${loose}.`);
    expect(await text("a.json")).not.toContain(loose);
  });
});

describe("query_json", () => {
  const users = JSON.stringify({ users: Array.from({ length: 500 }, (_, i) => ({ id: i, age: i % 90 })) });

  test("[JTOOL-19] [JTOOL-2] returns each match with its path; no match is no error", async () => {
    const { done, session } = await jsonBench({ "a.json": users });
    const token = session.files()[0]?.token ?? "";
    const query = async (jsonPath: string, more: object = {}): Promise<string> =>
      (await done("query_json", { path: "a.json", json_path: jsonPath, ...more })).text;
    expect(await query("$.users[?@.id < 2]")).toBe(
      `[Token ${token}]\n$['users'][0] = {"id": 0, "age": 0}\n$['users'][1] = {"id": 1, "age": 1}`,
    );
    expect(await query("$.users[1:3].id")).toBe(
      `[Token ${token}]\n$['users'][1]['id'] = 1\n$['users'][2]['id'] = 2`,
    );
    expect(await query("$.nobody[*]")).toBe(`[Token ${token}]\nNo match for $.nobody[*]`);
    expect(await query("$..id", { limit: 1 })).toMatch(
      /^\[Token .*\]\n\[More matches: call again with cursor ".*"\]\n\$\['users'\]\[0\]\['id'\] = 0$/,
    );
  });

  test("[JTOOL-19] a query that is stopped says so", async () => {
    const { done } = await jsonBench({ "a.json": users }, { limits: { jsonQuerySteps: 200 } });
    expect((await done("query_json", { path: "a.json", json_path: "$..zzz" })).text).toContain(
      "[Stopped early: more may match.",
    );
  });

  test("[JTOOL-20] pages hold all matches once, whatever is written meanwhile", async () => {
    const { done } = await jsonBench({ "a.json": users });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const input = { path: "a.json", json_path: "$.users[*].id", budget: 1_200, limit: 40 };
      const { text, value } = await done("query_json", {
        ...input,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(text.length).toBeLessThanOrEqual(1_200);
      const page = value as { matches: { json: string }[]; cursor?: string };
      expect(page.matches.length).toBeLessThanOrEqual(40);
      seen.push(...page.matches.map(({ json }) => json));
      ({ cursor } = page);
      await done("delete_json_key", { path: "a.json", json_path: "$.users[0]" });
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => String(i)));
  });

  test("[JTOOL-19] every path it returns is one that a write takes", async () => {
    const document = `{"a.b": {"'": 1, "\\"": 2, "": 3, "é\\n": [4]}}`;
    const { done, text } = await jsonBench({ "a.json": document });
    const { value } = await done("query_json", { path: "a.json", json_path: "$..*" });
    const { matches } = value as { matches: { json_path: string; kind: string }[] };
    for (const { json_path: jsonPath, kind } of matches)
      if (kind === "number") await done("set_json_value", { path: "a.json", json_path: jsonPath, value: 0 });
    expect(await text("a.json")).toBe(document.replaceAll(/[1-4]/g, "0"));
  });
});

describe("all reads", () => {
  const READS = ["preview_json", "get_json_value", "list_json_keys", "validate_json", "query_json"];
  const input = (tool: string, path: string): object =>
    tool === "get_json_value" || tool === "query_json" ? { path, json_path: "$.a" } : { path };

  test.each(READS)(
    "[JTOOL-3] %s refuses a missing file, a directory and a path that leaves",
    async (tool) => {
      const { refused } = await jsonBench({ "dir/a.json": "{}" });
      expect(await refused(tool, input(tool, "nope.json"))).toBe("not_found/no_such_file");
      expect(await refused(tool, input(tool, "dir"))).toBe("invalid_argument/is_directory");
      for (const path of ["../etc/passwd", "/etc/passwd", "dir/../../x", "dir\\a.json", "a\0b"])
        expect(await refused(tool, input(tool, path)), path).toMatch(/^invalid_argument\//);
    },
  );

  test("[JTOOL-3] a malformed JSONPath is refused with the column", async () => {
    const { agent } = await jsonBench();
    for (const tool of ["get_json_value", "list_json_keys", "query_json"]) {
      const { error, text } = await agent.call(tool, { path: PATH, json_path: "$.features[" });
      expect(error).toMatchObject({ code: "invalid_argument", reason: "invalid_path" });
      expect(text).toContain("[Error] JSONPath, column 12: ");
    }
  });

  test.each(["preview_json", "get_json_value", "list_json_keys", "query_json"])(
    "[JTOOL-4] %s parses the file: what it would meet is refused with line and column",
    async (tool) => {
      const { agent, refused } = await jsonBench({ "a.json": '{\n  "b": 1\n  "a": 2\n}' });
      expect(await refused(tool, input(tool, "a.json"))).toBe("invalid_argument/invalid_json");
      const { text } = await agent.call(tool, input(tool, "a.json"));
      expect(text).toContain("[Error] Invalid JSON at line 3, column 3: expected ',' or '}', found '\"'");
    },
  );

  test("[JTOOL-6] a reader may read, and may not write", async () => {
    const { session, call } = await jsonBench();
    const reader = session.as(READER);
    for (const tool of READS)
      expect(
        (
          await reader.call(tool, {
            ...input(tool, PATH),
            ...(tool === "get_json_value" ? { json_path: "$.env" } : {}),
          })
        ).ok,
      ).toBe(true);
    const set = { path: PATH, json_path: "$.a", value: "1" };
    expect((await reader.call("set_json_value", set)).error).toMatchObject({
      code: "forbidden",
      reason: "role",
    });
    expect(
      reader
        .tools()
        .filter(({ toolset }) => toolset === "json")
        .map(({ name }) => name),
    ).toEqual(READS);
    expect((await call("set_json_value", set)).ok).toBe(true);
  });

  test("[JTOOL-6] a read-only session refuses every write", async () => {
    const store = memoryStore();
    const first = await jsonBench({ [PATH]: APP }, { store, id: "s" });
    await first.session.close();
    const { refused, done } = await jsonBench({}, { store, id: "s", readOnly: true });
    const place = { path: PATH, json_path: "$.env" };
    expect(afterToken(await done("get_json_value", place))).toBe('"prod"');
    for (const [tool, input] of [
      ["set_json_value", { ...place, value: 1 }],
      ["delete_json_key", place],
      ["append_json_array", { ...place, value: 1 }],
      ["merge_json_object", { ...place, updates: {} }],
      ["edit_json", { edits: [{ ...place, op: "delete" }] }],
    ] as const)
      expect(await refused(tool, input), tool).toBe("forbidden/read_only");
  });

  test("[JTOOL-63] [JTOOL-1] ten tools within 5.5 KB of catalogue, each with the arguments of the specification", async () => {
    const { agent } = await jsonBench();
    const tools = agent.tools().filter(({ toolset }) => toolset === "json");
    const required = Object.fromEntries(
      tools.map(({ name, inputSchema }) => [name, inputSchema["required"]]),
    );
    expect(required).toEqual({
      preview_json: ["path"],
      get_json_value: ["path", "json_path"],
      list_json_keys: ["path"],
      validate_json: ["path"],
      query_json: ["path", "json_path"],
      set_json_value: ["path", "json_path", "value"],
      delete_json_key: ["path", "json_path"],
      append_json_array: ["path", "json_path", "value"],
      merge_json_object: ["path", "json_path", "updates"],
      edit_json: ["edits"],
    });
    const catalogue = tools.map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
    }));
    expect(JSON.stringify(catalogue).length).toBeLessThanOrEqual(5.5 * 1024);
  });

  test("[JTOOL-7] every problem of the input is named at once", async () => {
    const { call } = await jsonBench();
    const { text } = await call("preview_json", { pth: PATH, max_depth: 11 });
    expect(text).toContain("path: is missing");
    expect(text).toContain("max_depth: must be at most 10");
    expect(text).toContain("pth: unknown field, did you mean path?");
    expect((await call("preview_json", { path: PATH, max_depth: -1 })).text).toContain("at least 0");
  });
});
