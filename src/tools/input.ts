// Owns: reading a tool's input: the null rule, the common arguments of writes, and every problem at once.

import { z } from "zod";
import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { nearest } from "../text/index.ts";
import { plural } from "../text/plural.ts";
import { fieldOf } from "../text/field-name.ts";
import { nullStripper } from "./null-rule.ts";
import type { Tool } from "./tool.ts";

/** Arguments that every writing tool takes besides its own. */
export interface WriteArguments {
  readonly expectedVersion?: string | ReadonlyMap<string, string> | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Taken by tools that say how their edits are rebased. */
  readonly onConflict?: "rebase" | undefined;
}

export interface ParsedInput {
  /** The tool's own arguments. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly common: WriteArguments;
}

/** Any value, so that no key of a map is lost on the way; {@link readVersions} reads it. */
const VERSION = z.unknown().meta({
  type: ["string", "object"],
  description: "Latest token, or a map from path to token",
});

const COMMON = {
  expectedVersion: VERSION.optional(),
  idempotencyKey: z
    .string()
    .min(1)
    .optional()
    .describe("Repeating a call with the same key applies it once."),
  dryRun: z.boolean().optional().describe("Show what would change, change nothing."),
  onConflict: z.enum(["rebase"]).optional().describe("Apply beside what others changed since"),
};

const NO_COMMON: WriteArguments = Object.freeze({});

/** A tool's input schema, unknown fields refused, with the common arguments of writes but those to be hidden. */
export function inputSchema(tool: Tool, hidden: readonly (keyof WriteArguments)[] = []): z.ZodObject {
  if (tool.access === "read") return tool.input.strict();
  const common = Object.entries(COMMON).filter(
    ([name]) =>
      !hidden.includes(name as keyof WriteArguments) && (name !== "onConflict" || tool.rebase !== undefined),
  );
  return tool.input.extend(Object.fromEntries(common)).strict();
}

export type InputReader = (raw: unknown) => ParsedInput;

/** Prepares a tool's input reader. It throws `invalid_argument` / `bad_input` naming every problem with its place. */
export function inputReader(tool: Tool): InputReader {
  const schema = inputSchema(tool);
  const strip = nullStripper(schema);
  return (raw) => {
    const sent = strip(raw === undefined || raw === null ? {} : raw);
    const parsed = schema.safeParse(sent);
    if (!parsed.success) throw badInput(tool, parsed.error.issues, { schema, sent });
    if (tool.access === "read") return { input: parsed.data, common: NO_COMMON };
    const { expectedVersion, idempotencyKey, dryRun, onConflict, ...input } = parsed.data as Omit<
      WriteArguments,
      "expectedVersion"
    > &
      Record<string, unknown>;
    const versions = readVersions(tool, expectedVersion);
    return { input, common: { expectedVersion: versions, idempotencyKey, dryRun, onConflict } };
  };
}

/** More targets than any call has. */
const MOST_VERSIONS = 1_000;

/** Keys are the caller's own words, so they go into a map. */
function readVersions(tool: Tool, sent: unknown): WriteArguments["expectedVersion"] {
  if (sent === undefined || sent === null) return undefined;
  if (typeof sent === "string") return sent;
  if (typeof sent !== "object" || Array.isArray(sent))
    throw wrongVersions(tool, say`must be a string or an object`);
  const keys = Object.keys(sent);
  if (keys.length > MOST_VERSIONS)
    throw wrongVersions(tool, say`has ${keys.length} entries; a call may name ${MOST_VERSIONS} versions`);
  const versions = new Map<string, string>();
  for (const [name, token] of Object.entries(sent)) {
    if (typeof token !== "string") throw wrongVersions(tool, say`must be a string for ${echo(name)}`);
    versions.set(name, token);
  }
  return versions;
}

function wrongVersions(tool: Tool, message: Shown): HoldfastError {
  return refusalOf(tool, [{ field: say`expectedVersion`, message }], 1);
}

interface Problem {
  readonly [key: string]: Shown;
  /** Where: `filters[0].op`; empty for the input itself. */
  readonly field: Shown;
  readonly message: Shown;
}

const MOST_PROBLEMS = 20;

/** What was read, and against what. */
interface Reading {
  readonly schema: z.ZodObject;
  readonly sent: unknown;
}

function badInput(tool: Tool, issues: readonly z.core.$ZodIssue[], reading: Reading): HoldfastError {
  let total = 0;
  const problems: Problem[] = [];
  for (const issue of issues) {
    total += issue.code === "unrecognized_keys" ? issue.keys.length : 1;
    if (problems.length < MOST_PROBLEMS) problems.push(...problemsOf(issue, reading));
  }
  return refusalOf(tool, problems.slice(0, MOST_PROBLEMS), Math.max(total, problems.length));
}

function refusalOf(tool: Tool, problems: readonly Problem[], total: number): HoldfastError {
  const lines = problems.map(({ field, message }) =>
    field === "" ? say`The input ${message}` : say`${field}: ${message}`,
  );
  const more = total - lines.length;
  const tail = more > 0 ? say`; and ${more} more` : say``;
  const said = say`${sayAll(lines, "; ")}${tail}`;
  return new HoldfastError(
    "invalid_argument",
    "bad_input",
    say`${tool.name as Shown} was not run. ${said}${said.endsWith("?") ? say`` : say`.`}`,
    { data: { problems } },
  );
}

function problemsOf(issue: z.core.$ZodIssue, reading: Reading): Problem[] {
  if (issue.code === "unrecognized_keys") {
    const known = knownFields(reading.schema, issue.path);
    return issue.keys
      .slice(0, MOST_PROBLEMS)
      .map((key) => ({ field: fieldOf([...issue.path, key]), message: unknownField(key, known) }));
  }
  if (issue.code === "invalid_union") {
    const [only, ...rest] = issue.errors.filter((branch) => branch.every((inner) => inner.path.length > 0));
    if (only !== undefined && rest.length === 0)
      return only.flatMap((inner) => problemsOf({ ...inner, path: [...issue.path, ...inner.path] }, reading));
  }
  const isMissing = issue.path.length > 0 && valueAt(reading.sent, issue.path) === undefined;
  const message = messageOf(issue);
  return [
    {
      field: fieldOf(issue.path),
      message: !isMissing
        ? (message ?? say`cannot be used here`)
        : message === undefined
          ? say`is missing`
          : say`is missing: ${message}`,
    },
  ];
}

function valueAt(sent: unknown, path: readonly PropertyKey[]): unknown {
  let here = sent;
  for (const step of path) here = (here as Record<PropertyKey, unknown> | null | undefined)?.[step];
  return here;
}

function unknownField(key: string, known: readonly string[]): Shown {
  const close = nearest(key, known);
  if (close !== undefined) return say`unknown field, did you mean ${close as Shown}?`;
  return known.length === 0
    ? say`unknown field: no fields are taken here`
    : say`unknown field: known are ${sayAll(known as readonly Shown[])}`;
}

/** The field names that the schema knows at a place. */
function knownFields(schema: z.ZodObject, path: readonly PropertyKey[]): string[] {
  let here: z.core.$ZodType | undefined = schema;
  for (const step of path) {
    here = here === undefined ? undefined : unwrap(here);
    if (here instanceof z.ZodObject) here = here.shape[String(step)] as z.core.$ZodType | undefined;
    else if (here instanceof z.ZodArray) here = here.element;
    else return [];
  }
  here = here === undefined ? undefined : unwrap(here);
  return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let here = schema;
  while (here instanceof z.ZodOptional || here instanceof z.ZodNullable || here instanceof z.ZodDefault)
    here = here.unwrap();
  return here;
}

/** What a value must be, by the name that the schema has for it. */
const KINDS: ReadonlyMap<string, Shown> = new Map([
  ["string", say`a string`],
  ["number", say`a number`],
  ["int", say`a whole number`],
  ["boolean", say`true or false`],
  ["array", say`an array`],
  ["object", say`an object`],
  ["record", say`an object`],
  ["null", say`null`],
]);

/** Our words for what is wrong, every kind there is; undefined where only its absence can be said. */
function messageOf(issue: z.core.$ZodIssue): Shown | undefined {
  switch (issue.code) {
    case "invalid_type": {
      const kind = KINDS.get(issue.expected);
      return kind === undefined ? undefined : say`must be ${kind}`;
    }
    case "invalid_value":
      return say`must be ${issue.values.length === 1 ? say`` : say`one of `}${sayAll(issue.values.map((value) => JSON.stringify(value) as Shown))}`;
    case "too_small":
      return bound(issue.origin, issue.inclusive === false ? say`more than` : say`at least`, issue.minimum);
    case "too_big":
      return bound(issue.origin, issue.inclusive === false ? say`less than` : say`at most`, issue.maximum);
    case "not_multiple_of":
      return say`must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return say`has not the form it must have`;
    case "invalid_union": {
      const kinds = issue.errors.flatMap((branch) =>
        branch.map((inner) => (inner.path.length > 0 ? undefined : messageOf(inner))),
      );
      const said = [...new Set(kinds.filter((kind) => kind !== undefined))];
      return said.length === 0 ? undefined : eitherOf(said);
    }
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return undefined;
  }
}

/** `must be a string or a number`. */
function eitherOf(messages: readonly Shown[]): Shown {
  const must = "must be ";
  const short = messages.map((one, i) =>
    i > 0 && one.startsWith(must) ? (one.slice(must.length) as Shown) : one,
  );
  return sayAll(short, " or ");
}

/** Numbers are small or large; texts and lists have so many characters or items. */
function bound(origin: string, how: Shown, limit: number | bigint): Shown {
  const count = Number(limit);
  const unit =
    origin === "string" ? "character" : origin === "array" || origin === "set" ? "item" : undefined;
  return unit === undefined
    ? say`must be ${how} ${count}`
    : say`must have ${how} ${plural(count, unit) as Shown}`;
}
