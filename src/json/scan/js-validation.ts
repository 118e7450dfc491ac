// Owns: the rules of RFC 8259 (and of JSONC) as a machine over bytes that can stop at any byte: the reference that
// the kernel is tested against, and the only judge of where exactly a document first goes wrong.
// Must never: recurse, or look ahead. It keeps one byte for each open container and nothing else.
//
// The fault is: for a token in the wrong place its first byte; inside a token the first byte that cannot go on; for
// invalid UTF-8 the first byte of the bad sequence; for a document that stops too early its size.

import { type Mode, NONE } from "./scanner.ts";

// What may come next. The container is folded into the state, so the stack only remembers what to go back to.
const TOP = 0; // the root value
export const DONE = 1; // nothing but blanks
export const FIRST_ITEM = 2; // value or ]
export const ITEM = 3; // value
export const AFTER_ITEM = 4; // , or ]
export const FIRST_KEY = 5; // key or }
export const KEY = 6; // key
export const BEFORE_COLON = 7; // :
export const VALUE = 8; // member value
export const AFTER_VALUE = 9; // , or }

/** The state once a value that was awaited in the state of that index has been read. */
const AFTER = Uint8Array.of(
  DONE,
  DONE,
  AFTER_ITEM,
  AFTER_ITEM,
  DONE,
  BEFORE_COLON,
  BEFORE_COLON,
  DONE,
  AFTER_VALUE,
  DONE,
);

// Inside which token the machine is.
const BETWEEN = 0;
const STRING = 1;
const ESCAPE = 2;
const HEX = 3;
const UTF8 = 4;
const MINUS = 5;
const ZERO = 6;
const INT = 7;
const DOT = 8;
const FRAC = 9;
const EXP = 10;
const EXP_SIGN = 11;
const EXP_DIGITS = 12;
const WORD = 13;
const SLASH = 14;
const LINE = 15;
const BLOCK = 16;
const BLOCK_STAR = 17;
const BOM = 18;

const NAMES: readonly Inside[] = [
  ...(["nothing", "string", "escape", "hex", "utf8"] as const),
  ...(["number", "number", "number", "number", "number", "number", "number", "number"] as const),
  ...(["word", "comment", "comment", "comment", "comment", "nothing"] as const),
];

const TRUE = Uint8Array.of(0x74, 0x72, 0x75, 0x65);
const FALSE = Uint8Array.of(0x66, 0x61, 0x6c, 0x73, 0x65);
const NULL = Uint8Array.of(0x6e, 0x75, 0x6c, 0x6c);

// Bytes a string can hold without a second look: printable ASCII but quote and backslash.
const PLAIN = new Uint8Array(256);
for (let byte = 0x20; byte < 0x80; byte++) PLAIN[byte] = byte === 0x22 || byte === 0x5c ? 0 : 1;

/** Inside what the machine was when it stopped. */
export type Inside = "nothing" | "string" | "escape" | "hex" | "utf8" | "number" | "word" | "comment";

/** Is told about every container, key and comma: what a message needs and a verdict does not. */
export interface Trace {
  open(at: number, members: boolean): void;
  close(): void;
  key(at: number): void;
  comma(at: number): void;
}

export class JsValidation {
  /** The next byte to look at. */
  at = 0;
  fault: number = NONE;
  /** True when the fault is a container deeper than `maxDepth`. */
  tooDeep = false;
  state: number = TOP;
  /** Where the last string, number, word or comment began. */
  tokenAt = 0;
  readonly #trace: Trace | undefined;
  #lex: number;
  #stack = new Uint8Array(64);
  #depth = 0;
  readonly #maxDepth: number;
  readonly #size: number;
  readonly #jsonc: boolean;
  // Inside a word, a \u escape or a UTF-8 sequence: what remains and where to go back to.
  #word = TRUE;
  #left = 0;
  #low = 0;
  #high = 0;
  #back = BETWEEN;
  #sequenceAt = 0;

  constructor(mode: Mode, size: number, maxDepth: number, trace?: Trace) {
    this.#trace = trace;
    this.#size = size;
    this.#maxDepth = maxDepth;
    this.#jsonc = mode === "jsonc";
    this.#lex = mode === "strict" ? BETWEEN : BOM;
  }

  get depth(): number {
    return this.#depth;
  }

  get inside(): Inside {
    return NAMES[this.#lex] ?? "nothing";
  }

  /** Judges `bytes`, which hold the document from `lo` to `hi`, going on from `at`. False: `fault` is set. */
  feed(bytes: Uint8Array, lo: number, hi: number): boolean {
    let i = this.at - lo;
    const stop = hi - lo;
    while (i < stop) {
      if (this.#lex === STRING) {
        while (i < stop && PLAIN[bytes[i] ?? 0] === 1) i++;
        if (i === stop) break;
      }
      const byte = bytes[i] ?? 0;
      if (this.#lex === BETWEEN) {
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
          i++;
          continue;
        }
        if (!this.#token(byte, lo + i)) return this.#fail(lo + i);
        i++;
        continue;
      }
      const step = this.#inside(byte, lo + i);
      if (step < 0)
        return this.#fail(
          this.#lex === UTF8 ? this.#sequenceAt : this.#lex === SLASH ? this.tokenAt : lo + i,
        );
      i += step;
    }
    this.at = lo + i;
    return true;
  }

  #fail(at: number): false {
    this.fault = at;
    return false;
  }

  /** Judges the end of the document: NONE when it is valid, else the fault. */
  finish(): number {
    const lex = this.#lex;
    if (lex === ZERO || lex === INT || lex === FRAC || lex === EXP_DIGITS) this.#endScalar();
    else if (lex === UTF8) this.fault = this.#sequenceAt;
    else if (lex === SLASH) this.fault = this.tokenAt;
    else if (lex !== BETWEEN && lex !== LINE && lex !== BOM) this.fault = this.#size;
    if (this.fault === NONE && this.state !== DONE) this.fault = this.#size;
    return this.fault;
  }

  #endScalar(): void {
    this.#lex = BETWEEN;
    this.state = AFTER[this.state] ?? DONE;
  }

  /** Takes the first byte of a token. */
  #token(byte: number, at: number): boolean {
    const state = this.state;
    const value = state === TOP || state === FIRST_ITEM || state === ITEM || state === VALUE;
    switch (byte) {
      case 0x22:
        if (!value && state !== FIRST_KEY && state !== KEY) return false;
        if (!value) this.#trace?.key(at);
        this.state = AFTER[state] ?? DONE;
        this.tokenAt = at;
        this.#lex = STRING;
        return true;
      case 0x7b:
        return value && this.#open(AFTER[state] ?? DONE, FIRST_KEY, at);
      case 0x5b:
        return value && this.#open(AFTER[state] ?? DONE, FIRST_ITEM, at);
      case 0x7d:
        return (
          (state === FIRST_KEY || state === AFTER_VALUE || (state === KEY && this.#jsonc)) && this.#close()
        );
      case 0x5d:
        return (
          (state === FIRST_ITEM || state === AFTER_ITEM || (state === ITEM && this.#jsonc)) && this.#close()
        );
      case 0x3a:
        if (state !== BEFORE_COLON) return false;
        this.state = VALUE;
        return true;
      case 0x2c:
        if (state !== AFTER_ITEM && state !== AFTER_VALUE) return false;
        this.state = state === AFTER_ITEM ? ITEM : KEY;
        this.#trace?.comma(at);
        return true;
      case 0x2f:
        if (!this.#jsonc) return false;
        this.tokenAt = at;
        this.#lex = SLASH;
        return true;
      default:
        this.tokenAt = at;
        return value && this.#scalar(byte);
    }
  }

  #scalar(byte: number): boolean {
    if (byte === 0x2d) this.#lex = MINUS;
    else if (byte === 0x30) this.#lex = ZERO;
    else if (byte > 0x30 && byte <= 0x39) this.#lex = INT;
    else {
      if (byte === 0x74) this.#word = TRUE;
      else if (byte === 0x66) this.#word = FALSE;
      else if (byte === 0x6e) this.#word = NULL;
      else return false;
      this.#left = 1;
      this.#lex = WORD;
    }
    return true;
  }

  #open(after: number, inside: number, at: number): boolean {
    if (this.#depth >= this.#maxDepth) {
      this.tooDeep = true;
      return false;
    }
    if (this.#depth === this.#stack.length) {
      const grown = new Uint8Array(this.#stack.length * 2);
      grown.set(this.#stack);
      this.#stack = grown;
    }
    this.#stack[this.#depth++] = after;
    this.state = inside;
    this.#trace?.open(at, inside === FIRST_KEY);
    return true;
  }

  #close(): boolean {
    this.state = this.#stack[--this.#depth] ?? DONE;
    this.#trace?.close();
    return true;
  }

  /** Takes a byte inside a token: how many bytes it used (0: the token ended before it), or -1 for a fault. */
  #inside(byte: number, at: number): number {
    const digit = byte >= 0x30 && byte <= 0x39;
    switch (this.#lex) {
      case STRING:
        if (byte === 0x22) this.#lex = BETWEEN;
        else if (byte === 0x5c) this.#lex = ESCAPE;
        else if (byte < 0x20) return -1;
        else return this.#multibyte(byte, at);
        return 1;
      case ESCAPE:
        if (byte === 0x75) {
          this.#lex = HEX;
          this.#left = 4;
          return 1;
        }
        if (!isEscape(byte)) return -1;
        this.#lex = STRING;
        return 1;
      case HEX:
        if (!digit && !((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)) return -1;
        if (--this.#left === 0) this.#lex = STRING;
        return 1;
      case UTF8:
        if (byte < this.#low || byte > this.#high) return -1;
        this.#low = 0x80;
        this.#high = 0xbf;
        if (--this.#left === 0) this.#lex = this.#back;
        return 1;
      case WORD:
        if (byte !== this.#word[this.#left]) return -1;
        if (++this.#left === this.#word.length) this.#endScalar();
        return 1;
      case BOM:
        return this.#bom(byte, at);
      case SLASH:
        if (byte !== 0x2f && byte !== 0x2a) return -1;
        this.#lex = byte === 0x2f ? LINE : BLOCK;
        return 1;
      case LINE:
        if (byte === 0x0a || byte === 0x0d) this.#lex = BETWEEN;
        else if (byte >= 0x80) return this.#multibyte(byte, at);
        return 1;
      case BLOCK:
      case BLOCK_STAR:
        if (byte >= 0x80) {
          this.#lex = BLOCK;
          return this.#multibyte(byte, at);
        }
        if (byte === 0x2a) this.#lex = BLOCK_STAR;
        else this.#lex = this.#lex === BLOCK_STAR && byte === 0x2f ? BETWEEN : BLOCK;
        return 1;
      default:
        return this.#number(byte, digit);
    }
  }

  #number(byte: number, digit: boolean): number {
    const exponent = byte === 0x65 || byte === 0x45;
    switch (this.#lex) {
      case MINUS:
        if (!digit) return -1;
        this.#lex = byte === 0x30 ? ZERO : INT;
        return 1;
      case ZERO:
      case INT:
        if (digit) return this.#lex === ZERO ? -1 : 1;
        if (byte === 0x2e) this.#lex = DOT;
        else if (exponent) this.#lex = EXP;
        else this.#endScalar();
        return this.#lex === BETWEEN ? 0 : 1;
      case DOT:
        this.#lex = FRAC;
        return digit ? 1 : -1;
      case FRAC:
        if (digit) return 1;
        if (exponent) this.#lex = EXP;
        else this.#endScalar();
        return exponent ? 1 : 0;
      case EXP:
        if (byte === 0x2b || byte === 0x2d) {
          this.#lex = EXP_SIGN;
          return 1;
        }
        this.#lex = EXP_DIGITS;
        return digit ? 1 : -1;
      case EXP_SIGN:
        this.#lex = EXP_DIGITS;
        return digit ? 1 : -1;
      default:
        if (digit) return 1;
        this.#endScalar();
        return 0;
    }
  }

  /** The first bytes of the document, where a byte order mark may be. */
  #bom(byte: number, at: number): number {
    this.#lex = BETWEEN;
    if (byte !== 0xef) return 0;
    this.#sequenceAt = at;
    this.#lex = UTF8;
    this.#back = BETWEEN;
    this.#left = 2;
    this.#low = this.#high = 0xbb;
    return 1;
  }

  /** Takes the first byte of a UTF-8 sequence. The second byte's range rules out overlong forms and surrogates. */
  #multibyte(byte: number, at: number): number {
    if (byte < 0xc2 || byte > 0xf4) return byte < 0x80 ? 1 : -1;
    this.#sequenceAt = at;
    this.#back = this.#lex;
    this.#left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    this.#lex = UTF8;
    return 1;
  }
}

function isEscape(byte: number): boolean {
  switch (byte) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}
