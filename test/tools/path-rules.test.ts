import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineTool,
  fileTarget,
  openSession,
  type CallResult,
  type PathRule,
  type WriteCtx,
} from "../../src/tools/index.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Agent, Session } from "../../src/tools/index.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { notesSlice } from "../session/notes-slice.ts";
import { bench, EDITOR } from "./bench-session.ts";

const RULES: readonly PathRule[] = [
  { paths: ["**/.env.example"], allow: "all" },
  { paths: ["**/.env*", "secret/**"], deny: "all" },
  { paths: ["dist/**"], deny: "write" },
  { paths: ["locked/**"], require: "version" },
];

/** A tool of the host that writes where agents may not: rules bind it like any tool, so it is given a session without them. */
async function planted(paths: readonly string[], rules: readonly PathRule[] = RULES): Promise<Session> {
  const { session: open } = await bench({ id: "s", store: sharedStore, rules: [OPEN_PRIVATE] });
  for (const path of paths) must(await open.as(EDITOR).call("write_file", { path, content: "x\n" }));
  const { session } = await bench({ id: "s", store: sharedStore, rules, tools: [subtree] });
  return session;
}

/** Its input is not checked by types. */
const WRITE: string = "write_file";
const OPEN_PRIVATE: PathRule = { paths: ["**"], allow: "all" };
let sharedStore: NonNullable<Parameters<typeof openSession>[0]>["store"] & object;

beforeEach(() => {
  sharedStore = memoryStore();
});

/** Removes all files of a directory. */
const subtree = defineTool({
  name: "remove_all",
  toolset: "own",
  access: "write",
  title: "Remove all",
  description: "Removes all files of a directory.",
  input: z.object({ path: z.string() }),
  output: z.unknown(),
  resolve: ({ path }, ctx) => ctx.path(path, "directory"),
  targets: () => [],
  async run({ files }, path) {
    const all = await files.subtree(path, "write");
    for (const file of all) await files.remove(file.path);
    return { removed: all.length };
  },
  text: () => "removed",
});

function must(result: CallResult): CallResult {
  if (!result.ok) throw new Error(result.text);
  return result;
}

function reasonOf(result: CallResult): string {
  return result.ok ? "ok" : `${result.error.code}/${result.error.reason}`;
}

async function listed(agent: Agent, path = "/workspace"): Promise<readonly string[]> {
  const { value } = must(await agent.call("list_directory", { path })) as {
    value: { directories: string[]; files: { name: string }[] };
  };
  return [...value.directories.map((name) => `${name}/`), ...value.files.map(({ name }) => name)];
}

describe("rules for paths", () => {
  test("[FILES-70] the first rule that holds decides, for what its globs match and everything below", async () => {
    const session = await planted([".env.example/a", "a/.env/b", "dist/x", "open/x"]);
    const agent = session.as(EDITOR);
    const over = async (path: string) =>
      reasonOf(await agent.call("write_file", { path, content: "y", mode: "overwrite" }));
    expect(await over(".env.example/a")).toBe("ok");
    expect(await over("a/.env/b")).toBe("forbidden/path_denied");
    expect(await over("dist/x")).toBe("forbidden/path_denied");
    expect(await over("open/x")).toBe("ok");
    const { session: first } = await bench({
      rules: [
        { paths: ["a/keep"], allow: "all" },
        { paths: ["a"], deny: "write" },
        { paths: ["a/b"], allow: "all" },
      ],
    });
    const create = async (path: string) =>
      reasonOf(await first.as(EDITOR).call("write_file", { path, content: "" }));
    expect(await create("a/keep")).toBe("ok");
    expect(await create("a/b")).toBe("forbidden/path_denied");
    expect(await create("ab")).toBe("ok");
  });

  test("[FILES-71] what is hidden is not there for an agent, and naming it says the same either way", async () => {
    const session = await planted([".env", "a/.env.local", "a/b", "secret/key", "secret/deep/key"]);
    const agent = session.as(EDITOR);
    expect(await listed(agent)).toEqual(["a/"]);
    expect(await listed(agent, "a")).toEqual(["b"]);
    const [there] = session.files();
    for (const [tool, input] of [
      ["read_file", {}],
      ["write_file", { content: "x" }],
      ["write_file", { content: "x", mode: "overwrite" }],
      ["write_file", { content: "x", mode: "overwrite", expectedVersion: "1-00000000" }],
      ["write_file", { content: "x", mode: "overwrite", expectedVersion: there?.token }],
      ["list_directory", {}],
    ] as const) {
      const seen = await agent.call(tool, { path: ".env", ...input });
      const unseen = await agent.call(tool, { path: "b/.env", ...input });
      expect(reasonOf(seen), tool).toBe("forbidden/path_denied");
      expect(seen.text.replace("/.env", "/b/.env")).toBe(unseen.text);
    }
    const patch = [{ file: "secret/key", line: 1, op: "insert", new: "x" }];
    expect(reasonOf(await agent.call("apply_patch", { patch }))).toBe("forbidden/path_denied");
    // What is in the way is not named.
    for (const path of [".ENV", "SECRET/x", "a/.ENV.LOCAL"]) {
      const refused = await agent.call("write_file", { path, content: "x" });
      expect(reasonOf(refused), path).toBe("forbidden/path_denied");
      expect(refused.text).not.toMatch(/\.env|key/);
    }
    const missing = await agent.call("read_file", { path: "a/.envx.local" });
    expect(missing.text).not.toContain(".env.local");
    expect(JSON.stringify(missing)).not.toContain("secret");
    const hidden = await agent.call("list_directory", { path: "secret/deep" });
    expect(reasonOf(hidden)).toBe("forbidden/path_denied");
  });

  test("[FILES-71] a version map that names what is hidden is refused before its versions are looked at", async () => {
    const session = await planted(["a.txt", "e/y.txt", "secret/key.txt"]);
    const agent = session.as(EDITOR);
    await session.workspace.write("secret/key.txt", "PASSWORD one\n");
    const { token } = must(await agent.call("write_file", { path: "b.txt", content: "b\n" }));
    await session.workspace.write("secret/key.txt", "PASSWORD two\n");
    const calls: readonly (readonly [tool: string, input: object])[] = [
      ["replace_in_files", { pattern: "x", replacement: "z" }],
      ["undo_changes", {}],
      ["undo_changes", { path: "b.txt" }],
      ["snapshot_restore", { id: token, path: "a.txt" }],
      ["delete_file", { path: "e" }],
      ["move_file", { source: "e", destination: "f" }],
      ["write_file", { path: "b.txt", content: "c\n", mode: "overwrite" }],
    ];
    for (const [tool, input] of calls)
      for (const version of [token, "1-00000000", "2"]) {
        const told = async (path: string): Promise<string> => {
          const { error } = await agent.call<unknown>(tool, {
            ...input,
            expectedVersion: { [path]: version },
          });
          expect(error, tool).toMatchObject({ code: "forbidden", reason: "path_denied" });
          return JSON.stringify(error).replaceAll(path, "PATH");
        };
        expect(await told("secret/key.txt"), tool).toBe(await told("secret/none.txt"));
      }
  });

  test("[FILES-71] a directory whose files are all hidden is not listed and is no directory", async () => {
    const session = await planted(
      ["only/a.key", "both/a.key", "both/b"],
      [{ paths: ["**/*.key"], deny: "all" }],
    );
    const agent = session.as(EDITOR);
    expect(await listed(agent)).toEqual(["both/"]);
    expect(reasonOf(await agent.call("list_directory", { path: "only" }))).toBe(
      "not_found/no_such_directory",
    );
    expect(reasonOf(await agent.call("read_file", { path: "only" }))).toBe("not_found/no_such_file");
  });

  test("[FILES-72] what is read-only can be read and not changed", async () => {
    const session = await planted(["dist/a.js", "b"]);
    const agent = session.as(EDITOR);
    expect((await agent.call("read_file", { path: "dist/a.js" })).ok).toBe(true);
    expect(await listed(agent, "dist")).toEqual(["a.js"]);
    for (const [tool, input] of [
      ["write_file", { path: "dist/a.js", content: "x", mode: "overwrite" }],
      ["write_file", { path: "dist/a.js", content: "x", mode: "append" }],
      ["write_file", { path: "dist/new", content: "x" }],
      ["remove_all", { path: "dist" }],
      ["remove_all", { path: "" }],
    ] as const) {
      const refused = await agent.call(tool, input);
      expect(reasonOf(refused), tool).toBe("forbidden/path_denied");
    }
    const refused = await agent.call("write_file", { path: "dist/new", content: "x" });
    expect(refused.text).toBe(
      "[Error] /workspace/dist/new is read-only for agents: a rule of the host says so. Write elsewhere, or ask the host.",
    );
    expect(session.files()).toHaveLength(2);
  });

  test("[FILES-72] that a file is read-only is said before what else is wrong with a change of it", async () => {
    const session = await planted(["dist/a.json"]);
    const agent = session.as(EDITOR);
    for (const [tool, input] of [
      ["edit_file", { path: "dist/a.json", edits: [{ old_text: "not there", new_text: "y" }] }],
      ["set_json_value", { path: "dist/a.json", json_path: "$.a", value: "1" }],
      ["edit_json", { edits: [{ path: "dist/a.json", op: "insert", json_path: "$.a", value: "1" }] }],
    ] as const)
      expect(reasonOf(await agent.call(tool, input)), tool).toBe("forbidden/path_denied");
  });

  test("[FILES-73] where a version is required, a change of an existing file names it", async () => {
    const session = await planted(["locked/a", "locked/b"]);
    const agent = session.as(EDITOR);
    expect(reasonOf(await agent.call("write_file", { path: "locked/new", content: "x" }))).toBe("ok");
    const sent = { path: "locked/a", content: "y", mode: "overwrite" };
    const refused = await agent.call(WRITE, sent);
    const token = session.files().find(({ path }) => path.endsWith("/a"))?.token;
    expect(refused.error).toMatchObject({
      code: "conflict",
      reason: "version_required",
      data: { target: "/workspace/locked/a", token },
    });
    expect(refused.text).toBe(
      `[Error] A rule of the host wants the version of /workspace/locked/a named. The latest token is ${token ?? ""}: send it as expectedVersion.`,
    );
    expect(reasonOf(await agent.call(WRITE, { ...sent, expectedVersion: token }))).toBe("ok");
    const patch = [{ file: "locked/a", line: 1, op: "insert", new: "x" }];
    expect(reasonOf(await agent.call("apply_patch", { patch }))).toBe("conflict/version_required");
    const now = session.files().find(({ path }) => path.endsWith("/a"))?.token;
    expect(reasonOf(await agent.call("apply_patch", { patch, expectedVersion: now }))).toBe("ok");
  });

  test("[FILES-73] the base of a patch names the versions of its files", async () => {
    const session = await planted(["locked/a", "locked/b"]);
    const agent = session.as(EDITOR);
    const insert = (name: string): object => ({ file: `locked/${name}`, line: 1, op: "insert", new: "x" });
    const tokens = Object.fromEntries(
      session.files().map(({ path, token }) => [path.slice("/workspace/".length), token]),
    );
    const operations = [insert("a"), insert("b")];
    const half = { operations, base: { "locked/a": tokens["locked/a"] } };
    const check = async (patch: object): Promise<unknown> =>
      (await agent.call<{ applies: boolean }>("check_patch", { patch })).value?.applies;
    expect(await check(half)).toBe(false);
    expect(reasonOf(await agent.call("apply_patch", { patch: half }))).toBe("conflict/version_required");
    const whole = { operations, base: { "locked/a": tokens["locked/a"], "locked/b": tokens["locked/b"] } };
    expect(await check(whole)).toBe(true);
    expect(reasonOf(await agent.call("apply_patch", { patch: whole }))).toBe("ok");
    expect(reasonOf(await agent.call("apply_patch", { patch: whole }))).toBe("conflict/stale_base");
  });

  test("[FILES-74] .git and .holdfast are closed at any depth and in any case unless the host opens them", async () => {
    const catchAll: readonly PathRule[] = [{ paths: ["**"], require: "version" }];
    for (const rules of [[], catchAll, [{ paths: ["**"], deny: "write" }] as const]) {
      const { session } = await bench({ rules });
      const agent = session.as(EDITOR);
      for (const path of [
        ".git/hooks/pre-commit",
        "a/.git",
        "a/.GIT/config",
        "b/.holdfast/x",
        "a/GIT~1/config",
      ])
        expect(reasonOf(await agent.call("write_file", { path, content: "x" })), path).toBe(
          "forbidden/path_denied",
        );
    }
    const { session } = await bench();
    for (const path of [".gitignore", ".github/workflow.yml", "a.git/x"])
      expect(reasonOf(await session.as(EDITOR).call("write_file", { path, content: "x" }))).toBe("ok");
    const opened = await planted([".git/config"], [{ paths: ["**/.git/**"], allow: "read" }]);
    const agent = opened.as(EDITOR);
    expect((await agent.call("read_file", { path: ".git/config" })).ok).toBe(true);
    expect(reasonOf(await agent.call("write_file", { path: ".git/hooks/x", content: "" }))).toBe(
      "forbidden/path_denied",
    );
    const { session: wide } = await bench({ rules: [{ paths: [".git"], allow: "all" }] });
    expect(reasonOf(await wide.as(EDITOR).call("write_file", { path: ".git/x", content: "" }))).toBe("ok");
  });

  test("[FILES-75] a call on a whole directory that meets a hidden file is refused without naming it", async () => {
    const session = await planted(["a/.env", "a/b", "c/d"]);
    const agent = session.as(EDITOR);
    const refused = await agent.call("remove_all", { path: "a" });
    expect(reasonOf(refused)).toBe("forbidden/path_denied");
    expect(refused.text).toBe(
      "[Error] /workspace/a holds what a rule of the host closes to agents, so it cannot be taken as a whole. Name single files in it.",
    );
    expect(session.files()).toHaveLength(3);
    expect((await agent.call("remove_all", { path: "c" })).value).toMatchObject({ removed: 1 });
  });

  test.each<[open: string, closed: string, rules: readonly PathRule[]]>([
    [".git/config", ".git/hooks/x", [{ paths: [".git/config"], allow: "read" }]],
    [
      "secret/a/open",
      "secret/b/shut",
      [
        { paths: ["secret/a/open"], allow: "all" },
        { paths: ["secret"], deny: "all" },
      ],
    ],
  ])(
    "[FILES-77] a closed directory that holds %s is there, and shows only what is open",
    async (open, closed, rules) => {
      const session = await planted([open, closed, "zoo/x"], rules);
      const agent = session.as(EDITOR);
      const above = open.slice(0, open.lastIndexOf("/"));
      const [top = ""] = open.split("/");
      expect(await listed(agent)).toEqual([`${top}/`, "zoo/"]);
      expect(await listed(agent, above)).toEqual([open.slice(above.length + 1)]);
      const deep = await agent.call("list_directory", { path: top, depth: 5 });
      expect(deep.text).toContain(open.slice(open.lastIndexOf("/") + 1));
      expect(deep.text).not.toMatch(/hooks|shut/);
      for (const path of [closed, closed.slice(0, closed.lastIndexOf("/"))])
        expect(reasonOf(await agent.call("list_directory", { path })), path).toBe("forbidden/path_denied");
      expect(reasonOf(await agent.call("delete_file", { path: top }))).toBe("forbidden/path_denied");
      // One file and several are told the same.
      const one = await agent.call("read_file", { path: top });
      const several = await agent.call("read_file", { paths: [top, open] });
      expect(reasonOf(one)).toBe("invalid_argument/is_directory");
      expect(several.text).toContain(`/workspace/${top} is a directory`);
      expect(several.text).not.toContain("closed to agents");
    },
  );

  test.each(["move_file", "copy_file"])(
    "[FILES-78] %s of a directory does not name the closed path that a file would get",
    async (tool) => {
      const session = await planted(["a/key.pem", "a/open"], [{ paths: ["b/*.pem"], deny: "all" }]);
      const agent = session.as(EDITOR);
      const refused = await agent.call(tool, { source: "a", destination: "b" });
      expect(reasonOf(refused)).toBe("forbidden/path_denied");
      expect(refused.text).not.toContain("key.pem");
      expect(session.files().map(({ path }) => path)).toEqual(["/workspace/a/key.pem", "/workspace/a/open"]);
      // What it advises works.
      const single = await agent.call(tool, { source: "a/open", destination: "b/open" });
      expect(single.ok).toBe(true);
    },
  );

  test("[FILES-76] rules that cannot be are refused, every problem named", async () => {
    const rules = [
      { paths: [], deny: "all" },
      { paths: ["a"] },
      { paths: ["a"], deny: "read" },
      { paths: ["a"], deny: "all", allow: "all" },
      { paths: ["{"], deny: "all" },
      { paths: ["a"], denied: "all" },
      null,
    ] as unknown as PathRule[];
    await expect(openSession({ rules })).rejects.toMatchObject({
      code: "invalid_argument",
      reason: "bad_rules",
      message: expect.stringMatching(
        /^Rules for paths refused: rule 1 must have paths.*; rule 2 must have exactly one.*; rule 3 has deny that is not "all" or "write"; rule 4 .*; rule 5: Glob .*; rule 6 .*; rule 7 must be an object\.$/,
      ) as unknown,
    });
    await expect(openSession({ rules: "x" as unknown as PathRule[] })).rejects.toMatchObject({
      reason: "bad_rules",
    });
  });
});

test("[FILES-74] the host sees everything that is there", async () => {
  const session = await planted([".git/config", ".env"], []);
  expect(session.files().map(({ path }) => path)).toEqual(["/workspace/.env", "/workspace/.git/config"]);
  expect(fileTarget(session.files()[0]?.path as never).key).toBe("file:/.env");
});

describe("a slice that a tool of the host gives", () => {
  const removal = { slice: "files", op: "remove", path: "secret/a" };
  const named = { ...notesSlice, name: "files" };
  const ATTEMPTS: readonly [string, (ctx: WriteCtx) => void][] = [
    ["a change of files as one of its own slice", (ctx) => ctx.change(notesSlice, removal as never)],
    ["a slice that only has the name of files", (ctx) => ctx.change(named as never, removal as never)],
    ["the same, to read", (ctx) => void ctx.slice({ ...filesSlice })],
  ];

  test.each(ATTEMPTS)("[CALL-118] %s fails the call with nothing written", async (_, attempt) => {
    const forge = defineTool({
      name: "forge",
      toolset: "test",
      access: "write",
      title: "Forge",
      description: "Goes past ctx.files.",
      input: z.object({}),
      output: z.object({}),
      targets: () => [],
      async run(ctx) {
        attempt(ctx);
        return {};
      },
      text: () => "done",
    });
    const { session } = await bench({
      tools: [forge],
      slices: [notesSlice],
      rules: RULES,
      files: { "secret/a": "x" },
    });
    const before = session.at;
    expect(await session.as(EDITOR).call<unknown>("forge", {})).toMatchObject({
      ok: false,
      error: { code: "internal" },
    });
    expect([session.at, session.files().length]).toEqual([before, 1]);
  });
});
