// The testing list of the JSON connector's specification, item by item, through the tools: whole texts, tokens shown as T.
// docs/testing-lists.md says which other tests prove each item.

import { describe, expect, test } from "vitest";
import { APP, jsonBench, PATH } from "./json-session.ts";

type Calls = readonly (readonly [tool: string, input: object])[];

/** What an agent reads of calls made one after the other. */
async function texts(files: Readonly<Record<string, string>>, calls: Calls): Promise<string> {
  const { call, session } = await jsonBench(files);
  const shown: string[] = [];
  for (const [tool, input] of calls) {
    const { text } = await call(tool, input);
    shown.push(`> ${tool} ${JSON.stringify(input)}`, text.replaceAll(/\b\d+-[0-9a-f]{8}\b/g, "T"));
  }
  await session.close();
  return shown.join("\n");
}

/** A cursor is another one in every session. */
function withoutCursor(line = ""): string {
  return line.replace(/"[\w.-]+"/, '"C"');
}

const app = { [PATH]: APP };
const READS = ["preview_json", "get_json_value", "list_json_keys", "validate_json"] as const;
const WRITES = ["set_json_value", "delete_json_key", "append_json_array", "merge_json_object"] as const;

/** A well-formed input for each of the eight operations. */
function inputOf(tool: string, path: string, jsonPath = "$.features"): object {
  const value = tool === "merge_json_object" ? { updates: "{}" } : { value: "1" };
  const place = tool === "preview_json" || tool === "validate_json" ? {} : { json_path: jsonPath };
  const sent = tool === "set_json_value" || tool === "append_json_array" || tool === "merge_json_object";
  return { path, ...place, ...(sent ? value : {}) };
}

describe("the specification's testing list", () => {
  test("[JTOOL-10] [JTOOL-11] [JTOOL-14] [JTOOL-16] [JTOOL-30] item 1: each operation, with the calls of the specification's examples", async () => {
    expect(
      await texts(app, [
        ["preview_json", { path: PATH, max_depth: 2 }],
        ["get_json_value", { path: PATH, json_path: "$.features.rollout" }],
        ["list_json_keys", { path: PATH, json_path: "$.features" }],
        ["validate_json", { path: PATH }],
        ["set_json_value", { path: PATH, json_path: "$.features.rollout.percent", value: "75" }],
        [
          "set_json_value",
          { path: PATH, json_path: "$.features.newFeature", value: '{"enabled": true, "beta": true}' },
        ],
        ["delete_json_key", { path: PATH, json_path: "$.features.deprecatedFeature" }],
        [
          "append_json_array",
          { path: PATH, json_path: "$.cache", value: '{"id": "u-101", "name": "Alice"}' },
        ],
        [
          "merge_json_object",
          { path: PATH, json_path: "$.features.rollout", updates: '{"percent": 100, "complete": true}' },
        ],
        ["read_file", { path: PATH }],
      ]),
    ).toMatchInlineSnapshot(`
      "> preview_json {"path":"/workspace/config/app.json","max_depth":2}
      [Token T]
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
      Not shown: $.features.rollout.enabled (below max depth); $.features.rollout.percent (below max depth); $.features.rollout.regions (below max depth)
      > get_json_value {"path":"/workspace/config/app.json","json_path":"$.features.rollout"}
      [Token T]
      {"enabled": true, "percent": 50, "regions": ["us-east-1", "eu-west-1"]}
      > list_json_keys {"path":"/workspace/config/app.json","json_path":"$.features"}
      [Token T]
      Keys at $.features: rollout (object), darkMode (boolean), analytics (object), deprecatedFeature (number)
      > validate_json {"path":"/workspace/config/app.json"}
      [Token T]
      Valid JSON: 5 keys at root (features, version, env, logging, cache), size: 0.3 KB
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.features.rollout.percent","value":"75"}
      Updated $.features.rollout.percent = 75 in /workspace/config/app.json
      [Token T]
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.features.newFeature","value":"{\\"enabled\\": true, \\"beta\\": true}"}
      Updated $.features.newFeature = {...} in /workspace/config/app.json
      [Token T]
      > delete_json_key {"path":"/workspace/config/app.json","json_path":"$.features.deprecatedFeature"}
      Deleted $.features.deprecatedFeature from /workspace/config/app.json
      [Token T]
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$.cache","value":"{\\"id\\": \\"u-101\\", \\"name\\": \\"Alice\\"}"}
      Appended value to $.cache in /workspace/config/app.json (now 1 item)
      [Token T]
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.features.rollout","updates":"{\\"percent\\": 100, \\"complete\\": true}"}
      Merged 2 keys into $.features.rollout in /workspace/config/app.json
      [Token T]
      > read_file {"path":"/workspace/config/app.json"}
      [Token T] /workspace/config/app.json: lines 1-25 of 25, 404 bytes, version 6
      {
        "features": {
          "rollout": {
            "enabled": true,
            "percent": 100,
            "regions": ["us-east-1", "eu-west-1"],
            "complete": true
          },
          "darkMode": false,
          "analytics": {},
          "newFeature": {
            "enabled": true,
            "beta": true
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
        ]
      }
      "
    `);
  });

  test("[JPATH-1] [JTOOL-12] item 2: JSONPath in its various forms", async () => {
    const paths = [
      "$",
      "$.users",
      "$['users'][0]['name']",
      "$.users[1].name",
      "$.users[-1].name",
      "$.users[*].name",
      "$..name",
      "$.users[0:2].name",
      "$.users[?@.age > 18].name",
      "$.users[?(@.age > 18)].name",
      "$['a.b']",
    ];
    const document =
      '{"users": [{"name": "A", "age": 17}, {"name": "B", "age": 30}, {"name": "C"}], "a.b": 1}';
    expect(
      await texts(
        { "u.json": document },
        paths.map((json_path) => ["get_json_value", { path: "u.json", json_path }] as const),
      ),
    ).toMatchInlineSnapshot(`
      "> get_json_value {"path":"u.json","json_path":"$"}
      [Token T]
      {
        "users": [
          {
            "name": "A",
            "age": 17
          },
          {
            "name": "B",
            "age": 30
          },
          {
            "name": "C"
          }
        ],
        "a.b": 1
      }
      > get_json_value {"path":"u.json","json_path":"$.users"}
      [Token T]
      [{"name": "A", "age": 17}, {"name": "B", "age": 30}, {"name": "C"}]
      > get_json_value {"path":"u.json","json_path":"$['users'][0]['name']"}
      [Token T]
      "A"
      > get_json_value {"path":"u.json","json_path":"$.users[1].name"}
      [Token T]
      "B"
      > get_json_value {"path":"u.json","json_path":"$.users[-1].name"}
      [Token T]
      "C"
      > get_json_value {"path":"u.json","json_path":"$.users[*].name"}
      [Token T]
      $['users'][0]['name'] = "A"
      $['users'][1]['name'] = "B"
      $['users'][2]['name'] = "C"
      > get_json_value {"path":"u.json","json_path":"$..name"}
      [Token T]
      $['users'][0]['name'] = "A"
      $['users'][1]['name'] = "B"
      $['users'][2]['name'] = "C"
      > get_json_value {"path":"u.json","json_path":"$.users[0:2].name"}
      [Token T]
      $['users'][0]['name'] = "A"
      $['users'][1]['name'] = "B"
      > get_json_value {"path":"u.json","json_path":"$.users[?@.age > 18].name"}
      [Token T]
      $['users'][1]['name'] = "B"
      > get_json_value {"path":"u.json","json_path":"$.users[?(@.age > 18)].name"}
      [Token T]
      $['users'][1]['name'] = "B"
      > get_json_value {"path":"u.json","json_path":"$['a.b']"}
      [Token T]
      1"
    `);
  });

  test("[JREAD-10] [JTOOL-10] item 3: deep structures are cut at their depth", async () => {
    const deep = `${'{"d":'.repeat(14)}1${"}".repeat(14)}`;
    expect(
      await texts({ "deep.json": deep }, [
        ["preview_json", { path: "deep.json" }],
        ["preview_json", { path: "deep.json", max_depth: 10 }],
        ["preview_json", { path: "deep.json", max_depth: 11 }],
        ["get_json_value", { path: "deep.json", json_path: "$" }],
        ["get_json_value", { path: "deep.json", json_path: "$.d.d.d.d.d.d.d.d.d.d.d.d" }],
      ]),
    ).toMatchInlineSnapshot(`
      "> preview_json {"path":"deep.json"}
      [Token T]
      {
        "d": {
          "d": {
            "d": {
              "d": "... [max depth reached]"
            }
          }
        }
      }
      [Truncation info: 1 deep structure]
      Not shown: $.d.d.d.d (below max depth)
      > preview_json {"path":"deep.json","max_depth":10}
      [Token T]
      {
        "d": {
          "d": {
            "d": {
              "d": {
                "d": {
                  "d": {
                    "d": {
                      "d": {
                        "d": {
                          "d": {
                            "d": "... [max depth reached]"
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
      [Truncation info: 1 deep structure]
      Not shown: $.d.d.d.d.d.d.d.d.d.d.d (below max depth)
      > preview_json {"path":"deep.json","max_depth":11}
      [Error] preview_json was not run. max_depth: must be at most 10.
      > get_json_value {"path":"deep.json","json_path":"$"}
      [Token T]
      {
        "d": {
          "d": {
            "d": {
              "d": {
                "d": {
                  "d": {
                    "d": {
                      "d": {
                        "d": {
                          "d": {
                            "d": "... [max depth reached]"
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
      [Truncation info: 1 deep structure]
      Not shown: $.d.d.d.d.d.d.d.d.d.d.d (below max depth)
      > get_json_value {"path":"deep.json","json_path":"$.d.d.d.d.d.d.d.d.d.d.d.d"}
      [Token T]
      {"d": {"d": 1}}"
    `);
  });

  test("[JREAD-2] [JTOOL-11] item 4: large arrays are cut after their first items", async () => {
    const items = Array.from({ length: 1_200 }, (_, i) => i);
    const { done } = await jsonBench({ "a.json": JSON.stringify({ items }) });
    const preview = (await done("preview_json", { path: "a.json" })).text.split("\n");
    expect([preview.length, ...preview.slice(1, 5), ...preview.slice(-5)]).toMatchInlineSnapshot(`
      [
        108,
        "{",
        "  "items": [",
        "    0,",
        "    1,",
        "    "... [1100 more items]"",
        "  ]",
        "}",
        "[Truncation info: 1 array truncated]",
        "Not shown: $.items (1100 more items)",
      ]
    `);
    const got = (await done("get_json_value", { path: "a.json", json_path: "$.items" })).text.split("\n");
    expect([got.length, withoutCursor(got[1]), ...got.slice(2, 5), ...got.slice(-5)]).toEqual([
      107,
      '[1100 more items: call again with cursor "C"]',
      "[",
      "  0,",
      "  1,",
      "  99,",
      '  "... [1100 more items]"',
      "]",
      "[Truncation info: 1 array truncated]",
      "Not shown: $.items (1100 more items)",
    ]);
    expect((await done("list_json_keys", { path: "a.json", json_path: "$.items" })).text).toMatch(
      /^\[Token [^\]]+\]\n\[Array with 1200 items\]$/,
    );
  });

  test("[JREAD-2] [JTOOL-11] item 5: large objects are cut after their first keys", async () => {
    const keys = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`k${i}`, i]));
    const { done } = await jsonBench({ "o.json": JSON.stringify(keys) });
    const preview = (await done("preview_json", { path: "o.json" })).text.split("\n");
    expect([preview.length, ...preview.slice(1, 4), ...preview.slice(-4)]).toMatchInlineSnapshot(`
      [
        56,
        "{",
        "  "k0": 0,",
        "  "k1": 1,",
        "  "...": "[80 more keys]"",
        "}",
        "[Truncation info: 1 object truncated]",
        "Not shown: $ (80 more keys)",
      ]
    `);
    const got = (await done("get_json_value", { path: "o.json", json_path: "$" })).text.split("\n");
    expect([got.length, withoutCursor(got[1]), ...got.slice(2, 4), ...got.slice(-5)]).toEqual([
      57,
      '[80 more keys: call again with cursor "C"]',
      "{",
      '  "k0": 0,',
      '  "k49": 49,',
      '  "...": "[80 more keys]"',
      "}",
      "[Truncation info: 1 object truncated]",
      "Not shown: $ (80 more keys)",
    ]);
    expect((await done("validate_json", { path: "o.json" })).text.split("\n")[1]).toMatchInlineSnapshot(
      `"Valid JSON: 130 keys at root (k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, ...), size: 1.2 KB"`,
    );
  });

  test("[JTOOL-3] [JTOOL-4] [JTOOL-17] item 6: a missing file, invalid JSON and a malformed JSONPath, in every operation", async () => {
    const tools = [...READS, ...WRITES];
    expect(
      await texts({ ...app, "bad.json": '{\n  "a": 1,,\n}\n' }, [
        ...tools.map((tool) => [tool, inputOf(tool, "/workspace/config/ap.json")] as const),
        ...tools.map((tool) => [tool, inputOf(tool, "bad.json", "$.a")] as const),
        ...[...READS, ...WRITES]
          .filter((tool) => tool !== "preview_json" && tool !== "validate_json")
          .map((tool) => [tool, inputOf(tool, PATH, "$.features[")] as const),
      ]),
    ).toMatchInlineSnapshot(`
      "> preview_json {"path":"/workspace/config/ap.json"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > get_json_value {"path":"/workspace/config/ap.json","json_path":"$.features"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > list_json_keys {"path":"/workspace/config/ap.json","json_path":"$.features"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > validate_json {"path":"/workspace/config/ap.json"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > set_json_value {"path":"/workspace/config/ap.json","json_path":"$.features","value":"1"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > delete_json_key {"path":"/workspace/config/ap.json","json_path":"$.features"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > append_json_array {"path":"/workspace/config/ap.json","json_path":"$.features","value":"1"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > merge_json_object {"path":"/workspace/config/ap.json","json_path":"$.features","updates":"{}"}
      [Error] /workspace/config/ap.json does not exist. Did you mean /workspace/config/app.json?
      > preview_json {"path":"bad.json"}
      [Error] Invalid JSON at line 2, column 10: expected a key in double quotes, found ','. Remove the comma.
      > get_json_value {"path":"bad.json","json_path":"$.a"}
      [Error] Invalid JSON at line 2, column 10: expected a key in double quotes, found ','. Remove the comma.
      > list_json_keys {"path":"bad.json","json_path":"$.a"}
      [Error] Invalid JSON at line 2, column 10: expected a key in double quotes, found ','. Remove the comma.
      > validate_json {"path":"bad.json"}
      [Error] Invalid JSON at line 2: unexpected token ',' at column 10, expected a key in double quotes. Remove the comma.
      > set_json_value {"path":"bad.json","json_path":"$.a","value":"1"}
      [Error] Invalid JSON at line 2, column 10: expected a key in double quotes, found ','. Remove the comma.
      > delete_json_key {"path":"bad.json","json_path":"$.a"}
      [Error] Invalid JSON at line 2, column 10: expected a key in double quotes, found ','. Remove the comma.
      > append_json_array {"path":"bad.json","json_path":"$.a","value":"1"}
      [Error] Invalid JSON at line 2, column 10: expected a key in double quotes, found ','. Remove the comma.
      > merge_json_object {"path":"bad.json","json_path":"$.a","updates":"{}"}
      [Error] Invalid JSON at line 2, column 10: expected a key in double quotes, found ','. Remove the comma.
      > get_json_value {"path":"/workspace/config/app.json","json_path":"$.features["}
      [Error] JSONPath, column 12: expected a quoted name, an index, a slice, * or ?, found the end of the path.
        $.features[
                   ^
      > list_json_keys {"path":"/workspace/config/app.json","json_path":"$.features["}
      [Error] JSONPath, column 12: expected a quoted name, an index, a slice, * or ?, found the end of the path.
        $.features[
                   ^
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.features[","value":"1"}
      [Error] JSONPath, column 12: expected a quoted name, an index, a slice, * or ?, found the end of the path.
        $.features[
                   ^
      > delete_json_key {"path":"/workspace/config/app.json","json_path":"$.features["}
      [Error] JSONPath, column 12: expected a quoted name, an index, a slice, * or ?, found the end of the path.
        $.features[
                   ^
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$.features[","value":"1"}
      [Error] JSONPath, column 12: expected a quoted name, an index, a slice, * or ?, found the end of the path.
        $.features[
                   ^
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.features[","updates":"{}"}
      [Error] JSONPath, column 12: expected a quoted name, an index, a slice, * or ?, found the end of the path.
        $.features[
                   ^"
    `);
  });

  test("[JTOOL-35] [JTOOL-31] item 7: wildcards and the root are refused in writes, and a large value warns", async () => {
    const many = ["$.features[*]", "$..percent", "$.cache[0:2]", "$.features[?@.enabled]"];
    const { done, session } = await jsonBench();
    const large = JSON.stringify("x".repeat(10_300));
    const warned = await done("set_json_value", { path: PATH, json_path: "$.env", value: large });
    expect(warned.text.replaceAll(/\d+-[0-9a-f]{8}|x{40,}/g, "...")).toMatchInlineSnapshot(`
      "[Warning] The value has 10.1 KB.
      Updated $.env = "...... in /workspace/config/app.json
      [Token ...]"
    `);
    await session.close();
    expect(
      await texts(app, [
        ...WRITES.flatMap((tool) => many.map((json_path) => [tool, inputOf(tool, PATH, json_path)] as const)),
        ["set_json_value", inputOf("set_json_value", PATH, "$")],
        ["delete_json_key", inputOf("delete_json_key", PATH, "$")],
        ["read_file", { path: PATH, limit: 1 }],
      ]),
    ).toMatchInlineSnapshot(`
      "> set_json_value {"path":"/workspace/config/app.json","json_path":"$.features[*]","value":"1"}
      [Error] JSONPath, column 11: a write needs a path to one place, and * stands for all children.
        $.features[*]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$..percent","value":"1"}
      [Error] JSONPath, column 2: a write needs a path to one place, and .. searches all levels.
        $..percent
         ^
      Find the places with a query first, then write to each normalized path it returns.
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.cache[0:2]","value":"1"}
      [Error] JSONPath, column 8: a write needs a path to one place, and a slice stands for several items.
        $.cache[0:2]
               ^
      Find the places with a query first, then write to each normalized path it returns.
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.features[?@.enabled]","value":"1"}
      [Error] JSONPath, column 11: a write needs a path to one place, and a filter can select several.
        $.features[?@.enabled]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > delete_json_key {"path":"/workspace/config/app.json","json_path":"$.features[*]"}
      [Error] JSONPath, column 11: a write needs a path to one place, and * stands for all children.
        $.features[*]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > delete_json_key {"path":"/workspace/config/app.json","json_path":"$..percent"}
      [Error] JSONPath, column 2: a write needs a path to one place, and .. searches all levels.
        $..percent
         ^
      Find the places with a query first, then write to each normalized path it returns.
      > delete_json_key {"path":"/workspace/config/app.json","json_path":"$.cache[0:2]"}
      [Error] JSONPath, column 8: a write needs a path to one place, and a slice stands for several items.
        $.cache[0:2]
               ^
      Find the places with a query first, then write to each normalized path it returns.
      > delete_json_key {"path":"/workspace/config/app.json","json_path":"$.features[?@.enabled]"}
      [Error] JSONPath, column 11: a write needs a path to one place, and a filter can select several.
        $.features[?@.enabled]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$.features[*]","value":"1"}
      [Error] JSONPath, column 11: a write needs a path to one place, and * stands for all children.
        $.features[*]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$..percent","value":"1"}
      [Error] JSONPath, column 2: a write needs a path to one place, and .. searches all levels.
        $..percent
         ^
      Find the places with a query first, then write to each normalized path it returns.
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$.cache[0:2]","value":"1"}
      [Error] JSONPath, column 8: a write needs a path to one place, and a slice stands for several items.
        $.cache[0:2]
               ^
      Find the places with a query first, then write to each normalized path it returns.
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$.features[?@.enabled]","value":"1"}
      [Error] JSONPath, column 11: a write needs a path to one place, and a filter can select several.
        $.features[?@.enabled]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.features[*]","updates":"{}"}
      [Error] JSONPath, column 11: a write needs a path to one place, and * stands for all children.
        $.features[*]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$..percent","updates":"{}"}
      [Error] JSONPath, column 2: a write needs a path to one place, and .. searches all levels.
        $..percent
         ^
      Find the places with a query first, then write to each normalized path it returns.
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.cache[0:2]","updates":"{}"}
      [Error] JSONPath, column 8: a write needs a path to one place, and a slice stands for several items.
        $.cache[0:2]
               ^
      Find the places with a query first, then write to each normalized path it returns.
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.features[?@.enabled]","updates":"{}"}
      [Error] JSONPath, column 11: a write needs a path to one place, and a filter can select several.
        $.features[?@.enabled]
                  ^
      Find the places with a query first, then write to each normalized path it returns.
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$","value":"1"}
      [Error] The root cannot be set. Name a key, or use merge or append at $.
      > delete_json_key {"path":"/workspace/config/app.json","json_path":"$"}
      [Error] The root cannot be deleted. Name a key, or use merge or append at $.
      > read_file {"path":"/workspace/config/app.json","limit":1}
      [Token T] /workspace/config/app.json: lines 1-1 of 16, 280 bytes, version 1
      {
      "
    `);
  });

  test("[PATH-2] [JTOOL-3] item 8: no operation leaves the workspace", async () => {
    const outside = ["../app.json", "/etc/passwd", "/workspace/../app.json", "a/./b.json", "C:\\app.json"];
    const { call } = await jsonBench();
    const said = new Map<string, Set<string>>();
    for (const path of outside)
      for (const tool of [...READS, ...WRITES]) {
        const { ok, text, error } = await call(tool, inputOf(tool, path));
        expect([ok, error?.code], tool).toEqual([false, "invalid_argument"]);
        said.set(path, (said.get(path) ?? new Set()).add(text));
      }
    expect([...said].map(([path, all]) => [path, ...all])).toMatchInlineSnapshot(`
      [
        [
          "../app.json",
          "[Error] Path segment 1, "..", is not a name. Dots are not resolved: write the path from /workspace without it; the workspace itself is /workspace.",
        ],
        [
          "/etc/passwd",
          "[Error] "/etc/passwd" lies outside the workspace. Write a path that begins with /workspace/, or one without a leading slash.",
        ],
        [
          "/workspace/../app.json",
          "[Error] Path segment 1, "..", is not a name. Dots are not resolved: write the path from /workspace without it; the workspace itself is /workspace.",
        ],
        [
          "a/./b.json",
          "[Error] Path segment 2, ".", is not a name. Dots are not resolved: write the path from /workspace without it; the workspace itself is /workspace.",
        ],
        [
          "C:\\app.json",
          "[Error] "C:\\\\app.json" begins with a drive letter. Write the path from /workspace, with / between segments.",
        ],
      ]
    `);
  });

  test("[JTOOL-41] [JEDIT-17] item 9: empty containers, null, and special characters in keys", async () => {
    const key = "$['a.b \\'q\\' [0] \\u00e9']";
    expect(
      await texts({ "e.json": '{"o": {}, "a": [], "n": null, "": 0}', "none.json": "{}" }, [
        ["get_json_value", { path: "e.json", json_path: "$.o" }],
        ["get_json_value", { path: "e.json", json_path: "$.a" }],
        ["get_json_value", { path: "e.json", json_path: "$.n" }],
        ["get_json_value", { path: "e.json", json_path: "$['']" }],
        ["list_json_keys", { path: "e.json", json_path: "$.o" }],
        ["list_json_keys", { path: "e.json", json_path: "$.a" }],
        ["list_json_keys", { path: "e.json" }],
        ["validate_json", { path: "none.json" }],
        ["preview_json", { path: "none.json" }],
        ["set_json_value", { path: "e.json", json_path: "$.o.k", value: "null" }],
        ["append_json_array", { path: "e.json", json_path: "$.a", value: "null" }],
        ["set_json_value", { path: "e.json", json_path: key, value: '"v"' }],
        ["get_json_value", { path: "e.json", json_path: key }],
        ["delete_json_key", { path: "e.json", json_path: "$.o.k" }],
        ["delete_json_key", { path: "e.json", json_path: "$.a[0]" }],
        ["merge_json_object", { path: "none.json", json_path: "$", updates: "{}" }],
        ["read_file", { path: "e.json" }],
      ]),
    ).toMatchInlineSnapshot(`
      "> get_json_value {"path":"e.json","json_path":"$.o"}
      [Token T]
      {}
      > get_json_value {"path":"e.json","json_path":"$.a"}
      [Token T]
      []
      > get_json_value {"path":"e.json","json_path":"$.n"}
      [Token T]
      null
      > get_json_value {"path":"e.json","json_path":"$['']"}
      [Token T]
      0
      > list_json_keys {"path":"e.json","json_path":"$.o"}
      [Token T]
      Keys at $.o: none
      > list_json_keys {"path":"e.json","json_path":"$.a"}
      [Token T]
      [Array with 0 items]
      > list_json_keys {"path":"e.json"}
      [Token T]
      Keys at $: o (object), a (array), n (null), "" (number)
      > validate_json {"path":"none.json"}
      [Token T]
      Valid JSON: 0 keys at root, size: 0.0 KB
      > preview_json {"path":"none.json"}
      [Token T]
      {}
      > set_json_value {"path":"e.json","json_path":"$.o.k","value":"null"}
      Updated $.o.k = null in e.json
      [Token T]
      > append_json_array {"path":"e.json","json_path":"$.a","value":"null"}
      Appended value to $.a in e.json (now 1 item)
      [Token T]
      > set_json_value {"path":"e.json","json_path":"$['a.b \\\\'q\\\\' [0] \\\\u00e9']","value":"\\"v\\""}
      Updated $['a.b \\'q\\' [0] \\u00e9'] = "v" in e.json
      [Token T]
      > get_json_value {"path":"e.json","json_path":"$['a.b \\\\'q\\\\' [0] \\\\u00e9']"}
      [Token T]
      "v"
      > delete_json_key {"path":"e.json","json_path":"$.o.k"}
      Deleted $.o.k from e.json
      [Token T]
      > delete_json_key {"path":"e.json","json_path":"$.a[0]"}
      Deleted $.a[0] from e.json
      [Token T]
      > merge_json_object {"path":"none.json","json_path":"$","updates":"{}"}
      Merged 0 keys into $ in none.json
      [Token T]
      [No change: the file was already so]
      > read_file {"path":"e.json"}
      [Token T] /workspace/e.json: lines 1-1 of 1, 59 bytes, version 6
      {"o": {}, "a": [], "n": null, "": 0, "a.b 'q' [0] é": "v"}"
    `);
  });

  test("[JTOOL-34] [JTOOL-33] item 10: what does not fit the kind of the target is refused", async () => {
    expect(
      await texts(app, [
        ["append_json_array", { path: PATH, json_path: "$.features", value: "1" }],
        ["append_json_array", { path: PATH, json_path: "$.version", value: "1" }],
        ["append_json_array", { path: PATH, json_path: "$.logging", value: "1" }],
        ["merge_json_object", { path: PATH, json_path: "$.cache", updates: "{}" }],
        ["merge_json_object", { path: PATH, json_path: "$.features.darkMode", updates: '{"a": 1}' }],
        ["merge_json_object", { path: PATH, json_path: "$.features", updates: "[1]" }],
        ["set_json_value", { path: PATH, json_path: "$.version.major", value: "1" }],
        ["set_json_value", { path: PATH, json_path: "$.cache[3]", value: "1" }],
        ["set_json_value", { path: PATH, json_path: "$.env", value: "staging" }],
        ["read_file", { path: PATH, limit: 1 }],
      ]),
    ).toMatchInlineSnapshot(`
      "> append_json_array {"path":"/workspace/config/app.json","json_path":"$.features","value":"1"}
      [Error] $.features is an object, not an array.
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$.version","value":"1"}
      [Error] $.version is a string, not an array.
      > append_json_array {"path":"/workspace/config/app.json","json_path":"$.logging","value":"1"}
      [Error] $.logging is null, not an array.
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.cache","updates":"{}"}
      [Error] $.cache is an array, not an object.
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.features.darkMode","updates":"{\\"a\\": 1}"}
      [Error] $.features.darkMode is a boolean, not an object.
      > merge_json_object {"path":"/workspace/config/app.json","json_path":"$.features","updates":"[1]"}
      [Error] Only an object can be merged into an object.
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.version.major","value":"1"}
      [Error] $.version is a string, not an object.
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.cache[3]","value":"1"}
      [Error] $.cache has 0 items, so there is no [3]. Add items with append (append_json_array).
      > set_json_value {"path":"/workspace/config/app.json","json_path":"$.env","value":"staging"}
      [Error] The value is not JSON. A text needs its quotes: send "\\"staging\\"".
      > read_file {"path":"/workspace/config/app.json","limit":1}
      [Token T] /workspace/config/app.json: lines 1-1 of 16, 280 bytes, version 1
      {
      "
    `);
  });
});
