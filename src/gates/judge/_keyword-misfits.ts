// Owns: the keywords of a schema that concern one value and nothing inside it, and what is said where it does not fit.

import { echo } from "../../errors.ts";
import { nearest } from "../../text/nearest.ts";
import { plural } from "../../text/plural.ts";
import type { Json, JsonObject } from "../../value.ts";
import type { GateErrorCode } from "../findings.ts";
import { typeName } from "../_plain.ts";
import { describeSchema, oneOf } from "./_describe-schema.ts";
import { equalJson } from "./_equal-json.ts";
import { placeText, type Place } from "./_place.ts";

/** One place that does not fit. */
export interface SchemaMisfit {
  readonly code: GateErrorCode;
  readonly place: Place;
  readonly message: string;
  readonly expected: string;
  readonly actual: string | undefined;
}

export function misfit(
  code: GateErrorCode,
  place: Place,
  what: string,
  expected: string,
  value?: Json,
): SchemaMisfit {
  const at = placeText(place);
  return {
    code,
    place,
    message: `${at === "" ? "The value" : at} ${what}${what.endsWith("?") ? "" : "."}`,
    expected,
    actual: value === undefined ? undefined : showActual(value),
  };
}

/** What came, in few words: the value, or the kind of a container. */
export function showActual(value: Json): string {
  if (typeof value === "string") return echo(value);
  return typeof value === "object" && value !== null ? typeName(value) : String(value);
}

export function typeMisfit(schema: JsonObject, value: Json, place: Place): SchemaMisfit | undefined {
  const { type } = schema;
  if (type === undefined) return undefined;
  const types = (Array.isArray(type) ? type : [type]) as readonly string[];
  const actual = typeName(value);
  if (types.includes(actual) || (types.includes("integer") && Number.isInteger(value))) return undefined;
  const expected = describeSchema(schema);
  const at = placeText(place);
  return {
    code: "invalid_type",
    place,
    message: `${at === "" ? "The value" : at} must be ${types.join(" or ")}, not ${actual}.`,
    expected,
    actual: typeof value === "string" ? echo(value) : actual,
  };
}

export function valueMisfits(schema: JsonObject, value: Json, place: Place): SchemaMisfit[] {
  const { const: only, enum: list } = schema;
  if (only !== undefined && !equalJson(only, value))
    return [misfit("invalid_value", place, "is another value", JSON.stringify(only), value)];
  if (!Array.isArray(list) || list.some((item) => equalJson(item as Json, value))) return [];
  const words = list.filter((item): item is string => typeof item === "string");
  const near = typeof value === "string" ? nearest(value, words) : undefined;
  const hint = near === undefined ? "" : `; did you mean ${echo(near)}?`;
  return [
    misfit("invalid_category", place, `is none of the values${hint}`, oneOf(list as readonly Json[]), value),
  ];
}

export function numberMisfits(schema: JsonObject, value: number, place: Place): SchemaMisfit[] {
  const found: SchemaMisfit[] = [];
  const rules: readonly (readonly [string, string, (limit: number) => boolean])[] = [
    ["minimum", "at least", (limit) => value >= limit],
    ["maximum", "at most", (limit) => value <= limit],
    ["exclusiveMinimum", "above", (limit) => value > limit],
    ["exclusiveMaximum", "below", (limit) => value < limit],
    ["multipleOf", "a multiple of", (step) => isMultiple(value, step)],
  ];
  for (const [keyword, words, holds] of rules) {
    const limit = numberOf(schema[keyword]);
    if (limit !== undefined && !holds(limit))
      found.push(misfit("invalid_value", place, `must be ${words} ${limit}`, `${words} ${limit}`, value));
  }
  return found;
}

/** Binary fractions are never exact, so a hair's breadth is allowed. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) <= Number.EPSILON * Math.max(1, Math.abs(times)) * 4;
}

export function boundMisfits(
  found: SchemaMisfit[],
  schema: JsonObject,
  [least, most]: readonly [string, string],
  size: number,
  place: Place,
  what: string,
): void {
  const min = numberOf(schema[least]);
  const max = numberOf(schema[most]);
  const actual = plural(size, what);
  if (min !== undefined && size < min)
    found.push({
      ...misfit(
        "invalid_value",
        place,
        `has ${actual}; send at least ${min}`,
        `at least ${plural(min, what)}`,
      ),
      actual,
    });
  if (max !== undefined && size > max)
    found.push({
      ...misfit(
        "invalid_value",
        place,
        `has ${actual}; shorten it to ${max}`,
        `at most ${plural(max, what)}`,
      ),
      actual,
    });
}

export function unknownKey(place: Place, key: string, known: readonly string[]): SchemaMisfit {
  const near = nearest(key, known);
  const hint = near === undefined ? "" : ` Did you mean ${echo(near)}?`;
  return {
    code: "invalid_key",
    place,
    message: `${placeText(place)} is not known: leave it out.${hint}`,
    expected: oneOf(known),
    actual: echo(key),
  };
}

export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
