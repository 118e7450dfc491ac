import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { HoldfastError, say } from "../../src/errors.ts";
import { parsePath, type WorkspacePath } from "../../src/path/index.ts";
import { openCore } from "../../src/session/open-core.ts";
import { Draft } from "../../src/session/draft.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { PathRules, Workspace, type Files, type PathPermission } from "../../src/session/files/workspace.ts";
import { memoryStore } from "../../src/store/memory.ts";
import {
  defineTool,
  fileTarget,
  type Session,
  type SessionOptions,
  type Tool,
} from "../../src/tools/index.ts";
import { runs } from "../effort.ts";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

type Script = (files: Files, at: (path: string) => WorkspacePath) => Promise<unknown>;

/** A tool of the host's own that does with the files whatever a test wants. */
function scripted(script: Script): Tool {
  return defineTool({
    name: "script",
    toolset: "own",
    access: "write",
    title: "Script",
    description: "Works on files.",
    input: z.object({}),
    output: z.unknown(),
    resolve: (_input, ctx) => ctx.path("target", "file"),
    targets: (path) => [fileTarget(path)],
    run: (ctx) => script(ctx.files, (path) => ctx.path(path, "any")),
    text: (value) => JSON.stringify(value),
  });
}

async function scriptedSession(script: Script, options: SessionOptions = {}): Promise<Session> {
  return (await bench({ ...options, tools: [scripted(script)] })).session;
}

async function contentOf(session: Session, path: string): Promise<string | undefined> {
  return (await session.as(EDITOR).call<{ content?: string }>("read_file", { path })).value?.content;
}

describe("the way to files that tools have", () => {
  test("[FILES-60] a host's own tool reads and changes files, and all of it is one commit", async () => {
    const session = await scriptedSession(async (files, at) => {
      await files.create(at("a/one.txt"), "one\n");
      await files.append(at("a/one.txt"), "two\n");
      await files.splice(at("a/one.txt"), [{ at: 0, remove: 3, insert: bytes("ONE") }]);
      await files.copy(at("a/one.txt"), at("b/copy.txt"));
      await files.replace(at("b/copy.txt"), new Uint8Array([255, 0]), { executable: true });
      await files.create(at("gone.txt"), "x");
      await files.remove(at("gone.txt"));
      await files.move(at("a/one.txt"), at("a/two.txt"));
      return {
        read: text(await files.read(at("a/two.txt"))),
        size: (await files.open(at("a/two.txt"))).size,
        list: Array.from(await files.list(at("")), ({ name, file }) => [name, file?.size_bytes]),
        under: Array.from(await files.under(at("")), ({ path, encoding, executable }) => [
          path,
          encoding,
          executable,
        ]),
        gone: [
          await files.stat(at("gone.txt")),
          await files.stat(at("a/one.txt")),
          await files.isDirectory(at("a")),
        ],
      };
    });
    const result = await session.as(EDITOR).call("script");
    expect(result.value).toMatchObject({
      read: "ONE\ntwo\n",
      size: 8,
      list: [
        ["a", null],
        ["b", null],
      ],
      under: [
        ["/workspace/a/two.txt", "utf-8", false],
        ["/workspace/b/copy.txt", "binary", true],
      ],
      gone: [null, null, true],
    });
    expect(await session.log({ limit: 9 })).toHaveLength(1);
    expect(await contentOf(session, "a/two.txt")).toBe("ONE\ntwo\n");
    await session.as(EDITOR).call("undo_changes");
    expect(session.files()).toEqual([]);
  });

  test("[FILES-61] a tool that fails leaves nothing, and one refused step does not hinder the next", async () => {
    const session = await scriptedSession(async (files, at) => {
      await files.create(at("a"), "1");
      const refused = await files
        .create(at("a/b"), "2")
        .catch((error: unknown) => (error as HoldfastError).reason);
      if (refused !== "file_above") throw new Error("not refused");
      await files.create(at("c"), "3");
      throw new HoldfastError("conflict", "enough", say`Enough.`);
    });
    expect((await session.as(EDITOR).call("script")).error?.reason).toBe("enough");
    expect(session.files()).toEqual([]);
    expect(await session.log({ limit: 9 })).toEqual([]);
  });

  test("[FILES-62] two tools that create clashing names cannot both land, though they name no key", async () => {
    let turn = 0;
    const session = await scriptedSession(async (files, at) => {
      const mine = turn++ === 0 ? "docs/A.md" : "Docs/b.md";
      await new Promise((resolve) => setTimeout(resolve, 5));
      return (await files.create(at(mine), "x")).path;
    });
    const results = await Promise.all([EDITOR, OTHER].map((who) => session.as(who).call("script")));
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    expect(session.files()).toHaveLength(1);
  });

  test("[FILES-63] what a call has changed has no token before it is committed", async () => {
    const session = await scriptedSession(async (files, at) => {
      const before = await files.stat(at("kept"));
      const made = await files.replace(at("kept"), "new");
      return { before: before?.token, made: made.token, after: (await files.stat(at("kept")))?.token };
    });
    const { value } = await session
      .as(EDITOR)
      .call<{ token: string }>("write_file", { path: "kept", content: "old" });
    const result = await session.as(EDITOR).call("script");
    expect(result.value).toEqual({ before: value?.token, token: result.token });
    expect(session.files()[0]?.token).toBe(result.ok ? result.token : "");
  });

  test("[FILES-64] every path of every access is asked of one rule", async () => {
    const asked: string[] = [];
    const journal = await memoryStore().open("s", { create: true });
    const core = await openCore(journal, [filesSlice], {});
    const draft = new Draft(core.slices, core.timeline.state, new Date(0), "host");
    const { limits } = core;
    class Watched extends PathRules {
      override of(path: WorkspacePath): PathPermission {
        asked.push(path.slice("/workspace/".length));
        return super.of(path);
      }
    }
    const rules = new Watched([{ paths: ["**/.env"], deny: "all" }], limits);
    const files = new Workspace({ draft, journal, limits, time: new Date(0), opened: [], rules });
    const [a, b, env, root] = [
      parsePath("a"),
      parsePath("b"),
      parsePath(".env"),
      parsePath("", { allowRoot: true }),
    ];
    const steps: (() => Promise<unknown>)[] = [
      () => files.create(a, "x"),
      () => files.stat(a),
      () => files.isDirectory(a),
      () => files.list(root),
      () => files.under(root),
      () => files.open(a),
      () => files.read(a),
      () => files.replace(a, "y"),
      () => files.splice(a, []),
      () => files.append(a, "z"),
      () => files.copy(a, b),
      () => files.remove(b),
      () => files.move(a, b),
    ];
    for (const step of steps) {
      asked.length = 0;
      await step();
      expect(asked.length, String(step)).toBeGreaterThan(0);
    }
    expect(new Set(asked)).toEqual(new Set(["a", "b"]));
    const refused: (() => Promise<unknown>)[] = [
      () => files.create(env, "x"),
      () => files.stat(env),
      () => files.read(env),
      () => files.copy(b, env),
      () => files.copy(env, a),
      () => files.move(b, env),
    ];
    for (const step of refused)
      await expect(step(), String(step)).rejects.toMatchObject({ reason: "path_denied" });
    await core.close();
  });

  test("[FILES-65] any sequence of steps gives what a map of paths to bytes gives", async () => {
    const names = ["a", "b", "a/x", "a/x/y", "b/z"];
    const name = fc.constantFrom(...names);
    const content = fc.string({ maxLength: 6 });
    const step = fc.oneof(
      fc.record({ op: fc.constantFrom("create", "replace", "append"), path: name, content }),
      fc.record({ op: fc.constantFrom("move", "copy"), path: name, to: name }),
      fc.record({ op: fc.constant("remove"), path: name }),
      fc.record({ op: fc.constant("splice"), path: name, content, at: fc.nat(8), remove: fc.nat(4) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const model = new Map<string, string>();
        const fits = (path: string): boolean =>
          [...model.keys()].every(
            (other) => other !== path && !other.startsWith(`${path}/`) && !path.startsWith(`${other}/`),
          );
        const modelStep = (one: Step): boolean => {
          const { op, path, to = "", content: sent = "", at = 0, remove = 0 } = one;
          const old = model.get(path);
          if (op === "create") return fits(path) && set(path, sent);
          if (old === undefined) return false;
          if (op === "replace") return set(path, sent);
          if (op === "append") return set(path, old + sent);
          if (op === "remove") return model.delete(path);
          if (op === "copy") return fits(to) && set(to, old);
          if (op === "splice")
            return at + remove <= old.length && set(path, old.slice(0, at) + sent + old.slice(at + remove));
          model.delete(path);
          if (fits(to)) return set(to, old);
          set(path, old);
          return false;
        };
        const set = (path: string, value: string): true => {
          model.set(path, value);
          return true;
        };
        const session = await scriptedSession(async (files, at) => {
          for (const one of steps) {
            const expected = modelStep(one);
            const done = await doStep(files, at, one).then(
              () => true,
              (error: unknown) => {
                if (HoldfastError.is(error) || error instanceof RangeError) return false;
                throw error;
              },
            );
            if (done !== expected)
              throw new Error(`${JSON.stringify(one)}: ${String(done)}, model ${String(expected)}`);
          }
          return {};
        });
        const result = await session.as(EDITOR).call("script");
        expect(result.error).toBeUndefined();
        const found: [string, string][] = [];
        for (const { path } of session.files())
          found.push([path.slice("/workspace/".length), (await contentOf(session, path)) ?? ""]);
        expect(new Map(found)).toEqual(model);
        const [record] = await session.log({ limit: 1 });
        if (record !== undefined) await session.undo({ record: record.seq });
        expect(session.files()).toEqual([]);
      }),
      runs(60),
    );
  });
});

interface Step {
  readonly op: string;
  readonly path: string;
  readonly to?: string;
  readonly content?: string;
  readonly at?: number;
  readonly remove?: number;
}

async function doStep(files: Files, at: (path: string) => WorkspacePath, one: Step): Promise<unknown> {
  const { op, content = "", to = "", at: from = 0, remove = 0 } = one;
  const path = at(one.path);
  switch (op) {
    case "create":
      return files.create(path, content);
    case "replace":
      return files.replace(path, content);
    case "append":
      return files.append(path, content);
    case "remove":
      return files.remove(path);
    case "copy":
      return files.copy(path, at(to));
    case "move":
      return files.move(path, at(to));
    default:
      return files.splice(path, [{ at: from, remove, insert: bytes(content) }]);
  }
}

describe("encodings", () => {
  test("[FILES-27] bytes that are not UTF-8 never become part of a UTF-8 file unless it becomes binary", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "t.txt", content: "abc" });
    const append = { path: "t.txt", content_base64: "/w==", mode: "append" } as const;
    const refused = await agent.call("write_file", append);
    expect(refused.error).toMatchObject({ code: "invalid_argument", reason: "not_utf8" });
    expect(refused.text).toContain('encoding "binary"');
    expect(await contentOf(session, "t.txt")).toBe("abc");
    // The advice, followed.
    const made = await agent.call<{ encoding: string }>("write_file", { ...append, encoding: "binary" });
    expect(made.value?.encoding).toBe("binary");
    expect(made.text).toContain("4 bytes, binary, version 2");
    const read = await agent.call<{ content_base64: string }>("read_file", { path: "t.txt" });
    expect(read.value?.content_base64).toBe("YWJj/w==");
    await agent.call("undo_changes");
    expect(await contentOf(session, "t.txt")).toBe("abc");
  });

  test("[FILES-34] a read never shows another character in place of bytes, whatever the file claims to be", async () => {
    const session = await scriptedSession(async (files, at) => {
      await files.create(at("cut"), "aé");
      // Takes half a character out.
      await files.splice(at("cut"), [{ at: 2, remove: 1, insert: new Uint8Array() }]);
      return {};
    });
    await session.as(EDITOR).call("script");
    const read = await session
      .as(EDITOR)
      .call<{ content?: string; content_base64?: string }>("read_file", { path: "cut" });
    expect(read.value?.content).toBeUndefined();
    expect(read.value?.content_base64).toBe("YcM=");
    expect(read.text).not.toContain("\ufffd");
  });
});
