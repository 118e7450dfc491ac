import { describe, expect, test } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { resolveLimits } from "../../src/limits.ts";
import {
  addChild,
  lintPayload,
  RULESET_SCHEMA,
  takeRuleset,
  updatePayload,
  validateTree,
  type TreeValidation,
} from "../../src/tree/operations.ts";
import { forestOf } from "./_build.ts";

const plan = forestOf(`
  Plan plan {
    Task a prio=3 status="open" code="AB-1" { Note x Note x }
    Task b prio=30 status="odd" code="zz" { Task c }
    Note y prio="high"
  }`);
// n0 plan, n1 a, n2 x, n3 x, n4 b, n5 c, n6 y

const check = (...rules: object[]): string[] =>
  validateTree(plan, takeRuleset({ id: "r", rules })).violations.map(
    (one) => `${one.nodeId} ${one.rule}${one.property === undefined ? "" : ` ${one.property}`}`,
  );

function refusal(run: () => unknown): HoldfastError {
  try {
    run();
  } catch (error) {
    if (HoldfastError.is(error)) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("rules", () => {
  test("[TREE-69] each rule finds its own", () => {
    expect(check({ rule: "required", types: ["Task"], properties: ["prio", "status"] })).toEqual([
      "n5 required prio",
      "n5 required status",
    ]);
    expect(check({ rule: "kind", property: "prio", kind: "integer" })).toEqual(["n6 kind prio"]);
    expect(check({ rule: "range", property: "prio", min: 1, max: 10 })).toEqual(["n4 range prio"]);
    expect(check({ rule: "length", property: "code", max: 3 })).toEqual(["n1 length code"]);
    expect(check({ rule: "pattern", property: "code", pattern: "^[A-Z]+-\\d+$" })).toEqual([
      "n4 pattern code",
    ]);
    expect(check({ rule: "oneOf", property: "status", values: ["open", "done"] })).toEqual([
      "n4 oneOf status",
    ]);
    expect(check({ rule: "children", types: ["Task"], allow: ["Note"] })).toEqual(["n4 children"]);
    expect(check({ rule: "parents", types: ["Task"], allow: ["Plan"] })).toEqual(["n5 parents"]);
    expect(check({ rule: "unique", property: "name" })).toEqual(["n3 unique name"]);
    expect(check({ rule: "depth", max: 1 })).toEqual(["n2 depth", "n3 depth", "n5 depth"]);
    expect(check({ rule: "childrenCount", types: ["Task"], min: 1 })).toEqual(["n5 childrenCount"]);
  });

  test("[TREE-69] a violation has node, path, rule and message; a rule may bring its own", () => {
    const found: TreeValidation = validateTree(
      plan,
      takeRuleset({ id: "r", rules: [{ rule: "range", property: "prio", max: 10 }] }),
    );
    expect(found).toEqual({
      ruleset: "r",
      checked: 7,
      total: 1,
      violations: [
        {
          nodeId: "n4",
          path: "plan/b",
          rule: "range",
          property: "prio",
          message: '"prio" is 30, outside at most 10',
        },
      ],
    });
    const own = validateTree(
      plan,
      takeRuleset({ id: "r", rules: [{ rule: "depth", max: 1, message: "Keep it flat." }] }),
      { rootNodeId: "n4" },
    );
    expect(own.violations).toMatchObject([{ nodeId: "n5", message: "Keep it flat." }]);
  });

  test("[TREE-70] required means present, not null, not blank", () => {
    const f = updatePayload(plan, {
      nodeId: "n1",
      patch: { a: null, b: " \n", c: "", d: 0, e: false, f: [] },
    }).forest;
    const rule = { rule: "required", properties: ["a", "b", "c", "d", "e", "f", "g"] };
    const found = lintPayload(f, takeRuleset({ id: "r", rules: [rule] }), { nodeId: "n1" });
    expect(found.violations.map((one) => one.property)).toEqual(["a", "b", "c", "g"]);
  });

  test("[TREE-71] patterns run in linear time", () => {
    const evil = takeRuleset({ id: "r", rules: [{ rule: "pattern", property: "code", pattern: "^(a+)+$" }] });
    const f = updatePayload(plan, { nodeId: "n1", patch: { code: `${"a".repeat(100_000)}!` } }).forest;
    expect(lintPayload(f, evil, { nodeId: "n1" }).total).toBe(1);
    expect(
      refusal(() => takeRuleset({ id: "r", rules: [{ rule: "pattern", property: "a", pattern: "(?=a)" }] }))
        .message,
    ).toContain("RE2");
    expect(
      refusal(() => takeRuleset({ id: "r", rules: [{ rule: "pattern", property: "a", pattern: "(a)\\1" }] }))
        .reason,
    ).toBe("bad_ruleset");
  });

  test("[TREE-72] lint_payload looks at one payload, with the property's path", () => {
    const f = updatePayload(plan, { nodeId: "n1", patch: { meta: { owner: 5 } } }).forest;
    const rules = [
      { rule: "kind", property: "meta.owner", kind: "string" },
      { rule: "depth", max: 0 },
      { rule: "range", property: "prio", min: 5 },
    ];
    const found = lintPayload(f, takeRuleset({ id: "r", rules }), { nodeId: "n1" });
    expect(found.violations.map((one) => [one.rule, one.property])).toEqual([
      ["kind", "meta.owner"],
      ["range", "prio"],
    ]);
    expect(refusal(() => lintPayload(f, takeRuleset({ id: "r", rules: [] }), { nodeId: "n77" })).code).toBe(
      "not_found",
    );
  });

  test("[TREE-73] violations beyond the limit are counted", () => {
    let f = plan;
    for (let i = 0; i < 30; i++) f = addChild(f, { parentNodeId: "n0", payloadType: "Task" }).forest;
    const found = validateTree(
      f,
      takeRuleset({ id: "r", rules: [{ rule: "required", properties: ["zz"] }] }),
      {},
      resolveLimits({ batchItems: 10 }),
    );
    expect(found.violations).toHaveLength(10);
    expect(found.total).toBe(37);
  });

  test("[TREE-68] a ruleset that is not of the schema is refused with every problem", () => {
    const bad = refusal(() =>
      takeRuleset({
        rules: [
          { rule: "requires" },
          { rule: "kind", property: "a", kind: "date" },
          { rule: "range", propery: "x" },
          5,
          { rule: "depth", max: -1 },
        ],
        extra: 1,
      }),
    );
    expect(bad).toMatchObject({ code: "invalid_argument", reason: "bad_ruleset" });
    for (const part of ["id must", "rules[0]", "rules[1]", "propery", "rules[3]", "rules[4]", "extra"])
      expect(bad.message).toContain(part);
    expect(refusal(() => takeRuleset(null)).reason).toBe("bad_ruleset");
    expect(
      refusal(() =>
        takeRuleset({ id: "r", rules: Array.from({ length: 501 }, () => ({ rule: "depth", max: 1 })) }),
      ).message,
    ).toContain("500");
  });

  test("[TREE-68] the published schema knows every rule and every field of it", () => {
    const schema = RULESET_SCHEMA as unknown as {
      properties: {
        rules: { items: { oneOf: { required: string[]; properties: Record<string, { const?: string }> }[] } };
      };
    };
    const forms = schema.properties.rules.items.oneOf;
    expect(forms.map((form) => form.properties["rule"]?.const)).toEqual([
      "required",
      "kind",
      "range",
      "length",
      "pattern",
      "oneOf",
      "children",
      "parents",
      "unique",
      "depth",
      "childrenCount",
    ]);
    for (const form of forms)
      expect(Object.keys(form.properties)).toEqual(
        expect.arrayContaining(["types", "message", ...form.required]),
      );
    expect(JSON.parse(JSON.stringify(RULESET_SCHEMA))).toEqual(RULESET_SCHEMA);
  });
});
