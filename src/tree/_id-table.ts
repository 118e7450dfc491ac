// Owns: the index from foreign ids to slots: open addressing in copy-on-write pages, so that a root keeps its own.
// Must never: forget an id. Ids are never reused, so there is no removal.

import { newEpoch } from "./_page.ts";

const SHIFT = 8;
const SIZE = 1 << SHIFT;
const GROUP_SHIFT = 6;

interface Cells {
  owner: number;
  readonly ints: Int32Array;
}

interface Group {
  owner: number;
  readonly cells: (Cells | undefined)[];
}

/** What the table needs to compare: the foreign id that a slot carries. */
export type IdOfSlot = (slot: number) => string | undefined;

/** A cell holds slot + 1; 0 is free. Cells lie in pages of 256 under groups of 64, at most half of them taken. */
export interface IdTable {
  readonly capacity: number;
  readonly count: number;
  readonly groups: readonly (Group | undefined)[];
}

export const NO_IDS: IdTable = { capacity: 0, count: 0, groups: [] };

// Unknown to callers, who choose ids, so that colliding ids cannot be prepared. It never leaves the process.
const SEED = Math.floor(Math.random() * 0x1_0000_0000) | 0;

function hash(text: string): number {
  let h = SEED;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function cell(table: IdTable, at: number): number {
  return table.groups[at >>> (SHIFT + GROUP_SHIFT)]?.cells[(at >>> SHIFT) & 63]?.ints[at & (SIZE - 1)] ?? 0;
}

/** The slot that carries `id`, or -1. */
export function findId(table: IdTable, id: string, idOf: IdOfSlot): number {
  if (table.capacity === 0) return -1;
  const mask = table.capacity - 1;
  for (let at = hash(id) & mask; ; at = (at + 1) & mask) {
    const found = cell(table, at);
    if (found === 0) return -1;
    if (idOf(found - 1) === id) return found - 1;
  }
}

/** Adds ids within one epoch; `done` is the table with them. The table it began with stays as it was. */
export class IdTableDraft {
  #capacity: number;
  #count: number;
  #groups: (Group | undefined)[];
  readonly #epoch: number = newEpoch();

  constructor(table: IdTable) {
    this.#capacity = table.capacity;
    this.#count = table.count;
    this.#groups = table.groups.slice();
  }

  add(id: string, slot: number, idOf: IdOfSlot): void {
    if (this.#count * 2 >= this.#capacity) this.#grow(idOf);
    this.#put(id, slot);
    this.#count++;
  }

  done(): IdTable {
    return { capacity: this.#capacity, count: this.#count, groups: this.#groups };
  }

  #put(id: string, slot: number): void {
    const mask = this.#capacity - 1;
    for (let at = hash(id) & mask; ; at = (at + 1) & mask) {
      const ints = this.#own(at);
      if (ints[at & (SIZE - 1)] !== 0) continue;
      ints[at & (SIZE - 1)] = slot + 1;
      return;
    }
  }

  #own(at: number): Int32Array {
    const groupAt = at >>> (SHIFT + GROUP_SHIFT);
    let group = this.#groups[groupAt];
    if (group?.owner !== this.#epoch) {
      group = { owner: this.#epoch, cells: group?.cells.slice() ?? [] };
      this.#groups[groupAt] = group;
    }
    const cellsAt = (at >>> SHIFT) & 63;
    let cells = group.cells[cellsAt];
    if (cells?.owner !== this.#epoch) {
      cells = { owner: this.#epoch, ints: cells?.ints.slice() ?? new Int32Array(SIZE) };
      group.cells[cellsAt] = cells;
    }
    return cells.ints;
  }

  #grow(idOf: IdOfSlot): void {
    const old = this.done();
    this.#capacity = Math.max(SIZE, old.capacity * 4);
    this.#groups = [];
    for (let at = 0; at < old.capacity; at++) {
      const found = cell(old, at);
      if (found === 0) continue;
      const id = idOf(found - 1);
      if (id !== undefined) this.#put(id, found - 1);
    }
  }
}
