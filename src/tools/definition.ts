// Owns: a tool as frameworks and protocols see it. Schemas are computed once per process.

import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import type { JsonObject } from "../value.ts";
import { inputReader, inputSchema, type InputReader } from "./input.ts";
import type { Advertised, Tool, ToolRecordKind } from "./tool.ts";

/** Neutral: no framework's type, and enough for all of them. */
export interface ToolDefinition {
  /** What the agent calls. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  /** What the model reads. */
  readonly description: string;
  /** The toolset it belongs to. */
  readonly toolset: string;
  /** JSON Schema 2020-12. */
  readonly inputSchema: JsonObject;
  /** JSON Schema 2020-12 of `value`. Leave it out of a catalogue that models read: it costs context. */
  readonly outputSchema: JsonObject;
  /** Hints for clients that ask before they call. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    /** Only of tools that write. */
    readonly destructiveHint?: boolean;
    readonly openWorldHint: false;
  };
}

interface Prepared {
  readonly read: InputReader;
  /** It has read something, so its schema is compiled. */
  isWarm: boolean;
  readonly definitions: Map<string, ToolDefinition>;
}

const prepared = new WeakMap<Tool, Prepared>();

function prepare(tool: Tool): Prepared {
  let ready = prepared.get(tool);
  if (ready === undefined) {
    ready = { read: inputReader(tool), isWarm: false, definitions: new Map() };
    prepared.set(tool, ready);
  }
  return ready;
}

export function readerOf(tool: Tool): InputReader {
  return prepare(tool).read;
}

/** A tool's reader; undefined when its schema is not compiled yet. */
export function warmReaderOf(tool: Tool): InputReader | undefined {
  const ready = prepared.get(tool);
  return ready?.isWarm === true ? ready.read : undefined;
}

/** Compiles a tool's reader. That takes some milliseconds, in turns of the event loop of their own. */
export async function warmUp(tool: Tool): Promise<InputReader> {
  const ready = prepare(tool);
  await nextTurn();
  try {
    ready.read({});
  } catch {
    // Most tools require something. It is the reading that compiles.
  }
  ready.isWarm = true;
  await nextTurn();
  return ready.read;
}

/** All common arguments are accepted everywhere; only the advertised ones are described. */
export function definitionOf(
  tool: Tool,
  advertise: readonly Advertised[] = [],
  requireVersions = true,
): ToolDefinition {
  const { definitions } = prepare(tool);
  const mustPin = requireVersions && tool.version === "required" && tool.oneTarget === true;
  const key = [...advertise, ...(mustPin ? ["pinned"] : [])].toSorted().join();
  let definition = definitions.get(key);
  if (definition === undefined) {
    definition = Object.freeze(define(tool, advertise, mustPin));
    definitions.set(key, definition);
  }
  return definition;
}

/** Kinds of records whose tools change nothing that a caller has seen a version of. */
const UNPINNED: readonly ToolRecordKind[] = ["undo", "snapshot", "landing_request"];

function define(tool: Tool, advertise: readonly Advertised[], mustPin: boolean): ToolDefinition {
  const said = [...advertise, ...(tool.advertises ?? [])];
  const unsaid = (["dryRun", "idempotencyKey"] as const).filter((name) => !said.includes(name));
  const hidden = UNPINNED.includes(tool.kind) ? [...unsaid, "expectedVersion" as const] : unsaid;
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    toolset: tool.toolset,
    inputSchema: lean(jsonSchema(tool, inputSchema(tool, hidden), "input"), tool, mustPin),
    outputSchema: jsonSchema(tool, tool.output, "output"),
    annotations: {
      readOnlyHint: tool.access === "read",
      // Of a tool that only reads, the hints about writing say nothing.
      ...(tool.access === "read" ? {} : { destructiveHint: tool.access === "write" && tool.destructive }),
      openWorldHint: false,
    },
  };
}

/**
 * What no agent needs to read in every definition: the dialect, bounds that a refusal names, keys that are strings,
 * that unknown fields are refused (`dryRun` and `idempotencyKey` are taken unsaid), and that a list of one may be sent bare.
 */
function lean(schema: JsonObject, { oneTarget = false }: Tool, mustPin: boolean): JsonObject {
  const { $schema: _, ...rest } = schema;
  const pinned = mustPin ? { required: [...((rest["required"] ?? []) as string[]), "expectedVersion"] } : {};
  const text = JSON.stringify({ ...rest, ...pinned }, (key, value: unknown) => {
    if (typeof value === "number" && (BOUNDS.includes(key) || value === Number.MAX_SAFE_INTEGER))
      return undefined;
    if (key === "additionalProperties" && value === false) return undefined;
    if (key === "propertyNames" && JSON.stringify(value) === '{"type":"string"}') return undefined;
    if (key === "expectedVersion" && oneTarget) return { type: "string", description: "Its latest token" };
    return listOf(value) ?? value;
  });
  return JSON.parse(text, (_, value: unknown) => kindsOf(value) ?? value) as JsonObject;
}

const BOUNDS: readonly string[] = ["minimum", "minItems", "maxItems", "minLength"];

/** A choice between plain kinds, as one list of them. */
function kindsOf(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || !("anyOf" in schema)) return undefined;
  const { anyOf, ...rest } = schema as { readonly anyOf: readonly { readonly type?: unknown }[] };
  const isPlain = anyOf.every((one) => typeof one.type === "string" && Object.keys(one).length === 1);
  return isPlain ? { type: anyOf.map(({ type }) => type), ...rest } : undefined;
}

/** The list, where a schema takes one thing or a list of such. */
function listOf(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || !("anyOf" in schema)) return undefined;
  const { anyOf, ...rest } = schema as { readonly anyOf: readonly { readonly items?: unknown }[] };
  const [one, list, ...others] = anyOf;
  const isOneOrMore = others.length === 0 && JSON.stringify(list?.items) === JSON.stringify(one);
  return isOneOrMore ? { ...rest, ...list } : undefined;
}

/** Throws `invalid_argument` / `bad_options` for a schema of what JSON has no form for, such as a `Date`. */
function jsonSchema({ name }: Tool, schema: z.ZodType, io: "input" | "output"): JsonObject {
  try {
    return z.toJSONSchema(schema, { target: "draft-2020-12", io }) as JsonObject;
  } catch (cause) {
    throw new HoldfastError(
      "invalid_argument",
      "bad_options",
      say`The ${io as Shown} of the tool ${echo(name)} has no JSON Schema: ${echo(String(cause))}. Declare it as plain JSON data, such as z.iso.datetime() for a time and z.null() for nothing.`,
      { cause },
    );
  }
}
