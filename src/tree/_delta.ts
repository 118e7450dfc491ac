// Owns: which slots differ between two roots of one tree, found by comparing page pointers: O(changes).

import { CHUNK_SHIFT, EMPTY, FIELDS, NONE, PAGE, SHIFT, TYPE, type Page } from "./_page.ts";
import type { Tree } from "./tree.ts";

/**
 * Slots whose record may differ, ascending. May name a slot that was changed and changed back; never misses one.
 */
export function changedSlots(a: Tree, b: Tree): number[] {
  const slots: number[] = [];
  if (a.table === b.table) return slots;
  const chunks = Math.max(a.table.length, b.table.length);
  for (let c = 0; c < chunks; c++) {
    const x = a.table[c];
    const y = b.table[c];
    if (x === y) continue;
    const before = x?.pages ?? NO_PAGES;
    const after = y?.pages ?? NO_PAGES;
    const pages = Math.max(before.length, after.length);
    for (let p = 0; p < pages; p++) {
      const old = before[p];
      const now = after[p];
      if (old === now) continue;
      const base = (c << (SHIFT + CHUNK_SHIFT)) | (p << SHIFT);
      if (old === undefined || now === undefined) addHeld((old ?? now) as Page, base, slots);
      else addDiffering(old, now, base, slots);
    }
  }
  return slots;
}

const NO_PAGES: readonly undefined[] = [];

function addHeld(page: Page, base: number, slots: number[]): void {
  for (let i = 0; i < PAGE; i++) if (page.links[i * FIELDS + TYPE] !== EMPTY) slots.push(base + i);
}

/** Columns that both pages share are not looked at. */
function addDiffering(old: Page, now: Page, base: number, slots: number[]): void {
  const rare = old.tags !== now.tags || old.twins !== now.twins;
  const was = old.payloads;
  const is = now.payloads;
  if (old.links === now.links && !rare) {
    for (let i = 0; i < PAGE; i++) if (was[i] !== is[i]) slots.push(base + i);
    return;
  }
  const sameLinks = old.links === now.links;
  for (let i = 0; i < PAGE; i++) {
    let differs = was[i] !== is[i];
    if (rare && !differs)
      differs = old.tags?.[i] !== now.tags?.[i] || (old.twins?.[i] ?? NONE) !== (now.twins?.[i] ?? NONE);
    if (!sameLinks)
      for (let f = i * FIELDS, end = f + FIELDS; !differs && f < end; f++)
        differs = old.links[f] !== now.links[f];
    if (differs) slots.push(base + i);
  }
}
