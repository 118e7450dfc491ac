// Owns: matching: nodes times parts, always. One pass in document order for a selector, one more for each nested
// selector that looks at other nodes.
// Must never: go back. What a node needs to know of others is a mask kept per level.

import { DEFAULT_LIMITS, type Limits } from "../../limits.ts";
import { FIRST, LAST, NEXT, NONE, PARENT, PREV } from "../_page.ts";
import { STEP, type Steps } from "../steps.ts";
import type { Nodes } from "../tree.ts";
import type { Combinator, Complex, Simple } from "./ast.ts";
import { bindCompound, type Scene, type SlotTest } from "./bind.ts";
import { parseSelector } from "./parse.ts";

/** A selector that was read and can be run on any tree. */
export interface Selector {
  readonly text: string;
  readonly list: readonly Complex[];
  /** Nested selectors with a pass of their own, inner ones first. */
  readonly units: readonly Nested[];
  readonly counts: boolean;
  readonly types: readonly string[];
}

type Nested = Extract<Simple, { kind: "is" | "not" | "has" }>;

/** Reads a selector for {@link selectSteps}. Throws `invalid_argument` / `bad_selector` with a position. */
export function compileSelector(text: string, limits: Limits = DEFAULT_LIMITS): Selector {
  const list = parseSelector(text, limits);
  const units: Nested[] = [];
  const types = new Set<string>();
  let counts = false;
  // A nested selector comes after those inside it: collected outer first, then turned round.
  const open: (readonly Complex[])[] = [list];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const simple of next.flatMap((complex) => complex.parts.flat())) {
      if (simple.kind === "type") types.add(simple.name);
      if (simple.kind === "nth-child") counts = true;
      if (simple.kind !== "is" && simple.kind !== "not" && simple.kind !== "has") continue;
      if (simple.kind === "has" || simple.list.some((complex) => complex.parts.length > 1))
        units.push(simple);
      open.push(simple.list);
    }
  return { text, list, units: sortInnerFirst(units), counts, types: [...types] };
}

/** Units by how deep they nest others: those that need no other come first. */
function sortInnerFirst(units: readonly Nested[]): Nested[] {
  const height = new Map<Nested, number>();
  const inside = (unit: Nested): Nested[] => {
    const found: Nested[] = [];
    const open: (readonly Complex[])[] = [unit.list];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const simple of next.flatMap((complex) => complex.parts.flat()))
        if (simple.kind === "is" || simple.kind === "not" || simple.kind === "has") {
          found.push(simple);
          open.push(simple.list);
        }
    return found;
  };
  for (const unit of units) height.set(unit, inside(unit).length);
  return [...units].sort((a, b) => (height.get(a) as number) - (height.get(b) as number));
}

/** Slots of the branch at `scope` that a selector matches, in document order. */
export function* selectSteps(nodes: Nodes, scope: number, selector: Selector): Steps<number[]> {
  const unitOf = new Map<Simple, number>(selector.units.map((unit, i) => [unit, i]));
  const bits = selector.units.length > 0 ? new Uint32Array(nodes.size) : undefined;
  const places = selector.counts ? new Int32Array(nodes.size) : undefined;
  const scene: Scene = { nodes, scope, bits, places, unitOf };
  if (places !== undefined) yield* countPlaces(nodes, scope, places);
  for (const [i, unit] of selector.units.entries())
    if (unit.kind === "has") yield* backward(scene, unit.list, i);
    else yield* forward(scene, unit.list, (slot) => markBit(bits as Uint32Array, slot, i));
  const hits: number[] = [];
  yield* forward(scene, selector.list, (slot) => {
    hits.push(slot);
  });
  return hits;
}

function markBit(bits: Uint32Array, slot: number, unit: number): void {
  bits[slot] = (bits[slot] as number) | (1 << unit);
}

function* countPlaces(nodes: Nodes, scope: number, places: Int32Array): Steps<undefined> {
  let seen = 0;
  places[scope] = 1;
  for (let slot = scope; ;) {
    const first = nodes.firstOf(slot);
    if (first !== NONE) {
      slot = first;
      places[slot] = 1;
    } else {
      while (slot !== scope && nodes.nextOf(slot) === NONE) slot = nodes.parentOf(slot);
      if (slot === scope) return undefined;
      const place = places[slot] as number;
      slot = nodes.nextOf(slot);
      places[slot] = place + 1;
    }
    if (++seen % STEP === 0) yield;
  }
}

interface Masks {
  readonly tests: readonly SlotTest[];
  /** First and last part of each selector of the list. */
  readonly first: number;
  readonly last: number;
  /** Parts by the combinator before them; the first part of a list's selector has one only in `:has()`. */
  readonly by: { readonly [C in Combinator]: number };
}

/** All parts of a list of selectors, one bit each, the parts of one selector side by side. */
function masks(scene: Scene, list: readonly Complex[]): Masks {
  const tests: SlotTest[] = [];
  const by = { " ": 0, ">": 0, "+": 0, "~": 0 };
  let first = 0;
  let last = 0;
  for (const { parts, combinators } of list) {
    parts.forEach((part, i) => {
      const bit = 1 << tests.length;
      if (i === 0) first |= bit;
      if (i === parts.length - 1) last |= bit;
      by[combinators[i] as Combinator] |= bit;
      tests.push(bindCompound(part, scene));
    });
  }
  return { tests, first, last, by };
}

/*
 * Forward: bit k of a node's mask says that the parts up to k match with the node as the last of them. A node may
 * match part k when part k - 1 is set in the mask its combinator looks at: of the parent, of any ancestor, of the
 * sibling before, of any sibling before. Those four are kept per level.
 */
function* forward(scene: Scene, list: readonly Complex[], hit: (slot: number) => void): Steps<undefined> {
  const { nodes, scope } = scene;
  const { tests, first, last, by } = masks(scene, list);
  const below = by[" "] & ~first;
  const child = by[">"] & ~first;
  const next = by["+"] & ~first;
  const later = by["~"] & ~first;
  const levels = nodes.deepest + 2;
  const self = new Int32Array(levels);
  const above = new Int32Array(levels);
  const before = new Int32Array(levels);
  const earlier = new Int32Array(levels);
  let depth = 0;
  let seen = 0;
  for (let slot = scope; ;) {
    let may = first;
    if (depth > 0)
      may |=
        (((above[depth - 1] as number) << 1) & below) |
        (((self[depth - 1] as number) << 1) & child) |
        (((before[depth] as number) << 1) & next) |
        (((earlier[depth] as number) << 1) & later);
    let matched = 0;
    while (may !== 0) {
      const bit = may & -may;
      may ^= bit;
      if ((tests[31 - Math.clz32(bit)] as SlotTest)(slot)) matched |= bit;
    }
    if ((matched & last) !== 0) hit(slot);
    self[depth] = matched;
    above[depth] = matched | (depth > 0 ? (above[depth - 1] as number) : 0);
    if (++seen % STEP === 0) yield;
    const down = nodes.field(slot, FIRST);
    if (down !== NONE) {
      slot = down;
      depth++;
      before[depth] = 0;
      earlier[depth] = 0;
      continue;
    }
    for (;;) {
      if (slot === scope) return undefined;
      const mask = self[depth] as number;
      before[depth] = mask;
      earlier[depth] = (earlier[depth] as number) | mask;
      const right = nodes.field(slot, NEXT);
      if (right !== NONE) {
        slot = right;
        break;
      }
      slot = nodes.field(slot, PARENT);
      depth--;
    }
  }
}

/*
 * Backward, for `:has()`: in reverse document order a node comes after everything below it and every later sibling.
 * Bit k says that part k matches the node and the parts after it match something where their combinators look:
 * among children, anywhere below, the next sibling, any later sibling.
 */
function* backward(scene: Scene, list: readonly Complex[], unit: number): Steps<undefined> {
  const { nodes, scope } = scene;
  const bits = scene.bits as Uint32Array;
  const { tests, first, last, by } = masks(scene, list);
  const rest = ~first;
  const levels = nodes.deepest + 3;
  // Per level: of the children of one parent met so far, and of the last one met.
  const children = new Int32Array(levels);
  const below = new Int32Array(levels);
  const next = new Int32Array(levels);
  let depth = 0;
  let seen = 0;
  let slot = scope;
  const descend = (): void => {
    for (let down = nodes.field(slot, LAST); down !== NONE; down = nodes.field(slot, LAST)) {
      slot = down;
      depth++;
      children[depth] = 0;
      below[depth] = 0;
      next[depth] = 0;
    }
    children[depth + 1] = 0;
    below[depth + 1] = 0;
  };
  descend();
  for (;;) {
    const kids = children[depth + 1] as number;
    const under = below[depth + 1] as number;
    const right = slot === scope ? 0 : (next[depth] as number);
    const rights = slot === scope ? 0 : (children[depth] as number);
    const seenParts = (kids & by[">"]) | (under & by[" "]) | (right & by["+"]) | (rights & by["~"]);
    if ((seenParts & first) !== 0) markBit(bits, slot, unit);
    let may = last | ((seenParts & rest) >>> 1);
    let matched = 0;
    while (may !== 0) {
      const bit = may & -may;
      may ^= bit;
      if ((tests[31 - Math.clz32(bit)] as SlotTest)(slot)) matched |= bit;
    }
    if (slot === scope) return undefined;
    next[depth] = matched;
    children[depth] = (children[depth] as number) | matched;
    below[depth] = (below[depth] as number) | matched | under;
    if (++seen % STEP === 0) yield;
    const left = nodes.field(slot, PREV);
    if (left !== NONE) {
      slot = left;
      descend();
    } else {
      slot = nodes.field(slot, PARENT);
      depth--;
    }
  }
}
