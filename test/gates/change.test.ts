import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyGateChange,
  decideGates,
  decodeGateSets,
  defineGates,
  diffGateSets,
  emptyGates,
  encodeGateSets,
  gateChangesBetween,
  gateSetKey,
  invertGateChange,
  NO_GATE_SETS,
  overrideGates,
  parseGates,
  putGates,
  rebaseGateChange,
  refuseGateChange,
  openGate,
  type GateRecord,
  type GateSets,
} from "../../src/gates/index.ts";

const gates = defineGates({
  gate_order: ["a", "b"],
  gates: { a: { question: "A?", required: true }, b: { question: "B?" } },
});

function record(a: string | null, b: string | null = null): GateRecord {
  const result = parseGates({ gates: { a: { raw: a }, b: { raw: b } } }, gates, { actor: "user" });
  if (!result.ok) throw new Error("refused");
  return { state: result.state as never, decision: result.decision };
}

const anyRecord = fc
  .tuple(fc.constantFrom(null, "1", "2"), fc.constantFrom(null, "1"))
  .map(([a, b]) => record(a, b));
const anySets: fc.Arbitrary<GateSets> = fc
  .dictionary(fc.constantFrom("main", "second", "__proto__", "x y"), anyRecord)
  .map((sets) => new Map(Object.entries(sets)));

const plain = (sets: GateSets): string => JSON.stringify([...sets].sort(([a], [b]) => (a < b ? -1 : 1)));

describe("changes", () => {
  test("[GATE-47] a change is plain data that applies, inverts and is refused where the set moved", () => {
    const first = putGates(NO_GATE_SETS, "main", record("x"));
    expect(JSON.parse(JSON.stringify(first))).toMatchObject({
      slice: "gates",
      op: "put",
      set: "main",
      before: null,
    });
    const one = applyGateChange(NO_GATE_SETS, first);
    expect(NO_GATE_SETS.size).toBe(0);
    const second = putGates(one, "main", record("y"));
    const two = applyGateChange(one, second);
    expect(plain(applyGateChange(two, invertGateChange(second)))).toBe(plain(one));
    expect(applyGateChange(one, invertGateChange(first)).size).toBe(0);
    expect(refuseGateChange(two, invertGateChange(second))).toStrictEqual([]);
    expect(refuseGateChange(two, invertGateChange(first))).toMatchObject([
      { reason: "gates_changed", key: "gate:main" },
    ]);
    expect(rebaseGateChange(first, [putGates(one, "other", record("z"))])).toBe(first);
    expect(rebaseGateChange(first, [second])).toMatchObject([{ reason: "gates_changed" }]);
    const journalled = JSON.parse(JSON.stringify(second)) as typeof second;
    expect(refuseGateChange(one, journalled)).toStrictEqual([]);
  });
  test("[GATE-48] the changes between two collections lead from one to the other, and no more", () => {
    fc.assert(
      fc.property(anySets, anySets, (from, to) => {
        const changes = gateChangesBetween(from, to);
        for (const change of changes) expect(refuseGateChange(from, change)).toStrictEqual([]);
        expect(plain(changes.reduce(applyGateChange, from))).toBe(plain(to));
        expect(gateChangesBetween(to, to)).toStrictEqual([]);
        expect(new Set(changes.map((change) => change.set)).size).toBe(changes.length);
        const scoped = gateChangesBetween(from, to, "main");
        expect(scoped.length).toBe(changes.filter((change) => change.set === "main").length);
      }),
      { numRuns: 300 },
    );
  });
  test("[GATE-48] a diff says what each set went through", () => {
    const a = new Map([
      ["main", record(null)],
      ["old", record("x")],
    ]);
    const b = new Map([
      ["main", record("1", "2")],
      ["new", record(null)],
    ]);
    expect(diffGateSets(a, b)).toStrictEqual([
      {
        set: "main",
        change: "changed",
        summary_changed: false,
        gates: ["a", "b"],
        pass: { before: false, after: true },
      },
      {
        set: "old",
        change: "removed",
        summary_changed: false,
        gates: ["a", "b"],
        pass: { before: true, after: false },
      },
      {
        set: "new",
        change: "added",
        summary_changed: false,
        gates: ["a", "b"],
        pass: { before: false, after: false },
      },
    ]);
    expect(diffGateSets(a, b, "old")).toHaveLength(1);
  });
  test("[GATE-58] a diff lists gates in the order of their configuration", () => {
    const digits = defineGates({
      gate_order: ["b", "10", "2"],
      gates: { "2": { question: "2?" }, "10": { question: "10?" }, b: { question: "B?" } },
    });
    const state = emptyGates(digits) as unknown as GateRecord["state"];
    const value = { raw: "x", classified: null };
    const before = {
      state: { ...state, gates: { "1": value } },
      decision: decideGates(emptyGates(digits), digits),
    };
    const after = { ...before, state: { ...state, gates: { b: value, "2": value, "10": value } } };
    const [diff] = diffGateSets(new Map([["main", before]]), new Map([["main", after]]), undefined, {
      main: digits,
    });
    expect(diff?.gates).toEqual(["b", "10", "2", "1"]);
  });
  test("[GATE-49] a collection comes back from its bytes, and each set is a key", () => {
    fc.assert(
      fc.property(anySets, (sets) => {
        expect(plain(decodeGateSets(encodeGateSets(sets)))).toBe(plain(sets));
      }),
      { numRuns: 200 },
    );
    expect(decodeGateSets(new Uint8Array()).size).toBe(0);
    expect(gateSetKey("main")).toBe("gate:main");
  });
  test("[GATE-50] work waits until a set passes or is overridden, and is told for which question", () => {
    expect(openGate(NO_GATE_SETS, "main", gates)).toEqual({ gate: "a", question: "A?" });
    expect(openGate(new Map([["main", record("x")]]), "main", gates)).toBeUndefined();
    expect(openGate(new Map([["main", record(null)]]), "main", gates)).toEqual({ gate: "a", question: "A?" });
    const overridden = overrideGates(emptyGates(gates), gates) as unknown as GateRecord;
    expect(openGate(new Map([["main", overridden]]), "main", gates)).toBeUndefined();
  });
});
