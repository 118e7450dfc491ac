// Owns: the one walk over a text that finds every object in it: outside thinking blocks, in fences or not, strict or
// mended. Which of them is the answer is decided in extract.ts.
// Must never: start over inside what a failed read has already been through. A strict read that fails at p is resumed at
// p, or just inside the last string it read, because what looked like a string may have been prose between two quotes.

import {
  BACKSLASH,
  BACKTICK,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_OPEN,
  isBlank,
  isCloser,
  isMark,
  LESS,
  QUOTE,
  TILDE,
} from "./chars.ts";
import type { JsonObject } from "../../value.ts";
import type { JsonCandidate } from "./candidate.ts";
import { readFenceMark, type Fence } from "./fence.ts";
import { Lookahead } from "./lookahead.ts";
import type { Mended } from "./mended.ts";
import { Mender } from "./mender.ts";
import { OwedClosers } from "./owed-closers.ts";
import { Source } from "./source.ts";
import { StrictReader } from "./strict-reader.ts";
import { readThinkingMark } from "./thinking.ts";
import { wholeValue } from "./whole-value.ts";

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
  /** The first object that begins with a key and of which nothing could be read, though it closes: where it is, and where it makes no sense. */
  unread: { readonly start: number; readonly badAt: number } | undefined;

  #at = 0;
  #fence: Fence | undefined;
  /** From here to the current place all must be blank for `{}` or a scalar to be the whole; -1: it cannot be. */
  #aloneFrom = 0;
  /** For each open thinking mark: how many candidates were before it, and whether nothing else was. */
  readonly #openers: { readonly before: number; readonly alone: boolean; readonly channel: boolean }[] = [];
  /** Candidates before a closing thinking mark that has no opener: they count only if none follows it. */
  #hidden: readonly JsonCandidate[] = [];
  readonly #owed = new OwedClosers();
  #nextClosing = -1;
  /** How often a mended object may still be given up for a closing tag inside it: bounds the reading done twice. */
  #tagRetries = 8;
  /** How many more broken objects are mended. */
  #mendings = MENDINGS;
  /** The closers after one such object have been counted: not done again. */
  #isUnreadNoted = false;

  constructor(text: string, any: boolean, maxDepth: number, noteDuplicates: boolean) {
    this.#source = new Source(text);
    this.#text = text;
    this.#any = any;
    this.#maxDepth = maxDepth;
    this.#strict = new StrictReader(text);
    this.#lookahead = new Lookahead(this.#source);
    this.#mender = new Mender(this.#source, maxDepth, noteDuplicates);
  }

  /** Characters looked at in all: the proof of linear time. */
  get steps(): number {
    return this.#source.steps;
  }

  run(): void {
    const text = this.#text;
    const length = text.length;
    const prefilled = this.#prefilled();
    while (this.#at < length) {
      const prose = this.#at;
      let from = prose;
      let c = text.charCodeAt(from);
      while (!isMark(c) && ++from < length) c = text.charCodeAt(from);
      this.#source.steps += from - prose + 1;
      this.#at = from;
      if (from >= length) break;
      if (c === BACKTICK || c === TILDE) this.#fenceMark(from);
      else if (isCloser(c)) {
        this.#owed.close();
        this.#at++;
      } else if ((c === LESS || c === BRACKET_OPEN) && this.#thinkingMark(from)) continue;
      else if (c === LESS) this.#at++;
      else if (this.#owed.isTooDeep) {
        this.#owed.open();
        this.#at++;
      } else if (c === BRACKET_OPEN) this.#array(from);
      else this.#object(from);
    }
    this.#endOfRegion(length);
    if (this.candidates.length === 0 && prefilled !== undefined)
      this.#take(prefilled.start, prefilled.mended);
    if (this.#fence !== undefined) this.#wholeRegion(this.#fence.contentStart, length, this.#fence.json);
    else if (this.candidates.length === 0 && this.#aloneFrom >= 0 && this.#openers.length === 0)
      this.#wholeRegion(this.#aloneFrom, length, false);
    const opener = this.#openers[0];
    if (opener !== undefined) this.unclosedFrom = opener.before;
    if (this.candidates.length > 0) return;
    this.candidates.push(...this.#hidden);
    if (opener !== undefined) this.unclosedFrom = this.candidates.length;
  }

  /**
   * A text that begins with a key: the opening brace was given to the model as the beginning of its answer. Taken at
   * once if the object closes, or if the text ends inside its second member or a later one. One member alone is returned,
   * for want of any other: a word and a colon before an object are prose.
   */
  #prefilled(): { readonly start: number; readonly mended: Mended } | undefined {
    const start = this.#source.skipBlanks(0);
    if (!this.#source.quotedKeyAt(start)) return undefined;
    const mended = this.#mender.readMembers(start, undefined);
    if (mended.how === "broke_off") {
      if (Object.keys(mended.value as JsonObject).length < 2) return { start, mended };
    } else if (mended.how !== "closed" || !isCloser(this.#text.charCodeAt(mended.end - 1))) return undefined;
    this.#take(start, mended);
    this.#at = mended.end;
    return undefined;
  }

  // ---- containers

  #object(start: number): void {
    const strict = this.#strict;
    const next = this.#text.charCodeAt(start + 1);
    let resume = start + 1;
    if (next === BRACE_OPEN || next === BACKSLASH || next === BRACKET_OPEN) {
      this.#at = resume;
      this.#owed.open();
      return;
    }
    if (
      this.#text.charCodeAt(start) === BRACE_OPEN &&
      (next === QUOTE || next === BRACE_CLOSE || isBlank(next))
    ) {
      const whole = strict.read(start);
      this.#source.steps += strict.at - start;
      if (whole) {
        this.#takeStrict(start, strict.at);
        return;
      }
      resume = strict.lastString >= 0 ? strict.lastString + 1 : strict.at;
    }
    const token = this.#isQuotedWord(start, next) ? resume : this.#lookahead.object(start);
    if (token < 0) {
      this.#mend(start, resume);
      return;
    }
    this.#resume(Math.max(token, resume));
    this.#owed.open();
  }

  /** Whether the read just now found no key after the brace, only something in quotes: then a closer look is idle. */
  #isQuotedWord(start: number, next: number): boolean {
    if (next !== QUOTE || !this.#strict.noColon) return false;
    return !this.#lookahead.goesOnAfterKey(this.#strict.at) && !this.#lookahead.isHalfQuotedKey(start + 1);
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
      this.#owed.open();
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
    this.#add(start, end, this.#fence?.json ?? false);
  }

  #take(start: number, mended: Mended): void {
    const candidate = this.#add(start, mended.end, this.#fence?.json ?? false, mended);
    candidate.unreadable = mended.how === "unreadable";
    if (mended.how === "cut") this.#owed.cut(candidate, mended.open);
  }

  #add(start: number, end: number, fenced: boolean, mended?: Mended, encoded = false): JsonCandidate {
    const contained = this.#owed.isInCut;
    const candidate = { start, end, fenced, mended, contained, unreadable: false, encoded };
    this.candidates.push(candidate);
    return candidate;
  }

  /** The text or the fence ends at `end`. What is cut off is whole if a closer that nothing else needs is the last there. */
  #endOfRegion(end: number): void {
    this.#owed.leaveTooDeep();
    if (!this.#owed.hasCut) return;
    let i = end;
    while (i > 0 && isBlank(this.#text.charCodeAt(i - 1))) i--;
    this.#source.steps += end - i;
    if (isCloser(this.#source.char(i - 1)) && this.candidates.at(-1)?.end !== i) this.#owed.cutIsWhole();
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
      this.#resume(mended.end);
      this.#owed.giveUp(mended.open);
      return;
    }
    if (
      (mended.how !== "closed" || this.#openers.length > 0) &&
      this.#tagRetries > 0 &&
      this.#closingMark(start) < mended.end
    ) {
      this.#tagRetries--;
      this.#resume(resume);
      return;
    }
    this.#resume(mended.end);
    if (mended.how === "nothing") {
      this.#noteUnread(start, mended);
      return;
    }
    this.#take(start, mended);
  }

  #noteUnread(start: number, { keyed, badAt }: Mended): void {
    if (this.#isUnreadNoted || !keyed || badAt >= this.#text.length || this.#openers.length > 0) return;
    this.#isUnreadNoted = true;
    if (this.#source.spareClosers(start, this.#text.length) >= 0) this.unread = { start, badAt };
  }

  /** The next closing thinking mark at or after `from`, or the text's end. Asked with growing places: one search in all. */
  #closingMark(from: number): number {
    const text = this.#text;
    if (this.#nextClosing >= from) return this.#nextClosing;
    let at = from;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if ((c === LESS || c === BRACKET_OPEN) && readThinkingMark(text, at)?.opens === false) break;
    }
    this.#nextClosing = at;
    this.#source.steps += at - from;
    return at;
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

  #wholeRegion(from: number, to: number, fenced: boolean): void {
    const whole = wholeValue(this.#source, from, to, this.#any);
    if (whole !== undefined) this.#add(whole.start, whole.end, fenced, undefined, !this.#any);
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
      this.#endOfRegion(from);
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

  /** Reads a thinking mark; false if there is none at `at`. */
  #thinkingMark(at: number): boolean {
    const mark = readThinkingMark(this.#text, at);
    if (mark === undefined) return false;
    this.#at = mark.end;
    this.#source.steps += mark.end - at;
    const inChannel = this.#openers.at(-1)?.channel === true;
    if (!mark.opens || (mark.channel && inChannel)) this.#closeThinking(mark.end, mark.channel && !inChannel);
    if (!mark.opens) return true;
    const alone = this.#aloneFrom >= 0 && this.#blankBetween(this.#aloneFrom, at);
    this.#openers.push({ before: this.candidates.length, alone, channel: mark.channel });
    return true;
  }

  #closeThinking(end: number, lone: boolean): void {
    const opener = lone ? undefined : this.#openers.pop();
    if (opener === undefined && this.candidates.length > 0) this.#hidden = [...this.candidates];
    this.candidates.length = opener?.before ?? 0;
    this.#aloneFrom = opener !== undefined && opener.before === 0 && !opener.alone ? -1 : end;
    this.#fence = undefined;
    this.#owed.forget();
  }
}
