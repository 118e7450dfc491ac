import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { memoryStore, type Store } from "../../src/store/index.ts";
import { sqliteStore } from "../../src/store/sqlite/store.ts";
import { lineSplicesSteps } from "../../src/session/files/line-splices.ts";
import { bytesSource, diffLines, runNow, type Splice } from "../../src/text/index.ts";
import { scratch } from "../store/scratch.ts";
import { ChildDriver } from "./child-driver.ts";
import { drive, type Answer, type Driver } from "./driver.ts";
import { SessionModel, type Contents, type Deed, type TextEdit } from "./model.ts";

const LONG = process.env["HOLDFAST_LONG"] === "1";
const TIMEOUT = LONG ? 3_600_000 : 300_000;
const PATHS = ["a", "b", "d/c"];
const AGENTS = ["ann", "bob"];

/** One step, as dice: what they mean depends on what the session holds when it is taken. */
interface Dice {
  readonly what: number;
  readonly who: number;
  readonly where: number;
  readonly path: number;
  readonly size: number;
  readonly text: string;
}

const dice: fc.Arbitrary<Dice> = fc.record({
  what: fc.nat(99),
  who: fc.nat(99),
  where: fc.nat(999),
  path: fc.nat(PATHS.length - 1),
  size: fc.nat(4),
  text: fc.stringMatching(/^[a-z\n]{0,4}$/),
});

/** A restore of a file that holds the same text as then, from other records; then the undo of one of those. */
const SAME_TEXT_RESTORED: Dice[] = [
  { what: 0, who: 0, where: 0, path: 1, size: 0, text: "\nk" },
  { what: 25, who: 0, where: 1, path: 1, size: 1, text: "" },
  { what: 0, who: 0, where: 0, path: 1, size: 0, text: "k" },
  { what: 70, who: 0, where: 0, path: 0, size: 2, text: "" },
  { what: 55, who: 0, where: 2, path: 0, size: 3, text: "" },
];

/** An undo that is refused for lines of which only the text was known from its base on. */
const LINES_OF_BEFORE: Dice[] = [
  { what: 0, who: 0, where: 0, path: 0, size: 0, text: "\na\n\n" },
  { what: 35, who: 0, where: 592, path: 0, size: 0, text: "aaaa" },
  { what: 35, who: 0, where: 41, path: 0, size: 0, text: "\n" },
  { what: 35, who: 0, where: 1, path: 0, size: 4, text: "\na" },
  { what: 60, who: 1, where: 3, path: 0, size: 4, text: "" },
];

/** Handles on one session: the first is this process's; a second may be another process's. */
interface World {
  model: SessionModel;
  readonly handles: Driver[];
  /** Opens a handle again after a crash, on the session of this id. */
  reopen(handle: number, id: string): Promise<Driver>;
  fork(id: string, seq: number, into: string): Promise<void>;
  id: string;
  forks: number;
}

async function take(world: World, one: Dice): Promise<void> {
  const path = PATHS[one.path] as string;
  const agent = AGENTS[one.who % AGENTS.length] as string;
  const handle = world.handles[one.where % world.handles.length] as Driver;
  if (one.what < 55) await edit(world, handle, agent, path, one);
  else if (one.what < 70) await undo(world, handle, agent, path, one);
  else if (one.what < 80) await restore(world, handle, path, one);
  else if (one.what < 85) await snapshot(world, handle, one);
  else if (one.what < 90) await compare(world, handle, one);
  else if (one.what < 95) await crash(world, one);
  else await fork(world, one);
}

/** Rewrites come between: the record of a call is found by its token. */
function seqOf(answer: Answer): number {
  expect(answer.reason).toBeUndefined();
  const value = answer.value as { token?: string } | number;
  if (typeof value === "number") return value;
  return value.token === undefined ? answer.seq : Number(value.token.split("-")[0]);
}

async function edit(
  { model }: World,
  handle: Driver,
  agent: string,
  path: string,
  { what, where, size, text }: Dice,
): Promise<void> {
  const call = (tool: string, input: object) =>
    handle.run({ do: "call", agent, tool, input: { path, ...input } });
  const file = model.at(path);
  const made = (answer: Answer, edits: readonly TextEdit[], more: object = {}, id = file ?? 0): void => {
    const seq = seqOf(answer);
    model.add(seq, [{ seq, file: id, edits, ...more }]);
  };
  if (file === undefined) {
    const id = model.idFor(path);
    const answer = await call("write_file", { content: text });
    made(answer, [{ at: 0, remove: 0, insert: text }], { exists: true, path }, id);
    return;
  }
  const old = model.contents[path] ?? "";
  if (what < 12)
    made(await call("write_file", { content: text, mode: "append" }), [
      { at: old.length, remove: 0, insert: text },
    ]);
  else if (what < 20) {
    // What an overwrite leaves as it was is not its own: whole lines.
    const content = size > 2 ? `${old.slice(0, where % (old.length + 1))}${text}` : text;
    const edits = diffLines(bytes(old), bytes(content)).map(asEdit);
    made(await call("write_file", { content, mode: "overwrite" }), edits);
  } else if (what < 25)
    made(await call("delete_one", {}), [{ at: 0, remove: old.length, insert: "" }], { exists: false });
  else if (what < 30) {
    const to = PATHS[where % PATHS.length] as string;
    if (model.at(to) === undefined) made(await call("move_one", { to }), [], { path: to });
  } else {
    const at = where % (old.length + 1);
    const remove = Math.min(size, old.length - at);
    const answer = await call("splice_file", { at, remove, insert: text });
    // So is it with the lines of a splice.
    const lines = lineSplicesSteps(bytesSource(bytes(old)), [{ at, remove, insert: bytes(text) }]);
    made(answer, runNow(lines).map(asEdit));
  }
}

function asEdit({ at, remove, insert }: Splice): TextEdit {
  return { at, remove, insert: new TextDecoder().decode(insert) };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function undo(
  { model }: World,
  handle: Driver,
  agent: string,
  path: string,
  { where, size, who }: Dice,
): Promise<void> {
  if (model.seq === 0) return;
  const seq = 1 + (where % model.seq);
  const some = [seq, 1 + ((where * 7) % model.seq)];
  // Half of the pairs are a record and what took it back.
  const by = model.undoOf(seq);
  if (who % 2 === 0 && by !== undefined) some[1] = by;
  const request =
    size === 0
      ? { lastCallOf: agent }
      : size === 1
        ? { agent, since: seq, partial: true }
        : size === 2
          ? { record: some }
          : who % 5 === 0
            ? { record: seq, path }
            : { record: seq };
  let answer = await handle.run({ do: "undo", request });
  // The file that is there; else the one deleted there, and those that the records changed there.
  const meantBy =
    (seqs: readonly number[]) =>
    (file: number): boolean => {
      if (!("path" in request)) return true;
      const now = model.at(path);
      if (now !== undefined) return file === now;
      const isThere = (one: number): boolean =>
        model.pathBefore(file, one) === path || model.upTo(one).lastPathOf(file) === path;
      return (
        model.idFor(path) === file || seqs.some((one) => model.seqsOf(file).includes(one) && isThere(one))
      );
    };
  let named: readonly number[] = [];
  if ("record" in request) {
    named = typeof request.record === "number" ? [request.record] : request.record;
    const isKnown = named.every((one) => model.seqs.includes(one));
    const planned = isKnown ? model.undo(named, meantBy(named)) : new Map<number, number[]>();
    if (answer.reason === "undo_refused") {
      expect(planned).toBeUndefined();
      // What is said to work together does.
      if (answer.together === undefined) return;
      named = answer.together;
      expect(model.undo(named, meantBy(named))?.size).toBeGreaterThan(0);
      answer = await handle.run({ do: "undo", request: { ...request, record: named } });
      expect(answer.reason).toBeUndefined();
    } else if (answer.reason === "nothing_to_undo") {
      const isPart = named.some((one) => !model.seqs.includes(one) || model.doesNothing(one));
      return expect(isPart ? 0 : planned?.size).toBe(0);
    } else expect(planned).toBeDefined();
  }
  if (answer.reason !== undefined) {
    expect(["nothing_to_undo", "undo_refused"]).toContain(answer.reason);
    return;
  }
  const undone = answer.value as number[];
  expect(undone.length).toBeGreaterThan(0);
  const targets = model.undo(undone, meantBy(named));
  expect(targets?.size).toBeGreaterThan(0);
  // The undo is the newest record that is not a rewrite; its own handle may have seen a rewrite since.
  const at = (await handle.run({ do: "newest" })).value as number;
  const deeds = Array.from(targets ?? [], ([file, takesBack]): Deed => ({ seq: at, file, takesBack }));
  model.add(at, deeds);
}

async function restore({ model }: World, handle: Driver, path: string, { where, size }: Dice): Promise<void> {
  const to = model.seqs[where % (model.seqs.length + 1)] ?? 0;
  const past = model.upTo(to);
  const scope = size > 1 ? PATHS : [path];
  const answer = await handle.run(size > 1 ? { do: "restore", to } : { do: "restore", to, path });
  expect(answer.reason).toBeUndefined();
  const { seq, keys } = answer.value as { seq: number; keys: string[] };
  const isWritten = seq > model.seq;
  const deeds: Deed[] = [];
  const isInside = (place: string | undefined): boolean => place === undefined || scope.includes(place);
  const back = (file: number): void => {
    if (!deeds.some((deed) => deed.file === file))
      deeds.push({ seq, file, takesBack: model.seqsOf(file, to) });
  };
  let fresh = model.fresh;
  for (const one of scope) {
    const [now, then] = [model.at(one), past.at(one)];
    const [text = "", before = ""] = [model.contents[one], past.contents[one]];
    if (now !== undefined && now === then) {
      // The same text may be there from elsewhere. Then its history is restored.
      if (text !== before || (isWritten && keys.includes(`file:/${one}`))) back(now);
      continue;
    }
    if (now !== undefined) {
      if (isInside(past.pathOf(now))) back(now);
      else deeds.push({ seq, file: now, edits: [{ at: 0, remove: text.length, insert: "" }], exists: false });
    }
    if (then === undefined) continue;
    if (isInside(model.pathOf(then))) back(then);
    else
      deeds.push({
        seq,
        file: fresh++,
        edits: [{ at: 0, remove: 0, insert: before }],
        exists: true,
        path: one,
      });
  }
  if (isWritten) model.add(seq, deeds);
  else expect(deeds).toEqual([]);
}

async function snapshot(world: World, handle: Driver, { text }: Dice): Promise<void> {
  const answer = await handle.run({ do: "snapshot", label: `s${text}` });
  world.model.add(seqOf(answer), []);
}

async function compare(world: World, handle: Driver, { where, what }: Dice): Promise<void> {
  const { model } = world;
  const places = [0, ...model.seqs];
  const [from, to] = [places[where % places.length] ?? 0, places[(where * 7 + what) % places.length] ?? 0];
  const [a, b] = [model.upTo(from).contents, model.upTo(to).contents];
  const expected = PATHS.filter((path) => a[path] !== b[path]).map((path) =>
    a[path] === undefined ? `added ${path}` : b[path] === undefined ? `removed ${path}` : `changed ${path}`,
  );
  const answer = await handle.run({ do: "changed", from, to });
  expect(answer.reason).toBeUndefined();
  expect(answer.value).toEqual(expected);
}

async function crash(world: World, { where }: Dice): Promise<void> {
  const which = where % world.handles.length;
  await (world.handles[which] as Driver).crash();
  world.handles[which] = await world.reopen(which, world.id);
}

/** Goes on in the fork: what came after its place has never been. */
async function fork(world: World, { where, size }: Dice): Promise<void> {
  if (size > 1 || world.forks > 2) return;
  const { model } = world;
  const seq = model.seqs[where % (model.seqs.length + 1)] ?? 0;
  const into = `${world.id}-${++world.forks}`;
  await world.fork(world.id, seq, into);
  for (const handle of world.handles) await handle.close();
  world.id = into;
  for (const i of world.handles.keys()) world.handles[i] = await world.reopen(i, into);
  world.model = model.upTo(seq);
}

async function check(world: World, steps: readonly Dice[]): Promise<void> {
  for (const [i, step] of steps.entries()) {
    await take(world, step);
    const handle = world.handles[i % world.handles.length] as Driver;
    await compareContents(world, handle);
    // What the newest record did can always be undone.
    const { model } = world;
    if (!model.doesNothing(model.seq)) expect(model.undo([model.seq], () => true)).toBeDefined();
  }
  await crash(world, steps[0] ?? { what: 0, who: 0, where: 0, path: 0, size: 0, text: "" });
  for (const handle of world.handles) {
    await compareContents(world, handle);
    await compareBlame(world, handle);
    expect((await handle.run({ do: "verify" })).value).toBe(true);
  }
}

async function compareContents({ model }: World, handle: Driver): Promise<void> {
  const contents = (await handle.run({ do: "contents" })).value as Contents;
  expect(contents).toEqual(model.contents);
}

async function compareBlame({ model }: World, handle: Driver): Promise<void> {
  for (const path of Object.keys(model.contents))
    expect((await handle.run({ do: "blame", path })).value).toEqual(model.blame(path));
}

async function runOn(
  steps: readonly Dice[],
  makeStore: () => Store,
  open: ((store: Store, which: number, id: string, troubles: unknown[]) => Promise<Driver>) | undefined,
  handles: number,
): Promise<void> {
  let store = makeStore();
  const troubles: unknown[] = [];
  const opened: Driver[] = [];
  const reopen = async (which: number, id: string): Promise<Driver> => {
    // A crash leaves no store behind either.
    store = makeStore();
    const driver = await (open ?? ((one, _which, name) => drive(one, name, troubles)))(
      store,
      which,
      id,
      troubles,
    );
    opened.push(driver);
    return driver;
  };
  const world: World = {
    model: new SessionModel(),
    handles: [],
    id: "s",
    forks: 0,
    reopen,
    async fork(id, seq, into) {
      const journal = await store.open(id);
      const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
      await journal.close();
      const made = await store.fork(id, record ?? journal.genesis, into);
      await made.close();
    },
  };
  for (let which = 0; which < handles; which++) world.handles.push(await reopen(which, "s"));
  try {
    await check(world, steps);
    expect(troubles).toEqual([]);
  } finally {
    for (const driver of opened) await driver.close().catch(() => {});
    await store.close();
  }
}

const root = scratch("memory");
let stores = 0;
const child = new ChildDriver();
afterAll(() => child.kill());

describe("a session against a naive model", () => {
  test(
    "[HIST-120] [HIST-44] [HIST-45] [HIST-80] in memory, through two handles",
    { timeout: TIMEOUT },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(dice, { maxLength: 30, size: "max" }), async (steps) => {
          const store = memoryStore();
          await runOn(steps, () => ({ ...store, close: async () => {} }), undefined, 2);
        }),
        { numRuns: LONG ? 2_000 : 24, examples: [[SAME_TEXT_RESTORED], [LINES_OF_BEFORE]] },
      );
    },
  );

  test("[HIST-43] with undos of undos at any depth", { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(dice, { minLength: 8, maxLength: 30, size: "max" }), async (steps) => {
        const store = memoryStore();
        // A few edits of one file, then mostly undos of single records, the newest ones above all.
        const mostlyUndos = steps.map((step, i) =>
          i < 4 || step.what < 15
            ? { ...step, what: i === 0 ? 0 : 25 + (step.what % 30), path: 0 }
            : { ...step, what: 60, size: 4, where: step.where % (i + 1) },
        );
        await runOn(mostlyUndos, () => ({ ...store, close: async () => {} }), undefined, 1);
      }),
      { numRuns: LONG ? 5_000 : 50 },
    );
  });

  test("[HIST-120] in SQLite, through two handles", { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(dice, { maxLength: 25, size: "max" }), async (steps) => {
        const directory = join(root, String(++stores));
        await runOn(steps, () => sqliteStore({ directory }), undefined, 2);
      }),
      { numRuns: LONG ? 2_000 : 8 },
    );
  });

  test("[HIST-120] in SQLite, with a second process that may be killed", { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(dice, { maxLength: 25 }), async (steps) => {
        const directory = join(root, String(++stores));
        await runOn(
          steps,
          () => sqliteStore({ directory }),
          (store, which, id, troubles) =>
            which === 1 ? child.open(directory, id) : drive(store, id, troubles),
          2,
        );
      }),
      { numRuns: LONG ? 100 : 2 },
    );
  });
});
