// Owns: reading the value that a path names.

import { echo, HoldfastError, say } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { finish } from "../scan/finish.ts";
import { openScanner } from "../scan/open.ts";
import type { JsonPath } from "../path/ast.ts";
import { normalizedPath } from "../path/normalized.ts";
import { singularSteps } from "../path/singular.ts";
import { asPreview, GET_LIMITS, type JsonPreview, previewText, printFitting } from "./preview.ts";
import { type JsonPage, queryJsonSteps, queryText } from "./query.ts";
import {
  asPath,
  brokenDocument,
  emptyDocument,
  onePlace,
  reachIn,
  type ReadOptions,
  stoppedBy,
} from "./read-options.ts";
import type { PrintLimits } from "./print.ts";
import { type JsonKind, NONE, settle } from "../scan/scanner.ts";
import { textAt } from "../scan/value.ts";

export interface GetOptions extends ReadOptions {
  /** Characters of the result. */
  readonly budget?: number;
}

/** One value, or the page of matches of a path that can name several. */
export type JsonGot =
  | {
      readonly kind: JsonKind;
      readonly path: string;
      readonly start: number;
      readonly end: number;
      /** How often the last key occurs when it is a duplicate: this is the last one. */
      readonly duplicates?: number;
      readonly value: JsonPreview;
    }
  | { readonly kind: "matches"; readonly page: JsonPage };

/**
 * The value at `path`, cut to bounds (depth 10, 100 items, 50 keys, 1,000 characters a string, the budget). Literals
 * are those of the document: `1.0`, `1e400` and 20-digit integers stay what they are.
 *
 * Throws `not_found` / `path_not_found` for a missing place, naming the part of the path that exists.
 *
 * @example getText(getJson(source, "$.features.rollout.percent")) // "50"
 */
export function getJson(source: ByteSource, path: string | JsonPath, options: GetOptions = {}): JsonGot {
  return finish(getJsonSteps(source, path, options));
}

/** {@link getJson} in steps. */
export function* getJsonSteps(
  source: ByteSource,
  path: string | JsonPath,
  options: GetOptions = {},
): Generator<void, JsonGot, void> {
  const parsed = asPath(path);
  const budget = options.budget ?? DEFAULT_LIMITS.budgetChars;
  const steps = singularSteps(parsed);
  if (steps === undefined) {
    const page = yield* queryJsonSteps(source, parsed, { ...options, budget });
    if (page.matches.length > 0) return { kind: "matches", page };
    if (page.end === "steps" || page.end === "time") throw stoppedBy(page.end);
    const broken = yield* brokenDocument(source, options);
    if (broken !== undefined) throw broken;
    throw new HoldfastError("not_found", "path_not_found", say`Nothing matches ${echo(parsed.text)}.`);
  }
  const scanner = openScanner(source, options);
  if (scanner.root() === NONE) throw emptyDocument();
  const located = yield* reachIn(scanner, steps, options);
  const start = located.at;
  const end = yield* settle(scanner, scanner.end(start));
  const limits = budget === DEFAULT_LIMITS.budgetChars ? USUAL_LIMITS : limitsFor(budget);
  const printed = yield* printFitting(scanner, start, limits, located.steps);
  const kind = scanner.kind(start) ?? "null";
  const got = { kind, path: normalizedPath(located.steps), start, end, value: asPreview(printed) };
  return Object.freeze(located.occurrences > 1 ? { ...got, duplicates: located.occurrences } : got);
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

/** The value as text; a small container on one line; then what was cut, and a word about duplicate keys. */
export function getText(got: JsonGot, path: string, budget: number = DEFAULT_LIMITS.budgetChars): string {
  if (got.kind === "matches") return queryText(got.page, path);
  const text = previewText({ ...got.value, text: oneLine(got.value.text) }, budget);
  if (got.duplicates === undefined) return text;
  return `${text}\n[The key occurs ${got.duplicates} times; this is the last, as JSON.parse reads it]`;
}

/** A printed value on one line, when it is short enough. The printer puts no break inside a string. */
function oneLine(text: string): string {
  if (text.length > 2 * ONE_LINE || !text.includes("\n")) return text;
  const line = text.replace(/,\n */g, ", ").replace(/\n */g, "");
  return line.length <= ONE_LINE ? line : text;
}

/**
 * The exact bytes of the value at a singular path, as text; undefined when it is longer than `maxBytes`.
 * Throws `not_found` / `path_not_found` when there is no such place.
 */
export function rawJson(source: ByteSource, path: string | JsonPath, maxBytes: number): string | undefined {
  const scanner = openScanner(source);
  if (scanner.root() === NONE) throw emptyDocument();
  const { at } = finish(reachIn(scanner, onePlace(path), {}));
  const end = finish(settle(scanner, scanner.end(at)));
  return end - at > maxBytes ? undefined : textAt(scanner, at, end);
}
