// Owns: a selected value as the taker of a query sees it. A filter can select a great many, so one costs little: what
// all of them share is in one place, and a path is made only when asked for.

import { type JsonKind, kindOfByte, NONE, type Scanner } from "../scan/scanner.ts";
import type { JsonPathStep } from "./ast.ts";
import { type Trail, stepsTo } from "./evaluation.ts";
import { keyFrom } from "../scan/members.ts";
import { normalizedPath } from "./normalized.ts";

/** One selected value, by its place in the bytes. */
export interface JsonMatch {
  readonly start: number;
  /** One past its last byte. */
  readonly end: number;
  readonly kind: JsonKind;
  readonly steps: readonly JsonPathStep[];
  /** The normalized path: the address of exactly this value, for reading and for writing. */
  readonly path: string;
}

/** What matches that were found together share: the way to them, but for the item or member in the middle. */
export interface Family {
  readonly scanner: Scanner;
  readonly place: Trail | undefined;
  /** Is each match told by where its key is, and not by an index? */
  readonly keyed?: boolean;
  /** The member after the item. */
  readonly below: string | undefined;
}

export class Match implements JsonMatch {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
  readonly #family: Family;
  readonly #item: number;

  /** `first` is the value's first byte; `item` is NONE when the place is the match's own. */
  constructor(start: number, end: number, first: number, family: Family, item: number = NONE) {
    this.start = start;
    this.end = end;
    this.kind = kindOfByte(first) ?? "null";
    this.#family = family;
    this.#item = item;
  }

  get steps(): readonly JsonPathStep[] {
    const { place, scanner, keyed, below } = this.#family;
    const steps = stepsTo(place, scanner);
    const item = this.#item;
    if (item !== NONE) steps.push(keyed === true ? keyFrom(scanner, item) : item);
    if (below !== undefined) steps.push(below);
    return steps;
  }

  get path(): string {
    return normalizedPath(this.steps);
  }
}

/** Where the matches of a filter are put as they are found, instead of being yielded one by one. */
export interface Sink {
  readonly family: Family;
  matches: Match[];
  /** How many make it full. */
  most: number;
}

export function isFull({ matches, most }: Sink): boolean {
  return matches.length >= most;
}

export function put({ matches, family }: Sink, start: number, end: number, item: number): void {
  const { scanner } = family;
  matches.push(new Match(start, end === NONE ? scanner.source.size : end, scanner.byte(start), family, item));
}

/** Matches that were found together. The receiver owns the list. */
export class Batch {
  readonly matches: Match[];

  constructor(matches: Match[]) {
    this.matches = matches;
  }
}
