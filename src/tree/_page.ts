// Owns: the copy-on-write pages that hold nodes, and the numbering of epochs.
// Must never: change a page whose owner is not the epoch at work: an older root may still show it.

import type { JsonObject } from "../value.ts";

/*
 * A slot is a node's number in its tree. Slots live in pages of 64, pages in chunks of 128, chunks in the root row:
 *   slot = chunk (rest) | page (7 bits) | place (6 bits)
 * The first edit of an epoch copies one root row, one chunk and one page; whatever else is reachable stays shared.
 * With 128, row and chunk together are smallest where it matters most: at a million nodes.
 *
 * A record is seven integers, one after another: links[place * FIELDS + field]. Links are slots; NONE means "no node".
 * A live node reaches ROOT by its parents. A removed branch keeps its inner links and hangs in the air: its top has no
 * parent. So removing and reviving a branch cost the same whatever it holds. TYPE is an index into the tree's type
 * names; EMPTY marks a slot that never held a node.
 */
export const SHIFT = 6;
export const PAGE: number = 1 << SHIFT;
export const MASK: number = PAGE - 1;
export const CHUNK_SHIFT = 7;
const CHUNK: number = 1 << CHUNK_SHIFT;
export const CHUNK_MASK: number = CHUNK - 1;

export const FIELDS = 7;
export const PARENT = 0;
export const PREV = 1;
export const NEXT = 2;
export const FIRST = 3;
export const LAST = 4;
export const COUNT = 5;
export const TYPE = 6;

export const NONE = -1;
export const EMPTY = -1;
export const ROOT = 0;

export interface Page {
  owner: number;
  /** Links and payloads are copied apart: an edit of a payload shares the links with the page before, and a move the payloads. */
  links: Int32Array;
  linksOwner: number;
  payloads: (JsonObject | undefined)[];
  payloadsOwner: number;
  /** The three rare columns exist only in pages that need them. */
  tags: (readonly string[] | undefined)[] | undefined;
  /** Foreign ids of imported nodes. */
  ids: (string | undefined)[] | undefined;
  /** Rings of nodes that share one payload: the next slot of the ring. A node never leaves its ring. */
  twins: Int32Array | undefined;
}

export interface Chunk {
  owner: number;
  readonly pages: (Page | undefined)[];
}

export type Table = (Chunk | undefined)[];

let epochs = 0;

/** A number no page in this process carries yet. */
export function newEpoch(): number {
  return ++epochs;
}

const EMPTY_COLUMN: readonly undefined[] = Array.from({ length: PAGE }).fill(undefined) as undefined[];

/** A column of a page with nothing in it. */
export function emptyColumn<T>(): (T | undefined)[] {
  return EMPTY_COLUMN.slice();
}

export function newPage(owner: number): Page {
  const links = new Int32Array(PAGE * FIELDS).fill(NONE);
  const payloads = emptyColumn<JsonObject>();
  return {
    owner,
    links,
    linksOwner: owner,
    payloads,
    payloadsOwner: owner,
    tags: undefined,
    ids: undefined,
    twins: undefined,
  };
}

/** A page that shares both large columns until they are written. */
export function copyPage(page: Page, owner: number): Page {
  return {
    owner,
    links: page.links,
    linksOwner: page.linksOwner,
    payloads: page.payloads,
    payloadsOwner: page.payloadsOwner,
    tags: page.tags?.slice(),
    ids: page.ids?.slice(),
    twins: page.twins?.slice(),
  };
}
