// Owns: what all reads share: how a document is opened, and what a bounded result says about its bounds.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { type Reached, reach } from "../edit/locate.ts";
import type { JsonIndexes } from "../scan/index-store.ts";
import type { JsonPath, JsonPathStep } from "../path/ast.ts";
import type { EvaluationEnd } from "../path/evaluate.ts";
import { parsedPath, parseJsonPath } from "../path/parse.ts";
import { singularSteps } from "../path/singular.ts";
import type { Scanner } from "../scan/scanner.ts";
import { invalidJson, validateJsonSteps } from "./validate.ts";

export interface ReadOptions {
  /** Windows of 256 KB between two pauses. Default: never. */
  readonly pauseEvery?: number;
  /** Where to remember what is learned about large documents; null: nowhere. Default: shared by the process. */
  readonly indexes?: JsonIndexes | null;
  /** Nodes to look at, at most. */
  readonly maxSteps?: number;
  readonly maxMillis?: number;
}

export function bounds({ maxSteps, maxMillis }: ReadOptions): { maxSteps: number; maxMillis: number } {
  return {
    maxSteps: maxSteps ?? DEFAULT_LIMITS.jsonQuerySteps,
    maxMillis: maxMillis ?? DEFAULT_LIMITS.jsonQueryMillis,
  };
}

/** Paths that were parsed before, oldest first: who reads a document often asks for the same places. */
const parsed = new Map<string, JsonPath>();
const MOST_PARSED = 64;
const LONGEST_PARSED = 200;

export function asPath(path: string | JsonPath): JsonPath {
  if (typeof path !== "string") return parsedPath(path);
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const made = parseJsonPath(path);
  if (path.length > LONGEST_PARSED) return made;
  for (const oldest of parsed.keys()) {
    if (parsed.size < MOST_PARSED) break;
    parsed.delete(oldest);
  }
  parsed.set(path, made);
  return made;
}

/** The steps of a path that names one place; throws `invalid_argument` / `not_singular` for any other. */
export function onePlace(path: string | JsonPath): readonly JsonPathStep[] {
  const asked = asPath(path);
  const steps = singularSteps(asked);
  if (steps !== undefined) return steps;
  throw new HoldfastError(
    "invalid_argument",
    "not_singular",
    say`${echo(asked.text)} can name several places. Use a path of names and single indexes here.`,
  );
}

/** A read that has no partial result was stopped by its bounds. */
export function stoppedBy(end: EvaluationEnd): HoldfastError {
  const what = end === "time" ? say`time` : say`steps`;
  return new HoldfastError(
    "invalid_argument",
    "query_too_expensive",
    say`The path took more ${what} than allowed. Begin it with names instead of .. or *, or query it in pages.`,
  );
}

/**
 * Follows steps in a document that may be broken. When they lead nowhere and it is, the fault is thrown and not the
 * miss: what a scan finds, or does not find, after a fault means nothing.
 */
export function* reachIn(
  scanner: Scanner,
  steps: readonly JsonPathStep[],
  options: ReadOptions,
): Generator<void, Reached, void> {
  try {
    return yield* reach(scanner, steps);
  } catch (error) {
    throw (yield* brokenDocument(scanner.source, options)) ?? error;
  }
}

/** The error of a document that no rules accept; undefined when it is valid. Costs one check, remembered if large. */
export function* brokenDocument(
  source: ByteSource,
  { indexes, pauseEvery = Infinity }: ReadOptions,
): Generator<void, HoldfastError | undefined, void> {
  const shared = indexes === undefined ? {} : { indexes };
  if ((yield* validateJsonSteps(source, { mode: "json", ...shared }, pauseEvery)).valid) return undefined;
  const validity = yield* validateJsonSteps(source, { mode: "jsonc", ...shared }, pauseEvery);
  return validity.valid ? undefined : invalidJson(validity.fault);
}

/** A number of things; throws `invalid_argument` / `invalid_bound` unless it is whole and not negative. */
export function bound(name: "limit" | "offset", value: number): number {
  if (value === Infinity || (Number.isInteger(value) && value >= 0)) return value;
  throw new HoldfastError(
    "invalid_argument",
    "invalid_bound",
    say`${name as Shown} is a whole number from 0 on.`,
  );
}

export function emptyDocument(): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_json", say`The document is empty.`);
}
