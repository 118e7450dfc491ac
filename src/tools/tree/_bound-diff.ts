// Owns: differences between trees as a result can hold them: the first entries of each kind, and how many more there are.

import { z } from "zod";
import type { TreeDiff } from "../../tree/operations.ts";

const MOST = 200;
const entries = z.array(z.looseObject({ nodeId: z.string() }));

export const diffShape: z.ZodRawShape = {
  added: entries,
  removed: entries,
  moved: entries,
  reordered: entries,
  changed: entries,
  tags: entries,
  more: z.record(z.string(), z.int()).optional(),
};

export type BoundDiff = { readonly [K in keyof TreeDiff]: readonly object[] } & {
  /** Entries that are not listed, by kind. */
  readonly more?: Readonly<Record<string, number>>;
};

export function boundDiff(diff: TreeDiff): BoundDiff {
  const more: Record<string, number> = {};
  const bounded = Object.entries(diff).map(([kind, list]: [string, readonly object[]]) => {
    if (list.length > MOST) more[kind] = list.length - MOST;
    return [kind, list.slice(0, MOST)];
  });
  const lists = Object.fromEntries(bounded) as { [K in keyof TreeDiff]: readonly object[] };
  return Object.keys(more).length === 0 ? lists : { ...lists, more };
}
