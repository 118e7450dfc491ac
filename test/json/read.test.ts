import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HoldfastError } from "../../src/errors.ts";
import { describeJson, describeText } from "../../src/json/read/describe.ts";
import { editJson } from "../../src/json/edit/edit.ts";
import { getJson, getText, getJsonSteps, rawJson } from "../../src/json/read/get.ts";
import { keysText, listKeys } from "../../src/json/read/keys.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import {
  previewJsonSteps,
  previewJson,
  previewText,
  truncationSummary,
} from "../../src/json/read/preview.ts";
import { getValue } from "../../src/json/text.ts";
import { normalizedPath, shortPath } from "../../src/json/path/normalized.ts";
import { queryJson, queryText } from "../../src/json/read/query.ts";
import type { Json } from "../../src/value.ts";
import { naiveAt, naiveParse, naiveText } from "./support/naive-json.ts";
import { Random, styledDocument } from "./support/styled-document.ts";

const app = `{
  "version": 1.0,
  "big": 12345678901234567890,
  "huge": 1e400,
  "text": "caf\\u00e9 \\/",
  "features": {"rollout": {"enabled": true, "percent": 50, "regions": ["us-east-1", "eu-west-1"]}, "darkMode": false},
  "users": [{"id": 1, "name": "a"}, {"id": 2, "name": "b", "admin": true}, {"id": 3, "name": null}]
}`;

const get = (text: string, path: string, budget?: number): string =>
  getText(getJson(memorySource(text), path, budget === undefined ? {} : { budget }), path, budget);

function refused(read: () => unknown): HoldfastError {
  try {
    read();
  } catch (error) {
    return error as HoldfastError;
  }
  throw new Error("not refused");
}

describe("get", () => {
  test("[JREAD-1] literals come back as they are written", () => {
    expect(get(app, "$.version")).toBe("1.0");
    expect(get(app, "$.big")).toBe("12345678901234567890");
    expect(get(app, "$.huge")).toBe("1e400");
    expect(get(app, "$.text")).toBe('"caf\\u00e9 \\/"');
    expect(get(app, "$.features.darkMode")).toBe("false");
    expect(get(app, "$.users[-1].name")).toBe("null");
    expect(getJson(memorySource(app), "$.users[-1].name")).toMatchObject({
      kind: "null",
      path: "$['users'][2]['name']",
    });
    expect(rawJson(memorySource(app), "$.features.rollout.regions", 100)).toBe('["us-east-1", "eu-west-1"]');
    expect(rawJson(memorySource(app), "$.features.rollout.regions", 10)).toBeUndefined();
  });

  test("[JREAD-2] a short container is on one line, a long one is bounded", () => {
    expect(get(app, "$.features.rollout")).toBe(
      '{"enabled": true, "percent": 50, "regions": ["us-east-1", "eu-west-1"]}',
    );
    const wide = JSON.stringify({
      items: Array.from({ length: 150 }, (_, i) => i),
      keys: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i])),
      text: "x".repeat(1_500),
      deep: JSON.parse(`${'{"d":'.repeat(15)}1${"}".repeat(15)}`) as Json,
    });
    const text = get(wide, "$");
    expect(text).toContain('"... [50 more items]"');
    expect(text).toContain('"...": "[10 more keys]"');
    expect(text).toContain(`"${"x".repeat(1_000)}..."`);
    expect(text).toContain('"... [max depth reached]"');
    expect(text).toContain(
      "[Truncation info: 1 array truncated, 1 object truncated, 1 deep structure, 1 string truncated]",
    );
    expect(get(wide, "$", 600).length).toBeLessThanOrEqual(600);
  });

  test("[JREAD-3] a path that can name several places returns all with their paths", () => {
    expect(get(app, "$.users[*].id")).toBe(
      "$['users'][0]['id'] = 1\n$['users'][1]['id'] = 2\n$['users'][2]['id'] = 3",
    );
    expect(get(app, "$.users[?@.admin].name")).toBe(`$['users'][1]['name'] = "b"`);
    expect(refused(() => get(app, "$..nothing"))).toMatchObject({
      code: "not_found",
      reason: "path_not_found",
    });
  });

  test("[JREAD-4] a missing place is named; a duplicate key gives its last value and says so", () => {
    expect(refused(() => get(app, "$.features.beta.on"))).toMatchObject({
      code: "not_found",
      reason: "path_not_found",
      message: '$.features has no key "beta". Its keys: "rollout", "darkMode".',
    });
    expect(refused(() => get(app, "$.users[9]")).message).toBe("$.users has 3 items, so there is no [9].");
    expect(get('{"a": 1, "a": 2}', "$.a")).toBe(
      "2\n[The key occurs 2 times; this is the last, as JSON.parse reads it]",
    );
  });
});

describe("what is asked wrongly, or of a broken document", () => {
  test("[JREAD-19] a miss in a broken document gives the fault", () => {
    const broken = '{"a": {"x": 1},\n "b" 2, "c": [1, 2}';
    const large = `{"pad": "${"x".repeat(600_000)}", "a": 1, "b" 2}`;
    const reads: readonly ((text: string) => unknown)[] = [
      (text) => getJson(memorySource(text), "$.b"),
      (text) => getJson(memorySource(text), "$.b[*]"),
      (text) => listKeys(memorySource(text), "$.b"),
      (text) => previewJson(memorySource(text), {}, "$.b"),
      (text) => describeJson(memorySource(text), "$.b"),
      (text) => rawJson(memorySource(text), "$.b", 10),
    ];
    for (const read of reads) {
      expect(refused(() => read(broken))).toMatchObject({
        code: "invalid_argument",
        reason: "invalid_json",
        data: { line: 2, column: 6, reason: "missing_colon" },
      });
      expect(refused(() => read(large)).reason).toBe("invalid_json");
      // With comments, or with one comma too many, a document is not broken for a reader.
      expect(refused(() => read('{"a": 1 /* c */}')).code).toBe("not_found");
      expect(refused(() => read('{"a": 1,}')).code).toBe("not_found");
    }
  });

  test.each([
    ["[1,2,3", ["$"]],
    ['{"a": 1', ["$", "$.a"]],
    ["{'a': 1}", ["$"]],
    ['{"a": 1 "b": 2}', ["$"]],
    ['{"a": nope}', ["$", "$.a"]],
    ['{"a": [1,2}}', ["$.a"]],
  ])("[JREAD-21] %s is named broken by every read, small or large", (text, paths) => {
    for (const document of [text, text.replace(/^./, (first) => first + " ".repeat(600_000))])
      for (const path of paths) {
        const source = memorySource(document);
        const reads = [
          () => getJson(source, path),
          () => listKeys(source, path),
          () => previewJson(source, { maxItems: 2 }, path),
          () => describeJson(source, path),
          () => rawJson(source, path, 1_000_000),
        ];
        for (const read of reads) expect(refused(read).reason).toBe("invalid_json");
      }
  });

  test.each(["nope", "01", "1.", "tru"])("[JREAD-21] a query that selects %s names the fault", (word) => {
    for (const gap of ["", " ".repeat(600_000)])
      for (const path of ["$.a", "$.*", "$..a"])
        expect(refused(() => queryJson(memorySource(`{${gap}"a": ${word}}`), path)).reason).toBe(
          "invalid_json",
        );
    expect(queryJson(memorySource('{"b": 1, "a": nope}'), "$.b", { limit: 1 }).matches).toHaveLength(1);
  });

  test("[JREAD-21] UTF-16 is named, and what lies before a fault is still read", () => {
    const wide = Uint8Array.from([...'{"a":1}'].flatMap((sign) => [sign.charCodeAt(0), 0]));
    expect(refused(() => listKeys(memorySource(wide))).message).toContain("UTF-16");
    expect(refused(() => queryJson(memorySource(wide), "$.*")).message).toContain("UTF-16");
    expect(refused(() => queryJson(memorySource('{"a": 1 "b": 2}'), "$.*")).reason).toBe("invalid_json");
    expect(getText(getJson(memorySource('{"a": 1 "b": 2}'), "$.a"), "$.a")).toBe("1");
    expect(getText(getJson(memorySource('{"a": {"x": [1]}, "b": [1, 2'), "$.a.x"), "$.a.x")).toBe("[1]");
  });

  test("[JREAD-22] a value comes as plain data", () => {
    expect(getValue('{"users": [{"name": "Ada"}]}', "$.users[0].name")).toBe("Ada");
    expect(getValue(memorySource('{"a": [1, /* ] */ "x//y,]",], "a.b": 2}'), ["a"])).toEqual([1, "x//y,]"]);
    expect(getValue('{"a": 1, "a": -0.5e1}', "$.a")).toBe(-5);
    expect(refused(() => getValue('{"a": nope}', "$.a")).reason).toBe("invalid_json");
    expect(refused(() => getValue("{}", "$.a")).reason).toBe("path_not_found");
  });

  test("[JREAD-6] what no path can name is left out, and told", () => {
    const page = queryJson(memorySource('{"\\ud800": 1, "b": 2}'), "$.*");
    expect(page.matches.map((match) => match.path)).toEqual(["$['b']"]);
    expect(page.warnings.join()).toContain("Left out: 1");
  });

  test("[JREAD-24] whatever shows a key that no path can name says so", () => {
    const source = memorySource(String.raw`{"\ud800": [1, 2, 3], "b": 2}`);
    const listed = listKeys(source);
    expect(listed.keys).toEqual([
      { name: "\ud800", kind: "array", unnamed: true },
      { name: "b", kind: "number" },
    ]);
    const keys = keysText(listed, "$");
    expect(keys.split("\n")).toEqual([
      String.raw`Keys at $: "\ud800" (array), b (number)`,
      expect.stringMatching(/^\[Warning\] 1 key .* no path can name it/),
    ]);
    expect(keysText(listKeys(source, "$", { offset: 1 }), "$")).not.toContain("[Warning]");
    const preview = previewJson(source, { maxItems: 1 });
    expect(preview).toMatchObject({
      unnamedKeys: 1,
      cuts: [{ kind: "items", path: "$", unnamed: true, count: 2 }],
    });
    expect(previewText(preview)).toContain("Not shown: $ (2 more items below a key that no path can name)");
    for (const text of [
      previewText(preview),
      getText(getJson(source, "$"), "$"),
      queryText(queryJson(source, "$", { budget: 1_000 }), "$"),
      describeText(describeJson(source)),
    ])
      expect(text).toMatch(/\[Warning\] 1 key .* no path can name it/);
    expect(refused(() => getJson(source, "$.*[0]")).message).toMatch(/^Nothing matches .* Left out: 1 /);
    expect(previewJson(memorySource('{"a": 1}'))).not.toHaveProperty("unnamedKeys");
    for (let budget = 200; budget < 900; budget += 20) {
      const rows = Array.from({ length: 20 }, (_, i) => `"${i}": "${"x".repeat(30)}"`);
      const many = memorySource(String.raw`{"\ud800": 1, ${rows.join()}}`);
      expect(keysText(listKeys(many), "$", budget).length).toBeLessThanOrEqual(budget);
      expect(previewText(previewJson(many, { budget }), budget).length).toBeLessThanOrEqual(budget);
    }
  });

  test("[JREAD-24] a path never holds half a character", () => {
    const fault = refused(() => getJson(memorySource(String.raw`{"\ud800": nope}`), "$.*"));
    expect(fault.data).toMatchObject({ path: "$['\\ud800']" });
    expect(fault.message.isWellFormed()).toBe(true);
    expect(normalizedPath(["\ud800", "\u{1f600}"])).toBe("$['\\ud800']['\u{1f600}']");
    expect(shortPath(["a", "\ud800"])).toBe("$.a['\\ud800']");
    expect(refused(() => getJson(memorySource("{}"), ["\ud800"])).message).toContain("has no path");
  });

  test("[JREAD-20] bounds are whole numbers, and a path is a text or steps", () => {
    for (const bad of [-1, 1.5, Number.NaN]) {
      expect(refused(() => queryJson(memorySource(app), "$..*", { limit: bad })).reason).toBe(
        "invalid_bound",
      );
      expect(refused(() => queryJson(memorySource(app), "$..*", { offset: bad })).reason).toBe(
        "invalid_bound",
      );
      expect(refused(() => listKeys(memorySource(app), "$", { limit: bad })).reason).toBe("invalid_bound");
    }
    expect(queryJson(memorySource(app), "$..*", { limit: 0 }).matches).toEqual([]);
    for (const path of [null, 5, [1.5], [null], {}])
      expect(refused(() => getJson(memorySource(app), path as never))).toMatchObject({
        code: "invalid_argument",
        reason: "invalid_path",
      });
  });
});

describe("query", () => {
  const many = JSON.stringify(Array.from({ length: 95 }, (_, i) => ({ i, t: "x".repeat(i % 7) })));

  test("[JREAD-5] pages neither skip nor repeat, whatever ends them", () => {
    for (const options of [{ limit: 10 }, { limit: 50, budget: 400 }, { limit: 95 }]) {
      const seen: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const page: ReturnType<typeof queryJson> = queryJson(memorySource(many), "$[*].t", {
          ...options,
          offset,
        });
        expect(page.matches.length).toBeGreaterThan(0);
        seen.push(...page.matches.map((match) => match.path));
        offset = page.next;
      }
      expect(seen).toEqual(Array.from({ length: 95 }, (_, i) => `$[${i}]['t']`));
    }
    const page = queryJson(memorySource(many), "$[*].i", { limit: 2, budget: 1_000 });
    expect(queryText(page, "$[*].i")).toBe(
      "$[0]['i'] = 0\n$[1]['i'] = 1\n[More matches: continue with offset 2]",
    );
    expect(queryText(queryJson(memorySource(many), "$.x", { budget: 100 }), "$.x")).toBe("No match for $.x");
    const wrong = queryJson(memorySource(many), "$[?match(@.t, '\\\\d')]", { budget: 100 });
    expect(queryText(wrong, "p")).toContain("[Warning]");
  });

  test("[JREAD-6] a path that a query returns can be written to, and changes exactly that value", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
        const { text, jsonc } = styledDocument(seed);
        const { matches } = queryJson(memorySource(text), "$..*", { limit: 1_000 });
        if (matches.length === 0) return;
        const match = new Random(seed).pick(matches);
        const mode = jsonc ? ({ mode: "jsonc" } as const) : {};
        const { splices } = editJson(
          memorySource(text),
          [{ op: "set", path: match.path, json: '"written"' }],
          mode,
        );
        expect(splices).toHaveLength(1);
        expect(splices[0]).toMatchObject({ at: match.start, remove: match.end - match.start });
      }),
      { numRuns: 300 },
    );
  });

  test("[JREAD-7] a query that costs too much says so and keeps what it found", () => {
    const page = queryJson(memorySource(many), "$..*", { maxSteps: 100, budget: 5_000 });
    expect(page.end).toBe("steps");
    expect(page.matches.length).toBeGreaterThan(10);
    expect(queryText(page, "$..*")).toContain("[Stopped early");
    expect(refused(() => getJson(memorySource(many), "$..nothing", { maxSteps: 100 })).reason).toBe(
      "query_too_expensive",
    );
  });
});

describe("keys", () => {
  test("[JREAD-8] keys come in order with kinds, duplicates once, counts when asked for", () => {
    expect(listKeys(memorySource(app), "$.features", { counts: true })).toMatchObject({
      kind: "object",
      total: 2,
      keys: [
        { name: "rollout", kind: "object", count: 3 },
        { name: "darkMode", kind: "boolean" },
      ],
    });
    expect(listKeys(memorySource('{"a":1,"b":null,"a":"x"}')).keys).toEqual([
      { name: "b", kind: "null" },
      { name: "a", kind: "string" },
    ]);
    expect(listKeys(memorySource(app), "$.users")).toMatchObject({ kind: "array", total: 3, keys: [] });
    expect(listKeys(memorySource(app), "$.big")).toMatchObject({ kind: "number", total: 0 });
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, i])));
    const first = listKeys(memorySource(wide), "$", { limit: 20 });
    expect(first).toMatchObject({ total: 30, next: 20 });
    expect(listKeys(memorySource(wide), "$", { limit: 20, offset: 20 }).keys.map((key) => key.name)).toEqual(
      Array.from({ length: 10 }, (_, i) => `k${i + 20}`),
    );
    expect(refused(() => listKeys(memorySource(app), "$.users[*]")).reason).toBe("not_singular");
    expect(refused(() => listKeys(memorySource(app), "$.nope")).code).toBe("not_found");
  });

  test("[JREAD-9] the text is that of the specification", () => {
    expect(keysText(listKeys(memorySource(app), "$.features"), "$.features")).toBe(
      "Keys at $.features: rollout (object), darkMode (boolean)",
    );
    expect(keysText(listKeys(memorySource(app), "$.users"), "$.users")).toBe("[Array with 3 items]");
    expect(keysText(listKeys(memorySource(app), "$.big"), "$.big")).toBe("$.big is a number, it has no keys");
    expect(keysText(listKeys(memorySource("{}")), "$")).toBe("Keys at $: none (empty object)");
    expect(keysText(listKeys(memorySource('{"a b": 1, "x": 2}')), "$")).toBe(
      'Keys at $: "a b" (number), x (number)',
    );
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i])));
    const text = keysText(listKeys(memorySource(wide)), "$", 300);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(text).toMatch(/, \.\.\. \[4\d\d more keys\]$/);
  });
});

describe("preview", () => {
  const document = {
    a: { b: { c: { d: { e: 1 } } } },
    list: Array.from({ length: 12 }, (_, i) => i),
    "...": "real",
    long: "é".repeat(50),
  };

  test("[JREAD-10] levels, items, keys and strings are cut by their markers", () => {
    const { text } = previewJson(memorySource(JSON.stringify(document)), {
      maxItems: 2,
      maxKeys: 3,
      maxString: 10,
    });
    expect(JSON.parse(text)).toEqual({
      a: { b: { c: { d: "... [max depth reached]" } } },
      list: [0, 1, "... [10 more items]"],
      "...": "[1 more keys]",
    });
    expect(text.match(/"\.\.\.": /g)).toHaveLength(2);
    expect(previewJson(memorySource(JSON.stringify(document)), { maxString: 10 }).text).toContain(
      `"${"é".repeat(10)}..."`,
    );
    expect(previewJson(memorySource(JSON.stringify(document)), { maxDepth: 0 }).text).toContain(
      '"a": "... [max depth reached]"',
    );
    const nested = `${"[".repeat(20)}${"]".repeat(20)}`;
    expect(previewJson(memorySource(nested), { maxDepth: 99 }).text.match(/\[\n/g)).toHaveLength(11);
    expect(previewJson(memorySource("[]")).text).toBe("[]");
    expect(previewJson(memorySource(app), {}, "$.users[0]").text).toBe('{\n  "id": 1,\n  "name": "a"\n}');
    expect(refused(() => previewJson(memorySource(app), {}, "$.users[*]")).reason).toBe("not_singular");
  });

  test("[JREAD-11] [JREAD-13] [JREAD-14] random documents: valid, within the budget, with exact counts", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6, noUnicodeString: false } as never),
        fc.record({
          maxDepth: fc.nat(6),
          maxItems: fc.nat(4),
          maxKeys: fc.nat(4),
          maxString: fc.integer({ min: 1, max: 20 }),
          budget: fc.integer({ min: 400, max: 3_000 }),
        }),
        (text, options) => {
          const preview = previewJson(memorySource(text), options);
          expect(() => JSON.parse(preview.text) as unknown).not.toThrow();
          expect(previewText(preview, options.budget).length).toBeLessThanOrEqual(options.budget);
          const root = naiveParse(text, false);
          for (const cut of preview.cuts) {
            const steps =
              (queryJson(memorySource(text), cut.path).matches[0]?.path ?? "") === "" ? undefined : cut.path;
            expect(steps, `${cut.path} leads somewhere`).toBeDefined();
            if (cut.kind === "items" || cut.kind === "keys") expect(cut.count).toBeGreaterThan(0);
          }
          if (preview.cuts.length === 0)
            expect(naiveText(naiveParse(preview.text, false))).toBe(naiveText(root));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("[JREAD-14] shown and hidden add up", () => {
    for (const [items, keys] of [
      [0, 0],
      [1, 2],
      [99, 49],
      [100, 50],
      [101, 51],
      [5_000, 700],
    ] as const) {
      const text = JSON.stringify({
        items: Array.from({ length: items }, (_, i) => i),
        keys: Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i])),
      });
      const preview = previewJson(memorySource(text));
      const read = JSON.parse(preview.text) as { items: unknown[]; keys: Record<string, unknown> };
      const hidden = (path: string): number => preview.cuts.find((cut) => cut.path === path)?.count ?? 0;
      const shownItems = read.items.filter((item) => typeof item === "number").length;
      const shownKeys = Object.values(read.keys).filter((item) => typeof item === "number").length;
      expect([shownItems + hidden("$.items"), shownKeys + hidden("$.keys")]).toEqual([items, keys]);
    }
  });

  test("[JREAD-12] the summary counts every kind of cut, and the list names each", () => {
    const preview = previewJson(memorySource(JSON.stringify(document)), { maxItems: 2, maxString: 10 });
    expect(truncationSummary(preview)).toBe(
      "[Truncation info: 1 array truncated, 1 deep structure, 1 string truncated]",
    );
    expect(previewText(preview).split("\n").slice(-2)).toEqual([
      "[Truncation info: 1 array truncated, 1 deep structure, 1 string truncated]",
      "Not shown: $.a.b.c.d (below max depth); $.list (10 more items); $.long (80 more bytes)",
    ]);
    expect(previewText(previewJson(memorySource("[1]")))).toBe("[\n  1\n]");
    const cuts = JSON.stringify(Array.from({ length: 400 }, () => [1, 2]));
    const much = previewJson(memorySource(cuts), { maxItems: 1_000, maxDepth: 1, budget: 200_000 });
    expect(much.cuts.length + much.moreCuts).toBe(much.totals.depth + much.totals.items);
    expect(previewText(much, 200_000)).toMatch(/; \d+ more cuts$/);
  });

  test("[JREAD-13] too large for the budget, a preview shows less of everything", () => {
    const records = Array.from({ length: 300 }, (_, i) => ({
      id: i,
      name: "n".repeat(300),
      tags: ["a", "b", "c", "d"],
    }));
    const source = memorySource(JSON.stringify({ records, last: { kept: true } }));
    for (const budget of [300, 500, 1_000, 4_000, 32_000]) {
      const text = previewText(previewJson(source, { budget }), budget);
      expect(text.length).toBeLessThanOrEqual(budget);
      if (budget >= 1_000) expect(text).toContain('"kept": true');
      expect(text).toContain("more items");
    }
  });
});

describe("describe", () => {
  test("[JREAD-15] records are described by kinds, presence and examples", () => {
    const { shape, complete } = describeJson(memorySource(app));
    expect(complete).toBe(true);
    const users = shape.keys.find((key) => key.name === "users")?.shape;
    expect(users?.items).toMatchObject({ total: 3, least: 3, most: 3 });
    expect(users?.items?.shape.keys.map((key) => [key.name, key.in, key.shape.kinds])).toEqual([
      ["id", 3, { number: 3 }],
      ["name", 3, { string: 2, null: 1 }],
      ["admin", 1, { boolean: 1 }],
    ]);
    const text = describeText(describeJson(memorySource(app)));
    expect(text).toContain("  users: array of 3 (object)\n    id: number, such as 1");
    expect(text).toContain('    name: string x2 | null x1, such as "a"');
    expect(text).toContain("    admin: boolean, such as true (in 1 of 3)");
    expect(text).toContain("  version: number, such as 1.0");
  });

  test("[JREAD-15] arrays are sampled and many keys are a map", () => {
    const long = JSON.stringify(Array.from({ length: 1_000 }, (_, i) => (i < 500 ? i : "s")));
    expect(describeJson(memorySource(long))).toMatchObject({
      complete: false,
      shape: { items: { total: 1_000, shape: { seen: 200 } } },
    });
    const all = describeJson(memorySource(long), "$", { sample: Infinity });
    expect(all).toMatchObject({
      complete: true,
      shape: { items: { shape: { kinds: { number: 500, string: 500 } } } },
    });
    const map = JSON.stringify(
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`u${i}`, { n: i }])),
    );
    const described = describeJson(memorySource(map));
    expect(described.shape.map).toMatchObject({
      keys: 300,
      shape: { seen: 300, keys: [{ name: "n", in: 300 }] },
    });
    expect(describeText(described)).toBe("$: map of 300 keys\n  *: object\n    n: number, such as 99");
    expect(describeText(described, 60)).toContain("more lines]");
  });
});

describe("any document", () => {
  test("[JREAD-16] comments, a byte order mark and any spelling are read alike", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
        const { text, jsonc, places } = styledDocument(seed);
        const root = naiveParse(text, jsonc);
        const place = new Random(seed).pick(places);
        const { path, matches } = {
          path: place.steps,
          matches: queryJson(memorySource(text), "$..*", { limit: 10_000 }).matches,
        };
        expect(matches).toHaveLength(places.length - 1);
        const value = naiveAt(root, path);
        expect(value).toBeDefined();
        const preview = previewJson(memorySource(text), { maxDepth: 10, maxItems: 1_000, maxKeys: 1_000 });
        expect(sorted(preview.text)).toBe(sorted(naiveText(root)));
      }),
      { numRuns: 500 },
    );
    for (const empty of ["", " \n", "\ufeff", "// nothing"])
      expect(refused(() => getJson(memorySource(empty), "$")).reason).toBe("invalid_json");
  });

  test("[JREAD-17] hostile documents are answered in bounded time and space", () => {
    const levels = 1_000_000;
    const deep = memorySource(`${'{"a":['.repeat(levels / 2)}1${"]}".repeat(levels / 2)}`);
    const unclosed = memorySource(`${'{"a":['.repeat(levels / 2)}1`);
    expect(refused(() => previewJson(unclosed)).reason).toBe("invalid_json");
    expect(refused(() => listKeys(unclosed)).reason).toBe("invalid_json");
    expect(previewJson(deep).totals.depth).toBe(1);
    expect(describeText(describeJson(deep)).length).toBeLessThan(2_000);
    expect(listKeys(deep).total).toBe(1);
    const huge = memorySource(`["${"x".repeat(20_000_000)}", 2]`);
    expect(get20(huge)).toHaveLength(1_005);
    expect(listKeys(huge).total).toBe(2);
    const keys = memorySource(
      `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":${i}`).join(",")},"k5":0}`,
    );
    expect(listKeys(keys, "$", { limit: 3 })).toMatchObject({ total: 300_000 });
    expect(previewJson(keys).cuts[0]).toMatchObject({ kind: "keys", count: 299_950 });
    expect(describeJson(keys).shape.map?.keys).toBe(300_000);
    for (const bad of ["[", "{", '{"a', '{"a":', "[[[[", '["\u0000', "nul", "\u0000"]) {
      for (const read of [previewJson, describeJson, listKeys])
        try {
          read(memorySource(bad));
        } catch (error) {
          expect((error as HoldfastError).code).toBe("invalid_argument");
        }
    }
  });

  test("[JREAD-18] pauses change nothing", () => {
    const text = JSON.stringify({
      pad: "x".repeat(700_000),
      list: Array.from({ length: 20_000 }, (_, i) => ({ i })),
    });
    const source = memorySource(text);
    let pauses = 0;
    const steps = previewJsonSteps(source, { pauseEvery: 1, indexes: null });
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        expect(step.value).toEqual(previewJson(source));
        break;
      }
      pauses++;
    }
    const got = getJsonSteps(source, "$.list[-1].i", { pauseEvery: 1, indexes: null });
    for (let step = got.next(); ; step = got.next()) {
      if (step.done === true) {
        expect(step.value).toEqual(getJson(source, "$.list[-1].i"));
        break;
      }
      pauses++;
    }
    expect(pauses).toBeGreaterThan(4);
  });
});

function get20(source: ReturnType<typeof memorySource>): string {
  const got = getJson(source, "$[0]");
  return got.kind === "matches" ? "" : got.value.text;
}

/** Keys in one order: a printer keeps the place of the last twin, a naive map that of the first. */
function sorted(text: string): string {
  const walk = (value: ReturnType<typeof naiveParse>): string => {
    if (value.kind === "scalar") return value.raw;
    if (value.kind === "array") return `[${value.items.map(walk).join(",")}]`;
    return `{${[...value.members]
      .map(([key, inner]) => `${JSON.stringify(key)}:${walk(inner)}`)
      .toSorted()
      .join(",")}}`;
  };
  return walk(naiveParse(text, false));
}
