// Owns: reading the value that a path names.

import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { echo, HoldfastError, say, sayAll } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import type { GivenPath, JsonPathStep } from "../path/ast.ts";
import { normalizedPath } from "../path/normalized.ts";
import { singularPath } from "../path/singular.ts";
import { asPreview, GET_LIMITS, type JsonPreview, previewText, printFitting } from "./preview.ts";
import { type JsonPage, queryJsonSteps, queryText } from "./query.ts";
import {
  asPath,
  onePlace,
  reachValue,
  readDocument,
  type ReadOptions,
  type ReadResult,
  stoppedBy,
  READ_OPTIONS,
} from "./read-options.ts";
import type { PrintLimits } from "./print.ts";
import { type JsonKind, type Scanner, settle } from "../scan/scanner.ts";
import { textAt } from "../scan/value.ts";

const OPTIONS: OptionNames<GetOptions> = {
  ...READ_OPTIONS,
  budget: true,
};

/** How a value is read. */
export interface GetOptions extends ReadOptions {
  /** Characters of the result: 32,000 when left out. What exceeds it is cut, and `cuts` says where. */
  readonly budget?: number;
}

/** One value, or the page of matches of a path that can name several. */
export type JsonGot =
  | {
      /** What the value is. */
      readonly kind: JsonKind;
      /** Its normalized path. */
      readonly path: string;
      /** Its first byte in the source. */
      readonly start: number;
      /** One past its last byte. */
      readonly end: number;
      /** How often the last key occurs when it is a duplicate: this is the last one. */
      readonly duplicates?: number;
      /** The value as text, cut to the budget. */
      readonly value: JsonPreview;
    }
  | {
      /** The path is a query: it may match several values. */
      readonly kind: "matches";
      /** The first of them. */
      readonly page: JsonPage;
    };

/**
 * The value at `path`, cut to bounds (depth 10, 100 items, 50 keys, 1,000 characters a string, the budget). Literals
 * are those of the document: `1.0`, `1e400` and 20-digit integers stay what they are.
 *
 * Cost: the way to the value, and what is shown of it. Throws `not_found` / `path_not_found` for a missing place, naming the
 * part of the path that exists, and `invalid_argument`: `invalid_path`, `invalid_json` when what was read is broken,
 * `query_too_expensive` when a query reached its bounds without a match.
 *
 * @example getText(getJson(source, "$.percent"), "$.percent") // "50"
 */
export function getJson(source: ByteSource, path: GivenPath, options: GetOptions = {}): JsonGot {
  checkOptionNames(say`getJson`, options, OPTIONS);
  return runNow(getJsonSteps(source, path, options));
}

/**
 * {@link getJson} in steps.
 *
 * @example const got = await runPaced(getJsonSteps(source, "$.tags"));
 */
export function* getJsonSteps(source: ByteSource, path: GivenPath, options: GetOptions = {}): Steps<JsonGot> {
  const parsed = asPath(path);
  const budget = options.budget ?? DEFAULT_LIMITS.budgetChars;
  const steps = singularPath(parsed);
  if (steps === undefined) {
    const page = yield* queryJsonSteps(source, parsed, { ...options, budget });
    if (page.matches.length > 0) return { kind: "matches", page };
    if (page.end === "steps" || page.end === "time") throw stoppedBy(page.end);
    throw new HoldfastError(
      "not_found",
      "path_not_found",
      sayAll([say`Nothing matches ${echo(parsed.text)}.`, ...page.warnings], " "),
    );
  }
  return yield* readDocument(source, options, (scanner) => getOne(scanner, steps, budget));
}

function* getOne(
  scanner: Scanner,
  steps: readonly JsonPathStep[],
  budget: number,
): Steps<ReadResult<JsonGot>> {
  const { at, steps: walked, occurrences } = yield* reachValue(scanner, steps);
  const end = yield* settle(scanner, scanner.end(at));
  const limits = budget === DEFAULT_LIMITS.budgetChars ? USUAL_LIMITS : limitsFor(budget);
  const printed = yield* printFitting(scanner, at, limits, walked);
  const kind = scanner.kind(at) ?? "null";
  const got = { kind, path: normalizedPath(walked), start: at, end, value: asPreview(printed) };
  return { result: Object.freeze(occurrences > 1 ? { ...got, duplicates: occurrences } : got), at };
}

/** What is left of a budget for the value, beside the list of cuts. */
const VALUE_SHARE = 0.85;

const limitsFor = (budget: number): PrintLimits => ({
  ...GET_LIMITS,
  budget: Math.floor(budget * VALUE_SHARE),
});

const USUAL_LIMITS = limitsFor(DEFAULT_LIMITS.budgetChars);

/** Values up to this length are shown on one line. */
const ONE_LINE = 80;

/**
 * The value as text; a small container on one line; then what was cut, and a word about duplicate keys.
 *
 * @example getText(getJson(source, "$.tags"), "$.tags")  // '["a", "b"]'
 */
export function getText(got: JsonGot, path: string, budget: number = DEFAULT_LIMITS.budgetChars): string {
  if (got.kind === "matches") return queryText(got.page, path);
  const text = previewText({ ...got.value, text: oneLine(got.value.text) }, budget);
  if (got.duplicates === undefined) return text;
  return `${text}\n[The key occurs ${got.duplicates} times; this is the last, as JSON.parse reads it]`;
}

/**
 * A printed value on one line, when it is short enough. The printer puts no break inside a string.
 *
 * @example oneLine("[\n  1,\n  2\n]")  // "[1, 2]"
 */
export function oneLine(text: string): string {
  if (text.length > 2 * ONE_LINE || !text.includes("\n")) return text;
  const line = text.replace(/,\n */g, ", ").replace(/\n */g, "");
  return line.length <= ONE_LINE ? line : text;
}

/**
 * The exact bytes of the value at a singular path, as text; undefined when it is longer than `maxBytes`.
 *
 * Cost: the way to the value, and a check of it. Throws
 * `not_found` / `path_not_found` for a missing place, and `invalid_argument`: `invalid_path`, `not_singular` for a path
 * that can name several places, `invalid_json` when what was read is broken.
 *
 * @example rawJson(source, "$.version", 1_000) // '"1.0.0"', as it is written in the document
 */
export function rawJson(source: ByteSource, path: GivenPath, maxBytes: number): string | undefined {
  return runNow(readDocument(source, {}, (scanner) => rawOne(scanner, onePlace(path), maxBytes)));
}

function* rawOne(
  scanner: Scanner,
  steps: readonly JsonPathStep[],
  maxBytes: number,
): Steps<ReadResult<string | undefined>> {
  const { at } = yield* reachValue(scanner, steps);
  const end = yield* settle(scanner, scanner.end(at));
  const result = end - at > maxBytes ? undefined : textAt(scanner, at, end);
  return { result, at };
}
