// Owns: what all reads share: how a document is opened, and what a bounded result says about its bounds.

import type { Steps } from "../../text/steps.ts";
import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { reachPath, type Reached } from "../edit/locate.ts";
import type { JsonIndexes } from "../scan/index-store.ts";
import type { GivenPath, JsonPath, JsonPathStep } from "../path/ast.ts";
import type { EvaluationEnd } from "../path/evaluate.ts";
import { parsedPath, parseJsonPath } from "../path/parse.ts";
import { singularPath } from "../path/singular.ts";
import { type IndexableScanner, NONE, type Scanner, settle } from "../scan/scanner.ts";
import { openScanner } from "../scan/open.ts";
import { invalidJson, type JsonFault, validateJsonSteps } from "./validate.ts";
import type { OptionNames } from "../../text/options.ts";

/** How far a read may go. */
export interface ReadOptions {
  /** Windows of 256 KB between two pauses. Default: never. */
  readonly pauseEvery?: number;
  /** Where to remember what is learned about large documents; null: nowhere. Default: shared by the process. */
  readonly indexes?: JsonIndexes | null;
  /** Nodes that a query looks at: 50 million when left out. At the bound it ends with what it has. */
  readonly maxSteps?: number;
  /** Milliseconds that a query takes: 5,000 when left out. At the bound it ends with what it has. */
  readonly maxMillis?: number;
}

/** The names that every read takes. */
export const READ_OPTIONS: OptionNames<ReadOptions> = {
  pauseEvery: true,
  indexes: true,
  maxSteps: true,
  maxMillis: true,
};

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

export function asPath(path: GivenPath): JsonPath {
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
export function onePlace(path: GivenPath): readonly JsonPathStep[] {
  const asked = asPath(path);
  const steps = singularPath(asked);
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

/** What a read returns, and the values that it tells about: that at `at`, or those that a query selected. */
export type ReadResult<T> = { readonly result: T } & ({ readonly at: number } | Selected);

interface Selected {
  readonly values: readonly Value[];
  /** Is there nothing more that the path can name? */
  readonly complete: boolean;
}

interface Value {
  readonly start: number;
  /** One past its last byte; NONE: it never ends. */
  readonly end: number;
}

/**
 * Runs a read over a document that may be broken. It throws `invalid_json` when a value that it tells about is none, when
 * the first fault lies before the end of what was read, and when the read failed: what a scan finds, or does not find,
 * after a fault means nothing. What lies wholly before the fault may be read.
 *
 * Only the values that the result is made of are checked, all of each: skipping over what was not asked for is what
 * makes reads fast. The whole document is checked when one of them is broken, when the read met something that no valid
 * document holds, or failed. The check of a large value or document is remembered.
 */
export function* readDocument<T>(
  source: ByteSource,
  options: ReadOptions,
  read: (scanner: Scanner) => Steps<ReadResult<T>>,
): Steps<T> {
  const scanner = openScanner(source, options);
  if (scanner.root() === NONE) throw emptyDocument();
  let done: ReadResult<T>;
  try {
    done = yield* read(scanner);
  } catch (error) {
    const fault = yield* faultOf(scanner, options);
    throw fault === undefined ? error : invalidJson(fault);
  }
  if ("at" in done && !scanner.suspicious && isShortScalar(scanner, done.at)) return done.result;
  const values = "at" in done ? [yield* valueAt(scanner, done.at)] : done.values;
  const whole = yield* areWhole(scanner, values);
  if (whole && !scanner.suspicious) return done.result;
  const fault = yield* faultOf(scanner, options);
  if (fault === undefined) return done.result;
  const wanting = !whole || ("complete" in done && done.complete);
  // What follows a value tells whether it ends there.
  if (wanting || values.some(({ end }) => fault.offset <= scanner.blank(end))) throw invalidJson(fault);
  return done.result;
}

function* valueAt(scanner: Scanner, start: number): Steps<Value> {
  return { start, end: yield* settle(scanner, scanner.end(start)) };
}

/** Is each of these, all its bytes, a value of JSON or JSONC? One inside another is looked at once. */
function* areWhole(scanner: IndexableScanner, values: readonly Value[]): Steps<boolean> {
  let checked = 0;
  for (const { start, end } of inOrder(values)) {
    if (end === NONE) return false;
    if (end <= checked) continue;
    checked = end;
    if (end - start <= SHORT && isScalar(scanner.bytes(start, end))) continue;
    const fault = scanner.checkValue(start, end);
    if (fault !== NONE && (yield* settle(scanner, fault)) !== NONE) return false;
  }
  return true;
}

/** A value of so few bytes is judged here: starting the kernel costs more. */
const SHORT = 64;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Is the value at `at` a short scalar, and whole? Most reads end with this, without a step. False says nothing. */
function isShortScalar(scanner: Scanner, at: number): boolean {
  const bytes = scanner.bytes(at, Math.min(at + SHORT, scanner.source.size));
  const first = bytes[0];
  if (first === undefined || first === 0x7b || first === 0x5b) return false;
  const end = first === 0x22 ? bytes.indexOf(0x22, 1) + 1 : bytes.findIndex(endsWord);
  return end > 0 && isScalar(bytes.subarray(0, end));
}

/** A blank, comma or closing bracket. */
function endsWord(byte: number): boolean {
  return byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d;
}

/** Are these bytes a whole string, number, true, false or null? */
function isScalar(bytes: Uint8Array): boolean {
  if (bytes[0] === 0x7b || bytes[0] === 0x5b) return false;
  try {
    JSON.parse(decoder.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function inOrder(values: readonly Value[]): readonly Value[] {
  let last = 0;
  for (const { start } of values) {
    if (start < last) return values.toSorted((a, b) => a.start - b.start);
    last = start;
  }
  return values;
}

/** Follows steps to a value; throws `not_found` / `path_not_found` naming the first that leads nowhere. */
export function* reachValue(scanner: Scanner, steps: readonly JsonPathStep[]): Steps<Reached> {
  const reached = yield* reachPath(scanner, steps);
  if (scanner.kind(reached.at) === undefined) scanner.suspect();
  return reached;
}

/** Where a document breaks the rules of JSON and of JSONC; undefined when it is valid. Depth is no fault of a read. */
function* faultOf(
  scanner: IndexableScanner,
  { indexes, pauseEvery = Infinity }: ReadOptions,
): Steps<JsonFault | undefined> {
  if ((yield* settle(scanner, scanner.check("json"))) === NONE) return undefined;
  const shared = indexes === undefined ? {} : { indexes };
  const validity = yield* validateJsonSteps(scanner.source, { mode: "jsonc", ...shared }, pauseEvery);
  return validity.valid || validity.fault.reason === "too_deep" ? undefined : validity.fault;
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

function emptyDocument(): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_json", say`The document is empty.`);
}
