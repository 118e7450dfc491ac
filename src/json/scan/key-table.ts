// Owns: where each key of one large object is, in twelve bytes for each slot, through the edits since it was made.
// Must never: hold the keys themselves; a hit is read in the document and compared.

import { composeSplices } from "../../text/splice-compose.ts";
import type { Splice } from "../../text/splice.ts";
import { LENGTHS, Moves } from "./moves.ts";
import { decodeString, NONE } from "./scanner.ts";

const encoder = new TextEncoder();
export const FNV_OFFSET = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;

/** FNV-1a over the UTF-8 bytes of a name. */
export function hashName(name: string): number {
  const bytes = encoder.encode(name);
  let hash = FNV_OFFSET;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), FNV_PRIME);
  return hash >>> 0;
}

/** The same of a key literal, quotes included: equal keys have equal hashes however they are escaped. */
export function hashLiteral(literal: Uint8Array): number {
  let hash = FNV_OFFSET;
  for (let i = 1; i < literal.length - 1; i++) {
    const byte = literal[i] ?? 0;
    if (byte === 0x5c) return hashName(decodeString(literal));
    hash = Math.imul(hash ^ byte, FNV_PRIME);
  }
  return hash >>> 0;
}

const NOWHERE: readonly number[] = [];

/** Longer runs of equal slots come from duplicate or chosen keys, and would make every look-up slow. */
const LONGEST_PROBE = 256;

/** Edits that a table carries along before all its places are moved. */
const MOST_LAYERS = 64;

/** One edit since the slots were filled: where it moved the keys before it, and the keys that came with it. */
interface Layer {
  readonly splices: readonly Splice<number>[];
  readonly moves: Moves;
  /** Places after the edit, by hash. */
  readonly added: ReadonlyMap<number, readonly number[]>;
}

/** Open addressing with linear probing. Duplicate keys are all there. */
export class KeyTable {
  #hashes: Uint32Array;
  #places: Float64Array;
  #used = 0;
  #layers: readonly Layer[] = [];

  readonly #maxBytes: number;

  constructor(expected = 16, maxBytes: number = Infinity) {
    this.#maxBytes = maxBytes;
    let slots = 16;
    while (slots < expected * 1.5) slots *= 2;
    this.#hashes = new Uint32Array(slots);
    this.#places = new Float64Array(slots).fill(NONE);
  }

  get bytes(): number {
    let bytes = 12 * this.#places.length;
    for (const { splices, added } of this.#layers) bytes += 200 * (splices.length + added.size);
    return bytes;
  }

  get size(): number {
    return this.#used;
  }

  /** False: the keys do not spread, or there are too many for the memory, and the table is of no use. */
  add(hash: number, place: number): boolean {
    if (++this.#used * 1.5 > this.#places.length && !this.#grow()) return false;
    return this.#put(hash, place);
  }

  #put(hash: number, place: number): boolean {
    const mask = this.#places.length - 1;
    for (let slot = hash & mask, probe = 0; probe < LONGEST_PROBE; slot = (slot + 1) & mask, probe++) {
      if (this.#places[slot] !== NONE) continue;
      this.#hashes[slot] = hash;
      this.#places[slot] = place;
      return true;
    }
    return false;
  }

  #grow(): boolean {
    const [hashes, places] = [this.#hashes, this.#places];
    if (24 * places.length > this.#maxBytes) return false;
    this.#hashes = new Uint32Array(2 * hashes.length);
    this.#places = new Float64Array(2 * places.length).fill(NONE);
    for (let i = 0; i < places.length; i++) {
      const place = places[i] ?? NONE;
      if (place !== NONE && !this.#put(hashes[i] ?? 0, place)) return false;
    }
    return true;
  }

  /** Places of keys that may have this hash, in no particular order. */
  candidates(hash: number): readonly number[] {
    const mask = this.#places.length - 1;
    let found: number[] | undefined;
    for (let slot = hash & mask; this.#places[slot] !== NONE; slot = (slot + 1) & mask)
      if (this.#hashes[slot] === hash) (found ??= []).push(this.#places[slot] ?? NONE);
    for (const { moves, added } of this.#layers) {
      const still = (found ?? NOWHERE).map((place) => moves.to(place)).filter((place) => place !== NONE);
      found = [...still, ...(added.get(hash) ?? NOWHERE)];
    }
    return found ?? NOWHERE;
  }

  /**
   * The table after an edit: keys that the splices remove are gone, those of `added` (hash and place) have come. Costs
   * little, and the size of the table once in many edits. Undefined when the keys no longer spread.
   */
  edited(
    splices: readonly Splice<number>[],
    added: readonly (readonly [hash: number, place: number])[],
  ): KeyTable | undefined {
    const byHash = new Map<number, number[]>();
    for (const [hash, place] of added) {
      const places = byHash.get(hash);
      if (places === undefined) byHash.set(hash, [place]);
      else places.push(place);
    }
    const table = new KeyTable(0, this.#maxBytes);
    table.#hashes = this.#hashes;
    table.#places = this.#places;
    table.#used = this.#used;
    table.#layers = [...this.#layers, { splices, moves: new Moves(splices), added: byHash }];
    return table.#layers.length < MOST_LAYERS ? table : table.#filledAnew();
  }

  #filledAnew(): KeyTable | undefined {
    const table = new KeyTable(this.#used, this.#maxBytes);
    // What happened after a layer, as one edit: it moves the keys that came with the layer.
    let after: readonly Splice<number>[] = [];
    for (const { splices, added } of this.#layers.toReversed()) {
      const moves = new Moves(after);
      for (const [hash, places] of added)
        for (const place of places) {
          const now = moves.to(place);
          if (now !== NONE && !table.add(hash, now)) return undefined;
        }
      after = composeSplices(splices, after, LENGTHS);
    }
    const moves = new Moves(after);
    for (let i = 0; i < this.#places.length; i++) {
      const place = this.#places[i] ?? NONE;
      const now = place === NONE ? NONE : moves.to(place);
      if (now !== NONE && !table.add(this.#hashes[i] ?? 0, now)) return undefined;
    }
    return table;
  }
}
