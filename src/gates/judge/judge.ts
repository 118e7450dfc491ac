// Owns: one answer in any form that a schema describes: extract, validate, and say what is wrong.

import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { echo, HoldfastError, say } from "../../errors.ts";
import type { Json, JsonObject } from "../../value.ts";
import { readText } from "../_read-text.ts";
import { Findings, type GateError, type GateLog } from "../findings.ts";
import { typeName } from "../_plain.ts";
import { badSchema, type Schema } from "./_describe-schema.ts";
import { showActual } from "./_keyword-misfits.ts";
import { misfits } from "./json-schema.ts";
import { placeText } from "./_place.ts";
import { patternsOf } from "./_usable-schema.ts";

const OPTIONS: OptionNames<JudgeOptions> = {
  want: ["object", "any"],
  requireKeys: true,
  maxLength: true,
  log: true,
};

/** What a Standard Schema (https://standardschema.dev) of any library looks like, as far as it is used here. */
export interface StandardSchemaLike<T = unknown> {
  /** What the Standard Schema specification asks for. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
  };
}

/** What such a schema returns: the value, or what is wrong with it. */
export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** What a schema is written in: JSON Schema as data, or any library's Standard Schema. */
export type JudgeSchema<T = unknown> = JsonObject | boolean | StandardSchemaLike<T>;

/** How an answer is looked for. */
export interface JudgeOptions {
  /** The object with the most of these keys is taken. Default: the keys that a JSON Schema requires. */
  readonly requireKeys?: readonly string[];
  /** `any` also takes arrays and scalars. Default: `object`, unless a JSON Schema's type is something else. */
  readonly want?: "object" | "any";
  /** A longer text is `invalid_json`. Default 1,000,000 characters, at most 16,000,000. */
  readonly maxLength?: number;
  /** Gets every error and warning that is listed. */
  readonly log?: GateLog;
}

/** An answer that fits. */
export interface Judged<T> {
  /** True: the value fits the schema. */
  readonly ok: true;
  /** As the schema returns it: a Standard Schema may have transformed it. */
  readonly value: T;
  /** None. */
  readonly errors: readonly [];
  /** What was repaired. */
  readonly warnings: readonly string[];
}

/** An answer that does not. Hand it to {@link repairMessage}. */
export interface JudgedUnfit {
  /** False: nothing fits; the errors say what to send instead. */
  readonly ok: false;
  /** All that is wrong, at most 1,000, each with its place, what was expected and what came. */
  readonly errors: readonly GateError[];
  /** What was odd besides the errors. */
  readonly warnings: readonly string[];
  /** What could be recovered of a text that broke off. */
  readonly partial?: Json;
}

/** What {@link judge} returns. */
export type Judgement<T> = Judged<T> | JudgedUnfit;

/**
 * Judges a model's text by a schema: finds the JSON in it, repairs it, validates it. Nothing is thrown because of the
 * text; what is wrong with it is in `errors`, all of it, and {@link repairMessage} tells the model.
 *
 * JSON Schema: 2020-12 and draft 7 without `unevaluated...`, dynamic references, other documents and look-around in
 * patterns; `format` is not checked. Cost: linear in the text, times what the schema asks for each place. Throws
 * `invalid_argument` / `bad_schema` for a schema that cannot be used, `async_schema` for one that validates
 * asynchronously: use {@link judgeAsync} then. A JSON Schema is looked at as a whole the first time it is used, whatever the text.
 *
 * @example
 * const result = judge(text, { type: "object", required: ["name"], properties: { name: { type: "string" } } });
 * if (result.ok) use(result.value);
 * else ask(repairMessage(result));
 */
export function judge<T>(text: string, schema: StandardSchemaLike<T>, options?: JudgeOptions): Judgement<T>;
/** The same with a JSON Schema. */
export function judge(text: string, schema: JsonObject | boolean, options?: JudgeOptions): Judgement<Json>;
export function judge(text: string, schema: JudgeSchema, options: JudgeOptions = {}): Judgement<unknown> {
  checkOptionNames(say`judge`, options, OPTIONS);
  const findings = new Findings(options.log);
  const read = readAnswer(text, schema, options, findings);
  if (read.value === undefined) return findings.refusal(read.partial);
  if (!isStandard(schema)) return byJsonSchema(schema, read.value, findings);
  const result = schema["~standard"].validate(read.value);
  if (result instanceof Promise) {
    // Nobody waits for it any more, so its failure must not be one of the process.
    result.catch(() => undefined);
    throw new HoldfastError(
      "invalid_argument",
      "async_schema",
      say`The schema validates asynchronously: use judgeAsync.`,
    );
  }
  return byStandard(result, read.value, findings);
}

/**
 * {@link judge} for schemas that may validate asynchronously. Rejects where such a schema does, and with `bad_schema`
 * where {@link judge} throws it. Cost: that of {@link judge}, and what the schema waits for.
 *
 * @example const result = await judgeAsync(text, schemaWithLookups);
 */
export function judgeAsync<T>(
  text: string,
  schema: StandardSchemaLike<T>,
  options?: JudgeOptions,
): Promise<Judgement<T>>;
/** The same with a JSON Schema. */
export function judgeAsync(
  text: string,
  schema: JsonObject | boolean,
  options?: JudgeOptions,
): Promise<Judgement<Json>>;
export async function judgeAsync(
  text: string,
  schema: JudgeSchema,
  options: JudgeOptions = {},
): Promise<Judgement<unknown>> {
  checkOptionNames(say`judge`, options, OPTIONS);
  const findings = new Findings(options.log);
  const read = readAnswer(text, schema, options, findings);
  if (read.value === undefined) return findings.refusal(read.partial);
  if (!isStandard(schema)) return byJsonSchema(schema, read.value, findings);
  return byStandard(await schema["~standard"].validate(read.value), read.value, findings);
}

function isStandard(schema: JudgeSchema): schema is StandardSchemaLike {
  return (
    ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema
  );
}

function readAnswer(
  text: string,
  schema: JudgeSchema,
  options: JudgeOptions,
  findings: Findings,
): { readonly value?: Json; readonly partial?: Json } {
  if (isStandard(schema)) {
    if (typeof schema["~standard"]?.validate !== "function") throw badSchema("it has no validate function");
  } else patternsOf(schema);
  const wanted = isStandard(schema) || typeof schema === "boolean" ? {} : schema;
  const types = wanted["type"];
  const object = types === undefined || types === "object";
  const required = Array.isArray(wanted["required"]) ? (wanted["required"] as readonly string[]) : [];
  return readText(
    text,
    {
      want: options.want ?? (object ? "object" : "any"),
      requireKeys: options.requireKeys ?? required,
      ...(options.maxLength === undefined ? {} : { maxLength: options.maxLength }),
    },
    false,
    findings,
  );
}

function byJsonSchema(schema: Schema, value: Json, findings: Findings): Judgement<Json> {
  for (const { code, place, message, expected, actual } of misfits(schema, value))
    findings.error(code, message, place.length === 0 ? undefined : placeText(place), expected, actual);
  return findings.failed ? findings.refusal() : fit(value, findings);
}

function byStandard(result: StandardResult<unknown>, value: Json, findings: Findings): Judgement<unknown> {
  if (result.issues === undefined) return fit(result.value, findings);
  for (const issue of result.issues) {
    const place = (issue.path ?? []).map((step) => {
      const key = typeof step === "object" ? step.key : step;
      return typeof key === "number" ? key : String(key);
    });
    const at = valueAt(value, place);
    const path = placeText(place);
    const expected = expectedIn(issue);
    const reason = `The schema says ${echo(issue.message, REASON_LENGTH)}.`;
    findings.error(
      at === undefined ? "missing_key" : "invalid_value",
      `${path === "" ? "The value" : path} ${misfitText(at, expected)}. ${reason}`,
      path === "" ? undefined : path,
      expected,
      at === undefined ? undefined : showActual(at),
    );
  }
  return findings.refusal();
}

/** How much of a schema library's own words is repeated. */
const REASON_LENGTH = 300;

/** What a schema's issue says was expected: many libraries add it to what the specification asks for. */
function expectedIn(issue: object): string | undefined {
  const { expected } = issue as { readonly expected?: unknown };
  return typeof expected === "string" && /^[\w .|"'-]{1,80}$/.test(expected) ? expected : undefined;
}

function misfitText(value: Json | undefined, expected: string | undefined): string {
  if (value === undefined)
    return expected === undefined ? "is missing" : `is missing: send it as ${expected}`;
  const isOther = expected !== undefined && expected !== typeName(value);
  return isOther ? `must be ${expected}, not ${typeName(value)}` : "does not fit";
}

function valueAt(value: Json, place: readonly (string | number)[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of place) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as { readonly [step: string | number]: Json })[step];
  }
  return at;
}

function fit<T>(value: T, findings: Findings): Judged<T> {
  const errors: readonly [] = [];
  return Object.freeze({ ok: true, value, errors, warnings: Object.freeze([...findings.warnings()]) });
}
