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
  isCloser,
  isDigit,
  isKeyChar,
  isLetter,
  isQuote,
  MINUS,
  PAREN_CLOSE,
  PAREN_OPEN,
  PLUS,
} from "./chars.ts";
import { digitGroups } from "./digit-groups.ts";
import { attach, OpenContainers, replaceLast, type OpenContainer } from "./open-containers.ts";
import { MendCursor } from "./mend-cursor.ts";
import type { Mended, MendEnd } from "./mended.ts";
import { keyBegins, readKey, type KeyRead } from "./mend-key.ts";
import { MendStrings } from "./mend-string.ts";
import type { Source } from "./source.ts";
import type { StringPlace } from "./string-end.ts";

type Fence = StringPlace["fence"];

// What may come next.
const KEY = 0;
const VALUE = 1;
const AFTER = 2;

const DUPLICATES = 100;

/** Mends containers of one text; remembers what it learned about the text between calls. */
export class Mender {
  readonly #cursor: MendCursor;
  readonly #source: Source;
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #noteDuplicates: boolean;
  readonly #strings: MendStrings;

  #state = VALUE;
  #afterComma = false;
  /** The last value if it is a string that another one beside it may join. */
  #joins: string | undefined;
  /** A plus was read after that string: the next one joins it also in an array. */
  #plus = false;
  /** Where the last value begins if it is a number without quotes, -1 if not. */
  #numberFrom = -1;
  #open = new OpenContainers();
  #fence: Fence;
  #halfString: readonly (string | number)[] | undefined;
  #duplicates: (readonly (string | number)[])[] = [];

  constructor(source: Source, maxDepth: number, noteDuplicates: boolean) {
    this.#cursor = new MendCursor(source);
    this.#noteDuplicates = noteDuplicates;
    this.#source = source;
    this.#text = source.text;
    this.#maxDepth = maxDepth;
    this.#strings = new MendStrings(this.#cursor);
  }

  /** Reads the container that opens at `from`. `fence` is the fence around it. */
  read(from: number, fence: Fence): Mended {
    const c = this.#text.charCodeAt(from);
    const kind = asciiKin(c) === BRACE_OPEN ? "object" : "array";
    const root = this.#begin(from, fence, kind);
    if (c !== BRACE_OPEN && c !== BRACKET_OPEN) this.#cursor.repairs.add("punctuation", from);
    this.#cursor.at++;
    return this.#finish(root, from);
  }

  /** Reads the members of an object whose opening brace is missing; the first key is at `from`. */
  readMembers(from: number, fence: Fence): Mended {
    const root = this.#begin(from, fence, "object");
    this.#cursor.repairs.add("missing_opener", from);
    return this.#finish(root, from);
  }

  #begin(from: number, fence: Fence, kind: OpenContainer["kind"]): OpenContainer {
    this.#cursor.begin(from);
    this.#joins = undefined;
    this.#plus = false;
    this.#numberFrom = -1;
    this.#strings.guessedAt = -1;
    this.#open = new OpenContainers();
    this.#fence = fence;
    this.#halfString = undefined;
    this.#duplicates = [];
    return this.#push(kind, kind === "object");
  }

  #finish(root: OpenContainer, from: number): Mended {
    let how = this.#run();
    const guessedAt = this.#strings.guessedAt >= 0 ? this.#strings.guessedAt : this.#cursor.lastComment;
    if (how === "broke_off" && guessedAt >= 0 && this.#source.spareClosers(from, this.#text.length) >= 0) {
      // All closers are there: one of them was taken for text of a string or a comment.
      how = "unreadable";
    }
    const nothing = root.isEmpty && how !== "closed" && how !== "too_deep";
    if (how === "broke_off") this.#cursor.repairs.add("truncated", this.#cursor.at);
    this.#cursor.repairs.list.sort((a, b) => a.at - b.at);
    this.#source.steps += this.#cursor.at - from;
    return {
      how: nothing ? "nothing" : how,
      end: this.#cursor.at,
      badAt: how === "unreadable" ? guessedAt : this.#cursor.at,
      value: root.value,
      keyed: root.quoted && this.#state === VALUE && root.kind === "object",
      open: this.#open.depth,
      repairs: this.#cursor.repairs,
      halfString: this.#halfString,
      duplicates: this.#duplicates,
    };
  }

  #run(): MendEnd {
    const text = this.#text;
    while (this.#open.depth > 0) {
      this.#cursor.skip(this.#open.depth);
      if (this.#cursor.at >= text.length) return "broke_off";
      const c = this.#cursor.punctuation(this.#top.quoted);
      if (c === BACKTICK && text.startsWith("```", this.#cursor.at)) return this.#atFence();
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
    this.#afterComma = false;
    this.#state = kind === "object" ? KEY : VALUE;
    return this.#open.push(kind, quoted);
  }

  #enter(kind: OpenContainer["kind"]): MendEnd | undefined {
    if (this.#open.depth >= this.#maxDepth) return "too_deep";
    const parent = this.#top;
    const container = this.#push(kind, parent.quoted);
    if (kind === "tuple") this.#cursor.repairs.add("tuple", this.#cursor.at);
    this.#cursor.at++;
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
      this.#cursor.repairs.add("stray_closer", this.#cursor.at++);
      return;
    }
    if (this.#afterComma) this.#cursor.repairs.add("extra_comma", this.#cursor.at);
    this.#afterComma = false;
    while ((this.#top.kind === "object") !== object) {
      this.#cursor.repairs.add("missing_closer", this.#cursor.at);
      this.#pop();
    }
    this.#cursor.at++;
    this.#pop();
  }

  #atFence(): MendEnd {
    if (this.#cursor.lastComment >= 0) return "broke_off";
    const whole = this.#state === AFTER || this.#state === KEY || this.#top.kind !== "object";
    if (!whole) return "broke_off";
    for (let open = this.#open.depth; open > 0; open--)
      this.#cursor.repairs.add("missing_closer", this.#cursor.at);
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
      this.#cursor.repairs.add("extra_comma", this.#cursor.at++);
      return undefined;
    }
    if (this.#cursor.ellipsis(c)) return undefined;
    return this.#member(readKey(this.#cursor, c));
  }

  #member(read: KeyRead): MendEnd | undefined {
    if (read === "dropped") {
      this.#settle();
      return undefined;
    }
    if (typeof read === "string") return read;
    const container = this.#top;
    container.key = read.key;
    container.quoted = read.quoted;
    if (
      this.#noteDuplicates &&
      this.#duplicates.length < DUPLICATES &&
      Object.hasOwn(container.value, read.key)
    )
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
        this.#cursor.repairs.add("missing_value", this.#cursor.at);
        this.#put(null);
      } else if (c === COMMA) this.#cursor.repairs.add("extra_comma", this.#cursor.at++);
      else this.#close(c);
      return undefined;
    }
    if (c === COLON) {
      this.#cursor.repairs.add("colon", this.#cursor.at++);
      return undefined;
    }
    if (this.#cursor.ellipsis(c)) {
      if (!inObject) this.#settle();
      return undefined;
    }
    return this.#bare();
  }

  #stringValue(c: number): MendEnd | undefined {
    const from = this.#cursor.at;
    const triple = this.#strings.triple(c);
    const content = triple ?? this.#strings.read(c, this.#open.place(this.#fence));
    this.#put(content, content);
    return triple === undefined ? this.#afterString(from) : undefined;
  }

  /** The string from `from`, which was just put, may have ended without a quote. */
  #afterString(from: number): MendEnd | undefined {
    const ending = this.#strings.ending(from);
    if (ending === "broke_off") this.#halfString = this.#open.path();
    return ending;
  }

  /** A value without quotes: a number, a literal, or words up to a comma, a closer or the line's end. */
  #bare(): MendEnd | undefined {
    const from = this.#cursor.at;
    const { kind, quoted } = this.#top;
    const bare = readBare(this.#source, from, kind === "object", quoted);
    if (bare.how === "unclear") {
      const content = quoted
        ? this.#strings.withoutOpener(bare.end, this.#open.place(this.#fence))
        : undefined;
      if (content === undefined) return "cut";
      this.#put(content, content);
      return undefined;
    }
    if (bare.how === "broke_off") {
      this.#cursor.at = this.#text.length;
      if (bare.value !== undefined) this.#put(bare.value);
      return "broke_off";
    }
    if (bare.repair !== undefined) this.#cursor.repairs.add(bare.repair, from);
    this.#cursor.at = bare.end;
    this.#put(bare.value);
    if (typeof bare.value === "number") this.#numberFrom = from;
    return undefined;
  }

  // ---- after a value

  #after(c: number): MendEnd | undefined {
    const inObject = this.#top.kind === "object";
    if (c === COMMA) return this.#comma(inObject);
    if (isCloser(c) || c === PAREN_CLOSE) return this.#close(c);
    if (this.#cursor.ellipsis(c)) return undefined;
    if (c === PLUS && this.#joins !== undefined && isQuote(this.#source.nextChar(this.#cursor.at + 1))) {
      this.#cursor.at++;
      this.#plus = true;
      return undefined;
    }
    if (isQuote(c)) return this.#quoteAfter(c, inObject);
    if (!inObject && (c === MINUS || valueBegins(this.#source, this.#cursor.at)))
      return this.#supplyComma(VALUE);
    if (inObject && isKeyChar(c) && this.#source.unquotedKeyAt(this.#cursor.at, Infinity))
      return this.#supplyComma(KEY);
    return this.#cursor.remark() ? undefined : "cut";
  }

  #comma(inObject: boolean): undefined {
    const groups =
      inObject && this.#numberFrom >= 0
        ? digitGroups(this.#source, this.#numberFrom, this.#cursor.at)
        : undefined;
    if (groups !== undefined) {
      this.#cursor.repairs.add("number", this.#numberFrom);
      this.#cursor.at = groups.end;
      replaceLast(this.#top, groups.value);
      this.#settle();
      return;
    }
    this.#cursor.at++;
    this.#joins = undefined;
    this.#afterComma = true;
    this.#state = inObject ? KEY : VALUE;
  }

  /** A string after a value: the next key or item, or in an object more of the same string. */
  #quoteAfter(c: number, inObject: boolean): MendEnd | undefined {
    if (!inObject && !this.#plus) return this.#supplyComma(VALUE);
    if (inObject && keyBegins(this.#source, this.#cursor.at)) return this.#supplyComma(KEY);
    if (this.#joins === undefined) return "cut";
    const at = this.#cursor.at;
    const joined: string = this.#joins + this.#strings.read(c, this.#open.place(this.#fence));
    this.#cursor.repairs.add("joined_strings", at);
    replaceLast(this.#top, joined);
    this.#settle(joined);
    return this.#afterString(at);
  }

  #supplyComma(state: number): undefined {
    this.#cursor.repairs.add("missing_comma", this.#cursor.at);
    this.#joins = undefined;
    this.#state = state;
  }
}
