// Owns: a scanner that remembers: the same results, at once where the place or one near it has been seen before.
// Must never: return from memory what a fresh scan would not return.
//
// Only containers larger than one stride are remembered; anything smaller is scanned faster than looked up. What is
// learned is a by-product of the pass that was asked for, except the key table, which the second unknown key of one
// object pays for.

import type { ByteSource } from "../../text/byte-source.ts";
import {
  type DocumentIndex,
  type JsonIndexes,
  KnownContainer,
  type KnownMember,
  nearestSample,
  SAMPLE_STRIDE,
} from "./index-store.ts";
import { hashLiteral, hashName, KeyTable } from "./key-table.ts";
import type { Rows } from "./rows.ts";
import {
  type Children,
  decodeString,
  type Keys,
  type JsonKind,
  type Mode,
  NONE,
  PAUSED,
  STRIDE,
  type IndexableScanner,
  type Watch,
} from "./scanner.ts";

const MOST_NAMES = 1_000;
const LONGEST_NAME = 1_000;
/** More duplicates of one key than this are looked for in one go. */
const MOST_ALIKE = 8;
const ABSENT: KnownMember = { key: NONE, value: NONE, count: 0 };
/** A table may take this part of all the memory for indexes. */
const TABLE_SHARE = 4;

export class IndexedScanner implements IndexableScanner {
  readonly source: ByteSource;
  readonly #inner: IndexableScanner;
  readonly #indexes: JsonIndexes;
  readonly #index: DocumentIndex;
  #pending: (() => number) | undefined;

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

  /** Makes a result out of one that may have paused. */
  #then(answer: number, make: (answer: number) => number): number {
    if (answer !== PAUSED) return make(answer);
    this.#pending = () => this.#then(this.#inner.resume(), make);
    return PAUSED;
  }

  /** The same for a result of this scanner. */
  #afterOwn(answer: number, make: (answer: number) => number): number {
    if (answer !== PAUSED) return make(answer);
    const pending = this.#pending;
    this.#pending = () => this.#afterOwn(pending === undefined ? this.#inner.resume() : pending(), make);
    return PAUSED;
  }

  resume(): number {
    const pending = this.#pending;
    if (pending === undefined) return this.#inner.resume();
    this.#pending = undefined;
    return pending();
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
    return this.#then(end, (far) => {
      this.#remember(at, far);
      return far;
    });
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
    return this.#survey(at, at + 1, [0, at + 1]);
  }

  /** Counts the children and takes samples on the way. */
  #survey(at: number, from: number, samples: number[]): number {
    let place = from;
    for (;;) {
      const answer = this.#inner.stride(at, place, SAMPLE_STRIDE);
      if (answer === PAUSED) {
        const stood = place;
        this.#pending = () => this.#strode(at, stood, this.#inner.resume(), samples);
        return PAUSED;
      }
      if (answer === NONE) return this.#surveyed(at, samples);
      samples.push((samples.at(-2) ?? 0) + this.#inner.stridden.commas, answer);
      place = answer;
    }
  }

  #strode(at: number, place: number, answer: number, samples: number[]): number {
    if (answer === PAUSED) {
      this.#pending = () => this.#strode(at, place, this.#inner.resume(), samples);
      return PAUSED;
    }
    if (answer === NONE) return this.#surveyed(at, samples);
    samples.push((samples.at(-2) ?? 0) + this.#inner.stridden.commas, answer);
    return this.#survey(at, answer, samples);
  }

  #surveyed(at: number, samples: number[]): number {
    const { commas, close } = this.#inner.stridden;
    if (close === NONE) {
      this.suspect();
      return NONE;
    }
    if (this.#inner.byte(close - 1) !== this.#inner.byte(at) + 2) this.suspect();
    const place = samples.at(-1) ?? at + 1;
    // The last part is blank in an empty container and after a trailing comma.
    const last = (samples.at(-2) ?? 0) + commas;
    const count = last + (this.#lastPartIsBlank(at, place, commas, close) ? 0 : 1);
    const known = this.#remember(at, close);
    if (known !== undefined) {
      known.count = count;
      known.samples = Float64Array.from(samples);
      this.#learned();
    }
    return count;
  }

  #lastPartIsBlank(at: number, place: number, commas: number, close: number): boolean {
    if (this.#inner.comments) {
      // Comments may follow the last comma: only walking tells.
      const children = this.#inner.childrenFrom(at, place, 0);
      let passed = 0;
      for (let start = children.next(); start !== NONE; start = children.next())
        if (start !== PAUSED) passed++;
      return passed <= commas;
    }
    const tail = this.#inner.bytes(Math.max(at, close - 65), close - 1);
    for (let i = tail.length - 1; i >= 0; i--) {
      const byte = tail[i] ?? 0;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      return byte === 0x2c || (tail.length === close - 1 - at && i === 0);
    }
    let i = close - 66;
    while (i > at && " \n\r\t".includes(String.fromCharCode(this.#inner.byte(i)))) i--;
    return i <= at || this.#inner.byte(i) === 0x2c;
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
    return this.#afterOwn(this.count(at), () => {
      const known = this.#index.containers.get(at);
      return known !== undefined && known.count >= 0 ? this.nth(at, index) : this.#inner.nth(at, index);
    });
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
    return this.#afterOwn(this.count(at), () => {
      const known = this.#index.containers.get(at);
      if (known === undefined || known.count < 0) return at + 1;
      // The nearest one may be right before the place; between each two there is a child at least.
      let place = upTo;
      for (let i = 0; i < 3; i++) [, place] = nearestSample(known.samples, 1, place - 1);
      return place;
    });
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
      const member = this.#known(known, keys.names[i] ?? "");
      if (member === undefined) return this.#missed(known, keys);
      keys.keys[i] = member.key;
      keys.values[i] = member.value;
      keys.counts[i] = member.count;
    }
    return known.end;
  }

  #firstFind(at: number, keys: Keys): number {
    if (keys.names.length === 1 && at === this.root() && this.#inner.byte(at) === 0x7b)
      return this.#findAlong(at, keys, at + 1, ABSENT);
    return this.#plainFind(at, keys);
  }

  /**
   * Looks for one key of the root, which is most of the document, occurrence by occurrence. A large value between two
   * of them is stepped over by counting its children, so that the same pass also learns the way into it.
   */
  #findAlong(at: number, keys: Keys, start: number, seen: KnownMember): number {
    let from = start;
    let last = seen;
    for (;;) {
      const value = this.#inner.seek(at, keys, from);
      if (value === PAUSED) return this.#then(value, (late) => this.#foundAlong(at, keys, late, last));
      if (value === NONE) return this.#closedAlong(at, keys, last);
      last = { key: keys.keys[0] ?? NONE, value, count: last.count + 1 };
      if (last.count > MOST_ALIKE) return this.#plainFind(at, keys);
      const end = this.#endOf(value);
      if (end === PAUSED) return this.#afterOwn(end, (late) => this.#passedAlong(at, keys, late, last));
      if (end === NONE) return this.#plainFind(at, keys);
      from = end;
    }
  }

  #foundAlong(at: number, keys: Keys, value: number, seen: KnownMember): number {
    if (value === NONE) return this.#closedAlong(at, keys, seen);
    const last = { key: keys.keys[0] ?? NONE, value, count: seen.count + 1 };
    if (last.count > MOST_ALIKE) return this.#plainFind(at, keys);
    return this.#afterOwn(this.#endOf(value), (end) => this.#passedAlong(at, keys, end, last));
  }

  #passedAlong(at: number, keys: Keys, end: number, last: KnownMember): number {
    return end === NONE ? this.#plainFind(at, keys) : this.#findAlong(at, keys, end, last);
  }

  #closedAlong(at: number, keys: Keys, { key, value, count }: KnownMember): number {
    const { closed } = this.#inner;
    if (closed === NONE) return this.#plainFind(at, keys);
    keys.clear();
    keys.keys[0] = key;
    keys.values[0] = value;
    keys.counts[0] = count;
    const known = this.#remember(at, closed);
    if (known !== undefined) this.#note(known, keys);
    return closed;
  }

  /** The end of any value; children of a container are counted on the way. */
  #endOf(at: number): number {
    const opener = this.#inner.byte(at);
    if (opener !== 0x7b && opener !== 0x5b) return this.#inner.end(at);
    return this.#afterOwn(this.count(at), () => this.end(at));
  }

  #plainFind(at: number, keys: Keys): number {
    const end = this.#inner.find(at, keys);
    if (end !== PAUSED && end - at <= STRIDE) return end;
    return this.#then(end, (far) => {
      const known = this.#remember(at, far);
      if (known !== undefined) this.#note(known, keys);
      return far;
    });
  }

  /** Two unknown look-ups in one object: the next ones shall be cheap. */
  #missed(known: KnownContainer, keys: Keys): number {
    if (++known.misses < 2 || known.table !== undefined) return this.#firstFind(known.start, keys);
    return this.#afterOwn(this.tabulate(known.start), (table) =>
      table === NONE ? this.#firstFind(known.start, keys) : this.find(known.start, keys),
    );
  }

  tabulate(at: number): number {
    return this.#afterOwn(this.end(at), () => {
      const known = this.#index.containers.get(at);
      if (known === undefined || !known.members) return NONE;
      if (known.table !== undefined) return known.table.size;
      if (known.misses === Number.NEGATIVE_INFINITY) return NONE;
      const table = new KeyTable(known.count, this.#indexes.maxBytes / TABLE_SHARE);
      return this.#fillTable(known, this.#inner.children(at), table, [0, at + 1]);
    });
  }

  #fillTable(known: KnownContainer, children: Children, table: KeyTable, samples: number[]): number {
    for (;;) {
      const start = children.next();
      if (start === PAUSED) {
        this.#pending = () => this.#fillTable(known, children, table, samples);
        return PAUSED;
      }
      if (start === NONE) break;
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

  /** A member from memory; undefined when it was never looked for. */
  #known(known: KnownContainer, name: string): KnownMember | undefined {
    const held = known.names.get(name);
    if (held !== undefined || known.table === undefined) return held;
    let key = NONE;
    let count = 0;
    for (const place of known.table.candidates(hashName(name))) {
      if (!this.#isKey(place, name)) continue;
      key = Math.max(key, place);
      count++;
    }
    const member = { key, value: key === NONE ? NONE : this.#valueBehind(key), count };
    this.#hold(known, name, member);
    return member;
  }

  #isKey(place: number, name: string): boolean {
    // The longest spelling of a name is six bytes for each UTF-16 unit.
    const literal = this.#inner.bytes(place, place + 6 * name.length + 2);
    let end = 1;
    while (end < literal.length && literal[end] !== 0x22) end += literal[end] === 0x5c ? 2 : 1;
    return end < literal.length && decodeString(literal.subarray(0, end + 1)) === name;
  }

  #valueBehind(key: number): number {
    let end = this.#inner.end(key);
    while (end === PAUSED) end = this.#inner.resume();
    return this.#inner.blank(this.#inner.blank(end) + 1);
  }

  #note(known: KnownContainer, keys: Keys): void {
    for (let i = 0; i < keys.names.length; i++)
      this.#hold(known, keys.names[i] ?? "", {
        key: keys.keys[i] ?? NONE,
        value: keys.values[i] ?? NONE,
        count: keys.counts[i] ?? 0,
      });
    this.#learned();
  }

  #hold(known: KnownContainer, name: string, member: KnownMember): void {
    if (name.length <= LONGEST_NAME && known.names.size < MOST_NAMES) known.names.set(name, member);
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
    return this.#lines(Math.min(upTo, this.source.size));
  }

  #lines(upTo: number): number {
    const { lines } = this.#index;
    for (;;) {
      const [before, place] = nearestSample(lines, 1, upTo);
      const next = place + STRIDE;
      if (place !== lines.at(-1) || next > upTo)
        return this.#then(this.#inner.linesBetween(place, upTo), (more) => before + more);
      const more = this.#inner.linesBetween(place, next);
      if (more === PAUSED) return this.#then(more, (late) => this.#lineStep(place, before + late, upTo));
      lines.push(before + more, next);
    }
  }

  #lineStep(place: number, before: number, upTo: number): number {
    const { lines } = this.#index;
    // Another scanner of the same document may have counted on meanwhile.
    if (lines.at(-1) === place) lines.push(before, place + STRIDE);
    return this.#lines(upTo);
  }

  linesBetween(from: number, upTo: number): number {
    return this.#inner.linesBetween(from, upTo);
  }

  validate(mode: Mode): number {
    return this.#judged(mode, () => this.#inner.validate(mode));
  }

  check(mode: Mode, watch?: Watch): number {
    return this.#afterOwn(
      this.#judged(mode, () => this.#inner.check(mode, watch)),
      (fault) => {
        if (fault === NONE && watch !== undefined) this.#watched(watch);
        return fault;
      },
    );
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

  #judged(mode: Mode, judge: () => number): number {
    if (this.#index.isValid(mode)) return NONE;
    return this.#then(judge(), (fault) => {
      if (fault === NONE) this.#index.modes.add(mode);
      return fault;
    });
  }
}
