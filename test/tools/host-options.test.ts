import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { memoryStore, sqliteStore } from "../../src/store/index.ts";
import { HoldfastError } from "../../src/errors.ts";
import { STORE_LIMITS } from "../../src/limits.ts";
import { createMcpServer, serveMcpStdio } from "../../src/mcp/index.ts";
import { defineTool, openSession, type Session, type SessionOptions } from "../../src/tools/index.ts";
import { diffLines } from "../../src/text/index.ts";
import { bench, echoTool, EDITOR } from "./bench-session.ts";

function fail(): never {
  throw new Error("cannot be read");
}

describe("what a host misspells", () => {
  test("[CALL-27] an unknown option or toolset is refused with the nearest name", async () => {
    const wrong: [SessionOptions, RegExp][] = [
      [{ toolset: ["files"] } as never, /unknown name "toolset"\. Did you mean toolsets\?/],
      [{ readonly: true } as never, /Did you mean readOnly\?/],
      [{ toolsets: ["file"] }, /unknown name "file"\. Did you mean files\?/],
      [{ toolsets: ["nope"] }, /Known: files, json, patch, tree, gates, history/],
      [{ limits: { callburst: 5 } as never }, /callBurst/],
    ];
    for (const [options, message] of wrong) await expect(openSession(options)).rejects.toThrow(message);
    const { session } = await bench();
    expect(() => session.as({ ...EDITOR, toolset: ["files"] } as never)).toThrow(/Did you mean toolsets\?/);
    expect(() => session.as({ ...EDITOR, toolsets: ["patches"] })).toThrow(/Did you mean patch\?/);
    const called = await session.as(EDITOR).call("echo", {}, { idempotencykey: "k" } as never);
    expect(called.error).toMatchObject({ code: "invalid_argument", reason: "unknown_option" });
  });

  test("[LIM-4] a limit of the store is refused, and the message says where it belongs", async () => {
    for (const name of STORE_LIMITS)
      await expect(openSession({ limits: { [name]: 1_000 } }), name).rejects.toMatchObject({
        code: "invalid_argument",
        reason: "bad_limits",
        message: `Limits of the store, not of a session: ${name}. Set them where you make the store, as in sqliteStore({ directory, ${name} }).`,
      });
    // @ts-expect-error a limit of the store is none of a session.
    const limits: NonNullable<SessionOptions["limits"]> = { auditEntries: 1_000 };
    await expect(openSession({ limits })).rejects.toThrow(/auditEntries/);
  });

  test("[CALL-27] [CALL-29] so are those of a store", () => {
    expect(() => memoryStore({ auditEntry: 5 } as never)).toThrow(/Did you mean auditEntries\?/);
    expect(() => memoryStore({ auditEntries: "5" } as never)).toThrow(/auditEntries must be a whole number/);
    expect(() => sqliteStore({ director: "/x" } as never)).toThrow(/Did you mean directory\?/);
    for (const bad of [{}, { directory: 5 }])
      expect(() => sqliteStore(bad as never)).toThrow(/directory must be a string/);
  });

  test("[CALL-29] an option of the wrong kind, and one of a method that does not exist, are refused", async () => {
    const wrong = {
      id: 5,
      create: "no",
      name: 5,
      store: 5,
      limits: 5,
      readOnly: "yes",
      toolsets: "files",
      tools: 5,
      names: "utf",
    };
    const more = {
      gates: 5,
      requireGates: "x",
      rulesets: 5,
      requireVersions: 5,
      agentsMayRestore: 1,
      openGate: 5,
      clock: 5,
      log: 5,
    };
    for (const [name, value] of Object.entries({ ...wrong, ...more, slices: 5 }))
      await expect(openSession({ [name]: value }), name).rejects.toMatchObject({ code: "invalid_argument" });
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const methods: Record<string, (given: never) => unknown> = {
      snapshots: (given) => session.snapshots(given),
      restore: (given) => session.restore(given),
      fork: (given) => session.fork(given),
      undo: (given) => session.undo(given),
      diff: (given) => session.diff(given),
      log: (given) => session.log(given),
      blame: (given) => session.blame(given),
      verify: (given) => session.verify(given),
      watch: (given) => session.watch(given),
      prune: (given) => session.prune(given),
      audited: (given) => session.audited(given),
      close: (given) => session.close(given),
      tools: (given) => agent.tools(given),
    };
    for (const [name, method] of Object.entries(methods))
      for (const given of [null, 5, "x", [], { nope: 1 }, { limit: "x", to: 0 }])
        await expect(
          (async () => method(given as never))(),
          `${name} ${JSON.stringify(given)}`,
        ).rejects.toMatchObject({ code: "invalid_argument" });
    for (const label of [undefined, null, 5])
      await expect(session.snapshot(label as never)).rejects.toMatchObject({ reason: "bad_options" });
    for (const request of [undefined, {}])
      for (const name of ["restore", "undo", "blame", "prune"])
        await expect(methods[name]?.(request as never), name).rejects.toMatchObject({
          reason: "bad_options",
        });
    expect(() => session.on("tol" as never, () => {})).toThrow(/Did you mean tool\?/);
    expect(() => session.on("tool", 5 as never)).toThrow(/must be a function/);
    expect(await session.audited()).toEqual([]);
    expect(session.files()).toEqual([]);
  });

  /** Of every kind, each wrong for what is asked unless the row says that it fits. */
  const throwing = new Proxy({}, { ownKeys: () => fail() });
  class Options {
    readonly seq = 1;
    get dryRun(): boolean {
      return true;
    }
  }
  const VALUES: readonly [name: string, value: unknown][] = [
    ["null", null],
    ["undefined", undefined],
    ["number", 5],
    ["string", "x"],
    ["array", []],
    ["array of numbers", [1]],
    ["object", {}],
    ["other object", { nope: 1 }],
    ["symbol", Symbol("x")],
    ["bigint", 5n],
    ["NaN", Number.NaN],
    ["negative", -1],
    ["huge", 1e300],
    ["function", () => 1],
    ["true", true],
    ["throwing", throwing],
    ["throwing throughout", new Proxy({}, { ownKeys: fail, get: fail })],
    ["date", new Date()],
    ["map", new Map()],
    ["instance", new Options()],
    ["inherited", Object.create({ dryRun: true, record: 1, to: 1, path: "a", before: 1 })],
    ["inherited, far", Object.create(Object.create(null, { dryRun: { value: true } }) as object)],
  ];
  const OBJECT = ["undefined", "object"];
  type Row = readonly [
    name: string,
    fits: readonly string[],
    call: (given: never, session: Session) => unknown,
  ];
  const ROWS: readonly Row[] = [
    ["as", [], (v, s) => s.as(v)],
    ["as: id", ["string"], (id, s) => s.as({ id, role: "editor" })],
    ["as: toolsets", ["undefined", "array"], (toolsets, s) => s.as({ ...EDITOR, toolsets })],
    ["as: a toolset", [], (name, s) => s.as({ ...EDITOR, toolsets: [name] })],
    ["workspace.stat", ["string"], (v, s) => s.workspace.stat(v)],
    ["workspace.read", ["string"], (v, s) => s.workspace.read(v)],
    ["workspace.stream", ["string"], (v, s) => s.workspace.stream(v).next()],
    ["workspace.write: path", ["string"], (v, s) => s.workspace.write(v, "x")],
    ["workspace.write: content", ["string", "array", "map"], (v, s) => s.workspace.write("b", v)],
    ["workspace.write: options", OBJECT, (v, s) => s.workspace.write("b", "x", v)],
    ["workspace.writeAll", ["array", "map"], (v, s) => s.workspace.writeAll(v)],
    ["workspace.writeAll: a pair", [], (v, s) => s.workspace.writeAll([v])],
    ["workspace.remove", ["string"], (v, s) => s.workspace.remove(v)],
    ["agentsMayRead", ["string"], (v, s) => s.agentsMayRead(v)],
    ["settleLanding: request", ["number"], (v, s) => s.settleLanding(v, { state: "landed" })],
    ["settleLanding: reply", [], (v, s) => s.settleLanding(1, v)],
    ["snapshot", ["string"], (v, s) => s.snapshot(v)],
    ["snapshots", OBJECT, (v, s) => s.snapshots(v)],
    ["snapshots: limit", ["undefined", "number"], (limit, s) => s.snapshots({ limit })],
    ["restore", [], (v, s) => s.restore(v)],
    ["restore: to", ["number"], (to, s) => s.restore({ to, dryRun: true })],
    ["restore: path", ["undefined", "string"], (path, s) => s.restore({ to: 1, path, dryRun: true })],
    ["reset", OBJECT, (v, s) => s.reset(v)],
    ["directory", ["object"], (v, s) => s.directory(v ?? (5 as never))],
    ["fork", OBJECT, async (v, s) => (await s.fork(v)).close()],
    ["verify", OBJECT, (v, s) => s.verify(v)],
    ["diff", OBJECT, (v, s) => s.diff(v)],
    ["log", OBJECT, (v, s) => s.log(v)],
    ["blame", [], (v, s) => s.blame(v)],
    ["watch", OBJECT, (v, s) => s.watch(v)],
    ["sync", ["object"], (v, s) => s.sync(v ?? (5 as never))],
    ["close", ["object"], (v, s) => s.close(v ?? (5 as never))],
    ["tools", OBJECT, (v, s) => s.as(EDITOR).tools(v)],
    ["settled", ["undefined", "number"], (v, s) => s.settled(v)],
    ["sync: take", ["undefined", "object"], (take, s) => s.sync({ take })],
    ["refresh", OBJECT, (v, s) => s.refresh(v)],
    ["plan", OBJECT, (v, s) => s.plan(v)],
    ["plan: records", ["undefined", "array", "array of numbers"], (records, s) => s.plan({ records })],
    ["plan: a record", ["number"], (v, s) => s.plan({ records: [v] })],
    ["plan: an agent", ["string"], (v, s) => s.plan({ agents: [v] })],
    ["plan: a path", ["string"], (v, s) => s.plan({ paths: [v] })],
    ["plan: leave", [], (v, s) => s.plan({ leave: [v] })],
    ["plan.text", OBJECT, async (v, s) => (await s.plan()).text(v)],
    ["plan.text: binary", ["undefined", "true"], async (binary, s) => (await s.plan()).text({ binary })],
    ["plan.land", OBJECT, async (v, s) => (await s.plan()).land(v)],
    [
      "plan.land: onProgress",
      ["undefined", "function"],
      async (v, s) => (await s.plan()).land({ onProgress: v }),
    ],
    ["plan.gitCommit", [], async (v, s) => (await s.plan()).gitCommit(v)],
    ["plan.gitCommit: branch", ["string"], async (branch, s) => (await s.plan()).gitCommit({ branch })],
    [
      "plan.gitCommit: folder",
      ["undefined", "string"],
      async (folder, s) => (await s.plan()).gitCommit({ branch: "b", folder }),
    ],
    ["revertLanding", ["number"], (v, s) => s.revertLanding(v)],
    ["undo", [], (v, s) => s.undo(v)],
    [
      "undo: record",
      ["number", "array", "array of numbers"],
      (record, s) => s.undo({ record, dryRun: true }),
    ],
    ["undo: lastCallOf", ["string"], (lastCallOf, s) => s.undo({ lastCallOf, dryRun: true })],
    ["undo: since", ["number"], (since, s) => s.undo({ agent: "a", since, dryRun: true })],
    ["diff: from", ["undefined", "number"], (from, s) => s.diff({ from })],
    ["diff: only", ["undefined", "function"], (only, s) => s.diff({ only })],
    ["diff: signal", ["undefined"], (signal, s) => s.diff({ signal })],
    ["log: since", ["undefined", "date"], (since, s) => s.log({ since })],
    ["log: since, no time", [], (_, s) => s.log({ since: new Date(Number.NaN) })],
    ["log: limit", ["undefined", "number"], (limit, s) => s.log({ limit })],
    ["blame: at", ["undefined", "number"], (at, s) => s.blame({ path: "a", at })],
    ["watch: signal", [], (signal, s) => s.watch({ after: 0, signal: signal ?? (5 as never) })],
    ["prune", [], (v, s) => s.prune(v)],
    ["audited", OBJECT, (v, s) => s.audited(v)],
    ["on", [], (v, s) => s.on(v, () => {})],
    ["gates.get", ["string"], (v, s) => s.gates.get(v ?? (5 as never))],
    ["gates.submit", ["string"], (v, s) => s.gates.submit({}, v ?? (5 as never))],
    ["tools: advertise", ["undefined", "array"], (advertise, s) => s.as(EDITOR).tools({ advertise })],
    ["memoryStore", OBJECT, (v) => memoryStore(v)],
    ["memoryStore: auditEntries", ["undefined", "number"], (auditEntries) => memoryStore({ auditEntries })],
    ["sqliteStore", [], (v) => sqliteStore(v)],
    ["defineTool", [], (v) => defineTool(v)],
    ["defineTool: run", ["function"], (run) => defineTool({ ...DECLARED, run })],
    ["defineTool: input", [], (input) => defineTool({ ...DECLARED, input })],
    ["defineTool: name", ["string"], (name) => defineTool({ ...DECLARED, name })],
    ["createMcpServer", OBJECT, (v, s) => createMcpServer(s.as(EDITOR), v)],
    ["createMcpServer: session", ["undefined"], (v, s) => createMcpServer(s.as(EDITOR), { session: v })],
    ["createMcpServer: agent", [], (v) => createMcpServer(v)],
    ["serveMcpStdio: log", [], (v, s) => serveMcpStdio(s.as(EDITOR), { log: v ?? (5 as never) })],
    ["openSession", OBJECT, (v) => openSession(v)],
    ["openSession: limits", OBJECT, (limits) => openSession({ limits })],
    ["openSession: a limit", ["undefined", "number"], (callBurst) => openSession({ limits: { callBurst } })],
    ["openSession: files", OBJECT, (files) => openSession({ files })],
    ["openSession: a file", ["string", "array", "map"], (a) => openSession({ files: { a } })],
    ["openSession: a rule", [], (rule) => openSession({ rules: [rule] })],
    ["openSession: a tool", [], (tool) => openSession({ tools: [tool] })],
    ["openSession: a slice", [], (slice) => openSession({ slices: [slice] })],
    ["openSession: a toolset", [], (name) => openSession({ toolsets: [name] })],
    ["openSession: gates", OBJECT, (gates) => openSession({ gates })],
    ["openSession: a gate set", [], (gate) => openSession({ gates: { gate } })],
    ["openSession: a required gate", ["string"], (name) => openSession({ requireGates: [name] })],
    ["openSession: a mount", [], (mount) => openSession({ mounts: [mount] })],
    [
      "openSession: include",
      ["undefined", "array"],
      (include) => openSession({ mounts: [{ from: "/nowhere", include }] }),
    ],
    ["openSession: mountRoots", ["string"], (root) => openSession({ mountRoots: [root] })],
  ];
  const DECLARED = { ...echoTool, access: "read" } as never as Parameters<typeof defineTool>[0];

  test.each(ROWS)("[CALL-29] %s refuses every value of another kind", async (_name, fits, call) => {
    const { session } = await bench();
    await session.workspace.write("a", "x");
    for (const [kind, value] of VALUES) {
      const error: unknown = await (async () => call(value as never, session))().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined || fits.includes(kind)) {
        expect(fits, kind).toContain(kind);
        expect(error === undefined || HoldfastError.is(error), kind).toBe(true);
        continue;
      }
      expect(error, kind).toMatchObject({ name: "HoldfastError", code: "invalid_argument" });
    }
    await session.close();
  });

  test("[CALL-115] options are plain objects, of any realm: what is inherited is refused and never read", async () => {
    const { session } = await bench();
    await session.workspace.write("a", "x");
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const unreadable = [revoked.proxy, new Proxy({}, { getPrototypeOf: fail })];
    for (const how of [new Options(), Object.create({ dryRun: true }), new Date(), ...unreadable])
      await expect(session.reset(how as never)).rejects.toMatchObject({ reason: "bad_options" });
    await expect(session.reset(new Options() as never)).rejects.toThrow(
      "reset must be a plain object, such as {}, and not one with a prototype of its own, as an instance of a class has.",
    );
    expect(() => diffLines(new Uint8Array(), new Uint8Array(), new Date() as never)).toThrow(
      "must be a plain object",
    );
    expect(session.files()).toHaveLength(1);
    for (const how of ["({ dryRun: true })", "Object.assign(Object.create(null), { dryRun: true })"])
      expect(await session.reset(runInNewContext(how) as never)).toMatchObject({ changes: { files: 1 } });
    expect(session.files()).toHaveLength(1);
  });

  test("[CALL-29] an object that a host gives must have the methods that will be called", async () => {
    for (const given of [{ store: {} }, { clock: { now: () => new Date() } }, { log: { warn: () => {} } }])
      await expect(openSession(given as never), JSON.stringify(given)).rejects.toMatchObject({
        reason: "bad_options",
      });
    await expect(openSession({ log: {} } as never)).rejects.toThrow("log must have the method error.");
    await expect(openSession({ tools: [echoTool, echoTool] })).rejects.toThrow(
      'tools: two are named "echo".',
    );
  });

  test("[CALL-27] toolsets take names of single tools", async () => {
    const { session } = await bench({ toolsets: ["files", "undo_changes"] });
    expect(
      session
        .as(EDITOR)
        .tools()
        .map(({ name }) => name),
    ).toEqual([
      "list_directory",
      "read_file",
      "stat_file",
      "find_files",
      "search_files",
      "write_file",
      "edit_file",
      "replace_in_files",
      "move_file",
      "copy_file",
      "delete_file",
      "undo_changes",
    ]);
    const one = session.as({ ...EDITOR, toolsets: ["read_file"] });
    expect(one.tools().map(({ name }) => name)).toEqual(["read_file"]);
    expect((await one.call("write_file", { path: "a", content: "x" })).error?.reason).toBe(
      "toolset_not_allowed",
    );
    expect((await session.as(EDITOR).call("snapshot_list")).error?.reason).toBe("toolset_not_allowed");
  });

  test("[CALL-1] [CALL-29] a name or a signal that is none is a refusal, and a missing identity one of ours", async () => {
    const { session } = await bench();
    for (const name of [undefined, null, Symbol("x"), 5n, {}, ""])
      expect((await session.as(EDITOR).call(name as never)).error).toMatchObject({ reason: "unknown_tool" });
    for (const who of [null, undefined, "editor", 5])
      expect(() => session.as(who as never)).toThrow(/An agent is \{ id, role \}/);
    const { signal } = new AbortController();
    await session.as(EDITOR).call("write_file", { path: "a", content: "x" }, { signal });
    expect(await session.log()).toHaveLength(1);
    const refused = await session.as(EDITOR).call("write_file", { path: "b" }, { signal: {} as never });
    expect(refused.error).toMatchObject({ reason: "bad_options" });
  });
});

describe("identities", () => {
  test("[CALL-26] host, external and system are taken, and an identity is copied", async () => {
    const { session } = await bench();
    for (const id of ["host", "external", "system", "me", "Host", "SYSTEM", "Me"])
      expect(() => session.as({ id, role: "editor" })).toThrow(/not for agents/);
    const toolsets = ["files"];
    const agent = session.as({ id: "a", role: "editor", toolsets });
    toolsets.push("history");
    expect((await agent.call("undo_changes")).error?.reason).toBe("toolset_not_allowed");
  });
});

describe("sessions that are not there", () => {
  test("[CALL-28] create: false opens only what the store has", async () => {
    const store = memoryStore();
    await expect(openSession({ store, id: "mistyped", create: false })).rejects.toMatchObject({
      code: "not_found",
      reason: "session_not_found",
    });
    expect(await store.list({ limit: 9 })).toEqual([]);
    await (await openSession({ store, id: "real" })).close();
    await (await openSession({ store, id: "real", create: false })).close();
  });
});

describe("bounds", () => {
  test("[CALL-86] a budget in a call lowers the host's bound and never raises it", async () => {
    const { session } = await bench({ limits: { budgetChars: 2_000 } });
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a", content: "line\n".repeat(2_000) });
    for (const budget of [undefined, 1_000_000]) {
      const read = await agent.call("read_file", { path: "a", ...(budget === undefined ? {} : { budget }) });
      expect(read.text.length).toBeLessThanOrEqual(2_000);
    }
    expect((await agent.call("read_file", { path: "a", budget: 1_000 })).text.length).toBeLessThanOrEqual(
      1_000,
    );
  });

  test("[CALL-85] a cursor that nobody gave out is refused, whatever it holds", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a", content: "line\n".repeat(2_000) });
    const first = await agent.call<{ cursor: string }>("read_file", { path: "a", budget: 1_000 });
    const [body = "", mac = ""] = first.value?.cursor.split(".") ?? [];
    const [seq, hash] = JSON.parse(Buffer.from(body, "base64url").toString()) as [number, string];
    const forged = [{ at: -5, line: 1 }, { at: "x" }, null, 7].map((place) =>
      Buffer.from(JSON.stringify([seq, hash, place])).toString("base64url"),
    );
    for (const text of [
      ...forged.map((one) => `${one}.${mac}`),
      `${body}.`,
      `${body}.AAAA`,
      ".",
      "",
      `.${mac}`,
    ])
      expect((await agent.call("read_file", { path: "a", cursor: text })).error?.reason, text).toBe(
        "bad_cursor",
      );
    expect((await agent.call("read_file", { path: "a", cursor: first.value?.cursor })).ok).toBe(true);
  });
});
