// Owns: what became of large operations: an operation is a value and a tree is one, so applying it twice gives the same.
// Must never: keep a version alive: it is held weakly.

import type { TreeOp } from "./tree-op.ts";
import type { Tree } from "./tree.ts";

/** One operation on one version: it fits, and `after`, if it was applied, is what it makes. */
interface Outcome {
  readonly before: WeakRef<Tree>;
  readonly after: WeakRef<Tree> | undefined;
}

/*
 * A call makes its change in steps, and a commit then asks for the same again, in one go, several times: is there
 * anything against it, what does it make of the state it was made from, and of the state it is written on top of. Those
 * are one version as long as nobody else wrote in between.
 */
const outcomes = new WeakMap<TreeOp, Outcome>();

/** Names in an operation from which on its outcome is worth remembering. */
export const LARGE_ORDER = 4_096;

export function rememberFit(op: TreeOp, before: Tree): void {
  outcomes.set(op, { before: new WeakRef(before), after: undefined });
}

export function rememberOutcome(op: TreeOp, before: Tree, after: Tree): void {
  outcomes.set(op, { before: new WeakRef(before), after: new WeakRef(after) });
}

/** True when the operation is known to fit this very version. */
export function fits(op: TreeOp, before: Tree): boolean {
  return outcomes.get(op)?.before.deref() === before;
}

/** What the operation makes of this very version, if that is known. */
export function outcomeOf(op: TreeOp, before: Tree): Tree | undefined {
  return fits(op, before) ? outcomes.get(op)?.after?.deref() : undefined;
}
