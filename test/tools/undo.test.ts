import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokenOf } from "../../src/store/token.ts";
import type { Agent, Session } from "../../src/tools/index.ts";
import { bench, EDITOR, OTHER } from "./bench-session.ts";

async function contents(session: Session): Promise<Record<string, string>> {
  const agent = session.as({ id: "eye", role: "reader" });
  const out: Record<string, string> = {};
  for (const { path } of session.files()) {
    const result = await agent.call<{ content: string }>("read_file", { path });
    out[path.slice("/workspace/".length)] = result.value?.content ?? "";
  }
  return out;
}

function append(agent: Agent, content: string, path = "log") {
  return agent.call("write_file", { path, content, mode: "append" });
}

describe("undo_changes", () => {
  test("[FILES-55] since takes tokens of files and trees, and one of a lost timeline never matches", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    const first = await agent.call("write_file", { path: "a", content: "1" });
    await append(agent, "2", "a");
    for (const since of ["1-deadbeef", "0-deadbeef", "99-deadbeef"])
      expect((await agent.call("undo_changes", { since })).error).toMatchObject({
        code: "conflict",
        reason: "unknown_position",
      });
    expect(await contents(session)).toEqual({ a: "12" });
    expect((await agent.call("undo_changes", { since: first.token })).ok).toBe(true);
    expect(await contents(session)).toEqual({ a: "1" });
    const tree = await agent.call<{ token: string }>("create_tree", { name: "t" });
    await append(agent, "3", "a");
    expect((await agent.call("undo_changes", { since: tree.value?.token })).ok).toBe(true);
    expect(await contents(session)).toEqual({ a: "1" });
  });

  test("[FILES-56] an undo says what it took back, in the caller's names", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "d/a", content: "1" });
    const { value, token } = await agent.call("create_tree", { name: "t" });
    await agent.call("bookmark", { nodeId: value?.rootNodeId ?? "", label: "here", expectedVersion: token });
    const last = await agent.call("undo_changes");
    expect(last.text).toContain("Undid record 2 (create_tree trees), your last call that changed something");
    const file = await agent.call("undo_changes", { record: 1 });
    expect(file.text).toContain("Undid record 1 (write_file /workspace/d/a)\n");
    expect((await agent.call("undo_changes", { record: [3, 4] })).text).not.toMatch(/file:|record:|tree:/);
  });

  test("[FILES-50] takes back the last call that still stands, then the one before", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "log", content: "0" });
    await append(agent, "1");
    await agent.call("write_file", { path: "log", content: "x", mode: "overwrite" });
    await append(agent, "2");
    const undone = [];
    for (let i = 0; i < 4; i++) {
      const result = await agent.call<{ undone: { record: number }[] }>("undo_changes");
      expect(result.text).toMatch(/^Undid record \d/);
      undone.push(result.value?.undone[0]?.record, (await contents(session))["log"]);
    }
    expect(undone).toEqual([4, "x", 3, "01", 2, "0", 1, undefined]);
    expect((await agent.call("undo_changes")).error).toMatchObject({
      code: "not_found",
      reason: "nothing_to_undo",
    });
    expect((await session.log({ limit: 99 })).map((record) => record.kind)).toEqual([
      ...Array(4).fill("call"),
      ...Array(4).fill("undo"),
    ]);
  });

  test("[FILES-2] [FILES-3] versions go on counting; an undone deletion has its old birthday", async () => {
    const { session, clock } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a", content: "1" });
    await append(agent, "2", "a");
    clock.ms = 60_000;
    await agent.call("undo_changes");
    expect(session.files()[0]).toMatchObject({ version: 3, size_bytes: 1 });
    await agent.call("undo_changes");
    expect(session.files()).toEqual([]);
    await session.undo({ record: 4 });
    expect(session.files()[0]).toMatchObject({ version: 4, created_at: new Date(1_700_000_000_000) });
  });

  test("[FILES-51] works beneath later changes beside it, and is refused on the same place", async () => {
    const { session } = await bench();
    const [one, two] = [session.as(EDITOR), session.as(OTHER)];
    await one.call("write_file", { path: "log", content: "a" });
    await append(one, "ONE");
    await append(two, "two");
    await one.call("undo_changes", { record: 2 });
    expect(await contents(session)).toEqual({ log: "atwo" });
    const refused = await one.call("undo_changes", { record: 1 });
    expect(refused.error).toMatchObject({
      code: "conflict",
      reason: "undo_refused",
      data: { refusals: [{ record: 1 }] },
    });
    await two.call("write_file", { path: "log", content: "new", mode: "overwrite" });
    expect((await two.call("undo_changes", { record: 3 })).error?.reason).toBe("undo_refused");
    expect(await contents(session)).toEqual({ log: "new" });
  });

  test("[FILES-52] [FILES-51] takes back all an agent did since a token, or what can be of it", async () => {
    const { session } = await bench();
    const [one, two] = [session.as(EDITOR), session.as(OTHER)];
    const start = await one.call("write_file", { path: "log", content: "0\n" });
    const since = start.ok ? start.token : "";
    await append(one, "1\n");
    await append(two, "two\n");
    await append(one, "3\n");
    await one.call("write_file", { path: "new", content: "n" });
    await append(one, "m", "new");
    const all = await one.call<{ undone: { record: number }[] }>("undo_changes", { since });
    expect(all.value?.undone.map(({ record }) => record)).toEqual([6, 5, 4, 2]);
    expect(await contents(session)).toEqual({ log: "0\ntwo\n" });
    await append(one, "4\n");
    await one.call("write_file", { path: "mine", content: "m" });
    await append(two, "t", "mine");
    expect((await one.call("undo_changes", { since })).error).toMatchObject({ reason: "undo_refused" });
    expect(await contents(session)).toEqual({ log: "0\ntwo\n4\n", mine: "mt" });
    const part = await one.call<{ refused: { record: number }[] }>("undo_changes", { since, partial: true });
    expect(part.value?.refused.map(({ record }) => record)).toEqual([9]);
    expect(await contents(session)).toEqual({ log: "0\ntwo\n", mine: "mt" });
  });

  test("[HIST-44] a refusal advises only what its caller can do", async () => {
    const { session } = await bench();
    const [one, two] = [session.as(EDITOR), session.as(OTHER)];
    await one.call("write_file", { path: "log", content: "a" });
    await one.call("write_file", { path: "log", content: "b", mode: "overwrite" });
    await two.call("write_file", { path: "log", content: "c", mode: "overwrite" });
    const what =
      "[Error] Nothing was undone: record 2: /workspace/log was changed in the same place by record 3. ";
    const host = 'You cannot undo record 3 of "other": ask the host to undo records 2 and 3 together';
    for (const partial of [false, true])
      expect((await one.call("undo_changes", { record: 2, partial })).text).toBe(`${what}${host}.`);
    await one.call("write_file", { path: "new", content: "n" });
    expect((await one.call("undo_changes", { record: [2, 4] })).text).toBe(
      `${what}${host}, or set partial to undo what can be.`,
    );
    expect((await one.call("undo_changes", { record: 3 })).error?.reason).toBe("others_work");
  });

  test("[HIST-46] where nothing was changed at the path, that is said of the path", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "log", content: "a" });
    expect((await agent.call("undo_changes", { path: "nope" })).text).toBe(
      '[Error] "editor" has made no change at /workspace/nope that could be undone.',
    );
    expect((await agent.call("undo_changes", { since: 1 })).text).toBe(
      '[Error] "editor" has made no change after record 1 that could be undone.',
    );
  });

  test("[FILES-53] others' work is the host's to undo", async () => {
    const { session } = await bench();
    await session.as(OTHER).call("write_file", { path: "a", content: "x" });
    const result = await session.as(EDITOR).call("undo_changes", { record: 1 });
    expect(result.error).toMatchObject({ code: "forbidden", reason: "others_work" });
    expect(session.files()).toHaveLength(1);
    expect((await session.undo({ record: 1 })).undone).toEqual([1]);
    expect(session.files()).toEqual([]);
    const [record] = await session.log({ newestFirst: true, limit: 1 });
    expect(record).toMatchObject({ kind: "undo", agent: "host", targets: ["record:1"] });
  });

  test("[FILES-54] an undo can be undone, and that undone again", async () => {
    const { session } = await bench();
    const agent = session.as(EDITOR);
    await agent.call("write_file", { path: "a", content: "x" });
    await append(agent, "y", "a");
    for (const [record, expected] of [
      [2, "x"],
      [3, "xy"],
      [4, "x"],
      [5, "xy"],
    ] as const) {
      await agent.call("undo_changes", { record });
      expect(await contents(session)).toEqual({ a: expected });
    }
    await agent.call("undo_changes");
    expect(await contents(session)).toEqual({ a: "x" });
  });

  test("[FILES-52] undoing every call of an agent leaves what the others would have made without it", async () => {
    const step = fc.record({
      who: fc.constantFrom("one", "two"),
      path: fc.constantFrom("p", "q"),
      mode: fc.constantFrom("create", "append", "overwrite", "undo"),
      content: fc.stringMatching(/^[a-z]{0,3}$/),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const { session } = await bench();
        const since = tokenOf(session.at);
        for (const { who, mode, path, content } of steps) {
          const agent = session.as({ id: who, role: "editor" });
          // Each agent has its own files, so that nothing can be refused.
          if (mode === "undo") await agent.call("undo_changes");
          else await agent.call("write_file", { path: `${who}/${path}`, content, mode });
        }
        const before = await contents(session);
        const result = await session.as({ id: "one", role: "editor" }).call("undo_changes", { since });
        if (!result.ok) expect(result.error.reason).toBe("nothing_to_undo");
        const mine = Object.keys(await contents(session)).filter((path) => path.startsWith("one/"));
        expect(mine).toEqual([]);
        const others = (all: Record<string, string>) =>
          Object.entries(all).filter(([path]) => path.startsWith("two/"));
        expect(others(await contents(session))).toEqual(others(before));
      }),
      { numRuns: 150 },
    );
  });
});
