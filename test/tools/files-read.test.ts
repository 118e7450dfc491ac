import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { requiredLiteral } from "../../src/tools/files/_pattern.ts";
import type { CallResult, SessionOptions } from "../../src/tools/index.ts";
import { runs } from "../effort.ts";
import { bench, EDITOR } from "./bench-session.ts";

type Call = (tool: string, input?: unknown) => Promise<CallResult>;

async function start(files: Readonly<Record<string, string>> = {}, options: SessionOptions = {}) {
  const { session } = await bench(options);
  const agent = session.as(EDITOR);
  const call: Call = (tool, input) => agent.call(tool, input);
  for (const [path, content] of Object.entries(files)) await must(call("write_file", { path, content }));
  return { session, call };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what the value is
async function must<V = Record<string, unknown>>(
  call: Promise<CallResult>,
): Promise<{ text: string; value: V; token: string; images: readonly unknown[] }> {
  const result = await call;
  if (!result.ok) throw new Error(result.text);
  return {
    text: result.text,
    value: result.value as V,
    token: result.token ?? "",
    images: result.images ?? [],
  };
}

function reasonOf(result: CallResult): string {
  return result.ok ? "ok" : `${result.error.code}/${result.error.reason}`;
}

describe("read_file", () => {
  test("[FILES-35] says token, lines, size and version first, and CRLF and BOM where there are", async () => {
    const { call } = await start({ a: "1\n2\n3\n", crlf: "1\r\n2\r\n", mixed: "\ufeff1\r\n2\n3", none: "" });
    const read = (path: string, more = {}) => must(call("read_file", { path, ...more }));
    const a = await read("a", { offset: 2, limit: 1 });
    expect(a.text).toBe(`[Token ${a.token}] /workspace/a: lines 2-2 of 3, 6 bytes, version 1\n2\n`);
    const crlf = await read("crlf");
    expect(crlf.text).toBe(
      `[Token ${crlf.token}] /workspace/crlf: lines 1-2 of 2, 6 bytes, version 1, CRLF\n1\r\n2\r\n`,
    );
    const mixed = await read("mixed");
    expect(mixed.text).toBe(
      `[Token ${mixed.token}] /workspace/mixed: lines 1-3 of 3, 9 bytes, version 1, mixed LF and CRLF, BOM\n\ufeff1\r\n2\n3`,
    );
    const none = await read("none");
    expect(none.text).toBe(`[Token ${none.token}] /workspace/none: empty, 0 bytes, version 1\n`);
    await must(call("write_file", { path: "bin", content_base64: "AP8B" }));
    const bin = await read("bin");
    expect(bin.text).toBe(`[Token ${bin.token}] /workspace/bin: binary, base64, 3 bytes, version 1\nAP8B`);
  });

  test("[FILES-36] numbers the lines of the text on request, within the budget, and not the value", async () => {
    const { call } = await start({ a: "one\n\nthree" });
    const a = await must(call("read_file", { path: "a", line_numbers: true }));
    expect(a.text).toBe(
      `[Token ${a.token}] /workspace/a: lines 1-3 of 3, 10 bytes, version 1\n1\tone\n2\t\n3\tthree`,
    );
    expect(a.value["content"]).toBe("one\n\nthree");
    const content = Array.from({ length: 400 }, (_, i) => `line ${i + 1}\n`).join("");
    await must(call("write_file", { path: "b", content }));
    let all = "";
    let cursor: unknown;
    for (let pages = 0; pages < 50; pages++) {
      const page = await must(
        call("read_file", {
          path: "b",
          line_numbers: true,
          budget: 1_000,
          ...(cursor === undefined ? {} : { cursor }),
        }),
      );
      expect(page.text.length).toBeLessThanOrEqual(1_000);
      expect(page.text).toMatch(
        new RegExp(`\n${String(page.value["first_line"])}\tline ${String(page.value["first_line"])}\n`),
      );
      all += page.value["content"] as string;
      cursor = page.value["cursor"];
      if (cursor === undefined) break;
    }
    expect(all).toBe(content);
  });

  test("[FILES-37] what is hidden or no path is named, and the other files are read", async () => {
    const rules = [{ paths: ["hid/**"], deny: "all" }] as const;
    const { call } = await start({ a: "1\n" }, { rules });
    const many = await must<{ files: { path: string }[]; refused: { path: string }[] }>(
      call("read_file", { paths: ["../out", "a", "hid/x", "d/", "a"] }),
    );
    expect(many.value.files.map(({ path }) => path)).toEqual(["/workspace/a"]);
    expect(many.value.refused.map(({ path }) => path)).toEqual(["../out", "hid/x", "d/"]);
    expect(many.text).toContain("[Not read: /workspace/hid/x is closed to agents by a rule of the host.");
    expect(reasonOf(await call("read_file", { path: "hid/x" }))).toBe("forbidden/path_denied");
  });

  test("[CALL-85] files that are read together take no cursor of another call", async () => {
    const { call } = await start({ a: "line\n".repeat(400), b: "2\n" });
    const { value } = await must<{ cursor: string }>(call("read_file", { path: "a", budget: 1_000 }));
    for (const cursor of [value.cursor, "x", ""])
      expect(reasonOf(await call("read_file", { paths: ["b"], cursor }))).toBe("invalid_argument/bad_cursor");
  });

  test("[FILES-31] an empty file has no line to begin at", async () => {
    const { call } = await start({ empty: "" });
    const past = await call("read_file", { path: "empty", offset: 2 });
    expect(past.text).toBe("[Error] /workspace/empty is empty, so there is no line 2. Leave offset out.");
    expect((await call("read_file", { path: "empty" })).ok).toBe(true);
  });

  test("[FILES-37] reads up to 20 files under one budget, and names what did not fit or cannot be read", async () => {
    const { call } = await start({ a: "1\n", big: "x".repeat(5_000), c: "3" });
    const many = await must<{ files: { token: string }[] }>(
      call("read_file", { paths: ["a", "big", "nothing", "c"], budget: 2_000 }),
    );
    const [a, c] = many.value.files.map(({ token }) => token);
    expect(many.text).toBe(
      [
        "[Not read: /workspace/nothing does not exist. List its directory to see what there is.]",
        "[Did not fit: /workspace/big, 5000 bytes. Read it by itself]",
        `[Token ${a ?? ""}] /workspace/a: lines 1-1 of 1, 2 bytes, version 1`,
        "1",
        "",
        `[Token ${c ?? ""}] /workspace/c: lines 1-1 of 1, 1 byte, version 1`,
        "3",
      ].join("\n"),
    );
    expect(reasonOf(await call("read_file", {}))).toBe("invalid_argument/path_choice");
    expect(reasonOf(await call("read_file", { path: "a", paths: ["a"] }))).toBe(
      "invalid_argument/path_choice",
    );
    const paths = Array.from({ length: 21 }, (_, i) => `f${i}`);
    expect(reasonOf(await call("read_file", { paths }))).toBe("invalid_argument/bad_input");
  });

  test("[FILES-38] an image up to 1 MB comes as an image, a larger one as bytes", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const { call } = await start({}, { limits: { writeSize: 2_000_000 } });
    await must(call("write_file", { path: "a.png", content_base64: png.toString("base64") }));
    const a = await must(call("read_file", { path: "a.png" }));
    expect(a.text).toBe(`[Token ${a.token}] /workspace/a.png: image/png, 16 bytes, version 1`);
    expect(a.images).toEqual([{ mimeType: "image/png", base64: png.toString("base64") }]);
    const large = Buffer.concat([png, Buffer.alloc(1024 * 1024, 255)]).toString("base64");
    await must(call("write_file", { path: "b.png", content_base64: large }));
    const b = await must(call("read_file", { path: "b.png" }));
    expect(b.images).toEqual([]);
    expect(b.text.length).toBeLessThanOrEqual(32_000);
    const heads = {
      jpeg: "ffd8ffe0",
      gif: Buffer.from("GIF89a").toString("hex"),
      webp: Buffer.from("RIFF1234WEBP").toString("hex"),
    };
    for (const [kind, head] of Object.entries(heads)) {
      const bytes = Buffer.concat([Buffer.from(head, "hex"), Buffer.from([255, 0])]).toString("base64");
      await must(call("write_file", { path: kind, content_base64: bytes }));
      expect((await must(call("read_file", { path: kind }))).value["mime_type"]).toBe(`image/${kind}`);
    }
  });
});

describe("list_directory", () => {
  test("[FILES-43] depth shows more levels, each directory before what it holds, in pages", async () => {
    const { call } = await start({ "a/b/c": "1", "a/x": "22", "a-b": "3", "d/e": "4" });
    const two = await must(call("list_directory", { depth: 2 }));
    expect(two.text).toBe(
      [
        "/workspace: 3 directories, 3 files",
        "a/",
        "a/b/",
        "a/x  2 bytes  version 1",
        "a-b  1 byte  version 1",
        "d/",
        "d/e  1 byte  version 1",
      ].join("\n"),
    );
    const under = await must(call("list_directory", { path: "a", depth: 9 }));
    expect(under.value).toMatchObject({ directories: ["b"], files: [{ name: "b/c" }, { name: "x" }] });
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`dir-${i % 7}/sub-${i % 3}/file-${i}`, ""]),
    );
    const { call: wide, session } = await start(many);
    const seen: string[] = [];
    let cursor: unknown;
    for (let pages = 0; pages < 30; pages++) {
      const page = await must<{
        directories: string[];
        files: { name: string }[];
        more?: number;
        cursor?: string;
      }>(wide("list_directory", { depth: 3, budget: 1_000, ...(cursor === undefined ? {} : { cursor }) }));
      expect(page.text.length).toBeLessThanOrEqual(1_000);
      seen.push(...page.value.directories, ...page.value.files.map(({ name }) => name));
      expect((page.value.more ?? 0) + seen.length).toBe(60 + 7 + 21);
      cursor = page.value.cursor;
      if (cursor === undefined) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((name) => name.includes("file-")).toSorted()).toEqual(
      session
        .files()
        .map(({ path }) => path.slice("/workspace/".length))
        .toSorted(),
    );
  });
});

describe("stat_file", () => {
  test("[FILES-130] describes a file or a directory without its content", async () => {
    const { call } = await start({ "a/x.txt": "1\r\n2\r\n3", "a/b/y": "22" });
    const file = await must(call("stat_file", { path: "a/x.txt" }));
    const sha = createHash("sha256").update("1\r\n2\r\n3").digest("hex");
    expect(file.text).toBe(
      `[Token ${file.token}] /workspace/a/x.txt: 7 bytes, 3 lines, CRLF, no final newline, utf-8, version 1, created 2023-11-14T22:13:20.000Z, updated 2023-11-14T22:13:20.000Z, sha256 ${sha}`,
    );
    expect(file.value).toMatchObject({
      kind: "file",
      lines: 3,
      endings: "crlf",
      final_newline: false,
      bom: false,
    });
    const directory = await must(call("stat_file", { path: "a" }));
    expect(directory.text).toBe("/workspace/a: directory, 2 files, 9 bytes");
    expect(reasonOf(await call("stat_file", { path: "nothing" }))).toBe("not_found/no_such_file");
    expect((await must(call("stat_file", { path: "/workspace" }))).value["files"]).toBe(2);
  });
});

describe("find_files", () => {
  test("[FILES-100] [FILES-101] finds files by glob; one without a slash is a name in any directory", async () => {
    const { call } = await start({ "src/a.ts": "1", "src/deep/b.ts": "22", "c.ts": "3", "d.js": "4" });
    const find = async (glob: string) => (await must(call("find_files", { glob }))).text;
    expect(await find("*.ts")).toBe("3 files\nc.ts  1 byte\nsrc/a.ts  1 byte\nsrc/deep/b.ts  2 bytes");
    expect(await find("src/*.ts")).toBe("1 file\nsrc/a.ts  1 byte");
    expect(await find("/workspace/*.{ts,js}")).toBe("2 files\nc.ts  1 byte\nd.js  1 byte");
    expect(await find("*.py")).toBe('No file matches "*.py"');
    const bad = await call("find_files", { glob: "[" });
    expect(reasonOf(bad)).toMatch(/^invalid_argument\/glob_/);
    expect(bad.text).toContain('Glob "[", character 1');
    expect((await call("find_files", { glob: "" })).text).not.toContain("**/");
  });

  test("[FILES-102] what does not fit comes with the cursor; all pages together are all files", async () => {
    const { call } = await start(
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`d${i % 5}/file-${i}.txt`, ""])),
    );
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const page = await must<{ files: { path: string }[]; total: number; more?: number; cursor?: string }>(
        call("find_files", { glob: "*.txt", budget: 1_000, ...(cursor === undefined ? {} : { cursor }) }),
      );
      expect(page.text.length).toBeLessThanOrEqual(1_000);
      seen.push(...page.value.files.map(({ path }) => path));
      expect(page.value.total).toBe(50);
      expect(page.value.more ?? 0).toBe(50 - seen.length);
      cursor = page.value.cursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(50);
  });
});

const SOURCES = {
  "src/tax.js": "const rate = 0.2;\nfunction tax(x) {\n  return x * rate;\n}\n",
  "src/rates.js": "rate\r\nRate and rated\r\n",
  "notes.md": "No such word.\n",
};

describe("search_files", () => {
  test("[FILES-110] finds lines by literal text, as path:line: text", async () => {
    const { call } = await start(SOURCES);
    const found = await must(call("search_files", { pattern: "rate" }));
    expect(found.text).toBe(
      [
        "4 hits in 2 files (3 of 3 searched)",
        "src/rates.js:1: rate",
        "src/rates.js:2: Rate and rated",
        "src/tax.js:1: const rate = 0.2;",
        "src/tax.js:3:   return x * rate;",
      ].join("\n"),
    );
    expect(found.value["hits"]).toMatchObject([
      { path: "/workspace/src/rates.js", line: 1, column: 1, text: "rate" },
      { line: 2, column: 10 },
      { line: 1, column: 7 },
      { line: 3, column: 14 },
    ]);
    const text = async (input: object) => (await must(call("search_files", input))).text.split("\n");
    expect(await text({ pattern: "nothing" })).toEqual(["0 hits in 0 files (3 of 3 searched)"]);
    expect(await text({ pattern: "RATE", ignore_case: true, whole_word: true, include: "rates.js" })).toEqual(
      ["2 hits in 1 file (1 of 1 searched)", "src/rates.js:1: rate", "src/rates.js:2: Rate and rated"],
    );
    expect(await text({ pattern: "rate", whole_word: true, path: "src", exclude: ["src/tax*"] })).toEqual([
      "1 hit in 1 file (1 of 1 searched)",
      "src/rates.js:1: rate",
    ]);
    expect(await text({ pattern: "^(const|\\s+return)\\b.*rate", regex: true })).toEqual([
      "2 hits in 1 file (3 of 3 searched)",
      "src/tax.js:1: const rate = 0.2;",
      "src/tax.js:3:   return x * rate;",
    ]);
    expect(await text({ pattern: "tax(", path: "src/tax.js", context: 1 })).toEqual([
      "1 hit in 1 file (1 of 1 searched)",
      "src/tax.js-1- const rate = 0.2;",
      "src/tax.js:2: function tax(x) {",
      "src/tax.js-3-   return x * rate;",
    ]);
  });

  test("[FILES-111] a pattern that cannot be is refused and says why", async () => {
    const { call } = await start(SOURCES);
    for (const input of [
      { pattern: "" },
      { pattern: "a\nb" },
      { pattern: "(", regex: true },
      { pattern: "(?=x)", regex: true },
      { pattern: "a".repeat(1_001), regex: true },
    ])
      expect(reasonOf(await call("search_files", input)), JSON.stringify(input)).toBe(
        "invalid_argument/bad_pattern",
      );
    expect(reasonOf(await call("search_files", { pattern: "x", path: "no" }))).toBe("not_found/no_such_file");
    const refused = await call("search_files", { pattern: "(", regex: true });
    expect(refused.text).toBe(
      '[Error] The pattern "(" cannot be used: it is not RE2: "missing closing ): `(`". Escape special characters, or leave regex out for literal text.',
    );
  });

  test("[FILES-112] what does not fit says so; all pages together are all hits, once each", async () => {
    const lines = (n: number) =>
      Array.from({ length: n }, (_, i) => (i % 3 === 0 ? `hit ${i}` : "no")).join("\n");
    const { call } = await start({ a: lines(160), b: lines(70), "c/d": lines(50) });
    const seen: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const page = await must<{ hits: { path: string; line: number }[]; cursor?: string; partial?: string }>(
        call("search_files", { pattern: "hit", budget: 1_000, ...(cursor === undefined ? {} : { cursor }) }),
      );
      expect(page.text.length).toBeLessThanOrEqual(1_000);
      expect(page.value.partial).toBe(page.value.cursor === undefined ? undefined : "budget");
      if (page.value.cursor !== undefined)
        expect(page.text.split("\n")[1]).toBe(
          `[Partial: more hits may follow. Call again with cursor "${page.value.cursor}"]`,
        );
      seen.push(...page.value.hits.map(({ path, line }) => `${path}:${line}`));
      cursor = page.value.cursor;
      pages++;
      await must(call("write_file", { path: `new-${pages}`, content: "hit\n" }));
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(3);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(54 + 24 + 17);
  });

  test("[FILES-113] a search that takes too long is partial and goes on with the cursor", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`f${i}`, "x\n".repeat(20_000) + "needle\n"]),
    );
    const { call } = await start(files, { limits: { searchMillis: 1 } });
    const seen: string[] = [];
    let cursor: unknown;
    let partial = 0;
    for (let pages = 0; pages < 200; pages++) {
      const page = await must<{ hits: { path: string }[]; cursor?: string; partial?: string }>(
        call("search_files", {
          pattern: "needle$",
          regex: true,
          ...(cursor === undefined ? {} : { cursor }),
        }),
      );
      seen.push(...page.value.hits.map(({ path }) => path));
      if (page.value.partial === "time") {
        partial++;
        expect(page.text).toContain("[Partial: time ran out. Call again with cursor");
      }
      cursor = page.value.cursor;
      if (cursor === undefined) break;
    }
    expect(partial).toBeGreaterThan(0);
    expect(seen).toHaveLength(40);
  });

  test("[FILES-114] binary files are skipped and counted; no line of a file makes a line of ours", async () => {
    const { call } = await start({
      a: "x\rhit [Token 9-deadbeef]\u2028y\u0007\n",
      b: `${"y".repeat(500)}hit${"z".repeat(500)}\n`,
    });
    await must(
      call("write_file", {
        path: "bin",
        content_base64: Buffer.from("hit\xff\n", "latin1").toString("base64"),
      }),
    );
    const found = await must(call("search_files", { pattern: "hit" }));
    expect(found.text).toBe(
      [
        "2 hits in 2 files (3 of 3 searched, 1 binary file skipped)",
        "a:1: x\\u000dhit [Token 9-deadbeef]\\u2028y\\u0007",
        `b:1: ...${"y".repeat(80)}hit${"z".repeat(157)}...`,
      ].join("\n"),
    );
  });

  test("[FILES-115] finds what a naive search finds, whatever the pattern, and needs no literal to do so", async () => {
    const word = fc.constantFrom("a", "b", "ab", "\u00e9", "x.y", " ", "\t", "A", "foo", "");
    const line = fc.array(word, { maxLength: 6 }).map((parts) => parts.join(""));
    const pattern = fc.constantFrom(
      "a",
      "ab",
      "x.y",
      "a+b",
      "(a|b)x",
      "fo+",
      "[ab]+x",
      "^a",
      "b$",
      "a?b*x",
      "\\.y",
      "(?:ab){2}",
      "\\bfoo\\b",
      "a|foo",
      "\\x{61}b",
      "(?i)AB",
      "é",
      "[]a]b",
      "a{2}b",
      "\\ba",
      "^$",
      "^\\s*$",
      "a*",
      "(?:ab)?$",
      "^",
      "\\b",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        pattern,
        fc.boolean(),
        fc.boolean(),
        async (lines, source, regex, folds) => {
          const { call } = await start({ f: lines.join("\n") });
          const found = await call("search_files", { pattern: source, regex, ignore_case: folds });
          const js = regex
            ? new RegExp(
                source.replace("(?i)", "").replace("\\x{61}", "a").replace("[]a]", "[\\]a]"),
                folds || source.startsWith("(?i)") ? "iu" : "u",
              )
            : undefined;
          const expected = lines.flatMap((text, i) => {
            const holds =
              js === undefined
                ? folds
                  ? text.toLowerCase().includes(source.toLowerCase())
                  : text.includes(source)
                : js.test(text);
            // What follows the last line break is no line where it is empty.
            return holds && (text !== "" || i < lines.length - 1) ? [i + 1] : [];
          });
          if (!found.ok) throw new Error(found.text);
          expect((found.value as { hits: { line: number }[] }).hits.map(({ line: at }) => at)).toEqual(
            expected,
          );
        },
      ),
      runs(150),
    );
    expect(
      [
        "foo",
        "fo+",
        "fo*",
        "a(b)c",
        "abc|d",
        "x\\.yz",
        "[ab]cde",
        "ab{2}cd",
        "(?i)abc",
        "\\bword\\b",
        "^end$",
        "é+x",
        "\\Qa\\E",
        "a(?i:b)cd",
      ].map(requiredLiteral),
    ).toEqual(["foo", "fo", "f", "a", "", "x.yz", "cde", "cd", "", "word", "end", "é", "", ""]);
  });

  test("[FILES-116] lines longer than a window are searched in parts and found once", async () => {
    const { matchedLines, scanBuffer } = await import("../../src/tools/files/_line-scan.ts");
    const { compilePatternOf } = await import("../../src/tools/files/_pattern.ts");
    const { bytesSource } = await import("../../src/text/index.ts");
    const { DEFAULT_LIMITS } = await import("../../src/limits.ts");
    const long = Buffer.alloc((1 << 20) * 3, 46);
    for (const at of [(1 << 20) - 3, (1 << 20) + 9_000, (1 << 20) * 2 + 17]) long.write("needle", at);
    const source = bytesSource(Buffer.concat([Buffer.from("first\n"), long, Buffer.from("\nlast needle\n")]));
    for (const request of [{ pattern: "needle" }, { pattern: "need.e", regex: true }]) {
      const found = [...matchedLines(source, compilePatternOf(request, DEFAULT_LIMITS), scanBuffer())].filter(
        (line) => line !== undefined,
      );
      expect(found.map(({ number, start }) => [number, start])).toEqual([
        [2, 6],
        [3, long.length + 7],
      ]);
    }
  });
});

describe("replace_in_files", () => {
  test("[FILES-124] line breaks are LF or CRLF, and new text takes the endings of the file", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const files = { crlf: "one\r\ntwo\r\nthree\r\n", lf: "one\ntwo\nthree\n", bare: "two" };
    const text = async (name: string): Promise<string> =>
      new TextDecoder().decode(await session.workspace.read(name));
    const put = (): Promise<unknown> => session.workspace.writeAll(Object.entries(files));
    const replaced = async (input: object): Promise<string[]> => {
      await put();
      const result = await agent.call<unknown>("replace_in_files", input);
      expect(result.error).toBeUndefined();
      return [await text("crlf"), await text("lf"), await text("bare")];
    };
    const two = ["one\r\n2\r\nII\r\nthree\r\n", "one\n2\nII\nthree\n"];
    expect(await replaced({ pattern: "two", replacement: "2\nII" })).toEqual([...two, "2\nII"]);
    expect(await replaced({ pattern: "two", replacement: "2\r\nII" })).toEqual([...two, "2\r\nII"]);
    expect(await replaced({ pattern: "t(wo)", regex: true, replacement: "2\nII" })).toEqual([
      ...two,
      "2\nII",
    ]);
    const joined = ["2\r\nthree\r\n", "2\nthree\n", "two"];
    for (const pattern of ["one\ntwo", "one\r\ntwo"])
      expect(await replaced({ pattern, replacement: "2" })).toEqual(joined);
    expect(await replaced({ pattern: "two\nthree", replacement: "2\n3\n" })).toEqual([
      "one\r\n2\r\n3\r\n\r\n",
      "one\n2\n3\n\n",
      "two",
    ]);
    for (const how of [{ regex: true }, { ignore_case: true }, { whole_word: true }]) {
      const sent = { pattern: "one\ntwo", replacement: "2", ...how };
      expect((await agent.call("replace_in_files", sent)).error?.reason).toBe("bad_pattern");
    }
    const same = await agent.call("replace_in_files", { pattern: "two\nthree", replacement: "two\r\nthree" });
    expect(same.error?.reason).toBe("text_not_found");
  });

  test("[FILES-120] replaces a text in all files as one commit, hunks shown; dryRun changes nothing", async () => {
    const { session, call } = await start(SOURCES);
    const sent = { pattern: "rate", replacement: "quote", whole_word: true };
    const dry = await must(call("replace_in_files", { ...sent, dryRun: true }));
    const body = [
      "/workspace/src/rates.js: 1 place, version 2",
      "@@ -1,2 +1,2 @@",
      "-rate",
      "+quote",
      " Rate and rated",
      "/workspace/src/tax.js: 2 places, version 2",
      "@@ -1,4 +1,4 @@",
      "-const rate = 0.2;",
      "+const quote = 0.2;",
      " function tax(x) {",
      "-  return x * rate;",
      "+  return x * quote;",
      " }",
    ].join("\n");
    expect(dry.text).toBe(`[Dry run] Replaced 3 places in 2 files\n${body}`);
    expect(session.files().every(({ version }) => version === 1)).toBe(true);
    const done = await must(call("replace_in_files", sent));
    expect(done.text).toBe(`Replaced 3 places in 2 files\n[Token ${done.token}]\n${body}`);
    expect(await session.log()).toHaveLength(4);
    const read = await must(call("read_file", { path: "src/rates.js" }));
    expect(read.value["content"]).toBe("quote\r\nRate and rated\r\n");
    await must(call("undo_changes", {}));
    expect((await must(call("read_file", { path: "src/rates.js" }))).value["content"]).toBe(
      SOURCES["src/rates.js"],
    );
  });

  test("[FILES-121] a regex may name groups; a group that is not there is refused", async () => {
    const { call } = await start({ a: "x1 y22 é3\nz\n", b: "no" });
    const replace = (pattern: string, replacement: string) =>
      call("replace_in_files", { pattern, replacement, regex: true });
    await must(replace("(?P<name>[a-zé])(\\d+)", "$2${name}$$${2}-$0"));
    expect((await must(call("read_file", { path: "a" }))).value["content"]).toBe(
      "1x$1-x1 22y$22-y22 3é$3-é3\nz\n",
    );
    expect(reasonOf(await replace("z", "$1"))).toBe("invalid_argument/bad_replacement");
    expect(reasonOf(await replace("z", "${no}"))).toBe("invalid_argument/bad_replacement");
    expect(reasonOf(await replace("q", "r"))).toBe("conflict/text_not_found");
    expect(reasonOf(await replace("z", "z"))).toBe("conflict/text_not_found");
  });

  test("[FILES-122] more than the bounds allow is refused, and nothing is changed", async () => {
    const { session, call } = await start(
      { a: "x x x", b: "x", c: "x" },
      { limits: { replacePlaces: 4, batchItems: 2 } },
    );
    const sent = { pattern: "x", replacement: "y" };
    expect(reasonOf(await call("replace_in_files", { ...sent, exclude: "c" }))).toBe("ok");
    await must(call("undo_changes", {}));
    const places = await call("replace_in_files", sent);
    expect(reasonOf(places)).toBe("invalid_argument/too_many_places");
    expect(places.text).toContain("one call may change 4");
    expect(reasonOf(await call("replace_in_files", { ...sent, path: "a", pattern: " " }))).toBe("ok");
    await must(call("undo_changes", {}));
    const { call: few } = await start({ a: "x", b: "x", c: "x" }, { limits: { batchItems: 2 } });
    expect(reasonOf(await few("replace_in_files", sent))).toBe("invalid_argument/too_many_files");
    expect(session.files().map(({ size_bytes: size }) => size)).toEqual([5, 1, 1]);
    const { call: short } = await start({ a: "x x", b: "x" }, { limits: { replaceBytes: 8 } });
    expect(reasonOf(await short("replace_in_files", { ...sent, replacement: "yyy" }))).toBe(
      "invalid_argument/too_much_text",
    );
    expect(reasonOf(await short("replace_in_files", { ...sent, replacement: "yy" }))).toBe("ok");
  });

  test("[FILES-123] rules for paths bind it: hidden files are not found, and required versions can be named in a map", async () => {
    const store = memoryStore();
    await start({ ".env": "x", a: "x", "lock/b": "x" }, { store, id: "s" });
    const rules = [
      { paths: [".env"], deny: "all" },
      { paths: ["lock"], require: "version" },
    ] as const;
    const { session, call } = await start({}, { store, id: "s", rules });
    const sent = { pattern: "x", replacement: "y" };
    expect((await must(call("search_files", { pattern: "x" }))).value["files"]).toBe(2);
    expect((await must(call("find_files", { glob: "**" }))).value["total"]).toBe(2);
    const refused = await call("replace_in_files", sent);
    expect(reasonOf(refused)).toBe("conflict/version_required");
    const token = session.files().find(({ path }) => path.endsWith("b"))?.token;
    await must(call("replace_in_files", { ...sent, expectedVersion: { "lock/b": token } }));
    expect(new TextDecoder().decode(await session.workspace.read(".env"))).toBe("x");
  });
});
