// Owns: reading one broken container into a value, listing every repair. One pass forward, an explicit stack, no way back.
// Must never: throw, recurse on the text, or go on after a place that it cannot make sense of.

import type { Json } from "../../value.ts";
import { readBare, valueBegins } from "./bare-value.ts";
import {
  asciiKin,
  BACKTICK,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_OPEN,
  COLON,
  COMMA,
  DOT,
  ELLIPSIS,
  HASH,
  isBlank,
  isCloser,
  isDigit,
  isJsonBlank,
  isKeyChar,
  isLetter,
  isQuote,
  isSeparator,
  MINUS,
  NEWLINE,
  PAREN_CLOSE,
  PAREN_OPEN,
  PLUS,
  QUOTE,
  SEMICOLON,
  SLASH,
} from "./chars.ts";
import { commentEnd } from "./comment.ts";
import { digitGroups } from "./digit-groups.ts";
import { attach, OpenContainers, replaceLast, type OpenContainer } from "./open-containers.ts";
import { RepairLog } from "./repairs.ts";
import type { Source } from "./source.ts";
import { StringEnd, type StringPlace } from "./string-end.ts";
import { stringText } from "./string-text.ts";

type Fence = StringPlace["fence"];

/** How a reading ended. */
export type MendEnd =
  /** The container closed, or a closing fence follows its last value. */
  | "closed"
  /** The text ended inside it. */
  | "broke_off"
  /** A place inside it makes no sense; it ends there. */
  | "cut"
  /** The text ended inside it, but not for want of closers: a string was read wrongly. */
  | "unreadable"
  /** It is no container after all: not one member could be read. */
  | "nothing"
  | "too_deep";

export interface Mended {
  readonly how: MendEnd;
  /** Where reading stopped. */
  readonly end: number;
  /** Where it makes no sense, if it was cut or is unreadable. */
  readonly badAt: number;
  readonly value: Json;
  /** Containers still open at `end`. */
  readonly open: number;
  readonly repairs: RepairLog;
  /** The place of the string that the text broke off in, as keys and indexes. */
  readonly halfString: readonly (string | number)[] | undefined;
  /** The places of keys that were read twice; the last value counts. At most 100. */
  readonly duplicates: readonly (readonly (string | number)[])[];
}

// What may come next.
const KEY = 0;
const VALUE = 1;
const AFTER = 2;

const KEY_REACH = 64;
const DUPLICATES = 100;

/** Mends containers of one text; remembers what it learned about the text between calls. */
export class Mender {
  readonly #source: Source;
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #string: StringEnd;
  /** No triple quotes close from here on; -1 if that is not known. */
  #noTriple = -1;

  #at = 0;
  #state = VALUE;
  #afterComma = false;
  #brokeLine = false;
  /** The last value if it is a string that another one beside it may join. */
  #joins: string | undefined;
  /** A plus was read after that string: the next one joins it also in an array. */
  #plus = false;
  /** Where the last value begins if it is a number without quotes, -1 if not. */
  #numberFrom = -1;
  /** Where the first string begins whose end was guessed, -1 if none was. */
  #guessedAt = -1;
  /** Where other punctuation than JSON's was last read. */
  #kinAt = -1;
  #open = new OpenContainers();
  #repairs = new RepairLog();
  #fence: Fence;
  #halfString: readonly (string | number)[] | undefined;
  #duplicates: (readonly (string | number)[])[] = [];

  constructor(source: Source, maxDepth: number) {
    this.#source = source;
    this.#text = source.text;
    this.#maxDepth = maxDepth;
    this.#string = new StringEnd(source);
  }

  /** Reads the container that opens at `from`. `fence` is the fence around it. */
  read(from: number, fence: Fence): Mended {
    const c = this.#text.charCodeAt(from);
    const kind = asciiKin(c) === BRACE_OPEN ? "object" : "array";
    const root = this.#begin(from, fence, kind);
    if (c !== BRACE_OPEN && c !== BRACKET_OPEN) this.#repairs.add("punctuation", from);
    this.#at++;
    return this.#finish(root, from);
  }

  /** Reads the members of an object whose opening brace is missing; the first key is at `from`. */
  readMembers(from: number, fence: Fence): Mended {
    const root = this.#begin(from, fence, "object");
    this.#repairs.add("missing_opener", from);
    return this.#finish(root, from);
  }

  #begin(from: number, fence: Fence, kind: OpenContainer["kind"]): OpenContainer {
    this.#at = from;
    this.#joins = undefined;
    this.#plus = false;
    this.#numberFrom = -1;
    this.#guessedAt = -1;
    this.#kinAt = -1;
    this.#open = new OpenContainers();
    this.#repairs = new RepairLog();
    this.#fence = fence;
    this.#halfString = undefined;
    this.#duplicates = [];
    return this.#push(kind, kind === "object");
  }

  #finish(root: OpenContainer, from: number): Mended {
    let how = this.#run();
    if (
      how === "broke_off" &&
      this.#guessedAt >= 0 &&
      this.#source.spareClosers(from, this.#text.length) >= 0
    ) {
      // All closers are there: one of them was taken for text of a string.
      how = "unreadable";
    }
    const nothing = root.isEmpty && how !== "closed" && how !== "too_deep";
    if (how === "broke_off") this.#repairs.add("truncated", this.#at);
    this.#repairs.list.sort((a, b) => a.at - b.at);
    this.#source.steps += this.#at - from;
    return {
      how: nothing ? "nothing" : how,
      end: this.#at,
      badAt: how === "unreadable" ? this.#guessedAt : this.#at,
      value: root.value,
      open: this.#open.depth,
      repairs: this.#repairs,
      halfString: this.#halfString,
      duplicates: this.#duplicates,
    };
  }

  #run(): MendEnd {
    const text = this.#text;
    while (this.#open.depth > 0) {
      this.#skip();
      if (this.#at >= text.length) return "broke_off";
      const c = this.#punctuation();
      if (c === BACKTICK && text.startsWith("```", this.#at)) return this.#atFence();
      const stop =
        this.#state === KEY ? this.#key(c) : this.#state === VALUE ? this.#value(c) : this.#after(c);
      if (stop !== undefined) return stop;
    }
    return "closed";
  }

  /** The character here, as the ASCII punctuation that it stands for; a semicolon is a comma where keys are quoted. */
  #punctuation(): number {
    const raw = this.#text.charCodeAt(this.#at);
    let c = asciiKin(raw);
    if (c === SEMICOLON && this.#top.quoted) c = COMMA;
    if (c === raw || isQuote(raw)) return raw;
    if (this.#kinAt !== this.#at) this.#repairs.add("punctuation", this.#at);
    this.#kinAt = this.#at;
    return c;
  }

  get #top(): OpenContainer {
    return this.#open.top;
  }

  // ---- containers

  #push(kind: OpenContainer["kind"], quoted: boolean): OpenContainer {
    this.#afterComma = false;
    this.#state = kind === "object" ? KEY : VALUE;
    return this.#open.push(kind, quoted);
  }

  #enter(kind: OpenContainer["kind"]): MendEnd | undefined {
    if (this.#open.depth >= this.#maxDepth) return "too_deep";
    const parent = this.#top;
    const container = this.#push(kind, parent.quoted);
    if (kind === "tuple") this.#repairs.add("tuple", this.#at);
    this.#at++;
    attach(parent, container.value);
    return undefined;
  }

  #pop(): void {
    this.#open.pop();
    this.#joins = undefined;
    this.#numberFrom = -1;
    this.#state = AFTER;
  }

  /** A closer: of the innermost container, of one further out (what is inside was left open), or of none. */
  #close(c: number): undefined {
    const object = c === BRACE_CLOSE;
    if (!this.#open.holds(object)) {
      this.#repairs.add("stray_closer", this.#at++);
      return;
    }
    if (this.#afterComma) this.#repairs.add("extra_comma", this.#at);
    this.#afterComma = false;
    while ((this.#top.kind === "object") !== object) {
      this.#repairs.add("missing_closer", this.#at);
      this.#pop();
    }
    this.#at++;
    this.#pop();
  }

  #atFence(): MendEnd {
    const whole = this.#state === AFTER || this.#state === KEY || this.#top.kind !== "object";
    if (!whole) return "broke_off";
    for (let open = this.#open.depth; open > 0; open--) this.#repairs.add("missing_closer", this.#at);
    return "closed";
  }

  #put(value: Json, joins?: string): void {
    attach(this.#top, value);
    this.#settle(joins);
  }

  /** A value, or what takes its place, has been read. */
  #settle(joins?: string): void {
    this.#joins = joins;
    this.#plus = false;
    this.#numberFrom = -1;
    this.#afterComma = false;
    this.#state = AFTER;
  }

  // ---- keys

  #key(c: number): MendEnd | undefined {
    if (isCloser(c) || c === PAREN_CLOSE) return this.#close(c);
    if (c === COMMA) {
      this.#repairs.add("extra_comma", this.#at++);
      return undefined;
    }
    if (this.#ellipsis(c)) return undefined;
    return isQuote(c) ? this.#quotedKey(c) : this.#unquotedKey();
  }

  #quotedKey(c: number): MendEnd | undefined {
    const from = this.#at;
    const source = this.#source;
    const end = source.quoteEnd(from);
    if (end < 0 || source.colonLength(source.skipComments(end + 1)) === 0) {
      const short = source.halfQuotedKeyEnd(from, KEY_REACH);
      if (short >= 0) {
        this.#repairs.add("missing_quote", short);
        this.#at = short;
        return this.#colon(this.#text.slice(from + 1, short), true, from);
      }
    }
    if (end < 0) {
      this.#at = this.#text.length;
      return "broke_off";
    }
    if (c !== QUOTE) this.#repairs.add("quotes", from);
    this.#at = end + 1;
    return this.#colon(stringText(source, from + 1, end, c, true, this.#repairs), true, from);
  }

  #unquotedKey(): MendEnd | undefined {
    const from = this.#at;
    const source = this.#source;
    const end = source.keyEnd(from, Infinity);
    if (end === from) return "cut";
    const key = this.#text.slice(from, end);
    this.#at = end;
    if (!isQuote(this.#text.charCodeAt(end)) || !source.colonFollows(end + 1))
      return this.#colon(key, false, from);
    // A key whose opening quote was forgotten.
    this.#repairs.add("missing_quote", from);
    this.#at++;
    return this.#colon(key, true, from);
  }

  #colon(key: string, quoted: boolean, from: number): MendEnd | undefined {
    const text = this.#text;
    this.#skip();
    if (this.#at >= text.length) return "broke_off";
    const c = this.#source.char(this.#at);
    const length = this.#source.colonLength(this.#at);
    if (length > 0) {
      if (text.charCodeAt(this.#at) !== COLON) this.#repairs.add("colon", this.#at);
      this.#at += length;
    } else if (quoted && (isSeparator(c) || isCloser(c))) {
      this.#repairs.add("dropped_text", from);
      this.#settle();
      return undefined;
    } else if (quoted && (isQuote(c) || c === MINUS || isKeyChar(c) || valueBegins(this.#source, this.#at)))
      this.#repairs.add("colon", this.#at);
    else {
      this.#at = from;
      return "cut";
    }
    if (!quoted) this.#repairs.add("unquoted_key", from);
    const container = this.#top;
    container.key = key;
    container.quoted = quoted;
    if (this.#duplicates.length < DUPLICATES && Object.hasOwn(container.value, key))
      this.#duplicates.push(this.#open.path());
    this.#afterComma = false;
    this.#state = VALUE;
    return undefined;
  }

  // ---- values

  #value(c: number): MendEnd | undefined {
    if (isLetter(c) || isDigit(c)) return this.#bare();
    const inObject = this.#top.kind === "object";
    if (c === BRACE_OPEN) return this.#enter("object");
    if (c === BRACKET_OPEN) return this.#enter("array");
    if (c === PAREN_OPEN) return this.#enter("tuple");
    if (isQuote(c)) return this.#stringValue(c);
    if (c === COMMA || isCloser(c) || c === PAREN_CLOSE) {
      if (inObject) {
        this.#repairs.add("missing_value", this.#at);
        this.#put(null);
      } else if (c === COMMA) this.#repairs.add("extra_comma", this.#at++);
      else this.#close(c);
      return undefined;
    }
    if (c === COLON) {
      this.#repairs.add("colon", this.#at++);
      return undefined;
    }
    if (this.#ellipsis(c)) {
      if (!inObject) this.#settle();
      return undefined;
    }
    return this.#bare();
  }

  #stringValue(c: number): MendEnd | undefined {
    const from = this.#at;
    const text = this.#text;
    const triple = text.charCodeAt(from + 1) === c && text.charCodeAt(from + 2) === c;
    if (triple && (this.#noTriple < 0 || from < this.#noTriple)) {
      const end = text.indexOf(text.slice(from, from + 3), from + 3);
      this.#source.steps += (end < 0 ? text.length : end) - from;
      if (end >= 0) {
        this.#repairs.add("triple_quotes", from);
        this.#at = end + 3;
        this.#put(text.slice(from + 3, end), text.slice(from + 3, end));
        return undefined;
      }
      this.#noTriple = from;
    }
    const content = this.#readString(c);
    this.#put(content, content);
    return this.#afterString(from);
  }

  #readString(c: number): string {
    const from = this.#at;
    const end = this.#string;
    end.find(from, this.#place());
    if (c !== QUOTE) this.#repairs.add("quotes", from);
    if (end.innerQuotes > 0) this.#repairs.add("inner_quote", from);
    if ((end.innerQuotes > 0 || end.lostQuote) && this.#guessedAt < 0) this.#guessedAt = from;
    this.#at = end.at;
    return stringText(this.#source, from + 1, end.contentEnd, c, end.closed, this.#repairs);
  }

  #place(): StringPlace {
    const { kind } = this.#top;
    return {
      inObject: kind === "object",
      inTuple: kind === "tuple",
      depth: this.#open.depth,
      fence: this.#fence,
    };
  }

  /** The string from `from`, which was just put, may have ended without a quote. */
  #afterString(from: number): MendEnd | undefined {
    if (!this.#string.closed) {
      if (this.#string.unbalanced) {
        this.#guessedAt = from;
        return "unreadable";
      }
      this.#halfString = this.#open.path();
      return "broke_off";
    }
    if (this.#string.lostQuote) this.#repairs.add("missing_quote", this.#string.contentEnd);
    return undefined;
  }

  /** A value without quotes: a number, a literal, or words up to a comma, a closer or the line's end. */
  #bare(): MendEnd | undefined {
    const from = this.#at;
    const { kind, quoted } = this.#top;
    const bare = readBare(this.#source, from, kind === "object", quoted);
    if (bare.how === "unclear") return this.#lostOpeningQuote(from, bare.end) ? undefined : "cut";
    if (bare.how === "broke_off") {
      this.#at = this.#text.length;
      if (bare.value !== undefined) this.#put(bare.value);
      return "broke_off";
    }
    if (bare.repair !== undefined) this.#repairs.add(bare.repair, from);
    this.#at = bare.end;
    this.#put(bare.value);
    if (typeof bare.value === "number") this.#numberFrom = from;
    return undefined;
  }

  /** Words up to a quote that ends a string: its opening quote was forgotten. */
  #lostOpeningQuote(from: number, quote: number): boolean {
    if (this.#text.charCodeAt(quote) !== QUOTE || !this.#top.quoted || quote === from) return false;
    this.#string.innerQuotes = 0;
    if (!this.#string.canEnd(quote, QUOTE, this.#place(), false)) return false;
    this.#repairs.add("missing_quote", from);
    const content = stringText(this.#source, from, quote, QUOTE, true, this.#repairs);
    this.#at = quote + 1;
    this.#put(content, content);
    return true;
  }

  // ---- after a value

  #after(c: number): MendEnd | undefined {
    const inObject = this.#top.kind === "object";
    if (c === COMMA) return this.#comma(inObject);
    if (isCloser(c) || c === PAREN_CLOSE) return this.#close(c);
    if (this.#ellipsis(c)) return undefined;
    if (c === PLUS && this.#joins !== undefined && isQuote(this.#source.nextChar(this.#at + 1))) {
      this.#at++;
      this.#plus = true;
      return undefined;
    }
    if (isQuote(c)) return this.#quoteAfter(c, inObject);
    if (!inObject && (c === MINUS || valueBegins(this.#source, this.#at))) return this.#supplyComma(VALUE);
    if (inObject && isKeyChar(c) && this.#source.unquotedKeyAt(this.#at, Infinity))
      return this.#supplyComma(KEY);
    return this.#dropRemark();
  }

  #comma(inObject: boolean): undefined {
    const groups =
      inObject && this.#numberFrom >= 0 ? digitGroups(this.#source, this.#numberFrom, this.#at) : undefined;
    if (groups !== undefined) {
      this.#repairs.add("number", this.#numberFrom);
      this.#at = groups.end;
      replaceLast(this.#top, groups.value);
      this.#settle();
      return;
    }
    this.#at++;
    this.#joins = undefined;
    this.#afterComma = true;
    this.#state = inObject ? KEY : VALUE;
  }

  /** A string after a value: the next key or item, or in an object more of the same string. */
  #quoteAfter(c: number, inObject: boolean): MendEnd | undefined {
    if (!inObject && !this.#plus) return this.#supplyComma(VALUE);
    if (inObject && this.#keyBegins()) return this.#supplyComma(KEY);
    if (this.#joins === undefined) return "cut";
    const at = this.#at;
    const joined: string = this.#joins + this.#readString(c);
    this.#repairs.add("joined_strings", at);
    replaceLast(this.#top, joined);
    this.#settle(joined);
    return this.#afterString(at);
  }

  /** Whether the string here is a key: a colon follows it, or a value that is no string. */
  #keyBegins(): boolean {
    const source = this.#source;
    if (source.quotedKeyAt(this.#at)) return true;
    const end = source.quoteEnd(this.#at);
    return end >= 0 && valueBegins(source, source.skipComments(end + 1));
  }

  #supplyComma(state: number): undefined {
    this.#repairs.add("missing_comma", this.#at);
    this.#joins = undefined;
    this.#state = state;
  }

  /** A remark after a value is dropped up to the comma or closer, if that is on the same line. */
  #dropRemark(): MendEnd | undefined {
    const text = this.#text;
    if (this.#brokeLine) return "cut";
    let i = this.#at;
    for (; i < text.length; i++) {
      const c = this.#source.char(i);
      if (c === COMMA || isCloser(c)) break;
      if (c === NEWLINE || isQuote(c) || c === BRACE_OPEN || c === BRACKET_OPEN) return "cut";
    }
    this.#source.steps += i - this.#at;
    if (i >= text.length) return "cut";
    this.#repairs.add("dropped_text", this.#at);
    this.#at = i;
    return undefined;
  }

  // ---- between tokens

  #ellipsis(c: number): boolean {
    const length = c === ELLIPSIS ? 1 : c === DOT && this.#text.startsWith("...", this.#at) ? 3 : 0;
    if (length > 0) this.#repairs.add("ellipsis", this.#at);
    this.#at += length;
    return length > 0;
  }

  /** Skips blanks and comments; notes whether a line ended. */
  #skip(): void {
    const text = this.#text;
    this.#brokeLine = false;
    while (this.#at < text.length) {
      const c = text.charCodeAt(this.#at);
      if (isBlank(c)) {
        if (c === NEWLINE) this.#brokeLine = true;
        else if (!isJsonBlank(c)) this.#repairs.add("blank", this.#at);
        this.#at++;
        continue;
      }
      const end = c === SLASH || c === HASH ? commentEnd(text, this.#at) : -1;
      if (end < 0) return;
      this.#repairs.add("comment", this.#at);
      this.#at = end;
    }
  }
}
