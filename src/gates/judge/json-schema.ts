// Owns: whether a JSON value fits a JSON Schema (2020-12, and what draft 7 wrote otherwise), with an error for each place.
// Must never: compile code, fetch a schema, or run a pattern that can backtrack. It recurses on the value, whose depth
// extraction bounds; a reference that leads back to itself without going into the value is refused beforehand (_usable-schema.ts).

import type { RE2JS } from "re2js";
import { echo } from "../../errors.ts";
import { countChars } from "../../text/budget.ts";
import { plural } from "../../text/plural.ts";
import type { Json, JsonObject } from "../../value.ts";
import { describeSchema, type Schema } from "./_describe-schema.ts";
import { placeText, type Place } from "./_place.ts";
import { resolveRef } from "./_schema-ref.ts";
import { schemaPattern, patternsOf } from "./_usable-schema.ts";
import { jsonKey } from "./_equal-json.ts";
import {
  boundMisfits,
  misfit,
  numberMisfits,
  numberOf,
  typeMisfit,
  unknownKey,
  valueMisfits,
  type SchemaMisfit,
} from "./_keyword-misfits.ts";

/** Every place where a value does not fit. Throws `invalid_argument` / `bad_schema` for a schema that cannot be used. */
export function misfits(root: Schema, value: Json): SchemaMisfit[] {
  return new Validator(root).check(root, value, []);
}

class Validator {
  readonly #root: Schema;
  readonly #patterns: ReadonlyMap<string, RE2JS>;

  constructor(root: Schema) {
    this.#root = root;
    this.#patterns = patternsOf(root);
  }

  check(schema: Json | undefined, value: Json, place: Place): SchemaMisfit[] {
    if (schema === undefined || schema === true) return [];
    if (schema === false) return [misfit("invalid_value", place, "is not allowed here", "nothing", value)];
    const node = schema as JsonObject;
    const wrongType = typeMisfit(node, value, place);
    if (wrongType !== undefined) return [wrongType];
    const found = [...valueMisfits(node, value, place)];
    if (typeof value === "string") found.push(...this.#text(node, value, place));
    else if (typeof value === "number") found.push(...numberMisfits(node, value, place));
    else if (Array.isArray(value)) found.push(...this.#array(node, value as readonly Json[], place));
    else if (typeof value === "object" && value !== null)
      found.push(...this.#object(node, value as JsonObject, place));
    found.push(...this.#combined(node, value, place));
    return found;
  }

  #fits(schema: Json | undefined, value: Json, place: Place): boolean {
    return this.check(schema, value, place).length === 0;
  }

  #text(schema: JsonObject, value: string, place: Place): SchemaMisfit[] {
    const found: SchemaMisfit[] = [];
    const length = countChars(value);
    boundMisfits(found, schema, ["minLength", "maxLength"], length, place, "character");
    const { pattern } = schema;
    if (typeof pattern === "string" && !this.#pattern(pattern).matcher(value).find())
      found.push(
        misfit(
          "invalid_value",
          place,
          "does not match the pattern",
          `a string that matches ${pattern}`,
          value,
        ),
      );
    return found;
  }

  /** A host may have changed its schema since it was looked at. */
  #pattern(source: string): RE2JS {
    return this.#patterns.get(source) ?? schemaPattern(source);
  }

  #array(schema: JsonObject, value: readonly Json[], place: Place): SchemaMisfit[] {
    const found: SchemaMisfit[] = [];
    boundMisfits(found, schema, ["minItems", "maxItems"], value.length, place, "item");
    // Draft 7 wrote prefixItems as a list in items, and items as additionalItems.
    const listed = Array.isArray(schema["items"]);
    const prefix = (listed ? schema["items"] : (schema["prefixItems"] ?? [])) as readonly Json[];
    const rest = listed ? schema["additionalItems"] : schema["items"];
    value.forEach((item, index) => {
      found.push(...this.check(index < prefix.length ? prefix[index] : rest, item, [...place, index]));
    });
    if (schema["uniqueItems"] === true && new Set(value.map(jsonKey)).size < value.length)
      found.push(misfit("invalid_value", place, "holds an item twice", "items that all differ"));
    if (schema["contains"] !== undefined) {
      const count = value.filter((item, index) =>
        this.#fits(schema["contains"], item, [...place, index]),
      ).length;
      const least = numberOf(schema["minContains"]) ?? 1;
      const most = numberOf(schema["maxContains"]) ?? Infinity;
      if (count < least || count > most)
        found.push(
          misfit(
            "invalid_value",
            place,
            `holds ${plural(count, "item")} of the form ${describeSchema(schema["contains"])}`,
            `${least} or more${most === Infinity ? "" : `, at most ${most}`}`,
            undefined,
          ),
        );
    }
    return found;
  }

  #object(schema: JsonObject, value: JsonObject, place: Place): SchemaMisfit[] {
    const found: SchemaMisfit[] = [];
    const properties = (schema["properties"] ?? {}) as JsonObject;
    const patterns = Object.entries((schema["patternProperties"] ?? {}) as JsonObject);
    const keys = Object.keys(value);
    const need = (key: string, why = ""): void => {
      if (Object.hasOwn(value, key)) return;
      const expected = describeSchema(Object.hasOwn(properties, key) ? properties[key] : true);
      const path = placeText([...place, key]);
      found.push({
        code: "missing_key",
        place: [...place, key],
        message: `${path} is missing${why}: send it as ${expected}.`,
        expected,
        actual: undefined,
      });
    };
    for (const key of (schema["required"] ?? []) as readonly string[]) need(key);
    for (const [key, needed] of Object.entries((schema["dependentRequired"] ?? {}) as JsonObject))
      if (Object.hasOwn(value, key))
        for (const other of needed as readonly string[]) need(other, ` although ${echo(key)} is there`);
    boundMisfits(found, schema, ["minProperties", "maxProperties"], keys.length, place, "key");
    for (const key of keys) {
      const at = [...place, key];
      const item = value[key] as Json;
      let known = Object.hasOwn(properties, key);
      if (known) found.push(...this.check(properties[key], item, at));
      for (const [pattern, inner] of patterns) {
        if (!this.#pattern(pattern).matcher(key).find()) continue;
        known = true;
        found.push(...this.check(inner, item, at));
      }
      if (!this.#fits(schema["propertyNames"], key, at))
        found.push(
          misfit(
            "invalid_key",
            at,
            "is no key that may be here",
            describeSchema(schema["propertyNames"]),
            undefined,
          ),
        );
      if (known) continue;
      if (schema["additionalProperties"] === false) found.push(unknownKey(at, key, Object.keys(properties)));
      else found.push(...this.check(schema["additionalProperties"], item, at));
    }
    for (const [key, inner] of Object.entries((schema["dependentSchemas"] ?? {}) as JsonObject))
      if (Object.hasOwn(value, key)) found.push(...this.check(inner, value, place));
    return found;
  }

  /** The keywords that hold other schemas for the same place. */
  #combined(schema: JsonObject, value: Json, place: Place): SchemaMisfit[] {
    const found: SchemaMisfit[] = [];
    const { $ref, allOf, anyOf, oneOf: one, not } = schema;
    if (typeof $ref === "string") found.push(...this.check(resolveRef(this.#root, $ref), value, place));
    for (const inner of (allOf ?? []) as readonly Json[]) found.push(...this.check(inner, value, place));
    if (anyOf !== undefined) found.push(...this.#forms(anyOf as readonly Json[], value, place, false));
    if (one !== undefined) found.push(...this.#forms(one as readonly Json[], value, place, true));
    if (not !== undefined && this.#fits(not, value, place))
      found.push(
        misfit(
          "invalid_value",
          place,
          `must not be ${describeSchema(not)}`,
          `anything but ${describeSchema(not)}`,
          value,
        ),
      );
    if (schema["if"] !== undefined) {
      const branch = this.#fits(schema["if"], value, place) ? "then" : "else";
      found.push(...this.check(schema[branch], value, place));
    }
    return found;
  }

  /** One of several forms. If none fits, the errors of the one that comes nearest, where there is such a one. */
  #forms(forms: readonly Json[], value: Json, place: Place, exactlyOne: boolean): SchemaMisfit[] {
    const results = forms.map((form) => this.check(form, value, place));
    const fitting = results.filter((found) => found.length === 0).length;
    const expected = forms.map((form) => describeSchema(form)).join(", or ");
    if (fitting > 1 && exactlyOne)
      return [
        misfit("invalid_value", place, `fits ${fitting} of the forms; exactly one must fit`, expected, value),
      ];
    if (fitting > 0) return [];
    // A form whose own type or constant is another is not what was meant.
    const near = results.filter((found) => found.every((one) => one.place.length > place.length));
    const [only, ...others] = near;
    if (only !== undefined && others.length === 0) return only;
    return [misfit("invalid_value", place, "fits none of the forms", expected, value)];
  }
}
