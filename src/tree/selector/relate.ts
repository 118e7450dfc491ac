// Owns: what combinators mean: the places on one side of a combinator, given those on the other.
// Must never: visit a place twice. Every walk stops where an earlier one of the same set has been.

import type { DocumentOrder } from "../_order.ts";
import { SlotSet } from "../_slot-set.ts";
import { STEP, type Steps } from "../steps.ts";
import type { Combinator } from "./ast.ts";

/** The places that a selection looks at: one branch, so that its top has neither parent nor siblings. */
export interface OrderRange {
  readonly order: DocumentOrder;
  readonly from: number;
  readonly to: number;
}

/**
 * Adds to a set the places that may lie to the right of a combinator with one of the first `count` of `left` to its
 * left: below, a child, a sibling after.
 */
export function* addRightOf(
  { order, from }: OrderRange,
  combinator: Combinator,
  left: Int32Array,
  count: number,
  set: SlotSet,
): Steps<void> {
  const { parents, ends } = order;
  let work = 0;
  for (let i = 0; i < count; i++) {
    const at = left[i] as number;
    const end = ends[at] as number;
    if (combinator === " ") {
      if (!set.has(at)) set.addRange(at + 1, end);
    } else if (combinator === ">") {
      for (let child = at + 1; child < end; child = ends[child] as number) {
        set.add(child);
        if (++work % STEP === 0) yield;
      }
    } else if (at > from) {
      const last = ends[parents[at] as number] as number;
      for (let next = end; next < last && set.add(next); next = ends[next] as number) {
        if (combinator === "+") break;
        if (++work % STEP === 0) yield;
      }
    }
  }
}

/** Places that may lie to the left of a combinator with one of `right` to its right: above, the parent, a sibling before. */
export function leftOf(span: OrderRange, combinator: Combinator, right: Int32Array): Steps<SlotSet> {
  return combinator === " " || combinator === ">"
    ? aboveOf(span, combinator, right)
    : beforeOf(span, combinator, right);
}

function* aboveOf({ order, from, to }: OrderRange, combinator: " " | ">", right: Int32Array): Steps<SlotSet> {
  const { parents } = order;
  const set = new SlotSet(to);
  let work = 0;
  for (let i = 0; i < right.length; i++) {
    for (let at = right[i] as number; at > from && set.add(parents[at] as number);) {
      if (combinator === ">") break;
      at = parents[at] as number;
      if (++work % STEP === 0) yield;
    }
    if (++work % STEP === 0) yield;
  }
  return set;
}

/** From last to first: with the last match among its children, a parent is done. */
function* beforeOf(
  { order, from, to }: OrderRange,
  combinator: "+" | "~",
  right: Int32Array,
): Steps<SlotSet> {
  const { parents, ends } = order;
  const set = new SlotSet(to);
  const done = new SlotSet(to);
  const matches = new SlotSet(to);
  let work = 0;
  for (let i = 0; i < right.length; i++) {
    matches.add(right[i] as number);
    if (++work % STEP === 0) yield;
  }
  for (let i = right.length - 1; i >= 0; i--) {
    if (++work % STEP === 0) yield;
    const last = right[i] as number;
    if (last === from || !done.add(parents[last] as number)) continue;
    for (let at = (parents[last] as number) + 1; at < last; at = ends[at] as number) {
      if (combinator === "~" || matches.has(ends[at] as number)) set.add(at);
      if (++work % STEP === 0) yield;
    }
  }
  return set;
}
