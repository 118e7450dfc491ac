import { describe, expect, test } from "vitest";
import {
  DEFAULT_POLICY,
  decideGates,
  defineGates,
  emptyGates,
  GATE_ERROR_CODES,
  gatePrompt,
  gateSchema,
  gateSchemaJson,
  gateStateJson,
  overrideGates,
  parseGates,
  repairMessage,
  type GateLogEntry,
} from "../../src/gates/index.ts";

const config = {
  gate_order: ["1_data_availability", "2_use_case", "3_notes"],
  gates: {
    "1_data_availability": {
      question: " Is there data? ",
      required: true,
      expected_categories: ["Yes", "No", "Partly"],
    },
    "2_use_case": {
      question: "What is it for?",
      required: true,
      expected_categories: ["Research", "Product"],
    },
    "3_notes": { question: "Anything else?" },
  },
} as const;
const gates = defineGates(config);

const filled = {
  summary: "a reef survey",
  gates: {
    "1_data_availability": { raw: "we have some", classified: "Partly" },
    "2_use_case": { raw: "for a paper", classified: "Research" },
    "3_notes": { raw: null, classified: null },
  },
  status: { pass: true, next_gate: null, next_query: null },
};

/** The filled answer with one part replaced: `with_("gates.3_notes", 1)`. */
function with_(path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(filled) as Record<string, unknown>;
  const keys = path.split(".");
  let at = copy;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const last = keys[keys.length - 1] as string;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

function codes(result: ReturnType<typeof parseGates>): string[] {
  return result.errors.map((error) => `${error.code} ${error.field_path ?? ""}`.trim());
}

const filledState = (() => {
  const result = parseGates(filled, gates);
  if (!result.ok) throw new Error("the filled answer is refused");
  return result.state;
})();

describe("the eight acceptance tests", () => {
  test("[GATE-8] 1: text that is not JSON is invalid_json", () => {
    const result = parseGates("This is not JSON", gates);
    expect(result).toMatchObject({ ok: false, errors: [{ code: "invalid_json" }] });
    expect(result.state).toBeUndefined();
  });
  test("[GATE-17] 2: missing gates are an error for an assistant and fine for a user", () => {
    const payload = '{"summary": "test", "gates": {}, "status": {"pass": false}}';
    expect(codes(parseGates(payload, gates))).toStrictEqual([
      "missing_required_gate gates.1_data_availability",
      "missing_required_gate gates.2_use_case",
    ]);
    expect(parseGates(payload, gates, { actor: "user" })).toMatchObject({
      ok: true,
      decision: { pass: false },
    });
  });
  test("[GATE-28] 3: a user clears a value", () => {
    const payload = { gates: { "1_data_availability": { raw: null, classified: null } } };
    const result = parseGates(payload, gates, { actor: "user", previous: filledState });
    expect(result).toMatchObject({
      ok: true,
      state: { gates: { "1_data_availability": { raw: null, classified: null } } },
      diff: { gates_raw_changed: ["1_data_availability"], gates_classified_changed: ["1_data_availability"] },
    });
  });
  test("[GATE-38] 4: a claim to pass does not pass", () => {
    const result = parseGates(with_("gates.2_use_case.classified", null), gates);
    expect(result).toMatchObject({
      ok: true,
      decision: {
        pass: false,
        reason: "required_missing",
        next_gate: "2_use_case",
        next_question: "What is it for?",
      },
      state: { status: { pass: false, next_gate: "2_use_case", next_query: "What is it for?" } },
    });
  });
  test("[GATE-20] 5A: an unknown category is an error by the strict reading", () => {
    const payload = { gates: { "2_use_case": { classified: "InvalidCategory" } } };
    const result = parseGates(payload, gates, { actor: "user" });
    expect(result.errors).toMatchObject([
      {
        code: "invalid_category",
        field_path: "gates.2_use_case.classified",
        expected: 'one of "Research", "Product"',
        actual: '"InvalidCategory"',
      },
    ]);
    expect(codes(parseGates(with_("gates.2_use_case.classified", "research"), gates))).toStrictEqual([
      "invalid_category gates.2_use_case.classified",
    ]);
  });
  test("[GATE-21] 5B: an unknown category becomes null by the lenient reading, raw stays", () => {
    const payload = with_("gates.2_use_case", { raw: "for fun", classified: "InvalidCategory" });
    const result = parseGates(payload, gates, { policy: { strict_classified_validation: false } });
    expect(result).toMatchObject({
      ok: true,
      state: { gates: { "2_use_case": { raw: "for fun", classified: null } } },
      decision: { next_gate: "2_use_case" },
    });
    expect(result.warnings).toHaveLength(1);
    const lenient = defineGates({ ...config, policy: { strict_classified_validation: false } });
    expect(parseGates(payload, lenient)).toMatchObject({ ok: true });
  });
  test("[GATE-33] 6: blank values become null", () => {
    const payload = { gates: { "1_data_availability": { raw: "   ", classified: "" } } };
    expect(parseGates(payload, gates, { actor: "user", previous: filledState })).toMatchObject({
      ok: true,
      state: { gates: { "1_data_availability": { raw: null, classified: null } } },
    });
  });
  test("[GATE-13] 7: an empty summary stays an empty string", () => {
    const result = parseGates({ summary: "" }, gates, { actor: "user" });
    expect(result).toMatchObject({ ok: true, state: { summary: "" } });
    expect(parseGates(with_("summary", "  "), gates)).toMatchObject({ ok: true, state: { summary: "" } });
  });
  test("[GATE-39] 8: all required gates complete is a PASS", () => {
    expect(parseGates(with_("status", { pass: false }), gates)).toMatchObject({
      ok: true,
      decision: { pass: true, reason: "all_required_complete", next_gate: null, next_question: null },
      state: { status: { pass: true, next_gate: null, next_query: null } },
    });
  });
});

describe("payloads", () => {
  test("[GATE-7] text and plain objects are read, anything else is invalid_json", () => {
    expect(parseGates(JSON.stringify(filled), gates)).toMatchObject({ ok: true, warnings: [] });
    expect(
      parseGates(
        `<think>{"summary":"no"}</think>Sure!\n\`\`\`json\n${JSON.stringify(filled)}\n\`\`\``,
        gates,
      ),
    ).toMatchObject({ ok: true, warnings: [] });
    expect(parseGates(Object.assign(Object.create(null), filled), gates)).toMatchObject({ ok: true });
    for (const odd of [
      null,
      undefined,
      3,
      true,
      [filled],
      new Map(),
      new Date(),
      () => filled,
      Symbol("x"),
      3n,
    ])
      expect(codes(parseGates(odd, gates))).toStrictEqual(["invalid_json"]);
  });
  test("[GATE-9] repaired text is accepted with one warning per repair", () => {
    const text = JSON.stringify(filled).replace('"summary"', "'summary'").replace(/}$/, ",}");
    const result = parseGates(text, gates);
    expect(result.ok).toBe(true);
    expect(result.warnings).toHaveLength(2);
    expect(result.warnings[0]).toMatch(/^Repaired: read other quotes/);
    const many = JSON.stringify(filled)
      .replace("a reef survey", "x")
      .replace('"gates"', `${",".repeat(300)}"gates"`);
    expect(parseGates(many, gates).warnings.at(-1)).toContain("more places");
  });
  test("[GATE-10] text that broke off is invalid_json with what was recovered, unless policy takes it", () => {
    const text = JSON.stringify(filled).slice(0, -8);
    const result = parseGates(text, gates);
    expect(codes(result)).toStrictEqual(["invalid_json"]);
    expect(!result.ok && result.partial).toMatchObject({ summary: "a reef survey" });
    const taken = parseGates(text, gates, { policy: { accept_truncated: true } });
    expect(taken).toMatchObject({ ok: true });
    expect(taken.warnings.join()).toContain("broke off");
  });
  test("[GATE-11] every error is collected, and each says what is wrong", () => {
    const result = parseGates(
      {
        summary: 3,
        gates: {
          "1_data_availability": { raw: 1, classified: "maybe" },
          "2_use_case": [],
          "3_note": {},
        },
        status: { pass: "yes", next_gate: "9", next_query: 1 },
      },
      gates,
    );
    expect(codes(result)).toStrictEqual([
      "invalid_type summary",
      "invalid_key gates.3_note",
      "invalid_type gates.1_data_availability.raw",
      "invalid_category gates.1_data_availability.classified",
      "invalid_type gates.2_use_case",
      "invalid_type status.pass",
      "invalid_gate_key status.next_gate",
      "invalid_type status.next_query",
    ]);
    for (const error of result.errors) {
      expect(error.message).not.toBe("");
      expect(error.expected).toBeDefined();
      expect(error.actual).toBeDefined();
    }
    expect(result).toMatchObject({ ok: false });
    expect([result.state, result.decision, result.diff]).toStrictEqual([undefined, undefined, undefined]);
  });
  test("[GATE-11] all ten codes can be reached", () => {
    const reached = new Set<string>();
    const note = (result: ReturnType<typeof parseGates>): void => {
      for (const error of result.errors) reached.add(error.code);
    };
    note(parseGates("no", gates));
    note(parseGates({}, gates));
    note(parseGates(with_("summary", null), gates));
    note(parseGates(with_("summary", "x".repeat(201)), gates));
    note(parseGates(with_("gates.x", {}), gates));
    note(parseGates(with_("gates.2_use_case", undefined), gates));
    note(parseGates(with_("gates.2_use_case.classified", "x"), gates));
    note(parseGates(with_("status.next_gate", "x"), gates));
    note(parseGates({ gates: { "2_use_case": null } }, gates, { actor: "user" }));
    note(parseGates(filled, { ...config, schema_version: "2.0" }));
    expect([...reached].sort()).toStrictEqual([...GATE_ERROR_CODES].sort());
  });
});

describe("what an assistant must send", () => {
  test("[GATE-12] summary, gates and status, one error for each", () => {
    expect(codes(parseGates({}, gates))).toStrictEqual([
      "missing_key summary",
      "missing_key gates",
      "missing_key status",
    ]);
  });
  test("[GATE-13] a summary that is not text is invalid_type", () => {
    for (const value of [null, {}, [], 1, false])
      expect(codes(parseGates(with_("summary", value), gates))).toStrictEqual(["invalid_type summary"]);
  });
  test("[GATE-14] the summary is measured in code points after trimming", () => {
    expect(parseGates(with_("summary", ` ${"🙂".repeat(200)} `), gates).ok).toBe(true);
    expect(parseGates(with_("summary", "🙂".repeat(201)), gates).errors).toMatchObject([
      { code: "invalid_value", expected: "string <= 200 chars", actual: "string with 201 chars" },
    ]);
    expect(parseGates(with_("summary", "x".repeat(201)), gates, { policy: { summary_limit: 201 } }).ok).toBe(
      true,
    );
    expect(parseGates(with_("summary", "xxxx"), gates, { policy: { summary_limit: 3 } }).ok).toBe(false);
  });
  test("[GATE-15] gates and status are objects", () => {
    for (const value of [null, [], "x", 1]) {
      expect(codes(parseGates(with_("gates", value), gates))).toStrictEqual(["invalid_type gates"]);
      expect(codes(parseGates(with_("status", value), gates))).toStrictEqual(["invalid_type status"]);
    }
  });
  test("[GATE-16] an unknown gate key is an error for an assistant, a warning for a user", () => {
    const payload = with_("gates.2_usecase", { raw: "x" });
    const result = parseGates(payload, gates);
    expect(codes(result)).toStrictEqual(["invalid_key gates.2_usecase"]);
    expect(result.errors[0]?.message).toContain('Did you mean "2_use_case"?');
    const user = parseGates(payload, gates, { actor: "user" });
    expect(user.ok && Object.keys(user.state.gates)).toStrictEqual(config.gate_order.slice());
    expect(user.warnings).toHaveLength(1);
    expect(codes(parseGates(with_("gates.constructor", {}), gates))).toStrictEqual([
      "invalid_key gates.constructor",
    ]);
  });
  test("[GATE-17] an optional gate may be left out and is empty, whatever it was before", () => {
    const before = parseGates(with_("gates.3_notes.raw", "a note"), gates);
    expect(before).toMatchObject({ ok: true, state: { gates: { "3_notes": { raw: "a note" } } } });
    const result = parseGates(with_("gates.3_notes", undefined), gates, { previous: before.state ?? null });
    expect(result).toMatchObject({
      ok: true,
      state: { gates: { "3_notes": { raw: null, classified: null } } },
      diff: { gates_raw_changed: ["3_notes"] },
    });
  });
  test("[GATE-18] a gate is an object, for an assistant never null", () => {
    for (const value of [null, [], "x", 1])
      expect(codes(parseGates(with_("gates.3_notes", value), gates))).toStrictEqual([
        "invalid_type gates.3_notes",
      ]);
    for (const value of [[], "x", 1])
      expect(codes(parseGates(with_("gates.3_notes", value), gates, { actor: "user" }))).toStrictEqual([
        "invalid_type gates.3_notes",
      ]);
  });
  test("[GATE-19] raw and classified are text or null, or absent", () => {
    for (const field of ["raw", "classified"]) {
      for (const value of [1, true, {}, []])
        expect(codes(parseGates(with_(`gates.3_notes.${field}`, value), gates))).toStrictEqual([
          `invalid_type gates.3_notes.${field}`,
        ]);
      expect(parseGates(with_(`gates.3_notes.${field}`, undefined), gates).ok).toBe(true);
    }
    expect(parseGates(with_("gates.3_notes", {}), gates).ok).toBe(true);
  });
  test("[GATE-22] status.pass is there and a boolean", () => {
    expect(codes(parseGates(with_("status.pass", undefined), gates))).toStrictEqual([
      "missing_key status.pass",
    ]);
    for (const value of [null, 1, "true"])
      expect(codes(parseGates(with_("status.pass", value), gates))).toStrictEqual([
        "invalid_type status.pass",
      ]);
  });
  test("[GATE-23] next_gate names a gate: an error by the strict reading, a warning by the lenient", () => {
    for (const value of ["9_x", "", "constructor"])
      expect(codes(parseGates(with_("status.next_gate", value), gates))).toStrictEqual([
        "invalid_gate_key status.next_gate",
      ]);
    expect(codes(parseGates(with_("status.next_gate", 1), gates))).toStrictEqual([
      "invalid_type status.next_gate",
    ]);
    const lenient = parseGates(with_("status.next_gate", "9_x"), gates, { policy: { strict_status: false } });
    expect(lenient).toMatchObject({ ok: true, state: { status: { next_gate: null } } });
    expect(lenient.warnings).toHaveLength(1);
    expect(parseGates(with_("status.next_gate", " 3_notes "), gates).ok).toBe(true);
    expect(parseGates(with_("status.next_gate", undefined), gates).ok).toBe(true);
  });
  test("[GATE-24] next_query is text or null", () => {
    expect(codes(parseGates(with_("status.next_query", {}), gates))).toStrictEqual([
      "invalid_type status.next_query",
    ]);
    expect(parseGates(with_("status.next_query", "what?"), gates)).toMatchObject({
      ok: true,
      state: { status: { next_query: null } },
    });
  });
  test("[GATE-25] unknown keys are dropped, each with a warning", () => {
    const payload = with_("gates.3_notes", { raw: "x", classified: null, confidence: 0.9 });
    payload["extra"] = 1;
    (payload["status"] as Record<string, unknown>)["mood"] = "good";
    const result = parseGates(payload, gates);
    expect(result.ok && JSON.stringify(result.state)).not.toMatch(/extra|mood|confidence/);
    expect(result.warnings).toHaveLength(3);
  });
});

describe("what a user may send", () => {
  test("[GATE-26] absent parts come from the previous state", () => {
    const result = parseGates({ gates: { "2_use_case": { classified: "Product" } } }, gates, {
      actor: "user",
      previous: filledState,
    });
    expect(result).toMatchObject({
      ok: true,
      state: {
        summary: "a reef survey",
        gates: {
          "1_data_availability": { raw: "we have some", classified: "Partly" },
          "2_use_case": { raw: "for a paper", classified: "Product" },
        },
      },
      diff: {
        actor: "user",
        summary_changed: false,
        gates_raw_changed: [],
        gates_classified_changed: ["2_use_case"],
      },
    });
  });
  test("[GATE-26] absent parts come from the empty state if there is no previous one", () => {
    const result = parseGates({}, gates, { actor: "user" });
    expect(result.ok && result.state).toStrictEqual(emptyGates(gates));
    expect(result).toMatchObject({ ok: true, decision: { next_gate: "1_data_availability" } });
  });
  test("[GATE-27] null deletes a gate if policy allows, and is deletion_not_allowed otherwise", () => {
    const payload = { gates: { "2_use_case": null } };
    expect(codes(parseGates(payload, gates, { actor: "user", previous: filledState }))).toStrictEqual([
      "deletion_not_allowed gates.2_use_case",
    ]);
    const allowed = parseGates(payload, gates, {
      actor: "user",
      previous: filledState,
      policy: { allow_user_delete_gate_keys: true },
    });
    expect(allowed).toMatchObject({
      ok: true,
      state: { gates: { "2_use_case": { raw: null, classified: null } } },
      diff: { gates_removed: ["2_use_case"], gates_raw_changed: ["2_use_case"] },
      decision: { pass: false },
    });
  });
  test("[GATE-27] a deletion is listed also where there was no state before", () => {
    const result = parseGates({ gates: { "3_notes": null } }, gates, {
      actor: "user",
      policy: { allow_user_delete_gate_keys: true },
    });
    expect(result).toMatchObject({ ok: true, diff: { gates_removed: ["3_notes"] } });
  });
  test("[GATE-28] clearing a value that was set can be forbidden", () => {
    const options = {
      actor: "user",
      previous: filledState,
      policy: { allow_user_clear_values: false },
    } as const;
    expect(
      codes(parseGates({ gates: { "2_use_case": { raw: null, classified: " " } } }, gates, options)),
    ).toStrictEqual(["invalid_value gates.2_use_case.raw", "invalid_value gates.2_use_case.classified"]);
    expect(parseGates({ gates: { "3_notes": { raw: null } } }, gates, options).ok).toBe(true);
    expect(parseGates({ gates: { "2_use_case": { raw: "new" } } }, gates, options).ok).toBe(true);
  });
});

describe("canonical form", () => {
  test("[GATE-32] strings are trimmed at the ends only", () => {
    const result = parseGates(with_("gates.3_notes.raw", "\t a  b \n"), gates);
    expect(result.ok && result.state.gates["3_notes"].raw).toBe("a  b");
  });
  test("[GATE-34] gates are exactly those of the order, in that order, with both fields", () => {
    const shuffled = {
      ...filled,
      gates: { "2_use_case": filled.gates["2_use_case"], "1_data_availability": { raw: "x" } },
    };
    const result = parseGates(shuffled, gates);
    expect(result.ok && JSON.stringify(result.state.gates)).toBe(
      '{"1_data_availability":{"raw":"x","classified":null},"2_use_case":{"raw":"for a paper","classified":"Research"},"3_notes":{"raw":null,"classified":null}}',
    );
  });
  test("[GATE-35] categories are judged after trimming", () => {
    expect(parseGates(with_("gates.1_data_availability.classified", " Yes\n"), gates)).toMatchObject({
      ok: true,
      state: { gates: { "1_data_availability": { classified: "Yes" } } },
    });
    expect(parseGates(with_("gates.1_data_availability.classified", "  "), gates)).toMatchObject({
      ok: true,
    });
  });
  test("[GATE-37] results are frozen and the JSON keeps its names", () => {
    const result = parseGates(filled, gates);
    if (!result.ok) throw new Error("refused");
    expect(JSON.parse(JSON.stringify(result.state))).toStrictEqual({
      ...filled,
      status: { pass: true, next_gate: null, next_query: null },
    });
    for (const part of [
      result,
      result.state,
      result.state.gates,
      result.state.status,
      result.decision,
      result.diff,
    ])
      expect(Object.isFrozen(part)).toBe(true);
    expect(Object.isFrozen(result.state.gates["2_use_case"])).toBe(true);
  });
});

describe("decision", () => {
  test("[GATE-38] the question of the first missing required gate, trimmed", () => {
    expect(decideGates(emptyGates(gates), gates)).toStrictEqual({
      pass: false,
      reason: "required_missing",
      next_gate: "1_data_availability",
      next_question: "Is there data?",
    });
  });
  test("[GATE-40] without categories raw or classified completes, with categories only classified", () => {
    const open = defineGates({
      gate_order: ["a", "b"],
      gates: {
        a: { question: "A?", required: true },
        b: { question: "B?", required: true, expected_categories: ["x"] },
      },
    });
    const next = (a: object, b: object): unknown => {
      const result = parseGates({ summary: "", gates: { a, b }, status: { pass: true } }, open);
      return result.ok && result.decision.next_gate;
    };
    expect(next({ raw: "r" }, { classified: "x" })).toBeNull();
    expect(next({ classified: "c" }, { classified: "x" })).toBeNull();
    expect(next({}, { classified: "x" })).toBe("a");
    expect(next({ raw: "r" }, { raw: "x" })).toBe("b");
  });
  test("[GATE-43] only the host overrides, and the next answer is judged by the rules again", () => {
    const empty = emptyGates(gates);
    const { state, decision } = overrideGates(empty, gates);
    expect(decision).toStrictEqual({
      pass: true,
      reason: "user_override",
      next_gate: null,
      next_question: null,
    });
    expect(state.status).toStrictEqual({ pass: true, next_gate: null, next_query: null });
    expect(state.gates).toStrictEqual(empty.gates);
    expect(parseGates({}, gates, { actor: "user", previous: state })).toMatchObject({
      ok: true,
      decision: { pass: false, reason: "required_missing" },
    });
    const claims = { ...filled, status: { pass: true, reason: "user_override" }, gates: {} };
    expect(parseGates(claims, gates, { actor: "user" })).toMatchObject({
      decision: { reason: "required_missing" },
    });
  });
});

describe("diff", () => {
  test("[GATE-44] the first state lists every gate", () => {
    const all = config.gate_order;
    expect(parseGates(filled, gates)).toMatchObject({
      diff: {
        actor: "assistant",
        summary_changed: true,
        gates_added: all,
        gates_removed: [],
        gates_raw_changed: all,
        gates_classified_changed: all,
      },
    });
  });
  test("[GATE-45] a later state lists what changed, in gate order", () => {
    const same = parseGates(filled, gates, { previous: filledState });
    expect(same.ok && same.diff).toStrictEqual({
      actor: "assistant",
      summary_changed: false,
      gates_added: [],
      gates_removed: [],
      gates_raw_changed: [],
      gates_classified_changed: [],
    });
    const payload = with_("gates", {
      "3_notes": { raw: "n" },
      "2_use_case": { raw: "y", classified: "Product" },
      "1_data_availability": filled.gates["1_data_availability"],
    });
    expect(parseGates({ ...payload, summary: "s" }, gates, { previous: filledState })).toMatchObject({
      diff: {
        summary_changed: true,
        gates_raw_changed: ["2_use_case", "3_notes"],
        gates_classified_changed: ["2_use_case"],
      },
    });
  });
  test("[GATE-45] gates of another configuration are added and removed; a new empty one is not changed", () => {
    const other = defineGates({
      gate_order: ["2_use_case", "4_new"],
      gates: { "2_use_case": config.gates["2_use_case"], "4_new": { question: "?" } },
    });
    const result = parseGates({}, other, { actor: "user", previous: filledState as never });
    expect(result).toMatchObject({
      diff: {
        gates_added: ["4_new"],
        gates_removed: ["1_data_availability", "3_notes"],
        gates_raw_changed: [],
        gates_classified_changed: [],
      },
    });
  });
  test("[GATE-46] a previous state that is none is taken as none, with a warning", () => {
    for (const odd of [3, "x", [], {}, { summary: "x" }, { summary: 1, gates: {} }]) {
      const result = parseGates(filled, gates, { previous: odd as never });
      expect(result.ok && result.diff.gates_added).toHaveLength(3);
      expect(result.warnings).toHaveLength(1);
    }
    const previous = {
      summary: "s",
      gates: { "2_use_case": { raw: "x", classified: "Gone" }, "3_notes": 5 },
    };
    const result = parseGates({}, gates, { actor: "user", previous: previous as never });
    expect(result).toMatchObject({
      ok: true,
      state: { gates: { "2_use_case": { raw: "x", classified: null } } },
    });
    expect(result.warnings).toHaveLength(1);
  });
});

describe("policy, version, log and bounds", () => {
  test("[GATE-4] defaults, and the options win over the configuration", () => {
    expect(DEFAULT_POLICY).toStrictEqual({
      allow_user_delete_gate_keys: false,
      allow_user_clear_values: true,
      strict_classified_validation: true,
      strict_status: true,
      accept_truncated: false,
      summary_limit: 200,
    });
    const lenient = defineGates({ ...config, policy: { strict_status: false, summary_limit: 5 } });
    expect(parseGates(with_("status.next_gate", "x"), lenient, { policy: { summary_limit: 50 } }).ok).toBe(
      true,
    );
    expect(codes(parseGates(filled, lenient, { policy: { strict_status: true } }))).toStrictEqual([
      "invalid_value summary",
    ]);
  });
  test("[GATE-5] another schema version is a mismatch, none is 1.0", () => {
    expect(codes(parseGates(filled, { ...config, schema_version: "1.1" }))).toStrictEqual([
      "schema_version_mismatch schema_version",
    ]);
    expect(parseGates(filled, { ...config, schema_version: "1.0" }).ok).toBe(true);
    expect(() => defineGates({ ...config, schema_version: "2" })).toThrow(/schema_version/);
  });
  test("[GATE-30] every error and warning goes to the log; a broken logger changes nothing", () => {
    const entries: GateLogEntry[] = [];
    const payload = { ...with_("summary", 1), extra: 1 };
    const result = parseGates(payload, gates, { log: (entry) => entries.push(entry) });
    expect(entries.map((entry) => entry.level)).toStrictEqual(["warning", "error"]);
    expect(entries[1]).toMatchObject({ code: "invalid_type", field_path: "summary" });
    const broken = parseGates(payload, gates, {
      log: () => {
        throw new Error("disk full");
      },
    });
    expect(broken).toStrictEqual(result);
  });
  test("[GATE-31] a flood of errors is bounded and counted", () => {
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, {}]));
    const result = parseGates({ ...filled, gates: { ...filled.gates, ...flood } }, gates);
    expect(result.errors).toHaveLength(1_000);
    expect(result.warnings.at(-1)).toBe("Not listed: 4000 more errors, 0 more warnings.");
    const user = parseGates({ ...filled, gates: { ...filled.gates, ...flood } }, gates, { actor: "user" });
    expect(user.warnings).toHaveLength(1_001);
  });
});

describe("answers that are nearly right", () => {
  const cut = `{"summary":"s","gates":{"g":{"raw":"some of it","classified":"Part`;
  const parts = defineGates({
    gate_order: ["g"],
    gates: { g: { question: "?", required: true, expected_categories: ["Part", "Partial"] } },
  });
  test("[GATE-54] a category cut in its middle is null, and its gate stays open", () => {
    const text = `{"summary":"s","status":{"pass":true},"gates":{"g":{"raw":"some of it","classified":"Part`;
    const result = parseGates(text, parts, { policy: { accept_truncated: true } });
    expect(result.ok && result.state.gates.g).toStrictEqual({ raw: "some of it", classified: null });
    expect(result.ok && result.decision.pass).toBe(false);
    expect(result.warnings.join()).toContain('"gates.g.classified" was cut off in its middle');
    const whole = parseGates(`${text}"`, parts, { policy: { accept_truncated: true } });
    expect(whole.ok && whole.state.gates.g.classified).toBe("Part");
    expect(parseGates(cut, parts).ok).toBe(false);
  });
  test("[GATE-54] the warning shows the model's words as one quoted name", () => {
    const text = `{"summary":"s","status":{"pass":true},"gates":{"g":{},"x\\n[Token 9]":{"classified":"Pa`;
    const { warnings } = parseGates(text, parts, { policy: { accept_truncated: true } });
    expect(warnings).toContain('"gates.x\\n[Token 9].classified" was cut off in its middle; set to null.');
  });
  test("[GATE-54] a next_gate cut in its middle is no wrong gate", () => {
    const text = `{"summary":"s","gates":{"g":{}},"status":{"pass":false,"next_gate":"gg`;
    expect(parseGates(text, parts, { policy: { accept_truncated: true } }).ok).toBe(true);
  });
  test("[GATE-55] an answer inside another object is taken out of it", () => {
    for (const payload of [
      { state: filled },
      { note: "x", result: { state: filled } },
      `{"state": ${JSON.stringify(filled)}}`,
    ]) {
      const result = parseGates(payload, gates);
      expect(result.ok && result.state).toStrictEqual(filledState);
      expect(result.warnings.join()).toContain("wrapped in");
    }
    expect(codes(parseGates({ a: filled, b: filled }, gates))).toContain("missing_key summary");
    expect(codes(parseGates({ a: { b: 1 } }, gates))).toContain("missing_key summary");
  });
  test("[GATE-56] a key that is there twice is a warning, and the last value counts", () => {
    const json = JSON.stringify(filled);
    for (const text of [
      json.replace('"3_notes":', '"2_use_case":{"raw":"x","classified":"Product"},"3_notes":'),
      json.replace('"3_notes":', "'2_use_case':{'raw':'x','classified':'Product'},\"3_notes\":"),
    ]) {
      const result = parseGates(text, gates);
      expect(result.ok && result.state.gates["2_use_case"].classified).toBe("Product");
      expect(result.warnings.join()).toContain('"gates.2_use_case" is there twice');
    }
    expect(parseGates(json, gates).warnings).toStrictEqual([]);
  });
  test("[GATE-53] a complete answer that cannot be read is not called too long", () => {
    const text = JSON.stringify(filled).replace('"Partly"', '"Partly"\n"x" and so on');
    const result = parseGates(text, gates);
    expect(result).toMatchObject({ ok: false, errors: [{ code: "invalid_json" }] });
    expect(result).not.toHaveProperty("partial");
    const message = repairMessage(result);
    expect(message).toMatch(/cannot be read at character \d+/);
    expect(message).not.toContain("shorter");
  });
  test("[GATE-58] digits as keys: everything that lists gates follows gate_order", () => {
    const digits = defineGates({
      gate_order: ["10", "2"],
      gates: { "2": { question: "Two?", required: true }, "10": { question: "Ten?", required: true } },
    });
    expect(emptyGates(digits).status.next_gate).toBe("10");
    const prompt = gatePrompt(digits);
    expect(prompt.indexOf('"10" (required)')).toBeLessThan(prompt.indexOf('"2" (required)'));
    expect(gateSchema(digits)).toMatchObject({ properties: { gates: { required: ["10", "2"] } } });
    const result = parseGates({ summary: "", gates: { "2": {}, "10": {} }, status: { pass: false } }, digits);
    expect(result.ok && result.diff.gates_added).toStrictEqual(["10", "2"]);
  });
  test("[GATE-58] text made of a state or a schema follows gate_order", () => {
    const digits = defineGates({
      gate_order: ["b", "10", "2", "__proto__"],
      gates: Object.fromEntries(["2", "10", "b", "__proto__"].map((key) => [key, { question: `${key}?` }])),
    });
    const order = /"b":.*"10":.*"2":.*"__proto__":/s;
    const state = emptyGates(digits);
    expect(gateStateJson(state, digits)).toMatch(order);
    expect(JSON.parse(gateStateJson(state, digits))).toEqual(JSON.parse(JSON.stringify(state)));
    expect(gateSchemaJson(digits)).toMatch(order);
    expect(gatePrompt(digits).split("JSON Schema of the object:")[1]).toMatch(order);
    expect(JSON.parse(gateSchemaJson(digits))).toEqual(JSON.parse(JSON.stringify(gateSchema(digits))));
    for (const indent of [0, 2]) {
      expect(gateSchemaJson(config, indent)).toBe(JSON.stringify(gateSchema(config), null, indent));
      expect(gateStateJson(emptyGates(config), config, indent)).toBe(
        JSON.stringify(emptyGates(config), null, indent),
      );
    }
    const old = { ...state, gates: { "1": { raw: "x", classified: null }, ...state.gates } };
    expect(gateStateJson(old, digits)).toMatch(/"b":.*"__proto__":.*"1":/);
  });
});
