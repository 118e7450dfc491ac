// Owns: reading the first object of a text that comes piece by piece, as far as it has come.
// Must never: look at a character twice, hold more of the text than half a mark, or show as final what a repair of the
// whole text could still change.

import type { JsonObject } from "../../value.ts";
import { BRACE_OPEN, BRACKET_OPEN, LESS } from "./chars.ts";
import { PartialObject } from "./partial-object.ts";
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

interface Found {
  readonly object: PartialObject;
  /** Its first character in the text. */
  readonly start: number;
}

/** Walks pieces of a text; `partial` is what they have come to. */
export class PartialReader {
  readonly #wanted: readonly string[];
  readonly #maxDepth: number;
  #where = PROSE;
  #length = 0;
  /** What may be the beginning of a thinking mark: the next piece decides. */
  #half = "";
  #thinking = 0;
  /** The object that is being read, or was read last. */
  #found: Found | undefined;
  /** The one before, to go back to if this one turns out to be prose. */
  #before: Found | undefined;

  constructor(wanted: readonly string[], maxDepth: number) {
    this.#wanted = wanted;
    this.#maxDepth = maxDepth;
  }

  get partial(): PartialJson | undefined {
    if (this.#found === undefined || this.#found.object.isEmpty) return undefined;
    const { object, start } = this.#found;
    return { value: object.value, open: object.place, start, stalled: this.#where === STALLED };
  }

  push(piece: string): void {
    const text = this.#half + piece;
    const base = this.#length - this.#half.length;
    this.#half = "";
    this.#length += piece.length;
    let i = 0;
    while (i < text.length)
      i =
        this.#where === OBJECT && this.#found !== undefined
          ? this.#inObject(this.#found.object, text, i)
          : this.#inProse(text, i, base);
  }

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
    this.#found = undefined;
    this.#before = undefined;
    this.#where = PROSE;
  }

  /** Whether a whole object with all that is wanted has been read. */
  #isFound(): boolean {
    const object = this.#found?.object;
    return (
      object !== undefined && !object.isEmpty && this.#wanted.every((key) => Object.hasOwn(object.value, key))
    );
  }

  #begin(start: number): void {
    if (this.#found?.object.isEmpty === false) this.#before = this.#found;
    this.#found = { object: new PartialObject(this.#maxDepth), start };
    this.#where = OBJECT;
  }

  /** What turns out not to be JSON was prose if it has no member yet; otherwise it needs repair. */
  #inObject(object: PartialObject, text: string, from: number): number {
    const end = object.read(text, from);
    if (object.how === "open") return end;
    if (object.isEmpty) this.#found = this.#before;
    this.#where = object.how === "closed" || object.isEmpty ? PROSE : STALLED;
    return end;
  }
}
