// The plainest matcher: tries everything, right to left, recursively. The oracle for the linear one.

import type { Json } from "../../src/value.ts";
import type { Tree } from "../../src/tree/operations.ts";
import type { Complex, Compound, Simple } from "../../src/tree/operations.ts";
import { childrenOf, pathTo, BranchWalk } from "../../src/tree/operations.ts";

export function naiveSelect(tree: Tree, scope: number, list: readonly Complex[]): number[] {
  const hits: number[] = [];
  for (const walk = new BranchWalk(tree, scope); walk.next();)
    if (list.some((complex) => matches(tree, scope, walk.slot, complex))) hits.push(walk.slot);
  return hits;
}

function inside(tree: Tree, scope: number): number[] {
  const slots: number[] = [];
  for (const walk = new BranchWalk(tree, scope); walk.next();) slots.push(walk.slot);
  return slots;
}

function siblings(tree: Tree, scope: number, slot: number): number[] {
  return slot === scope ? [slot] : childrenOf(tree, tree.parentOf(slot));
}

/** Nodes that may stand to the left of a combinator. */
function related(tree: Tree, scope: number, slot: number, combinator: string): number[] {
  const path = pathTo(tree, slot);
  const above = path.slice(path.indexOf(scope), -1);
  const family = siblings(tree, scope, slot);
  const before = family.slice(0, family.indexOf(slot));
  if (combinator === ">") return above.slice(-1);
  if (combinator === " ") return above;
  if (combinator === "+") return before.slice(-1);
  return before;
}

function matches(tree: Tree, scope: number, slot: number, { parts, combinators }: Complex): boolean {
  const at = (i: number, where: number): boolean =>
    holds(tree, scope, where, parts[i] as Compound) &&
    (i === 0 || related(tree, scope, where, combinators[i] as string).some((left) => at(i - 1, left)));
  return at(parts.length - 1, slot);
}

/** For `:has()`: some node matches with the anchor to the left of the first combinator. */
function hasFrom(tree: Tree, scope: number, anchor: number, { parts, combinators }: Complex): boolean {
  const all = inside(tree, scope);
  const at = (i: number, where: number): boolean =>
    i === parts.length ||
    all.some(
      (next) =>
        related(tree, scope, next, combinators[i] as string).includes(where) &&
        holds(tree, scope, next, parts[i] as Compound) &&
        at(i + 1, next),
    );
  return at(0, anchor);
}

function holds(tree: Tree, scope: number, slot: number, compound: Compound): boolean {
  return compound.every((simple) => test(tree, scope, slot, simple));
}

function test(tree: Tree, scope: number, slot: number, simple: Simple): boolean {
  const family = siblings(tree, scope, slot);
  switch (simple.kind) {
    case "any":
      return true;
    case "type":
      return tree.typeOf(slot) === simple.name;
    case "id":
      return tree.idOf(slot) === simple.name;
    case "tag":
      return tree.tagsOf(slot).includes(simple.name);
    case "root":
      return slot === 0;
    case "scope":
      return slot === scope;
    case "leaf":
      return tree.countOf(slot) === 0;
    case "first-child":
      return family[0] === slot;
    case "last-child":
      return family.at(-1) === slot;
    case "nth-child": {
      const place = family.indexOf(slot) + 1;
      for (let n = 0; n <= family.length + Math.abs(simple.b); n++)
        if (simple.a * n + simple.b === place) return true;
      return false;
    }
    case "is":
      return simple.list.some((complex) => matches(tree, scope, slot, complex));
    case "not":
      return !simple.list.some((complex) => matches(tree, scope, slot, complex));
    case "has":
      return simple.list.some((complex) => hasFrom(tree, scope, slot, complex));
    case "has-attribute":
      return value(tree, slot, simple.path) !== undefined;
    case "attribute": {
      let found = value(tree, slot, simple.path);
      let wanted = simple.value;
      if (simple.ignoreCase) {
        if (typeof found === "string") found = found.toLowerCase();
        if (typeof wanted === "string") wanted = wanted.toLowerCase();
      }
      return compare(found, simple.op, wanted);
    }
  }
}

function value(tree: Tree, slot: number, path: readonly string[]): Json | undefined {
  let at: unknown = tree.payloadOf(slot);
  for (const step of path)
    at =
      typeof at === "object" && at !== null && Object.hasOwn(at, step)
        ? (at as Record<string, unknown>)[step]
        : undefined;
  return at as Json | undefined;
}

function compare(found: Json | undefined, op: string, wanted: Json): boolean {
  const ordered = typeof found === typeof wanted && (typeof found === "number" || typeof found === "string");
  const texts = typeof found === "string" && typeof wanted === "string" && wanted !== "";
  switch (op) {
    case "=":
      return found === wanted;
    case "!=":
      return found !== wanted;
    case "<":
      return ordered && (found as number) < (wanted as number);
    case "<=":
      return ordered && (found as number) <= (wanted as number);
    case ">":
      return ordered && (found as number) > (wanted as number);
    case ">=":
      return ordered && (found as number) >= (wanted as number);
    case "^=":
      return texts && found.startsWith(wanted);
    case "$=":
      return texts && found.endsWith(wanted);
    case "*=":
      return texts && found.includes(wanted);
    case "~=":
      if (Array.isArray(found)) return wanted !== "" && found.includes(wanted);
      return texts && found.split(/\s+/).includes(wanted);
    default:
      throw new Error(op);
  }
}
