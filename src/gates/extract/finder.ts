// Owns: the one walk over a text that finds every object in it: outside thinking blocks, in fences or not, strict or
// mended. Which of them is the answer is decided in extract.ts.
// Must never: start over inside what a failed read has already been through. A strict read that fails at p is resumed at
// p, or just inside the last string it read, because what looked like a string may have been prose between two quotes.

import type { Json } from "../../value.ts";
import {
  BACKSLASH,
  BACKTICK,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  isBlank,
  isDigit,
  isLetter,
  isOddBlank,
  LESS,
  QUOTE,
  TILDE,
  WIDE_COLON,
} from "./chars.ts";
import { readFenceMark, type Fence } from "./fence.ts";
import { Lookahead } from "./lookahead.ts";
import { Mender, type Mended } from "./mender.ts";
import { Source } from "./source.ts";
import { StrictReader } from "./strict-reader.ts";
import { readThinkingTag } from "./thinking.ts";

/** An object (or, if anything is wanted, an array or scalar) found in the text. */
export interface JsonCandidate {
  readonly start: number;
  readonly end: number;
  readonly fenced: boolean;
  /** Undefined for a strict one, whose value is parsed only when it is asked for. */
  readonly mended: Mended | undefined;
  /** It comes after the place where an object around it was cut off. */
  readonly contained: boolean;
  /** A string that holds JSON: still to be decoded. */
  readonly encoded: boolean;
}

const MENDINGS = 256;

/** Walks one text once; `run` does all the work, the fields hold what was found. */
export class Finder {
  readonly #source: Source;
  readonly #text: string;
  readonly #any: boolean;
  readonly #maxDepth: number;
  readonly #strict: StrictReader;
  readonly #lookahead: Lookahead;
  readonly #mender: Mender;

  /** Visible candidates in text order. After an unclosed opener: from `unclosedFrom` on. */
  readonly candidates: JsonCandidate[] = [];
  /** Index of the first candidate after an opener that was never closed, -1 if every opener was. */
  unclosedFrom = -1;
  tooDeep = false;

  #at = 0;
  #fence: Fence | undefined;
  /** From here to the current place all must be blank for `{}` or a scalar to be the whole; -1: it cannot be. */
  #aloneFrom = 0;
  /** For each open thinking tag: how many candidates were before it, and whether nothing else was. */
  readonly #openers: { readonly before: number; readonly alone: boolean }[] = [];
  /** Closers still due to an object that was cut off; candidates before they are seen are contained in it. */
  #owed = 0;
  #nextClosing = -1;
  /** How often a mended object may still be given up for a closing tag inside it: bounds the reading done twice. */
  #tagRetries = 8;
  /** How many more broken objects are mended. */
  #mendings = MENDINGS;

  constructor(text: string, any: boolean, maxDepth: number) {
    this.#source = new Source(text);
    this.#text = text;
    this.#any = any;
    this.#maxDepth = maxDepth;
    this.#strict = new StrictReader(text);
    this.#lookahead = new Lookahead(this.#source);
    this.#mender = new Mender(this.#source, maxDepth);
  }

  /** Characters looked at in all: the proof of linear time. */
  get steps(): number {
    return this.#source.steps;
  }

  run(): void {
    const text = this.#text;
    const length = text.length;
    while (this.#at < length) {
      const prose = this.#at;
      let from = prose;
      let c = text.charCodeAt(from);
      while (!isMark(c) && ++from < length) c = text.charCodeAt(from);
      this.#source.steps += from - prose + 1;
      this.#at = from;
      if (from >= length) break;
      if (c === BRACE_OPEN) this.#object(from);
      else if (c === BRACKET_OPEN) this.#array(from);
      else if (c === BACKTICK || c === TILDE) this.#fenceMark(from);
      else if (c === LESS) this.#tag(from);
      else {
        if (this.#owed > 0) this.#owed--;
        this.#at++;
      }
    }
    if (this.#fence !== undefined) this.#wholeRegion(this.#fence.contentStart, length, this.#fence.json);
    else if (this.candidates.length === 0 && this.#aloneFrom >= 0 && this.#openers.length === 0)
      this.#wholeRegion(this.#aloneFrom, length, false);
    const opener = this.#openers[0];
    if (opener !== undefined) this.unclosedFrom = opener.before;
  }

  // ---- containers

  #object(start: number): void {
    const strict = this.#strict;
    const next = this.#text.charCodeAt(start + 1);
    let resume = start + 1;
    if (next === BRACE_OPEN || next === BACKSLASH || next === BRACKET_OPEN) {
      this.#at = resume;
      if (this.#owed > 0) this.#owed++;
      return;
    }
    if (next === QUOTE || next === BRACE_CLOSE || isBlank(next)) {
      const whole = strict.read(start);
      this.#source.steps += strict.at - start;
      if (whole) {
        this.#takeStrict(start, strict.at);
        return;
      }
      resume = strict.lastString >= 0 ? strict.lastString + 1 : strict.at;
    }
    const token = this.#isQuotedWord(next) ? resume : this.#lookahead.object(start);
    if (token < 0) this.#mend(start, resume);
    else this.#resume(Math.max(token, resume));
    if (token >= 0 && this.#owed > 0) this.#owed++;
  }

  /** Whether the read just now found no key after the brace, only something in quotes: then a closer look is idle. */
  #isQuotedWord(next: number): boolean {
    if (next !== QUOTE || !this.#strict.noColon) return false;
    const c = this.#text.charCodeAt(this.#strict.at);
    return c !== WIDE_COLON && !isOddBlank(c);
  }

  #array(start: number): void {
    const strict = this.#strict;
    const whole = strict.read(start);
    this.#source.steps += strict.at - start;
    if (whole && this.#any) {
      this.#takeStrict(start, strict.at);
      return;
    }
    if (this.#any && this.#lookahead.array(start)) {
      this.#mend(start, start + 1);
      return;
    }
    const { at, lastString, lastClosed, openObject } = strict;
    const objects = strict.objects.slice();
    for (let i = 0; i < objects.length; i += 2)
      this.#takeStrict(objects[i] as number, objects[i + 1] as number);
    if (whole) this.#at = at;
    else if (openObject >= 0) this.#object(openObject);
    else {
      if (this.#owed > 0) this.#owed++;
      this.#resume(lastString > lastClosed ? lastString + 1 : at);
    }
  }

  #resume(at: number): void {
    this.#at = Math.max(at, this.#at + 1);
  }

  #takeStrict(start: number, end: number): void {
    this.#at = end;
    if (this.#strict.depth > this.#maxDepth) {
      this.tooDeep = true;
      return;
    }
    if (this.#isEmpty(start, end) && !this.#isAlone(start, end)) return;
    this.#take(start, end, undefined);
  }

  #take(start: number, end: number, mended: Mended | undefined, encoded = false): void {
    const fenced = this.#fence?.json ?? false;
    this.candidates.push({ start, end, fenced, mended, contained: this.#owed > 0, encoded });
  }

  /** Mends what opens at `start`; `resume` is where to go on if that turns out to reach over a closing thinking tag. */
  #mend(start: number, resume: number): void {
    if (this.#mendings === 0) {
      this.#resume(resume);
      return;
    }
    this.#mendings--;
    const mended = this.#mender.read(start, this.#fence);
    if (mended.how === "too_deep") {
      this.tooDeep = true;
      this.#at = this.#text.length;
      return;
    }
    if (
      (mended.how !== "closed" || this.#openers.length > 0) &&
      this.#tagRetries > 0 &&
      this.#closingTag(start) < mended.end
    ) {
      this.#tagRetries--;
      this.#resume(resume);
      return;
    }
    this.#resume(mended.end);
    if (mended.how === "nothing") return;
    this.#take(start, mended.end, mended);
    if (mended.how === "cut") this.#owed += mended.open;
  }

  /** The next closing thinking tag at or after `from`, or the text's end. Asked with growing places: one search in all. */
  #closingTag(from: number): number {
    const text = this.#text;
    if (this.#nextClosing >= from) return this.#nextClosing;
    let at = text.indexOf("</", from);
    while (at >= 0 && readThinkingTag(text, at) === undefined) at = text.indexOf("</", at + 2);
    this.#nextClosing = at < 0 ? text.length : at;
    this.#source.steps += this.#nextClosing - from;
    return this.#nextClosing;
  }

  // ---- empty objects and scalars

  #isEmpty(start: number, end: number): boolean {
    return this.#source.skipBlanks(start + 1) === end - 1;
  }

  #isAlone(start: number, end: number): boolean {
    const text = this.#text;
    if (this.#aloneFrom < 0 || !this.#blankBetween(this.#aloneFrom, start)) return false;
    const i = this.#source.skipBlanks(end);
    const fence = this.#fence;
    return i >= text.length || (fence !== undefined && text.charCodeAt(i) === fence.mark);
  }

  /** Reads backwards, so that prose is left at its last character. */
  #blankBetween(from: number, to: number): boolean {
    let i = to - 1;
    while (i >= from && isBlank(this.#text.charCodeAt(i))) i--;
    this.#source.steps += to - i;
    return i < from;
  }

  /** A scalar, or a string that holds JSON, that is all there is from `from` to `to`. */
  #wholeRegion(from: number, to: number, fenced: boolean): void {
    const text = this.#text;
    let i = from;
    while (i < to && isBlank(text.charCodeAt(i))) i++;
    this.#source.steps += i - from;
    const c = text.charCodeAt(i);
    if (i >= to || !(c === QUOTE || c === 0x2d || isDigit(c) || isLetter(c))) return;
    if (!this.#any && c !== QUOTE) return;
    let end = to;
    while (end > i && isBlank(text.charCodeAt(end - 1))) end--;
    let value: Json;
    try {
      value = JSON.parse(text.slice(i, end)) as Json;
    } catch {
      return;
    }
    this.#source.steps += end - i;
    if (!this.#any && !(typeof value === "string" && holdsJson(value))) return;
    const contained = this.#owed > 0;
    this.candidates.push({ start: i, end, fenced, mended: undefined, contained, encoded: !this.#any });
  }

  // ---- fences and tags

  #fenceMark(from: number): void {
    const open = this.#fence;
    const mark = readFenceMark(this.#source, from, open);
    this.#at = mark.end;
    if (mark.what === "nothing") return;
    if (mark.what === "closes") {
      if (open !== undefined && this.#fenceIsBare(open))
        this.#wholeRegion(open.contentStart, from, open.json);
      this.#fence = undefined;
      this.#aloneFrom = -1;
      return;
    }
    this.#fence = mark.fence;
    this.#aloneFrom = mark.end;
  }

  /** No candidate was found in the open fence yet. */
  #fenceIsBare(fence: Fence): boolean {
    const last = this.candidates[this.candidates.length - 1];
    return last === undefined || last.start < fence.contentStart;
  }

  #tag(at: number): void {
    const tag = readThinkingTag(this.#text, at);
    this.#at = tag === undefined ? at + 1 : tag.end;
    if (tag === undefined) return;
    this.#source.steps += tag.end - at;
    if (tag.opens) {
      const alone = this.#aloneFrom >= 0 && this.#blankBetween(this.#aloneFrom, at);
      this.#openers.push({ before: this.candidates.length, alone });
      return;
    }
    const opener = this.#openers.pop();
    this.candidates.length = opener?.before ?? 0;
    if (opener !== undefined && opener.before === 0 && !opener.alone) this.#aloneFrom = -1;
    else this.#aloneFrom = tag.end;
    this.#fence = undefined;
    this.#owed = 0;
  }
}

/** The characters that the walk stops at. */
function isMark(c: number): boolean {
  switch (c) {
    case LESS:
    case BRACKET_OPEN:
    case BRACKET_CLOSE:
    case BACKTICK:
    case BRACE_OPEN:
    case BRACE_CLOSE:
    case TILDE:
      return true;
    default:
      return false;
  }
}

/** Whether a decoded string may hold JSON itself. */
export function holdsJson(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!isBlank(c)) return c === BRACE_OPEN || c === BRACKET_OPEN || c === QUOTE;
  }
  return false;
}
