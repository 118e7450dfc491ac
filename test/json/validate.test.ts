import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { memorySource } from "../../src/json/scan/memory-source.ts";
import {
  invalidJson,
  type JsonFault,
  validateJson,
  validateJsonSteps,
  type ValidateOptions,
} from "../../src/json/read/validate.ts";

function fault(document: string | Uint8Array, options: ValidateOptions = {}): JsonFault {
  const result = validateJson(memorySource(document), options);
  if (result.valid) throw new Error(`accepted: ${String(document)}`);
  return result.fault;
}

function valid(document: string | Uint8Array, options: ValidateOptions = {}): boolean {
  return validateJson(memorySource(document), options).valid;
}

/** `reason line:column path`, the short form of most expectations below. */
function brief(document: string | Uint8Array, options: ValidateOptions = {}): string {
  const { reason, line, column, path } = fault(document, options);
  return `${reason} ${line}:${column} ${path}`;
}

describe("where a fault is", () => {
  test("[JSON-22] names line, column in code points, byte offset and JSONPath", () => {
    const found = fault('{\n  "städte": [{"name": "😀😀", "x": Nope}]\n}');
    expect([found.line, found.column, found.offset]).toEqual([2, 34, 42]);
    expect(found.path).toBe("$.städte[0].x");
  });

  test("[JSON-22] counts a line at each LF, CRLF included", () => {
    expect(brief("[\r\n1,\r\n  x]")).toBe("bad_word 3:3 $[1]");
    expect(brief("\n\n\n")).toBe("empty 4:1 $");
  });

  test("[JSON-22] gives the object's own path where a key is expected", () => {
    expect(fault('{"a":{"b":1,').path).toBe("$.a");
    expect(fault('{"a":{"b":1').path).toBe("$.a.b");
    expect(fault("[1,2,").path).toBe("$[2]");
  });

  test("[JSON-22] cuts a very deep path in its middle and says how much", () => {
    const { path } = fault("[".repeat(500));
    expect(path).toContain("(436 levels)");
    expect(path.length).toBeLessThan(400);
  });

  test("[JSON-23] says what was expected and what was found", () => {
    const found = fault('{"a" 1}');
    expect([found.expected, found.found]).toEqual(["':'", "'1'"]);
    expect(found.message).toBe(
      "Invalid JSON at line 1, column 6: expected ':', found '1'. Put a ':' between the key and its value.",
    );
  });

  test("[JSON-24] shows the line and a caret under the place", () => {
    expect(fault('{\n\t"a": 1,\n\t"b": x\n}').frame).toBe('3 |  "b": x\n  |       ^');
  });

  test("[JSON-24] cuts a long line on both sides", () => {
    const [text = "", caret = ""] = fault(`["${"é".repeat(5000)}", x, "${"y".repeat(5000)}"]`).frame.split(
      "\n",
    );
    expect(text.length).toBeLessThan(120);
    expect(text).toMatch(/^1 \| \.\.\..*\.\.\.$/);
    expect(text[caret.indexOf("^")]).toBe("x");
  });

  test("[JSON-24] shows control characters and direction marks as dots", () => {
    expect(fault('["\u202e\u0085", \u0007]').frame).toBe('1 | ["··", ·]\n  |        ^');
  });

  test("[JSON-24] does not count a byte order mark as a column", () => {
    expect(brief("\ufeff[x]", { mode: "json" })).toBe("bad_word 1:2 $[0]");
  });
});

describe("what the mistake is", () => {
  test("[JSON-25] names the opener of what is never closed", () => {
    expect(fault('{\n  "a": [\n    {"b": 1').related?.message).toBe("object opened at 3:5 is never closed");
    expect(fault("[[1, 2]").related).toMatchObject({
      line: 1,
      column: 1,
      message: "array opened at 1:1 is never closed",
    });
    expect(fault('["a", "b').related?.message).toBe("string opened at 1:7 is never closed");
    expect(fault("[1 /* x", { mode: "jsonc" }).related?.message).toBe(
      "comment opened at 1:4 is never closed",
    );
  });

  test("[JSON-26] names the bracket that a wrong one should close", () => {
    expect(fault('{"a": [1, 2}').related?.message).toBe("array opened at 1:7");
    expect(brief('[{"a": 1]')).toBe("wrong_bracket 1:9 $[0].a");
  });

  test("[JSON-27] names a missing comma and the value before it", () => {
    const found = fault('{"a": 1\n "b": 2}');
    expect(found.reason).toBe("missing_comma");
    expect(found.related).toMatchObject({ line: 1, column: 7 });
    expect(brief("[1 2]")).toBe("missing_comma 1:4 $[0]");
    expect(brief('["a" "b"]')).toBe("missing_comma 1:6 $[0]");
    expect(brief("[{} {}]")).toBe("missing_comma 1:5 $[0]");
  });

  test("[JSON-28] names a trailing comma and its place", () => {
    expect(fault("[1,\n]").related).toMatchObject({ line: 1, column: 3 });
    expect(brief("[1,\n]")).toBe("trailing_comma 2:1 $[1]");
    expect(brief('{"a":1,}')).toBe("trailing_comma 1:8 $");
  });

  test("[JSON-29] names quotes of the wrong kind", () => {
    expect(brief("{'a': 1}")).toBe("single_quotes 1:2 $");
    expect(brief("['a']")).toBe("single_quotes 1:2 $[0]");
    expect(brief("[`a`]")).toBe("single_quotes 1:2 $[0]");
    expect(brief("[“a”]")).toBe("smart_quotes 1:2 $[0]");
  });

  test("[JSON-30] names a key without quotes and spells it", () => {
    expect(brief("{name: 1}")).toBe("unquoted_key 1:2 $");
    expect(fault('{"a": 1, name: 1}').hint).toBe('Keys are in double quotes: write "name".');
    expect(brief("{1: 1}")).toBe("unquoted_key 1:2 $");
  });

  test("[JSON-31] names a comment", () => {
    expect(brief("{} // end")).toBe("comment 1:4 $");
    expect(brief("[1, /* two */ 2]")).toBe("comment 1:5 $[1]");
    expect(brief("# yaml?\n[]")).toBe("comment 1:1 $");
    expect(brief("[1 / 2]")).toBe("unexpected 1:4 $[0]");
  });

  test.each([
    ["[NaN]", "NaN"],
    ["[-Infinity]", "Infinity"],
    ["[Infinity]", "Infinity"],
    ["[undefined]", "undefined"],
    ["[None]", "null"],
    ["[True]", "true"],
    ["[False]", "false"],
    ["[TRUE]", "true"],
    ["[Null]", "null"],
    ["[nul]", "null"],
    ["[truee]", "true"],
    ["[nil]", "null"],
    ["[text]", "double quotes"],
  ])("[JSON-32] names the bare word of %s and says what to write", (document, word) => {
    const found = fault(document);
    expect(found.reason).toBe("bad_word");
    expect(found.hint).toContain(word);
  });

  test("[JSON-33] names a bad escape, and how to write a Windows path", () => {
    expect(brief('["C:\\dir"]')).toBe("bad_escape 1:6 $[0]");
    expect(fault('["C:\\dir"]').hint).toContain('"C:\\\\dir"');
    expect(fault('["it\\\'s"]').hint).toContain("single quote");
    expect(brief('["\\u12g4"]')).toBe("bad_escape 1:7 $[0]");
    expect(brief('["\\x41"]')).toBe("bad_escape 1:4 $[0]");
  });

  test("[JSON-34] names a raw line break or control character with its escape", () => {
    const found = fault('{"a": "one\ntwo"}');
    expect([found.reason, found.line, found.column]).toEqual(["control_character", 1, 11]);
    expect(found.hint).toContain("\\n");
    expect(found.related).toMatchObject({ line: 1, column: 7 });
    expect(fault('["a\tb"]').hint).toContain("\\t");
    expect(fault('["a\u0001b"]').hint).toContain("\\u0001");
  });

  test("[JSON-35] refuses a byte order mark when strict and accepts it else", () => {
    expect(brief("\ufeff{}")).toBe("byte_order_mark 1:1 $");
    expect(valid("\ufeff{}", { mode: "json" })).toBe(true);
    expect(valid("\ufeff{}", { mode: "jsonc" })).toBe(true);
    expect(valid("{}\ufeff", { mode: "json" })).toBe(false);
  });

  test("[JSON-36] names a document that stops too early, and what would close it", () => {
    expect(fault('{"a": [1, {"b": 2').hint).toContain('"}]}"');
    expect(brief('{"a": tru')).toBe("truncated 1:10 $.a");
    expect(brief('{"a": 1.')).toBe("truncated 1:9 $.a");
    expect(brief('{"a"')).toBe("truncated 1:5 $.a");
  });

  test("[JSON-37] names two documents in one", () => {
    const found = fault('{"a":1}\n{"a":2}\n');
    expect([found.reason, found.line, found.column]).toEqual(["several_documents", 2, 1]);
    expect(found.related).toMatchObject({ line: 1, column: 7 });
    expect(brief("[1]]")).toBe("extra_data 1:4 $");
    expect(brief("[1],")).toBe("extra_data 1:4 $");
  });

  test.each([
    ["UTF-16LE", [0xff, 0xfe, 0x7b, 0, 0x7d, 0]],
    ["UTF-16BE", [0xfe, 0xff, 0, 0x7b, 0, 0x7d]],
    ["UTF-16LE", [0x7b, 0, 0x7d, 0]],
    ["UTF-16BE", [0, 0x7b, 0, 0x7d]],
    ["UTF-32LE", [0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]],
    ["UTF-32BE", [0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b]],
    ["UTF-32LE", [0x7b, 0, 0, 0, 0x7d, 0, 0, 0]],
    ["UTF-32BE", [0, 0, 0, 0x7b, 0, 0, 0, 0x7d]],
  ])("[JSON-38] refuses %s by name", (encoding, bytes) => {
    const found = fault(Uint8Array.from(bytes));
    expect(found.reason).toBe("wrong_encoding");
    expect(found.found).toBe(encoding);
  });

  test.each([
    ["a lone continuation", [0x80], 2],
    ["Latin-1", [0x61, 0xe9, 0x61], 3],
    ["an overlong slash", [0xc0, 0xaf], 2],
    ["an encoded surrogate", [0xed, 0xa0, 0x80], 2],
    ["a code point too large", [0xf4, 0x90, 0x80, 0x80], 2],
    ["a cut sequence", [0xe2, 0x82], 2],
  ])("[JSON-39] refuses %s at its first byte", (_, bytes, offset) => {
    const found = fault(Uint8Array.from([0x5b, 0x22, ...bytes, 0x22, 0x5d]));
    expect([found.reason, found.offset]).toEqual(["invalid_utf8", offset]);
  });

  test.each([
    ["[01]", "leading zero"],
    ["[-01]", "leading zero"],
    ["[1.]", "follow the point"],
    ["[.5]", "before the point"],
    ["[1e]", "follow the e"],
    ["[+1]", "plus sign"],
    ["[0x1F]", "decimal"],
    ["[1_000]", "underscores"],
    ["[2024-01-02]", "date"],
    ["[12px]", "double quotes"],
    ["[1.2.3]", "version"],
    ["[-]", "reads like"],
  ])("[JSON-40] names the mistake in the number of %s", (document, words) => {
    const found = fault(document);
    expect(found.reason).toBe("bad_number");
    expect(found.hint).toContain(words);
  });

  test("[JSON-41] accepts comments and one trailing comma in jsonc, nothing else", () => {
    const jsonc = { mode: "jsonc" } as const;
    expect(valid('// a\n{ /* b */ "a" /**/ : 1, // c\r\n "b": [1, 2,], }// end', jsonc)).toBe(true);
    expect(valid("[/***/]", jsonc)).toBe(true);
    expect(brief("[1,,]", jsonc)).toBe("extra_comma 1:4 $[1]");
    expect(brief("[,]", jsonc)).toBe("extra_comma 1:2 $[0]");
    expect(brief("{a: 1}", jsonc)).toBe("unquoted_key 1:2 $");
    expect(brief("[1 / 2]", jsonc)).toBe("comment 1:4 $[0]");
    expect(brief("['a']", jsonc)).toBe("single_quotes 1:2 $[0]");
  });

  test("[JSON-42] names what is missing or too much around a member", () => {
    expect(brief('{"a" 1}')).toBe("missing_colon 1:6 $.a");
    expect(brief('{"a": }')).toBe("missing_value 1:7 $.a");
    expect(brief('{"a", "b": 1}')).toBe("missing_value 1:5 $.a");
    expect(brief('{"a"=1}')).toBe("wrong_separator 1:5 $.a");
    expect(brief("[1;2]")).toBe("wrong_separator 1:3 $[0]");
    expect(brief('["a": 1]')).toBe("wrong_separator 1:5 $[0]");
    expect(brief("[1,,2]")).toBe("extra_comma 1:4 $[1]");
    expect(brief('{,"a":1}')).toBe("extra_comma 1:2 $");
  });

  test("[JSON-43] refuses what is deeper than the limit", () => {
    expect(valid("[[[]]]", { maxDepth: 3 })).toBe(true);
    expect(brief("[[[[]]]]", { maxDepth: 3 })).toBe("too_deep 1:4 $[0][0][0]");
  });

  test("[JSON-46] names a special blank between tokens", () => {
    for (const blank of ["\u00a0", "\u000b", "\u200b", "\u3000", "\ufeff"])
      expect(brief(`[1,${blank}2]`)).toBe("strange_blank 1:4 $[1]");
  });

  test("[JSON-163] explains NUL bytes clearly", () => {
    expect(fault("[\u0000]").found).toBe("a NUL byte");
    expect(fault('["\u0000"]').hint).toBe("Write \\u0000.");
  });
});

describe("judging in steps", () => {
  test("[JSON-44] yields between windows, and two documents can be judged by turns", () => {
    const big = `[${'{"a": [1, 2, {"b": "text"}]},'.repeat(60_000)}`;
    const one = validateJsonSteps(memorySource(`${big}0]`), {}, 1);
    const two = validateJsonSteps(memorySource(`${big}x]`), {}, 1);
    let turns = 0;
    let first = one.next();
    let second = two.next();
    while (first.done !== true || second.done !== true) {
      turns++;
      if (first.done !== true) first = one.next();
      if (second.done !== true) second = two.next();
    }
    expect(turns).toBeGreaterThan(10);
    expect(first.value.valid).toBe(true);
    expect(second.value).toMatchObject({ valid: false, fault: { reason: "bad_word", path: "$[60000]" } });
  });

  test("[JSON-45] makes an error whose data hold the whole fault", () => {
    const error = invalidJson(fault('{"a": 1,}'));
    expect(HoldfastError.is(error)).toBe(true);
    expect([error.code, error.reason]).toEqual(["invalid_argument", "invalid_json"]);
    expect(error.data).toMatchObject({ reason: "trailing_comma", line: 1, column: 9, path: "$", offset: 8 });
  });
});
