// Owns: which slots differ between two roots of one tree, found by comparing page pointers: O(changes).

import { EMPTY, FIELDS, NO_SLOT, PAGE, TYPE, differingPages, type Page } from "./_page.ts";
import type { Steps } from "./steps.ts";
import type { Tree } from "./tree.ts";

/**
 * Slots whose record may differ, ascending. May name a slot that was changed and changed back; never misses one.
 */
export function* changedSlotsSteps(a: Tree, b: Tree): Steps<number[]> {
  const slots: number[] = [];
  if (a.table === b.table) return slots;
  const pages: (() => void)[] = [];
  differingPages(a.table, b.table, (old, now, base) => {
    pages.push(() => {
      if (old === undefined || now === undefined) addHeld((old ?? now) as Page, base, slots);
      else addDiffering(old, now, base, slots);
    });
  });
  for (const [i, look] of pages.entries()) {
    look();
    if (i % PAGES_A_STEP === PAGES_A_STEP - 1) yield;
  }
  return slots;
}

const PAGES_A_STEP = 64;

/** Slots whose payload may differ, ascending: those of whole pages are not looked at where both share them. */
export function changedPayloads(a: Tree, b: Tree): number[] {
  const slots: number[] = [];
  if (a.table === b.table) return slots;
  differingPages(a.table, b.table, (old, now, base) => {
    const was = old?.payloads;
    const is = now?.payloads;
    if (was !== is) for (let i = 0; i < PAGE; i++) if (was?.[i] !== is?.[i]) slots.push(base + i);
  });
  return slots;
}

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
      differs =
        old.tags?.[i] !== now.tags?.[i] || (old.twins?.[i] ?? NO_SLOT) !== (now.twins?.[i] ?? NO_SLOT);
    if (!sameLinks)
      for (let f = i * FIELDS, end = f + FIELDS; !differs && f < end; f++)
        differs = old.links[f] !== now.links[f];
    if (differs) slots.push(base + i);
  }
}
