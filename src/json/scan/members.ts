// Owns: the children of a container as JSON.parse would keep them: of duplicate keys only the last member counts.
// Must never: hold every key of a large object at once; memory stays bounded however many there are.

import type { Steps } from "../../text/steps.ts";
import { HoldfastError, say } from "../../errors.ts";
import { FNV_OFFSET, FNV_PRIME, hashName } from "./key-table.ts";
import { readsAs } from "./reads-as.ts";
import { type Children, decodeString, NONE, PAUSED, type Scanner } from "./scanner.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const OBJECT = 0x7b;
/** Members that are read once and held in memory; a larger object is walked again. */
const SMALL_OBJECT = 256;
/** Key hashes compared in one pass over a large object, at most: they take 8 bytes each. A power of two. */
const HASHES = 1 << 22;
/** Different keys of one object that may be duplicates. */
const DUPLICATES = 100_000;

/** A step-by-step view of the children that count. Same use as {@link Children}. */
export interface Members {
  /** (pausing: then call `next` again) Start of the next child's value; NONE: no more. */
  next(): number;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
  /** Position among the children that count, from 0; in an array the index. */
  readonly index: number;
}

/**
 * The children of the container at `at` that count. An array is streamed; an object is first looked through for
 * duplicate keys, once.
 */
export function* openMembers(scanner: Scanner, at: number): Steps<Members> {
  const now = membersNow(scanner, at);
  return "keyStart" in now ? now : yield* now;
}

/** The same at once where it takes no pause; else the steps that are left. Spares most containers a generator. */
export function membersNow(scanner: Scanner, at: number): Members | Steps<Members> {
  const children = scanner.children(at);
  if (scanner.byte(at) !== OBJECT) return children;
  const small = new SmallObject(scanner, children);
  const result = small.read();
  return result === NONE ? small.members() : goOn(scanner, at, small, result);
}

function* goOn(scanner: Scanner, at: number, small: SmallObject, first: number): Steps<Members> {
  for (let result = first; ; result = small.read()) {
    if (result === PAUSED) yield;
    else return result === NONE ? small.members() : yield* openLarge(scanner, at);
  }
}

/** Reads members into rows until there are too many to hold. */
class SmallObject {
  readonly #scanner: Scanner;
  readonly #children: Children;
  readonly #rows: number[] = [];
  readonly #hashes: number[] = [];

  constructor(scanner: Scanner, children: Children) {
    this.#scanner = scanner;
    this.#children = children;
  }

  /** NONE: all are read. PAUSED: call again. Otherwise there are too many to hold. */
  read(): number {
    const children = this.#children;
    for (;;) {
      const start = children.next();
      if (start === NONE || start === PAUSED) return start;
      if (this.#hashes.length === SMALL_OBJECT) return SMALL_OBJECT;
      const { keyStart, keyEnd } = children;
      this.#rows.push(keyStart, keyEnd, start, children.end);
      this.#hashes.push(hashKey(this.#scanner, keyStart, keyEnd));
    }
  }

  members(): MembersInMemory {
    return new MembersInMemory(hasTwin(this.#hashes) ? dropShadowed(this.#scanner, this.#rows) : this.#rows);
  }
}

function hasTwin(hashes: readonly number[]): boolean {
  if (hashes.length > 16) return new Set(hashes).size < hashes.length;
  for (let i = 1; i < hashes.length; i++)
    for (let j = 0; j < i; j++) if (hashes[i] === hashes[j]) return true;
  return false;
}

function dropShadowed(scanner: Scanner, rows: readonly number[]): number[] {
  const last = new Map<string, number>();
  const names: string[] = [];
  for (let row = 0; row < rows.length; row += 4) {
    const name = keyName(scanner, rows[row] ?? NONE, rows[row + 1] ?? NONE);
    names.push(name);
    last.set(name, row);
  }
  return rows.filter((_, i) => last.get(names[i >> 2] ?? "") === i - (i & 3));
}

/** The text of a key literal. */
export function keyName(scanner: Scanner, keyStart: number, keyEnd: number): string {
  return decodeString(scanner.bytes(keyStart, keyEnd));
}

/** The same where only the start is known. Does not move the window. */
export function keyFrom(scanner: Scanner, keyStart: number): string {
  for (let size = 64; ; size *= 4) {
    const literal = scanner.bytes(keyStart, keyStart + size);
    let end = 1;
    while (end < literal.length && literal[end] !== 0x22) end += literal[end] === 0x5c ? 2 : 1;
    if (end < literal.length || literal.length < size) return decodeString(literal.subarray(0, end + 1));
  }
}

/** Scanners that met a key with half of a surrogate pair. No path can name such a key. */
const halfSurrogates = new WeakSet<Scanner>();

/** Has the scanner walked over a key that no path can name? */
export function hasUnnamedKeys(scanner: Scanner): boolean {
  return halfSurrogates.has(scanner);
}

/** {@link hashName} of a key read in place, noting whether a path can name it. */
export function hashKey(scanner: Scanner, keyStart: number, keyEnd: number): number {
  let hash = FNV_OFFSET;
  for (let i = keyStart + 1; i < keyEnd - 1; i++) {
    const byte = scanner.byte(i);
    if (byte === 0x5c) {
      const literal = scanner.bytes(keyStart, keyEnd);
      const name = decodeString(literal);
      // Every escape is longer than what it stands for: one that is none reads as it is written.
      if (name.length === decoder.decode(literal).length - 2) scanner.suspect();
      if (!name.isWellFormed()) halfSurrogates.add(scanner);
      return hashName(name);
    }
    if (byte < 0x20) scanner.suspect();
    hash = Math.imul(hash ^ byte, FNV_PRIME);
  }
  return hash >>> 0;
}

/** Members in memory: they can be walked, and searched. */
export class MembersInMemory implements Members {
  keyStart: number = NONE;
  keyEnd: number = NONE;
  start: number = NONE;
  end: number = NONE;
  index = -1;
  // Four numbers a member: key start, key end, value start, value end.
  readonly #rows: readonly number[];

  constructor(rows: readonly number[]) {
    this.#rows = rows;
  }

  /** Start of the value of the member `name`, whose plain bytes are `raw`; NONE: there is none. Does not move. */
  find(scanner: Scanner, name: string, raw: Uint8Array): number {
    for (let row = 0; row < this.#rows.length; row += 4)
      if (readsAs(scanner, this.#rows[row] ?? NONE, name, raw)) return this.#rows[row + 2] ?? NONE;
    return NONE;
  }

  next(): number {
    const row = (this.index + 1) * 4;
    if (row >= this.#rows.length) return NONE;
    this.index++;
    this.keyStart = this.#rows[row] ?? NONE;
    this.keyEnd = this.#rows[row + 1] ?? NONE;
    this.start = this.#rows[row + 2] ?? NONE;
    this.end = this.#rows[row + 3] ?? NONE;
    return this.start;
  }
}

// A large object is looked through in passes, each over the share of the key hashes that fits the table; hashes met
// twice name the keys to watch, and one more pass notes where each of those is last.
function* openLarge(scanner: Scanner, at: number): Steps<Members> {
  let total = scanner.count(at);
  while (total === PAUSED) {
    yield;
    total = scanner.resume();
  }
  const passes = Math.max(1, Math.ceil(total / HASHES));
  const table = new Uint32Array(2 ** (Math.ceil(Math.log2(Math.min(Math.max(total, 2), HASHES))) + 1));
  const twins = new Set<number>();
  for (let pass = 0; pass < passes; pass++) {
    table.fill(0);
    const children = scanner.children(at);
    for (let start = children.next(); start !== NONE; start = children.next()) {
      if (start === PAUSED) {
        yield;
        continue;
      }
      const hash = hashKey(scanner, children.keyStart, children.keyEnd) || 1;
      if (hash % passes === pass && !note(table, hash)) twins.add(hash);
      if (twins.size > DUPLICATES) throw tooManyDuplicates();
    }
  }
  if (twins.size === 0) return scanner.children(at);
  return new WatchedMembers(scanner, at, twins, yield* lastOf(scanner, at, twins));
}

/** False when the hash is already in the open-addressed table. The table never fills: it has two slots a hash. */
function note(table: Uint32Array, hash: number): boolean {
  const mask = table.length - 1;
  for (let slot = Math.imul(hash, 0x9e3779b1) & mask; ; slot = (slot + 1) & mask) {
    const held = table[slot];
    if (held === hash) return false;
    if (held !== 0) continue;
    table[slot] = hash;
    return true;
  }
}

function* lastOf(
  scanner: Scanner,
  at: number,
  twins: ReadonlySet<number>,
): Steps<ReadonlyMap<string, number>> {
  const last = new Map<string, number>();
  const children = scanner.children(at);
  for (let start = children.next(); start !== NONE; start = children.next()) {
    if (start === PAUSED) {
      yield;
      continue;
    }
    const { keyStart, keyEnd } = children;
    if (!twins.has(hashKey(scanner, keyStart, keyEnd) || 1)) continue;
    last.set(keyName(scanner, keyStart, keyEnd), start);
    if (last.size > 2 * DUPLICATES) throw tooManyDuplicates();
  }
  return last;
}

function tooManyDuplicates(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "too_many_duplicates",
    say`An object has more than ${DUPLICATES} different duplicate keys. Ask for its members by name.`,
  );
}

class WatchedMembers implements Members {
  index = -1;
  readonly #scanner: Scanner;
  readonly #children: Children;
  readonly #twins: ReadonlySet<number>;
  readonly #last: ReadonlyMap<string, number>;

  constructor(scanner: Scanner, at: number, twins: ReadonlySet<number>, last: ReadonlyMap<string, number>) {
    this.#scanner = scanner;
    this.#children = scanner.children(at);
    this.#twins = twins;
    this.#last = last;
  }

  get keyStart(): number {
    return this.#children.keyStart;
  }

  get keyEnd(): number {
    return this.#children.keyEnd;
  }

  get start(): number {
    return this.#children.start;
  }

  get end(): number {
    return this.#children.end;
  }

  next(): number {
    for (;;) {
      const start = this.#children.next();
      if (start === NONE || start === PAUSED) return start;
      if (this.#isShadowed(start)) continue;
      this.index++;
      return start;
    }
  }

  #isShadowed(start: number): boolean {
    const { keyStart, keyEnd } = this.#children;
    if (!this.#twins.has(hashKey(this.#scanner, keyStart, keyEnd) || 1)) return false;
    const last = this.#last.get(keyName(this.#scanner, keyStart, keyEnd));
    return last !== undefined && last !== start;
  }
}
