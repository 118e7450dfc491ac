// Owns: what a gate set is made of, the two forms it is written in, and every problem such a form can have.
// Must never: stop at the first problem, or run code of the configuration it reads.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { readList, readRecord, typeName } from "./_plain.ts";
import { DEFAULT_POLICY, withPolicy, type GatePolicy } from "./policy.ts";

/** One question. Without categories any answer completes it; with categories it needs one of them. */
export interface GateDefinition {
  readonly question: string;
  /** Default false: the gate is asked for but never blocks. */
  readonly required?: boolean;
  readonly expected_categories?: readonly string[];
}

export interface GateConfig {
  /** Only `1.0` is known. */
  readonly schema_version?: string;
  /** Every gate, in the order in which they are asked. */
  readonly gate_order: readonly string[];
  readonly gates: { readonly [key: string]: GateDefinition };
  readonly policy?: Partial<GatePolicy>;
  /** Repeated at the top of the prompt. */
  readonly role?: string;
  /** Repeated at the end of the prompt. */
  readonly instructions?: string;
}

/** The same as a prompt document: upper-case keys. Keys that no gate needs (`PATH`, `MODE`, ...) are ignored. */
export interface GateDocument {
  readonly GATE_ORDER: readonly string[];
  readonly GATES: { readonly [key: string]: GateDefinition & { readonly [other: string]: unknown } };
  readonly SCHEMA_VERSION?: string;
  readonly POLICY?: Partial<GatePolicy>;
  readonly LLM_ROLE?: string;
  readonly SYSTEM_INSTRUCTIONS?: string;
  readonly [other: Uppercase<string>]: unknown;
}

export type GateConfigInput = GateConfig | GateDocument;

export type GateMode = "classified_required" | "raw_required";

/** One gate of a checked configuration. */
export interface Gate<K extends string = string> {
  readonly key: K;
  /** Trimmed. */
  readonly question: string;
  readonly required: boolean;
  readonly categories: readonly string[];
  readonly mode: GateMode;
}

declare const from: unique symbol;

/** A checked configuration, in gate order. Made by {@link defineGates}; reading it costs nothing more. */
export interface GateSet<C = GateConfig> {
  readonly gates: ReadonlyMap<KeyOf<C>, Gate<KeyOf<C>>>;
  readonly policy: GatePolicy;
  readonly role: string | undefined;
  readonly instructions: string | undefined;
  readonly [from]?: C;
}

/** What every function here takes: a configuration as it was written, or a checked one. */
export type GatesLike = GateConfigInput | GateSet<GateConfigInput>;

/** The gate keys of a configuration. */
export type KeyOf<C> =
  C extends GateSet<infer D>
    ? KeyOf<D>
    : C extends { readonly gate_order: readonly (infer K extends string)[] }
      ? K
      : C extends { readonly GATE_ORDER: readonly (infer K extends string)[] }
        ? K
        : string;

/** The categories of one gate of a configuration; string where it has none. */
export type CategoryOf<C, K extends string> =
  C extends GateSet<infer D>
    ? CategoryOf<D, K>
    : C extends { readonly gates: infer G } | { readonly GATES: infer G }
      ? K extends keyof G
        ? G[K] extends { readonly expected_categories: readonly (infer V extends string)[] }
          ? [V] extends [never]
            ? string
            : V
          : string
        : string
      : string;

/** One thing wrong with a configuration, and where. */
export interface GateConfigProblem {
  readonly path: string;
  readonly message: string;
}

export const SCHEMA_VERSION = "1.0";

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

/** Sets that this module made: they need no second check. */
const checked = new WeakSet();

/**
 * Checks a configuration and makes it ready. Throws `invalid_argument` / `bad_gate_config` with every problem.
 *
 * @example
 * const gates = defineGates({
 *   gate_order: ["1_data", "2_use"],
 *   gates: {
 *     "1_data": { question: "Is there data?", required: true, expected_categories: ["Yes", "No"] },
 *     "2_use": { question: "What is it for?", required: true },
 *   },
 * });
 */
export function defineGates<const C extends GateConfigInput>(config: C): GateSet<C> {
  const read = readConfig(config);
  if (read.version !== undefined) read.problems.push(read.version);
  return finish<C>(read);
}

/** Every problem of a configuration at once; none means that {@link defineGates} takes it. Never throws. */
export function checkGateConfig(config: unknown): readonly GateConfigProblem[] {
  const read = readConfig(config);
  return read.version === undefined ? read.problems : [...read.problems, read.version];
}

/** A set out of a configuration or a set; the version problem is handed back, others throw. */
export function asGateSet<C>(config: C): {
  readonly set: GateSet<C>;
  readonly version: GateConfigProblem | undefined;
} {
  if (typeof config === "object" && config !== null && checked.has(config))
    return { set: config as unknown as GateSet<C>, version: undefined };
  const read = readConfig(config);
  return { set: finish<C>(read), version: read.version };
}

interface ConfigRead {
  readonly problems: GateConfigProblem[];
  version: GateConfigProblem | undefined;
  readonly gates: Map<string, Gate>;
  policy: GatePolicy;
  role: string | undefined;
  instructions: string | undefined;
}

function finish<C>(read: ConfigRead): GateSet<C> {
  const { problems } = read;
  if (problems.length > 0)
    throw new HoldfastError(
      "invalid_argument",
      "bad_gate_config",
      say`The gate configuration has ${problems.length} ${(problems.length === 1 ? "problem" : "problems") as Shown}: ${sayAll(
        problems.slice(0, 50).map((problem) => `${problem.path}: ${problem.message}` as Shown),
        "; ",
      )}.`,
      {
        data: problems.map((problem) => ({ path: problem.path as Shown, message: problem.message as Shown })),
      },
    );
  const set = Object.freeze({
    gates: read.gates,
    policy: read.policy,
    role: read.role,
    instructions: read.instructions,
  }) as unknown as GateSet<C>;
  checked.add(set);
  return set;
}

function readConfig(config: unknown): ConfigRead {
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

/** `gates.KEY`, or with the key quoted if a dot or bracket in it would mislead. */
export function gatePath(key: string): string {
  return /^[\w-]{1,80}$/.test(key) ? `gates.${key}` : `gates[${echo(key)}]`;
}
