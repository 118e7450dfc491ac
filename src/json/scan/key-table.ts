// Owns: where each key of one large object is, in twelve bytes for each slot.
// Must never: hold the keys themselves; a hit is read in the document and compared.

import { NONE } from "./scanner.ts";

const encoder = new TextEncoder();

/** FNV-1a over the UTF-8 bytes of a name. */
export function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const NOBODY: readonly number[] = [];

/** Longer runs of equal slots come from duplicate or chosen keys, and would make every look-up slow. */
const LONGEST_PROBE = 256;

/** Open addressing with linear probing. Duplicate keys are all kept. */
export class KeyTable {
  #hashes: Uint32Array;
  #places: Float64Array;
  #used = 0;

  constructor(expected = 16) {
    let slots = 16;
    while (slots < expected * 1.5) slots *= 2;
    this.#hashes = new Uint32Array(slots);
    this.#places = new Float64Array(slots).fill(NONE);
  }

  get bytes(): number {
    return 12 * this.#places.length;
  }

  get size(): number {
    return this.#used;
  }

  /** False: the keys do not spread, and the table is of no use. */
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
    return found ?? NOBODY;
  }

  /** The same keys at other places. */
  moved(to: (place: number) => number): KeyTable {
    const table = new KeyTable(0);
    table.#used = this.#used;
    table.#hashes = this.#hashes;
    table.#places = this.#places.map((place) => (place === NONE ? NONE : to(place)));
    return table;
  }
}
