// Owns: which slots differ between two roots of one tree, found by comparing page pointers: O(changes).

import { CHUNK, CHUNK_SHIFT, FIELDS, PAGE, SHIFT } from "./_page.ts";
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
    for (let p = 0; p < CHUNK; p++) {
      const old = x?.pages[p];
      const now = y?.pages[p];
      if (old === now) continue;
      const base = (c << (SHIFT + CHUNK_SHIFT)) | (p << SHIFT);
      for (let i = 0; i < PAGE; i++) {
        if (old === undefined || now === undefined) {
          const links = (old ?? now)?.links;
          if (links !== undefined && links[i * FIELDS + FIELDS - 1] !== -1) slots.push(base + i);
          continue;
        }
        let differs =
          (old.payloads !== now.payloads && old.payloads[i] !== now.payloads[i]) ||
          old.tags?.[i] !== now.tags?.[i] ||
          (old.twins?.[i] ?? -1) !== (now.twins?.[i] ?? -1);
        if (old.links !== now.links)
          for (let f = i * FIELDS, end = f + FIELDS; !differs && f < end; f++)
            differs = old.links[f] !== now.links[f];
        if (differs) slots.push(base + i);
      }
    }
  }
  return slots;
}
