// Owns: whether a new container goes on one line or on several, and whose habits it takes.

import type { Steps } from "../../text/steps.ts";
import { type Children, NONE, type Scanner, settle } from "../scan/scanner.ts";
import { gapBetween, type MemberRow } from "./member-rows.ts";
import type { Shape } from "./layout.ts";
import { learnPads } from "./padding.ts";
import { type Habits, learnBracket, learnRow } from "./style.ts";

/** Parents up to this size are looked through for a sibling that shows the habit. */
const LOOKED_THROUGH = 64 * 1024;

/** A container that has members, and how it is written. */
export interface Example {
  readonly at: number;
  readonly object: boolean;
  readonly shape: Shape;
  /** One past its key; NONE where it has none, or none was asked for. */
  readonly keyEnd: number;
}

/** How the container at `at` is written; undefined when it is none or has no members. */
export function exampleAt(scanner: Scanner, at: number, keyEnd: number = NONE): Example | undefined {
  const byte = scanner.byte(at);
  if (byte !== 0x7b && byte !== 0x5b) return undefined;
  const first = scanner.blank(at + 1);
  if (byte === 0x7b ? scanner.byte(first) !== 0x22 : scanner.kind(first) === undefined) return undefined;
  const broken = gapBetween(scanner, at + 1, first).some((part) => part.kind === "break");
  return { at, object: byte === 0x7b, shape: broken ? "lines" : "inline", keyEnd };
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

  /** The object, or array, that is nearest to a place. */
  *nearest(place: number, object: boolean): Steps<Example | undefined> {
    this.#found ??= yield* this.#look();
    let best: Example | undefined;
    for (const example of this.#found)
      if (
        example.object === object &&
        (best === undefined || Math.abs(example.at - place) < Math.abs(best.at - place))
      )
        best = example;
    return best;
  }

  /**
   * What a new container at `place` is laid out like. For an array an object will do; a short array on one line says
   * nothing about objects.
   */
  *model(place: number, object: boolean): Steps<Example | undefined> {
    return (yield* this.nearest(place, object)) ?? (object ? undefined : yield* this.nearest(place, true));
  }

  *#look(): Steps<readonly Example[]> {
    const scanner = this.#scanner;
    const size = (yield* settle(scanner, scanner.end(this.#parent))) - this.#parent;
    const rows =
      size <= LOOKED_THROUGH
        ? rowsOf(scanner.children(this.#parent))
        : this.#rows.filter((row) => row !== undefined);
    return rows.flatMap(({ start, keyEnd }) => exampleAt(scanner, start, keyEnd) ?? []);
  }
}

function rowsOf(children: Children): readonly Pick<MemberRow, "start" | "keyEnd">[] {
  const rows: Pick<MemberRow, "start" | "keyEnd">[] = [];
  // Within LOOKED_THROUGH bytes a pause has nothing to wait for.
  for (let start = children.next(); start !== NONE; start = children.next())
    if (start >= 0) rows.push({ start, keyEnd: children.keyEnd });
  return rows;
}

/**
 * Adds what the containers beside a place show to one who writes a container there: the habits of `model`, and the blanks
 * inside the brackets of the nearest ones. Who pads arrays pads objects too; the reverse is not so.
 */
export function* learnBeside(
  scanner: Scanner,
  siblings: Siblings,
  place: number,
  object: boolean,
  model: Example | undefined,
  habits: Habits,
): Steps<void> {
  if (model !== undefined) yield* learnExample(scanner, model, habits);
  for (const kind of [object, !object]) {
    const near = yield* siblings.nearest(place, kind);
    if (near !== undefined) learnPads(scanner, near.at, habits);
  }
  if (habits.arrayPad !== "") habits.pad ??= habits.arrayPad;
}

/** Adds the habits that an example and its first two members show. */
function* learnExample(scanner: Scanner, example: Example, habits: Habits): Steps<void> {
  if (example.keyEnd !== NONE) learnBracket(scanner, example.keyEnd, example.at, habits);
  const children = scanner.children(example.at);
  let prev: MemberRow | undefined;
  for (let i = 0; i < 2; i++) {
    let start = children.next();
    for (; start < NONE; start = children.next()) yield;
    if (start === NONE) break;
    const { keyStart, keyEnd, end } = children;
    const row: MemberRow = { keyStart, keyEnd, start, end, comma: scanner.blank(end) };
    learnRow(scanner, example.at, prev, row, habits);
    prev = row;
  }
  learnPads(scanner, example.at, habits);
}
