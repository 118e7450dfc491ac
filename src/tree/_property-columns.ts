// Owns: property values by slot, each read once and cached while its tree is in use: what selectors test.
// Must never: show a value of another version. Columns belong to one version; the next takes over what did not change.

import type { Json } from "../value.ts";
import { changedPayloads } from "./_delta.ts";
import { valueBelow } from "./payload.ts";
import type { Tree } from "./tree.ts";

/** Means "no such property", so that a missing one is not looked for again. */
export const ABSENT: unique symbol = Symbol("absent");

/** What a column holds for a slot: `undefined` until it is read. */
export type PropertyCell = Json | typeof ABSENT | undefined;

/*
 * Cells lie in runs of 1,024. Versions share the runs in which no payload differs, so one that takes over after an edit
 * copies a single run of each column; and a cell that is filled in a shared run is filled for all of them.
 */
const SHIFT = 10;
const RUN: number = 1 << SHIFT;

/** One property of all nodes. */
export interface PropertyColumn {
  readonly tree: Tree;
  readonly path: readonly string[];
  readonly runs: (PropertyCell[] | undefined)[];
}

/** The property of a slot. The first time it is read from the payload. */
export function cellOf(column: PropertyColumn, slot: number): Exclude<PropertyCell, undefined> {
  return column.runs[slot >>> SHIFT]?.[slot & (RUN - 1)] ?? readCell(column, slot);
}

function readCell({ tree, path, runs }: PropertyColumn, slot: number): Exclude<PropertyCell, undefined> {
  const found = valueBelow(tree.payloadOf(slot), path);
  const cell = found === undefined ? ABSENT : found;
  const run = (runs[slot >>> SHIFT] ??= emptyArray<PropertyCell>(RUN));
  run[slot & (RUN - 1)] = cell;
  return cell;
}

/** Properties cached for one version: 8 bytes a node each. The one asked for longest ago goes first. */
const CACHED = 6;

/** Trees with columns at once; a tree used longer ago reads its properties again. */
const CACHED_TREES = 4;

/** Columns with more changes than one node in this many begin anew. */
const WORTH_KEEPING = 8;

const latest = new WeakMap<object, PropertyColumns>();
const recent: WeakRef<object>[] = [];

/** The columns of a version: those at hand, or made from those of another version of the tree. O(changes). */
export function columnsOf(tree: Tree): PropertyColumns {
  const known = latest.get(tree.kin);
  if (known?.tree === tree) return known;
  const columns = new PropertyColumns(tree, known);
  latest.set(tree.kin, columns);
  if (known === undefined) {
    recent.push(new WeakRef(tree.kin));
    if (recent.length > CACHED_TREES) {
      const oldest = recent.shift()?.deref();
      if (oldest !== undefined) latest.delete(oldest);
    }
  }
  return columns;
}

export class PropertyColumns {
  readonly tree: Tree;
  readonly #runs = new Map<string, (PropertyCell[] | undefined)[]>();

  constructor(tree: Tree, other: PropertyColumns | undefined) {
    this.tree = tree;
    if (other !== undefined) this.#takeOver(other);
  }

  /** Copies where payloads differ: readers of the other version go on reading it. */
  #takeOver(other: PropertyColumns): void {
    const changed = changedPayloads(other.tree, this.tree);
    if (changed.length > this.tree.live / WORTH_KEEPING) return;
    for (const [name, from] of other.#runs) {
      const runs = from.slice();
      while (runs.length < runsOf(this.tree)) runs.push(undefined);
      for (const slot of changed) {
        const at = slot >>> SHIFT;
        if (runs[at] !== undefined && runs[at] === from[at]) runs[at] = runs[at].slice();
        const run = runs[at];
        if (run !== undefined) run[slot & (RUN - 1)] = undefined;
      }
      this.#runs.set(name, runs);
    }
  }

  column(path: readonly string[]): PropertyColumn {
    const name = JSON.stringify(path);
    const { tree } = this;
    const runs = this.#runs.get(name) ?? emptyArray<PropertyCell[]>(runsOf(tree));
    this.#runs.delete(name);
    this.#runs.set(name, runs);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= CACHED) break;
      this.#runs.delete(oldest);
    }
    return { tree, path, runs };
  }
}

function runsOf(tree: Tree): number {
  return (tree.size + RUN - 1) >>> SHIFT;
}

/** An array of that length without anything in it yet, and without holes, which would make every read slower. */
function emptyArray<T>(length: number): (T | undefined)[] {
  return Array.from<T | undefined>({ length }).fill(undefined);
}
