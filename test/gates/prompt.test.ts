import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineGates,
  emptyGates,
  gatePrompt,
  gateSchema,
  parseGates,
  repairMessage,
} from "../../src/gates/index.ts";

const gates = defineGates({
  role: "You interview people about data.",
  instructions: "Answer in English.",
  gate_order: ["b_use", "a_data"],
  gates: {
    a_data: { question: "Is there data?", required: true, expected_categories: ["Yes", "No"] },
    b_use: { question: "What is it for?" },
  },
});
const answer = {
  summary: "s",
  gates: { b_use: { raw: "x", classified: null }, a_data: { raw: "yes", classified: "Yes" } },
  status: { pass: true, next_gate: null, next_query: null },
};

describe("schema", () => {
  const schema = z.fromJSONSchema(gateSchema(gates) as never);
  test("[GATE-51] it accepts canonical states", () => {
    expect(schema.safeParse(answer).success).toBe(true);
    expect(schema.safeParse(JSON.parse(JSON.stringify(emptyGates(gates)))).success).toBe(true);
  });
  test("[GATE-51] it refuses what the judge refuses by type, key or category", () => {
    const wrong = [
      { ...answer, summary: 1 },
      { ...answer, gates: {} },
      { ...answer, gates: { ...answer.gates, c: { raw: null, classified: null } } },
      { ...answer, gates: { ...answer.gates, a_data: { raw: "x", classified: "Maybe" } } },
      { ...answer, status: { ...answer.status, next_gate: "z" } },
      { ...answer, status: { ...answer.status, pass: "yes" } },
      { gates: answer.gates, status: answer.status },
    ];
    for (const payload of wrong) {
      expect(schema.safeParse(payload).success).toBe(false);
      expect(parseGates(payload, gates).ok).toBe(false);
    }
  });
  test("[GATE-51] a type is beside every enum", () => {
    const enums: unknown[] = [];
    const open: unknown[] = [gateSchema(gates)];
    while (open.length > 0) {
      const node = open.pop();
      if (typeof node !== "object" || node === null) continue;
      if ("enum" in node) enums.push("type" in node ? node.type : undefined);
      open.push(...Object.values(node));
    }
    expect(enums).toStrictEqual([
      ["string", "null"],
      ["string", "null"],
    ]);
  });
  test("[GATE-51] every object is closed and requires every key", () => {
    const open: unknown[] = [gateSchema(gates)];
    let objects = 0;
    while (open.length > 0) {
      const node = open.pop() as {
        type?: unknown;
        properties?: object;
        required?: string[];
        additionalProperties?: unknown;
      };
      if (node.type !== "object") continue;
      objects++;
      expect(node.additionalProperties).toBe(false);
      expect(node.required).toStrictEqual(Object.keys(node.properties ?? {}));
      open.push(...Object.values(node.properties ?? {}));
    }
    expect(objects).toBe(5);
  });
});

describe("prompt", () => {
  test("[GATE-59] for an agent with a tool it says which one to call", () => {
    const text = gatePrompt(gates, { tool: "submit_gates" });
    expect(text).toContain("call submit_gates with one JSON object");
    expect(text).not.toContain("nothing else");
    expect(text).not.toContain("text around");
  });
  test("[GATE-52] it holds role, gates in order, categories, rules, schema and instructions", () => {
    const text = gatePrompt(gates);
    expect(text.startsWith("You interview people about data.")).toBe(true);
    expect(text.indexOf('1. "b_use" (optional): What is it for?')).toBeGreaterThan(0);
    expect(text.indexOf('2. "a_data" (required): Is there data?')).toBeGreaterThan(
      text.indexOf('1. "b_use"'),
    );
    expect(text).toContain('classified is exactly one of: "Yes", "No"; or null.');
    expect(text).toContain("at most 200 characters");
    expect(text).toContain(JSON.stringify(gateSchema(gates), null, 2));
    expect(text.endsWith("Answer in English.")).toBe(true);
  });
});

describe("repair message", () => {
  test("[GATE-53] it names every error with its field, what was expected and what came", () => {
    const result = parseGates({ ...answer, summary: 3, gates: { b_use: 4 } }, gates);
    expect(repairMessage(result)).toBe(
      [
        "Your last answer could not be used:",
        "- summary must be string, not number. Expected string. You sent number.",
        "- gates.b_use must be object, not number. Expected object. You sent number.",
        '- gates.a_data: Required gate "a_data" is missing: send it with raw and classified, null if not known. Expected object with raw and classified.',
        "",
        "Send the whole JSON object again, corrected, and nothing else.",
      ].join("\n"),
    );
  });
  test("[GATE-53] it asks for a shorter answer where the text broke off, and is empty for an accepted one", () => {
    expect(repairMessage(parseGates(JSON.stringify(answer).slice(0, -5), gates))).toContain("shorter");
    expect(repairMessage(parseGates("no", gates))).toContain("found in text. Expected");
    expect(repairMessage(parseGates(answer, gates))).toBe("");
    const flood = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`x${i}`, {}]));
    expect(repairMessage(parseGates({ ...answer, gates: { ...answer.gates, ...flood } }, gates))).toContain(
      "and 30 more",
    );
  });
});
