// Owns: reading a tool's input: the null rule, the common arguments of writes, and every problem at once.

import { z } from "zod";
import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { nearest } from "../text/index.ts";
import { nullStripper } from "./null-rule.ts";
import type { Tool } from "./tool.ts";

/** Arguments that every writing tool takes besides its own. */
export interface WriteArguments {
  readonly expectedVersion?: string | Readonly<Record<string, string>> | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface ParsedInput {
  /** The tool's own arguments. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly common: WriteArguments;
}

const VERSION = z
  .union([z.string(), z.record(z.string(), z.string())])
  .describe("Version token that must still be current: one, or a map from target to token.");

const COMMON = {
  expectedVersion: VERSION.optional(),
  idempotencyKey: z
    .string()
    .min(1)
    .optional()
    .describe("Repeating a call with the same key applies it once."),
  dryRun: z.boolean().optional().describe("Show what would change, change nothing."),
};

const NO_COMMON: WriteArguments = Object.freeze({});

/** A tool's input schema, unknown fields refused, with the common arguments of writes but those to be hidden. */
export function inputSchema(tool: Tool, hidden: readonly (keyof WriteArguments)[] = []): z.ZodObject {
  if (tool.access === "read") return tool.input.strict();
  const common = Object.entries(COMMON).filter(([name]) => !hidden.includes(name as keyof WriteArguments));
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
    const { expectedVersion, idempotencyKey, dryRun, ...input } = parsed.data as WriteArguments &
      Record<string, unknown>;
    return { input, common: { expectedVersion, idempotencyKey, dryRun } };
  };
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
  const problems = issues.flatMap((issue) => problemsOf(issue, reading));
  const lines = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ field, message }) => (field === "" ? message : say`${field}: ${message}`));
  const more = problems.length - lines.length;
  const tail = more > 0 ? say`; and ${more} more` : say``;
  return new HoldfastError(
    "invalid_argument",
    "bad_input",
    say`${tool.name as Shown} was not run: ${sayAll(lines, "; ")}${tail}`,
    { data: { problems: problems.slice(0, MOST_PROBLEMS) } },
  );
}

function problemsOf(issue: z.core.$ZodIssue, reading: Reading): Problem[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      field: fieldOf([...issue.path, key]),
      message: unknownField(key, knownFields(reading.schema, issue.path)),
    }));
  if (issue.code === "invalid_union") {
    const [only, ...rest] = issue.errors.filter((branch) => branch.every((inner) => inner.path.length > 0));
    if (only !== undefined && rest.length === 0)
      return only.flatMap((inner) => problemsOf({ ...inner, path: [...issue.path, ...inner.path] }, reading));
  }
  const missing = issue.path.length > 0 && valueAt(reading.sent, issue.path) === undefined;
  return [
    {
      field: fieldOf(issue.path),
      message: missing ? say`is missing: ${messageOf(issue)}` : messageOf(issue),
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

function fieldOf(path: readonly PropertyKey[]): Shown {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(step))) text += text === "" ? String(step) : `.${String(step)}`;
    else text += `[${echo(String(step))}]`;
  }
  return text as Shown;
}

/** Our words for what zod found. Its own messages name only the schema, never the caller's values. */
function messageOf(issue: z.core.$ZodIssue): Shown {
  switch (issue.code) {
    case "invalid_type":
      return say`must be ${article(issue.expected)}`;
    case "invalid_value":
      return say`must be one of ${sayAll(issue.values.map((value) => JSON.stringify(value) as Shown))}`;
    case "too_small":
      return say`must ${issue.inclusive === false ? say`be more than` : say`have at least`} ${Number(issue.minimum)}${unit(issue.origin)}`;
    case "too_big":
      return say`must ${issue.inclusive === false ? say`be less than` : say`have at most`} ${Number(issue.maximum)}${unit(issue.origin)}`;
    default:
      return issue.message as Shown;
  }
}

function unit(origin: string): Shown {
  if (origin === "string") return say` characters`;
  if (origin === "array" || origin === "set") return say` items`;
  return say``;
}

function article(expected: string): Shown {
  const word = (expected === "int" ? "whole number" : expected) as Shown;
  return /^[aeiou]/.test(word) ? say`an ${word}` : say`a ${word}`;
}
