// Owns: printing a value in bounded space: what is shown, what is cut, and the count of what is hidden.
// Must never: cut silently. Every cut leaves a marker in the text and an entry in the list.

import { countChars } from "../../text/budget.ts";
import type { Steps } from "../../text/steps.ts";
import { keyName, type Members, openMembers } from "../scan/members.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { isNameable } from "../path/normalized.ts";
import { NONE, PAUSED, type Scanner, settle } from "../scan/scanner.ts";
import { endNow, textAt } from "../scan/value.ts";
import { safeSlice } from "./cut.ts";
import { UNNAMED_SENTENCE } from "./unnamed-keys.ts";

/** How much of a value to print. */
export interface PrintLimits {
  /** Levels below the value: it is at depth 0 itself; deeper values are replaced by a marker. */
  readonly maxDepth: number;
  /** Items of an array. */
  readonly maxItems: number;
  /** Keys of an object. */
  readonly maxKeys: number;
  /** Characters of a string or number before it is cut. A key is shown whole, or on another page. */
  readonly maxString: number;
  /** Characters of the whole text. */
  readonly budget: number;
}

/** Something that was not shown. */
export interface PrintCut {
  /** What was cut. */
  readonly kind: "items" | "keys" | "depth" | "string" | "key";
  /** The container that has more or whose key was cut, or the value that was cut. */
  readonly steps: readonly JsonPathStep[];
  /** Items or keys hidden; bytes of a string or key that are hidden; 1 for a value too deep. */
  readonly count: number;
}

/** A value as text in bounded space. */
export interface Printed {
  /** The text, with a marker at every cut. */
  readonly text: string;
  /** What was cut, where; bounded. */
  readonly cuts: readonly PrintCut[];
  /** Cuts that were made but are not in the list, which is bounded. */
  readonly moreCuts: number;
  /** True when the budget, and not one of the other bounds, ended something. */
  readonly full: boolean;
  /** How often each kind of cut was made. */
  readonly totals: { readonly [K in PrintCut["kind"]]: number };
  /** Keys in the text that no path can name. */
  readonly unnamedKeys: number;
}

const DEPTH_MARKER = '"... [max depth reached]"';
const LISTED_CUTS = 200;

interface Level {
  readonly members: Members;
  readonly object: boolean;
  readonly at: number;
  readonly limit: number;
  shown: number;
  step: JsonPathStep;
}

/** Room that the markers and brackets of an open level need. */
const LEVEL_COST = 80;

class Printer {
  readonly out: string[] = [];
  readonly cuts: PrintCut[] = [];
  readonly totals = { items: 0, keys: 0, depth: 0, string: 0, key: 0 };
  readonly open: Level[] = [];
  size = 0;
  ranOut = false;
  unnamedKeys = 0;
  readonly #scanner: Scanner;
  readonly #limits: PrintLimits;
  readonly #base: readonly JsonPathStep[];

  constructor(scanner: Scanner, limits: PrintLimits, base: readonly JsonPathStep[]) {
    this.#scanner = scanner;
    this.#limits = limits;
    this.#base = base;
  }

  put(text: string): void {
    this.out.push(text);
    this.size += text.length;
  }

  /** True when what is open can still be closed, but nothing more can be shown. */
  get full(): boolean {
    return this.#room < 0;
  }

  /** Characters left when everything open is closed. */
  get #room(): number {
    return this.#limits.budget - this.size - LEVEL_COST * (this.open.length + 1);
  }

  cut(kind: PrintCut["kind"], count: number, steps: readonly JsonPathStep[] = this.#here()): void {
    this.totals[kind]++;
    if (this.cuts.length < LISTED_CUTS) this.cuts.push({ kind, steps, count });
  }

  #here(): readonly JsonPathStep[] {
    return [...this.#base, ...this.open.map((level) => level.step)];
  }

  /** The path of the container that is open last. */
  container(): readonly JsonPathStep[] {
    return this.#here().slice(0, -1);
  }

  scalar(at: number): void {
    const end = endNow(this.#scanner, at);
    this.put(this.#literal(at, end));
  }

  #literal(at: number, end: number): string {
    const most = this.#most();
    // A text has no more characters than its literal has bytes between the quotes.
    if (end - at - 2 <= most) return textAt(this.#scanner, at, end);
    const raw = textAt(this.#scanner, at, Math.min(end, at + 6 * most + 8));
    const isText = raw.startsWith('"');
    if (end - at <= 6 * most + 8 && (isText ? countChars(partialText(raw)) : raw.length) <= most) return raw;
    const shown = fitting(isText ? partialText(raw) : raw, most);
    this.ranOut ||= most < this.#limits.maxString;
    this.cut("string", Math.max(1, end - at - 2 - byteLength(shown)));
    return `${JSON.stringify(shown).slice(0, -1)}..."`;
  }

  /** Whether a key fits whole; the first of all is shown in any case. */
  fits({ keyStart, keyEnd }: Members): boolean {
    return keyEnd - keyStart <= this.#room || (this.open.length === 1 && this.open[0]?.shown === 0);
  }

  /** A key, whole: only one that is longer than the whole text may be is cut. */
  key({ keyStart, keyEnd }: Members): void {
    const room = Math.max(16, this.#room);
    if (keyEnd - keyStart <= room) {
      this.put(`${textAt(this.#scanner, keyStart, keyEnd)}: `);
      return;
    }
    const raw = textAt(this.#scanner, keyStart, Math.min(keyEnd, keyStart + room));
    const shown = fitting(partialText(raw), room);
    this.ranOut = true;
    this.cut("key", Math.max(1, keyEnd - keyStart - 2 - byteLength(shown)), this.container());
    this.put(`${JSON.stringify(shown).slice(0, -1)}...": `);
  }

  /** A key that no path can name takes the room of the sentence that will say so. */
  noteUnnamed(): void {
    if (this.unnamedKeys++ === 0) this.size += UNNAMED_SENTENCE;
  }

  /** Characters that one string may take now. */
  #most(): number {
    return Math.min(this.#limits.maxString, Math.max(16, this.#room));
  }
}

/** The first `most` code points, fewer when escapes would make them much longer. */
function fitting(text: string, most: number): string {
  let shown = cutPoints(text, most);
  while (shown.length > 8 && JSON.stringify(shown).length > 2 * most + 8)
    shown = cutPoints(shown, shown.length >> 1);
  return shown;
}

/** What a literal that may be cut anywhere says, as far as it goes. */
function partialText(raw: string): string {
  const body = raw.slice(1).replace(/"$/, "");
  for (let drop = 0; drop < 13; drop++) {
    try {
      return JSON.parse(`"${body.slice(0, body.length - drop)}"`) as string;
    } catch {
      // Half an escape at the end: drop one more character.
    }
  }
  return body;
}

function cutPoints(text: string, max: number): string {
  let end = 0;
  for (let n = 0; n < max && end < text.length; n++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return safeSlice(text, end);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Prints the value at `root`, two blanks a level. `base` is its path, for the list of cuts. When the budget is used up,
 * everything that is open is closed with the count of what it still holds.
 */
export function* print(
  scanner: Scanner,
  root: number,
  limits: PrintLimits,
  base: readonly JsonPathStep[] = [],
): Steps<Printed> {
  const printer = new Printer(scanner, limits, base);
  const { open } = printer;
  let at = root;
  for (;;) {
    const byte = scanner.byte(at);
    if (open.length > limits.maxDepth) {
      printer.put(DEPTH_MARKER);
      printer.cut("depth", 1);
    } else if (byte === 0x7b || byte === 0x5b) {
      const object = byte === 0x7b;
      printer.put(object ? "{" : "[");
      const members = yield* openMembers(scanner, at);
      const limit = object ? limits.maxKeys : limits.maxItems;
      open.push({ members, object, at, limit, shown: 0, step: 0 });
    } else printer.scalar(at);
    const next = yield* advance(scanner, printer);
    if (next === NONE) break;
    at = next;
  }
  const { cuts, totals, unnamedKeys, ranOut: full } = printer;
  const made = totals.items + totals.keys + totals.depth + totals.string + totals.key;
  return { text: printer.out.join(""), cuts, moreCuts: made - cuts.length, full, totals, unnamedKeys };
}

/** Moves to the next value to print, closing what is done; NONE at the end. */
function* advance(scanner: Scanner, printer: Printer): Steps<number> {
  const { open } = printer;
  for (;;) {
    const level = open.at(-1);
    if (level === undefined) return NONE;
    let start = level.members.next();
    for (; start === PAUSED; start = level.members.next()) yield;
    const pad = "  ".repeat(open.length - (start === NONE ? 1 : 0));
    if (start === NONE) {
      if (level.shown > 0) printer.put(`\n${pad}`);
      printer.put(level.object ? "}" : "]");
      open.pop();
      continue;
    }
    const isFull = printer.full || (level.object && !printer.fits(level.members));
    if (level.shown >= level.limit || isFull) {
      if (level.shown < level.limit) printer.ranOut = true;
      yield* closeCut(scanner, printer, level);
      continue;
    }
    printer.put(`${level.shown > 0 ? "," : ""}\n${pad}`);
    level.shown++;
    level.step = level.object
      ? keyName(scanner, level.members.keyStart, level.members.keyEnd)
      : level.members.index;
    if (!isNameable(level.step)) printer.noteUnnamed();
    if (level.object) printer.key(level.members);
    return start;
  }
}

/** Closes a container that has more: the marker says how many. */
function* closeCut(scanner: Scanner, printer: Printer, level: Level): Steps<void> {
  const { open } = printer;
  const hidden = (yield* sizeOf(scanner, level)) - level.shown;
  const pad = "  ".repeat(open.length);
  const comma = level.shown > 0 ? "," : "";
  printer.put(
    `${comma}\n${pad}${level.object ? `"...": "[${hidden} more keys]"` : `"... [${hidden} more items]"`}`,
  );
  printer.put(`\n${pad.slice(2)}${level.object ? "}" : "]"}`);
  printer.cut(level.object ? "keys" : "items", hidden, printer.container());
  open.pop();
}

/** Members that count. An array is counted at once; an object's duplicates have to be ruled out one by one. */
function* sizeOf(scanner: Scanner, { at, object, members }: Level): Steps<number> {
  if (!object) return yield* settle(scanner, scanner.count(at));
  let count = members.index + 1;
  for (let start = members.next(); start !== NONE; start = members.next())
    if (start === PAUSED) yield;
    else count++;
  return count;
}
