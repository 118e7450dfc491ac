// Owns: a scanner that remembers: the same results, at once where the place or one near it has been seen before.
// Must never: return from memory what a fresh scan would not return.
//
// Only containers larger than one stride are remembered; anything smaller is scanned faster than looked up. What is
// learned is a by-product of the pass that was asked for, except the key table, which the second unknown key of one
// object pays for.
//
// What is known, or found in one small object, is returned at once. Only what takes a longer pass is written as steps.

import type { ByteSource } from "../../text/byte-source.ts";
import type { Steps } from "../../text/steps.ts";
import {
  type DocumentIndex,
  type JsonIndexes,
  KnownContainer,
  nearestSample,
  SAMPLE_STRIDE,
} from "./index-store.ts";
import { hashLiteral, KeyTable } from "./key-table.ts";
import { holdFound, knownMember } from "./known-members.ts";
import type { Rows } from "./rows.ts";
import {
  type Children,
  type Keys,
  type JsonKind,
  type Mode,
  NONE,
  PAUSED,
  settle,
  STRIDE,
  type IndexableScanner,
  type Watch,
} from "./scanner.ts";

/** More duplicates of one key than this are looked for in one go. */
const MOST_ALIKE = 8;
/** A table may take this part of all the memory for indexes. */
const TABLE_SHARE = 4;

export class IndexedScanner implements IndexableScanner {
  readonly source: ByteSource;
  readonly #inner: IndexableScanner;
  readonly #indexes: JsonIndexes;
  readonly #index: DocumentIndex;
  /** What is left of the call that paused, unless it is the inner scanner's own. */
  #rest: Steps<number> | undefined;

  constructor(inner: IndexableScanner, indexes: JsonIndexes) {
    this.#inner = inner;
    this.source = inner.source;
    this.#indexes = indexes;
    this.#index = indexes.of(inner.source.id);
  }

  get comments(): boolean {
    return this.#inner.comments;
  }

  get suspicious(): boolean {
    return this.#inner.suspicious;
  }

  suspect(): void {
    this.#inner.suspect();
  }

  get closed(): number {
    return this.#inner.closed;
  }

  get stridden(): { commas: number; close: number } {
    return this.#inner.stridden;
  }

  #learned(): void {
    this.#indexes.weigh(this.source.id, this.#index);
  }

  /** Runs steps to their end or their first pause. */
  #begin(steps: Steps<number>): number {
    const step = steps.next();
    if (step.done === true) return step.value;
    this.#rest = steps;
    return PAUSED;
  }

  resume(): number {
    const rest = this.#rest;
    if (rest === undefined) return this.#inner.resume();
    this.#rest = undefined;
    return this.#begin(rest);
  }

  /** Inside steps: the result of a call of this scanner. */
  *#settle(result: number): Steps<number> {
    const rest = this.#rest;
    if (result !== PAUSED || rest === undefined) return yield* settle(this.#inner, result);
    this.#rest = undefined;
    yield;
    return yield* rest;
  }

  root(): number {
    const known = this.#index.root;
    if (known !== undefined) return known;
    const root = this.#inner.root();
    // After a comment it is looked for each time: the caller learns of the comment too.
    if (!this.#inner.comments) this.#index.root = root;
    return root;
  }

  byte(at: number): number {
    return this.#inner.byte(at);
  }

  blank(at: number): number {
    return this.#inner.blank(at);
  }

  kind(at: number): JsonKind | undefined {
    const known = this.#index.containers.get(at);
    if (known !== undefined) return known.members ? "object" : "array";
    return this.#inner.kind(at);
  }

  bytes(start: number, end: number): Uint8Array {
    return this.#inner.bytes(start, end);
  }

  end(at: number): number {
    const known = this.#index.containers.get(at);
    if (known !== undefined) return known.end;
    const end = this.#inner.end(at);
    if (end !== PAUSED && end - at <= STRIDE) return end;
    return this.#begin(this.#endSteps(at, end));
  }

  *#endSteps(at: number, sofar: number): Steps<number> {
    const end = yield* settle(this.#inner, sofar);
    this.#remember(at, end);
    return end;
  }

  #remember(at: number, end: number): KnownContainer | undefined {
    if (end === NONE || end - at <= STRIDE) return undefined;
    const opener = this.#inner.byte(at);
    if (opener !== 0x7b && opener !== 0x5b) return undefined;
    const index = this.#index;
    let known = index.containers.get(at);
    if (known === undefined) {
      known = new KnownContainer(at, end, opener === 0x7b);
      index.containers.set(at, known);
      this.#learned();
    }
    return known;
  }

  count(at: number): number {
    const known = this.#index.containers.get(at);
    if (known !== undefined && known.count >= 0) return known.count;
    const opener = this.#inner.byte(at);
    if (opener !== 0x7b && opener !== 0x5b) return NONE;
    const place = this.#inner.stride(at, at + 1, SAMPLE_STRIDE);
    return place === NONE ? this.#counted(at, [0, at + 1]) : this.#begin(this.#countSteps(at, place));
  }

  /** Counts the children from the first stride on and takes samples on the way. */
  *#countSteps(at: number, first: number): Steps<number> {
    const samples = [0, at + 1];
    for (let result = first; ;) {
      const place = result === PAUSED ? yield* settle(this.#inner, result) : result;
      if (place === NONE) return this.#counted(at, samples);
      samples.push((samples.at(-2) ?? 0) + this.#inner.stridden.commas, place);
      result = this.#inner.stride(at, place, SAMPLE_STRIDE);
    }
  }

  #counted(at: number, samples: number[]): number {
    const { commas, close } = this.#inner.stridden;
    if (close === NONE) {
      this.suspect();
      return NONE;
    }
    if (this.#inner.byte(close - 1) !== this.#inner.byte(at) + 2) this.suspect();
    const place = samples.at(-1) ?? at + 1;
    // The last part is blank in an empty container and after a trailing comma.
    const last = (samples.at(-2) ?? 0) + commas;
    const count = last + (lastPartIsBlank(this.#inner, at, place, commas, close) ? 0 : 1);
    const known = this.#remember(at, close);
    if (known !== undefined) {
      known.count = count;
      known.samples = Float64Array.from(samples);
      this.#learned();
    }
    return count;
  }

  nth(at: number, index: number): number {
    if (index < 0) return NONE;
    const known = this.#index.containers.get(at);
    if (known === undefined || known.count < 0) return this.#firstNth(at, index);
    if (index >= known.count) return NONE;
    const [ordinal, place] = nearestSample(known.samples, 0, index);
    return this.#inner.hop(at, place, index - ordinal, known.members);
  }

  /** A first look far into a container takes samples on its way, as counting does. */
  #firstNth(at: number, index: number): number {
    const opener = this.#inner.byte(at);
    if (index < 64 || (opener !== 0x7b && opener !== 0x5b)) return this.#inner.nth(at, index);
    return this.#begin(this.#nthSteps(at, index));
  }

  *#nthSteps(at: number, index: number): Steps<number> {
    yield* this.#settle(this.count(at));
    const known = this.#index.containers.get(at);
    if (known !== undefined && known.count >= 0) return yield* this.#settle(this.nth(at, index));
    return yield* settle(this.#inner, this.#inner.nth(at, index));
  }

  children(at: number, first = 0): Children {
    const known = this.#index.containers.get(at);
    if (known === undefined || known.count < 0 || first === 0) return this.#inner.children(at, first);
    const [ordinal, place] = nearestSample(known.samples, 0, first);
    const children = this.#inner.childrenFrom(at, place, ordinal);
    for (let i = ordinal; i < first; i++) {
      let start = children.next();
      while (start === PAUSED) start = children.next();
    }
    return children;
  }

  childrenFrom(at: number, place: number, index: number): Children {
    return this.#inner.childrenFrom(at, place, index);
  }

  landmark(at: number, upTo: number): number {
    return this.#begin(this.#landmarkSteps(at, upTo));
  }

  *#landmarkSteps(at: number, upTo: number): Steps<number> {
    yield* this.#settle(this.count(at));
    const known = this.#index.containers.get(at);
    if (known === undefined || known.count < 0) return at + 1;
    // The nearest one may be right before the place; between each two there is a child at least.
    let place = upTo;
    for (let i = 0; i < 3; i++) [, place] = nearestSample(known.samples, 1, place - 1);
    return place;
  }

  hop(at: number, place: number, count: number, members: boolean): number {
    return this.#inner.hop(at, place, count, members);
  }

  stride(at: number, place: number, bytes: number): number {
    return this.#inner.stride(at, place, bytes);
  }

  find(at: number, keys: Keys): number {
    const known = this.#index.containers.get(at);
    if (known === undefined || !known.members) return this.#firstFind(at, keys);
    keys.clear();
    for (let i = 0; i < keys.names.length; i++) {
      const member = knownMember(this.#inner, known, keys.names[i] ?? "");
      if (member === undefined) return this.#missed(known, keys);
      keys.keys[i] = member.key;
      keys.values[i] = member.value;
      keys.counts[i] = member.count;
    }
    return known.end;
  }

  #firstFind(at: number, keys: Keys): number {
    if (keys.names.length === 1 && at === this.root() && this.#inner.byte(at) === 0x7b)
      return this.#begin(this.#findInRootSteps(at, keys));
    return this.#plainFind(at, keys);
  }

  /**
   * Looks for one key of the root, which is most of the document, occurrence by occurrence. A large value between two
   * of them is stepped over by counting its children, so that the same pass also learns the way into it.
   */
  *#findInRootSteps(at: number, keys: Keys): Steps<number> {
    const inner = this.#inner;
    let [key, last, count] = [NONE, NONE, 0];
    for (let from = at + 1; from !== NONE && count <= MOST_ALIKE; count++) {
      const value = yield* settle(inner, inner.seek(at, keys, from));
      if (value === NONE) {
        if (inner.closed === NONE) break;
        keys.clear();
        keys.keys[0] = key;
        keys.values[0] = last;
        keys.counts[0] = count;
        this.#noteFound(at, inner.closed, keys);
        return inner.closed;
      }
      [key, last] = [keys.keys[0] ?? NONE, value];
      // The children of a container are counted on the way to its end.
      const opener = inner.byte(value);
      if (opener === 0x7b || opener === 0x5b) yield* this.#settle(this.count(value));
      from = yield* this.#settle(this.end(value));
    }
    return yield* this.#settle(this.#plainFind(at, keys));
  }

  #plainFind(at: number, keys: Keys): number {
    const end = this.#inner.find(at, keys);
    if (end !== PAUSED && end - at <= STRIDE) return end;
    return this.#begin(this.#plainFindSteps(at, keys, end));
  }

  *#plainFindSteps(at: number, keys: Keys, sofar: number): Steps<number> {
    const end = yield* settle(this.#inner, sofar);
    this.#noteFound(at, end, keys);
    return end;
  }

  /** Two unknown look-ups in one object: the next ones shall be cheap. */
  #missed(known: KnownContainer, keys: Keys): number {
    if (++known.misses < 2 || known.table !== undefined) return this.#firstFind(known.start, keys);
    return this.#begin(this.#tableFindSteps(known.start, keys));
  }

  *#tableFindSteps(at: number, keys: Keys): Steps<number> {
    const table = yield* this.#settle(this.tabulate(at));
    return yield* this.#settle(table === NONE ? this.#firstFind(at, keys) : this.find(at, keys));
  }

  tabulate(at: number): number {
    return this.#begin(this.#tabulateSteps(at));
  }

  *#tabulateSteps(at: number): Steps<number> {
    yield* this.#settle(this.end(at));
    const known = this.#index.containers.get(at);
    if (known === undefined || !known.members) return NONE;
    if (known.table !== undefined) return known.table.size;
    if (known.misses === Number.NEGATIVE_INFINITY) return NONE;
    const table = new KeyTable(known.count, this.#indexes.maxBytes / TABLE_SHARE);
    const samples = [0, at + 1];
    const children = this.#inner.children(at);
    for (let start = children.next(); start !== NONE; start = children.next()) {
      if (start === PAUSED) {
        yield;
        continue;
      }
      const { keyStart, keyEnd, index } = children;
      if (keyStart - (samples.at(-1) ?? 0) >= SAMPLE_STRIDE) samples.push(index, keyStart);
      // Too many keys for the memory there is, or too many alike: they will be looked up by scanning.
      if (!table.add(hashLiteral(this.#inner.bytes(keyStart, keyEnd)), keyStart)) {
        known.misses = Number.NEGATIVE_INFINITY;
        return NONE;
      }
    }
    known.table = table;
    if (children.close === known.end) {
      known.count = children.index + 1;
      known.samples = Float64Array.from(samples);
    }
    this.#learned();
    return table.size;
  }

  /** Remembers an object that a look-up has passed as a whole, and what it found. */
  #noteFound(at: number, end: number, keys: Keys): void {
    const known = this.#remember(at, end);
    if (known === undefined) return;
    holdFound(known, keys);
    this.#learned();
  }

  rows(at: number, rows: Rows): number {
    return this.#inner.rows(at, rows);
  }

  seek(at: number, keys: Keys, from: number = at + 1): number {
    const known = this.#index.containers.get(at);
    const name = keys.names[0];
    if (known !== undefined && keys.names.length === 1 && name !== undefined) {
      const member = known.names.get(name);
      // Of a key that occurs once at most, the last occurrence is the first.
      if (member !== undefined && member.count <= 1) {
        keys.clear();
        if (member.key === NONE || member.key < from) return NONE;
        keys.note(0, member.key, member.value);
        return member.value;
      }
    }
    return this.#inner.seek(at, keys, from);
  }

  lines(upTo: number): number {
    const end = Math.min(upTo, this.source.size);
    const [before, place] = nearestSample(this.#index.lines, 1, end);
    if (this.#isUncounted(place, end)) return this.#begin(this.#lineSteps(end));
    const more = this.#inner.linesBetween(place, end);
    return more === PAUSED ? this.#begin(this.#addSteps(before, more)) : before + more;
  }

  /** Whether a stride from the last counted place on is before `upTo`. */
  #isUncounted(place: number, upTo: number): boolean {
    return place === this.#index.lines.at(-1) && place + STRIDE <= upTo;
  }

  *#lineSteps(upTo: number): Steps<number> {
    const { lines } = this.#index;
    for (;;) {
      const [before, place] = nearestSample(lines, 1, upTo);
      if (!this.#isUncounted(place, upTo)) return yield* this.#settle(this.lines(upTo));
      const more = yield* settle(this.#inner, this.#inner.linesBetween(place, place + STRIDE));
      // Another scanner of the same document may have counted on meanwhile.
      if (lines.at(-1) === place) lines.push(before + more, place + STRIDE);
    }
  }

  *#addSteps(before: number, sofar: number): Steps<number> {
    return before + (yield* settle(this.#inner, sofar));
  }

  linesBetween(from: number, upTo: number): number {
    return this.#inner.linesBetween(from, upTo);
  }

  validate(mode: Mode): number {
    if (this.#index.isValid(mode)) return NONE;
    return this.#begin(this.#judgeSteps(mode, this.#inner.validate(mode)));
  }

  check(mode: Mode, watch?: Watch): number {
    if (this.#index.isValid(mode)) return NONE;
    return this.#begin(this.#judgeSteps(mode, this.#inner.check(mode, watch), watch));
  }

  checkValue(start: number, end: number): number {
    if (this.#index.isValid("jsonc")) return NONE;
    if (this.#index.containers.get(start)?.checked === true) return NONE;
    const result = this.#inner.checkValue(start, end);
    if (result !== PAUSED && end - start <= STRIDE) return result;
    return this.#begin(this.#checkedSteps(start, end, result));
  }

  *#checkedSteps(start: number, end: number, sofar: number): Steps<number> {
    const fault = yield* settle(this.#inner, sofar);
    const known = fault === NONE ? this.#remember(start, end) : undefined;
    if (known !== undefined) known.checked = true;
    return fault;
  }

  *#judgeSteps(mode: Mode, sofar: number, watch?: Watch): Steps<number> {
    const fault = yield* settle(this.#inner, sofar);
    if (fault !== NONE) return fault;
    this.#index.modes.add(mode);
    if (watch !== undefined) this.#watched(watch);
    return NONE;
  }

  /** A check of a document that turned out valid has seen all of this container. */
  #watched({ start, end, commas, samples }: Watch): void {
    if (end === NONE) return;
    const known = this.#remember(start, end);
    if (known === undefined) return;
    known.count = commas === 0 && this.#inner.blank(start + 1) === end - 1 ? 0 : commas + 1;
    known.samples = Float64Array.from(samples);
    this.#learned();
  }
}

/** Is nothing but blanks between the last comma of a container, or its opening bracket, and its closing one? */
function lastPartIsBlank(
  scanner: IndexableScanner,
  at: number,
  place: number,
  commas: number,
  close: number,
): boolean {
  if (scanner.comments) {
    // Comments may follow the last comma: only walking tells.
    const children = scanner.childrenFrom(at, place, 0);
    let passed = 0;
    for (let start = children.next(); start !== NONE; start = children.next()) if (start !== PAUSED) passed++;
    return passed <= commas;
  }
  const tail = scanner.bytes(Math.max(at, close - 65), close - 1);
  for (let i = tail.length - 1; i >= 0; i--) {
    const byte = tail[i] ?? 0;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
    return byte === 0x2c || (tail.length === close - 1 - at && i === 0);
  }
  let i = close - 66;
  while (i > at && " \n\r\t".includes(String.fromCharCode(scanner.byte(i)))) i--;
  return i <= at || scanner.byte(i) === 0x2c;
}
