import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideGates,
  defineGates,
  overrideGates,
  parseGates,
  type GateState,
} from "../../src/gates/index.ts";

const gates = defineGates({
  gate_order: ["a", "b", "c"],
  gates: {
    a: { question: "A?", required: true, expected_categories: ["x", "y"] },
    b: { question: "B?", required: true },
    c: { question: "C?", expected_categories: ["x"] },
  },
});
type State = GateState<typeof gates>;

const text = fc.constantFrom("", " ", "x", "y", " x ", "z", "long  text", "\ty\n");
const field = fc.option(text, { nil: null });
const gate = fc.record({ raw: field, classified: field }, { requiredKeys: [] });
const status = fc.record(
  {
    pass: fc.boolean(),
    next_gate: fc.constantFrom(null, "a", "b", "c"),
    next_query: fc.option(fc.string(), { nil: null }),
  },
  { requiredKeys: ["pass"] },
);
const answer = fc.record({
  summary: fc.string({ maxLength: 50 }),
  gates: fc.record({ a: gate, b: gate, c: gate }),
  status,
});
const lenient = { policy: { strict_classified_validation: false } } as const;

function judge(payload: unknown, options: object = lenient): { state: State; decision: unknown } {
  const result = parseGates(payload, gates, options);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result as never;
}

describe("the judge", () => {
  test("[GATE-42] the decision depends on the canonical state alone", () => {
    fc.assert(
      fc.property(answer, answer, (one, previous) => {
        const { state, decision } = judge(one);
        expect(decideGates(state, gates)).toStrictEqual(decision);
        // The same gates with another summary, another claim, another history and another actor.
        const again = judge(
          { ...one, summary: "other", status: { pass: true } },
          { ...lenient, previous: judge(previous).state },
        );
        expect(again.decision).toStrictEqual(decision);
        expect(
          judge(JSON.parse(JSON.stringify(state)), { ...lenient, actor: "user" }).decision,
        ).toStrictEqual(decision);
      }),
    );
  });
  test("[GATE-36] canonicalising a canonical state changes nothing", () => {
    fc.assert(
      fc.property(answer, (payload) => {
        const { state } = judge(payload);
        for (const actor of ["assistant", "user"] as const) {
          const result = parseGates(JSON.parse(JSON.stringify(state)) as unknown, gates, {
            actor,
            previous: state,
          });
          expect(result.ok && JSON.stringify(result.state)).toBe(JSON.stringify(state));
          expect(result).toMatchObject({
            warnings: [],
            diff: { summary_changed: false, gates_raw_changed: [], gates_classified_changed: [] },
          });
          expect(JSON.stringify(judge(JSON.stringify(state)).state)).toBe(JSON.stringify(state));
        }
      }),
    );
  });
  test("[GATE-41] a well-formed claim in status never changes the state or the decision", () => {
    fc.assert(
      fc.property(answer, status, (payload, claim) => {
        expect(JSON.stringify(judge({ ...payload, status: claim }))).toBe(JSON.stringify(judge(payload)));
      }),
    );
  });
  test("[GATE-39] optional gates never block: removing their answers changes no decision", () => {
    fc.assert(
      fc.property(answer, gate, (payload, c) => {
        expect(judge({ ...payload, gates: { ...payload.gates, c } }).decision).toStrictEqual(
          judge(payload).decision,
        );
      }),
    );
  });
  test("[GATE-43] no payload leads to user_override", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom("user", "assistant"), (payload, actor) => {
        const result = parseGates(payload, gates, { actor } as never);
        if (result.ok) expect(result.decision.reason).not.toBe("user_override");
      }),
    );
    expect(
      overrideGates(judge({ summary: "", gates: { a: {}, b: {} }, status: { pass: false } }).state, gates)
        .decision.reason,
    ).toBe("user_override");
  });
});

// ---- payloads that bite

function thrower(): never {
  throw new Error("trap");
}
const traps = ["get", "has", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf"] as const;

function hostile(): unknown[] {
  const cyclic: Record<string, unknown> = { summary: "" };
  cyclic["gates"] = cyclic;
  cyclic["status"] = cyclic;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const revokedList = Proxy.revocable([], {});
  revokedList.revoke();
  class Answer {
    summary = "";
    gates = {};
    status = { pass: true };
  }
  const getters = {
    get summary() {
      return thrower();
    },
    get gates() {
      return thrower();
    },
    status: { pass: true },
  };
  return [
    cyclic,
    revoked.proxy,
    revokedList.proxy,
    new Answer(),
    getters,
    new Map([["summary", ""]]),
    new Set(),
    new Date(Number.NaN),
    new String("{}"),
    Object.create({ summary: "inherited", gates: {}, status: { pass: true } }),
    /x/,
    new Error("x"),
    Symbol.iterator,
    new WeakMap(),
    Promise.resolve(),
    new Uint8Array(8),
    Array.from({ length: 5 }),
    { toJSON: thrower, toString: thrower, valueOf: thrower },
    {
      summary: { toString: thrower },
      gates: { a: { raw: { toString: thrower } } },
      status: { next_gate: { [Symbol.toPrimitive]: thrower } },
    },
    JSON.parse('{"__proto__": {"summary": ""}, "gates": {"__proto__": {}}}'),
    ...traps.map((trap) => new Proxy({ summary: "", gates: {}, status: {} }, { [trap]: thrower })),
    new Proxy(
      {},
      {
        ownKeys: () => Array.from({ length: 2_000 }, (_, i) => `k${i}`),
        getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 1 }),
      },
    ),
  ];
}

describe("hostile payloads", () => {
  test("[GATE-29] none of them throws, at any place of a payload", () => {
    for (const odd of hostile()) {
      const places: unknown[] = [
        odd,
        { summary: odd, gates: odd, status: odd },
        {
          summary: "",
          gates: { a: odd, b: { raw: odd, classified: odd } },
          status: { pass: odd, next_gate: odd, next_query: odd },
        },
        { summary: "", gates: {}, status: { pass: true }, [typeof odd]: odd },
      ];
      for (const payload of places)
        for (const actor of ["user", "assistant"] as const) {
          const result = parseGates(payload, gates, { actor });
          expect(typeof result.ok).toBe("boolean");
          for (const error of result.errors) expect(error.message).not.toBe("");
        }
      expect(typeof parseGates({}, gates, { actor: "user", previous: odd as never }).ok).toBe("boolean");
    }
  });
  test("[GATE-29] accessors are never run, and inherited data does not count", () => {
    let runs = 0;
    const payload = {
      get summary() {
        runs++;
        return "";
      },
      gates: {},
      status: { pass: true },
    };
    expect(parseGates(payload, gates).errors).toMatchObject([
      { code: "invalid_type", actual: "accessor" },
      {},
      {},
    ]);
    expect(runs).toBe(0);
    expect(parseGates(Object.create({ summary: "", gates: {}, status: {} }), gates).errors).toMatchObject([
      { code: "invalid_json" },
    ]);
  });
  test("[GATE-29] anything at all, and any text, gives a result", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything({
            withMap: true,
            withSet: true,
            withDate: true,
            withNullPrototype: true,
            withObjectString: true,
            withBigInt: true,
            withTypedArray: true,
          }),
          fc.string({ unit: "binary" }),
        ),
        (payload) => {
          for (const actor of ["user", "assistant"] as const) {
            const result = parseGates(payload, gates, { actor });
            expect(result.ok).toBe(result.errors.length === 0);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
