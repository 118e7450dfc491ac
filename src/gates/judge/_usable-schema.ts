// Owns: whether a schema can be used, looked at as a whole before any text is judged by it: what is wrong with it is the host's to
// mend, and must not depend on which keys a model sends. Only what a value can lead to is looked at.
// Must never: recurse on the schema, or look into values (enum, const, default).

import { RE2JS } from "re2js";
import { echo } from "../../errors.ts";
import type { Json, JsonObject } from "../../value.ts";
import { typeName } from "../_plain.ts";
import { badSchema, type Schema } from "./_describe-schema.ts";
import { resolveRef } from "./_schema-ref.ts";

/** More schemas than this for one place of a value. */
const MOST_AT_ONE_PLACE = 200;
const UNSUPPORTED = ["$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"];
const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

type Shape = readonly [words: string, fits: (value: Json) => boolean];

const isObject = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const areStrings = (value: Json): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const NUMBER: Shape = ["a number", (value) => typeof value === "number"];
const WHOLE: Shape = ["a whole number from 0 on", (value) => Number.isInteger(value) && Number(value) >= 0];
const STRING: Shape = ["a string", (value) => typeof value === "string"];
const STRINGS: Shape = ["a list of strings", areStrings];
const LIST: Shape = ["a list", (value) => Array.isArray(value)];
const BY_NAME: Shape = ["an object", isObject];

/** What the value of a keyword must be, where the validator looks at it. */
const SHAPES: Readonly<Record<string, Shape>> = {
  type: [
    `one of ${TYPES.join(", ")}, or a list of them`,
    (value) => (Array.isArray(value) ? value : [value]).every((type) => TYPES.includes(type as string)),
  ],
  enum: LIST,
  minimum: NUMBER,
  maximum: NUMBER,
  exclusiveMinimum: NUMBER,
  exclusiveMaximum: NUMBER,
  multipleOf: ["a number above 0", (value) => typeof value === "number" && value > 0],
  minLength: WHOLE,
  maxLength: WHOLE,
  minItems: WHOLE,
  maxItems: WHOLE,
  minContains: WHOLE,
  maxContains: WHOLE,
  minProperties: WHOLE,
  maxProperties: WHOLE,
  uniqueItems: ["true or false", (value) => typeof value === "boolean"],
  pattern: STRING,
  $ref: STRING,
  required: STRINGS,
  dependentRequired: [
    "an object of lists of strings",
    (value) => isObject(value) && Object.values(value as JsonObject).every(areStrings),
  ],
  properties: BY_NAME,
  patternProperties: BY_NAME,
  dependentSchemas: BY_NAME,
  allOf: LIST,
  anyOf: LIST,
  oneOf: LIST,
  prefixItems: LIST,
};

/** Keywords whose schemas are for the same place of a value, and for a place inside it: one, a list, or one for each name. */
const SAME_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];
const INSIDE = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "propertyNames",
  "items",
  "additionalItems",
  "prefixItems",
  "contains",
];
const SEVERAL = new Set(["properties", "patternProperties", "dependentSchemas"]);

const usable = new WeakMap<object, ReadonlyMap<string, RE2JS>>();

/**
 * The compiled patterns of a schema that can be used; looked at once for each schema object. Throws `invalid_argument` /
 * `bad_schema` for any other.
 */
export function patternsOf(root: Schema): ReadonlyMap<string, RE2JS> {
  if (typeof root === "boolean") return new Map();
  assertSchema(root);
  let patterns = usable.get(root);
  if (patterns === undefined) {
    patterns = lookAt(root);
    usable.set(root, patterns);
  }
  return patterns;
}

function lookAt(root: JsonObject): ReadonlyMap<string, RE2JS> {
  const patterns = new Map<string, RE2JS>();
  const samePlace = new Map<JsonObject, readonly JsonObject[]>();
  const open: JsonObject[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (samePlace.has(node)) continue;
    assertKeywords(node);
    const { pattern, patternProperties, $ref } = node;
    for (const source of [pattern, ...Object.keys((patternProperties ?? {}) as JsonObject)])
      if (typeof source === "string" && !patterns.has(source)) patterns.set(source, schemaPattern(source));
    const here = schemasIn(node, SAME_PLACE);
    if (typeof $ref === "string") here.push(...asSchemas([resolveRef(root, $ref)]));
    samePlace.set(node, here);
    for (const inner of [...here, ...schemasIn(node, INSIDE)]) open.push(inner);
  }
  for (const node of samePlace.keys()) assertShallow(node, samePlace);
  return patterns;
}

/** Throws when schemas for one place lead in a circle, or on and on. */
function assertShallow(start: JsonObject, samePlace: ReadonlyMap<JsonObject, readonly JsonObject[]>): void {
  let level = new Set(samePlace.get(start));
  for (let depth = 1; level.size > 0; depth++) {
    if (level.has(start) || depth > MOST_AT_ONE_PLACE) throw badSchema("a reference leads back to itself");
    const next = new Set<JsonObject>();
    for (const node of level) for (const inner of samePlace.get(node) ?? []) next.add(inner);
    level = next;
  }
}

function assertKeywords(node: JsonObject): void {
  for (const [keyword, value] of Object.entries(node)) {
    if (UNSUPPORTED.includes(keyword)) throw badSchema(`${keyword} is not supported`);
    if (!Object.hasOwn(SHAPES, keyword) || value === undefined) continue;
    const [words, fits] = SHAPES[keyword] as Shape;
    if (!fits(value)) throw badSchema(`${keyword} must be ${words}, not ${shortly(value)}`);
  }
}

function shortly(value: Json): string {
  return typeof value === "string" ? echo(value) : typeName(value);
}

function schemasIn(node: JsonObject, keywords: readonly string[]): JsonObject[] {
  return keywords.flatMap((keyword) => {
    const value = Object.hasOwn(node, keyword) ? node[keyword] : undefined;
    if (value === undefined) return [];
    if (SEVERAL.has(keyword)) return asSchemas(Object.values(value as JsonObject));
    return asSchemas(Array.isArray(value) ? (value as readonly Json[]) : [value]);
  });
}

/** Those that are objects; `true` and `false` have nothing to look at. */
function asSchemas(values: readonly (Json | undefined)[]): JsonObject[] {
  for (const value of values) if (typeof value !== "boolean") assertSchema(value);
  return values.filter((value) => typeof value === "object") as JsonObject[];
}

function assertSchema(value: unknown): asserts value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badSchema(
      `a schema must be an object, true or false, not ${value === undefined ? "undefined" : typeName(value as Json)}`,
    );
}

export function schemaPattern(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch {
    throw badSchema(
      `the pattern ${echo(source)} cannot be used: look-around and back references are not supported`,
    );
  }
}
