// Owns: reading the first object of a text that comes piece by piece, as far as it has come.
// Must never: look at a character twice, hold more of the text than half a mark, or show as final what a repair of the
// whole text could still change.

import type { Json, JsonObject } from "../../value.ts";
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  isDigit,
  isHex,
  isJsonBlank,
  isLetter,
  LESS,
  MINUS,
  QUOTE,
} from "./chars.ts";
import { attach, OpenContainers, replaceLast, type OpenContainer } from "./open-containers.ts";
import { unescapeChar } from "./string-text.ts";
import { mayBecomeMark, readThinkingMark } from "./thinking.ts";

/** What has come of an object. */
export interface PartialJson {
  /** The object so far, half of a string included. The same object grows with every piece: copy what must not change. */
  readonly value: JsonObject;
  /**
   * The place that is being written, as keys and indexes. It and the containers on the way to it can still change; all
   * other values are final, unless their key comes a second time. Undefined once the object has closed.
   */
  readonly open: readonly (string | number)[] | undefined;
  /** The object's first character in the text. Another number: another object, because the one before was not meant. */
  readonly start: number;
  /** From here on the text needs repair: `value` stays as it is until the end. */
  readonly stalled: boolean;
}

// Where the walk is in the text.
const PROSE = 0;
const OBJECT = 1;
const STALLED = 2;
// What is being read inside an object.
const FIRST_KEY = 0;
const KEY = 1;
const IN_KEY = 2;
const BEFORE_COLON = 3;
const FIRST_ITEM = 4;
const VALUE = 5;
const IN_STRING = 6;
const IN_WORD = 7;
const AFTER = 8;

const LITERALS: ReadonlyMap<string, Json> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Walks pieces of a text; `partial` is what they have come to. */
export class PartialReader {
  readonly #wanted: readonly string[];
  readonly #maxDepth: number;
  #where = PROSE;
  #length = 0;
  /** What may be the beginning of a thinking mark: the next piece decides. */
  #half = "";
  #thinking = 0;

  // Of the object that is being read, or was read last.
  #root: OpenContainer | undefined;
  #start = 0;
  #containers = new OpenContainers();
  #state = FIRST_KEY;
  /** The place of the value that was begun last. It stays when containers close: only the next value makes it final. */
  #place: (string | number)[] = [];
  /** A string as far as it has come, or the number or literal. */
  #token = "";
  #escape = "";
  /** The object before, to go back to if this one turns out to be prose. */
  #before: { readonly root: OpenContainer; readonly start: number } | undefined;

  constructor(wanted: readonly string[], maxDepth: number) {
    this.#wanted = wanted;
    this.#maxDepth = maxDepth;
  }

  get partial(): PartialJson | undefined {
    if (this.#root === undefined || this.#root.isEmpty) return undefined;
    return {
      value: this.#root.value as JsonObject,
      open: this.#containers.depth === 0 ? undefined : [...this.#place],
      start: this.#start,
      stalled: this.#where === STALLED,
    };
  }

  push(piece: string): void {
    const text = this.#half + piece;
    const base = this.#length - this.#half.length;
    this.#half = "";
    this.#length += piece.length;
    let i = 0;
    while (i < text.length)
      i = this.#where === OBJECT ? this.#inObject(text, i) : this.#inProse(text, i, base);
    if (this.#where === OBJECT && this.#state === IN_STRING) this.#show();
  }

  // ---- around objects

  #inProse(text: string, from: number, base: number): number {
    let i = from;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === LESS || c === BRACKET_OPEN) {
        const mark = readThinkingMark(text, i);
        if (mark !== undefined) {
          this.#mark(mark.opens);
          return mark.end;
        }
        if (mayBecomeMark(text, i)) {
          this.#half = text.slice(i);
          return text.length;
        }
      } else if (c === BRACE_OPEN && this.#where === PROSE && this.#thinking === 0 && !this.#isFound()) {
        this.#begin(base + i);
        return i + 1;
      }
    }
    return i;
  }

  #mark(opens: boolean): void {
    if (opens) {
      this.#thinking++;
      return;
    }
    if (this.#thinking > 0) {
      this.#thinking--;
      return;
    }
    // It closes what was never opened: all before it was thinking.
    this.#root = undefined;
    this.#before = undefined;
    this.#where = PROSE;
  }

  /** Whether a whole object with all that is wanted has been read. */
  #isFound(): boolean {
    const root = this.#root;
    return root !== undefined && !root.isEmpty && this.#wanted.every((key) => Object.hasOwn(root.value, key));
  }

  // ---- objects

  #begin(start: number): void {
    if (this.#root !== undefined && !this.#root.isEmpty)
      this.#before = { root: this.#root, start: this.#start };
    this.#where = OBJECT;
    this.#start = start;
    this.#containers = new OpenContainers();
    this.#root = this.#containers.push("object", true);
    this.#state = FIRST_KEY;
    this.#place = [];
    this.#token = "";
  }

  /** What was read is no JSON as it is: prose if it had no member yet, otherwise something that needs repair. */
  #stop(): void {
    if (this.#root?.isEmpty === false) {
      this.#where = STALLED;
      return;
    }
    this.#where = PROSE;
    this.#root = this.#before?.root;
    this.#start = this.#before?.start ?? 0;
    this.#containers = new OpenContainers();
  }

  #inObject(text: string, from: number): number {
    let i = from;
    while (i < text.length && this.#where === OBJECT) {
      if (this.#state === IN_STRING || this.#state === IN_KEY) {
        i = this.#string(text, i);
        continue;
      }
      const c = text.charCodeAt(i);
      if (this.#state === IN_WORD) {
        if (isDigit(c) || isLetter(c) || c === MINUS || c === 0x2b || c === 0x2e) {
          this.#token += text.charAt(i++);
          continue;
        }
        // The delimiter is read below.
        if (!this.#word(c)) return i;
      }
      if (isJsonBlank(c)) {
        i++;
        continue;
      }
      if (!this.#structure(c)) return i;
      // The first character of a word is read with the rest of it.
      if (this.#state !== IN_WORD) i++;
    }
    return i;
  }

  /** One character of structure, or the first of a value; false if JSON does not allow it here. */
  #structure(c: number): boolean {
    switch (this.#state) {
      case FIRST_KEY:
      case KEY:
        if (c === BRACE_CLOSE && this.#state === FIRST_KEY) return this.#close();
        if (c !== QUOTE) break;
        this.#state = IN_KEY;
        this.#token = "";
        return true;
      case BEFORE_COLON:
        if (c !== COLON) break;
        this.#containers.top.key = this.#token;
        this.#state = VALUE;
        this.#moveTo();
        return true;
      case AFTER:
        if (c === COMMA) {
          this.#state = this.#inObjectNow ? KEY : VALUE;
          return true;
        }
        if (c !== (this.#inObjectNow ? BRACE_CLOSE : BRACKET_CLOSE)) break;
        return this.#close();
      default:
        if (c === BRACKET_CLOSE && this.#state === FIRST_ITEM) return this.#close();
        return this.#value(c);
    }
    this.#stop();
    return false;
  }

  get #inObjectNow(): boolean {
    return this.#containers.top.kind === "object";
  }

  #value(c: number): boolean {
    if (c === QUOTE) {
      this.#put("");
      this.#state = IN_STRING;
      this.#token = "";
    } else if (c === BRACE_OPEN || c === BRACKET_OPEN) {
      if (this.#containers.depth >= this.#maxDepth) {
        this.#stop();
        return false;
      }
      const value: OpenContainer["value"] = c === BRACE_OPEN ? {} : [];
      this.#put(value);
      this.#containers.push(c === BRACE_OPEN ? "object" : "array", true, value);
      this.#state = c === BRACE_OPEN ? FIRST_KEY : FIRST_ITEM;
    } else if (c === MINUS || isDigit(c) || isLetter(c)) {
      this.#state = IN_WORD;
      this.#token = "";
    } else {
      this.#stop();
      return false;
    }
    return true;
  }

  #put(value: Json): void {
    attach(this.#containers.top, value);
    this.#moveTo();
    this.#state = AFTER;
  }

  #moveTo(): void {
    const { key, value } = this.#containers.top;
    const { depth } = this.#containers;
    this.#place.length = depth;
    this.#place[depth - 1] = Array.isArray(value) ? value.length - 1 : key;
  }

  /** The number or literal that ended before `next`; false if it is none. */
  #word(next: number): boolean {
    const word = this.#token;
    const literal = LITERALS.get(word);
    const delimited = isJsonBlank(next) || next === COMMA || next === BRACE_CLOSE || next === BRACKET_CLOSE;
    if (delimited && literal !== undefined) this.#put(literal);
    else if (delimited && NUMBER.test(word)) this.#put(Number(word));
    else {
      this.#stop();
      return false;
    }
    return true;
  }

  #close(): boolean {
    this.#containers.pop();
    this.#state = AFTER;
    if (this.#containers.depth > 0) return true;
    this.#where = PROSE;
    if (this.#root?.isEmpty === true) this.#stop();
    return true;
  }

  // ---- strings

  /** Reads on in a string; what JSON does not allow in it stays in it, as the repair of the whole text would have it. */
  #string(text: string, from: number): number {
    let i = from;
    while (i < text.length) {
      if (this.#escape !== "") {
        i = this.#inEscape(text, i);
        continue;
      }
      const run = i;
      while (i < text.length && text.charCodeAt(i) !== QUOTE && text.charCodeAt(i) !== BACKSLASH) i++;
      if (i > run) this.#token += text.slice(run, i);
      // A key that does not end on its line is prose.
      if (this.#state === IN_KEY && text.slice(run, i).includes("\n")) {
        this.#stop();
        return i;
      }
      if (i >= text.length) return i;
      if (text.charCodeAt(i) === QUOTE) {
        if (this.#state === IN_KEY) this.#state = BEFORE_COLON;
        else {
          this.#show();
          this.#state = AFTER;
        }
        return i + 1;
      }
      this.#escape = "\\";
      i++;
    }
    return i;
  }

  #inEscape(text: string, at: number): number {
    const c = text.charCodeAt(at);
    const read = this.#escape + text.charAt(at);
    if (this.#escape === "\\" && c === 0x75) {
      this.#escape = read;
      return at + 1;
    }
    if (this.#escape === "\\") {
      this.#escape = "";
      this.#token += unescapeChar(c) ?? read;
      return at + 1;
    }
    if (!isHex(c)) {
      this.#token += this.#escape;
      this.#escape = "";
      return at;
    }
    this.#escape = read.length < 6 ? read : "";
    if (read.length === 6) this.#token += String.fromCharCode(Number.parseInt(read.slice(2), 16));
    return at + 1;
  }

  /** Puts the string as far as it has come into its place. */
  #show(): void {
    replaceLast(this.#containers.top, this.#token);
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
