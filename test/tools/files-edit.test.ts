import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Agent, CallResult, Session } from "../../src/tools/index.ts";
import { runs } from "../effort.ts";
import { bench, dataOf, EDITOR, OTHER } from "./bench-session.ts";

type Call = (tool: string, input: unknown) => Promise<CallResult>;

function calls(agent: Agent): Call {
  return (tool, input) => agent.call(tool, input);
}

async function start(files: Readonly<Record<string, string>> = {}, limits: object = {}) {
  const { session } = await bench({ limits });
  const call = calls(session.as(EDITOR));
  for (const [path, content] of Object.entries(files)) await must(call("write_file", { path, content }));
  return { session, call };
}

async function must(call: Promise<CallResult>): Promise<CallResult & { ok: true }> {
  const result = await call;
  if (!result.ok) throw new Error(result.text);
  return result;
}

function reasonOf(result: CallResult): string {
  return result.ok ? "ok" : `${result.error.code}/${result.error.reason}`;
}

async function bytesOf(call: Call, path: string): Promise<string> {
  const { value } = (await must(call("read_file", { path }))) as {
    value: { content?: string; content_base64?: string };
  };
  return value.content ?? Buffer.from(value.content_base64 ?? "", "base64").toString("latin1");
}

/** Without the host's policy. */
const callRecords = async (session: Session) => (await session.log()).filter(({ kind }) => kind === "call");

const paths = (session: Session): string[] =>
  session.files().map(({ path }) => path.slice("/workspace/".length));

describe("edit_file", () => {
  test("[FILES-80] replaces text that occurs once, and says token and hunk", async () => {
    const { call } = await start({ "a.js": "one\ntwo\nthree\nfour\nfive\n" });
    const edits = [{ old_text: "three", new_text: "3" }];
    const done = await must(call("edit_file", { path: "a.js", edits }));
    expect(done.text).toBe(
      `Edited /workspace/a.js (20 bytes, version 2)\n[Token ${done.token ?? ""}]\n@@ -1,5 +1,5 @@\n one\n two\n-three\n+3\n four\n five`,
    );
    expect(done.value).toMatchObject({
      path: "/workspace/a.js",
      version: 2,
      size_bytes: 20,
      replaced: 1,
      token: done.token,
    });
    expect(await bytesOf(call, "a.js")).toBe("one\ntwo\n3\nfour\nfive\n");
    const dry = await must(
      call("edit_file", { path: "a.js", edits: [{ old_text: "3", new_text: "III" }], dryRun: true }),
    );
    expect(dry.text).toBe(
      "[Dry run] Edited /workspace/a.js (22 bytes, version 3)\n@@ -1,5 +1,5 @@\n one\n two\n-3\n+III\n four\n five",
    );
  });

  test("[FILES-81] many edits apply in order, each on the result before it, as one commit, or none does", async () => {
    const { session, call } = await start({ a: "x = 1\ny = 2\n" });
    const edits = [
      { old_text: "x = 1", new_text: "x = y" },
      { old_text: "y\ny", new_text: "z\ny" },
    ];
    const done = await must(call("edit_file", { path: "a", edits }));
    expect(done.text).toBe(
      `Edited /workspace/a (2 places, 12 bytes, version 2)\n[Token ${done.token ?? ""}]\n@@ -1,2 +1,2 @@\n-x = 1\n+x = z\n y = 2`,
    );
    expect(await callRecords(session)).toHaveLength(2);
    const half = await call("edit_file", {
      path: "a",
      edits: [
        { old_text: "x", new_text: "w" },
        { old_text: "nowhere at all", new_text: "" },
      ],
    });
    expect(half.text).toBe(
      "[Error] Edit 2: old_text is not in /workspace/a. Nothing in it is like it. Nothing was changed: read the file again and send its text exactly.",
    );
    expect(await bytesOf(call, "a")).toBe("x = z\ny = 2\n");
    await call("undo_changes", {});
    expect(await bytesOf(call, "a")).toBe("x = 1\ny = 2\n");
  });

  test("[FILES-82] a line break matches LF or CRLF, and new text takes the file's", async () => {
    const { call } = await start({
      crlf: "a\r\nb\r\nc\r\n",
      mixed: "a\r\nb\nc\r\nd\n",
      one: "a b",
      none: "a",
    });
    const edit = async (path: string, old_text: string, new_text: string) => {
      await must(call("edit_file", { path, edits: [{ old_text, new_text }] }));
      return bytesOf(call, path);
    };
    expect(await edit("crlf", "a\nb", "a\nB\nB2")).toBe("a\r\nB\r\nB2\r\nc\r\n");
    expect(await edit("crlf", "c\r\n", "")).toBe("a\r\nB\r\nB2\r\n");
    expect(await edit("crlf", "\nB2", "\nlast")).toBe("a\r\nB\r\nlast\r\n");
    // Lines that stay the same keep their own endings.
    expect(await edit("mixed", "a\nb\nc\nd", "a\nb\nX\nY\nd")).toBe("a\r\nb\nX\r\nY\r\nd\n");
    expect(await edit("one", "a b", "a\r\nb")).toBe("a\r\nb");
    // A lone CR before a CRLF is no part of it.
    expect(await edit("none", "a", "\r\r\n")).toBe("\r\r\n");
    const same = await call("edit_file", { path: "one", edits: [{ old_text: "a\nb", new_text: "a\r\nb" }] });
    expect(reasonOf(same)).toBe("invalid_argument/no_change");
  });

  test("[FILES-83] BOM, bytes that are no text and a missing final newline stay", async () => {
    const { call } = await start({ bom: "\ufeffname: x\nend" });
    await must(
      call("write_file", {
        path: "raw",
        content_base64: Buffer.from([255, 65, 10, 66, 254]).toString("base64"),
      }),
    );
    await must(call("edit_file", { path: "bom", edits: [{ old_text: "name: x", new_text: "name: y" }] }));
    expect(await bytesOf(call, "bom")).toBe("\ufeffname: y\nend");
    const raw = await must(call("edit_file", { path: "raw", edits: [{ old_text: "A\nB", new_text: "C" }] }));
    expect(await bytesOf(call, "raw")).toBe("\xffC\xfe");
    expect(raw.text).toContain("(not shown: not text, or too large)");
    const wide = await call("edit_file", { path: "raw", edits: [{ old_text: "C", new_text: "\u00e9" }] });
    expect(reasonOf(wide)).toBe("invalid_argument/not_utf8");
  });

  test("[FILES-152] text beyond ASCII goes into no file of another encoding, whatever the tool", async () => {
    const { session, call } = await start();
    await must(call("write_file", { path: "a.json", content: '{"a": "hello"}', encoding: "latin1" }));
    const { seq } = session.at;
    const as = { content: "h\u00e9", encoding: "shift_jis" };
    for (const [tool, input] of [
      ["write_file", { content: "\u00e9", mode: "append" }],
      ["write_file", { content: "\u00e9", mode: "append", encoding: "latin1" }],
      ["write_file", { ...as, mode: "overwrite" }],
      ["write_file", { ...as, path: "new" }],
      ["replace_in_files", { pattern: "hello", replacement: "h\u00e9" }],
      ["set_json_value", { json_path: "$.a", value: '"\u00e9"' }],
      ["edit_json", { edits: [{ op: "set", json_path: "$.a", value: '"\u00e9"' }] }],
      [
        "apply_patch",
        {
          patch: 'a.json\n<<<<<<< SEARCH\n{"a": "hello"}\n=======\n"\u00e9"\n>>>>>>> REPLACE\n',
        },
      ],
    ] as const) {
      const path = tool === "apply_patch" ? {} : { path: "a.json" };
      const refused = await call(tool, { ...path, ...input });
      expect(reasonOf(refused), `${tool} ${refused.text}`).toBe("invalid_argument/not_utf8");
    }
    expect(session.at.seq).toBe(seq);
    await must(call("set_json_value", { path: "a.json", json_path: "$.a", value: '"hi"' }));
    const latin = Buffer.from("\u00e9", "latin1").toString("base64");
    await must(call("write_file", { path: "a.json", content_base64: latin, mode: "append" }));
    expect(session.files()[0]).toMatchObject({ encoding: "latin1" });
    expect(await bytesOf(call, "a.json")).toBe('{"a": "hi"}\xe9');
    await must(call("write_file", { path: "a.json", content: "\u00e9", mode: "overwrite" }));
    expect(session.files()[0]).toMatchObject({ encoding: "utf-8" });
  });

  test("[FILES-84] ambiguous, empty and no-op edits are refused, and say what to do", async () => {
    const { session, call } = await start({ a: "x\ny x\nz\nx\nx x x\n" });
    const edit = (old_text: string, new_text: string, more = {}) =>
      call("edit_file", { path: "a", edits: [{ old_text, new_text, ...more }] });
    const ambiguous = await edit("x", "y");
    expect(ambiguous.error).toMatchObject({ code: "conflict", reason: "text_ambiguous" });
    expect(ambiguous.text).toBe(
      "[Error] old_text occurs 6 times in /workspace/a, on lines 1, 2, 4, 5, 5, .... Nothing was changed: add lines around it so that it occurs once, or send replace_all: true.",
    );
    expect(reasonOf(await edit("x x", "y"))).toBe("conflict/text_ambiguous");
    expect(reasonOf(await edit("", "y"))).toBe("invalid_argument/empty_old_text");
    expect(reasonOf(await edit("z", "z"))).toBe("invalid_argument/no_change");
    expect(session.files()[0]?.version).toBe(1);
    // The advice, followed.
    await must(edit("z\nx", "z\nX"));
    const all = await must(edit("x", "q", { replace_all: true }));
    expect(all.value).toMatchObject({ replaced: 5 });
    expect(await bytesOf(call, "a")).toBe("q\ny q\nz\nX\nq q q\n");
    const { call: small } = await start({ b: "aaaa" }, { replacePlaces: 3 });
    const edits = [{ old_text: "a", new_text: "b", replace_all: true }];
    expect(reasonOf(await small("edit_file", { path: "b", edits }))).toBe("invalid_argument/too_many_places");
    const { call: short } = await start({ b: "aaaa" }, { replaceBytes: 11 });
    const longer = (new_text: string) =>
      short("edit_file", { path: "b", edits: [{ old_text: "a", new_text, replace_all: true }] });
    expect(reasonOf(await longer("bbb"))).toBe("invalid_argument/too_much_text");
    expect(reasonOf(await longer("bb"))).toBe("ok");
  });

  test("[FILES-85] a miss shows the nearest place and the first differing column", async () => {
    const { call } = await start({
      "a.ts": "function tax(x) {\n  const rate = 0.2;\n\treturn x * rate;\n}\n",
    });
    const miss = (old_text: string) =>
      call("edit_file", { path: "a.ts", edits: [{ old_text, new_text: "" }] });
    const blanks = await miss("  const rate = 0.2;\n  return x * rate;\n}");
    expect(blanks.text).toBe(
      '[Error] old_text is not in /workspace/a.ts. Nearest is line 3, which differs from column 1 on (white space differs): the file has "\\treturn x * rate;", old_text has "  return x * rate;". Nothing was changed: read the file again and send its text exactly.',
    );
    expect(dataOf(blanks)).toEqual({ line: 3, column: 1 });
    const value = await miss("  const rate = 0.25;");
    expect(value.text).toContain(
      'Nearest is line 2, which differs from column 19 on: the file has "  const rate = 0.2;", old_text has "  const rate = 0.25;".',
    );
    const missing = await call("edit_file", { path: "b.ts", edits: [{ old_text: "x", new_text: "" }] });
    expect(missing.text).toBe("[Error] /workspace/b.ts does not exist. Did you mean /workspace/a.ts?");
    expect(reasonOf(await miss("zzzzqqqq"))).toBe("conflict/text_not_found");
  });

  test("[FILES-86] any edits give what a naive model gives, byte for byte", async () => {
    const piece = fc.constantFrom("a", "b", "\n", "\r\n", "\r", "\u00e9", "aa", "\ufeff");
    const short = fc.array(piece, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(""));
    const text = fc.oneof(
      short,
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")),
    );
    const one = fc.record({ old_text: text, new_text: text, replace_all: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(text, fc.array(one, { minLength: 1, maxLength: 4 }), async (content, edits) => {
        const { call } = await start({ f: content });
        const expected = naive(content, edits);
        const result = await call("edit_file", { path: "f", edits });
        expect(result.ok).toBe(expected !== undefined);
        expect(await bytesOf(call, "f")).toBe(expected ?? content);
        if (result.ok) {
          await must(call("undo_changes", {}));
          expect(await bytesOf(call, "f")).toBe(content);
        }
      }),
      runs(150),
    );
  });

  test("[FILES-86] matches across the windows of a large file are found once, in LF and CRLF", async () => {
    const { findTextSteps } = await import("../../src/tools/files/_find-text.ts");
    const { bytesSource, runNow } = await import("../../src/text/index.ts");
    const size = 1 << 20;
    for (const shift of [-3, -2, -1, 0, 1, 2]) {
      const raw = Buffer.alloc(2 * size + 10, 46);
      raw.write("x\r\ny", size + shift, "latin1");
      const at = size + shift;
      const find = (text: string, overlap = false) =>
        runNow(findTextSteps(bytesSource(raw), text, { most: 9, overlap }));
      expect(find("x\ny"), String(shift)).toEqual([{ from: at, to: at + 4 }]);
      expect(find("\ny", true), String(shift)).toEqual([{ from: at + 1, to: at + 4 }]);
      expect(find("\n", true), String(shift)).toEqual([{ from: at + 1, to: at + 3 }]);
      expect(find("\r"), String(shift)).toEqual([]);
      expect(find("y"), String(shift)).toEqual([{ from: at + 3, to: at + 4 }]);
    }
  });
});

interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
}

/** The rules of edit_file on a string, said with a regular expression. Undefined where the call is refused. */
function naive(content: string, edits: readonly Edit[]): string | undefined {
  let text = content;
  for (const { old_text: old, new_text: now, replace_all: all } of edits) {
    const lf = (value: string): string => value.replaceAll("\r\n", "\n");
    if (old === "" || lf(old) === lf(now)) return undefined;
    // A lone CR is no half of a CRLF, at either end.
    const source = Array.from(lf(old), (unit) =>
      unit === "\n" ? "(?:\\r\\n|(?<!\\r)\\n)" : unit === "\r" ? "\\r(?!\\n)" : unit,
    ).join("");
    const found: { at: number; length: number }[] = [];
    for (let from = 0; from <= text.length;) {
      const pattern = new RegExp(source, "gu");
      pattern.lastIndex = from;
      const match = pattern.exec(text);
      if (match === null) break;
      found.push({ at: match.index, length: match[0].length });
      from = all ? match.index + match[0].length : match.index + 1;
    }
    if (found.length === 0 || (!all && found.length > 1)) return undefined;
    let result = "";
    let last = 0;
    for (const { at, length } of found) {
      result += text.slice(last, at) + replaced(text, at, length, lf(old), now);
      last = at + length;
    }
    text = result + text.slice(last);
  }
  return text === content ? undefined : text;
}

function replaced(text: string, at: number, length: number, old: string, now: string): string {
  const match = text.slice(at, at + length);
  const ending = (part: string | undefined): string | undefined => part?.match(/\r?\n/)?.[0];
  const before = text.slice(0, at).match(/\r?\n(?=[^\n]*$)/)?.[0];
  const style =
    ending(match) ?? ending(text.slice(at + length)) ?? before ?? (now.includes("\r\n") ? "\r\n" : "\n");
  const [a, b] = [old.split("\n"), now.replaceAll("\r\n", "\n").split("\n")];
  const endings = match.match(/\r?\n/g) ?? [];
  const most = Math.min(a.length, b.length) - 1;
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  let result = "";
  for (const [i, line] of b.entries()) {
    result += line;
    if (i === b.length - 1) break;
    if (i < head) result += endings[i] ?? "";
    else if (i >= b.length - 1 - tail) result += endings[endings.length - (b.length - 1 - i)] ?? "";
    else result += style;
  }
  return result;
}

describe("delete_file", () => {
  test("[FILES-90] deletes a file, or a directory with all it holds and nothing else", async () => {
    const { session, call } = await start({ "a/x": "1", "a/b/y": "2", "ab/z": "3", "a-b": "4", c: "5" });
    const one = await must(call("delete_file", { path: "c" }));
    expect(one.text).toBe(`Deleted /workspace/c (version 1)\n[Token ${one.token ?? ""}]`);
    expect(one.value).toMatchObject({ path: "/workspace/c", deleted: 1, is_directory: false, version: 1 });
    const all = await must(call("delete_file", { path: "a/" }));
    expect(all.text).toBe(`Deleted /workspace/a (all 2 files in it)\n[Token ${all.token ?? ""}]`);
    expect(paths(session)).toEqual(["a-b", "ab/z"]);
    await call("undo_changes", {});
    expect(paths(session)).toEqual(["a/b/y", "a/x", "a-b", "ab/z"]);
    const again = await must(call("write_file", { path: "c", content: "new" }));
    expect(again.value).toMatchObject({ version: 2 });
  });

  test("[FILES-91] what is missing is not_found unless allow_missing; the root is never deleted", async () => {
    const { session, call } = await start({ "main.ts": "1" });
    const missing = await call("delete_file", { path: "mian.ts" });
    expect(reasonOf(missing)).toBe("not_found/no_such_file");
    expect(missing.text).toBe("[Error] /workspace/mian.ts does not exist. Did you mean /workspace/main.ts?");
    const allowed = await must(call("delete_file", { path: "mian.ts", allow_missing: true }));
    expect(allowed.text).toBe("Nothing to delete: /workspace/mian.ts does not exist");
    for (const path of ["/workspace", "", "/workspace/"])
      expect(reasonOf(await call("delete_file", { path }))).toBe("invalid_argument/path_root");
    expect(paths(session)).toEqual(["main.ts"]);
  });

  test("[FILES-91] [FILES-73] a version of a file in a directory can be named", async () => {
    const { session, call } = await start({ "d/a": "1", "d/b": "2" });
    const [a, b] = session.files().map(({ token }) => token);
    const stale = { "d/a": b, "/workspace/d/b": b };
    expect(reasonOf(await call("delete_file", { path: "d", expectedVersion: stale }))).toBe(
      "conflict/stale_version",
    );
    const outside = { e: a };
    expect(reasonOf(await call("delete_file", { path: "d", expectedVersion: outside }))).toBe(
      "invalid_argument/bad_token",
    );
    await must(call("delete_file", { path: "d", expectedVersion: { "d/a": a, "/workspace/d/b": b } }));
  });
});

describe("move_file and copy_file", () => {
  test("[FILES-92] moves a file or a directory; history follows", async () => {
    const { session, call } = await start({ "a/x": "1", "a/b/y": "22", z: "3" });
    const one = await must(call("move_file", { source: "z", destination: "a/z2" }));
    expect(one.text).toBe(
      `Moved /workspace/z to /workspace/a/z2 (1 byte, version 2)\n[Token ${one.token ?? ""}]`,
    );
    const all = await must(call("move_file", { source: "a", destination: "new/place" }));
    expect(all.text).toBe(`Moved /workspace/a to /workspace/new/place (3 files)\n[Token ${all.token ?? ""}]`);
    expect(paths(session)).toEqual(["new/place/b/y", "new/place/x", "new/place/z2"]);
    await call("undo_changes", {});
    expect(paths(session)).toEqual(["a/b/y", "a/x", "a/z2"]);
    await must(call("move_file", { source: "a/x", destination: "a/X" }));
    expect(paths(session)).toEqual(["a/X", "a/b/y", "a/z2"]);
  });

  test("[FILES-93] copies a file or a directory without touching the source", async () => {
    const { session, call } = await start({ "a/x": "1", "a/y": "22" });
    const one = await must(call("copy_file", { source: "a/x", destination: "b" }));
    expect(one.text).toBe(
      `Copied /workspace/a/x to /workspace/b (1 byte, version 1)\n[Token ${one.token ?? ""}]`,
    );
    const all = await must(call("copy_file", { source: "a", destination: "c" }));
    expect(all.text).toBe(`Copied /workspace/a to /workspace/c (2 files)\n[Token ${all.token ?? ""}]`);
    expect(paths(session)).toEqual(["a/x", "a/y", "b", "c/x", "c/y"]);
    expect(session.files()[0]?.version).toBe(1);
    expect(await bytesOf(call, "c/y")).toBe("22");
  });

  test("[FILES-94] never overwrites, never goes into itself, and says what to do", async () => {
    const { session, call } = await start({ "a/x": "1", b: "2", "d/e": "3" });
    for (const tool of ["move_file", "copy_file"]) {
      const go = async (source: string, destination: string) => call(tool, { source, destination });
      const taken = await go("a/x", "b");
      expect(taken.text).toBe(
        "[Error] /workspace/b exists already. Choose another destination, or delete it first.",
      );
      const directory = await go("b", "d");
      expect(directory.text).toBe(
        "[Error] /workspace/d is a directory. Name the new path in full, such as /workspace/d/b.",
      );
      expect(reasonOf(await go("a", "a/inner"))).toBe("invalid_argument/into_itself");
      expect(reasonOf(await go("a", "a"))).toBe("invalid_argument/into_itself");
      expect(reasonOf(await go("b", "b"))).toBe("invalid_argument/same_path");
      expect(reasonOf(await go("b", "/workspace"))).toBe("conflict/is_directory");
      expect(reasonOf(await go("nothing", "x"))).toBe("not_found/no_such_file");
      expect(reasonOf(await go("/workspace", "x"))).toBe("invalid_argument/path_root");
      expect(reasonOf(await go("a/x", "b/x"))).toBe("conflict/file_above");
      expect(reasonOf(await go("a", Array.from({ length: 16 }, () => "d").join("/")))).toBe(
        "invalid_argument/path_too_deep",
      );
    }
    expect(paths(session)).toEqual(["a/x", "b", "d/e"]);
    expect(await callRecords(session)).toHaveLength(3);
  });

  test("[FILES-75] a directory that holds a hidden file is not moved, copied or deleted as a whole", async () => {
    const rules = [{ paths: ["**/*.key"], deny: "all" }] as const;
    const { session } = await bench({ rules, tools: [] });
    const call = calls(session.as(OTHER));
    await must(call("write_file", { path: "a/b", content: "1" }));
    const { memoryStore } = await import("../../src/store/memory.ts");
    const store = memoryStore();
    const { session: open } = await bench({ store, id: "s" });
    await must(calls(open.as(EDITOR))("write_file", { path: "a/s.key", content: "1" }));
    await must(calls(open.as(EDITOR))("write_file", { path: "a/b", content: "1" }));
    const { session: bound } = await bench({ store, id: "s", rules });
    const agent = calls(bound.as(EDITOR));
    for (const result of [
      await agent("delete_file", { path: "a" }),
      await agent("move_file", { source: "a", destination: "c" }),
      await agent("copy_file", { source: "a", destination: "c" }),
    ]) {
      expect(reasonOf(result)).toBe("forbidden/path_denied");
      expect(result.text).not.toContain("key");
    }
    expect(bound.files()).toHaveLength(2);
  });
});

describe("write_file", () => {
  test("[FILES-28] upsert creates or overwrites; with a version it is an overwrite", async () => {
    const { call } = await start();
    const upsert = (content: string, more = {}) =>
      call("write_file", { path: "a", content, mode: "upsert", ...more });
    const made = await must(upsert("1\n"));
    expect(made.text).toBe(`Created /workspace/a (2 bytes, version 1)\n[Token ${made.token ?? ""}]`);
    const over = await must(upsert("2\n", { expectedVersion: made.token }));
    expect(over.text).toBe(
      `Overwrote /workspace/a (2 bytes, version 2)\n[Token ${over.token ?? ""}]\n@@ -1 +1 @@\n-1\n+2`,
    );
    const gone = await must(call("delete_file", { path: "a" }));
    expect(reasonOf(await upsert("3", { expectedVersion: gone.token }))).toBe("not_found/no_such_file");
    expect((await must(upsert("3"))).value).toMatchObject({ created: true, version: 3 });
  });

  test("[FILES-29] an overwrite and an append show a small hunk, a creation none", async () => {
    const { call } = await start({ a: "1\n2\n3\n4\n5\n6\n7\n" });
    const over = await must(
      call("write_file", { path: "a", content: "1\n2\n3\n4\n5\n6\nseven\n", mode: "overwrite" }),
    );
    expect(over.text).toBe(
      `Overwrote /workspace/a (18 bytes, version 2)\n[Token ${over.token ?? ""}]\n@@ -5,3 +5,3 @@\n 5\n 6\n-7\n+seven`,
    );
    const more = await must(call("write_file", { path: "a", content: "8\n".repeat(2_000), mode: "append" }));
    expect(more.text.length).toBeLessThan(1_000);
    expect(more.text).toMatch(
      /^Appended to \/workspace\/a \(4018 bytes, version 3\)\n\[Token [^\]]+\]\n@@ -6,2 \+6,2002 @@\n/,
    );
    expect(more.text).toMatch(/\\ \d+ more lines of this hunk not shown$/);
  });
});
