// Owns: rulesets: their JSON form, its published schema, and reading one with every problem named.

import { RE2JS } from "re2js";
import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Json } from "../value.ts";
import { VALUE_KINDS, type ValueKind } from "./payload-types.ts";
import { isObject } from "./payload.ts";

/** Which nodes a rule looks at: those of the types named; all without. */
export interface RuleTarget {
  /** Only nodes of these types; all when left out. */
  readonly types?: readonly string[];
  /** Replaces the rule's own message. */
  readonly message?: string;
}

/** One rule of a ruleset. */
export type Rule = RuleTarget &
  (
    | { readonly rule: "required"; readonly properties: readonly string[] }
    | { readonly rule: "kind"; readonly property: string; readonly kind: ValueKind }
    | { readonly rule: "range"; readonly property: string; readonly min?: number; readonly max?: number }
    | { readonly rule: "length"; readonly property: string; readonly min?: number; readonly max?: number }
    | { readonly rule: "pattern"; readonly property: string; readonly pattern: string }
    | { readonly rule: "oneOf"; readonly property: string; readonly values: readonly Json[] }
    | { readonly rule: "children"; readonly allow: readonly string[] }
    | { readonly rule: "parents"; readonly allow: readonly string[] }
    | { readonly rule: "unique"; readonly property: string }
    | { readonly rule: "depth"; readonly max: number }
    | { readonly rule: "childrenCount"; readonly min?: number; readonly max?: number }
  );

/** The kinds of rules. */
export type RuleName = Rule["rule"];

/** Rules that were read and checked by {@link takeRuleset}, patterns compiled. */
export interface Ruleset {
  /** What names it. */
  readonly id: string;
  /** Its rules. */
  readonly rules: readonly Rule[];
  /** Compiled patterns, by rule. */
  readonly patterns: ReadonlyMap<Rule, RE2JS>;
}

type Shape = "text" | "texts" | "number" | "kind" | "values" | "whole";

/** Fields of each rule: required ones, then optional ones. The schema below and the reader are made from it. */
const RULES: { readonly [N in RuleName]: readonly [required: Fields, optional: Fields] } = {
  required: [{ properties: "texts" }, {}],
  kind: [{ property: "text", kind: "kind" }, {}],
  range: [{ property: "text" }, { min: "number", max: "number" }],
  length: [{ property: "text" }, { min: "whole", max: "whole" }],
  pattern: [{ property: "text", pattern: "text" }, {}],
  oneOf: [{ property: "text", values: "values" }, {}],
  children: [{ allow: "texts" }, {}],
  parents: [{ allow: "texts" }, {}],
  unique: [{ property: "text" }, {}],
  depth: [{ max: "whole" }, {}],
  childrenCount: [{}, { min: "whole", max: "whole" }],
};

type Fields = { readonly [name: string]: Shape };

const COMMON: Fields = { types: "texts", message: "text" };

const SHAPES: { readonly [S in Shape]: Json } = {
  text: { type: "string", minLength: 1 },
  texts: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
  number: { type: "number" },
  whole: { type: "integer", minimum: 0 },
  kind: { enum: VALUE_KINDS },
  values: { type: "array", minItems: 1 },
};

/** JSON Schema (2020-12) of a ruleset, for editors and for agents that write one. */
export const RULESET_SCHEMA: Json = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Holdfast ruleset",
  type: "object",
  required: ["id", "rules"],
  additionalProperties: false,
  properties: {
    $schema: { type: "string" },
    id: { type: "string", minLength: 1 },
    rules: {
      type: "array",
      items: {
        oneOf: (Object.keys(RULES) as RuleName[]).map((name): Json => {
          const [required, optional] = RULES[name];
          return {
            type: "object",
            required: ["rule", ...Object.keys(required)],
            additionalProperties: false,
            properties: Object.fromEntries<Json>([
              ["rule", { const: name }],
              ...Object.entries({ ...required, ...optional, ...COMMON }).map(
                ([field, shape]): [string, Json] => [field, SHAPES[shape]],
              ),
            ]),
          };
        }),
      },
    },
  },
};

function fits(value: unknown, shape: Shape): boolean {
  switch (shape) {
    case "text":
      return typeof value === "string" && value !== "";
    case "texts":
      return (
        Array.isArray(value) &&
        value.length > 0 &&
        value.every((text) => typeof text === "string" && text !== "")
      );
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "whole":
      return Number.isInteger(value) && (value as number) >= 0;
    case "kind":
      return VALUE_KINDS.includes(value as ValueKind);
    case "values":
      return Array.isArray(value) && value.length > 0;
  }
}

/**
 * Reads a ruleset. Throws `invalid_argument` / `bad_ruleset` naming every problem. O(rules).
 *
 * @example const ruleset = takeRuleset(JSON.parse(text));
 */
export function takeRuleset(json: unknown, limits: Limits = DEFAULT_LIMITS): Ruleset {
  const problems: Shown[] = [];
  const patterns = new Map<Rule, RE2JS>();
  const rules: Rule[] = [];
  if (!isObject(json)) problems.push(say`a ruleset is an object { id, rules }`);
  else {
    for (const key of Object.keys(json))
      if (key !== "id" && key !== "rules" && key !== "$schema") problems.push(say`unknown key ${echo(key)}`);
    if (!fits(json["id"], "text")) problems.push(say`id must be text`);
    const list = json["rules"];
    if (!Array.isArray(list)) problems.push(say`rules must be a list`);
    else if (list.length > limits.ruleCount) problems.push(say`more than ${limits.ruleCount} rules`);
    else
      (list as readonly unknown[]).forEach((rule, i) => {
        const taken = takeRule(rule, say`rules[${i}]`, problems);
        if (taken === undefined) return;
        rules.push(taken);
        if (taken.rule === "pattern")
          compilePattern(taken, say`rules[${i}].pattern`, limits, problems, patterns);
      });
  }
  if (problems.length > 0)
    throw new HoldfastError(
      "invalid_argument",
      "bad_ruleset",
      say`Ruleset refused: ${sayAll(problems.slice(0, 20), "; ")}.`,
      { data: { problems: problems.length } },
    );
  return { id: (json as { id: string }).id, rules, patterns };
}

function takeRule(rule: unknown, where: Shown, problems: Shown[]): Rule | undefined {
  if (!isObject(rule)) {
    problems.push(say`${where} must be an object`);
    return undefined;
  }
  const name = rule["rule"];
  if (typeof name !== "string" || !Object.hasOwn(RULES, name)) {
    problems.push(
      say`${where}.rule must be one of ${sayAll(Object.keys(RULES).map((known) => echo(known)))}`,
    );
    return undefined;
  }
  const [required, optional] = RULES[name as RuleName];
  const known: Fields = { ...required, ...optional, ...COMMON };
  const before = problems.length;
  for (const field of Object.keys(required))
    if (!Object.hasOwn(rule, field)) problems.push(say`${where}.${echo(field)} is missing`);
  for (const [field, value] of Object.entries(rule)) {
    if (field === "rule") continue;
    const shape = Object.hasOwn(known, field) ? known[field] : undefined;
    if (shape === undefined) problems.push(say`${where}: unknown key ${echo(field)}`);
    else if (!fits(value, shape)) problems.push(say`${where}.${echo(field)} must be ${SHAPE_WORDS[shape]}`);
  }
  return problems.length > before ? undefined : (rule as unknown as Rule);
}

const SHAPE_WORDS: { readonly [S in Shape]: Shown } = {
  text: say`text`,
  texts: say`a list of texts`,
  number: say`a number`,
  whole: say`a whole number from 0`,
  kind: say`one of ${sayAll(VALUE_KINDS.map((kind) => echo(kind)))}`,
  values: say`a list with at least one value`,
};

function compilePattern(
  rule: Rule & { readonly rule: "pattern" },
  where: Shown,
  limits: Limits,
  problems: Shown[],
  patterns: Map<Rule, RE2JS>,
): void {
  if (rule.pattern.length > limits.rulePatternLength) {
    problems.push(say`${where} is longer than ${limits.rulePatternLength} characters`);
    return;
  }
  try {
    patterns.set(rule, RE2JS.compile(rule.pattern));
  } catch (error) {
    problems.push(
      say`${where} is no RE2 pattern (no look-around, no back-references): ${echo(error instanceof Error ? error.message : "")}`,
    );
  }
}
