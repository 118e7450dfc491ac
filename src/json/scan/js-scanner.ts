// Owns: the scanner in plain TypeScript: the reference, the fallback where WebAssembly SIMD is missing, and the one
// that understands comments.
// Must never: recurse, or keep anything that grows with the document.

import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import {
  decodeString,
  Keys,
  type JsonKind,
  kindOfByte,
  type Mode,
  NONE,
  PAUSED,
  type IndexableScanner,
} from "./scanner.ts";
import type { Rows } from "./rows.ts";
import type { Children, ScannerOptions } from "./scanner.ts";
import { JsChildren } from "./js-children.ts";
import { JsValidation } from "./js-validation.ts";
import { CLASS, IS_CLOSE, IS_COLON, IS_COMMA, IS_COMMENT, IS_OPEN, IS_STRING } from "./byte-class.ts";
import { SourceWindow, WINDOW } from "./window.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const STAR = 0x2a;

// Where a walk is: outside, inside a string, after its backslash, in a line comment, in a block comment, after
// a star of one.
const OUTSIDE = 0;
const IN_STRING = 1;
const ESCAPED = 2;
const IN_LINE = 3;
const IN_BLOCK = 4;
const IN_BLOCK_STAR = 5;

/** A walk inside one container: everything that has to be remembered between two windows. */
interface ContainerWalk {
  at: number;
  /** 1 directly inside the container. */
  depth: number;
  state: number;
  /** The last string that opened at depth 1. */
  opener: number;
}

// Bits of `stops`: what a walk at depth 1 halts on. It always halts where the container closes.
const STOP_COMMA = 1;
const STOP_COLON = 2;

const ENDED = -3;

/** Records looked up in one call of `rows`, and how far they may reach. */
const MOST_ROWS = 64;
const MOST_ROW_BYTES = 1 << 30;

export class JsScanner implements IndexableScanner {
  readonly source: ByteSource;
  comments = false;
  suspicious = false;
  readonly #window: SourceWindow;
  readonly #pauseEvery: number;
  readonly #maxDepth: number;
  #loadsAtPause = 0;
  #pending: (() => number) | undefined;

  constructor(source: ByteSource, options: ScannerOptions = {}) {
    this.source = source;
    this.#window = new SourceWindow(source, options.window ?? WINDOW);
    this.#pauseEvery = options.pauseEvery ?? Number.POSITIVE_INFINITY;
    this.#maxDepth = options.maxDepth ?? DEFAULT_LIMITS.jsonDepth;
  }

  suspect(): void {
    this.suspicious = true;
  }

  root(): number {
    let at = 0;
    if (this.byte(0) === 0xef && this.byte(1) === 0xbb && this.byte(2) === 0xbf) at = 3;
    at = this.blank(at);
    return at < this.source.size ? at : NONE;
  }

  byte(at: number): number {
    const window = this.#window;
    if (!window.at(at)) return NONE;
    return window.bytes[at - window.lo] ?? NONE;
  }

  blank(at: number): number {
    for (let i = at; ; i++) {
      const byte = this.byte(i);
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      if (byte !== SLASH) return Math.min(i, this.source.size);
      const next = this.byte(i + 1);
      if (next !== SLASH && next !== STAR) return i;
      i = this.#commentEnd(i) - 1;
    }
  }

  /** One past the comment that starts at `at`: the line break itself stays outside. */
  #commentEnd(at: number): number {
    this.comments = true;
    const line = this.byte(at + 1) === SLASH;
    for (let i = at + 2; ; i++) {
      const byte = this.byte(i);
      if (byte === NONE) return this.source.size;
      if (line ? byte === 0x0a || byte === 0x0d : byte === STAR && this.byte(i + 1) === SLASH)
        return line ? i : i + 2;
    }
  }

  kind(at: number): JsonKind | undefined {
    return kindOfByte(this.byte(at));
  }

  end(at: number): number {
    const byte = this.byte(at);
    if (byte === 0x7b || byte === 0x5b)
      return this.#run(this.#into(at), 0, (walk, what) => (what === IS_CLOSE ? walk.at : this.#never()));
    if (byte === QUOTE) {
      // A string is a walk that starts at depth 1 inside it and ends where it is outside again.
      return this.#stringEnd({ at: at + 1, depth: 1, state: IN_STRING, opener: at });
    }
    return this.#scalarEnd(at);
  }

  /** NONE, because something does not end as it must. */
  #never(): number {
    this.suspicious = true;
    return NONE;
  }

  #into(at: number): ContainerWalk {
    return { at: at + 1, depth: 1, state: OUTSIDE, opener: NONE };
  }

  /** Runs a walk to its next halt; `then` makes the result. */
  #run(walk: ContainerWalk, stops: number, then: (walk: ContainerWalk, what: number) => number): number {
    const what = this.#halt(walk, stops);
    if (what === PAUSED) return this.#pause(() => this.#run(walk, stops, then));
    return then(walk, what);
  }

  #pause(then: () => number): number {
    this.#pending = then;
    return PAUSED;
  }

  #mustPause(): boolean {
    if (this.#window.loads - this.#loadsAtPause < this.#pauseEvery) return false;
    this.#loadsAtPause = this.#window.loads;
    return true;
  }

  resume(): number {
    const then = this.#pending;
    this.#pending = undefined;
    return then === undefined ? NONE : then();
  }

  #stringEnd(walk: ContainerWalk): number {
    for (;;) {
      if (walk.at < this.source.size && walk.at >= this.#window.hi && this.#mustPause())
        return this.#pause(() => this.#stringEnd(walk));
      if (!this.#window.at(walk.at)) return this.#never();
      this.#skipString(walk);
      if (walk.state === OUTSIDE) return walk.at;
    }
  }

  /** Steps through string bytes up to the window's end or past the closing quote. */
  #skipString(walk: ContainerWalk): void {
    const { bytes, lo, hi } = this.#window;
    const stop = hi - lo;
    let i = walk.at - lo;
    if (walk.state === ESCAPED && i < stop) {
      i++;
      walk.state = IN_STRING;
    }
    while (i < stop) {
      const byte = bytes[i++];
      if (byte === QUOTE) {
        walk.state = OUTSIDE;
        break;
      }
      if (byte !== BACKSLASH) continue;
      if (i === stop) walk.state = ESCAPED;
      i++;
    }
    walk.at = lo + Math.min(i, stop);
  }

  #skipComment(walk: ContainerWalk): void {
    const { bytes, lo, hi } = this.#window;
    const stop = hi - lo;
    let i = walk.at - lo;
    let state = walk.state;
    while (i < stop && state !== OUTSIDE) {
      const byte = bytes[i++];
      if (state === IN_LINE) {
        if (byte === 0x0a || byte === 0x0d) state = OUTSIDE;
      } else if (byte === STAR) state = IN_BLOCK_STAR;
      else state = state === IN_BLOCK_STAR && byte === SLASH ? OUTSIDE : IN_BLOCK;
    }
    walk.state = state;
    walk.at = lo + i;
  }

  /** Moves a walk to its next halt. `walk.at` is then one past the byte it halted on. */
  #halt(walk: ContainerWalk, stops: number): number {
    const window = this.#window;
    for (;;) {
      if (walk.at < this.source.size && (walk.at < window.lo || walk.at >= window.hi) && this.#mustPause())
        return PAUSED;
      if (!window.at(walk.at)) return ENDED;
      if (walk.state === IN_STRING || walk.state === ESCAPED) {
        this.#skipString(walk);
        continue;
      }
      if (walk.state !== OUTSIDE) {
        this.#skipComment(walk);
        continue;
      }
      const { bytes, lo, hi } = window;
      const stop = hi - lo;
      let i = walk.at - lo;
      let what = 0;
      while (i < stop) {
        what = CLASS[bytes[i++] ?? 0] ?? 0;
        if (what === 0) continue;
        if (what === IS_OPEN) walk.depth++;
        else if (what === IS_CLOSE) {
          if (--walk.depth === 0) break;
        } else if (what === IS_COMMA) {
          if (walk.depth === 1 && (stops & STOP_COMMA) !== 0) break;
        } else if (what === IS_COLON) {
          if (walk.depth === 1 && (stops & STOP_COLON) !== 0) break;
        } else break;
        what = 0;
      }
      walk.at = lo + i;
      if (what === IS_STRING) {
        if (walk.depth === 1) walk.opener = walk.at - 1;
        walk.state = IN_STRING;
      } else if (what === IS_COMMENT) {
        const next = this.byte(walk.at);
        if (next !== SLASH && next !== STAR) continue;
        this.comments = true;
        walk.at++;
        walk.state = next === SLASH ? IN_LINE : IN_BLOCK;
      } else if (what !== 0) return what;
    }
  }

  #scalarEnd(at: number): number {
    for (let i = at; ; i++) {
      const byte = this.byte(i);
      if (byte > 0x20 && CLASS[byte] === 0) continue;
      return i === at ? NONE : i;
    }
  }

  find(at: number, keys: Keys): number {
    keys.clear();
    return this.byte(at) === 0x7b ? this.#findNext(this.#into(at), keys, false) : NONE;
  }

  seek(at: number, keys: Keys, from: number = at + 1): number {
    keys.clear();
    if (this.byte(at) !== 0x7b) return NONE;
    return this.#findNext({ at: from, depth: 1, state: OUTSIDE, opener: NONE }, keys, true);
  }

  rows(at: number, rows: Rows): number {
    const { keys } = rows;
    const found: number[] = [];
    let count = 0;
    let last = at;
    for (let start = at; count < MOST_ROWS; count++) {
      const byte = this.byte(start);
      if (byte !== 0x7b && byte !== 0x5b) break;
      keys.clear();
      const end = byte === 0x7b ? this.find(start, keys) : this.end(start);
      // A record that takes longer is looked at with pauses.
      if (end === PAUSED || end === NONE || end - at > MOST_ROW_BYTES) break;
      found.push(start - at, end - at, 2 * count, NONE);
      for (const value of keys.values) found.push(value === NONE ? NONE : value - at);
      last = end;
      start = this.blank(end);
      if (this.byte(start) !== 0x2c) {
        count++;
        break;
      }
      start = this.blank(start + 1);
    }
    this.#pending = undefined;
    rows.cover(at, last, count);
    rows.load(Int32Array.from(found), 0, count);
    return count;
  }

  #findNext(walk: ContainerWalk, keys: Keys, first: boolean): number {
    for (;;) {
      const what = this.#halt(walk, STOP_COLON);
      if (what === PAUSED) return this.#pause(() => this.#findNext(walk, keys, first));
      if (first) this.closed = what === IS_CLOSE ? walk.at : NONE;
      if (what === IS_CLOSE) return first ? NONE : walk.at;
      if (what !== IS_COLON) return first ? NONE : this.#never();
      if (walk.opener === NONE) continue;
      this.#match(walk, keys);
      if (first) for (const value of keys.values) if (value !== NONE) return value;
    }
  }

  /** Compares the key before the colon at `walk.at - 1` with the names looked for. */
  #match(walk: ContainerWalk, keys: Keys): void {
    const start = walk.opener;
    const limit = walk.at - 1;
    // The longest way to write a name is six bytes for each UTF-16 unit; a longer literal can match none.
    let most = 0;
    for (const name of keys.names) most = Math.max(most, name.length);
    const end = this.#keyEnd(start, Math.min(limit, start + 6 * most + 2));
    if (end === NONE) return;
    const name = decodeString(this.bytes(start, end));
    for (let i = 0; i < keys.names.length; i++)
      if (keys.names[i] === name) keys.note(i, start, this.blank(walk.at));
  }

  /** One past the closing quote of the string at `start`, when that is at most `limit`. */
  #keyEnd(start: number, limit: number): number {
    for (let i = start + 1; i < limit; i++) {
      const byte = this.byte(i);
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) return i + 1;
    }
    return NONE;
  }

  nth(at: number, index: number): number {
    const opener = this.byte(at);
    if ((opener !== 0x7b && opener !== 0x5b) || index < 0) return NONE;
    const stops = opener === 0x7b ? STOP_COLON | STOP_COMMA : STOP_COMMA;
    return this.#nthNext(this.#into(at), stops, index);
  }

  #nthNext(walk: ContainerWalk, stops: number, index: number): number {
    let left = index;
    const members = (stops & STOP_COLON) !== 0;
    while (left > 0) {
      const what = this.#halt(walk, stops);
      if (what === PAUSED) return this.#pause(() => this.#nthNext(walk, stops, left));
      if (what === IS_COMMA) left--;
      else if (what !== IS_COLON) return NONE;
    }
    if (members) return this.#memberValue(walk, stops);
    return this.#valueOrNone(walk.at);
  }

  #memberValue(walk: ContainerWalk, stops: number): number {
    const what = this.#halt(walk, stops);
    if (what === PAUSED) return this.#pause(() => this.#memberValue(walk, stops));
    return what === IS_COLON ? this.#valueOrNone(walk.at) : NONE;
  }

  #valueOrNone(at: number): number {
    const start = this.blank(at);
    const what = CLASS[Math.max(0, this.byte(start))];
    return start >= this.source.size || what === IS_CLOSE || what === IS_COMMA ? NONE : start;
  }

  count(at: number): number {
    const opener = this.byte(at);
    if (opener !== 0x7b && opener !== 0x5b) return NONE;
    return this.#countNext(this.#into(at), 0, at + 1, opener);
  }

  #countNext(walk: ContainerWalk, count: number, segment: number, opener: number): number {
    let commas = count;
    let start = segment;
    for (;;) {
      const what = this.#halt(walk, STOP_COMMA);
      if (what === PAUSED) return this.#pause(() => this.#countNext(walk, commas, start, opener));
      // '{' and '}', '[' and ']' are two apart.
      if (what === IS_CLOSE && this.byte(walk.at - 1) !== opener + 2) this.suspect();
      if (what === IS_CLOSE) return this.blank(start) === walk.at - 1 ? commas : commas + 1;
      if (what !== IS_COMMA) return this.#never();
      commas++;
      start = walk.at;
    }
  }

  children(at: number, first = 0): Children {
    if (first === 0) return this.childrenFrom(at, at + 1, 0);
    const start = this.stepOver(at, first);
    return this.childrenFrom(at, start, first);
  }

  /** The place of child `index`, found without pausing; past the end of the document when there is none. */
  stepOver(at: number, index: number): number {
    const walk = this.#into(at);
    for (let left = index; left > 0; left--) {
      let what = this.#halt(walk, STOP_COMMA);
      while (what === PAUSED) what = this.#halt(walk, STOP_COMMA);
      if (what === IS_CLOSE) return walk.at - 1;
      if (what !== IS_COMMA) return this.source.size;
    }
    return walk.at;
  }

  landmark(at: number): number {
    return at + 1;
  }

  tabulate(): number {
    return NONE;
  }

  childrenFrom(at: number, place: number, index: number): Children {
    return new JsChildren(this, at, place, index);
  }

  closed: number = NONE;
  readonly stridden: { commas: number; close: number } = { commas: 0, close: NONE };

  hop(_at: number, place: number, count: number, members: boolean): number {
    const walk: ContainerWalk = { at: place, depth: 1, state: OUTSIDE, opener: NONE };
    return this.#nthNext(walk, members ? STOP_COLON | STOP_COMMA : STOP_COMMA, count);
  }

  stride(_at: number, place: number, bytes: number): number {
    return this.#strideOn({ at: place, depth: 1, state: OUTSIDE, opener: NONE }, place + bytes, 0);
  }

  #strideOn(walk: ContainerWalk, target: number, passed: number): number {
    let commas = passed;
    for (;;) {
      const what = this.#halt(walk, STOP_COMMA);
      if (what === PAUSED) return this.#pause(() => this.#strideOn(walk, target, commas));
      if (what === IS_COMMA) commas++;
      if (what === IS_COMMA && walk.at < target) continue;
      this.stridden.commas = commas;
      this.stridden.close = what === IS_CLOSE ? walk.at : NONE;
      return what === IS_COMMA ? walk.at : NONE;
    }
  }

  lines(upTo: number): number {
    return this.linesBetween(0, upTo);
  }

  linesBetween(from: number, upTo: number): number {
    return this.#linesFrom(from, Math.min(upTo, this.source.size), 0);
  }

  check(mode: Mode): number {
    return this.validate(mode);
  }

  #linesFrom(from: number, upTo: number, sum: number): number {
    const window = this.#window;
    let at = from;
    let lines = sum;
    while (at < upTo) {
      if ((at < window.lo || at >= window.hi) && this.#mustPause()) {
        const [stoodAt, counted] = [at, lines];
        return this.#pause(() => this.#linesFrom(stoodAt, upTo, counted));
      }
      if (!window.at(at)) break;
      const stop = Math.min(window.hi, upTo) - window.lo;
      for (let i = at - window.lo; i < stop; i++) if (window.bytes[i] === 0x0a) lines++;
      at = window.lo + stop;
    }
    return lines;
  }

  validate(mode: Mode): number {
    return this.#validateNext(new JsValidation(mode, this.source.size, this.#maxDepth), this.source.size);
  }

  checkValue(start: number, end: number): number {
    const validation = new JsValidation("jsonc", end, this.#maxDepth);
    validation.at = start;
    return this.#validateNext(validation, end);
  }

  #validateNext(validation: JsValidation, end: number): number {
    const window = this.#window;
    while (validation.at < end) {
      if ((validation.at < window.lo || validation.at >= window.hi) && this.#mustPause())
        return this.#pause(() => this.#validateNext(validation, end));
      if (!window.at(validation.at)) break;
      if (!validation.feed(window.bytes, window.lo, Math.min(window.hi, end))) return validation.fault;
    }
    return validation.finish();
  }

  bytes(start: number, end: number): Uint8Array {
    const stop = Math.min(end, this.source.size);
    const bytes = new Uint8Array(Math.max(0, stop - start));
    const { lo, hi } = this.#window;
    if (start >= lo && stop <= hi) bytes.set(this.#window.bytes.subarray(start - lo, stop - lo));
    else this.source.read(start, bytes, 0, bytes.length);
    return bytes;
  }
}
