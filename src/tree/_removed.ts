// Owns: marks on removed nodes, so that nobody has to walk to the root to learn that a node is live.
// Must never: mark a live node. A removed one may lack its mark; the count says whether some do.

import { NO_SLOT } from "./_page.ts";
import type { NodeRecords } from "./tree.ts";

/*
 * Bits in runs of 1,024 slots. A tree keeps its own: a change copies the row of runs and the runs that it touches. Where
 * marks and live nodes add up to all slots, no mark is missing, and a node without one is live.
 */
const SHIFT = 10;
const WORDS = 32;

export interface Removed {
  readonly runs: readonly (Uint32Array | undefined)[];
  readonly count: number;
}

export const NONE_REMOVED: Removed = { runs: [], count: 0 };

/** Larger branches are removed and revived without marks, in no time; then a check has to walk. */
const MARKED_AT_ONCE = 16_384;

export function isMarked({ runs }: Removed, slot: number): boolean {
  const run = runs[slot >>> SHIFT];
  return run !== undefined && (((run[(slot >>> 5) & (WORDS - 1)] as number) >>> (slot & 31)) & 1) === 1;
}

/** The slots of branches, level by level; `undefined` when there are more than can be marked at once. */
export function branchesToMark(nodes: NodeRecords, tops: readonly number[]): readonly number[] | undefined {
  const slots = tops.slice(0, MARKED_AT_ONCE + 1);
  for (let i = 0; i < slots.length; i++)
    for (let slot = nodes.firstOf(slots[i] as number); slot !== NO_SLOT; slot = nodes.nextOf(slot)) {
      if (slots.length >= MARKED_AT_ONCE) return undefined;
      slots.push(slot);
    }
  return slots.length > MARKED_AT_ONCE ? undefined : slots;
}

/** Sets or clears the marks of slots. */
export function markAll(removed: Removed, slots: readonly number[], on: boolean): Removed {
  const runs = removed.runs.slice();
  let { count } = removed;
  for (const slot of slots) {
    if (isMarked({ runs, count }, slot) === on) continue;
    const at = slot >>> SHIFT;
    while (runs.length <= at) runs.push(undefined);
    if (runs[at] === removed.runs[at]) runs[at] = runs[at]?.slice() ?? new Uint32Array(WORDS);
    const run = runs[at] as Uint32Array;
    const word = (slot >>> 5) & (WORDS - 1);
    run[word] = (run[word] as number) ^ (1 << (slot & 31));
    count += on ? 1 : -1;
  }
  return { runs, count };
}
