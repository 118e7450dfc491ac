import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { judge, judgeAsync, repairMessage } from "../../src/gates/index.ts";
import { misfits } from "../../src/gates/judge/json-schema.ts";
import type { Json, JsonObject } from "../../src/value.ts";
import { runs } from "../effort.ts";

const person = {
  type: "object",
  required: ["name", "age"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0 },
    role: { enum: ["reader", "editor"] },
    tags: { type: "array", items: { type: "string" }, maxItems: 2, uniqueItems: true },
    address: { $ref: "#/$defs/address" },
  },
  $defs: { address: { type: "object", required: ["city"], properties: { city: { type: "string" } } } },
} as const satisfies JsonObject;

describe("judged by a JSON Schema", () => {
  test("[GATE-71] the object is found in the text, repaired and validated", () => {
    const text = 'Sure!\n```json\n{"name": "Ada", "age": 36,}\n```';
    expect(judge(text, person)).toMatchObject({
      ok: true,
      value: { name: "Ada", age: 36 },
      warnings: ["Repaired: dropped an extra comma (at character 41)."],
    });
    expect(judge('Example {"x": 1}. Mine: {"name": "Ada", "age": 3}', person)).toMatchObject({ ok: true });
    expect(judge("[1, 2]", { type: "array", items: { type: "integer" } })).toMatchObject({
      ok: true,
      value: [1, 2],
    });
    expect(judge('"yes"', { type: "string" })).toMatchObject({ ok: true, value: "yes" });
  });
  test("[GATE-72] every error has its place, what was expected and what came, and so has the message to the model", () => {
    const text = JSON.stringify({
      name: "",
      age: "old",
      role: "edtor",
      tags: ["a", 1, "b"],
      address: {},
      agee: 1,
    });
    const result = judge(text, person);
    expect(repairMessage(result as never)).toBe(
      [
        "Your last answer could not be used:",
        "- name has 0 characters; send at least 1. Expected at least 1 character. You sent 0 characters.",
        '- age must be integer, not string. Expected integer. You sent "old".',
        '- role is none of the values; did you mean "editor"? Expected one of "reader", "editor". You sent "edtor".',
        "- tags has 3 items; shorten it to 2. Expected at most 2 items. You sent 3 items.",
        "- tags[1] must be string, not number. Expected string. You sent number.",
        "- address.city is missing: send it as string. Expected string.",
        '- agee is not known: leave it out. Did you mean "age"? Expected one of "name", "age", "role", "tags", "address". You sent "agee".',
        "",
        "Send the whole JSON object again, corrected, and nothing else.",
      ].join("\n"),
    );
    expect(result.errors.map(({ code, field_path: at }) => `${code} ${at ?? ""}`)).toContain(
      "missing_key address.city",
    );
  });
  test("[GATE-72] of several forms the one that is near is explained, otherwise all are named", () => {
    const schema = {
      type: "object",
      properties: {
        shape: {
          anyOf: [
            {
              type: "object",
              required: ["r"],
              properties: { kind: { const: "circle" }, r: { type: "number" } },
            },
            { type: "string" },
          ],
        },
      },
    };
    expect(judge('{"shape": {"kind": "circle"}}', schema).errors).toMatchObject([
      { code: "missing_key", field_path: "shape.r", expected: "number" },
    ]);
    expect(judge('{"shape": 5}', schema).errors).toMatchObject([
      { field_path: "shape", expected: "object with r, or string", actual: "5" },
    ]);
  });
  test("[GATE-73] text without JSON, text that broke off and text that cannot be read are refused as by the gates", () => {
    expect(judge("nothing", person)).toMatchObject({ ok: false, errors: [{ code: "invalid_json" }] });
    const half = judge('{"name": "Ada", "age": 3', person);
    expect(half).toMatchObject({ ok: false, partial: { name: "Ada", age: 3 } });
    expect(repairMessage(half as never)).toContain("shorter");
    const bad = judge('{"name": "Ada"\n"x" and more, {"age": 3}}', person);
    expect(repairMessage(bad as never)).not.toContain("shorter");
    expect(judge(5 as never, person)).toMatchObject({ ok: false, errors: [{ code: "invalid_json" }] });
  });
  test("[GATE-74] a schema that cannot be used is refused, saying why", () => {
    for (const [schema, why] of [
      [{ $ref: "#/$defs/nope" }, /leads nowhere/],
      [{ $ref: "https://example.com/other.json" }, /leads nowhere/],
      [{ $ref: "#" }, /leads back to itself/],
      [{ unevaluatedProperties: false }, /not supported/],
      [{ properties: { a: { pattern: "(?=a)b" } } }, /look-around/],
      [{ properties: { a: 5 } }, /must be an object, true or false/],
    ] as const)
      expect(() => judge('{"a": "x"}', schema as JsonObject)).toThrow(why);
  });
  test("[GATE-74] is looked at as a whole, whatever the text", () => {
    const wrong: unknown[] = [
      { properties: { b: { pattern: "(?=x)y" } } },
      { properties: { b: { items: { $ref: "#/nope" } } } },
      { properties: { b: { unevaluatedItems: false } } },
      { properties: { b: { $ref: "#/$defs/c" } }, $defs: { c: { anyOf: [{ $ref: "#/$defs/c" }] } } },
      { properties: { b: { anyOf: "x" } } },
      { patternProperties: { "(?=x)": true } },
      { properties: { a: { minimum: "3" } } },
      { properties: { a: { multipleOf: 0 } } },
      { properties: { a: { maxLength: -1 } } },
      { properties: { a: { enum: "x" } } },
      { properties: ["a"] },
      { required: "name" },
      { type: "strng" },
      { type: ["string", 5] },
      { dependentRequired: { a: "b" } },
      [],
      "object",
      null,
      undefined,
      { "~standard": { version: 1, vendor: "x" } },
    ];
    for (const schema of wrong)
      for (const text of ['{"a": 1}', "no JSON at all"])
        expect(() => judge(text, schema as JsonObject), JSON.stringify(schema)).toThrow(
          expect.objectContaining({ reason: "bad_schema" }) as Error,
        );
    // Values are not schemas, and what nothing leads to is never used.
    const odd = {
      enum: [{ type: "strng", a: 1 }],
      default: { required: "x" },
      $defs: { c: { type: "strng" } },
    };
    expect(judge('{"type": "strng", "a": 1}', odd).ok).toBe(true);
    // A tree of itself is no circle: it goes into the value.
    const tree = { properties: { kids: { items: { $ref: "#" } } } };
    expect(judge('{"kids": [{"kids": []}]}', tree).ok).toBe(true);
  });
  test("[GATE-74] a pattern never backtracks", () => {
    const schema = { properties: { a: { pattern: "^(a+)+$" } } };
    expect(judge(`{"a": "${"a".repeat(50_000)}!"}`, schema).ok).toBe(false);
  });
});

describe("the validator", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom<Json>(null, true, false, 0, 1, 2.5, -3, "", "a", "ab", "b1", "é"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c1", "__proto__"), tie("value"), { maxKeys: 3 }),
    ) as fc.Arbitrary<Json>,
  })).value;
  const small = fc.integer({ min: 0, max: 3 });
  const schema = fc.letrec<{ schema: Json }>((tie) => {
    const inner = tie("schema");
    const named = fc.dictionary(fc.constantFrom("a", "b", "c1"), inner, { maxKeys: 2 });
    const type = fc.constantFrom("string", "number", "integer", "object", "array", "boolean", "null");
    return {
      schema: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        fc.constantFrom<Json>(true, false, {}),
        fc.record(
          {
            type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
            enum: fc.uniqueArray(value, {
              minLength: 1,
              maxLength: 3,
              comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
            }),
            const: value,
            minLength: small,
            maxLength: small,
            pattern: fc.constantFrom("a", "^b", "[0-9]$", "é"),
            minimum: small,
            exclusiveMaximum: small,
            multipleOf: fc.constantFrom(1, 2, 0.5),
            items: inner,
            prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
            minItems: small,
            maxItems: small,
            uniqueItems: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          { contains: inner, minContains: small, maxContains: small },
          { requiredKeys: ["contains"] },
        ),
        fc.record(
          {
            type: type,
            properties: named,
            patternProperties: fc.dictionary(fc.constantFrom("^a", "1$"), inner, { maxKeys: 2 }),
            additionalProperties: inner,
            propertyNames: fc.constantFrom<Json>({ maxLength: 1 }, { pattern: "^[ab]" }),
            required: fc.uniqueArray(fc.constantFrom("a", "b", "c1"), { maxLength: 2 }),
            minProperties: small,
            maxProperties: small,
            dependentRequired: fc.constantFrom({ a: ["b"] }),
            dependentSchemas: fc.dictionary(fc.constantFrom("a", "b"), inner, { maxKeys: 1 }),
            allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
            anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
            oneOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
            not: inner,
            if: inner,
            // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
            then: inner,
            else: inner,
          },
          { requiredKeys: [] },
        ),
      ) as fc.Arbitrary<Json>,
    };
  }).schema;

  test("[GATE-75] it accepts exactly what another validator accepts", () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 4 }), (made, values) => {
        const one = JSON.parse(JSON.stringify(made)) as Json;
        const validate = ajv.compile(one as never);
        const oracle = (item: Json): boolean | undefined => {
          try {
            return validate(item);
          } catch (error) {
            // Some schemas make it write code that uses a variable it never sets.
            if (error instanceof ReferenceError || error instanceof TypeError) return undefined;
            throw error;
          }
        };
        for (const sent of values) {
          const item = JSON.parse(JSON.stringify(sent)) as Json;
          const found = misfits(one as JsonObject, item);
          const right = oracle(item);
          if (right === undefined) continue;
          expect([one, item, found.length === 0]).toStrictEqual([one, item, right]);
          if (found.length === 0) accepted++;
          else refused++;
        }
      }),
      runs(100),
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(20);
  });
  test("[GATE-75] references and the forms of draft 7", () => {
    const list = {
      $defs: {
        node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, additionalProperties: false },
      },
      $ref: "#/$defs/node",
    };
    expect(misfits(list, { next: { next: {} } })).toStrictEqual([]);
    expect(misfits(list, { next: { nxt: {} } })).toMatchObject([{ place: ["next", "nxt"] }]);
    expect(misfits({ items: [{ type: "string" }], additionalItems: false }, ["a", 1])).toMatchObject([
      { place: [1] },
    ]);
    expect(misfits({ $ref: "#x", $defs: { y: { $anchor: "x", type: "null" } } }, 1)).toHaveLength(1);
    expect(
      misfits({ definitions: { "a/b": { type: "null" } }, $ref: "#/definitions/a~1b" }, null),
    ).toStrictEqual([]);
  });
});

describe("judged by a Standard Schema", () => {
  const schema = z.object({
    name: z.string(),
    age: z.number().transform((age) => age + 1),
    tags: z.array(z.string()),
  });
  test("[GATE-76] the value is what the schema makes of it, errors have their place", () => {
    const good = judge('{"name": "Ada", "age": 36, "tags": []}', schema);
    expect(good).toMatchObject({ ok: true, value: { name: "Ada", age: 37, tags: [] } });
    const age: number | undefined = good.ok ? good.value.age : undefined;
    expect(age).toBe(37);
    const bad = judge('{"name": 5, "tags": ["a", {}]}', schema);
    expect(
      bad.errors.map(({ code, field_path: at, expected, actual }) => [code, at, expected, actual]),
    ).toStrictEqual([
      ["invalid_value", "name", "string", "5"],
      ["missing_key", "age", "number", undefined],
      ["invalid_value", "tags[1]", "string", "object"],
    ]);
    expect(
      repairMessage(bad as never)
        .split("\n")
        .slice(1, 4),
    ).toEqual([
      '- name must be string, not number. The schema says "Invalid input: expected string, received number". Expected string. You sent 5.',
      '- age is missing: send it as number. The schema says "Invalid input: expected number, received undefined". Expected number.',
      '- tags[1] must be string, not object. The schema says "Invalid input: expected string, received object". Expected string. You sent object.',
    ]);
  });
  test("[GATE-76] a schema's own words stay on their line, whatever they quote", () => {
    const strict = z.strictObject({
      even: z.number().refine((n) => n % 2 === 0, "Send an even number.\n- forged"),
    });
    const odd = judge('{"even": 3}', strict);
    expect(repairMessage(odd as never)).toContain(
      '\n- even does not fit. The schema says "Send an even number.\\n- forged". You sent 3.\n',
    );
    const unknown = judge('{"even": 2, "x\\n- forged": 1}', strict);
    expect(repairMessage(unknown as never)).toMatch(
      /^- The value does not fit\. The schema says "Unrecognized key.*$/m,
    );
    expect(repairMessage(unknown as never)).not.toContain("\n- forged");
  });
  test("[GATE-76] one that validates asynchronously is for judgeAsync", async () => {
    const slow = z.object({ name: z.string().refine(async (name) => name !== "x", "is taken") });
    expect(() => judge('{"name": "x"}', slow)).toThrow(/judgeAsync/);
    expect((await judgeAsync('{"name": "x"}', slow)).errors).toMatchObject([{ field_path: "name" }]);
    expect(await judgeAsync('{"name": "y"}', slow)).toMatchObject({ ok: true, value: { name: "y" } });
    expect(await judgeAsync('{"age": -1}', { properties: { age: { minimum: 0 } } })).toMatchObject({
      ok: false,
    });
  });
});
