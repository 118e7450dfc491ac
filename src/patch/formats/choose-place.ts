// Owns: which of the places of a block is meant, when the format says more than the lines themselves.

import type { EditBlock } from "./edit.ts";
import type { WorkingFile } from "./working-file.ts";

/** Lines that an anchor may name; beyond, it tells nothing apart. */
const MOST_ANCHORS = 100;

/**
 * The places that are left: one of them, if the block can be placed. `cursor`: where the block before it ended, for formats whose
 * blocks are in the order of the file.
 */
export function choosePlaces(
  file: WorkingFile,
  places: readonly number[],
  block: EditBlock,
  cursor: number,
): readonly number[] {
  const length = block.lines.filter(({ kind }) => kind !== "+").length;
  const scopes = scopesOf(file, block.anchors);
  // The block may begin with the anchor itself.
  const anchor = (scopes[0]?.[0] ?? Infinity) - 1;
  const fitting = places.filter((at) => at >= anchor && (!block.isAtEnd || at + length === file.count));
  if (fitting.length < 2) return fitting;
  const inside = fitting.filter((at) => scopes.some(([from, to]) => at >= from && at < to));
  if (inside.length === 1) return inside;
  const first = scopes[0]?.[0] ?? Infinity;
  const left = inside.length > 0 ? inside : fitting.filter((at) => at >= first);
  if (left.length < 2) return left.length === 1 ? left : fitting;
  if (!block.isInOrder) return left;
  const below = left.filter((at) => at >= cursor);
  return below.length > 0 ? below : left;
}

/** What is below the anchors: up to the next line that is indented no deeper than the anchor. Everything without anchors. */
function scopesOf(file: WorkingFile, anchors: readonly string[]): [from: number, to: number][] {
  let scopes: [number, number][] = [[0, file.count]];
  for (const anchor of anchors) {
    const inner: [number, number][] = [];
    for (const [from, to] of scopes)
      for (let at = from; at < to; at++)
        if (inner.length < MOST_ANCHORS && file.text(at).trim() === anchor)
          inner.push([at + 1, scopeEnd(file, at, to)]);
    scopes = inner;
  }
  return scopes;
}

function scopeEnd(file: WorkingFile, at: number, to: number): number {
  const depth = indentOf(file.text(at));
  for (let end = at + 1; end < to; end++) {
    const text = file.text(end);
    if (text.trim() !== "" && indentOf(text) <= depth) return end;
  }
  return to;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
