import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineTool,
  fileTarget,
  type CallResult,
  type PathRule,
  type Session,
} from "../../src/tools/index.ts";
import { bench, dataOf, EDITOR, OTHER } from "./bench-session.ts";

type Call = (tool: string, input: object) => Promise<CallResult>;

async function started(
  files: readonly string[],
  rules: readonly PathRule[] = [],
): Promise<{ session: Session; call: Call; theirs: Call; tokenOf: (path: string) => string }> {
  const { session } = await bench({ rules, toolsets: ["files", "json", "patch"] });
  const as =
    (who: typeof EDITOR | typeof OTHER): Call =>
    (tool, input) =>
      session.as(who).call(tool, input as Record<string, unknown>);
  for (const path of files) {
    const made = await as(EDITOR)("write_file", { path, content: '{"a": 1}\n' });
    if (!made.ok) throw new Error(made.text);
  }
  const tokenOf = (path: string): string =>
    session.files().find((file) => file.path === `/workspace/${path}`)?.token ?? "";
  return { session, call: as(EDITOR), theirs: as(OTHER), tokenOf };
}

const edit = (path: string): object => ({ path, edits: [{ old_text: "1", new_text: "2" }] });
const REPLACE = { pattern: "a", replacement: "b" };

describe("versions of directories", () => {
  test.each<[string, string, object]>([
    ["delete_file", "d", { path: "d" }],
    ["move_file", "d", { source: "d", destination: "e" }],
    ["replace_in_files in a directory", "d", { ...REPLACE, path: "d" }],
    ["replace_in_files", "/workspace", REPLACE],
  ])(
    "[CALL-59] %s refuses the token of before a change below, and takes the one told",
    async (what, name, sent) => {
      const tool = what.split(" ")[0] ?? "";
      const { call, theirs, tokenOf, session } = await started(["d/x.txt", "d/y.txt"]);
      const old = tokenOf("d/y.txt");
      expect((await call(tool, { ...sent, expectedVersion: old, dryRun: true })).ok).toBe(true);
      await theirs("edit_file", edit("d/x.txt"));
      const at = session.at.seq;
      for (const expectedVersion of [old, { [name]: old }]) {
        const stale = await call(tool, { ...sent, expectedVersion });
        expect(stale.error).toMatchObject({
          reason: "stale_version",
          data: { target: name === "d" ? "/workspace/d" : name, token: tokenOf("d/x.txt") },
        });
        expect(stale.text).toContain(
          "has changed since the version you named, in /workspace/d/x.txt (last by",
        );
        expect(stale.text).toContain('-{"a": 1}\n+{"a": 2}');
      }
      expect(session.at.seq).toBe(at);
      const expectedVersion = { [name]: tokenOf("d/x.txt") };
      expect((await call(tool, { ...sent, expectedVersion, dryRun: true })).ok).toBe(true);
      expect((await call(tool, { ...sent, expectedVersion: tokenOf("d/x.txt") })).ok).toBe(true);
    },
  );

  test("[CALL-50] of several files that changed below a directory it is said who changed them", async () => {
    const { session, call, theirs, tokenOf } = await started(["d/x.txt", "d/y.txt", "d/z.txt"]);
    const old = tokenOf("d/z.txt");
    await theirs("edit_file", edit("d/x.txt"));
    await theirs("edit_file", edit("d/y.txt"));
    const { seq } = session.at;
    for (const [tool, sent] of [
      ["delete_file", { path: "d" }],
      ["move_file", { source: "d", destination: "e" }],
    ] as const) {
      const stale = await call(tool, { ...sent, expectedVersion: old });
      expect(dataOf(stale)).toMatchObject({
        changes: [
          { record: seq, agent: OTHER.id, tool: "edit_file" },
          { record: seq - 1, agent: OTHER.id, tool: "edit_file" },
        ],
      });
      expect(stale.text).toContain(`last by "${OTHER.id}" with edit_file, record ${seq}`);
    }
  });

  test("[CALL-59] a file of its own in the map, and files that the call leaves alone, are no conflict", async () => {
    const { call, theirs, tokenOf } = await started(["d/x.txt", "d/y.txt"]);
    const old = tokenOf("d/y.txt");
    await theirs("edit_file", edit("d/x.txt"));
    const only = { ...REPLACE, path: "d", include: "y.txt", expectedVersion: old };
    expect((await call("replace_in_files", { ...only, dryRun: true })).ok).toBe(true);
    const both = { d: old, "d/x.txt": tokenOf("d/x.txt") };
    expect((await call("delete_file", { path: "d", expectedVersion: both })).ok).toBe(true);
  });

  test("[CALL-59] several changed files, a new one, and a token that is none are told with the token to send", async () => {
    const { session, call, theirs, tokenOf } = await started(["d/x.txt", "d/y.txt", "f.txt"]);
    const old = tokenOf("d/y.txt");
    await theirs("edit_file", edit("d/x.txt"));
    await theirs("edit_file", edit("d/y.txt"));
    const token = tokenOf("d/y.txt");
    const stale = await call("delete_file", { path: "d", expectedVersion: old });
    expect(stale.text).toBe(
      `[Error] /workspace/d has changed since the version you named, in /workspace/d/x.txt and 1 more file (last by "${OTHER.id}" with edit_file, record ${session.at.seq}). The latest token is ${token}: read again, then repeat the call with it.`,
    );
    const none = await call("delete_file", { path: "d", expectedVersion: `9${token}` });
    expect(none.error).toMatchObject({ reason: "stale_version", data: { token } });
    await theirs("write_file", { path: "d/z.txt", content: "" });
    const more = await call("delete_file", { path: "d", expectedVersion: token });
    expect(more.error).toMatchObject({ reason: "stale_version", data: { token: tokenOf("d/z.txt") } });
    expect((await call("delete_file", { path: "d", expectedVersion: tokenOf("d/z.txt") })).ok).toBe(true);
  });

  test("[CALL-59] replace_in_files with the path of a file pins that file", async () => {
    const { call, theirs, tokenOf } = await started(["d/x.txt"]);
    const old = tokenOf("d/x.txt");
    await theirs("edit_file", edit("d/x.txt"));
    const sent = { ...REPLACE, path: "d/x.txt" };
    const stale = await call("replace_in_files", { ...sent, expectedVersion: old });
    expect(stale.error).toMatchObject({
      reason: "stale_version",
      data: { target: "/workspace/d/x.txt", token: tokenOf("d/x.txt") },
    });
    expect((await call("replace_in_files", { ...sent, expectedVersion: tokenOf("d/x.txt") })).ok).toBe(true);
  });

  test.each<[string, object]>([
    ["delete_file", { path: "pin" }],
    ["move_file", { source: "pin", destination: "e" }],
    ["replace_in_files", REPLACE],
  ])(
    "[CALL-54] where a rule wants versions, %s of a directory takes the token that it is told",
    async (tool, sent) => {
      const rules: readonly PathRule[] = [{ paths: ["pin/**"], require: "version" }];
      const { call, theirs, tokenOf } = await started(["pin/x.txt", "pin/y.txt"], rules);
      await theirs("edit_file", { ...edit("pin/x.txt"), expectedVersion: tokenOf("pin/x.txt") });
      const refused = await call(tool, sent);
      expect(refused.error).toMatchObject({
        reason: "version_required",
        data: { token: tokenOf("pin/x.txt") },
      });
      const { token } = dataOf(refused) as { token: string };
      expect((await call(tool, { ...sent, expectedVersion: token })).ok).toBe(true);
    },
  );

  test.each<[string, object]>([
    [
      "edit_json",
      {
        edits: ["pin/a.json", "pin/b.json", "c.json"].map((path) => ({
          path,
          op: "set",
          json_path: "$.a",
          value: 5,
        })),
      },
    ],
    [
      "apply_patch",
      {
        patch: ["pin/a.json", "pin/b.json", "c.json"].map((file) => ({
          file,
          line: 1,
          op: "insert",
          new: "x",
        })),
      },
    ],
  ])(
    "[CALL-54] where a rule wants versions, %s of several files is told the map to send",
    async (tool, sent) => {
      const rules: readonly PathRule[] = [{ paths: ["pin/**"], require: "version" }];
      const { call, tokenOf } = await started(["pin/a.json", "pin/b.json", "c.json"], rules);
      const [a, b] = [tokenOf("pin/a.json"), tokenOf("pin/b.json")];
      const tokens = { "/workspace/pin/a.json": a, "/workspace/pin/b.json": b };
      for (const given of [{}, { expectedVersion: { "pin/b.json": b } }]) {
        const refused = await call(tool, { ...sent, ...given });
        expect(refused.error).toMatchObject({ reason: "version_required", data: { tokens } });
        expect(refused.text).toContain("Send as expectedVersion: {");
      }
      expect((await call(tool, { ...sent, expectedVersion: tokens })).ok).toBe(true);
    },
  );

  test("[CALL-57] of a file that does not exist no token is offered, and what is said works", async () => {
    const { call, theirs, tokenOf } = await started(["a.txt"]);
    const expectedVersion = tokenOf("a.txt");
    const upsert = { path: "new.txt", content: "x", mode: "upsert" };
    const copied = { source: "a.txt", destination: "copy.txt" };
    for (const [tool, sent, named] of [
      ["write_file", upsert, expectedVersion],
      ["copy_file", copied, { "copy.txt": expectedVersion }],
    ] as const) {
      const refused = await call(tool, { ...sent, expectedVersion: named });
      expect(refused.text).toMatch(
        /There is no such file now: to make it, leave expectedVersion out; to change/,
      );
      expect((await call(tool, sent)).ok).toBe(true);
    }
    await theirs("delete_file", { path: "a.txt" });
    const gone = await call("edit_file", { ...edit("a.txt"), expectedVersion });
    expect(gone.text).toContain("to make it anew, use write_file without expectedVersion.");
    expect((await call("write_file", { path: "a.txt", content: "x" })).ok).toBe(true);
  });
});

describe("versions of what is copied or moved", () => {
  test.each(["copy_file", "move_file"])(
    "[FILES-140] one token in %s is that of the source, whatever was at the destination",
    async (tool) => {
      const { call, theirs, tokenOf, session } = await started(["a.txt", "b.txt"]);
      const gone = await call("delete_file", { path: "b.txt" });
      const old = tokenOf("a.txt");
      await theirs("write_file", { path: "a.txt", content: "changed\n", mode: "overwrite" });
      const sent = { source: "a.txt", destination: "b.txt" };
      const { token: deleted } = gone.value as { token?: string };
      for (const token of [old, deleted ?? gone.token]) {
        const refused = await call(tool, { ...sent, expectedVersion: token });
        expect(refused.error).toMatchObject({ reason: "stale_version" });
        expect(refused.text).toContain("/workspace/a.txt");
        expect(refused.text).toContain(tokenOf("a.txt"));
      }
      expect(session.files()).toHaveLength(1);
      expect((await call(tool, { ...sent, expectedVersion: tokenOf("a.txt") })).text).toContain("b.txt");
      expect(session.files().some(({ path }) => path === "/workspace/b.txt")).toBe(true);
    },
  );

  test("[FILES-140] the token of a copied directory pins what is read of it", async () => {
    const { call, theirs, tokenOf } = await started(["d/x.txt", "d/y.txt"]);
    const old = tokenOf("d/y.txt");
    const sent = { source: "d", destination: "e" };
    expect((await call("copy_file", { ...sent, expectedVersion: old, dryRun: true })).ok).toBe(true);
    await theirs("edit_file", edit("d/x.txt"));
    expect((await call("copy_file", { ...sent, expectedVersion: old })).error?.reason).toBe("stale_version");
    expect((await call("copy_file", { ...sent, expectedVersion: tokenOf("d/x.txt") })).ok).toBe(true);
  });
});

describe("versions of directories that hold what a rule hides", () => {
  const rules: readonly PathRule[] = [
    { paths: ["d/secret/**"], deny: "all" },
    { paths: ["d/pin/**"], require: "version" },
  ];
  const sent = { ...REPLACE, path: "d" };
  const BACK = { pattern: "b", replacement: "a" };

  test("[CALL-112] what the host does to hidden files makes no token stale, and no refusal tells of it", async () => {
    const { call, theirs, tokenOf, session } = await started(["d/x.txt", "d/y.txt"], rules);
    const old = tokenOf("d/y.txt");
    await session.workspace.write("d/secret/k.txt", "hidden a");
    expect((await call("replace_in_files", { ...sent, expectedVersion: old, dryRun: true })).ok).toBe(true);
    expect((await call("replace_in_files", { ...sent, expectedVersion: { d: old } })).ok).toBe(true);
    await session.workspace.remove("d/secret/k.txt");
    await theirs("delete_file", { path: "d/y.txt" });
    const gone = await call("replace_in_files", {
      ...sent,
      pattern: "b",
      expectedVersion: tokenOf("d/x.txt"),
    });
    expect(gone.text).toMatch(
      /\/workspace\/d has changed since the version you named \(last by "other" with/,
    );
    const { token, changes } = dataOf(gone) as { token: string; changes: { agent: string }[] };
    expect(changes.map(({ agent }) => agent)).toEqual(["other"]);
    expect(token.split("-")[0]).toBe(String(session.at.seq));
    await session.workspace.write("d/secret/k.txt", "hidden again");
    expect((await call("replace_in_files", { ...sent, ...BACK, expectedVersion: token })).ok).toBe(true);
  });

  test("[CALL-112] the token that a call is told is that of what the caller may see", async () => {
    const { call, tokenOf, session } = await started(["d/pin/x.txt"], rules);
    const token = tokenOf("d/pin/x.txt");
    await session.workspace.write("d/secret/k.txt", "hidden");
    const refused = await call("replace_in_files", sent);
    expect(refused.error).toMatchObject({ reason: "version_required", data: { token } });
    expect((await call("replace_in_files", { ...sent, expectedVersion: token })).ok).toBe(true);
    for (const [tool, whole] of [
      ["delete_file", { path: "d" }],
      ["move_file", { source: "d", destination: "e" }],
    ] as const)
      expect((await call(tool, { ...whole, expectedVersion: token })).error).toMatchObject({
        code: "forbidden",
        reason: "path_denied",
      });
  });
});

describe("what a refused call costs", () => {
  test("[CALL-111] a call that must name versions, or names old ones, runs its tool once", async () => {
    let runs = 0;
    const touch = defineTool({
      name: "touch",
      toolset: "test",
      access: "write",
      title: "Touch",
      description: "Appends to a file.",
      input: z.object({ path: z.string() }),
      output: z.object({}),
      resolve: ({ path }, ctx) => ctx.path(path, "file"),
      targets: (path) => [fileTarget(path)],
      async run({ files }, path) {
        runs++;
        await files.append(path, "x");
        return {};
      },
      text: () => "Touched",
    });
    const rules: readonly PathRule[] = [{ paths: ["pin.txt"], require: "version" }];
    const { session } = await bench({ rules, tools: [touch] });
    const agent = session.as(EDITOR);
    const old = (await agent.call("write_file", { path: "pin.txt", content: "" })).token;
    const wanted = await agent.call("touch", { path: "pin.txt" });
    expect([wanted.error?.reason, runs]).toEqual(["version_required", 1]);
    expect((await agent.call("touch", { path: "pin.txt", expectedVersion: old })).ok).toBe(true);
    const stale = await agent.call("touch", { path: "pin.txt", expectedVersion: old });
    expect([stale.error?.reason, runs]).toEqual(["stale_version", 3]);
  });
});
