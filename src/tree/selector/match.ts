// Owns: whether a node matches a test, and keeping the places that do.
// Must never: look anywhere but at the node itself; what needs other nodes is a set that was worked out before.

import type { Json } from "../../value.ts";
import { ABSENT, cellOf, type PropertyCell } from "../_property-columns.ts";
import type { Scene, SelectorTest, ValueTest } from "./bind.ts";

/** Keeps those of the first `count` places that match, in their order. Returns how many. */
export function keepMatching(test: SelectorTest, scene: Scene, places: Int32Array, count: number): number {
  const { slots } = scene.order;
  let matched = 0;
  switch (test.kind) {
    // The commonest have loops of their own.
    case "equal":
      for (let i = 0; i < count; i++) {
        const at = places[i] as number;
        if (cellOf(test.column, slots[at] as number) === test.text) places[matched++] = at;
      }
      return matched;
    case "contains":
      for (let i = 0; i < count; i++) {
        const at = places[i] as number;
        const cell = cellOf(test.column, slots[at] as number);
        if (typeof cell === "string" && cell.includes(test.text)) places[matched++] = at;
      }
      return matched;
    case "value":
      for (let i = 0; i < count; i++) {
        const at = places[i] as number;
        if (holds(test, cellOf(test.column, slots[at] as number))) places[matched++] = at;
      }
      return matched;
    default:
      for (let i = 0; i < count; i++) {
        const at = places[i] as number;
        if (matches(test, scene, at)) places[matched++] = at;
      }
      return matched;
  }
}

function matches(test: SelectorTest, scene: Scene, at: number): boolean {
  const { nodes, order, from } = scene;
  const { slots, parents, ends, types } = order;
  switch (test.kind) {
    case "any":
      return true;
    case "root":
      return at === 0;
    case "scope":
      return at === from;
    case "leaf":
      return ends[at] === at + 1;
    case "first-child":
      return at === from || parents[at] === at - 1;
    case "last-child":
      return at === from || ends[at] === ends[parents[at] as number];
    case "type":
      return types[at] === test.type;
    case "slot":
      return slots[at] === test.slot;
    case "tag":
      return nodes.tagsOf(slots[at] as number).includes(test.name);
    case "nth-child": {
      const over = (test.counts[at] as number) - test.b;
      return test.a === 0 ? over === 0 : over % test.a === 0 && over / test.a >= 0;
    }
    case "member":
      return test.set.has(at) === test.wanted;
    case "some":
      return matchesSome(test.list, scene, at) === test.wanted;
    case "present":
      return cellOf(test.column, slots[at] as number) !== ABSENT;
    case "equal":
      return cellOf(test.column, slots[at] as number) === test.text;
    case "contains": {
      const cell = cellOf(test.column, slots[at] as number);
      return typeof cell === "string" && cell.includes(test.text);
    }
    case "value":
      return holds(test, cellOf(test.column, slots[at] as number));
  }
}

function matchesSome(list: readonly (readonly SelectorTest[])[], scene: Scene, at: number): boolean {
  for (const tests of list) {
    let all = true;
    for (const test of tests) all &&= matches(test, scene, at);
    if (all) return true;
  }
  return false;
}

function holds(test: ValueTest, cell: PropertyCell): boolean {
  const { op, wanted } = test;
  const found = folded(test, cell);
  switch (op) {
    case "=":
      return found === wanted;
    case "!=":
      return found !== wanted;
    case "<":
    case "<=":
    case ">":
    case ">=":
      if (typeof found === "number") return typeof wanted === "number" && inOrder(op, found, wanted);
      return typeof found === "string" && typeof wanted === "string" && inOrder(op, found, wanted);
    case "^=":
    case "$=":
    case "*=":
    case "~=":
      return isPartOf(test, found);
  }
}

function inOrder<T extends number | string>(op: "<" | "<=" | ">" | ">=", found: T, wanted: T): boolean {
  if (op === "<") return found < wanted;
  if (op === "<=") return found <= wanted;
  if (op === ">") return found > wanted;
  return found >= wanted;
}

/** `^=`, `$=`, `*=` on text; `~=` on the words of a text or the elements of a list. */
function isPartOf(test: ValueTest, found: PropertyCell): boolean {
  const { op, wanted } = test;
  if (op === "~=" && Array.isArray(found))
    return wanted !== "" && (found as readonly Json[]).some((item) => folded(test, item) === wanted);
  if (typeof found !== "string" || typeof wanted !== "string" || wanted === "") return false;
  if (op === "^=") return found.startsWith(wanted);
  if (op === "$=") return found.endsWith(wanted);
  if (op === "*=") return found.includes(wanted);
  return found.split(/[ \t\n\r\f]+/).includes(wanted);
}

function folded(test: ValueTest, cell: PropertyCell): PropertyCell {
  return test.ignoreCase && typeof cell === "string" ? cell.toLowerCase() : cell;
}
