// What undos and restores take back in trees, gates and a host's own slice, and what callers are told of it.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { memoryStore } from "../../src/store/index.ts";
import { defineTool, type Agent, type Session, type SessionOptions } from "../../src/tools/index.ts";
import { ticksSlice } from "../session/ticks-slice.ts";
import { hosted } from "../session/host-session.ts";

const tick = defineTool({
  name: "tick",
  toolset: "test",
  access: "write",
  title: "Tick",
  description: "Counts.",
  input: z.object({ by: z.int() }),
  output: z.unknown(),
  targets: () => [],
  async run(ctx, { by }) {
    ctx.change(ticksSlice, { slice: "ticks", op: "tick", by });
    return {};
  },
  text: () => "ok",
});

const countTicks = defineTool({
  name: "count_ticks",
  toolset: "test",
  access: "read",
  title: "Count",
  description: "The count.",
  input: z.object({}),
  output: z.unknown(),
  targets: () => [],
  run: async (ctx) => ({ count: ctx.slice(ticksSlice) }),
  text: (output) => String((output as { count: number }).count),
});

const GATES = { main: { gate_order: ["a"], gates: { a: { question: "A?", required: false } } } };

async function open(options: SessionOptions = {}): Promise<{ session: Session; ann: Agent; bob: Agent }> {
  const { session, as } = await hosted({
    slices: [ticksSlice],
    tools: [tick, countTicks],
    ...options,
  });
  return { session, ann: as("ann"), bob: as("bob") };
}

async function done(agent: Agent, tool: string, input: object): Promise<number> {
  const result = await agent.call<unknown>(tool, input);
  if (!result.ok) throw new Error(result.text);
  return Number(result.token?.split("-")[0] ?? 0);
}

function answer(raw: string): object {
  return {
    answer: {
      summary: "s",
      gates: { a: { raw, classified: null } },
      status: { pass: true, next_gate: null, next_query: null },
    },
  };
}

async function ticks(session: Session): Promise<number> {
  return Number((await session.as({ id: "eye", role: "reader" }).call("count_ticks", {})).text);
}

async function listedUndone(agent: Agent): Promise<number[]> {
  const { value } = await agent.call<{ changes: { record: number; undone?: boolean }[] }>("list_changes");
  return (value?.changes ?? []).filter((one) => one.undone === true).map(({ record }) => record);
}

async function undone(agent: Agent, input: object = {}): Promise<readonly number[] | string> {
  const result = await agent.call<{ undone: { record: number }[] }>("undo_changes", input);
  return result.ok ? result.value.undone.map(({ record }) => record) : result.text;
}

async function tree(agent: Agent, node = "n0"): Promise<string> {
  const { text } = await agent.call("get_subtree", { nodeId: node });
  return text.slice(text.indexOf("{"));
}

describe("a restore of a host's slice", () => {
  test("[HIST-37] [HIST-42] takes back what came after its position, until it is undone", async () => {
    const { session, ann } = await open();
    for (const by of [1, 10]) await done(ann, "tick", { by });
    await session.restore({ to: 1 });
    await expect(session.undo({ record: 2 })).rejects.toThrow(
      "Record 2 was undone by record 3 already. Undo that to bring it back.",
    );
    expect(await undone(ann, { record: 2 })).toBe(
      '[Error] Record 2 was undone by record 3 already. You cannot undo record 3 of "host": ask the host to undo record 3 to bring it back.',
    );
    expect([await ticks(session), await listedUndone(ann)]).toEqual([1, [2]]);
    await done(ann, "tick", { by: 100 });
    await session.undo({ record: 3 });
    expect([await ticks(session), await listedUndone(ann)]).toEqual([111, [3]]);
    await session.undo({ record: 2 });
    expect([await ticks(session), await listedUndone(ann)]).toEqual([101, [3, 2]]);
  });

  test("[HIST-37] [HIST-49] plain undo passes over what a restore or a reset took back", async () => {
    const { session, ann } = await open();
    for (const by of [1, 10, 100]) await done(ann, "tick", { by });
    await session.restore({ to: 1 });
    expect(await undone(ann)).toEqual([1]);
    expect(await ticks(session)).toBe(0);
    await done(ann, "tick", { by: 1000 });
    await session.reset();
    expect(await undone(ann)).toContain("has made no change that could be undone");
    expect((await session.undo({ last: true })).undone).toEqual([7]);
    expect(await ticks(session)).toBe(1000);
  });

  test("[HIST-37] a restore of a position before an undo or a restore takes those back", async () => {
    const { session, ann } = await open();
    for (const by of [1, 10]) await done(ann, "tick", { by });
    await session.undo({ record: 2 });
    await session.restore({ to: 2 });
    expect([await ticks(session), await listedUndone(ann)]).toEqual([11, [3]]);
    await session.restore({ to: 1 });
    expect([await ticks(session), await listedUndone(ann)]).toEqual([1, [4, 3, 2]]);
    await session.restore({ to: 4 });
    expect([await ticks(session), await listedUndone(ann)]).toEqual([11, [5, 3]]);
    await session.undo({ record: 2 });
    expect([await ticks(session), await listedUndone(ann)]).toEqual([1, [5, 3, 2]]);
  });

  test("[HIST-37] [HIST-43] what would be taken back by a restore and an undo at once is refused, and works together", async () => {
    const { session, ann } = await open();
    for (const by of [1, 10]) await done(ann, "tick", { by });
    await session.restore({ to: 1 });
    await session.undo({ record: 3 });
    await session.undo({ record: 2 });
    const refused = session.undo({ record: 4 });
    await expect(refused).rejects.toMatchObject({ reason: "undo_refused", data: { together: [4, 5] } });
    await expect(refused).rejects.toThrow(
      "record 2 would be undone by record 3 again, and is by record 5. Undo records 4 and 5 together.",
    );
    await session.undo({ record: [4, 5] });
    expect([await ticks(session), await listedUndone(ann)]).toEqual([1, [5, 4, 2]]);
  });

  test("[HIST-43] a record that came back when several were undone together can be undone again", async () => {
    const { session, ann } = await open();
    for (const by of [1, 10]) await done(ann, "tick", { by });
    await session.undo({ record: 2 });
    await session.undo({ record: [3, 1] });
    expect(await ticks(session)).toBe(10);
    await session.undo({ record: 2 });
    expect(await ticks(session)).toBe(0);
  });

  test("[HIST-37] holds after a reopen, in a fork, and when the past is pruned", async () => {
    const store = memoryStore();
    const { session, ann } = await open({ store, id: "s" });
    for (const by of [1, 10, 100]) await done(ann, "tick", { by });
    await session.restore({ to: 2 });
    const fork = await session.fork();
    await session.close();
    const { session: again } = await open({ store, id: "s" });
    for (const one of [fork, again]) {
      await expect(one.undo({ record: 3 })).rejects.toThrow("Record 3 was undone by record 4 already");
      await one.undo({ record: 1 });
      expect(await ticks(one)).toBe(10);
    }
    await again.prune({ before: 3 });
    await again.undo({ record: 4 });
    expect(await ticks(again)).toBe(110);
    await again.undo({ record: 3 });
    expect(await ticks(again)).toBe(10);
  });
});

describe("a restore of trees", () => {
  test("[HIST-37] [HIST-49] takes back what was done to them, and plain undo goes on before it", async () => {
    const { session, ann } = await open({ requireVersions: false });
    const made = await done(ann, "create_tree", { name: "t", payloadType: "R", payloadProps: { p: 1 } });
    await done(ann, "tag_node", { nodeId: "n0", tags: ["before"] });
    const before = await tree(ann);
    const at = session.at.seq;
    const child = await done(ann, "add_child", { parentNodeId: "n0", payloadType: "T", payloadProps: {} });
    const tagged = await done(ann, "tag_node", { nodeId: "n0", tags: ["u"] });
    await session.restore({ to: at });
    const restored = session.at.seq;
    expect(await listedUndone(ann)).toEqual([tagged, child]);
    for (const record of [child, tagged])
      await expect(session.undo({ record })).rejects.toThrow(`was undone by record ${restored} already`);
    expect(await undone(ann)).toEqual([at]);
    await session.undo({ record: session.at.seq });
    await session.undo({ record: restored });
    expect(await listedUndone(ann)).not.toContain(child);
    await session.undo({ record: [child, tagged] });
    expect(await tree(ann)).toBe(before);
    expect(made).toBeLessThan(child);
  });

  test("[HIST-37] [HIST-31] of one tree leaves the records of others standing", async () => {
    const { session, ann } = await open({ requireVersions: false });
    for (const name of ["one", "two"])
      await done(ann, "create_tree", { name, payloadType: "R", payloadProps: { name } });
    const trees = (await ann.call<{ trees: { tree: string; rootNodeId: string }[] }>("list_trees")).value
      ?.trees;
    const [one, two] = trees ?? [];
    const at = session.at.seq;
    const inOne = await done(ann, "tag_node", { nodeId: one?.rootNodeId, tags: ["x"] });
    const inTwo = await done(ann, "tag_node", { nodeId: two?.rootNodeId, tags: ["x"] });
    await session.restore({ to: at, slice: "tree", scope: one?.tree ?? "" });
    expect(await listedUndone(ann)).toEqual([inOne]);
    expect(await undone(ann)).toEqual([inTwo]);
  });

  test("[HIST-44] a later change of the same place is named with its owner, and what to ask for", async () => {
    const { session, ann, bob } = await open({ requireVersions: false });
    await done(ann, "create_tree", { name: "t", payloadType: "R", payloadProps: { p: 1 } });
    const mine = await done(ann, "update_payload", { nodeId: "n0", patch: { p: 2 } });
    const theirs = await done(bob, "update_payload", { nodeId: "n0", patch: { p: 3 } });
    expect(await undone(ann)).toBe(
      `[Error] Nothing was undone: record ${mine}: "p" of "n0" was changed since. You cannot undo record ${theirs} of "bob": ask the host to undo records ${mine} and ${theirs} together.`,
    );
    const refused = session.undo({ record: mine });
    await expect(refused).rejects.toThrow(`Undo records ${mine} and ${theirs} together.`);
    await expect(refused).rejects.toMatchObject({ data: { together: [mine, theirs] } });
    expect((await session.undo({ record: [mine, theirs] })).undone).toEqual([theirs, mine]);
  });
});

test("[HIST-44] where no list is known that works, what is in the way is named all the same", async () => {
  const { session, ann, bob } = await open({ requireVersions: false });
  await done(ann, "create_tree", { name: "t", payloadType: "R", payloadProps: { p: 0 } });
  const mine = await done(ann, "update_payload", { nodeId: "n0", patch: { p: 1 } });
  for (let p = 2; p < 22; p++) await done(bob, "update_payload", { nodeId: "n0", patch: { p } });
  expect(await undone(ann)).toBe(
    `[Error] Nothing was undone: record ${mine}: "p" of "n0" was changed since. You cannot undo record ${mine + 1} of "bob": ask the host to undo the later changes first.`,
  );
  await expect(session.undo({ record: mine })).rejects.toThrow(
    `Undo the later changes first, record ${mine + 1} of "bob" among them.`,
  );
});

describe("gates", () => {
  test("[HIST-37] [GATE-65] a restore takes answers back, and an answer since is named", async () => {
    const { session, ann } = await open({ gates: GATES });
    const at = session.at.seq;
    const first = await done(ann, "submit_gates", answer("one"));
    await session.restore({ to: at });
    expect(await listedUndone(ann)).toEqual([first]);
    await expect(session.undo({ record: first })).rejects.toThrow("was undone by record");
    const next = await done(ann, "submit_gates", answer("two"));
    const last = await done(ann, "submit_gates", answer("three"));
    await expect(session.undo({ record: next })).rejects.toThrow(
      `Undo records ${next} and ${last} together.`,
    );
    expect(await undone(ann)).toEqual([last]);
  });

  test("[HT-2] diff_changes names every slice that differs", async () => {
    const { session, ann } = await open({ gates: GATES });
    const at = session.at.seq;
    const answered = await done(ann, "submit_gates", answer("one"));
    const counted = await done(ann, "tick", { by: 1 });
    const shown = async (input: object): Promise<string> => (await ann.call("diff_changes", input)).text;
    expect(await shown({ record: answered })).toBe(`Record ${answered} by ann:\ngates:\n+ main`);
    expect(await shown({})).toBe(`Record ${counted} by ann:\nticks:\n~ ticks`);
    expect(await shown({ since: at })).toBe("gates:\n+ main\nticks:\n~ ticks");
    expect(await shown({ since: counted })).toBe("No difference.");
  });
});

test("[HT-1] a restore is listed by what it changed, not by its position", async () => {
  const { session, ann } = await open({ requireVersions: false });
  await done(ann, "create_tree", { name: "t", payloadType: "R", payloadProps: {} });
  const at = session.at.seq;
  await done(ann, "tag_node", { nodeId: "n0", tags: ["u"] });
  await session.restore({ to: at });
  const { text } = await ann.call("list_changes");
  expect(text).toMatch(/host restore t1, /);
  expect(text).not.toContain("restored:");
});
