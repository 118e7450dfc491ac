// Owns: running a query over a document's bytes: matches one by one, bounds, and how the run ended.

import { DEFAULT_LIMITS } from "../../limits.ts";
import { NONE, PAUSED, type Scanner } from "../scan/scanner.ts";
import type { JsonPath } from "./ast.ts";
import { Evaluation, Exhausted } from "./evaluation.ts";
import { walkRoot } from "./first-sight.ts";
import { Batch, type JsonMatch, Match } from "./match.ts";

export interface EvaluateOptions {
  /** Stop after this many matches; what lies after is not looked at. Default: no bound. */
  readonly maxMatches?: number;
  /** Matches to pass over first. */
  readonly skip?: number;
  /** Nodes to look at, at most. */
  readonly maxSteps?: number;
  readonly maxMillis?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/** `complete`: there are no more. `matches`: there is at least one more. Otherwise the bound that ended the run. */
export type EvaluationEnd = "complete" | "matches" | "steps" | "time";

/**
 * The values that `path` selects, in the order of RFC 9535. A generator: it yields `undefined` where the caller may let
 * others run, and looks at the document no further than the matches taken so far need.
 *
 * Works on the bytes: a singular prefix is looked up by key and index, filters fetch only the members they name, and of
 * duplicate keys the last counts. An invalid document gives meaningless matches but always ends.
 *
 * @example for (const match of evaluate(openScanner(source), parseJsonPath("$.a[*]"))) if (match) use(match.path);
 */
export function* evaluate(
  scanner: Scanner,
  path: JsonPath,
  options: EvaluateOptions = {},
): Generator<JsonMatch | undefined, EvaluationEnd, void> {
  const run = evaluateInBatches(scanner, path, options);
  for (;;) {
    const step = run.next();
    if (step.done === true) return step.value;
    if (step.value === undefined || step.value instanceof Match) yield step.value;
    else yield* step.value;
  }
}

/** {@link evaluate}, but matches that were found together come together, in a list for the taker to keep. */
export function* evaluateInBatches(
  scanner: Scanner,
  path: JsonPath,
  options: EvaluateOptions = {},
): Generator<Match | Match[] | undefined, EvaluationEnd, void> {
  const ev = new Evaluation(scanner, {
    maxSteps: options.maxSteps ?? DEFAULT_LIMITS.jsonQuerySteps,
    maxMillis: options.maxMillis ?? DEFAULT_LIMITS.jsonQueryMillis,
    now: options.now ?? clock,
  });
  if (ev.root.start === NONE) return "complete";
  let skip = options.skip ?? 0;
  let left = options.maxMatches ?? Infinity;
  try {
    for (const found of walkRoot(ev, path.segments, skip + left + 1)) {
      if (found === undefined) {
        yield undefined;
        continue;
      }
      const many = found instanceof Batch ? found.matches.length : 1;
      if (many <= skip) {
        skip -= many;
        continue;
      }
      if (left === 0) return "matches";
      if (found instanceof Batch) {
        const more = many > skip + left;
        const wanted = skip > 0 || more ? found.matches.slice(skip, skip + left) : found.matches;
        skip = 0;
        left -= wanted.length;
        yield wanted;
        if (more) return "matches";
        continue;
      }
      let end = found.end === NONE ? scanner.end(found.start) : found.end;
      while (end === PAUSED) {
        yield undefined;
        end = scanner.resume();
      }
      left--;
      const family = { scanner, place: found.place, below: undefined };
      yield new Match(
        found.start,
        end === NONE ? scanner.source.size : end,
        scanner.byte(found.start),
        family,
      );
    }
  } catch (error) {
    if (error instanceof Exhausted) return error.by;
    throw error;
  }
  return "complete";
}

const clock = (): number => performance.now();
