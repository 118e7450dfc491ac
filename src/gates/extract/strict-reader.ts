// Owns: reading one strict JSON container (RFC 8259) at a place in a text, without recursion and without building values.
// Must never: read a character twice, accept what JSON.parse refuses, or refuse what it accepts.

import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  DOT,
  isDigit,
  isEscape,
  isHex4,
  isJsonBlank,
  MINUS,
  PLUS,
  QUOTE,
  ZERO,
} from "./chars.ts";

// What may come next.
const VALUE = 0;
const FIRST_ITEM = 1; // a value or `]`
const KEY = 2;
const FIRST_KEY = 3; // a key or `}`
const AFTER = 4; // a comma or a closer

const IN_ARRAY = 0;
const IN_OBJECT = 1;

/**
 * Reads strict containers of one text. The outcome of the last {@link read} is left in the fields, so that the many
 * failing reads in prose allocate nothing.
 */
export class StrictReader {
  readonly #text: string;
  /** Kinds of the open containers. Grows with the nesting and is used again by the next read. */
  readonly #stack: number[] = [];
  /** Where the read stopped: after the container, or at the first character that JSON does not allow there. */
  at = 0;
  /** Start of the last string token that was begun, -1 if none. */
  lastString = -1;
  /** End of the last container that closed inside, -1 if none. */
  lastClosed = -1;
  /** Deepest nesting seen. */
  depth = 0;
  /** When the read began at `[`: start and end of each object that no other object holds, in pairs. */
  readonly objects: number[] = [];
  /** Start of such an object that was still open when the read failed, -1 if none. */
  openObject = -1;
  /** The read failed because no colon follows the first key, at `at`. */
  noColon = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** True if a whole container begins at `from`, which must be `{` or `[`. */
  read(from: number): boolean {
    const text = this.#text;
    const length = text.length;
    const stack = this.#stack;
    let open = 0;
    if (this.objects.length > 0) this.objects.length = 0;
    this.openObject = -1;
    this.lastString = -1;
    this.lastClosed = -1;
    this.depth = 0;
    this.noColon = false;
    const inArray = text.charCodeAt(from) === BRACKET_OPEN;
    let objectDepth = 0;
    let state = VALUE;
    let i = from;
    while (i < length) {
      const c = text.charCodeAt(i);
      if (isJsonBlank(c)) {
        i++;
        continue;
      }
      if (state === AFTER) {
        const inObject = stack[open - 1] === IN_OBJECT;
        if (c === COMMA) {
          state = inObject ? KEY : VALUE;
          i++;
          continue;
        }
        if (c !== (inObject ? BRACE_CLOSE : BRACKET_CLOSE)) break;
      } else if (state === KEY || state === FIRST_KEY) {
        if (c === QUOTE) {
          this.lastString = i;
          i = this.#string(i);
          if (i < 0) break;
          while (i < length && isJsonBlank(text.charCodeAt(i))) i++;
          if (i >= length || text.charCodeAt(i) !== COLON) {
            this.noColon = open === 1 && state === FIRST_KEY;
            break;
          }
          i++;
          state = VALUE;
          continue;
        }
        if (state === KEY || c !== BRACE_CLOSE) break;
      } else if (c === QUOTE) {
        this.lastString = i;
        i = this.#string(i);
        if (i < 0) break;
        state = AFTER;
        continue;
      } else if (c === BRACE_OPEN || c === BRACKET_OPEN) {
        if (c === BRACE_OPEN) {
          if (objectDepth++ === 0) this.openObject = i;
          stack[open++] = IN_OBJECT;
          state = FIRST_KEY;
        } else {
          stack[open++] = IN_ARRAY;
          state = FIRST_ITEM;
        }
        if (open > this.depth) this.depth = open;
        i++;
        continue;
      } else if (c !== BRACKET_CLOSE || state !== FIRST_ITEM) {
        const end = c === MINUS || isDigit(c) ? this.#number(i) : this.#literal(i, c);
        if (end < 0) break;
        i = end;
        state = AFTER;
        continue;
      }
      // Here `c` is the closer of the innermost container.
      i++;
      if (stack[--open] === IN_OBJECT && --objectDepth === 0) {
        if (inArray) this.objects.push(this.openObject, i);
        this.openObject = -1;
      }
      this.lastClosed = i;
      if (open === 0) {
        this.at = i;
        return true;
      }
      state = AFTER;
    }
    this.at = i < 0 ? this.at : i;
    return false;
  }

  /** The place after the string that begins at `from`; -1, with `at` set, if it is not one. */
  #string(from: number): number {
    const text = this.#text;
    const length = text.length;
    let i = from + 1;
    for (; i < length; i++) {
      const c = text.charCodeAt(i);
      if (c === QUOTE) return i + 1;
      if (c < 0x20) break;
      if (c !== BACKSLASH) continue;
      const escape = text.charCodeAt(++i);
      if (escape === 0x75) {
        if (!isHex4(text, i + 1)) break;
        i += 4;
      } else if (!isEscape(escape)) break;
    }
    this.at = Math.min(i, length);
    return -1;
  }

  #number(from: number): number {
    const text = this.#text;
    let i = from;
    if (text.charCodeAt(i) === MINUS) i++;
    if (!isDigit(text.charCodeAt(i))) return -1;
    if (text.charCodeAt(i) === ZERO) i++;
    else while (isDigit(text.charCodeAt(i))) i++;
    if (text.charCodeAt(i) === DOT) {
      i++;
      if (!isDigit(text.charCodeAt(i))) return -1;
      while (isDigit(text.charCodeAt(i))) i++;
    }
    const e = text.charCodeAt(i);
    if (e === 0x65 || e === 0x45) {
      i++;
      const sign = text.charCodeAt(i);
      if (sign === PLUS || sign === MINUS) i++;
      if (!isDigit(text.charCodeAt(i))) return -1;
      while (isDigit(text.charCodeAt(i))) i++;
    }
    return i;
  }

  #literal(from: number, c: number): number {
    const word = c === 0x74 ? "true" : c === 0x66 ? "false" : c === 0x6e ? "null" : undefined;
    if (word !== undefined && this.#text.startsWith(word, from)) return from + word.length;
    return -1;
  }
}
