import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/tools/index.ts";
import type { Agent, CallResult } from "../../src/tools/index.ts";
import { HoldfastError, say } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/index.ts";
import { openSession } from "../../src/tools/index.ts";
import { bench, EDITOR } from "./bench-session.ts";

interface Page {
  readonly content?: string;
  readonly content_base64?: string;
  readonly cursor?: string;
  readonly bytes_left: number;
  readonly lines_left?: number;
  readonly first_line?: number;
  readonly last_line?: number;
  readonly version: number;
  readonly encoding: string | null;
}

interface Listing {
  readonly directories: readonly string[];
  readonly files: readonly { readonly name: string }[];
  readonly more?: number;
  readonly cursor?: string;
}

/** An object with the same methods, some of which can be replaced. */
function methodsOf<T extends object>(of: T): T {
  const copy: Record<string, unknown> = {};
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(of)))
    if (name !== "constructor") {
      const member = of[name as keyof T];
      copy[name] = typeof member === "function" ? (member.bind(of) as unknown) : member;
    }
  return { ...of, ...copy } as T;
}

async function editor(limits: object = {}): Promise<Agent> {
  const { session } = await bench({ limits });
  return session.as(EDITOR);
}

function reasonOf(result: CallResult): string {
  return result.ok ? "ok" : `${result.error.code}/${result.error.reason}`;
}

describe("write_file", () => {
  test("[FILES-20] [FILES-2] [FILES-3] create, overwrite and append each want the right thing to be there", async () => {
    const { session, clock } = await bench();
    const agent = session.as(EDITOR);
    const write = (mode: "create" | "overwrite" | "append", content = "x") =>
      agent.call("write_file", { path: "a.txt", content, mode });
    expect(reasonOf(await write("overwrite"))).toBe("not_found/no_such_file");
    expect(reasonOf(await write("append"))).toBe("not_found/no_such_file");
    clock.ms = 1;
    expect(reasonOf(await write("create", "one"))).toBe("ok");
    expect(reasonOf(await write("create"))).toBe("conflict/file_exists");
    clock.ms = 2;
    expect((await write("append", " two")).value).toMatchObject({ version: 2, size_bytes: 7 });
    expect((await write("overwrite", "3")).value).toMatchObject({ version: 3, size_bytes: 1 });
    const [file] = session.files();
    expect(file).toMatchObject({
      version: 3,
      created_at: new Date(1_700_000_000_001),
      updated_at: new Date(1_700_000_000_002),
    });
  });

  test("[FILES-10] a name that is taken, also in another case or as a directory, is a conflict", async () => {
    const agent = await editor();
    await agent.call("write_file", { path: "docs/Guide.md", content: "x" });
    const create = async (path: string) => reasonOf(await agent.call("write_file", { path, content: "" }));
    expect(await create("docs/guide.md")).toBe("conflict/case_clash");
    expect(await create("DOCS/other.md")).toBe("conflict/case_clash");
    expect(await create("docs")).toBe("conflict/is_directory");
    expect(await create("docs/Guide.md/x")).toBe("conflict/file_above");
    expect(await create("docs/Guide.md.bak")).toBe("ok");
    const over = await agent.call("write_file", { path: "docs", content: "", mode: "overwrite" });
    expect(reasonOf(over)).toBe("conflict/is_directory");
  });

  test("[FILES-11] directories are touched when they come into being, and only then", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a/b/one", content: "" });
    await agent.call("write_file", { path: "a/b/two", content: "" });
    await agent.call("undo_changes");
    const keys = (await session.log({ limit: 9 })).map((record) =>
      record.keys.filter((key) => !key.startsWith("file:")).toSorted(),
    );
    expect(keys).toEqual([
      ["dir:/", "dir:/a", "dir:/a/b", "fold:/a", "fold:/a/b", "fold:/a/b/one"],
      ["dir:/a/b", "fold:/a/b/two"],
      ["dir:/a/b", "fold:/a/b/two"],
    ]);
    await agent.call("undo_changes");
    const [last] = await session.log({ newestFirst: true, limit: 1 });
    expect(last?.keys.filter((key) => key.startsWith("dir:")).toSorted()).toEqual([
      "dir:/",
      "dir:/a",
      "dir:/a/b",
    ]);
  });

  test("[FILES-12] clashing creations at one time: one lands", async () => {
    const agent = await editor();
    const results = await Promise.all(
      ["x/file", "X/file", "x", "x/File"].map((path) => agent.call("write_file", { path, content: "1" })),
    );
    expect(results.filter((result) => result.ok)).toHaveLength(1);
  });

  test("[FILES-21] content is text or base64, exactly one", async () => {
    const agent = await editor();
    expect(reasonOf(await agent.call("write_file", { path: "a" }))).toBe("invalid_argument/content_choice");
    const both = { path: "a", content: "x", content_base64: "eA==" };
    expect(reasonOf(await agent.call("write_file", both))).toBe("invalid_argument/content_choice");
    expect((await agent.call("write_file", { path: "a", content_base64: "AAH/" })).value).toMatchObject({
      size_bytes: 3,
      encoding: "binary",
    });
    const bad = await agent.call("write_file", { path: "b", content_base64: "a*b" });
    expect(bad.error?.code).toBe("invalid_argument");
  });

  test("[FILES-22] one call may send 48,000 characters or bytes", async () => {
    const agent = await editor();
    const rocket = "🚀";
    expect(reasonOf(await agent.call("write_file", { path: "a", content: rocket.repeat(48_000) }))).toBe(
      "ok",
    );
    const over = await agent.call("write_file", { path: "b", content: rocket.repeat(48_001) });
    expect(over.error).toMatchObject({ reason: "content_too_large", data: { size: 48_001, limit: 48_000 } });
    const bytes = (n: number) => Buffer.alloc(n, 7).toString("base64");
    expect(reasonOf(await agent.call("write_file", { path: "c", content_base64: bytes(48_000) }))).toBe("ok");
    expect(reasonOf(await agent.call("write_file", { path: "d", content_base64: bytes(48_001) }))).toBe(
      "invalid_argument/content_too_large",
    );
  });

  test("[FILES-23] [FILES-24] encodings are names, and utf-8 is a promise", async () => {
    const agent = await editor();
    const write = async (input: object) => {
      const result = await agent.call<{ encoding: string }>("write_file", input);
      return result.ok ? result.value.encoding : result.error.reason;
    };
    expect(await write({ path: "a", content: "x", encoding: "  UTF-8 " })).toBe("utf-8");
    expect(await write({ path: "b", content: "x", encoding: "Latin-9" })).toBe("latin-9");
    expect(await write({ path: "b", content: "y", mode: "overwrite", encoding: "" })).toBe("utf-8");
    expect(await write({ path: "c", content_base64: "/w==", encoding: "utf-8" })).toBe("not_utf8");
    expect(await write({ path: "c", content_base64: "/w==" })).toBe("binary");
    expect(await write({ path: "c", content: "text", mode: "append" })).toBe("binary");
    expect(await write({ path: "c", content_base64: "eA==", mode: "overwrite" })).toBe("binary");
  });

  test("[FILES-25] [FILES-26] half a character and a file too large are refused", async () => {
    const agent = await editor({ fileBytes: 10 });
    expect(reasonOf(await agent.call("write_file", { path: "a", content: "\ud83d" }))).toBe(
      "invalid_argument/not_unicode",
    );
    await agent.call("write_file", { path: "a", content: "1234567" });
    const grown = await agent.call("write_file", { path: "a", content: "8901", mode: "append" });
    expect(grown.error).toMatchObject({ reason: "file_too_large", data: { size: 11, limit: 10 } });
  });
});

describe("read_file", () => {
  test("[FILES-30] text comes as text, anything else as base64", async () => {
    const agent = await editor();
    await agent.call("write_file", { path: "a", content: "\ufeffh\u00e9llo\r\nyou" });
    await agent.call("write_file", { path: "b", content_base64: "AP8B" });
    const text = await agent.call<Page>("read_file", { path: "a" });
    expect(text.value).toMatchObject({
      content: "\ufeffh\u00e9llo\r\nyou",
      first_line: 1,
      last_line: 2,
      bytes_left: 0,
      encoding: "utf-8",
    });
    expect(text).toMatchObject({ token: (text.value as unknown as { token: string }).token });
    expect((await agent.call<Page>("read_file", { path: "b" })).value).toMatchObject({
      content_base64: "AP8B",
      encoding: "binary",
    });
  });

  test("[FILES-31] offset and limit are lines; past the end names the last", async () => {
    const agent = await editor();
    await agent.call("write_file", { path: "a", content: "1\n2\n3\n4\n" });
    expect((await agent.call<Page>("read_file", { path: "a", offset: 2, limit: 2 })).value).toMatchObject({
      content: "2\n3\n",
      first_line: 2,
      last_line: 3,
      bytes_left: 2,
    });
    const past = await agent.call("read_file", { path: "a", offset: 5 });
    expect(past.error).toMatchObject({ reason: "offset_past_end", data: { lines: 4 } });
    await agent.call("write_file", { path: "empty", content: "" });
    expect((await agent.call<Page>("read_file", { path: "empty" })).value?.content).toBe("");
    expect(reasonOf(await agent.call("read_file", { path: "empty", offset: 2 }))).toBe(
      "invalid_argument/offset_past_end",
    );
  });

  test("[FILES-32] [CALL-85] all pages together are the file, whatever was written meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(fc.string({ unit: "grapheme", maxLength: 900 }), fc.constant(""), fc.constant("\r")),
          { maxLength: 30 },
        ),
        fc.boolean(),
        fc.integer({ min: 1_000, max: 2_000 }),
        async (lines, final, budget) => {
          const agent = await editor();
          const content = lines.join("\n") + (final ? "\n" : "");
          await agent.call("write_file", { path: "a", content });
          let all = "";
          let cursor: string | undefined;
          for (let pages = 0; pages < 500; pages++) {
            const page = await agent.call<Page>("read_file", {
              path: "a",
              budget,
              ...(cursor === undefined ? {} : { cursor }),
            });
            if (!page.ok) throw new Error(page.text);
            expect(page.text.length).toBeLessThanOrEqual(2 * budget);
            all += page.value.content ?? "";
            expect(page.value.bytes_left).toBe(Buffer.byteLength(content) - Buffer.byteLength(all));
            if (page.value.cursor === undefined) break;
            expect(page.value.lines_left).toBe(countLines(content.slice(all.length)));
            cursor = page.value.cursor;
            await agent.call("write_file", { path: "a", content: String(pages), mode: "overwrite" });
          }
          expect(all).toBe(content);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("[FILES-32] bytes come in pages too", async () => {
    const agent = await editor();
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 256));
    await agent.call("write_file", { path: "b", content_base64: bytes.toString("base64") });
    let all = "";
    let cursor: string | undefined;
    do {
      const page = await agent.call<Page>("read_file", {
        path: "b",
        budget: 1_700,
        ...(cursor === undefined ? {} : { cursor }),
      });
      all += page.value?.content_base64 ?? "";
      cursor = page.value?.cursor;
    } while (cursor !== undefined);
    expect(all).toBe(bytes.toString("base64"));
  });

  test("[FILES-33] what is missing is not found, and a directory is no file", async () => {
    const agent = await editor();
    await agent.call("write_file", { path: "d/a", content: "" });
    expect(reasonOf(await agent.call("read_file", { path: "b" }))).toBe("not_found/no_such_file");
    expect(reasonOf(await agent.call("read_file", { path: "d" }))).toBe("invalid_argument/is_directory");
    expect(reasonOf(await agent.call("read_file", { path: "d/" }))).toBe(
      "invalid_argument/path_trailing_slash",
    );
  });
});

describe("list_directory", () => {
  test("[FILES-40] [FILES-1] a listing is shallow and in order", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    for (const path of ["b/x", "a-b", "a/z", "a/y/deep", "c.txt", "b2"])
      await agent.call("write_file", { path, content: "12" });
    const root = await agent.call<Listing>("list_directory");
    expect(root.value).toMatchObject({
      directories: ["a", "b"],
      files: [{ name: "a-b" }, { name: "b2" }, { name: "c.txt" }],
    });
    expect(root.text).toBe(
      "/workspace: 2 directories, 3 files\na/\nb/\na-b  2 bytes  version 1\nb2  2 bytes  version 1\nc.txt  2 bytes  version 1",
    );
    expect((await agent.call<Listing>("list_directory", { path: "/workspace/a/" })).value).toMatchObject({
      directories: ["y"],
      files: [{ name: "z" }],
    });
    expect(session.files().map((file) => file.path)).toEqual(
      ["a/y/deep", "a/z", "a-b", "b/x", "b2", "c.txt"].map((path) => `/workspace/${path}`),
    );
  });

  test("[FILES-41] the root always exists; nothing else does by itself", async () => {
    const agent = await editor();
    expect((await agent.call<Listing>("list_directory", { path: "/workspace" })).value?.files).toEqual([]);
    expect(reasonOf(await agent.call("list_directory", { path: "a" }))).toBe("not_found/no_such_directory");
    await agent.call("write_file", { path: "a", content: "" });
    expect(reasonOf(await agent.call("list_directory", { path: "a" }))).toBe(
      "invalid_argument/not_a_directory",
    );
  });

  test("[FILES-42] [CALL-85] a long listing comes in pages of one state", async () => {
    const agent = await editor();
    const names = Array.from(
      { length: 60 },
      (_, i) => `file-${String(i).padStart(3, "0")}${"x".repeat(i % 7)}`,
    );
    for (const name of names) await agent.call("write_file", { path: name, content: "" });
    const seen: string[] = [];
    let left = names.length;
    let cursor: string | undefined;
    do {
      const page = await agent.call<Listing>("list_directory", {
        budget: 1_000,
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (!page.ok) throw new Error(page.text);
      expect(page.text.length).toBeLessThanOrEqual(1_000);
      seen.push(...page.value.files.map((file) => file.name));
      left -= page.value.files.length;
      expect(page.value.more ?? 0).toBe(left);
      cursor = page.value.cursor;
      await agent.call("write_file", { path: `aaa-${left}`, content: "" });
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
  });

  test("[CALL-85] a cursor of another call, another session or spoilt is refused", async () => {
    const agent = await editor();
    for (let i = 0; i < 60; i++)
      await agent.call("write_file", { path: `d/file-${i}`, content: "x".repeat(2_000) });
    const listing = await agent.call<Listing>("list_directory", { path: "d", budget: 1_000 });
    const cursor = listing.value?.cursor ?? "";
    expect(cursor).not.toBe("");
    const wrong = [
      agent.call("list_directory", { path: "/workspace", cursor }),
      agent.call("read_file", { path: "d/file-1", cursor }),
      agent.call("list_directory", { path: "d", cursor: `${cursor}x` }),
      agent.call("list_directory", { path: "d", cursor: cursor.slice(2) }),
      agent.call("list_directory", { path: "d", cursor: "" }),
      (await editor()).call("list_directory", { path: "d", cursor }),
    ];
    for (const result of await Promise.all(wrong))
      expect(reasonOf(result)).toBe("invalid_argument/bad_cursor");
    expect((await agent.call("list_directory", { path: "d", budget: 5_000, cursor })).ok).toBe(true);
  });

  test("[CALL-85] pages are read where nothing can be written, and in another process", async () => {
    const store = memoryStore();
    const writer = await openSession({ store, id: "s", files: { "long.txt": "a line\n".repeat(9_000) } });
    const full = (): never => {
      throw new HoldfastError("internal", "store_full", say`There is no space left.`);
    };
    const journal = await store.open("s");
    const rows = { ...journal.rows, set: full };
    const reader = await openSession({
      id: "s",
      store: { ...methodsOf(store), open: async () => ({ ...methodsOf(journal), rows, append: full }) },
    });
    const first = await reader.as(EDITOR).call<Page>("read_file", { path: "long.txt", budget: 2_000 });
    const cursor = first.value?.cursor ?? "";
    expect(cursor).not.toBe("");
    const second = await writer
      .as(EDITOR)
      .call<Page>("read_file", { path: "long.txt", budget: 2_000, cursor });
    expect(second.value?.first_line).toBe((first.value?.last_line ?? 0) + 1);
  });
});

test("[CALL-84] a text that a tool could not keep in its budget is cut and says so", async () => {
  const agent = await editor();
  const result = await agent.call("echo", { text: "x".repeat(500), budget: 300 });
  expect(result.text).toMatch(
    /^\{"text":"x+\n\[Cut: \d+ more characters\. Ask for less, or with a larger budget\.\]$/,
  );
});

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

test("[CALL-84] what is needed to go on is never what is cut", async () => {
  const long = defineTool({
    name: "long",
    toolset: "test",
    access: "read",
    title: "Long",
    description: "Says too much.",
    input: z.object({ budget: z.int().optional() }),
    output: z.unknown(),
    targets: () => [],
    run: async () => ({ token: "7-00c0ffee", cursor: "abc.def", rest: "x" }),
    text: () => "line\n".repeat(2_000),
  });
  const { session } = await bench({ tools: [long] });
  const cut = await session.as(EDITOR).call("long", { budget: 400 });
  expect(cut.text).toMatch(
    /\[Cut: \d+ more characters\. Ask for less, or with a larger budget\.\]\n\[token 7-00c0ffee\]\n\[cursor abc\.def\]$/,
  );
  const { session: small } = await bench({ tools: [long], limits: { budgetChars: 1_000 } });
  expect((await small.as(EDITOR).call("long")).text).not.toContain("larger budget");
});
