// Owns: reading by path: one page of what a query selects, each value with the path that writes can use.

import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { say, type Shown } from "../../errors.ts";
import { hasUnnamedKeys } from "../scan/members.ts";
import type { GivenPath, JsonPath } from "../path/ast.ts";
import { evaluateInBatches, type EvaluationEnd } from "../path/evaluate.ts";
import { type JsonMatch, Match } from "../path/match.ts";
import { isNameable } from "../path/normalized.ts";
import { asPreview, GET_LIMITS, type JsonPreview, printFitting } from "./preview.ts";
import {
  asPath,
  bound,
  bounds,
  readDocument,
  type ReadOptions,
  type ReadResult,
  READ_OPTIONS,
} from "./read-options.ts";
import type { JsonKind, Scanner } from "../scan/scanner.ts";
import { unnamedKeysText, unnamedMatches } from "./unnamed-keys.ts";

const OPTIONS: OptionNames<QueryOptions> = {
  ...READ_OPTIONS,
  limit: true,
  offset: true,
  budget: true,
};

/** How a query is carried out. */
export interface QueryOptions extends ReadOptions {
  /** Matches in this page: 100 when left out. More are on the page that `next` names. */
  readonly limit?: number;
  /** Matches to pass over: `next` of the page before. */
  readonly offset?: number;
  /** Characters that all values of the page may take together. Without it values are not printed. */
  readonly budget?: number;
}

/** One match of a query. */
export interface JsonFound {
  /** Normalized path: names exactly this value, for a read or a write of the same content. */
  readonly path: string;
  /** What kind of value it is. */
  readonly kind: JsonKind;
  /** Where its bytes are. */
  readonly start: number;
  /** The byte after it. */
  readonly end: number;
  /** The value in bounded space; number literals and escapes as in the document. Absent without a budget. */
  readonly value?: JsonPreview;
}

/** A page of matches. */
export interface JsonPage {
  /** The matches, in the document's order. */
  readonly matches: readonly JsonFound[];
  /** `complete`: no more. `matches`: more from `next` on. `steps` or `time`: stopped early, more may exist. */
  readonly end: EvaluationEnd;
  /** The offset of the next page, when there is one. */
  readonly next?: number;
  /** What a reader must know: of the query, and of keys that no path can name. */
  readonly warnings: readonly Shown[];
}

/**
 * One page of what `path` selects, in the order of RFC 9535. Reads no further than the page needs. The page ends early
 * when its values have used up the budget; every value is itself cut to a fair share of it.
 *
 * Cost: the part of the document that the query has to look at, within `maxSteps` and `maxMillis`: at a bound the page ends
 * with what was found, and `end` says so. No match is an empty page. Throws `invalid_argument`: `invalid_path`,
 * `invalid_bound`, or `invalid_json` when the document is broken before the end of what was read.
 *
 * @example queryJson(source, "$.users[?@.age >= 18].name", { limit: 10 }).matches[0]?.path // "$['users'][3]['name']"
 */
export function queryJson(source: ByteSource, path: GivenPath, options: QueryOptions = {}): JsonPage {
  checkOptionNames(say`queryJson`, options, OPTIONS);
  return runNow(queryJsonSteps(source, path, options));
}

/**
 * {@link queryJson} in steps.
 *
 * @example const { matches } = await runPaced(queryJsonSteps(source, "$..price"));
 */
export function* queryJsonSteps(
  source: ByteSource,
  path: GivenPath,
  options: QueryOptions = {},
): Steps<JsonPage> {
  const parsed = asPath(path);
  return yield* readDocument(source, options, (scanner) => page(scanner, parsed, options));
}

function* page(scanner: Scanner, parsed: JsonPath, options: QueryOptions): Steps<ReadResult<JsonPage>> {
  const offset = bound("offset", options.offset ?? 0);
  const limit = bound("limit", options.limit ?? DEFAULT_LIMITS.jsonPageMatches);
  const run = evaluateInBatches(scanner, parsed, { skip: offset, maxMatches: limit, ...bounds(options) });
  let found: JsonMatch[] = [];
  let end: EvaluationEnd;
  for (;;) {
    const step = run.next();
    if (step.done === true) {
      end = step.value;
      break;
    }
    if (step.value === undefined) yield;
    else if (step.value instanceof Match) found.push(step.value);
    else if (found.length === 0) found = step.value;
    else for (const match of step.value) found.push(match);
  }
  const seen = found.length;
  if (hasUnnamedKeys(scanner)) found = found.filter(({ steps }) => steps.every(isNameable));
  const unnamed = seen - found.length;
  const warnings = unnamed === 0 ? [...parsed.warnings] : [...parsed.warnings, unnamedMatches(unnamed)];
  let unnamedShown = 0;
  // Without values the matches themselves will do: a path is made when asked for.
  const matches: JsonFound[] = options.budget === undefined ? found : [];
  let left = options.budget ?? 0;
  const printed = options.budget === undefined ? 0 : found.length;
  for (let i = 0; i < printed; i++) {
    const match = found[i];
    if (match === undefined) break;
    if (left < MIN_VALUE && matches.length > 0) {
      end = "matches";
      break;
    }
    // What earlier values did not use is there for later ones; the first few may be large.
    const share = Math.max(MIN_VALUE, Math.floor(left / Math.min(4, found.length - i)));
    const value = yield* printFitting(scanner, match.start, { ...GET_LIMITS, budget: share }, match.steps);
    left -= value.text.length + match.path.length;
    unnamedShown += value.unnamedKeys;
    matches.push({ ...plain(match), value: asPreview(value) });
  }
  if (unnamedShown > 0) warnings.push(unnamedKeysText(unnamedShown));
  const more = end === "matches" ? { next: offset + unnamed + matches.length } : {};
  const result = Object.freeze({ matches, end, ...more, warnings });
  if (matches.length === 0) scanner.suspect();
  // Many places without values are told as they were found: checking each would cost more than the query.
  const values = options.budget === undefined && matches.length > CHECKED_PLACES ? [] : matches;
  return { result, values, complete: end === "complete" };
}

/** So many matches without values are checked to be values of JSON. */
const CHECKED_PLACES = 1_000;

/** A value is given at least this much room, so that every page makes progress. */
const MIN_VALUE = 200;

function plain({ path, kind, start, end }: JsonMatch): JsonFound {
  return { path, kind, start, end };
}

/**
 * `$['a'][0] = 1` for each match, then what is left and how to get it.
 *
 * @example queryText(queryJson(source, "$..price", { budget: 2_000 }), "$..price")  // "$['a']['price'] = 8.95"
 */
export function queryText(page: JsonPage, path: string): string {
  const lines = page.matches.map((match) => `${match.path} = ${match.value?.text ?? match.kind}`);
  if (lines.length === 0) lines.push(`No match for ${path}`);
  if (page.next !== undefined) lines.push(`[More matches: continue with offset ${page.next}]`);
  if (page.end === "steps" || page.end === "time")
    lines.push("[Stopped early: the path costs too much. Begin it with names instead of .. or *]");
  for (const warning of page.warnings) lines.push(`[Warning] ${warning}`);
  return lines.join("\n");
}
