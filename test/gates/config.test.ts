import { describe, expect, expectTypeOf, test } from "vitest";
import {
  checkGateConfig,
  defineGates,
  emptyGates,
  gatePrompt,
  parseGates,
  type CategoryOf,
  type GateDecision,
  type GateSet,
  type KeyOf,
} from "../../src/gates/index.ts";
import { HoldfastError } from "../../src/errors.ts";

const document = {
  PATH: "prompts/a",
  MODE: "gate",
  LLM_ROLE: "You are a careful interviewer.",
  GATE_ORDER: ["1_data", "2_use"],
  GATES: {
    "1_data": { question: "Data?", required: true, expected_categories: ["Yes", "No"], stop_message: "Bye" },
    "2_use": { question: "Use?", required: false },
  },
  MANDATORY_LOGIC: ["a", "b"],
  SYSTEM_INSTRUCTIONS: "Be brief.",
  POLICY: { strict_status: false },
} as const;

describe("configuration", () => {
  test("[GATE-1] a prompt document with upper-case keys is the same as an object", () => {
    const gates = defineGates(document);
    expect([...gates.gates.keys()]).toStrictEqual(["1_data", "2_use"]);
    expect(gates.policy).toMatchObject({ strict_status: false, strict_classified_validation: true });
    expect(gatePrompt(gates)).toContain("careful interviewer");
    expect(gatePrompt(gates)).toContain("Be brief.");
    const payload = { summary: "", gates: { "1_data": { classified: "Yes" } }, status: { pass: true } };
    const object = {
      gate_order: document.GATE_ORDER,
      gates: {
        "1_data": { question: "Data?", required: true, expected_categories: ["Yes", "No"] },
        "2_use": { question: "Use?" },
      },
    };
    expect(JSON.stringify(parseGates(payload, document))).toBe(JSON.stringify(parseGates(payload, object)));
  });

  test("[GATE-2] every problem is found at once, with its place", () => {
    const problems = checkGateConfig({
      gate_order: ["a", "a", "b_", "zzz", 5],
      gates: {
        a: { question: " ", expected_categories: ["x", "x", " y", "", 3] },
        b: { question: "B?", required: "yes", categories: [] },
        c: 7,
        " d": { question: "D?", expected_categories: "x" },
      },
      polcy: {},
      policy: { strict_status: 1, summary_limit: 0, strickt: true },
      role: 3,
    });
    expect(problems.map((problem) => `${problem.path} ${problem.message}`)).toStrictEqual([
      'config has the unknown key "polcy"; did you mean policy?',
      "role must be a text, not number",
      'policy has the unknown key "strickt"',
      "policy.strict_status must be true or false, not number",
      "policy.summary_limit must be a whole number above 0",
      "gates.a.question must be a text that is not empty",
      'gates.a.expected_categories[1] repeats "x"',
      'gates.a.expected_categories[2] " y" has blanks at its ends: answers are trimmed',
      "gates.a.expected_categories[3] is empty",
      "gates.a.expected_categories[4] must be a text, not number",
      'gates.b has the unknown key "categories"',
      "gates.b.required must be true or false, not string",
      "gates.c must be an object, not number",
      'gates[" d"] has an empty or untrimmed key',
      'gates[" d"].expected_categories must be a list of texts, not string',
      'gate_order[1] names "a" a second time',
      'gate_order[2] names the unknown gate "b_"; did you mean "b"?',
      'gate_order[3] names the unknown gate "zzz"',
      "gate_order[4] must be a gate key, not number",
      "gates.b is missing from gate_order",
      "gates.c is missing from gate_order",
      'gates[" d"] is missing from gate_order',
    ]);
    expect(checkGateConfig({ gate_order: [], gates: {} })).toStrictEqual([
      { path: "gate_order", message: "is empty: name every gate" },
    ]);
    expect(checkGateConfig(document)).toStrictEqual([]);
    expect(
      checkGateConfig({ gate_order: ["a"], gates: { a: { question: "?" } }, schema_version: 2 }),
    ).toHaveLength(1);
    for (const odd of [null, 3, [], "x", new Map()]) expect(checkGateConfig(odd)).toHaveLength(1);
    expect(
      checkGateConfig({ gate_order: "a", gates: [], policy: [] }).map((problem) => problem.path),
    ).toStrictEqual(["policy", "gates", "gate_order"]);
  });

  test("[GATE-2] defineGates and parseGates throw all of them as one error", () => {
    const bad = { gate_order: ["a", "b"], gates: { a: { question: "" } } };
    for (const act of [() => defineGates(bad), () => parseGates({}, bad)]) {
      try {
        act();
        expect.unreachable();
      } catch (error) {
        expect(HoldfastError.is(error) && [error.code, error.reason]).toStrictEqual([
          "invalid_argument",
          "bad_gate_config",
        ]);
        expect((error as Error).message).toContain("2 problems");
      }
    }
  });

  test("[GATE-3] the mode follows from the categories", () => {
    const gates = defineGates(document);
    expect([...gates.gates.values()].map((gate) => gate.mode)).toStrictEqual([
      "classified_required",
      "raw_required",
    ]);
  });

  test("[GATE-2] a gate may have any key, even one that objects know", () => {
    const gates = defineGates({
      gate_order: ["constructor", "toString"],
      gates: { constructor: { question: "C?", required: true }, toString: { question: "T?" } },
    });
    const result = parseGates({ summary: "", gates: {}, status: { pass: true } }, gates, { actor: "user" });
    expect(result).toMatchObject({ ok: true, decision: { pass: false } });
    expect(result.ok && Object.keys(result.state.gates)).toStrictEqual(["constructor", "toString"]);
  });
});

describe("types", () => {
  const config = {
    gate_order: ["a", "b"],
    gates: {
      a: { question: "A?", required: true, expected_categories: ["x", "y"] },
      b: { question: "B?" },
    },
  } as const;

  test("[GATE-6] gate keys and categories flow from the configuration into the result", () => {
    const result = parseGates({}, config, { actor: "user" });
    if (!result.ok) throw new Error("refused");
    expectTypeOf(result.state.gates.a.classified).toEqualTypeOf<"x" | "y" | null>();
    expectTypeOf(result.state.gates.b.classified).toEqualTypeOf<string | null>();
    expectTypeOf(result.state.gates.a.raw).toEqualTypeOf<string | null>();
    expectTypeOf(result.state.status.next_gate).toEqualTypeOf<"a" | "b" | null>();
    expectTypeOf(result.decision).toEqualTypeOf<GateDecision<"a" | "b">>();
    expectTypeOf(result.diff.gates_added).toEqualTypeOf<readonly ("a" | "b")[]>();
    // @ts-expect-error c is not a gate
    expect(result.state.gates.c).toBeUndefined();
  });

  test("[GATE-6] they flow without `as const`, through defineGates, and out of documents", () => {
    const set = defineGates({
      gate_order: ["a", "b"],
      gates: {
        a: { question: "A?", expected_categories: ["x", "y"] },
        b: { question: "B?", expected_categories: [] },
      },
    });
    const result = parseGates("", set);
    if (result.ok) {
      expectTypeOf(result.state.gates.a.classified).toEqualTypeOf<"x" | "y" | null>();
      expectTypeOf(result.state.gates.b.classified).toEqualTypeOf<string | null>();
    }
    expectTypeOf<KeyOf<typeof set>>().toEqualTypeOf<"a" | "b">();
    expectTypeOf<CategoryOf<typeof set, "a">>().toEqualTypeOf<"x" | "y">();
    expectTypeOf<KeyOf<typeof document>>().toEqualTypeOf<"1_data" | "2_use">();
    expectTypeOf<CategoryOf<typeof document, "1_data">>().toEqualTypeOf<"Yes" | "No">();
    const state = emptyGates(document);
    expectTypeOf(state.gates["1_data"].classified).toEqualTypeOf<"Yes" | "No" | null>();
    expect(state.status.next_gate).toBe("1_data");
  });

  test("[GATE-6] a configuration known only at run time gives plain strings", () => {
    const loose: GateSet = defineGates(
      JSON.parse(JSON.stringify(config)) as typeof config,
    ) as unknown as GateSet;
    const result = parseGates({}, loose, { actor: "user" });
    if (!result.ok) throw new Error("refused");
    expectTypeOf(result.state.status.next_gate).toEqualTypeOf<string | null>();
    expect(result.state.status.next_gate).toBe("a");
  });
});

test("[GATE-57] a configuration in which nothing is required warns", () => {
  const gates = { a: { question: "A?" } };
  expect(defineGates({ gate_order: ["a"], gates }).warnings.join()).toContain("every answer passes");
  expect(
    defineGates({ gate_order: ["a"], gates: { a: { ...gates.a, required: true } } }).warnings,
  ).toStrictEqual([]);
});
