// Owns: the contract of a scanner: how every part of the room walks a JSON document as bytes.
// Must never: build values. Offsets are bytes from the start of the source and may exceed 2^32.
//
// A scanner looks at a document through one window (256 KB) and keeps nothing else, so memory does not depend on size.
// It trusts the document: on a valid one (comments and trailing commas included) every result is exact; on an invalid
// one every call still ends, stays inside the document and uses bounded memory, but the result means nothing.

import type { Steps } from "../../text/steps.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import type { Rows } from "./rows.ts";

/** No such place: absent key, index past the end, container that never closes, empty document. */
export const NONE = -1;

/** The call stopped between two windows as asked by `pauseEvery`; `resume()` goes on and returns in its place. */
export const PAUSED = -2;

/** A container that is smaller is not remembered: it is scanned faster than looked up. */
export const STRIDE = 32_768;

/** The kinds of JSON values. */
export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/**
 * `strict` is RFC 8259 without a byte order mark; `json` the same with one allowed; `jsonc` also takes comments and
 * one trailing comma.
 */
export type Mode = "strict" | "json" | "jsonc";

export interface ScannerOptions {
  /** Bytes looked at in one go: a multiple of 64. Default 256 KB. */
  readonly window?: number;
  /** Return {@link PAUSED} after this many windows, so that the caller can yield. Default: never. */
  readonly pauseEvery?: number;
  /** Count lines while walking, so that `lines` up to a place just found reads little again. Costs a few percent. */
  readonly countLines?: boolean;
  /** Containers inside containers that `validate` accepts. Default and maximum: the limit `jsonDepth`. */
  readonly maxDepth?: number;
}

/**
 * A walk over one document. Calls marked (pausing) may return {@link PAUSED} when `pauseEvery` is set; the next call
 * must then be `resume()`, until it returns something else. {@link settle} does that inside a generator.
 *
 * `at` is always the first byte of a value, as returned by this scanner.
 */
export interface Scanner {
  readonly source: ByteSource;
  /** True once a comment has been met. */
  readonly comments: boolean;
  /** True once something was met that no valid document holds: a container that never closes, a child that is none. */
  readonly suspicious: boolean;
  /** Notes that such a thing was met. */
  suspect(): void;
  /** Start of the root value, after a byte order mark, blanks and comments. NONE: there is none. */
  root(): number;
  /** The byte at `at`; NONE at or past the end. */
  byte(at: number): number;
  /** The first place at or after `at` that is neither blank nor comment; the document's size when there is none. */
  blank(at: number): number;
  /** What the value at `at` is, judged by its first byte; undefined where no value can start. */
  kind(at: number): JsonKind | undefined;
  /** (pausing) One past the last byte of the value at `at`. NONE: it never ends. */
  end(at: number): number;
  /**
   * (pausing) Looks up several keys of the object at `at` in one pass; the last of duplicate keys wins. Returns one
   * past the object's last byte (NONE: it never closes) and leaves what it found in `keys`.
   */
  find(at: number, keys: Keys): number;
  /**
   * (pausing) Like `find`, but stops at the first member that has one of the names and returns where its value starts;
   * NONE when there is none. `from` goes on after a member's value. Duplicates are the caller's to rule out: only
   * when a later `seek` from the value's end returns NONE was it the last one.
   */
  seek(at: number, keys: Keys, from?: number): number;
  /** (pausing) Start of element `index` (from 0) of the array, or of the value of member `index` of the object, at `at`. */
  nth(at: number, index: number): number;
  /** (pausing) How many elements or members (duplicates counted) the container at `at` has. NONE: it never closes. */
  count(at: number): number;
  /**
   * Looks up the keys of `rows` in the records of an array, many at once: from the element at `at`, a container, on, as
   * far as elements are containers too and a quick look is enough. Returns how many it has seen, and leaves those that
   * may pass the prefilter in `rows`; never reads more than two windows. 0: look at this element with `find` or `end`.
   */
  rows(at: number, rows: Rows): number;
  /** The children of the container at `at`, in order, from child `first` on. Other calls may be made between two steps. */
  children(at: number, first?: number): Children;
  /** (pausing) How many LF bytes are before `upTo`. */
  lines(upTo: number): number;
  /** (pausing) Where the document first breaks the rules of `mode`; NONE: it is valid. */
  validate(mode: Mode): number;
  /** Goes on with the call that returned PAUSED. */
  resume(): number;
  /** A copy of the bytes from `start` to `end`. */
  bytes(start: number, end: number): Uint8Array;
}

/**
 * What an index needs beyond the contract. A *place* is one past a container's opening bracket or past a comma directly
 * inside it: where the part that holds a child begins.
 */
export interface IndexableScanner extends Scanner {
  /**
   * (pausing) NONE when the document is valid in `mode`, else an offset that is only near the fault. Where it can, the
   * pass also notes what `watch` asks for.
   */
  check(mode: Mode, watch?: Watch): number;
  /** (pausing) NONE when the bytes from `start` to `end` are one value of JSON, or of JSONC, and nothing else. */
  checkValue(start: number, end: number): number;
  /** After a `seek` that returned NONE: one past the object's last byte; NONE when that is not known. */
  readonly closed: number;
  /**
   * (pausing) Start of the value `count` children after the one at `place`, in the container at `at`, which holds
   * `members` or items. Reads nothing before `place`.
   */
  hop(at: number, place: number, count: number, members: boolean): number;
  /**
   * (pausing) Walks over whole children from `place` to the first place that is at least `bytes` further on; NONE when
   * the container closes before. `stridden` then says how many commas were passed, and where the container closes.
   */
  stride(at: number, place: number, bytes: number): number;
  readonly stridden: { commas: number; close: number };
  /**
   * (pausing) A place of the container at `at` before `upTo`, with two children between where there are so many: as near
   * as is known without walking there.
   */
  landmark(at: number, upTo: number): number;
  /**
   * (pausing) Makes all further look-ups in the object at `at` cheap, for the cost of one walk. NONE: there is no memory
   * for it, or no need.
   */
  tabulate(at: number): number;
  /** The children from the one at `place` on, which is number `index`. */
  childrenFrom(at: number, place: number, index: number): Children;
  /** (pausing) How many LF bytes are from `from` to before `upTo`. */
  linesBetween(from: number, upTo: number): number;
}

/** A container directly inside the root that a check comes by, and what it sees of it. */
export class Watch {
  readonly start: number;
  /** One past its last byte; NONE as long as it is not known. */
  end: number = NONE;
  /** Commas directly inside it. */
  commas = 0;
  /** Pairs of ordinal and place, about STRIDE apart. */
  readonly samples: number[];

  constructor(start: number) {
    this.start = start;
    this.samples = [0, start + 1];
  }
}

/** A step-by-step view of a container's children. The fields describe the child that `next` last returned. */
export interface Children {
  /** (pausing: then call `next` again) Start of the next child's value; NONE: no more. */
  next(): number;
  /** The key's literal from quote to past quote; NONE in an array. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /** The value's literal. `end` is NONE when it never ends. */
  readonly start: number;
  readonly end: number;
  /** From 0. */
  readonly index: number;
  /** After the last child: one past the container's closing bracket; NONE: it never closes. Before that: NONE. */
  readonly close: number;
}

/** Keys to look up, and where they were found. One object can be used for any number of look-ups. */
export class Keys {
  readonly names: readonly string[];
  /** Start of each name's value, NONE when absent. */
  readonly values: number[] = [];
  /** Start of each name's key literal (its quote), NONE when absent. */
  readonly keys: number[] = [];
  /** How often each name occurs: above 1 the key is a duplicate. */
  readonly counts: number[] = [];

  constructor(...names: readonly string[]) {
    this.names = names;
    this.clear();
  }

  clear(): void {
    for (let i = 0; i < this.names.length; i++) {
      this.values[i] = NONE;
      this.keys[i] = NONE;
      this.counts[i] = 0;
    }
  }

  /** Notes an occurrence; later ones win. */
  note(index: number, key: number, value: number): void {
    this.keys[index] = key;
    this.values[index] = value;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }
}

const encoder = new TextEncoder();

/**
 * Writes a name as the bytes it has between quotes when nothing is escaped. Returns how many, or NONE when it cannot
 * be written so (a quote, backslash or control character is always escaped; a lone surrogate has no UTF-8) or when it
 * does not fit between `at` and `end`.
 */
export function writeName(name: string, into: Uint8Array, at: number, end: number): number {
  if (at + name.length > end) return NONE;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return NONE;
    if (unit >= 0x80) return writeWide(name, into, at, end);
    into[at + i] = unit;
  }
  return name.length;
}

function writeWide(name: string, into: Uint8Array, at: number, end: number): number {
  if (/["\\\u0000-\u001f]|\p{Surrogate}/u.test(name)) return NONE;
  const bytes = encoder.encode(name);
  if (at + bytes.length > end) return NONE;
  into.set(bytes, at);
  return bytes.length;
}

/**
 * Inside a generator: turns a pausing call into its result, yielding at each pause.
 *
 * @example const end = yield* settle(scanner, scanner.end(at));
 */
export function* settle(scanner: Scanner, first: number): Steps<number> {
  let result = first;
  while (result === PAUSED) {
    yield;
    result = scanner.resume();
  }
  return result;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The text that a string or key literal (quotes included) stands for. Lone surrogate escapes are kept as they are,
 * invalid UTF-8 reads as U+FFFD, and a literal with a bad escape reads as its raw text.
 */
export function decodeString(literal: Uint8Array): string {
  const text = decoder.decode(literal);
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}

/** What a value is, by its first byte. */
export function kindOfByte(byte: number): JsonKind | undefined {
  switch (byte) {
    case 0x7b:
      return "object";
    case 0x5b:
      return "array";
    case 0x22:
      return "string";
    case 0x74:
    case 0x66:
      return "boolean";
    case 0x6e:
      return "null";
    default:
      return byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? "number" : undefined;
  }
}
