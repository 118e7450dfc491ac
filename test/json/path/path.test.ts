import { describe, expect, test } from "vitest";
import { openScanner } from "../../../src/json/scan/open.ts";
import type { HoldfastError } from "../../../src/errors.ts";
import { memorySource } from "../../../src/json/scan/memory-source.ts";
import { evaluate, type EvaluateOptions, type EvaluationEnd } from "../../../src/json/path/evaluate.ts";
import { normalizedPath, shortPath } from "../../../src/json/path/normalized.ts";
import { parseJsonPath, type ParseJsonPathOptions } from "../../../src/json/path/parse.ts";
import { singularPath, writablePath } from "../../../src/json/path/singular.ts";
import type { ByteSource } from "../../../src/text/byte-source.ts";

function fault(
  text: string,
  options: ParseJsonPathOptions = {},
): HoldfastError<{ column: number; hint?: never }> {
  try {
    parseJsonPath(text, options);
  } catch (error) {
    return error as never;
  }
  throw new Error(`${text} was accepted`);
}

interface Run {
  readonly paths: string[];
  readonly values: unknown[];
  readonly end: EvaluationEnd;
  readonly pauses: number;
}

/** Undefined for a value that holds comments or never ends. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function run(document: string | ByteSource, path: string, options: EvaluateOptions = {}): Run {
  const source = typeof document === "string" ? memorySource(document) : document;
  const scanner = openScanner(source, { pauseEvery: 1, indexes: null });
  const steps = evaluate(scanner, parseJsonPath(path), options);
  const paths: string[] = [];
  const values: unknown[] = [];
  let pauses = 0;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { paths, values, end: step.value, pauses };
    if (step.value === undefined) pauses++;
    else {
      paths.push(step.value.path);
      values.push(parsed(new TextDecoder().decode(scanner.bytes(step.value.start, step.value.end))));
    }
  }
}

describe("errors", () => {
  test("[JPATH-4] an error has the column, a frame with a caret, and a hint", () => {
    const error = fault("$.users[0].é[x]");
    expect(error.message).toBe(
      [
        'JSONPath, column 14: expected a quoted name, an index, a slice, * or ?, found "x".',
        "  $.users[0].é[x]",
        "               ^",
        "Put the name in quotes: ['name'].",
      ].join("\n"),
    );
    expect(error.data).toMatchObject({ column: 14, offset: 13, hint: "Put the name in quotes: ['name']." });
  });

  test.each([
    ["users[0]", "Put $. before it"],
    [".a", "Put $ before it"],
    ["/a/0", "JSON Pointer"],
    ["@.a", "only known inside a filter"],
    ["", "The whole document is $"],
    [" $", "blank before"],
    ["$ ", "blank at the end"],
    ["$.", "Remove the dot"],
    ["$.a.0", "An index is written [0]"],
    ["$.my-key", "quoted: $['my-name']"],
    ["$.['a']", "Remove the dot before ["],
    ["$.'a'", "goes in brackets"],
    ["$...a", "Two dots search all levels"],
    ["$[]", "All children are [*]"],
    ["$[(@.length-1)]", "the last item is [-1]"],
    ["$[@.a]", "A filter starts with ?"],
    ["$a", "Put a dot before the name"],
    ["$.a]", "no [ to close"],
    ["$[?@.a = 1]", "written =="],
    ["$[?@.a =~ 'x']", "Patterns are functions"],
    ["$[?@.a == 1 and @.b]", "written &&"],
    ["$[?@.a == 1 or @.b]", "written ||"],
    ["$[?not @.a]", "written !"],
    ["$[?@.a & @.b]", "written &&"],
    ["$[?@.a | @.b]", "written ||"],
    ["$[?@.a === 1]", "Write =="],
    ["$[?@.a == True]", "lower case"],
    ["$[?@.a == None]", "Write null"],
    ["$[?@.a == open]", "Put text in quotes"],
    ["$[?@.a == [1]]", "cannot be written in a filter"],
    ["$[?@.a + 1 == 2]", "cannot calculate"],
    ["$[?@.a in ['x']]", "no such operator"],
    ["$[?@.a <> 1]", "written !="],
    ["$[?!@.a == 1]", "parentheses: !(@.a == 1)"],
    ["$[?@.* == 1]", "count(...) or value(...)"],
    ["$[?length(@.*) == 1]", "can select several values"],
    ["$[?size(@) == 1]", "The functions are length, count, value, match and search"],
    ["$[?count(1) == 1]", "such as @.items[*]"],
    ["$[?match(@.a, 'x') == true]", "are already true or false"],
    ["$[?'a']", "Compare it"],
    ["$['\\x']", "Escapes are"],
    ["$['\\ud800']", "Write both halves"],
    ["$[-0]", "Write 0"],
  ])("[JPATH-4] %s is answered with what to write instead", (text, hint) => {
    expect(fault(text).message).toContain(hint);
  });

  test("[JPATH-5] length and nesting are bounded, and no text overflows the stack", () => {
    expect(fault(`$${".a".repeat(3_000)}`).message).toContain("longer than 4000 characters");
    expect(fault("$.aaaa", { maxLength: 5 }).message).toContain("longer than 5 characters");
    for (const [open, close] of [
      ["(", ")"],
      ["@[?", "]"],
      ["!(", ")"],
      ["count(@[?", "])==1"],
    ] as const) {
      const text = (n: number): string => `$[?${open.repeat(n)}@.a${close.repeat(n)}]`;
      expect(fault(text(40)).message).toContain("nest deeper than 32");
      expect(fault(text(400_000), { maxLength: 1e8 }).message).toContain("nest deeper than 32");
      expect(() => parseJsonPath(text(10))).not.toThrow();
    }
  });

  test("[JPATH-6] the frame is safe to show and cut around the caret", () => {
    const error = fault(`$.${"a".repeat(100)}\u202e\u0007[x${"b".repeat(100)}`);
    const [, frame, caret] = error.message.split("\n");
    expect(frame).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(frame?.length).toBeLessThan(90);
    expect(frame?.startsWith("  ...") && frame.endsWith("...")).toBe(true);
    expect(caret?.length).toBeLessThanOrEqual(frame?.length ?? 0);
    expect(fault("$['a\n'").message).toContain("  $['a '");
  });
});

describe("locations", () => {
  const names = [
    "a",
    "it's",
    "back\\slash",
    "\b\t\n\f\r",
    "\u0000\u001f",
    "é",
    "😀",
    "",
    " ",
    "a b",
    "*",
    "..",
    '"',
    "\u2028",
    "0a",
    "a\u200b",
  ];

  test("[JPATH-7] a normalized path has one spelling and leads back to its place", () => {
    expect(normalizedPath(["a", 0, "it's"])).toBe("$['a'][0]['it\\'s']");
    expect(normalizedPath(['\b\t\n\f\r\u000b\\"'])).toBe("$['\\b\\t\\n\\f\\r\\u000b\\\\\"']");
    for (const name of names) {
      const document = JSON.stringify({ other: 1, [name]: [{ [name]: 7 }] });
      const path = normalizedPath([name, 0, name]);
      expect(run(document, path)).toMatchObject({ values: [7], paths: [path] });
    }
  });

  test("[JPATH-8] the short path names the same place", () => {
    expect(shortPath(["users", 0, "first name", "é"])).toBe("$.users[0]['first name'].é");
    for (const name of names) {
      expect(singularPath(parseJsonPath(shortPath([name, 3])))).toEqual([name, 3]);
      expect(shortPath([name])).not.toMatch(/[\u0000-\u001f]/);
    }
    expect(shortPath(["a\u200b"])).toBe("$['a\u200b']");
  });

  test("[JPATH-9] singular queries have steps, others do not", () => {
    expect(singularPath(parseJsonPath("$.a['b'][0][-1]"))).toEqual(["a", "b", 0, -1]);
    expect(singularPath(parseJsonPath("$"))).toEqual([]);
    for (const path of ["$.*", "$..a", "$[0,1]", "$[0:1]", "$[?@.a]"]) {
      expect(parseJsonPath(path).singular).toBe(false);
      expect(singularPath(parseJsonPath(path))).toBeUndefined();
    }
  });

  test("[JPATH-10] a write path names one place, and the refusal points at what does not", () => {
    expect(writablePath("$['*']['..'][-1]")).toEqual(["*", "..", -1]);
    for (const [path, reason, column] of [
      ["$.a.*", "wildcard_write", 4],
      ["$.a..b", "descendant_write", 4],
      ["$[1:2]", "slice_write", 2],
      ["$.a['b','c']", "union_write", 4],
      ["$.a[?@.b]", "filter_write", 4],
    ] as const)
      expect(() => writablePath(path)).toThrow(
        expect.objectContaining({ reason, data: expect.objectContaining({ column }) as unknown }),
      );
  });
});

describe("patterns", () => {
  const texts = [
    "a",
    "ab",
    "aXb",
    "a\nb",
    "a\rb",
    "a\u2028b",
    "😀",
    "a😀b",
    "-",
    "]",
    "^",
    "x-y",
    "Ж",
    "1",
    "a.b",
    "\\",
    "$",
    "{",
    "ß\u0378",
  ];
  const match = (pattern: string, by = "match"): unknown[] =>
    run(JSON.stringify({ texts, pattern }), `$.texts[?${by}(@, $.pattern)]`).values;

  test("[JPATH-11] I-Regexp means what RFC 9485 says", () => {
    expect(match("a.b")).toEqual(["aXb", "a\u2028b", "a😀b", "a.b"]);
    expect(match(".")).toEqual(["a", "😀", "-", "]", "^", "Ж", "1", "\\", "$", "{"]);
    expect(match("[^a]")).toEqual(["😀", "-", "]", "^", "Ж", "1", "\\", "$", "{"]);
    expect(match("[\\-\\]\\^\\\\]")).toEqual(["-", "]", "^", "\\"]);
    expect(match("[-a]")).toEqual(["a", "-"]);
    expect(match("[a-]")).toEqual(["a", "-"]);
    expect(match("\\p{Lu}")).toEqual(["Ж"]);
    expect(match("\\P{L}")).toEqual(["😀", "-", "]", "^", "1", "\\", "$", "{"]);
    expect(match("ß\\p{Cn}")).toEqual(["ß\u0378"]);
    expect(match("[\\p{Nd}a-b]{1,2}")).toEqual(["a", "ab", "1"]);
    expect(match("(a|x)(b|-y)")).toEqual(["ab", "x-y"]);
    expect(match("\\n|a\\nb")).toEqual(["a\nb"]);
    expect(match("b", "search")).toEqual(["ab", "aXb", "a\nb", "a\rb", "a\u2028b", "a😀b", "a.b"]);
    expect(match("^a$", "search")).toEqual(["a"]);
    expect(match("", "match")).toEqual([]);
    expect(match("\\$")).toEqual(["$"]);
  });

  test("[JPATH-12] what is not I-Regexp is false, and said so when it is in the query", () => {
    const bad = [
      "a**",
      "(",
      ")",
      "[",
      "[]",
      "[^]",
      "]",
      "}",
      "a{",
      "a{2,1}",
      "a{1001}",
      "\\d",
      "\\w",
      "\\s",
      "\\b",
      "\\",
      "(?i)a",
      "a*?",
      "[[:alpha:]]",
      "\\p{Greek}",
      "\\x41",
      "[z-a]",
      "*",
      "|*",
      "[a-\\p{L}]",
      "a".repeat(1001),
      "[a--b]",
    ];
    for (const pattern of bad) {
      expect(match(pattern), pattern).toEqual([]);
      expect(match(pattern, "search"), pattern).toEqual([]);
      const quoted = JSON.stringify(pattern);
      expect(parseJsonPath(`$[?search(@, ${quoted})]`).warnings, pattern).toHaveLength(1);
    }
    expect(String(parseJsonPath("$[?match(@, '\\\\d+')]").warnings[0])).toContain("write [0-9]");
    expect(parseJsonPath("$[?match(@, 1)]").warnings).toHaveLength(1);
    expect(parseJsonPath("$[?match(@, '[0-9]+')]").warnings).toEqual([]);
  });

  test("[JPATH-13] no pattern makes the time explode", () => {
    const document = JSON.stringify(["a".repeat(50_000)]);
    for (const pattern of ["(a*)*b", "(a|a)*b", "(a+)+b", "(.*)(.*)(.*)b"])
      expect(run(document, `$[?match(@, '${pattern}')]`, { maxMillis: 60_000 })).toMatchObject({
        paths: [],
        end: "complete",
      });
  });
});

describe("evaluation", () => {
  test("[JPATH-14] of duplicate keys only the last exists", () => {
    const document = '{"a":{"x":1},"b":2,"\\u0061":{"x":3,"y":[4],"y":[5]}}';
    expect(run(document, "$.a.x").values).toEqual([3]);
    expect(run(document, "$.*").paths).toEqual(["$['b']", "$['a']"]);
    expect(run(document, "$..x").values).toEqual([3]);
    expect(run(document, "$..[0]").values).toEqual([5]);
    expect(run(document, "$[?@.x]").values).toEqual([{ x: 3, y: [5] }]);
    expect(run(document, "$[?length(@) == 2].x").values).toEqual([3]);
    expect(run(`[${document}, {"b":2,"a":{"y":[5],"x":3.0}}]`, "$[?@ == $[1]]").paths).toEqual([
      "$[0]",
      "$[1]",
    ]);
  });

  test("[JPATH-16] length counts the code points of a string, however it is spelt", () => {
    const document = '["a","é","😀","\\ud83d\\ude00","e\u0301","😀😀","ab"]';
    expect(run(document, "$[?length(@) == 1]").paths).toEqual(["$[0]", "$[1]", "$[2]", "$[3]"]);
    expect(run(document, "$[?length(@) == length('😀b')]").paths).toEqual(["$[4]", "$[5]", "$[6]"]);
  });

  test("[JPATH-3] more tiny records than one look-up holds are all tested", () => {
    const count = 60_000;
    const records = `[${Array.from({ length: count }, () => '{"a" :  1}').join(",")}]`;
    const scanner = openScanner(memorySource(records), { indexes: null });
    expect(
      [...evaluate(scanner, parseJsonPath("$[?@.a == 1]"))].filter((match) => match !== undefined),
    ).toHaveLength(count);
  });

  test("[JPATH-14] a filter over a member of the root takes the last member of that name, whatever the bounds", () => {
    const records = (name: string, from: number): string =>
      `"${name}":[${Array.from({ length: 40 }, (_, i) => `{"n":${from + i},"s":"x"}`).join(", ")}]`;
    const once = `{"a":1,${records("r", 0)},"b":[2]}`;
    const twice = `{${records("r", 0)},"b":[2],${records("\\u0072", 100)}}`;
    for (const bounds of [{}, { maxMatches: 1_000 }, { maxMatches: 3 }, { maxMatches: 3, skip: 2 }]) {
      const one = run(once, "$.r[?@.n >= 10].n", bounds);
      const last = run(twice, "$.r[?@.n < 20 || @.n >= 110].n", bounds);
      const skip = bounds.skip ?? 0;
      const taken = Math.min(30, bounds.maxMatches ?? 30);
      const expected = Array.from({ length: taken }, (_, i) => 10 + skip + i);
      expect(one.values).toEqual(expected);
      expect(one.paths[0]).toBe(`$['r'][${10 + skip}]['n']`);
      expect(last.values).toEqual(expected.map((n) => n + 100));
      expect(one.end).toBe(taken === 30 ? "complete" : "matches");
    }
    expect(run(once, "$.r[?@.n == 7]", { maxMatches: 5 }).values).toEqual([{ n: 7, s: "x" }]);
    expect(run(once, "$.r[?@.n > 1]", { maxMatches: 50, maxSteps: 10 })).toMatchObject({ end: "steps" });
    expect(run(once, "$.a[?@.n > 1]", { maxMatches: 5 }).end).toBe("complete");
    expect(run(once, "$.c[?@.n > 1]", { maxMatches: 5 }).end).toBe("complete");
  });

  test("[JPATH-14] large objects are no different", () => {
    const members = Array.from({ length: 5_000 }, (_, i) => `"k${i % 4_000}":${i}`);
    const { paths, values } = run(`{${members.join(",")}}`, "$.*");
    expect(paths).toHaveLength(4_000);
    expect(new Set(paths).size).toBe(4_000);
    expect(Math.min(...(values as number[]))).toBe(1_000);
    expect(run(`[{${members.join(",")}}]`, "$[?length(@) == 4000]").paths).toHaveLength(1);
  });

  test("[JPATH-15] what is higher comes first", () => {
    const document = '{"a":{"name":1,"b":[{"name":2}]},"name":3,"c":[[{"name":4}],{"name":5}]}';
    expect(run(document, "$..name").values).toEqual([3, 1, 2, 4, 5]);
    expect(run(document, "$..name").paths).toEqual([
      "$['name']",
      "$['a']['name']",
      "$['a']['b'][0]['name']",
      "$['c'][0][0]['name']",
      "$['c'][1]['name']",
    ]);
    expect(run("[[1,[2]],[3]]", "$..[*]").paths).toEqual([
      "$[0]",
      "$[1]",
      "$[0][0]",
      "$[0][1]",
      "$[0][1][0]",
      "$[1][0]",
    ]);
  });

  test("[JPATH-16] comparisons go by value, code points and content", () => {
    const document = JSON.stringify([1, "1", "\uffff", "😀", [1, { a: 1, b: [] }], null]);
    const texts = document.replace("[1,{", "[1.0,{").replace('"a":1', '"\\u0061":1e0');
    const keep = (test: string): unknown[] => run(texts, `$[?${test}]`).paths;
    expect(keep("@ == 1.0")).toEqual(["$[0]"]);
    expect(keep("@ > '\uffff'")).toEqual(["$[3]"]);
    expect(keep("@ == $[4]")).toEqual(["$[4]"]);
    expect(keep("@ <= $[4]")).toEqual(["$[4]"]);
    expect(keep("@.x == $.nope")).toHaveLength(6);
    expect(keep("@ == null")).toEqual(["$[5]"]);
    expect(
      run(
        '[{"v":[{"b":[],"a":1},2]},{"v":[{"a":1,"b":[]},2]},{"v":[{"a":1,"b":[0]},2]}]',
        "$[?@.v == $[0].v]",
      ).paths,
    ).toEqual(["$[0]", "$[1]"]);
    expect(run('["\\u0061", "a", "b"]', "$[?@ == 'a']").paths).toEqual(["$[0]", "$[1]"]);
    expect(run("[10000000000000000, -1.5e1, 0.1e1]", "$[?@ < 2]").paths).toEqual(["$[1]", "$[2]"]);
  });

  test("[JPATH-17] the first matches do not cost the rest of the document", () => {
    const items = Array.from({ length: 50_000 }, (_, i) => `{"id": ${i}, "t": "${"x".repeat(40)}"}`).join(
      ",",
    );
    const honest = memorySource(`[${items}]`);
    let furthest = 0;
    const watched: ByteSource = {
      size: honest.size,
      id: "watched",
      read(at, into, offset, length) {
        const got = honest.read(at, into, offset, length);
        furthest = Math.max(furthest, at + got);
        return got;
      },
    };
    expect(run(watched, "$[?@.id >= 3].id", { maxMatches: 2 })).toMatchObject({
      values: [3, 4],
      end: "matches",
    });
    expect(furthest).toBeLessThan(honest.size / 4);
    expect(run(honest, "$[?@.id >= 3].id", { skip: 2, maxMatches: 1 }).values).toEqual([5]);
    expect(run(honest, "$[*].id").pauses).toBeGreaterThan(5);
  });

  test("[JPATH-18] a run says how it ended, and keeps what it found", () => {
    const document = JSON.stringify(Array.from({ length: 3_000 }, (_, i) => ({ i })));
    expect(run(document, "$[*]", { maxMatches: 3_000 }).end).toBe("complete");
    expect(run(document, "$[*]", { maxMatches: 2_999 }).end).toBe("matches");
    const stopped = run(document, "$[*].i", { maxSteps: 1_000 });
    expect(stopped.end).toBe("steps");
    expect(stopped.values).toEqual(Array.from({ length: stopped.values.length }, (_, i) => i));
    expect(stopped.values.length).toBeGreaterThan(100);
    let clock = 0;
    expect(run(document, "$[*]", { maxMillis: 1, now: () => (clock += 0.9) }).end).toBe("time");
    expect(run(document, "$[?count(@..*) > 0 && count($..*) < 0]", { maxSteps: 500 }).end).toBe("steps");
  });

  test("[JPATH-19] a million levels neither overflow nor hang", () => {
    const levels = 1_000_000;
    const document = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(run(document, "$[0][0]", { maxMatches: 1 }).paths).toEqual(["$[0][0]"]);
    expect(["time", "steps"]).toContain(run(document, "$..a", { maxMillis: 300 }).end);
    expect(["time", "steps"]).toContain(run(`[${document}]`, "$[?@..a]", { maxMillis: 300 }).end);
    expect(["time", "steps", "complete"]).toContain(
      run(`[${document},${document}]`, "$[?@ == $[1]]", { maxMillis: 300 }).end,
    );
    expect(run("[".repeat(levels), "$[0]").end).toBe("complete");
  });

  test("[JPATH-20] an absolute path in a filter is evaluated once", () => {
    const n = 2_000;
    const document = JSON.stringify({ all: Array.from({ length: n }, (_, i) => i), limit: { at: 5 } });
    const result = run(document, "$.all[?@ < $.limit.at && count($.all[*]) > 0]", { maxSteps: 4 * n });
    expect(result).toMatchObject({ values: [0, 1, 2, 3, 4], end: "complete" });
  });

  test("[JPATH-21] comments make no difference", () => {
    const document =
      '/* a */ { // b\n "x": [1, /* ] */ {"y": 2 /* } */, // "y": 3\n "z": 4}, ], /* , */ "w": 5, }';
    const bare = '{"x":[1,{"y":2,"z":4}],"w":5}';
    for (const path of ["$..*", "$.x[?@.y == 2].z", "$..y", "$.x[-1]", "$.x[::-1]", "$[?length(@) == 2]"])
      expect(run(document, path).paths).toEqual(run(bare, path).paths);
    expect(run(document, "$.x[1].z").values).toEqual([4]);
  });
});
