// Owns: payload types: what a tree created with types accepts, and who may write which property.
// Must never: accept a type or property by guessing; an unknown name is refused with the known ones.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Json, JsonObject } from "../value.ts";
import { didYouMean } from "./_target.ts";
import { setOwn } from "../text/plain-json.ts";
import { isGuarded, isObject, sameValue } from "./payload.ts";

/** What a property's value must be; null is allowed for each. */
export type ValueKind = "string" | "number" | "integer" | "boolean" | "object" | "array" | "any";

/** Every {@link ValueKind}. */
export const VALUE_KINDS: readonly ValueKind[] = [
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "any",
];

/** What a type asks of one property. */
export interface PropertyRule {
  /** What kind of value it must be; any when left out. */
  readonly kind?: ValueKind;
  /** Nobody changes it after the node is made. */
  readonly readOnly?: boolean;
  /** Only these roles change it. */
  readonly roles?: readonly string[];
}

/** What nodes of a type accept. */
export interface PayloadType {
  /** Self-payload: the node is its own payload, so its JSON has the properties inline. */
  readonly self?: boolean;
  /** Properties it accepts; omitted: any. */
  readonly properties?: { readonly [name: string]: PropertyRule };
}

/** The types that a tree accepts, by name. */
export type PayloadTypes = { readonly [name: string]: PayloadType };

/** True when a value is of a kind. */
export function isKind(value: Json, kind: ValueKind): boolean {
  switch (kind) {
    case "any":
      return true;
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === kind;
  }
}

/**
 * Payload types from outside: a list of names, or an object of name -> rules. Throws `invalid_argument` /
 * `bad_payload_types` naming every problem. O(rules).
 *
 * @example const types = takePayloadTypes({ Task: { properties: { name: { kind: "string" } } } });
 */
export function takePayloadTypes(value: unknown, limits: Limits = DEFAULT_LIMITS): PayloadTypes | undefined {
  if (value === undefined || value === null) return undefined;
  const problems: Shown[] = [];
  const types: Record<string, Json> = {};
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((name): [string, unknown] => [String(name), {}])
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (!Array.isArray(value) && !isObject(value)) problems.push(say`payloadTypes must be a list or an object`);
  if (entries.length > limits.treeTypes) problems.push(say`more than ${limits.treeTypes} types`);
  for (const [name, rules] of entries.slice(0, limits.treeTypes)) {
    if (name === "" || name.length > limits.treeTagLength) problems.push(say`type name ${echo(name)}`);
    else setOwn(types, name, takeType(name, rules, problems));
  }
  if (problems.length > 0)
    throw new HoldfastError(
      "invalid_argument",
      "bad_payload_types",
      say`Payload types refused: ${sayAll(problems.slice(0, 20), "; ")}. Each type is { self?: boolean, properties?: { name: { kind?, readOnly?, roles? } } }.`,
    );
  return Object.freeze(types) as unknown as PayloadTypes;
}

function takeType(name: string, rules: unknown, problems: Shown[]): Json {
  const type: { self?: boolean; properties?: Record<string, Json> } = {};
  if (rules === null || rules === undefined) return {};
  if (!isObject(rules)) {
    problems.push(say`${echo(name)} must be an object`);
    return {};
  }
  for (const key of Object.keys(rules))
    if (key !== "self" && key !== "properties") problems.push(say`${echo(name)}: unknown key ${echo(key)}`);
  if (rules["self"] === true) type.self = true;
  const properties = rules["properties"];
  if (Array.isArray(properties)) type.properties = Object.fromEntries(properties.map((p) => [String(p), {}]));
  else if (isObject(properties)) {
    type.properties = {};
    for (const [property, rule] of Object.entries(properties)) {
      if (isGuarded(property)) problems.push(say`${echo(name)}.${echo(property)} is a guarded name`);
      setOwn(type.properties, property, takeRule(name, property, rule, problems));
    }
  } else if (properties !== undefined && properties !== null)
    problems.push(say`${echo(name)}.properties must be a list or an object`);
  return type;
}

function takeRule(name: string, property: string, rule: unknown, problems: Shown[]): Json {
  const taken: { kind?: ValueKind; readOnly?: boolean; roles?: string[] } = {};
  const where = say`${echo(name)}.${echo(property)}`;
  if (typeof rule === "string") rule = { kind: rule };
  if (rule === null || rule === undefined) return {};
  if (!isObject(rule)) {
    problems.push(say`${where} must be an object`);
    return {};
  }
  const { kind, readOnly, roles, ...rest } = rule as { [key: string]: unknown };
  for (const key of Object.keys(rest)) problems.push(say`${where}: unknown key ${echo(key)}`);
  if (kind !== undefined) {
    if (VALUE_KINDS.includes(kind as ValueKind)) taken.kind = kind as ValueKind;
    else
      problems.push(
        say`${where}: kind must be one of ${sayAll(VALUE_KINDS.map((k) => k as unknown as Shown))}`,
      );
  }
  if (readOnly === true) taken.readOnly = true;
  if (Array.isArray(roles)) taken.roles = roles.map(String);
  else if (roles !== undefined) problems.push(say`${where}: roles must be a list`);
  return taken;
}

/** The rules of a type, or a refusal that names the known types. */
export function typeNamed(types: PayloadTypes | undefined, name: string): PayloadType | undefined {
  if (types === undefined) return undefined;
  if (Object.hasOwn(types, name)) return types[name];
  throw new HoldfastError(
    "invalid_argument",
    "unknown_payload_type",
    say`This tree has no payload type ${echo(name)}.${didYouMean(name, Object.keys(types))} Known types: ${sayAll(
      Object.keys(types)
        .slice(0, 20)
        .map((known) => echo(known)),
    )}.`,
    { data: { type: echo(name) } },
  );
}

/** Refuses a property that the type does not know, or a value of another kind. */
export function checkProperty(
  type: PayloadType | undefined,
  typeName: string,
  name: string,
  value: Json,
): void {
  const known = type?.properties;
  if (known === undefined) return;
  const rule = Object.hasOwn(known, name) ? known[name] : undefined;
  if (rule === undefined)
    throw new HoldfastError(
      "invalid_argument",
      "unknown_property",
      say`${echo(typeName)} has no property ${echo(name)}.${didYouMean(name, Object.keys(known))} Known properties: ${sayAll(
        Object.keys(known)
          .slice(0, 20)
          .map((property) => echo(property)),
      )}.`,
      { data: { property: echo(name) } },
    );
  if (rule.kind !== undefined && value !== null && !isKind(value, rule.kind))
    throw new HoldfastError(
      "invalid_argument",
      "wrong_kind",
      say`${echo(name)} of ${echo(typeName)} must be ${rule.kind as unknown as Shown}.`,
      { data: { property: echo(name) } },
    );
}

/** Refuses a property of an existing node that this role may not change. */
export function checkWritable(type: PayloadType | undefined, name: string, role: string | undefined): void {
  const rule = ruleOf(type, name);
  if (rule?.readOnly === true)
    throw new HoldfastError("forbidden", "read_only_property", say`${echo(name)} is read-only.`, {
      data: { property: echo(name) },
    });
  checkRole(type, name, role);
}

function ruleOf(type: PayloadType | undefined, name: string): PropertyRule | undefined {
  const known = type?.properties;
  return known !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
}

/** Refuses a property that this role may not give a value, on a new node either. */
function checkRole(type: PayloadType | undefined, name: string, role: string | undefined): void {
  const rule = ruleOf(type, name);
  if (rule?.roles !== undefined && (role === undefined || !rule.roles.includes(role)))
    throw new HoldfastError("forbidden", "role_cannot_write", say`Your role may not change ${echo(name)}.`, {
      data: { property: echo(name) },
    });
}

/** Checks the payload of a node that a caller makes: the types, and what its role may set. */
export function checkNewNode(
  types: PayloadTypes | undefined,
  typeName: string,
  payload: JsonObject,
  role: string | undefined,
): void {
  checkNodePayload(types, typeName, payload);
  const type = typeNamed(types, typeName);
  for (const name of Object.keys(payload)) checkRole(type, name, role);
}

/** Checks another type and payload for an existing node: each property that differs must be writable in both types. */
export function checkReplaced(
  types: PayloadTypes | undefined,
  was: { readonly type: string; readonly payload: JsonObject },
  now: { readonly type: string; readonly payload: JsonObject },
  role: string | undefined,
): void {
  checkNodePayload(types, now.type, now.payload);
  if (types === undefined) return;
  const before = typeNamed(types, was.type);
  const after = typeNamed(types, now.type);
  for (const name of new Set([...Object.keys(was.payload), ...Object.keys(now.payload)])) {
    const had = Object.hasOwn(was.payload, name) ? was.payload[name] : undefined;
    const has = Object.hasOwn(now.payload, name) ? now.payload[name] : undefined;
    if (sameValue(had, has)) continue;
    checkWritable(before, name, role);
    checkRole(after, name, role);
  }
}

/** Checks a whole new payload against the tree's types. */
export function checkNodePayload(
  types: PayloadTypes | undefined,
  typeName: string,
  payload: JsonObject,
): void {
  const type = typeNamed(types, typeName);
  if (type?.properties === undefined) return;
  for (const [name, value] of Object.entries(payload)) checkProperty(type, typeName, name, value);
}
