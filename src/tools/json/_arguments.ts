// Owns: the arguments that JSON tools share, and what callers mean by them.

import { z } from "zod";
import { echo, HoldfastError, say } from "../../errors.ts";
import {
  memorySource,
  parseJsonPath,
  validateJson,
  writablePath,
  type GivenValue,
  type JsonPath,
} from "../../json/index.ts";
import type { Limits } from "../../limits.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { showName } from "../../text/index.ts";
import type { Json } from "../../value.ts";
import type { ReadCtx } from "../tool.ts";

/** A value as JSON text, or sent as the value it is. */
export const jsonValue: z.ZodUnknown = z.unknown();

/** A file and a place in it, as a call names them. */
export interface JsonPlace {
  readonly path: WorkspacePath;
  readonly query: JsonPath;
}

export function askedFor(ctx: ReadCtx, path: string, jsonPath: string): JsonPlace {
  return { path: ctx.path(path, "file"), query: jsonPathIn(jsonPath, ctx.limits) };
}

/** Throws `invalid_argument` / `invalid_path`, with the column and what to write instead. */
export function jsonPathIn(text: string, limits: Limits): JsonPath {
  return parseJsonPath(text, {
    maxLength: limits.jsonPathLength,
    maxNesting: limits.jsonPathNesting,
    maxPatternLength: limits.jsonPatternLength,
  });
}

/** A query that names one place to write to. Throws `invalid_argument`, with a reason for each kind of other query. */
export function writableQuery(text: string, limits: Limits): JsonPath {
  const query = jsonPathIn(text, limits);
  writablePath(query);
  return query;
}

/** What a caller sent as a value. Throws `invalid_argument` / `invalid_value` for a text without its quotes, and shows it in them. */
export function givenValue(sent: unknown): GivenValue {
  if (typeof sent !== "string") return { value: sent as Json };
  const given = { json: sent };
  if (sent.length > SHOWN_TEXT || /^\s*[{["]/.test(sent)) return given;
  if (validateJson(memorySource(sent), { indexes: null }).valid) return given;
  throw new HoldfastError(
    "invalid_argument",
    "invalid_value",
    say`The value is not JSON. A text needs its quotes: send ${echo(JSON.stringify(sent.trim()), SHOWN_TEXT * 2)}.`,
  );
}

const SHOWN_TEXT = 200;

/** A path as its caller wrote it, fit for a line of ours. */
export function pathAsGiven(given: string): string {
  return /^[\x20-\x7e]{1,1000}$/.test(given) ? given : showName(given, 1_000);
}
