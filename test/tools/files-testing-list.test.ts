// The testing checklist of the virtual filesystem's specification, item by item, through the tools: whole texts, tokens shown
// as T. docs/testing-lists.md says which other tests prove each item.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSession, type Agent, type Mount, type Session } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";
import { bench, EDITOR } from "./bench-session.ts";

type Calls = readonly (readonly [tool: string, input: object])[];

async function texts(agent: Agent, calls: Calls): Promise<string> {
  const shown: string[] = [];
  for (const [tool, input] of calls) {
    const { text } = await agent.call<unknown>(tool, input);
    shown.push(`> ${tool} ${JSON.stringify(input)}`, text.replaceAll(/\b\d+-[0-9a-f]{8}\b/g, "T"));
  }
  return shown.join("\n");
}

/** A folder of the host with these files. */
function folder(files: Readonly<Record<string, string>>): string {
  const root = scratch();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

async function contents(session: Session): Promise<Record<string, string>> {
  const held: Record<string, string> = {};
  for (const { path } of session.files())
    held[path] = Buffer.from(await session.workspace.read(path)).toString();
  return held;
}

describe("the specification's testing checklist", () => {
  test("[PATH-1] [PATH-2] [PATH-8] [PATH-10] [PATH-13] item 1: paths are made canonical, or refused with the reason", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    for (const path of ["a//b///c.txt", "/workspace/a/b/d.txt"])
      expect((await agent.call("write_file", { path, content: "" })).ok, path).toBe(true);
    expect(session.files().map(({ path }) => path)).toEqual(["/workspace/a/b/c.txt", "/workspace/a/b/d.txt"]);
    const refused = [
      "/etc/passwd",
      "/a.txt",
      "../a.txt",
      "a/../../b",
      "a/./b",
      "caf\u00e9.txt",
      "",
      `${"d/".repeat(16)}f`,
      "x".repeat(81),
      "a\\b",
    ];
    const said: string[] = [];
    for (const path of refused) {
      const all = new Set<string>();
      for (const [tool, more] of [
        ["read_file", {}],
        ["write_file", { content: "x" }],
        ["delete_file", {}],
      ] as const) {
        const { error, text } = await agent.call<unknown>(tool, { path, ...more });
        expect(error?.code, `${tool} ${path}`).toBe("invalid_argument");
        all.add(text);
      }
      said.push(...all);
    }
    expect(said.join("\n")).toMatchInlineSnapshot(`
      "[Error] "/etc/passwd" lies outside the workspace. Write a path that begins with /workspace/, or one without a leading slash.
      [Error] "/a.txt" lies outside the workspace. Write a path that begins with /workspace/, or one without a leading slash.
      [Error] Path segment 1, "..", is not a name. Dots are not resolved: write the path from /workspace without it; the workspace itself is /workspace.
      [Error] Path segment 2, "..", is not a name. Dots are not resolved: write the path from /workspace without it; the workspace itself is /workspace.
      [Error] Path segment 2, ".", is not a name. Dots are not resolved: write the path from /workspace without it; the workspace itself is /workspace.
      [Error] Path segment 1, "café.txt", holds a character outside printable ASCII, which this workspace does not allow. Use plain letters.
      [Error] The path is empty. Name a file, such as "/workspace/a/b.json".
      [Error] The path names the workspace itself. Name a file or directory in it.
      [Error] The path has more than 16 segments; the first one too many is "f". Use fewer directories.
      [Error] Path segment 1, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...", has 81 characters; at most 80 are allowed. Shorten it.
      [Error] Path segment 1, "a\\\\b", holds a backslash. Separate segments with / and escape nothing."
    `);
    expect(session.files()).toHaveLength(2);
  });

  test("[FILES-20] [FILES-2] [FILES-3] [FILES-24] item 2: create, overwrite and append count versions and set times", async () => {
    const { session, clock } = await bench();
    const agent = session.as(EDITOR);
    const seen: unknown[] = [];
    for (const [mode, content] of [
      ["create", "one\n"],
      ["append", "two\n"],
      ["overwrite", "three\n"],
      ["create", "no\n"],
    ] as const) {
      clock.ms += 1_000;
      await agent.call("write_file", { path: "log.txt", content, mode });
      const [file] = session.files();
      seen.push([
        mode,
        file?.version,
        file?.size_bytes,
        file?.created_at.toISOString(),
        file?.updated_at.toISOString(),
      ]);
    }
    const at = (seconds: number): string => new Date(1_700_000_000_000 + seconds * 1_000).toISOString();
    expect(seen).toEqual([
      ["create", 1, 4, at(1), at(1)],
      ["append", 2, 8, at(1), at(2)],
      ["overwrite", 3, 6, at(1), at(3)],
      ["create", 3, 6, at(1), at(3)],
    ]);
    expect(
      await texts(agent, [
        ["write_file", { path: "log.txt", content: "x" }],
        ["write_file", { path: "gone.txt", content: "x", mode: "overwrite" }],
        ["write_file", { path: "gone.txt", content: "x", mode: "append" }],
        ["write_file", { path: "log.txt", content: "four\n", mode: "append" }],
        ["read_file", { path: "log.txt" }],
      ]),
    ).toMatchInlineSnapshot(`
      "> write_file {"path":"log.txt","content":"x"}
      [Error] /workspace/log.txt exists already: use mode "overwrite" or "append" to change it.
      > write_file {"path":"gone.txt","content":"x","mode":"overwrite"}
      [Error] /workspace/gone.txt does not exist. Did you mean /workspace/log.txt? To make it, use mode "create".
      > write_file {"path":"gone.txt","content":"x","mode":"append"}
      [Error] /workspace/gone.txt does not exist. Did you mean /workspace/log.txt? To make it, use mode "create".
      > write_file {"path":"log.txt","content":"four\\n","mode":"append"}
      Appended to /workspace/log.txt (11 bytes, version 4)
      [Token T]
      @@ -1 +1,2 @@
       three
      +four
      > read_file {"path":"log.txt"}
      [Token T] /workspace/log.txt: lines 1-2 of 2, 11 bytes, version 4
      three
      four
      "
    `);
  });

  test("[HOST-20] [HOST-22] [HOST-23] [HOST-27] [HOST-30] item 3: mounts keep to the allow list, globs and sizes, and lie over one another in order", async () => {
    const docs = folder({
      "a.md": "docs a",
      "b.txt": "docs b",
      "deep/c.md": "docs c",
      "drafts/d.md": "docs d",
    });
    const over = folder({ "a.md": "over a", "e.md": "over e" });
    const open = (mounts: readonly Mount[], mountRoots?: readonly string[]): Promise<Session> =>
      openSession({ mounts, ...(mountRoots === undefined ? {} : { mountRoots }) });
    await expect(open([{ from: docs }], [over])).rejects.toMatchObject({ code: "forbidden" });
    await expect(open([{ from: docs }], [])).rejects.toMatchObject({ code: "forbidden" });
    await expect(open([{ from: join(over, "..", "..") }], [over])).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(open([{ from: docs, maxBytes: 12 }])).rejects.toMatchObject({ code: "invalid_argument" });

    const filtered = await open([{ from: docs, to: "docs", include: ["**/*.md"], exclude: ["drafts/**"] }]);
    expect(await contents(filtered)).toEqual({
      "/workspace/docs/a.md": "docs a",
      "/workspace/docs/deep/c.md": "docs c",
    });
    const mounts = [
      { from: docs, to: "docs", include: ["*.md"] },
      { from: over, to: "docs" },
    ];
    const both = { "/workspace/docs/a.md": "over a", "/workspace/docs/e.md": "over e" };
    for (let again = 0; again < 2; again++) expect(await contents(await open(mounts))).toEqual(both);
    expect(await contents(await open(mounts.toReversed()))).toEqual({
      ...both,
      "/workspace/docs/a.md": "docs a",
    });
  });

  test("[FILES-90] [FILES-91] item 4: deleting a directory takes what is in it and nothing else", async () => {
    const files = { "a/x": "1", "a/b/y": "2", "a/b/c/z": "3", ab: "4", "a.txt": "5", "b/a/x": "6" };
    const session = await openSession({ files });
    const agent = session.as({ id: "editor", role: "editor" });
    expect(
      await texts(agent, [
        ["delete_file", { path: "a/b" }],
        ["list_directory", { depth: 3 }],
        ["delete_file", { path: "a" }],
        ["list_directory", { depth: 3 }],
        ["delete_file", { path: "a" }],
        ["delete_file", { path: "a", allow_missing: true }],
        ["delete_file", { path: "/workspace" }],
      ]),
    ).toMatchInlineSnapshot(`
      "> delete_file {"path":"a/b"}
      Deleted /workspace/a/b (all 2 files in it)
      [Token T]
      > list_directory {"depth":3}
      /workspace: 3 directories, 4 files
      a/
      a/x  1 byte  version 1
      a.txt  1 byte  version 1
      ab  1 byte  version 1
      b/
      b/a/
      b/a/x  1 byte  version 1
      > delete_file {"path":"a"}
      Deleted /workspace/a (all 1 file in it)
      [Token T]
      > list_directory {"depth":3}
      /workspace: 2 directories, 3 files
      a.txt  1 byte  version 1
      ab  1 byte  version 1
      b/
      b/a/
      b/a/x  1 byte  version 1
      > delete_file {"path":"a"}
      [Error] /workspace/a does not exist. Did you mean /workspace/ab?
      > delete_file {"path":"a","allow_missing":true}
      Nothing to delete: /workspace/a does not exist
      > delete_file {"path":"/workspace"}
      [Error] The path names the workspace itself. Name a file or directory in it."
    `);
    expect(await contents(session)).toEqual({
      "/workspace/a.txt": "5",
      "/workspace/ab": "4",
      "/workspace/b/a/x": "6",
    });
  });

  test("[HIST-133] [CALL-90] item 5: the prompt tells how to work, and the tools it speaks of are advertised", async () => {
    const { session } = await bench({ toolsets: ["files"] });
    const prompt = session.prompt();
    const advertised = session
      .as(EDITOR)
      .tools()
      .map(({ name }) => name);
    for (const tool of ["list_directory", "read_file", "write_file", "delete_file"]) {
      expect(advertised).toContain(tool);
      expect(prompt).toContain(`\`${tool}\``);
    }
    expect(prompt).toMatchInlineSnapshot(`
      "# Workspace

      You work in an isolated workspace, \`/workspace\`. Nothing you do there reaches the real folders before the host lands it.
      It lives in memory only and is lost when the session ends: hand over what matters before that.

      It holds no files yet.

      ## Files

      - Besides what is listed above the workspace starts empty: make files with \`write_file\`; directories come with them.
      - Folders of the host are brought in when the session is set up. You cannot add others: ask the host.
      - Look around with \`list_directory\` before you name files, one directory at a time rather than everything at once.
      - Find files by name with \`find_files\`.
      - Find text with \`search_files\` instead of reading many files.
      - Read with \`read_file\` what you need to know. What does not fit one result comes with the cursor it names.
      - Send the token of what you read as \`expectedVersion\` when you change it. If others changed it meanwhile you get a conflict that shows their change, and nothing is overwritten.
      - Change a part of a file with \`edit_file\`: small edits are easier to review than whole files.
      - Keep writes short: one call sends at most 48000 characters. Replace a whole file with mode overwrite rather than with many appends, which are for logs. Bytes that are not text go in as base64; keep them small and few.
      - When you are done, remove with \`delete_file\` what is no longer needed.
      - Do not copy whole repositories or large binary files into the workspace.
      "
    `);
  });

  test("[HT-40] [HIST-134] item 6: from an empty workspace and from a mount, every call shows in the session's files", async () => {
    const from = folder({ "readme.md": "# Read me\n" });
    for (const mounts of [[], [{ from, to: "docs" }]]) {
      const session = await openSession({ mounts });
      const agent = session.as({ id: "editor", role: "editor" });
      const model = new Map<string, string>(
        mounts.length === 0 ? [] : [["/workspace/docs/readme.md", "# Read me\n"]],
      );
      const agrees = async (): Promise<void> =>
        expect(await contents(session)).toEqual(Object.fromEntries(model));
      await agrees();
      expect((await agent.call("list_directory")).ok).toBe(true);
      for (const [mode, content] of [
        ["create", "one\n"],
        ["append", "two\n"],
        ["overwrite", "three\n"],
      ] as const) {
        const path = "/workspace/notes/a.txt";
        expect((await agent.call("write_file", { path, content, mode })).ok).toBe(true);
        model.set(path, mode === "append" ? `${model.get(path) ?? ""}${content}` : content);
        await agrees();
        const read = await agent.call("read_file", { path });
        expect(read.value?.content).toBe(model.get(path));
      }
      expect(await texts(agent, [["list_directory", { path: "notes" }]])).toBe(
        '> list_directory {"path":"notes"}\n/workspace/notes: 0 directories, 1 file\na.txt  6 bytes  version 3',
      );
      expect((await agent.call("delete_file", { path: "notes" })).ok).toBe(true);
      model.delete("/workspace/notes/a.txt");
      await agrees();
      await session.close();
    }
  });
});
