// Owns: the copy-on-write pages that hold nodes, the way from a slot to its page, and the numbering of epochs.
// Must never: change a page whose owner is not the epoch at work: an older root may still show it.

import type { JsonObject } from "../value.ts";

/*
 * A slot is a node's number in its tree. Slots live in pages of 32, pages in chunks of 32, chunks in blocks of 32, blocks
 * in the table:
 *   slot = block (rest) | chunk (5 bits) | page (5 bits) | place (5 bits)
 * The first edit of an epoch copies the table, one block, one chunk and one column of a page; whatever else is reachable
 * stays shared. At a million nodes that is four rows of 32, which is why there are three levels: what an edit costs there
 * is the memory it writes.
 *
 * A record is seven integers, one after another: links[place * FIELDS + field]. Links are slots; NONE means "no node".
 * A live node reaches ROOT by its parents. A removed branch keeps its inner links and hangs in the air: its top has no
 * parent. So removing and reviving a branch change one link, whatever it holds. TYPE is an index into the tree's type
 * names; EMPTY marks a slot that never held a node.
 */
const SHIFT = 5;
export const PAGE: number = 1 << SHIFT;
export const MASK: number = PAGE - 1;
const GROUP_SHIFT = 5;
const GROUP_MASK: number = (1 << GROUP_SHIFT) - 1;
const CHUNK_SHIFT: number = SHIFT + GROUP_SHIFT;
const BLOCK_SHIFT: number = CHUNK_SHIFT + GROUP_SHIFT;

export const FIELDS = 7;
export const PARENT = 0;
export const PREV = 1;
export const NEXT = 2;
export const FIRST = 3;
export const LAST = 4;
export const COUNT = 5;
export const TYPE = 6;

export const NO_SLOT = -1;
export const EMPTY = -1;
export const ROOT_SLOT = 0;

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

type Row<T> = (T | undefined)[];

/** A chunk of pages, or a block of chunks. */
interface Group<T> {
  readonly owner: number;
  readonly row: Row<T>;
}

export type Table = Row<Group<Group<Page>>>;

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

function newPage(owner: number): Page {
  const links = new Int32Array(PAGE * FIELDS).fill(NO_SLOT);
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
function copyPage(page: Page, owner: number): Page {
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

/** The page of a slot, if anything was ever written there. */
export function pageAt(table: Table, slot: number): Page | undefined {
  return table[slot >>> BLOCK_SHIFT]?.row[(slot >>> CHUNK_SHIFT) & GROUP_MASK]?.row[
    (slot >>> SHIFT) & GROUP_MASK
  ];
}

/** The page of a slot for an epoch to write in: made, or copied with the groups above it, unless they are its own. */
export function ownPage(table: Table, slot: number, owner: number): Page {
  const chunks = ownRow(table, slot >>> BLOCK_SHIFT, owner);
  const pages = ownRow(chunks, (slot >>> CHUNK_SHIFT) & GROUP_MASK, owner);
  const at = (slot >>> SHIFT) & GROUP_MASK;
  lengthen(pages, at);
  let page = pages[at];
  if (page?.owner !== owner) {
    page = page === undefined ? newPage(owner) : copyPage(page, owner);
    pages[at] = page;
  }
  return page;
}

function ownRow<T>(groups: Row<Group<T>>, at: number, owner: number): Row<T> {
  lengthen(groups, at);
  let group = groups[at];
  if (group?.owner !== owner) {
    group = { owner, row: group?.row.slice() ?? [] };
    groups[at] = group;
  }
  return group.row;
}

/** Without holes, which would make every read slower. */
function lengthen(row: Row<unknown>, at: number): void {
  while (row.length <= at) row.push(undefined);
}

/** Calls `visit` with every two pages at the same slots that are not one and the same, and the first of those slots. */
export function differingPages(
  a: Table,
  b: Table,
  visit: (old: Page | undefined, now: Page | undefined, base: number) => void,
): void {
  eachDiffering(a, b, (oldBlock, block, i) => {
    eachDiffering(oldBlock?.row, block?.row, (oldChunk, chunk, j) => {
      const first = (i << BLOCK_SHIFT) | (j << CHUNK_SHIFT);
      eachDiffering(oldChunk?.row, chunk?.row, (old, now, k) => visit(old, now, first | (k << SHIFT)));
    });
  });
}

function eachDiffering<T>(
  a: Row<T> | undefined,
  b: Row<T> | undefined,
  visit: (old: T | undefined, now: T | undefined, at: number) => void,
): void {
  const length = Math.max(a?.length ?? 0, b?.length ?? 0);
  for (let at = 0; at < length; at++) if (a?.[at] !== b?.[at]) visit(a?.[at], b?.[at], at);
}
