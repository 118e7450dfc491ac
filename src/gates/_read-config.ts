// Owns: reading a configuration in either of its forms, and every problem that such a form can have.
// Must never: stop at the first problem, or run code of the configuration it reads.

import { echo } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { SCHEMA_VERSION, type GateConfigProblem } from "./config.ts";
import { gatePath, type Gate } from "./gate-set.ts";
import { readList, readRecord, typeName } from "./_plain.ts";
import { DEFAULT_POLICY, withPolicy, type GatePolicy } from "./policy.ts";

const CONFIG_KEYS = ["schema_version", "gate_order", "gates", "policy", "role", "instructions"];
const GATE_KEYS = ["question", "required", "expected_categories"];
const POLICY_KEYS = Object.keys(DEFAULT_POLICY);
const DOCUMENT_KEYS: ReadonlyMap<string, string> = new Map([
  ["SCHEMA_VERSION", "schema_version"],
  ["GATE_ORDER", "gate_order"],
  ["GATES", "gates"],
  ["POLICY", "policy"],
  ["LLM_ROLE", "role"],
  ["SYSTEM_INSTRUCTIONS", "instructions"],
]);

/** What a configuration says, with everything that is wrong with it. */
export interface ConfigRead {
  readonly problems: GateConfigProblem[];
  version: GateConfigProblem | undefined;
  readonly gates: Map<string, Gate>;
  policy: GatePolicy;
  role: string | undefined;
  instructions: string | undefined;
}

/** Reads a configuration in either form. A read with problems is no gate set. */
export function readConfig(config: unknown): ConfigRead {
  const problems: GateConfigProblem[] = [];
  const read: ConfigRead = {
    problems,
    version: undefined,
    gates: new Map(),
    policy: DEFAULT_POLICY,
    role: undefined,
    instructions: undefined,
  };
  const given = readRecord(config);
  if (given === undefined) {
    problems.push({ path: "config", message: `must be an object, not ${typeName(config)}` });
    return read;
  }
  const document = given.has("GATE_ORDER") || given.has("GATES");
  const data = document ? lowered(given) : given;
  if (!document) unknownKeys(data, CONFIG_KEYS, "config", problems);
  const version = data.get("schema_version");
  if (version !== undefined && version !== SCHEMA_VERSION)
    read.version = {
      path: "schema_version",
      message: `must be "${SCHEMA_VERSION}", not ${typeof version === "string" ? echo(version) : typeName(version)}`,
    };
  read.role = optionalText(data, "role", problems);
  read.instructions = optionalText(data, "instructions", problems);
  read.policy = readPolicy(data.get("policy"), document, problems);
  const gates = readGates(data.get("gates"), document, problems);
  for (const key of readOrder(data.get("gate_order"), gates, problems)) {
    const gate = gates.get(key);
    if (gate !== undefined) read.gates.set(key, gate);
  }
  return read;
}

function lowered(document: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const data = new Map<string, unknown>();
  for (const [key, value] of document) {
    const name = DOCUMENT_KEYS.get(key);
    if (name !== undefined) data.set(name, value);
  }
  return data;
}

function readOrder(
  order: unknown,
  gates: ReadonlyMap<string, Gate>,
  problems: GateConfigProblem[],
): ReadonlySet<string> {
  const keys = new Set<string>();
  const items = readList(order);
  if (items === undefined) {
    problems.push({ path: "gate_order", message: `must be a list of gate keys, not ${typeName(order)}` });
    return keys;
  }
  if (items.length === 0) problems.push({ path: "gate_order", message: "is empty: name every gate" });
  items.forEach((key, index) => {
    const path = `gate_order[${index}]`;
    if (typeof key !== "string") problems.push({ path, message: `must be a gate key, not ${typeName(key)}` });
    else if (keys.has(key)) problems.push({ path, message: `names ${echo(key)} a second time` });
    else {
      keys.add(key);
      if (gates.has(key)) return;
      const near = nearest(key, gates.keys());
      const hint = near === undefined ? "" : `; did you mean ${echo(near)}?`;
      problems.push({ path, message: `names the unknown gate ${echo(key)}${hint}` });
    }
  });
  for (const key of gates.keys())
    if (!keys.has(key)) problems.push({ path: gatePath(key), message: "is missing from gate_order" });
  return keys;
}

function readGates(gates: unknown, document: boolean, problems: GateConfigProblem[]): Map<string, Gate> {
  const read = new Map<string, Gate>();
  const data = readRecord(gates);
  if (data === undefined) {
    problems.push({ path: "gates", message: `must be an object, not ${typeName(gates)}` });
    return read;
  }
  for (const [key, value] of data) {
    const path = gatePath(key);
    if (key.trim() !== key || key === "") problems.push({ path, message: "has an empty or untrimmed key" });
    const gate = readRecord(value);
    if (gate === undefined) problems.push({ path, message: `must be an object, not ${typeName(value)}` });
    else if (!document) unknownKeys(gate, GATE_KEYS, path, problems);
    const question = gate?.get("question");
    if (gate !== undefined && (typeof question !== "string" || question.trim() === ""))
      problems.push({ path: `${path}.question`, message: "must be a text that is not empty" });
    const required = gate?.get("required");
    if (required !== undefined && typeof required !== "boolean")
      problems.push({
        path: `${path}.required`,
        message: `must be true or false, not ${typeName(required)}`,
      });
    const categories = readCategories(gate?.get("expected_categories"), path, problems);
    read.set(
      key,
      Object.freeze({
        key,
        question: typeof question === "string" ? question.trim() : "",
        required: required === true,
        categories,
        mode: categories.length > 0 ? "classified_required" : "raw_required",
      }),
    );
  }
  return read;
}

function readCategories(value: unknown, gate: string, problems: GateConfigProblem[]): readonly string[] {
  if (value === undefined || value === null) return [];
  const path = `${gate}.expected_categories`;
  const items = readList(value);
  if (items === undefined) {
    problems.push({ path, message: `must be a list of texts, not ${typeName(value)}` });
    return [];
  }
  const categories = new Set<string>();
  items.forEach((item, index) => {
    const at = `${path}[${index}]`;
    if (typeof item !== "string")
      problems.push({ path: at, message: `must be a text, not ${typeName(item)}` });
    else if (item.trim() === "") problems.push({ path: at, message: "is empty" });
    else if (item.trim() !== item)
      problems.push({ path: at, message: `${echo(item)} has blanks at its ends: answers are trimmed` });
    else if (categories.has(item)) problems.push({ path: at, message: `repeats ${echo(item)}` });
    else categories.add(item);
  });
  return Object.freeze([...categories]);
}

function readPolicy(value: unknown, document: boolean, problems: GateConfigProblem[]): GatePolicy {
  if (value === undefined || value === null) return DEFAULT_POLICY;
  const data = readRecord(value);
  if (data === undefined) {
    problems.push({ path: "policy", message: `must be an object, not ${typeName(value)}` });
    return DEFAULT_POLICY;
  }
  if (!document) unknownKeys(data, POLICY_KEYS, "policy", problems);
  const changes: { [key: string]: unknown } = {};
  for (const key of POLICY_KEYS) {
    const setting = data.get(key);
    if (setting === undefined) continue;
    if (key === "summary_limit") {
      if (!Number.isSafeInteger(setting) || (setting as number) < 1)
        problems.push({ path: `policy.${key}`, message: "must be a whole number above 0" });
    } else if (typeof setting !== "boolean")
      problems.push({ path: `policy.${key}`, message: `must be true or false, not ${typeName(setting)}` });
    changes[key] = setting;
  }
  return withPolicy(DEFAULT_POLICY, changes);
}

function optionalText(
  data: ReadonlyMap<string, unknown>,
  key: string,
  problems: GateConfigProblem[],
): string | undefined {
  const value = data.get(key);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  problems.push({ path: key, message: `must be a text, not ${typeName(value)}` });
  return undefined;
}

function unknownKeys(
  data: ReadonlyMap<string, unknown>,
  known: readonly string[],
  path: string,
  problems: GateConfigProblem[],
): void {
  for (const key of data.keys()) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    problems.push({ path, message: `has the unknown key ${echo(key)}${hint}` });
  }
}
