// What a host's own tool may hand to its ctx: tools in plain JavaScript have no compiler that would keep them to it.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { HoldfastError } from "../../src/errors.ts";
import { parsePath, ROOT, type WorkspacePath } from "../../src/path/index.ts";
import { memoryStore } from "../../src/store/memory.ts";
import {
  defineTool,
  directoryTarget,
  fileTarget,
  openSession,
  subtreeTarget,
  type CallResult,
  type Files,
  type Session,
  type SessionOptions,
  type WriteCtx,
} from "../../src/tools/index.ts";
import { bench, EDITOR, TestLog } from "./bench-session.ts";

/** As a tool in JavaScript has it: nothing says what its ctx lacks. */
type Script = (ctx: WriteCtx) => unknown;

interface Ran {
  readonly session: Session;
  readonly log: TestLog;
  readonly result: CallResult;
}

async function run(
  script: Script,
  access: "read" | "write" | "view" = "write",
  options: SessionOptions = {},
): Promise<Ran> {
  const tool = defineTool({
    name: "script",
    toolset: "own",
    access,
    title: "Script",
    description: "Does what a test wants.",
    input: z.object({}),
    output: z.unknown(),
    targets: () => [],
    run: async (ctx) => script(ctx as WriteCtx),
    text: (value) => JSON.stringify(value) ?? "",
  });
  const { session, log } = await bench({ files: { "a.txt": "old\n" }, ...options, tools: [tool] });
  return { session, log, result: await session.as(EDITOR).call("script") };
}

/** What a step is refused with; the tool goes on. */
async function refusal(step: () => unknown): Promise<unknown> {
  try {
    await step();
    return "done";
  } catch (error) {
    return HoldfastError.is(error)
      ? { code: error.code, reason: error.reason, message: error.message }
      : error;
  }
}

function reasonOf(refused: unknown): unknown {
  return (refused as { readonly reason?: unknown }).reason ?? refused;
}

const A = parsePath("a.txt");
const NEW = parsePath("new.txt");

/** Every method of the door that takes a path, and of those that take several, each place. */
const STEPS: readonly (readonly [name: string, step: (files: Files, path: WorkspacePath) => unknown])[] = [
  ["permission", (files, path) => files.permission(path)],
  ["stat", (files, path) => files.stat(path)],
  ["isDirectory", (files, path) => files.isDirectory(path)],
  ["obstacles", (files, path) => files.obstacles([path], [])],
  ["obstacles, removed", (files, path) => files.obstacles([], [path])],
  ["list", (files, path) => files.list(path)],
  ["under", (files, path) => files.under(path)],
  ["under, after", (files, path) => files.under(ROOT, path)],
  ["subtree", (files, path) => files.subtree(path, "read")],
  ["open", (files, path) => files.open(path)],
  ["openFor", (files, path) => files.openFor(path, async () => 1)],
  ["openTogether", (files, path) => files.openTogether([{ path } as never], () => 1)],
  ["read", (files, path) => files.read(path)],
  ["hunks", (files, path) => files.hunks(path)],
  ["create", (files, path) => files.create(path, "x")],
  ["replace", (files, path) => files.replace(path, "x")],
  ["splice", (files, path) => files.splice(path, [])],
  ["append", (files, path) => files.append(path, "x")],
  ["move", (files, path) => files.move(path, NEW)],
  ["move, to", (files, path) => files.move(A, path)],
  ["moveAll", (files, path) => files.moveAll([{ from: path, to: NEW }])],
  ["moveAll, to", (files, path) => files.moveAll([{ from: A, to: path }])],
  ["copy", (files, path) => files.copy(path, NEW)],
  ["copy, to", (files, path) => files.copy(A, path)],
  ["remove", (files, path) => files.remove(path)],
];

const NO_PATHS: readonly (readonly [text: unknown, reason: string])[] = [
  ["rel.txt", "path_not_canonical"],
  ["workspace/a.txt", "path_not_canonical"],
  ["", "path_not_canonical"],
  ["/workspace//secret/x", "path_not_canonical"],
  ["//workspace/a.txt", "path_not_canonical"],
  ["/workspace/tr/", "path_not_canonical"],
  ["/workspace/", "path_not_canonical"],
  ["/etc/passwd", "path_absolute"],
  ["/", "path_absolute"],
  ["/workspace/../../escape.txt", "path_dot_segment"],
  ["/workspace/CON", "path_device_name"],
  ["/workspace/a\nb", "path_control"],
  ["/workspace/\ud800", "path_lone_surrogate"],
  ["/workspace/.holdfast/x", "path_reserved"],
  [`/workspace/${"d/".repeat(70)}f`, "path_too_deep"],
  [5, "path_wrong_type"],
  [null, "path_wrong_type"],
  [["/workspace/a.txt"], "path_wrong_type"],
];

describe("paths that a tool hands on", () => {
  test.each(STEPS)("[FILES-170] %s refuses what is not a path in canonical form", async (_, step) => {
    const rules = [{ paths: ["secret"], deny: "all" }] as const;
    const script: Script = async ({ files }) => {
      const refused = [];
      for (const [path] of NO_PATHS) refused.push(reasonOf(await refusal(() => step(files, path as never))));
      return refused;
    };
    const { session, result } = await run(script, "write", { rules, names: "unicode" });
    expect(result.value).toEqual(NO_PATHS.map(([, reason]) => reason));
    expect(session.files().map(({ path }) => path)).toEqual([A]);
    await session.close();
  });

  test("[FILES-170] a path that is left out is none", async () => {
    const { result } = await run(async ({ files }) =>
      reasonOf(await refusal(() => files.stat(undefined as never))),
    );
    expect(result.value).toBe("path_wrong_type");
  });

  test("[FILES-170] the refusal names the canonical form and what a tool must do", async () => {
    const { result } = await run(({ files }) => files.create("rel.txt" as WorkspacePath, "x"));
    expect(result.error).toMatchObject({ code: "invalid_argument", reason: "path_not_canonical" });
    expect(result.text).toBe(
      '[Error] "rel.txt" is not the canonical form of a path, which is /workspace/rel.txt. Send that; a tool reads what it is sent with ctx.path(text, kind) before it uses it.',
    );
  });

  test("[FILES-170] a file comes into being only where the session's own names and limits allow it", async () => {
    const deep = `/workspace/${"d/".repeat(16)}f` as WorkspacePath;
    const accented = "/workspace/\u00e9" as WorkspacePath;
    const { session, result } = await run(async ({ files }) => {
      const refused = [];
      for (const path of [deep, accented])
        for (const step of [
          () => files.create(path, "x"),
          () => files.move(A, path),
          () => files.moveAll([{ from: A, to: path }]),
          () => files.copy(A, path),
          () => files.stat(path),
        ])
          refused.push(reasonOf(await refusal(step)));
      return refused;
    });
    const four = (reason: string): string[] => [reason, reason, reason, reason, "done"];
    expect(result.value).toEqual([...four("path_too_deep"), ...four("path_non_ascii")]);
    await session.close();
  });

  test("[FILES-170] what an older state holds stays within reach when the host has narrowed names and limits", async () => {
    const store = memoryStore();
    const files = { "d/\u00e9.txt": "1", "d/e/f/g.txt": "2" };
    const wide = await openSession({ store, id: "s", files, names: "unicode" });
    const { at } = wide;
    await wide.workspace.remove("d");
    await wide.close();
    const script: Script = async (ctx) => {
      const past = await ctx.past(at);
      const found = [];
      for (const { path } of await past.files.under(ROOT)) {
        const { read } = ctx.files.permission(path);
        found.push([read, new TextDecoder().decode(await past.files.read(path))]);
      }
      return found;
    };
    const narrowed = { store, id: "s", names: "ascii", limits: { pathDepth: 2 } } as const;
    const { session, result } = await run(script, "write", narrowed);
    expect(result.value).toEqual([
      [true, "2"],
      [true, "1"],
    ]);
    await session.close();
  });

  test("[FILES-170] a target of a call is checked the same way", async () => {
    for (const target of [fileTarget, directoryTarget, subtreeTarget])
      for (const [path, reason] of NO_PATHS)
        expect(reasonOf(await refusal(() => target(path as never))), String(path)).toBe(reason);
    const tool = defineTool({
      name: "raw",
      toolset: "own",
      access: "write",
      title: "Raw",
      description: "Names what it was sent.",
      input: z.object({ path: z.string() }),
      output: z.unknown(),
      targets: ({ path }) => [fileTarget(path as WorkspacePath)],
      run: async () => ({}),
      text: () => "",
    });
    const session = await openSession({ tools: [tool], rules: [{ paths: ["secret"], deny: "all" }] });
    const result = await session.as(EDITOR).call("raw", { path: "rel.txt" });
    expect(result.error).toMatchObject({ code: "invalid_argument", reason: "path_not_canonical" });
    await session.close();
  });

  test("[FILES-170] ctx.path takes the three kinds and no other", async () => {
    const { result } = await run(async (ctx) => {
      const kinds = ["file", "directory", "any", "dir", undefined, null, 5];
      const refused = [];
      for (const kind of kinds) refused.push(reasonOf(await refusal(() => ctx.path("a", kind as never))));
      return refused;
    });
    const unknown = "unknown_option";
    expect(result.value).toEqual(["done", "done", "done", unknown, unknown, unknown, unknown]);
  });
});

describe("what else a tool hands to its ctx", () => {
  const WRONG: readonly (readonly [name: string, step: (ctx: WriteCtx) => unknown, message: RegExp])[] = [
    [
      "content, a number",
      ({ files }) => files.create(NEW, Number.NaN as never),
      /new\.txt: the content must be a string, a Uint8Array or other view/,
    ],
    ["content, nothing", ({ files }) => files.replace(A, undefined as never), /the content must be/],
    ["content, a list", ({ files }) => files.append(A, [1] as never), /the content must be/],
    [
      "executable",
      ({ files }) => files.create(NEW, "x", { executable: "yes" } as never),
      /executable must be true or false/,
    ],
    [
      "a misspelt option",
      ({ files }) => files.create(NEW, "x", { executabel: true } as never),
      /Did you mean executable\?/,
    ],
    [
      "options of replace",
      ({ files }) => files.replace(A, "x", { encoding: 5 } as never),
      /encoding must be a string/,
    ],
    ["options of append", ({ files }) => files.append(A, "x", null as never), /must be a plain object/],
    ["options of splice", ({ files }) => files.splice(A, [], { mode: 1 } as never), /unknown name "mode"/],
    ["splices", ({ files }) => files.splice(A, "x" as never), /splices must be a list/],
    [
      "a splice",
      ({ files }) => files.splice(A, [{ at: 0, remove: 0, insert: "x" }] as never),
      /splice 1 must have at and remove/,
    ],
    ["a splice that is null", ({ files }) => files.splice(A, [null] as never), /splice 1 must have/],
    [
      "a splice at -1",
      ({ files }) => files.splice(A, [{ at: -1, remove: 0, insert: new Uint8Array() }]),
      /splice 1 must have/,
    ],
    ["moves", ({ files }) => files.moveAll(5 as never), /moves must be a list/],
    ["a move", ({ files }) => files.moveAll([null] as never), /every move must be an object/],
    ["access of open", ({ files }) => files.open(A, "wrte" as never), /Did you mean write\?/],
    ["access of subtree", ({ files }) => files.subtree(A, undefined as never), /access/],
    ["after of list", ({ files }) => files.list(A, 5 as never), /after must be a string/],
    ["use of openFor", ({ files }) => files.openFor(A, 5 as never), /use must be a function/],
    [
      "files of openTogether",
      ({ files }) => files.openTogether([null] as never, () => 1),
      /every item of files must be an object/,
    ],
    ["paths of obstacles", ({ files }) => files.obstacles("x" as never, []), /must be a list/],
    [
      "bounds of hunks",
      ({ files }) => files.hunks(A, { context: "x" } as never),
      /context must be a whole number/,
    ],
    ["a misspelt bound", ({ files }) => files.hunks(A, { budgt: 1 } as never), /Did you mean budget\?/],
    ["a label", (ctx) => ctx.snapshot(5 as never), /label must be a string/],
    [
      "a change of a view",
      (ctx) => ctx.changeView({ empty: 1, encode: () => new Uint8Array(), decode: () => 1 }, 5 as never),
      /change must be a function/,
    ],
    ["a kind of view", (ctx) => ctx.changeView({} as never, () => 1), /encode/],
    ["a query of snapshots", (ctx) => ctx.snapshots({ limt: 1 } as never), /Did you mean limit\?/],
    ["a query of log", (ctx) => ctx.log({ limit: "x" } as never), /limit must be a whole number/],
    ["no query of log", (ctx) => ctx.log(undefined as never), /query must be a plain object/],
    ["no query of records", (ctx) => ctx.records(undefined as never), /query must be a plain object/],
    ["a place in the past", (ctx) => ctx.past("1" as never), /at must be a position/],
    ["no place in the past", (ctx) => ctx.past(undefined as never), /at must be a position/],
    ["records that may stand", (ctx) => ctx.standing([1] as never), /must be a list of records/],
    ["keys as one text", (ctx) => ctx.depend("abc"), /keys must be a list of strings/],
    ["keys", (ctx) => ctx.depend(5 as never), /keys must be a list of strings/],
    ["a target", (ctx) => ctx.isPinned("x" as never), /target must be a plain object/],
    ["a cursor", (ctx) => ctx.resume(5 as never), /cursor must be a string/],
    ["what is shared", (ctx) => ctx.shared("x" as never), /must have the method make/],
    ["a query of records", (ctx) => ctx.records({ limt: 1 } as never), /Did you mean limit\?/],
    ["bounds of a preview", (ctx) => ctx.preview({ budget: "x" } as never), /budget must be a whole number/],
    ["a request of diff", (ctx) => ctx.diff({ frm: 1 } as never), /Did you mean from\?/],
    ["a request of blame", (ctx) => ctx.blame({ path: "a.txt", lmit: 1 } as never), /Did you mean limit\?/],
    ["a request of undo", (ctx) => ctx.undo({} as never), /send either record/],
    ["a dry undo", (ctx) => ctx.undo({ record: 1, dryRun: true } as never), /unknown name "dryRun"/],
    ["a request of restore", (ctx) => ctx.restore({} as never), /to must be the number of a record/],
  ];

  test.each(WRONG)("[CALL-120] %s of the wrong kind is refused in words", async (_, step, message) => {
    const { session, result } = await run(async (ctx) => refusal(() => step(ctx)));
    expect(result.value).toMatchObject({ code: "invalid_argument", message: expect.stringMatching(message) });
    expect(session.files()).toMatchObject([{ path: A, version: 1, executable: false }]);
    await session.close();
  });

  test("[CALL-120] a cursor to what JSON cannot hold is refused, by its field", async () => {
    const { session, result } = await run(async (ctx) =>
      ctx.cursor({ next: 10n } as never).catch((error: unknown) => String(error)),
    );
    expect(result.value).toMatch(/TypeError: .*cursor.*next is a BigInt/);
    await session.close();
  });

  test("[CALL-120] content is what session.workspace takes whole", async () => {
    const { session, result } = await run(async ({ files }) => {
      const { buffer } = new TextEncoder().encode("three");
      await files.create(parsePath("1"), "one");
      await files.create(parsePath("2"), new DataView(buffer, 0, 2) as never);
      await files.create(parsePath("3"), buffer as never);
      return (await files.stat(parsePath("2")))?.size_bytes;
    });
    expect(result.value).toBe(2);
    expect(new TextDecoder().decode(await session.workspace.read("3"))).toBe("three");
    await session.close();
  });

  test("[CALL-121] a tool cannot change what agents are permitted", async () => {
    const { session, result } = await run(async (ctx) => {
      const { permissions } = ctx;
      const isSet = Reflect.set(permissions, "restoreAll", true);
      return [isSet, permissions.restoreAll, ctx.permissions.restoreAll];
    });
    expect(result.value).toEqual([false, false, false]);
    await session.close();
  });

  test("[CALL-120] a field of a tool that there is not, or of another kind, is refused", () => {
    const whole = {
      name: "own",
      toolset: "own",
      access: "write",
      title: "Own",
      description: "Own.",
      input: z.object({}),
      output: z.unknown(),
      targets: () => [],
      run: async () => ({}),
      text: () => "",
    } as const;
    expect(defineTool(whole).name).toBe("own");
    for (const [more, message] of [
      [{ ignoreGates: true }, /Did you mean ignoresGates\?/],
      [{ destructive: "no" }, /destructive must be true or false/],
      [{ version: "requird" }, /Did you mean required\?/],
      [{ kind: "cal" }, /Did you mean call\?/],
      [{ advertises: ["dryrun"] }, /Did you mean dryRun\?/],
      [{ resolve: 5 }, /resolve must be a function/],
      [{ input: z.string() }, /input must be a z\.object/],
    ] as const)
      expect(() => defineTool({ ...whole, ...more } as never), JSON.stringify(more)).toThrow(message);
  });
});

const COUNT = {
  empty: 0,
  encode: (view: number) => new Uint8Array([view]),
  decode: (bytes: Uint8Array) => bytes[0] ?? 0,
};

/** Every way to write. */
const WRITES: readonly (readonly [name: string, write: (ctx: WriteCtx) => unknown])[] = [
  ["files.create", ({ files }) => files.create(NEW, "x")],
  ["files.replace", ({ files }) => files.replace(A, "new\n")],
  ["files.splice", ({ files }) => files.splice(A, [{ at: 0, remove: 1, insert: new Uint8Array([65]) }])],
  ["files.append", ({ files }) => files.append(A, "x")],
  ["files.move", ({ files }) => files.move(A, NEW)],
  ["files.moveAll", ({ files }) => files.moveAll([{ from: A, to: NEW }])],
  ["files.copy", ({ files }) => files.copy(A, NEW)],
  ["files.remove", ({ files }) => files.remove(A)],
  ["undo", (ctx) => ctx.undo({ record: ctx.at.seq })],
  ["restore", (ctx) => ctx.restore({ to: 1 })],
  ["snapshot", (ctx) => ctx.snapshot("s")],
  ["change", (ctx) => ctx.change({ name: "files" } as never, { slice: "files" } as never)],
  ["depend", (ctx) => ctx.depend(["file:/a.txt"])],
];
const SLOW = WRITES.filter(([name]) => !["snapshot", "change", "depend"].includes(name));

async function expectLost({ session, log, result }: Ran, message: RegExp): Promise<void> {
  expect(result.error).toMatchObject({ code: "internal", reason: "unexpected" });
  expect(result.text).toContain("Nothing was written.");
  expect(log.entries).toHaveLength(1);
  expect(String(log.entries[0]?.detail["cause"])).toMatch(message);
  expect(log.entries[0]?.detail).toMatchObject({ tool: "script" });
  expect(session.files()).toMatchObject([{ path: A, version: 1 }]);
  expect(await session.snapshots()).toEqual([]);
  await session.close();
}

describe("writes that would be lost", () => {
  const reads = (name: string): RegExp =>
    new RegExp(
      `The tool script called ctx\\.${name} where it can only read: nothing was written\\. Write in run of a tool with access: "write"`,
    );

  test.each([...WRITES, ["changeView", (ctx: WriteCtx) => ctx.changeView(COUNT, () => 1)] as const])(
    "[CALL-121] a tool that reads cannot write by %s, awaited or not",
    async (name, write) => {
      await expectLost(await run(async (ctx) => write(ctx), "read"), reads(name));
      const unheard: Script = async (ctx) => {
        try {
          void write(ctx);
        } catch {
          // Those that do not take their time throw at once.
        }
        return {};
      };
      await expectLost(await run(unheard, "read"), reads(name));
      await expectLost(await run(async (ctx) => write((await ctx.past(ctx.at)) as WriteCtx)), reads(name));
    },
  );

  test("[CALL-121] neither does resolve, of whatever tool", async () => {
    const tool = defineTool({
      name: "script",
      toolset: "own",
      access: "write",
      title: "Script",
      description: "Writes too early.",
      input: z.object({}),
      output: z.unknown(),
      resolve: (_, ctx) => void (ctx as WriteCtx).files.create(NEW, "x"),
      targets: () => [],
      run: async () => ({}),
      text: () => "",
    });
    const { session, log } = await bench({ files: { "a.txt": "old\n" }, tools: [tool] });
    await expectLost(
      { session, log, result: await session.as(EDITOR).call("script") },
      reads("files.create"),
    );
  });

  test.each([
    ["targets", { targets: async () => [] }],
    ["targets", { targets: () => undefined }],
    ["targets", { targets: () => [null] }],
    ["based", { based: () => [{}] }],
    ["mayChange", { mayChange: () => 5 }],
    ["mentions", { mentions: () => [5] }],
  ])("[CALL-126] %s that returns no list fails the call, which is noted", async (name, wrong) => {
    const tool = defineTool({
      name: "script",
      toolset: "own",
      access: "write",
      title: "Script",
      description: "Says wrongly what it is about.",
      input: z.object({}),
      output: z.unknown(),
      targets: () => [],
      run: async (ctx) => void (await ctx.files.create(NEW, "x")),
      text: () => "",
      ...(wrong as object),
    });
    const { session, log } = await bench({ files: { "a.txt": "old\n" }, tools: [tool] });
    const result = await session.as(EDITOR).call("script", {}, { idempotencyKey: "k" });
    expect(await session.audited()).toMatchObject([{ tool: "script", outcome: "internal" }]);
    await expectLost({ session, log, result }, new RegExp(`${name} of the tool script must return a list`));
  });

  test.each(WRITES)("[CALL-121] a tool of views cannot write by %s", async (_, write) => {
    const view = /with access: "view", which changes only what its agent sees, by ctx\.changeView/;
    await expectLost(await run(async (ctx) => write(ctx), "view"), view);
  });

  test("[CALL-121] a tool of views changes its view", async () => {
    const { result } = await run(async (ctx) => {
      ctx.changeView(COUNT, (count) => count + 1);
      return (await ctx.view(COUNT)).view;
    }, "view");
    expect(result).toMatchObject({ ok: true, value: 1 });
  });

  test.each(SLOW)("[CALL-122] %s without await fails the call", async (name, write) => {
    const script: Script = async (ctx) => {
      void write(ctx);
      return {};
    };
    const message = `The tool script returned while its ctx.${name} was at work: nothing was written. Put await before it.`;
    await expectLost(await run(script), new RegExp(message.replaceAll(".", "\\.")));
  });

  test("[CALL-122] of a call that fails by itself, its own reason is told", async () => {
    const { log, result, session } = await run(async ({ files }) => {
      await Promise.all([files.create(NEW, "x".repeat(100_000)), files.remove(parsePath("none.txt"))]);
    });
    expect(result.error).toMatchObject({ reason: "no_such_file" });
    expect(log.entries).toEqual([]);
    expect(session.files()).toHaveLength(1);
    await session.close();
  });

  test.each(WRITES)(
    "[CALL-122] %s after the call has ended rejects and is told to the log",
    async (name, write) => {
      let kept: WriteCtx | undefined;
      const { session, log, result } = await run(async (ctx) => {
        kept = ctx;
        await ctx.files.create(NEW, "x");
        return {};
      });
      expect(result.ok).toBe(true);
      const before = session.at;
      const late = await refusal(() => write(kept as WriteCtx));
      expect(String(late)).toBe(
        `Error: The tool script called ctx.${name} after it had returned: nothing was written. Await every write before run returns.`,
      );
      expect(log.entries).toMatchObject([{ message: "a tool wrote too late", detail: { tool: "script" } }]);
      expect(session.at).toEqual(before);
      expect(session.files()).toHaveLength(2);
      await session.close();
    },
  );
});
