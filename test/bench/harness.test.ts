import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goalProblems, type Goal } from "../../bench/_judge.ts";
import { runBench, type RunResult } from "../../bench/_run.ts";
import { defineBench, defineCase, type AnyCase, type Bench, type Subject } from "../../bench/harness.ts";
import { ROOT } from "../../scripts/_command.ts";

const QUIET = 0.1;
const BUSY = 0.5;
const ISOLATED = path.join(ROOT, "test/fixtures/bench/isolated.bench.ts");

/** A subject whose time does not matter; goals look at the value `cost`. */
function subject(name: string, cost: number): Subject<unknown> {
  return { name, start: () => ({ run: () => cost, values: () => ({ cost }) }) };
}

function oneCase(changes: Partial<Parameters<typeof defineCase>[0]> = {}): AnyCase {
  return defineCase({
    name: "job",
    setup: () => ({}),
    rounds: 3,
    warmups: 1,
    ours: subject("holdfast", 10),
    peers: [subject("peer", 100)],
    ...changes,
  });
}

const base = { bench: "b", case: "job", what: "the job", value: "cost" } as const;
const RATIO: Goal = { ...base, id: "ratio", kind: "ratio", against: { peer: "peer" }, atLeast: 10 };
const ABSOLUTE: Goal = { ...base, id: "absolute", kind: "absolute", atMost: 10, unit: "ms" };
const COUNT: Goal = { ...base, id: "count", kind: "count", atMost: 10 };

interface Ran extends RunResult {
  readonly output: string;
}

async function run(
  cases: readonly AnyCase[],
  goals: readonly Goal[],
  load = QUIET,
  only?: string,
): Promise<Ran> {
  const bench = defineBench({ name: "b", title: "b", cases, goals: goals.map((goal) => goal.id) });
  return runAs(bench, goals, load, only);
}

async function runAs(bench: Bench, goals: readonly Goal[], load = QUIET, only?: string): Promise<Ran> {
  const lines: string[] = [];
  const result = await runBench(bench, goals, {
    file: ISOLATED,
    load,
    only,
    print: (text) => lines.push(text),
    log: () => {},
  });
  return { ...result, output: lines.join("\n") };
}

const verdicts = (ran: Ran): string[] => ran.judged.map((j) => j.verdict);

describe("goals", () => {
  test("that are met end the run with 0 and are shown with bound and measure", async () => {
    const ran = await run([oneCase()], [RATIO, ABSOLUTE, COUNT]);
    expect(verdicts(ran)).toEqual(["met", "met", "met"]);
    expect(ran.judged.map((j) => j.measured)).toEqual([10, 10, 10]);
    expect(ran.code).toBe(0);
    expect(ran.output).toContain(">= 10x");
    expect(ran.output).toContain("b: 3 goals met, 0 missed or not measured, 0 not judged, 0 problems");
  });

  test.each([
    ["ratio", { ...RATIO, atLeast: 10.1 }],
    [
      "ratio with an upper bound",
      { ...base, id: "r", kind: "ratio", against: { peer: "peer" }, atMost: 0.09 },
    ],
    ["absolute", { ...ABSOLUTE, atMost: 9.9 }],
    ["absolute in another unit", { ...ABSOLUTE, atMost: 9_999, unit: "us" }],
    ["count", { ...COUNT, atMost: 9 }],
    ["count in another unit", { ...COUNT, atMost: 0.009, unit: "KB" }],
  ] as const)("that are missed (%s) end the run with 1", async (_, goal) => {
    const ran = await run([oneCase()], [goal]);
    expect(verdicts(ran)).toEqual(["missed"]);
    expect(ran.code).toBe(1);
    expect(ran.output).toContain("MISSED");
  });

  test("compare one case with another of ours", async () => {
    const small = oneCase({ name: "small", ours: subject("holdfast", 8) });
    const goal: Goal = { ...base, id: "g", kind: "ratio", against: { case: "small" }, atMost: 1.3 };
    expect((await run([oneCase(), small], [goal])).judged).toMatchObject([
      { verdict: "met", measured: 1.25 },
    ]);
  });

  test("in absolute time are not judged on a busy machine, and the others are", async () => {
    const goals: Goal[] = [{ ...ABSOLUTE, atMost: 1 }, RATIO, { ...COUNT, atMost: 9 }];
    const ran = await run([oneCase()], goals, BUSY);
    expect(verdicts(ran)).toEqual(["not judged", "met", "missed"]);
    expect(ran.output).toContain("not judged: absolute times count only");
    expect((await run([oneCase()], goals.slice(0, 2), BUSY)).code).toBe(0);
  });

  test.each([
    ["case", { ...COUNT, case: "other" }],
    ["value", { ...COUNT, value: "memory" }],
    ["peer", { ...RATIO, against: { peer: "stranger" } }],
  ])("whose %s was not measured end the run with 1", async (_, goal) => {
    const ran = await run([oneCase()], [goal]);
    expect(verdicts(ran)).toEqual(["not measured"]);
    expect(ran.code).toBe(1);
  });

  test("must be claimed by their benchmark, all and only they", async () => {
    const bench = defineBench({ name: "b", title: "b", cases: [oneCase()], goals: ["ratio", "mine"] });
    const ran = await runAs(bench, [RATIO, COUNT]);
    expect(ran.problems).toEqual([
      "b claims the goal mine, which goals.json does not give to it",
      "b must answer the goal count and does not claim it",
    ]);
    expect(ran.code).toBe(1);
  });

  test("of cases that were not asked for are left out", async () => {
    const other = oneCase({ name: "other" });
    const ran = await run([oneCase(), other], [RATIO, { ...COUNT, case: "other" }], QUIET, "job");
    expect(ran.judged.map((j) => j.goal.id)).toEqual(["ratio"]);
    expect(ran.cases.map((c) => c.name)).toEqual(["job"]);
    expect(ran.output).toContain("1 goals of other cases were not asked for");
  });
});

describe("a peer", () => {
  test("that says it is missing fails the run by name, and the rest is still measured", async () => {
    const gone: Subject<unknown> = { ...subject("jq", 1), missing: () => "jq is not installed" };
    const ran = await run([oneCase({ peers: [gone, subject("peer", 100)] })], [RATIO]);
    expect(ran.problems).toEqual(["job: jq is missing: jq is not installed"]);
    expect(verdicts(ran)).toEqual(["met"]);
    expect(ran.code).toBe(1);
  });

  test("that cannot start counts as missing", async () => {
    const broken: Subject<unknown> = {
      name: "peer",
      start: () => {
        throw new Error("cannot find package");
      },
    };
    const ran = await run([oneCase({ peers: [broken] })], [RATIO]);
    expect(ran.problems).toEqual(["job: peer is missing: cannot find package"]);
    expect(ran.code).toBe(1);
  });

  test("that answers something else fails the run", async () => {
    const ran = await run([oneCase({ agree: (ours, theirs) => ours === theirs })], []);
    expect(ran.problems).toEqual(["job: peer answered something else than holdfast: 100 instead of 10"]);
    expect(ran.code).toBe(1);
  });
});

describe("a case", () => {
  let kept: string;
  beforeEach(() => {
    kept = mkdtempSync(path.join(tmpdir(), "holdfast-harness-"));
  });
  afterEach(() => rmSync(kept, { recursive: true, force: true }));

  test("runs its subjects in turns, begun by another one each round, and cleans up", async () => {
    const calls: string[] = [];
    let dir = "";
    const watched = (name: string): Subject<unknown> => ({
      name,
      start: () => ({
        before: (round) => void calls.push(`${name} before ${round}`),
        run: () => calls.push(`${name} run`),
        after: () => void calls.push(`${name} after`),
        stop: () => void calls.push(`${name} stop`),
      }),
    });
    const ran = await run(
      [
        oneCase({
          rounds: 2,
          warmups: 1,
          setup: (context) => {
            dir = context.dir;
            expect(existsSync(dir)).toBe(true);
          },
          teardown: () => void calls.push("teardown"),
          ours: watched("a"),
          peers: [watched("b")],
        }),
      ],
      [],
    );
    expect(ran.code).toBe(0);
    // Short work is done once before each timed round, so that no round is timed right after a collection.
    const order = ["a before -1", "b before -1", "b before 0", "a before 0", "a before 1", "b before 1"];
    expect(calls.filter((call) => call.includes("before"))).toEqual(order.flatMap((call) => [call, call]));
    expect(calls.slice(0, 3)).toEqual(["a before -1", "a run", "a after"]);
    expect(calls.slice(-3)).toEqual(["a stop", "b stop", "teardown"]);
    expect(existsSync(dir)).toBe(false);
  });

  test("that throws while it runs fails the run and is still cleaned up", async () => {
    const calls: string[] = [];
    const broken: Subject<unknown> = {
      name: "holdfast",
      start: () => ({
        run: () => Promise.reject(new Error("broke")),
        stop: () => void calls.push("stop"),
      }),
    };
    const ran = await run([oneCase({ ours: broken, teardown: () => void calls.push("teardown") })], [RATIO]);
    expect(ran.problems).toEqual(["job: broke"]);
    expect(calls).toEqual(["stop", "teardown"]);
    expect(ran.code).toBe(1);
  });

  test("in microseconds is run many times a round", async () => {
    let runs = 0;
    const quick: Subject<unknown> = { name: "holdfast", start: () => ({ run: () => runs++ }) };
    const ran = await run([oneCase({ ours: quick, peers: [], repeat: "auto", rounds: 2, warmups: 0 })], []);
    expect(runs).toBeGreaterThan(1000);
    expect(ran.cases[0]?.measured[0]?.time.median).toBeLessThan(1);
  });

  test("is refused when two subjects share a name", () => {
    expect(() => defineBench({ name: "b", title: "b", goals: [], cases: [oneCase(), oneCase()] })).toThrow(
      'Two entries are called "job"',
    );
    const twin = oneCase({ peers: [subject("holdfast", 1)] });
    expect(() => defineBench({ name: "b", title: "b", goals: [], cases: [twin] })).toThrow(RangeError);
  });
});

describe("an isolated case", () => {
  const load = async (): Promise<Bench> => ((await import(ISOLATED)) as { default: Bench }).default;

  test("measures memory in processes of their own", { timeout: 60_000 }, async () => {
    const ran = await runAs(await load(), [], QUIET, "memory");
    expect(ran.problems).toEqual([]);
    const [small, large] = ran.cases[0]?.measured ?? [];
    expect(large?.values).toEqual({ bytes: 96 * 1024 * 1024 });
    // Generous on both sides: the point is that one subject's memory is not the other's.
    expect(small?.memory).toBeLessThan(48 * 1024 * 1024);
    expect(large?.memory).toBeGreaterThan(72 * 1024 * 1024);
  });

  test("reports a process that ended", { timeout: 60_000 }, async () => {
    const ran = await runAs(await load(), [], QUIET, "crash");
    expect(ran.problems).toEqual(["crash: its process ended (code 3) during round"]);
    expect(ran.code).toBe(1);
  });
});

describe("goals.json", () => {
  const { goals } = JSON.parse(readFileSync(path.join(ROOT, "bench/goals.json"), "utf8")) as {
    readonly goals: readonly Goal[];
  };

  test("can be understood", () => {
    expect(goalProblems(goals)).toEqual([]);
  });
});
