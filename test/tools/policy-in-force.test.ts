import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { memoryStore, sqliteStore, type Store } from "../../src/store/index.ts";
import {
  openSession,
  type Agent,
  type CallResult,
  type Session,
  type SessionOptions,
} from "../../src/tools/index.ts";

const folders: string[] = [];
const sessions: Session[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const STORES: readonly [string, () => () => Store][] = [
  [
    "one store",
    () => {
      const store = memoryStore();
      return () => store;
    },
  ],
  [
    "two stores on one directory, as two processes have them",
    () => {
      const directory = mkdtempSync(join(tmpdir(), "holdfast-"));
      folders.push(directory);
      return () => sqliteStore({ directory });
    },
  ],
];

async function open(store: Store, options: SessionOptions = {}): Promise<Session> {
  const session = await openSession({ store, id: "s", toolsets: ["all"], ...options });
  sessions.push(session);
  return session;
}

const EDITOR = { id: "a", role: "editor" } as const;
const GATES = {
  plan: { gate_order: ["goal"], gates: { goal: { question: "What is the goal?", required: true } } },
} satisfies SessionOptions["gates"];

/** An agent of a session that is open, and what settles its policy anew elsewhere. */
async function opened(
  make: () => Store,
  loose: SessionOptions = {},
): Promise<{ agent: Agent; session: Session; tighten: (strict: SessionOptions) => Promise<Session> }> {
  const session = await open(make(), loose);
  const agent = session.as(EDITOR);
  await agent.call("write_file", { path: "a.txt", content: "one\n" });
  await agent.call("read_file", { path: "a.txt" });
  return { agent, session, tighten: (strict) => open(make(), strict) };
}

describe.each(STORES)("a policy settled by another opening, over %s", (_, stores) => {
  const refusal = async (call: Promise<CallResult>): Promise<unknown> => (await call).error?.reason;
  const write = (agent: Agent, path: string): Promise<CallResult> =>
    agent.call("write_file", { path, content: "two\n", mode: "upsert" });

  test("[CALL-110] rules bind sessions that are open, in their next write", async () => {
    const { agent, session, tighten } = await opened(stores());
    await tighten({ rules: [{ paths: ["a.txt"], deny: "all" }] });
    expect(await refusal(write(agent, "a.txt"))).toBe("path_denied");
    expect(await refusal(agent.call("read_file", { path: "a.txt" }))).toBe("path_denied");
    expect(session.agentsMayRead("a.txt")).toBe(false);
    expect(session.prompt()).not.toContain("a.txt");
    expect(new TextDecoder().decode(await session.workspace.read("a.txt"))).toBe("one\n");
  });

  test("[CALL-110] so do gates, with the tools that answer them", async () => {
    const { agent, session, tighten } = await opened(stores());
    await tighten({ gates: GATES, requireGates: ["plan"] });
    expect(await refusal(write(agent, "b.txt"))).toBe("gate_open");
    expect(agent.tools().map(({ name }) => name)).toContain("submit_gates");
    await session.gates.override("plan");
    expect(await refusal(write(agent, "b.txt"))).toBeUndefined();
  });

  test("[CALL-23] a required gate that is closed elsewhere holds back the very next write", async () => {
    const { agent, tighten } = await opened(stores());
    const host = await tighten({ gates: GATES, requireGates: ["plan"] });
    for (const path of ["b.txt", "c.txt", "d.txt"]) {
      await host.gates.override();
      await agent.call("write_file", { path: "open.txt", content: "", mode: "upsert" });
      await host.gates.lift();
      expect(await refusal(write(agent, path))).toBe("gate_open");
    }
    const paths = host.files().map((file) => file.path);
    expect(paths).toEqual(["/workspace/a.txt", "/workspace/open.txt"]);
  });

  test("[CALL-110] so do limits, letters of names and what must name a version", async () => {
    const { agent, tighten } = await opened(stores(), { names: "unicode" });
    await tighten({
      limits: { writeSize: 100, batchItems: 1, fileBytes: 3 },
      names: "ascii",
      rules: [{ paths: ["**"], require: "version" }],
    });
    expect(await refusal(agent.call("write_file", { path: "c.txt", content: "x".repeat(101) }))).toBe(
      "content_too_large",
    );
    expect(await refusal(write(agent, "c.txt"))).toBe("file_too_large");
    expect(await refusal(agent.call("read_file", { paths: ["a.txt", "b.txt"] }))).toBe("batch_too_large");
    expect(await refusal(agent.call("write_file", { path: "é", content: "" }))).toMatch(/^path_/);
    expect(await refusal(agent.call("write_file", { path: "a.txt", content: "", mode: "overwrite" }))).toBe(
      "version_required",
    );
  });

  test("[CALL-110] a fork has the policy of now, also where it is of then", async () => {
    const { session, tighten } = await opened(stores());
    const { at } = session;
    const other = await tighten({ rules: [{ paths: ["**"], deny: "write" }] });
    const fork = await other.fork({ at });
    sessions.push(fork);
    expect(await refusal(write(fork.as(EDITOR), "b.txt"))).toBe("path_denied");
    await write(session.as(EDITOR), "b.txt");
    const own = await session.fork();
    sessions.push(own);
    expect(await refusal(write(own.as(EDITOR), "b.txt"))).toBe("path_denied");
  });
});
