// Owns: cutting results to a budget, on borders a reader can resume from, and saying what was cut.
// Must never: cut silently. Every result carries how much was left out.

import { say } from "../errors.ts";
import { checkArgument } from "./options.ts";
import { isHighSurrogate, isLowSurrogate } from "./surrogate.ts";

const HIGH = /[\ud800-\udbff]/;

/**
 * Characters are code points everywhere: what a person would count, near enough, and never half of one. Cost: linear.
 *
 * @example countChars("a\u{1f600}")  // 2
 */
export function countChars(text: string): number {
  checkArgument(say`countChars: the text`, text, "string");
  let count = text.length;
  // Most texts have none, and this is far quicker to say.
  if (!HIGH.test(text)) return count;
  for (let i = 0; i < text.length - 1; i++) {
    if (isHighSurrogate(text.charCodeAt(i)) && isLowSurrogate(text.charCodeAt(i + 1))) {
      count--;
      i++;
    }
  }
  return count;
}

/** What was left out of a text. */
export interface Cut {
  /** Characters that were cut off. */
  readonly chars: number;
  /** Lines not shown in full: the one cut in the middle included. */
  readonly lines: number;
}

/** A text cut to a budget. */
export interface CutText {
  /** The leading part that fits, exactly as it was. */
  readonly text: string;
  /** Undefined when nothing was left out. */
  readonly cut: Cut | undefined;
  /** How much of the text is in `text`, in characters: where to go on. */
  readonly chars: number;
  /** Does `text` end at the end of a line (or hold everything)? */
  readonly wholeLines: boolean;
}

/**
 * The longest leading part of at most `budget` characters that ends with a whole line; when not even one line fits,
 * the part of it that does, never half a character nor half a CRLF. Cost: linear in the text.
 *
 * @example cutText("one\ntwo\n", 5)  // { text: "one\n", cut: { chars: 4, lines: 1 }, chars: 4, wholeLines: true }
 */
export function cutText(text: string, budget: number): CutText {
  checkArgument(say`cutText: the text`, text, "string");
  const room = Math.max(0, Math.floor(budget));
  const border = unitsOf(text, room);
  if (border === text.length) return { text, cut: undefined, chars: countChars(text), wholeLines: true };
  const line = border === 0 ? 0 : text.lastIndexOf("\n", border - 1) + 1;
  let end = line > 0 ? line : border;
  if (line === 0 && end > 0 && text[end - 1] === "\r" && text[end] === "\n") end--;
  const rest = text.slice(end);
  return {
    text: text.slice(0, end),
    cut: { chars: countChars(rest), lines: countLines(rest) },
    chars: countChars(text.slice(0, end)),
    wholeLines: line > 0 || end === 0,
  };
}

/** How many UTF-16 units the first `chars` characters take. */
function unitsOf(text: string, chars: number): number {
  let units = 0;
  for (let left = chars; left > 0 && units < text.length; left--)
    units += isHighSurrogate(text.charCodeAt(units)) && isLowSurrogate(text.charCodeAt(units + 1)) ? 2 : 1;
  return units;
}

/**
 * Lines of a text; a last one without ending counts.
 *
 * @example countLines("a\nb")  // 2
 */
export function countLines(text: string): number {
  checkArgument(say`countLines: the text`, text, "string");
  let lines = 0;
  let at = 0;
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", at)) {
    lines++;
    at = i + 1;
  }
  return at < text.length ? lines + 1 : lines;
}

/**
 * Counts what a result takes, item by item. After the first item that does not fit all others are left out too, so
 * that the result is a prefix and a cursor can go on from it.
 *
 * @example
 * const budget = new Budget(8_000);
 * for (const entry of entries) budget.add(entry.line);
 * budget.text(); budget.leftOut;   // the lines that fit, and how many did not
 */
export class Budget {
  readonly #limit: number;
  readonly #items: string[] = [];
  #used = 0;
  #leftOut = 0;

  constructor(chars: number) {
    this.#limit = chars;
  }

  /**
   * Takes the item if it fits, with `extra` characters for what will join it (a newline by default); false where it does not, and for
   * every item from then on. Costs counting its characters.
   *
   * @example new Budget(5).add("six") // true
   */
  add(item: string, extra = 1): boolean {
    const size = countChars(item) + extra;
    if (this.#leftOut > 0 || this.#used + size > this.#limit) {
      this.#leftOut++;
      return false;
    }
    this.#items.push(item);
    this.#used += size;
    return true;
  }

  /**
   * Counts items that were not even rendered: nothing more fits then.
   *
   * @example budget.leaveOut(entries.length - shown);
   */
  leaveOut(count: number): void {
    this.#leftOut += count;
  }

  /** Nothing more fits. */
  get full(): boolean {
    return this.#leftOut > 0;
  }

  /** Characters used so far. */
  get used(): number {
    return this.#used;
  }

  /** Characters that are left. */
  get remaining(): number {
    return Math.max(0, this.#limit - this.#used);
  }

  /** How many pieces fit. */
  get taken(): number {
    return this.#items.length;
  }

  /** How many pieces did not fit. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /**
   * What fit, joined. Empty when nothing did.
   *
   * @example const text = `${budget.text()}\n(${budget.leftOut} more)`;
   */
  text(separator = "\n"): string {
    return this.#items.join(separator);
  }
}
