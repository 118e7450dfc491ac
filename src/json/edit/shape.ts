// Owns: whether a new container goes on one line or on several, and whose habits it takes.

import type { Steps } from "../../text/steps.ts";
import { type Children, NONE, type Scanner, settle } from "../scan/scanner.ts";
import { gapBetween, itemRows, type MemberRow } from "./member-rows.ts";
import type { Shape } from "./layout.ts";
import { learnRow } from "./style.ts";

type Habits = Parameters<typeof learnRow>[4];

/** Parents up to this size are looked through for a sibling that shows the habit. */
const LOOKED_THROUGH = 64 * 1024;

/** A container that has members, and how it is written. */
export interface Example {
  readonly at: number;
  readonly object: boolean;
  readonly shape: Shape;
}

/** How the container at `at` is written; undefined when it is none or has no members. */
export function exampleAt(scanner: Scanner, at: number): Example | undefined {
  const byte = scanner.byte(at);
  if (byte !== 0x7b && byte !== 0x5b) return undefined;
  const first = scanner.blank(at + 1);
  if (byte === 0x7b ? scanner.byte(first) !== 0x22 : scanner.kind(first) === undefined) return undefined;
  const broken = gapBetween(scanner, at + 1, first).some((part) => part.kind === "break");
  return { at, object: byte === 0x7b, shape: broken ? "lines" : "inline" };
}

/** The containers directly inside another. They are looked up once, when first asked for. */
export class Siblings {
  readonly #scanner: Scanner;
  readonly #parent: number;
  readonly #rows: readonly (MemberRow | undefined)[];
  #found: readonly Example[] | undefined;

  /** `rows` are looked at alone where the parent is too large to be looked through. */
  constructor(scanner: Scanner, parent: number, rows: readonly (MemberRow | undefined)[] = []) {
    this.#scanner = scanner;
    this.#parent = parent;
    this.#rows = rows;
  }

  /**
   * The one nearest to `self`, of the same kind if there is one. For an array an object will do; a short array on one
   * line says nothing about objects.
   */
  *nearest(self: number, object: boolean): Steps<Example | undefined> {
    this.#found ??= yield* this.#look();
    let best: Example | undefined;
    let bestRank = Infinity;
    for (const example of this.#found) {
      const { at } = example;
      if (at === self || (object && !example.object)) continue;
      const rank = Math.abs(at - self) + (example.object === object ? 0 : LOOKED_THROUGH * 2);
      if (rank >= bestRank) continue;
      best = example;
      bestRank = rank;
    }
    return best;
  }

  *#look(): Steps<readonly Example[]> {
    const scanner = this.#scanner;
    const size = (yield* settle(scanner, scanner.end(this.#parent))) - this.#parent;
    const starts =
      size <= LOOKED_THROUGH
        ? startsOf(scanner.children(this.#parent))
        : this.#rows.map((row) => row?.start ?? NONE);
    return starts.flatMap((start) => (start === NONE ? [] : (exampleAt(scanner, start) ?? [])));
  }
}

function startsOf(children: Children): readonly number[] {
  const starts: number[] = [];
  // Within LOOKED_THROUGH bytes a pause has nothing to wait for.
  for (let start = children.next(); start !== NONE; start = children.next())
    if (start >= 0) starts.push(start);
  return starts;
}

/** Adds the habits that the first two members of an example show. */
export function* learnExample(scanner: Scanner, example: Example, habits: Habits): Steps<void> {
  if (scanner.byte(example.at) === 0x5b) {
    const [first, second] = yield* itemRows(scanner, example.at, 0, 2);
    if (second !== undefined) learnRow(scanner, example.at, first, second, habits);
    if (first !== undefined) learnRow(scanner, example.at, undefined, first, habits);
    return;
  }
  const children = scanner.children(example.at);
  let prev: MemberRow | undefined;
  for (let i = 0; i < 2; i++) {
    let start = children.next();
    for (; start < NONE; start = children.next()) yield;
    if (start === NONE) return;
    const { keyStart, keyEnd, end, index } = children;
    const comma = scanner.blank(end);
    const row: MemberRow = { index, keyStart, keyEnd, start, end, comma };
    learnRow(scanner, example.at, prev, row, habits);
    prev = row;
  }
}
