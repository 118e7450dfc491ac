// Owns: one strict object that comes piece by piece, as far as it has come.
// Must never: look at a character twice, or go on after what JSON does not allow.

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
  MINUS,
  QUOTE,
} from "./chars.ts";
import { attach, OpenContainers, replaceLast, type OpenContainer } from "./open-containers.ts";
import { unescapeChar } from "./string-text.ts";

// What is being read.
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
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** Reads one object; its opening brace has been read. */
export class PartialObject {
  readonly #maxDepth: number;
  readonly #containers = new OpenContainers();
  readonly #root: OpenContainer;
  #how: "open" | "closed" | "not_json" = "open";
  #state = FIRST_KEY;
  /** The place of the value that was begun last. It stays when containers close: only the next value makes it final. */
  readonly #place: (string | number)[] = [];
  /** A string as far as it has come, or the number or literal. */
  #token = "";
  #escape = "";

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
    this.#root = this.#containers.push("object", true);
  }

  /** `not_json`: what came last is not allowed there, and nothing more is read. */
  get how(): "open" | "closed" | "not_json" {
    return this.#how;
  }

  get isEmpty(): boolean {
    return this.#root.isEmpty;
  }

  /** The object so far, half of a string included. It grows. */
  get value(): JsonObject {
    return this.#root.value as JsonObject;
  }

  /** The place that is being written; undefined once the object has closed. */
  get place(): readonly (string | number)[] | undefined {
    return this.#containers.depth === 0 ? undefined : [...this.#place];
  }

  /** Reads on from `from`. Returns where it stopped: at the end of the text, after the object, or at what JSON does not allow. */
  read(text: string, from: number): number {
    let i = from;
    while (i < text.length && this.#how === "open") {
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
    if (this.#state === IN_STRING) this.#show();
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
    return this.#stop();
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
      if (this.#containers.depth >= this.#maxDepth) return this.#stop();
      const value: OpenContainer["value"] = c === BRACE_OPEN ? {} : [];
      this.#put(value);
      this.#containers.push(c === BRACE_OPEN ? "object" : "array", true, value);
      this.#state = c === BRACE_OPEN ? FIRST_KEY : FIRST_ITEM;
    } else if (c === MINUS || isDigit(c) || isLetter(c)) {
      this.#state = IN_WORD;
      this.#token = "";
    } else return this.#stop();
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
    else return this.#stop();
    return true;
  }

  #close(): boolean {
    this.#containers.pop();
    this.#state = AFTER;
    if (this.#containers.depth === 0) this.#how = "closed";
    return true;
  }

  #stop(): false {
    this.#how = "not_json";
    return false;
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
