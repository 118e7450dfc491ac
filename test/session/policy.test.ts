import { describe, expect, test } from "vitest";
import { memoryStore, sqliteStore, type Store } from "../../src/store/index.ts";
import { HoldfastError, openSession, type Session, type SessionOptions } from "../../src/tools/index.ts";
import { scratch } from "../store/scratch.ts";

const QUESTION = {
  gate_order: ["goal"],
  gates: { goal: { question: "What is the goal?", required: true } },
} as unknown as NonNullable<SessionOptions["gates"]>[string];

const POLICY: SessionOptions = {
  limits: { writeSize: 100, sessionFiles: 7 },
  names: "unicode",
  rules: [{ paths: ["secret/**"], deny: "all" }],
  agentsMayRestore: true,
};

async function kinds(session: Session): Promise<string[]> {
  return (await session.log({})).map(({ kind }) => kind);
}

/** Whether the policy above holds, as an agent sees it. */
async function holds(session: Session): Promise<boolean[]> {
  const agent = session.as({ id: "a", role: "editor" });
  const long = await agent.call("write_file", { path: "long.txt", content: "x".repeat(101) });
  const secret = await agent.call("read_file", { path: "secret/a" });
  const name = await agent.call("stat_file" as "read_file", { path: "\u00e9.txt" });
  return [
    long.error?.reason === "content_too_large",
    secret.error?.reason === "path_denied",
    name.error?.reason !== "path_non_ascii",
  ];
}

describe("policy is state", () => {
  const stores: readonly [string, () => () => Store][] = [
    [
      "memory",
      () => {
        const store = memoryStore();
        return () => store;
      },
    ],
    [
      "sqlite",
      () => {
        const directory = scratch();
        return () => sqliteStore({ directory });
      },
    ],
  ];
  for (const [name, make] of stores)
    test(`[HIST-140] on ${name} it holds where the session is opened again, and in a fork`, async () => {
      const open = make();
      const session = await openSession({ ...POLICY, store: open(), id: "s" });
      expect(await kinds(session)).toEqual(["policy"]);
      expect((await session.log({}))[0]).toMatchObject({ agent: "host", role: "host" });
      expect(await holds(session)).toEqual([true, true, true]);
      const fork = await session.fork();
      expect(await holds(fork)).toEqual([true, true, true]);
      const early = await session.fork({ at: 0 });
      expect(await holds(early)).toEqual([true, true, true]);
      for (const one of [fork, early, session]) await one.close();
      const again = await openSession({ store: open(), id: "s" });
      expect(await holds(again)).toEqual([true, true, true]);
      expect(await kinds(again)).toEqual(["policy"]);
      await again.close();
    });

  test("[HIST-140] gates hold too: their tools are there, and required ones hold writes back", async () => {
    const store = memoryStore();
    const session = await openSession({ store, id: "s", gates: { plan: QUESTION }, requireGates: ["plan"] });
    await session.close();
    const again = await openSession({ store, id: "s" });
    const agent = again.as({ id: "a", role: "editor" });
    expect(agent.tools().map(({ name }) => name)).toContain("submit_gates");
    expect((await agent.call("write_file", { path: "a", content: "x" })).error?.reason).toBe("gate_open");
  });

  test("[HIST-141] what is given settles anew, what is left out holds, and the same again makes no record", async () => {
    const store = memoryStore();
    const open = (options: SessionOptions): Promise<Session> => openSession({ store, id: "s", ...options });
    await (await open(POLICY)).close();
    const same = await open({ limits: { sessionFiles: 7, writeSize: 100 }, names: "unicode" });
    expect(await kinds(same)).toEqual(["policy"]);
    await same.close();
    const changed = await open({ limits: { writeSize: 200 }, rules: [] });
    expect(await kinds(changed)).toEqual(["policy", "policy"]);
    await changed.close();
    const last = await open({});
    expect(await holds(last)).toEqual([false, false, true]);
    for (let i = 0; i < 6; i++) await last.workspace.write(`${i}.txt`, "x");
    await expect(last.workspace.write("one-more.txt", "x")).rejects.toMatchObject({ reason: "over_quota" });
  });

  test.each<[path: string, narrower: SessionOptions]>([
    ["\u00e9.txt", { names: "ascii" }],
    ["a/b/c.txt", { limits: { pathDepth: 2 } }],
    ["longname.txt", { limits: { pathSegmentLength: 8 } }],
  ])("[HIST-146] %s stays a file that can be named", async (path, narrower) => {
    const store = memoryStore();
    const open = (options: SessionOptions): Promise<Session> => openSession({ store, id: "s", ...options });
    const first = await open({ names: "unicode" });
    await first.workspace.write(path, "x");
    await first.close();
    await expect(open(narrower)).rejects.toMatchObject({ code: "invalid_argument", reason: "names_in_use" });
    const same = await open({});
    expect((await same.as({ id: "a", role: "reader" }).call("read_file", { path })).ok).toBe(true);
    // What the message advises.
    const { id } = await same.snapshot("with it");
    await same.workspace.remove(path);
    await same.close();
    const narrowed = await open(narrower);
    const back = { code: "conflict", reason: "names_in_use" };
    await expect(narrowed.undo({ lastCallOf: "host" })).rejects.toMatchObject(back);
    await expect(narrowed.restore({ to: id })).rejects.toMatchObject(back);
    expect(narrowed.files()).toEqual([]);
    await narrowed.close();
  });

  test("[HIST-142] undo, restore and reset leave it alone; toolsets and read-only mode are not kept", async () => {
    const store = memoryStore();
    const first = await openSession({ store, id: "s" });
    const { id } = await first.snapshot("before");
    await first.close();
    const session = await openSession({ ...POLICY, store, id: "s", readOnly: true, toolsets: ["files"] });
    await expect(session.undo({ record: session.at.seq })).rejects.toMatchObject({ code: "not_found" });
    await session.restore({ to: id });
    await session.reset();
    await session.close();
    const again = await openSession({ store, id: "s" });
    expect(await holds(again)).toEqual([true, true, true]);
    const agent = again.as({ id: "a", role: "editor" });
    expect(agent.tools().map(({ name }) => name)).toContain("set_json_value");
    expect((await agent.call("write_file", { path: "a.txt", content: "x" })).ok).toBe(true);
  });

  test("[HIST-140] options that cannot be are refused before anything is made", async () => {
    const store = memoryStore();
    for (const options of [{ rules: [{}] }, { limits: { writeSize: 0 } }, { requireGates: ["none"] }])
      await expect(
        openSession({ store, id: "s", ...(options as unknown as SessionOptions) }),
      ).rejects.toBeInstanceOf(HoldfastError);
    expect(await store.list({ limit: 9 })).toEqual([]);
  });
});
