// Owns: matching: nodes times parts, always. One pass in document order for a selector, one more for each nested
// selector that looks at other nodes.
// Must never: go back. What a node needs to know of others is a mask kept per level.

import { DEFAULT_LIMITS, type Limits } from "../../limits.ts";
import { branchRange, documentOrder, type DocumentOrder } from "../_order.ts";
import type { Page } from "../_page.ts";
import { STEP, type Steps } from "../steps.ts";
import type { Tree } from "../tree.ts";
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
export function* selectSteps(tree: Tree, scope: number, selector: Selector): Steps<number[]> {
  const order = yield* documentOrder(tree);
  const [from, to] = branchRange(order, scope);
  const unitOf = new Map<Simple, number>(selector.units.map((unit, i) => [unit, i]));
  const bits = selector.units.length > 0 ? new Uint32Array(tree.size) : undefined;
  const places = selector.counts ? countPlaces(tree, order, from, to) : undefined;
  const scene: Scene = { nodes: tree, scope, bits, places, unitOf };
  const span: Span = { order, from, to, levels: tree.deepest + 3, above: order.depths[from] as number };
  for (const [i, unit] of selector.units.entries()) {
    const pass =
      unit.kind === "has"
        ? new Backward(scene, span, unit.list, i)
        : new Forward(scene, span, unit.list, (slot) => markBit(bits as Uint32Array, slot, i));
    while (pass.run(STEP)) yield;
  }
  const hits: number[] = [];
  const pass = new Forward(scene, span, selector.list, (slot) => hits.push(slot));
  while (pass.run(STEP * 4)) yield;
  return hits;
}

/** The part of a document order that a selection looks at. */
interface Span {
  readonly order: DocumentOrder;
  readonly from: number;
  readonly to: number;
  readonly levels: number;
  /** Level of the first node. */
  readonly above: number;
}

function markBit(bits: Uint32Array, slot: number, unit: number): void {
  bits[slot] = (bits[slot] as number) | (1 << unit);
}

/** Place among siblings, from 1, by slot. */
function countPlaces(tree: Tree, order: DocumentOrder, from: number, to: number): Int32Array {
  const places = new Int32Array(tree.size);
  const counts = new Int32Array(tree.deepest + 3);
  for (let i = from; i < to; i++) {
    const depth = order.depths[i] as number;
    counts[depth] = (counts[depth] as number) + 1;
    counts[depth + 1] = 0;
    places[order.slots[i] as number] = counts[depth];
  }
  return places;
}

interface Masks {
  readonly tests: readonly (SlotTest | undefined)[];
  /** Parts that need more than their type. */
  readonly tested: number;
  /** By type: parts that a node of that type may match. One lookup stands for the type tests of all parts. */
  readonly byType: Int32Array;
  /** First and last part of each selector of the list. */
  readonly first: number;
  readonly last: number;
  /** Parts by the combinator before them; the first part of a list's selector has one only in `:has()`. */
  readonly by: { readonly [C in Combinator]: number };
}

/** All parts of a list of selectors, one bit each, the parts of one selector side by side. */
function masks(scene: Scene, list: readonly Complex[]): Masks {
  const { typeNames } = scene.nodes;
  const tests: (SlotTest | undefined)[] = [];
  const byType = new Int32Array(typeNames.length);
  const by = { " ": 0, ">": 0, "+": 0, "~": 0 };
  let first = 0;
  let last = 0;
  let tested = 0;
  for (const { parts, combinators } of list) {
    parts.forEach((part, i) => {
      const bit = 1 << tests.length;
      if (i === 0) first |= bit;
      if (i === parts.length - 1) last |= bit;
      by[combinators[i] as Combinator] |= bit;
      const head = part[0];
      for (let type = 0; type < typeNames.length; type++)
        if (head?.kind !== "type" || head.name === typeNames[type])
          byType[type] = (byType[type] as number) | bit;
      const rest = part.filter((simple) => simple.kind !== "type" && simple.kind !== "any");
      if (rest.length > 0) tested |= bit;
      tests.push(rest.length > 0 ? bindCompound(rest, scene) : undefined);
    });
  }
  return { tests, tested, byType, first, last, by };
}

/** Which of the parts in `may` a node matches. */
function matching(masks: Masks, may: number, slot: number, page: Page): number {
  let matched = may & ~masks.tested;
  for (let rest = may & masks.tested; rest !== 0;) {
    const bit = rest & -rest;
    rest ^= bit;
    if ((masks.tests[31 - Math.clz32(bit)] as SlotTest)(slot, page)) matched |= bit;
  }
  return matched;
}

/*
 * Forward: bit k of a node's mask says that the parts up to k match with the node as the last of them. A node may
 * match part k when part k - 1 is set in the mask its combinator looks at: of the parent, of any ancestor, of the
 * sibling before, of any sibling before. Those are kept per level. Going through the order, a deeper node than the
 * one before is its first child; any other is the next sibling of the last node seen on its level.
 */
class Forward {
  readonly #scene: Scene;
  readonly #span: Span;
  readonly #masks: Masks;
  readonly #hit: (slot: number) => void;
  /** What the last node seen on a level matched, and its ancestors with it. */
  readonly #self: Int32Array;
  readonly #line: Int32Array;
  /** What siblings before it matched. */
  readonly #before: Int32Array;
  readonly #earlier: Int32Array;
  /** Parts that nodes of a level may match for their parent's and ancestors' sake; worked out once per parent. */
  readonly #from: Int32Array;
  #at: number;

  constructor(scene: Scene, span: Span, list: readonly Complex[], hit: (slot: number) => void) {
    this.#scene = scene;
    this.#span = span;
    this.#masks = masks(scene, list);
    this.#hit = hit;
    this.#self = new Int32Array(span.levels);
    this.#line = new Int32Array(span.levels);
    this.#before = new Int32Array(span.levels);
    this.#earlier = new Int32Array(span.levels);
    this.#from = new Int32Array(span.levels).fill(this.#masks.first);
    this.#at = span.from;
  }

  /** Looks at some nodes; false when there are none left. */
  run(budget: number): boolean {
    const { nodes } = this.#scene;
    const { slots, depths, types } = this.#span.order;
    const all = this.#masks;
    const { byType, first, last, by } = all;
    const below = by[" "] & ~first;
    const child = by[">"] & ~first;
    const beside = by["+"] & ~first;
    const later = by["~"] & ~first;
    const siblings = beside | later;
    const self = this.#self;
    const line = this.#line;
    const before = this.#before;
    const earlier = this.#earlier;
    const from = this.#from;
    const end = Math.min(this.#span.to, this.#at + budget);
    const root = this.#span.above;
    let level = this.#at === this.#span.from ? root : (depths[this.#at - 1] as number);
    for (let i = this.#at; i < end; i++) {
      const depth = depths[i] as number;
      if (depth > level) {
        // First child: what it may match follows from its parent, the last node seen one level up.
        const mine = self[level] as number;
        const ancestors = mine | (level > root ? (line[level - 1] as number) : 0);
        line[level] = ancestors;
        from[depth] = first | ((ancestors << 1) & below) | ((mine << 1) & child);
        if (siblings !== 0) {
          before[depth] = 0;
          earlier[depth] = 0;
        }
      } else if (siblings !== 0 && depth > root) {
        before[depth] = self[depth] as number;
        earlier[depth] = (earlier[depth] as number) | (self[depth] as number);
      }
      level = depth;
      let may = from[depth] as number;
      if (siblings !== 0)
        may |= (((before[depth] as number) << 1) & beside) | (((earlier[depth] as number) << 1) & later);
      may &= byType[types[i] as number] as number;
      if (may !== 0) {
        const slot = slots[i] as number;
        if ((may & all.tested) !== 0) may = matching(all, may, slot, nodes.page(slot) as Page);
        if ((may & last) !== 0) this.#hit(slot);
      }
      self[depth] = may;
    }
    this.#at = end;
    return end < this.#span.to;
  }
}

/*
 * Backward, for `:has()`: in reverse document order a node comes after everything below it and every later sibling.
 * Bit k says that part k matches the node and the parts after it match something where their combinators look:
 * among children, anywhere below, the next sibling, any later sibling. A node one level up from the one before is its
 * parent; any other ends the branch of an earlier sibling, and the levels below begin anew.
 */
class Backward {
  readonly #scene: Scene;
  readonly #span: Span;
  readonly #masks: Masks;
  readonly #unit: number;
  /** Per level: of the children of one parent met so far, of all below them, and of the last one met. */
  readonly #children: Int32Array;
  readonly #below: Int32Array;
  readonly #next: Int32Array;
  #at: number;

  constructor(scene: Scene, span: Span, list: readonly Complex[], unit: number) {
    this.#scene = scene;
    this.#span = span;
    this.#masks = masks(scene, list);
    this.#unit = unit;
    this.#children = new Int32Array(span.levels);
    this.#below = new Int32Array(span.levels);
    this.#next = new Int32Array(span.levels);
    this.#at = span.to - 1;
  }

  /** Looks at some nodes; false when there are none left. */
  run(budget: number): boolean {
    const { nodes, scope } = this.#scene;
    const bits = this.#scene.bits as Uint32Array;
    const { slots, depths, types } = this.#span.order;
    const all = this.#masks;
    const { byType, first, last, by } = all;
    const children = this.#children;
    const below = this.#below;
    const next = this.#next;
    const end = Math.max(this.#span.from, this.#at - budget + 1);
    for (let i = this.#at; i >= end; i--) {
      const slot = slots[i] as number;
      const depth = depths[i] as number;
      const under = below[depth + 1] as number;
      let met = ((children[depth + 1] as number) & by[">"]) | (under & by[" "]);
      if (slot !== scope)
        met |= ((next[depth] as number) & by["+"]) | ((children[depth] as number) & by["~"]);
      if ((met & first) !== 0) markBit(bits, slot, this.#unit);
      let may = (last | ((met & ~first) >>> 1)) & (byType[types[i] as number] as number);
      if ((may & all.tested) !== 0) may = matching(all, may, slot, nodes.page(slot) as Page);
      next[depth] = may;
      children[depth] = (children[depth] as number) | may;
      below[depth] = (below[depth] as number) | may | under;
      children[depth + 1] = 0;
      below[depth + 1] = 0;
      next[depth + 1] = 0;
    }
    this.#at = end - 1;
    return end > this.#span.from;
  }
}
