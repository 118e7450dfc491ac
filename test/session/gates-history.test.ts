// The rules of history hold for the answers to gates: checked by the suite that every slice takes.

import { describe } from "vitest";
import { decideGates, defineGates, emptyGates, putGates, type GateChange } from "../../src/gates/index.ts";
import { gatesSlice, type GatesState } from "../../src/session/gates/gates-slice.ts";
import { historySuite, type SliceUnderTest } from "./history-suite.ts";
import { below, pick } from "./random.ts";

const config = defineGates({
  gate_order: ["data", "goal"],
  gates: {
    data: { question: "Is there data?", required: true },
    goal: { question: "What is the goal?", required: true },
  },
});

function recordOf(data: string | null, goal: string | null): Parameters<typeof putGates>[2] {
  const gates = { data: { raw: data, classified: null }, goal: { raw: goal, classified: null } };
  const state = { ...emptyGates(config), summary: `${data ?? "-"} ${goal ?? "-"}`, gates };
  return { state, decision: decideGates(state, config) } as unknown as Parameters<typeof putGates>[2];
}

const gates: SliceUnderTest<GatesState, GateChange> = {
  name: "gates",
  slice: gatesSlice,
  async change({ sets }, random) {
    const set = pick(random, ["main", "more", "third"]);
    const word = (): string | null => pick(random, ["yes", "no", null]);
    if (sets.has(set) && below(random, 5) === 0) return putGates(sets, set, null);
    return putGates(sets, set, recordOf(word(), word()));
  },
  view: ({ sets }) => Object.fromEntries([...sets].sort(([a], [b]) => (a < b ? -1 : 1))),
  scopes: ({ sets }) => [...sets.keys()],
  within: (view, scope) => [(view as Record<string, unknown>)[scope]],
};

describe("[GATE-65] answers are history", () => {
  historySuite(gates);
});
