import { join } from "node:path";
import { z } from "zod";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/index.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { defineTool, type Session, type Tool } from "../../src/tools/index.ts";
import { bagSlice, type Bag, type BagChange } from "../session/bag-slice.ts";
import { scratch } from "../store/scratch.ts";
import { filesSlice } from "../../src/session/files/files-slice.ts";
import { foldersSlice } from "../../src/session/folders/folders-slice.ts";
import { gatesSlice } from "../../src/session/gates/gates-slice.ts";
import { landingsSlice } from "../../src/session/landings.ts";
import { policySlice } from "../../src/session/policy.ts";
import { OWN_SLICES } from "../../src/session/state.ts";
import { treeSlice } from "../../src/session/tree/tree-slice.ts";
import { bench, EDITOR } from "./bench-session.ts";

type BagSlice = ReturnType<typeof bagSlice>;

/** Puts what `make` returns into the bag, and then does `after` to it. */
function putTool(bag: BagSlice, make: () => unknown, after: (data: unknown) => void = () => {}): Tool {
  return defineTool({
    name: "put",
    toolset: "test",
    access: "write",
    title: "Put",
    description: "Puts something into the bag.",
    input: z.object({}),
    output: z.object({}),
    targets: () => [],
    async run(ctx) {
      const data = make();
      ctx.change(bag, { slice: "bag", op: "put", data });
      after(data);
      return {};
    },
    text: () => "put",
  });
}

function lookTool(bag: BagSlice, seen: (bag: Bag) => void): Tool {
  return defineTool({
    name: "look",
    toolset: "test",
    access: "read",
    title: "Look",
    description: "Looks into the bag.",
    input: z.object({}),
    output: z.unknown(),
    targets: () => [],
    run: async (ctx) => seen(ctx.slice(bag)),
    text: () => "seen",
  });
}

class Point {
  readonly x = 1;
}

const loop: { self?: unknown } = {};
loop.self = loop;

const REFUSED: readonly [what: string, make: () => unknown, said: string][] = [
  ["NaN", () => Number.NaN, "data is NaN. Give a finite number, a string or null"],
  ["Infinity", () => ({ by: -Infinity }), "data.by is -Infinity"],
  ["undefined in a list", () => [1, undefined], "data[1] is undefined. Give null"],
  ["a hole in a list", () => Array.from({ length: 3 }).fill(1, 0, 1), "data[1] is undefined"],
  ["a sparse list", () => Object.assign([], { length: 1e9 }), "data[0] is undefined"],
  ["a BigInt", () => 1n, "data is a BigInt. Give a number or a string"],
  ["a function", () => ({ run: () => 1 }), "data.run is a function. Leave it out"],
  ["toJSON of its own", () => ({ toJSON: () => 1 }), "data.toJSON is a function"],
  ["a symbol", () => [Symbol("s")], "data[0] is a symbol"],
  [
    "a Date",
    () => ({ at: new Date(0) }),
    "data.at is an instance of Date. Give its fields as a plain object",
  ],
  ["a Map", () => new Map([[1, 2]]), "data is an instance of Map"],
  ["an instance of a class", () => ({ "a b": new Point() }), 'data["a b"] is an instance of Point'],
  ["bytes", () => new Uint8Array(2), "data is an instance of Uint8Array"],
  ["a boxed number", () => new Number(1), "data is an instance of Number"],
  ["a prototype without a name", () => Object.create({ x: 1 }) as object, "data is an instance of Object"],
  ["a cycle", () => ({ list: [loop] }), "data.list[0].self contains itself. Name what it refers to by an id"],
];

const TAKEN: readonly [what: string, make: () => unknown][] = [
  ["scalars", () => [null, true, false, 0, -1.5e-9, 1e21, Number.MAX_VALUE, "", "text"]],
  ["-0", () => ({ by: -0, list: [-0] })],
  ["a field that is undefined", () => ({ by: 1, note: undefined })],
  ["lone surrogates", () => ({ "\uD800": "\uDFFF x \uD83D" })],
  ["the key __proto__", () => JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as unknown],
  ["a getter", () => Object.defineProperty({}, "n", { get: () => Math.random(), enumerable: true })],
  ["a proxy", () => new Proxy({ n: 1 }, { get: () => Math.random() })],
  ["no prototype", () => Object.assign(Object.create(null) as object, { x: 1 })],
  ["a list with a field", () => Object.assign([1], { toJSON: () => 2 })],
  ["the same part twice", () => [loop, loop].map(() => TWICE)],
  ["1,200 levels", () => deep(1_200)],
  ["a record that is packed", () => Array.from({ length: 5_000 }, (_, i) => ({ i, text: "\uD800" }))],
];

const TWICE = { x: [1] };

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { value };
  return value;
}

async function live(session: Session): Promise<void> {
  expect(await session.as(EDITOR).call("look", {})).toMatchObject({ ok: true });
}

describe("changes of a host's slice", () => {
  test.each(REFUSED)(
    "[HIST-150] [CALL-66] %s is a mistake of the tool: nothing is written, the log says where",
    async (_, make, said) => {
      const bag = bagSlice();
      const { session, log } = await bench({ slices: [bag], tools: [putTool(bag, make)] });
      const before = session.at;
      for (const dryRun of [true, false]) {
        const result = await session.as(EDITOR).call<unknown>("put", { dryRun });
        expect(result).toMatchObject({ ok: false, error: { code: "internal", reason: "unexpected" } });
        expect(result.text).toContain("Nothing was written.");
      }
      expect(session.at).toEqual(before);
      const cause = log.entries[0]?.detail["cause"];
      expect(cause).toBeInstanceOf(TypeError);
      expect(String(cause)).toContain(`a change of the slice "bag" must be plain JSON data: ${said}`);
    },
  );

  test.each(["memory", "sqlite"])(
    "[HIST-1] [HIST-150] what is taken is the same live and reopened (%s)",
    async (kind) => {
      const store = kind === "memory" ? memoryStore() : sqliteStore({ directory: join(scratch(), "store") });
      for (const [i, [what, make]] of TAKEN.entries()) {
        const bag = bagSlice();
        const seen: Bag[] = [];
        const tools = [putTool(bag, make), lookTool(bag, (one) => seen.push(one))];
        const options = { store, id: `bag-${i}`, slices: [bag], tools };
        for (let opened = 0; opened < 2; opened++) {
          const { session } = await bench(options);
          if (opened === 0) expect(await session.as(EDITOR).call("put"), what).toMatchObject({ ok: true });
          await live(session);
          await session.close();
        }
        const [made, reopened] = seen;
        expect(made, what).toHaveLength(1);
        // toStrictEqual recurses: so many levels are too many for it.
        if (what === "1,200 levels") expect(JSON.stringify(made)).toBe(JSON.stringify(reopened));
        else expect(made, what).toStrictEqual(reopened);
      }
      await store.close();
    },
  );

  test("[HIST-150] what a tool does to its change afterwards makes no difference, and nothing may alter a change", async () => {
    const bag = bagSlice();
    const seen: Bag[] = [];
    const grow = putTool(
      bag,
      () => [1],
      (data) => (data as number[]).push(2),
    );
    const { session } = await bench({ slices: [bag], tools: [grow, lookTool(bag, (one) => seen.push(one))] });
    expect(await session.as(EDITOR).call("put")).toMatchObject({ ok: true });
    await live(session);
    expect(seen[0]).toEqual([[1]]);
    expect(Object.isFrozen(seen[0]?.[0])).toBe(true);
    const [record] = await session.log({ newestFirst: true, limit: 1 });
    expect(record?.changes).toEqual([{ slice: "bag", op: "put", data: [1] }]);
  });

  test("[HIST-150] [CALL-118] a change is read once: it cannot become one of another slice", async () => {
    const bag = bagSlice();
    let reads = 0;
    const sly = Object.defineProperty({ op: "put", data: 1 }, "slice", {
      get: () => (reads++ === 0 ? "bag" : "files"),
      enumerable: true,
    }) as unknown as BagChange;
    const tool = defineTool({
      ...putTool(bag, () => 1),
      access: "write",
      version: "optional",
      async run(ctx) {
        ctx.change(bag, sly);
        return {};
      },
    });
    const { session } = await bench({ slices: [bag], tools: [tool] });
    expect(await session.as(EDITOR).call("put")).toMatchObject({ ok: true });
    const [record] = await session.log({ newestFirst: true, limit: 1 });
    expect([record?.changes, reads]).toEqual([[{ slice: "bag", op: "put", data: 1 }], 1]);
  });

  test("[HIST-150] what an undo or a restore of the slice makes is looked at alike", async () => {
    const bag = bagSlice(() => new Date(0));
    const { session } = await bench({ slices: [bag], tools: [putTool(bag, () => 1)] });
    const agent = session.as(EDITOR);
    await agent.call("put");
    const full = session.at;
    const message = 'a change of the slice "bag" must be plain JSON data: data is an instance of Date';
    await expect(session.undo({ lastCallOf: EDITOR.id })).rejects.toThrow(message);
    await expect(session.restore({ to: full.seq })).rejects.toThrow(message);
    expect(session.at).toEqual(full);
  });

  test("[HIST-151] a slice has a name that no other has", async () => {
    const bag = bagSlice();
    for (const slices of [[{ ...bag, name: "files" }], [{ ...bag, name: "folders" }], [bag, bag]])
      await expect(bench({ slices })).rejects.toMatchObject({ reason: "bad_options" });
    await expect(bench({ slices: [{ ...bag, name: 5 as never }] })).rejects.toMatchObject({
      reason: "bad_options",
    });
  });

  test("[HIST-151] the names of the house are those of its slices", () => {
    const own = [filesSlice, gatesSlice, treeSlice, landingsSlice, policySlice, foldersSlice];
    expect(new Set(own.map(({ name }) => name))).toEqual(OWN_SLICES);
  });
});
