// Owns: new values and members as text in the style of the place they come to, and the splices that put them there.
// Must never: change anything. It reads the document as it is before the edit.

import type { Steps } from "../../text/steps.ts";
import { type Opening, type PlannedSplices, spotFor } from "./opening.ts";
import { isFilled, layOut } from "./layout.ts";
import type { Located } from "./locate.ts";
import { type Around, rowStart } from "./member-rows.ts";
import { type Example, exampleAt, learnBeside, Siblings } from "./shape.ts";
import { completed, type Habits, habitsAlong, indentAt, learnRow, lineOf, type PathFrame } from "./style.ts";
import type { ValueBytes } from "./given-value.ts";
import { NONE, type Scanner } from "../scan/scanner.ts";
import { textAt } from "../scan/value.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What surrounds the value that is written. */
interface Surroundings {
  /** The value itself, or where it will be. */
  readonly self: number;
  /** What the members beside it and the containers around it show. */
  readonly habits: Habits;
  /** The container that it replaces. */
  readonly old: Example | undefined;
  readonly siblings: Siblings;
  readonly ownLine: boolean;
  readonly indent: string;
}

/** A value as text. */
interface Written {
  readonly text: string;
  /** What comes between a key and it, when that is not the colon of other members. */
  readonly colon?: string;
}

/** Writes any number of values for one place; their style is looked up once for objects and once for arrays. */
class ValueWriter {
  readonly #scanner: Scanner;
  readonly #look: () => Surroundings;
  readonly #layouts = new Map<boolean, (value: ValueBytes) => Written>();

  constructor(scanner: Scanner, look: () => Surroundings) {
    this.#scanner = scanner;
    this.#look = look;
  }

  *write(value: ValueBytes): Steps<Written> {
    if (value[0] !== 0x7b && value[0] !== 0x5b) return { text: decoder.decode(value) };
    const object = value[0] === 0x7b;
    let layout = this.#layouts.get(object);
    if (layout === undefined) this.#layouts.set(object, (layout = yield* this.#learn(object)));
    return layout(value);
  }

  *#learn(object: boolean): Steps<(value: ValueBytes) => Written> {
    const { self, habits: around, old, siblings, ownLine: onLine, indent } = this.#look();
    const model = old ?? (yield* siblings.model(self, object));
    const beside: Habits = {};
    yield* learnBeside(this.#scanner, siblings, self, object, model, beside);
    const shape = model?.shape ?? (onLine ? "lines" : "inline");
    const style = completed({ ...around, ...defined(beside) });
    const colon = `${style.bracketColon}${style.eol}${indent}`;
    const ownLine = shape === "lines" && style.bracketColon !== "";
    return (value) => ({
      text: layOut(value, style, shape, indent),
      ...(ownLine && isFilled(value, 0) ? { colon } : {}),
    });
  }
}

/** The text of `value` in place of the member or item of `parent` that `frame` names, which is one of `siblings`. */
export function* replacement(
  scanner: Scanner,
  parent: Located,
  frame: PathFrame,
  value: ValueBytes,
  siblings: Siblings = new Siblings(scanner, frame.at),
): Steps<string> {
  const first = frame.keyStart === NONE ? frame.start : frame.keyStart;
  const writer = new ValueWriter(scanner, () => ({
    self: frame.start,
    habits: habitsAlong(scanner, [...parent.frames, frame], frame.start),
    old: exampleAt(scanner, frame.start),
    siblings,
    ownLine: lineOf(scanner, first)?.own ?? false,
    indent: indentAt(scanner, first),
  }));
  return (yield* writer.write(value)).text;
}

/** The place before a row of the container `parent`, or after its last. */
export function* openingIn(
  scanner: Scanner,
  parent: Located,
  { beforePrev, prev, row: next, next: afterNext, close }: Around,
): Steps<Opening> {
  const opening = { container: parent.at, beforePrev, prev, next, afterNext, close };
  if (prev !== undefined || next !== undefined) return { ...opening, emptyInLines: false, beside: {} };
  return { ...opening, ...(yield* emptyBeside(scanner, parent, close)) };
}

/** How the first member of an empty container is written, by the blanks in it and the containers beside it. */
function* emptyBeside(
  scanner: Scanner,
  { at, frames }: Located,
  close: number,
): Steps<Pick<Opening, "emptyInLines" | "beside">> {
  const holder = frames.at(-1);
  const object = scanner.byte(at) === 0x7b;
  const blanks = textAt(scanner, at + 1, close);
  const beside: Habits = /^[ \t]+$/.test(blanks) ? { [object ? "pad" : "arrayPad"]: blanks } : {};
  if (holder === undefined) return { emptyInLines: true, beside };
  const siblings = new Siblings(scanner, holder.at);
  const model = yield* siblings.model(at, object);
  yield* learnBeside(scanner, siblings, at, object, model, beside);
  const first = holder.keyStart === NONE ? holder.start : holder.keyStart;
  const emptyInLines = model === undefined ? lineOf(scanner, first)?.own === true : model.shape === "lines";
  return { emptyInLines, beside };
}

/** A member to be added; without a name an item. */
export interface NewMember {
  readonly name: string | undefined;
  readonly value: ValueBytes;
}

interface Addition extends PlannedSplices {
  /** Bytes of the values as they are written. */
  readonly valueBytes: number;
}

/** The splices that put `members` into an opening, one after the other. */
export function* addition(
  scanner: Scanner,
  parent: Located,
  opening: Opening,
  members: readonly NewMember[],
): Steps<Addition> {
  const { container, prev, next, close } = opening;
  const habits = habitsIn(scanner, parent, opening);
  const style = completed(habits);
  const spot = spotFor(scanner, opening, style);
  const writer = new ValueWriter(scanner, () => ({
    self: next === undefined ? close : rowStart(next),
    habits,
    old: undefined,
    siblings: new Siblings(scanner, container, [prev, next, opening.beforePrev]),
    ownLine: spot.ownLine,
    indent: spot.indent,
  }));
  const texts: string[] = [];
  let valueBytes = 0;
  for (const { name, value } of members) {
    const { text, colon = style.colon } = yield* writer.write(value);
    valueBytes += encoder.encode(text).length;
    texts.push(name === undefined ? text : `${JSON.stringify(name)}${colon}${text}`);
  }
  return { ...spot.plan(texts.join(spot.between)), valueBytes };
}

/** What shows how a member of a container is written: the members beside it, else the containers beside, else those around. */
function habitsIn(scanner: Scanner, parent: Located, opening: Opening): Habits {
  const { container, beforePrev, prev, next, afterNext, beside } = opening;
  const habits: Habits = {};
  if (prev !== undefined) learnRow(scanner, container, beforePrev, prev, habits);
  if (next !== undefined) learnRow(scanner, container, prev, next, habits);
  if (next !== undefined && afterNext !== undefined) learnRow(scanner, container, next, afterNext, habits);
  return { ...habitsAlong(scanner, parent.frames, container), ...defined(beside), ...defined(habits) };
}

/** Without the fields that are undefined, so that they do not hide others in a spread. */
function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
