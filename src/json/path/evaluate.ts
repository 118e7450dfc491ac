// Owns: running a query over a document's bytes: matches one by one, bounds, and how the run ended.

import { DEFAULT_LIMITS } from "../../limits.ts";
import { type Kind, kindOf, NONE, PAUSED, type Scanner } from "../scanner.ts";
import type { JsonPath, PathStep } from "./ast.ts";
import { Evaluation, Exhausted, type Node, stepsTo } from "./_evaluation.ts";
import { normalizedPath } from "./normalized.ts";
import { walkRoot } from "./_first-sight.ts";

export interface EvaluateOptions {
  /** Stop after this many matches; what lies behind is not looked at. Default: no bound. */
  readonly maxMatches?: number;
  /** Matches to pass over first. */
  readonly skip?: number;
  /** Nodes to look at, at most. */
  readonly maxSteps?: number;
  readonly maxMillis?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/** One selected value, by its place in the bytes. */
export interface JsonMatch {
  readonly start: number;
  /** One past its last byte. */
  readonly end: number;
  readonly kind: Kind;
  readonly steps: readonly PathStep[];
  /** The normalized path: the address of exactly this value, for reading and for writing. */
  readonly path: string;
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
 * @example for (const match of evaluate(openScanner(source), parsePath("$.a[*]"))) if (match) use(match.path);
 */
export function* evaluate(
  scanner: Scanner,
  path: JsonPath,
  options: EvaluateOptions = {},
): Generator<JsonMatch | undefined, EvaluationEnd, void> {
  const ev = new Evaluation(scanner, {
    maxSteps: options.maxSteps ?? DEFAULT_LIMITS.jsonQuerySteps,
    maxMillis: options.maxMillis ?? DEFAULT_LIMITS.jsonQueryMillis,
    now: options.now ?? clock,
  });
  if (ev.root.start === NONE) return "complete";
  const skip = options.skip ?? 0;
  const last = skip + (options.maxMatches ?? Infinity);
  let seen = 0;
  try {
    for (const node of walkRoot(ev, path.segments, last + 1)) {
      if (node === undefined) {
        yield undefined;
        continue;
      }
      if (++seen > last) return "matches";
      if (seen <= skip) continue;
      let end = node.end === NONE ? scanner.end(node.start) : node.end;
      while (end === PAUSED) {
        yield undefined;
        end = scanner.resume();
      }
      yield new LazyMatch(scanner, node, end === NONE ? scanner.source.size : end);
    }
  } catch (error) {
    if (error instanceof Exhausted) return error.by;
    throw error;
  }
  return "complete";
}

const clock = (): number => performance.now();

/** Paths are made only when somebody asks: a count of a million matches does not want them. */
class LazyMatch implements JsonMatch {
  readonly start: number;
  readonly end: number;
  readonly kind: Kind;
  readonly #scanner: Scanner;
  readonly #place: Node["place"];
  readonly #item: number | undefined;
  readonly #below: string | undefined;

  constructor(scanner: Scanner, { start, place, first, item, below }: Node, end: number) {
    this.#scanner = scanner;
    this.#place = place;
    this.#item = item;
    this.#below = below;
    this.start = start;
    this.end = end;
    this.kind = kindOf(first ?? scanner.byte(start)) ?? "null";
  }

  get steps(): readonly PathStep[] {
    const steps = stepsTo(this.#place, this.#scanner);
    if (this.#item !== undefined) steps.push(this.#item);
    if (this.#below !== undefined) steps.push(this.#below);
    return steps;
  }

  get path(): string {
    return normalizedPath(this.steps);
  }
}
