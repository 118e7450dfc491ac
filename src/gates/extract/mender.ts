// Owns: reading one broken container into a value, listing every repair. One pass forward, an explicit stack, no way back.
// Must never: throw, recurse on the text, or go on after a place that it cannot make sense of.

import type { Json } from "../../value.ts";
import { readBare } from "./bare-value.ts";
import {
  BACKTICK,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COLON,
  COMMA,
  DOT,
  ELLIPSIS,
  EQUALS,
  GREATER,
  HASH,
  isBlank,
  isDigit,
  isJsonBlank,
  isLetter,
  isKeyChar,
  isQuote,
  MINUS,
  NEWLINE,
  PAREN_CLOSE,
  PAREN_OPEN,
  PLUS,
  QUOTE,
  SLASH,
  WIDE_COLON,
} from "./chars.ts";
import { commentEnd } from "./comment.ts";
import { attach, OpenContainers, type OpenContainer } from "./open-containers.ts";
import type { Source } from "./source.ts";
import { StringEnd, type StringPlace } from "./string-end.ts";
import { stringText } from "./string-text.ts";
import { RepairLog } from "./repairs.ts";

type Fence = StringPlace["fence"];

/** How a reading ended. */
export type MendEnd =
  /** The container closed, or a closing fence follows its last value. */
  | "closed"
  /** The text ended inside it. */
  | "broke_off"
  /** A place inside it makes no sense; it ends there. */
  | "cut"
  /** It is no container after all: not one member could be read. */
  | "nothing"
  | "too_deep";

export interface Mended {
  readonly how: MendEnd;
  /** Where reading stopped. */
  readonly end: number;
  readonly value: Json;
  /** Containers still open at `end`. */
  readonly open: number;
  readonly repairs: RepairLog;
}

// What may come next.
const KEY = 0;
const VALUE = 1;
const AFTER = 2;

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
  /** The last value if it is a string: another one beside it joins it. */
  #joins: string | undefined;
  #open = new OpenContainers();
  #repairs = new RepairLog();
  #fence: Fence;

  constructor(source: Source, maxDepth: number) {
    this.#source = source;
    this.#text = source.text;
    this.#maxDepth = maxDepth;
    this.#string = new StringEnd(source);
  }

  /** Reads the container that opens at `from`. `fence` is the fence around it. */
  read(from: number, fence: Fence): Mended {
    this.#at = from;
    this.#state = VALUE;
    this.#afterComma = false;
    this.#joins = undefined;
    this.#open = new OpenContainers();
    this.#repairs = new RepairLog();
    this.#fence = fence;
    const kind = this.#text.charCodeAt(from) === BRACE_OPEN ? "object" : "array";
    const root = this.#push(kind, kind === "object");
    const how = this.#run();
    const nothing = root.isEmpty && how !== "closed" && how !== "too_deep";
    if (how === "broke_off" || how === "cut") this.#repairs.add("truncated", this.#at);
    this.#repairs.list.sort((a, b) => a.at - b.at);
    this.#source.steps += this.#at - from;
    return {
      how: nothing ? "nothing" : how,
      end: this.#at,
      value: root.value,
      open: this.#open.depth,
      repairs: this.#repairs,
    };
  }

  #run(): MendEnd {
    const text = this.#text;
    while (this.#open.depth > 0) {
      this.#skip();
      if (this.#at >= text.length) return "broke_off";
      const c = text.charCodeAt(this.#at);
      if (c === BACKTICK && text.startsWith("```", this.#at)) return this.#atFence();
      const stop =
        this.#state === KEY ? this.#key(c) : this.#state === VALUE ? this.#value(c) : this.#after(c);
      if (stop !== undefined) return stop;
    }
    return "closed";
  }

  get #top(): OpenContainer {
    return this.#open.top;
  }

  // ---- containers

  #push(kind: OpenContainer["kind"], quoted: boolean): OpenContainer {
    const frame = this.#open.push(kind, quoted);
    this.#at++;
    this.#afterComma = false;
    this.#state = kind === "object" ? KEY : VALUE;
    return frame;
  }

  #enter(kind: OpenContainer["kind"]): MendEnd | undefined {
    if (this.#open.depth >= this.#maxDepth) return "too_deep";
    const parent = this.#top;
    const at = this.#at;
    const frame = this.#push(kind, parent.quoted);
    if (kind === "tuple") this.#repairs.add("tuple", at);
    attach(parent, frame.value);
    return undefined;
  }

  #pop(): void {
    this.#open.pop();
    this.#state = AFTER;
    this.#joins = undefined;
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
    this.#joins = joins;
    this.#afterComma = false;
    this.#state = AFTER;
  }

  // ---- keys

  #key(c: number): MendEnd | undefined {
    if (c === BRACE_CLOSE || c === BRACKET_CLOSE || c === PAREN_CLOSE) return this.#close(c);
    if (c === COMMA) {
      this.#repairs.add("extra_comma", this.#at++);
      return undefined;
    }
    if (this.#ellipsis(c)) return undefined;
    const from = this.#at;
    const quoted = isQuote(c);
    let key: string;
    if (quoted) {
      const end = this.#source.quoteEnd(from);
      if (end < 0) {
        this.#at = this.#text.length;
        return "broke_off";
      }
      if (c !== QUOTE) this.#repairs.add("quotes", from);
      key = stringText(this.#source, from + 1, end, c, true, this.#repairs);
      this.#at = end + 1;
    } else {
      const end = this.#source.keyEnd(from, Infinity);
      if (end === from) return "cut";
      key = this.#text.slice(from, end);
      this.#at = end;
    }
    return this.#colon(key, quoted, from);
  }

  #colon(key: string, quoted: boolean, from: number): MendEnd | undefined {
    const text = this.#text;
    this.#skip();
    if (this.#at >= text.length) return "broke_off";
    const c = text.charCodeAt(this.#at);
    if (c === COLON) this.#at++;
    else if (c === WIDE_COLON || c === EQUALS) {
      this.#repairs.add("colon", this.#at++);
      if (c === EQUALS && text.charCodeAt(this.#at) === GREATER) this.#at++;
    } else if (quoted && (c === COMMA || c === BRACE_CLOSE || c === BRACKET_CLOSE)) {
      this.#repairs.add("dropped_text", from);
      this.#joins = undefined;
      this.#afterComma = false;
      this.#state = AFTER;
      return undefined;
    } else if (
      quoted &&
      (isQuote(c) || isDigit(c) || c === MINUS || c === BRACE_OPEN || c === BRACKET_OPEN || isKeyChar(c))
    )
      this.#repairs.add("colon", this.#at);
    else {
      this.#at = from;
      return "cut";
    }
    if (!quoted) this.#repairs.add("unquoted_key", from);
    const frame = this.#top;
    frame.key = key;
    frame.quoted = quoted;
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
    if (c === COMMA || c === BRACE_CLOSE || c === BRACKET_CLOSE || c === PAREN_CLOSE) {
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
      if (!inObject) {
        this.#afterComma = false;
        this.#joins = undefined;
        this.#state = AFTER;
      }
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
    if (!this.#string.closed) return "broke_off";
    if (this.#string.lostQuote) this.#repairs.add("missing_quote", this.#string.contentEnd);
    if (this.#string.beforeKey) {
      this.#repairs.add("missing_quote", this.#string.contentEnd);
      if (!this.#string.commaBeforeKey) this.#repairs.add("missing_comma", this.#string.contentEnd);
      this.#state = KEY;
    }
    return undefined;
  }

  #readString(c: number): string {
    const from = this.#at;
    const { kind } = this.#top;
    const end = this.#string;
    end.find(from, {
      inObject: kind === "object",
      inTuple: kind === "tuple",
      depth: this.#open.depth,
      fence: this.#fence,
    });
    if (c !== QUOTE) this.#repairs.add("quotes", from);
    if (end.innerQuotes > 0) this.#repairs.add("inner_quote", from);
    this.#at = end.at;
    return stringText(this.#source, from + 1, end.contentEnd, c, end.closed, this.#repairs);
  }

  /** A value without quotes: a number, a literal, or words up to a comma, a closer or the line's end. */
  #bare(): MendEnd | undefined {
    const from = this.#at;
    const { kind, quoted } = this.#top;
    const bare = readBare(this.#source, from, kind === "object", quoted);
    if (bare.how === "unclear") return "cut";
    if (bare.how === "broke_off") {
      this.#at = this.#text.length;
      if (bare.value !== undefined) this.#put(bare.value);
      return "broke_off";
    }
    if (bare.repair !== undefined) this.#repairs.add(bare.repair, from);
    this.#at = bare.end;
    this.#put(bare.value);
    return undefined;
  }

  // ---- after a value

  #after(c: number): MendEnd | undefined {
    const inObject = this.#top.kind === "object";
    if (c === COMMA) {
      this.#at++;
      this.#afterComma = true;
      this.#joins = undefined;
      this.#state = inObject ? KEY : VALUE;
      return undefined;
    }
    if (c === BRACE_CLOSE || c === BRACKET_CLOSE || c === PAREN_CLOSE) return this.#close(c);
    if (this.#ellipsis(c)) return undefined;
    if (c === PLUS && this.#joins !== undefined && isQuote(this.#source.nextChar(this.#at + 1))) {
      this.#at++;
      return undefined;
    }
    if (isQuote(c)) return this.#quoteAfter(c, inObject);
    const startsValue = isDigit(c) || c === MINUS || c === BRACE_OPEN || c === BRACKET_OPEN;
    if (!inObject && startsValue) return this.#supplyComma(VALUE);
    if (inObject && isKeyChar(c)) {
      const end = this.#source.keyEnd(this.#at, Infinity);
      if (this.#source.nextChar(end) === COLON) return this.#supplyComma(KEY);
    }
    return this.#dropRemark();
  }

  #quoteAfter(c: number, inObject: boolean): MendEnd | undefined {
    const end = this.#source.quoteEnd(this.#at);
    if (inObject && end >= 0 && this.#source.colonFollows(end + 1)) return this.#supplyComma(KEY);
    if (this.#joins === undefined) return inObject ? "cut" : this.#supplyComma(VALUE);
    const at = this.#at;
    const joined: string = this.#joins + this.#readString(c);
    this.#repairs.add("joined_strings", at);
    const frame = this.#top;
    if (Array.isArray(frame.value)) frame.value.pop();
    this.#put(joined, joined);
    return this.#string.closed ? undefined : "broke_off";
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
      const c = text.charCodeAt(i);
      if (c === COMMA || c === BRACE_CLOSE || c === BRACKET_CLOSE) break;
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
