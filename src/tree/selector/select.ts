// Owns: matching: nodes times parts, always. One pass in document order for a selector, one more for each nested
// selector that looks at other nodes.
// Must never: go back. What a node needs to know of others is a mask kept per level.

import { DEFAULT_LIMITS, type Limits } from "../../limits.ts";
import { Columns } from "../_columns.ts";
import { branchRange, documentOrder, LEVEL, levelAt, TYPE_BITS, type DocumentOrder } from "../_order.ts";
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
export function* selectSteps(tree: Tree, scope: number, selector: Selector): Steps<Int32Array> {
  const order = yield* documentOrder(tree);
  const [from, to] = branchRange(order, scope);
  const unitOf = new Map<Simple, number>(selector.units.map((unit, i) => [unit, i]));
  const bits = selector.units.length > 0 ? new Uint32Array(tree.size) : undefined;
  const places = selector.counts ? countPlaces(tree, order, from, to) : undefined;
  const scene: Scene = { nodes: tree, columns: Columns.of(tree, order), scope, bits, places, unitOf };
  const span: Span = { order, from, to, levels: tree.deepest + 3, above: levelAt(order, from) };
  for (const [i, unit] of selector.units.entries()) {
    if (unit.kind === "has") {
      const pass = new Backward(scene, span, unit.list, i);
      while (pass.run(STEP)) yield;
    } else
      for (const slot of yield* forwardSteps(forward(scene, span, unit.list)))
        markBit(bits as Uint32Array, slot, i);
  }
  return yield* forwardSteps(forward(scene, span, selector.list));
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
    const depth = levelAt(order, i);
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
  /** Parts before " " or ">": no leaf need match them. */
  readonly above: number;
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
  let above = 0;
  let tested = 0;
  for (const { parts, combinators } of list) {
    parts.forEach((part, i) => {
      const bit = 1 << tests.length;
      if (i === 0) first |= bit;
      const next = combinators[i + 1];
      if (next === undefined) last |= bit;
      if (next === " " || next === ">") above |= bit;
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
  return { tests, tested, byType, first, last, above, by };
}

/** Which of the parts in `may` a node matches. */
function matching(masks: Masks, may: number, at: number, slot: number): number {
  let matched = may & ~masks.tested;
  for (let rest = may & masks.tested; rest !== 0;) {
    const bit = rest & -rest;
    rest ^= bit;
    if ((masks.tests[31 - Math.clz32(bit)] as SlotTest)(at, slot)) matched |= bit;
  }
  return matched;
}

/*
 * Forward: bit k of a node's mask says that the parts up to k match with the node as the last of them. A node may
 * match part k when part k - 1 is set in the mask its combinator looks at: of the parent, of any ancestor, of the
 * sibling before, of any sibling before. Going through the order, a deeper node than the one before is its first
 * child; any other is the next sibling of the last node seen on its level. So what the children of a parent may match
 * for its sake is worked out once, at the first, and what siblings matched is kept only for selectors that ask.
 */
interface Forward {
  readonly span: Span;
  readonly masks: Masks;
  /** Per level: parts that its nodes may match for their parent's and ancestors' sake. */
  readonly from: Int32Array;
  /** Per level: what the last parent and its ancestors matched. */
  readonly line: Int32Array;
  /** Per level, kept for siblings: what the last node matched, and all nodes before it. */
  readonly self: Int32Array;
  readonly earlier: Int32Array;
  /** What the last node matched. */
  mine: number;
  at: number;
  found: Int32Array;
  count: number;
}

// Data and functions, not a class: what the engine learns of instances goes with the last one at a full collection,
// what it learns of such a literal stays.
function forward(scene: Scene, span: Span, list: readonly Complex[]): Forward {
  const all = masks(scene, list);
  const { levels } = span;
  return {
    span,
    masks: all,
    from: new Int32Array(levels).fill(all.first),
    line: new Int32Array(levels),
    self: new Int32Array(levels),
    earlier: new Int32Array(levels),
    mine: 0,
    at: span.from,
    found: new Int32Array(STEP),
    count: 0,
  };
}

/** All nodes that match the last part of a selector of the list, in document order. */
function* forwardSteps(pass: Forward): Steps<Int32Array> {
  while (pass.at < pass.span.to) {
    const end = Math.min(pass.span.to, pass.at + STEP);
    makeRoom(pass, end - pass.at);
    if (pass.masks.first === pass.masks.last) runAlone(pass, end);
    else runForward(pass, end);
    yield;
  }
  return pass.found.slice(0, pass.count);
}

/** Room for a hit at every node to come: the loop itself never has to look. */
function makeRoom(pass: Forward, more: number): void {
  const { found, count } = pass;
  if (count + more <= found.length) return;
  pass.found = new Int32Array(Math.max(found.length * 2, count + more));
  pass.found.set(found);
}

/** Selectors of one part each: levels and neighbours do not matter. */
function runAlone(pass: Forward, end: number): void {
  const { masks: all, found } = pass;
  const { slots, marks } = pass.span.order;
  const { byType, tested, first } = all;
  let { count } = pass;
  for (let i = pass.at; i < end; i++) {
    let mine = first & (byType[(marks[i] as number) & TYPE_BITS] as number);
    if (mine === 0) continue;
    const slot = slots[i] as number;
    if ((mine & tested) !== 0) mine = matching(all, mine, i, slot);
    if (mine !== 0) found[count++] = slot;
  }
  pass.count = count;
  pass.at = end;
}

function runForward(pass: Forward, end: number): void {
  const { span, masks: all, from, self, found } = pass;
  const { slots, marks } = span.order;
  const { byType, tested, first, last, above, by } = all;
  const siblings = (by["+"] | by["~"]) & ~first;
  let level = levelAt(span.order, Math.max(span.from, pass.at - 1));
  let allowed = from[level] as number;
  let { count, mine } = pass;
  for (let i = pass.at; i < end; i++) {
    const mark = marks[i] as number;
    const depth = mark >>> LEVEL;
    if (depth !== level) {
      if (depth > level) descend(pass, depth, mine);
      allowed = from[depth] as number;
      level = depth;
    }
    const may = siblings === 0 ? allowed : allowed | beside(pass, depth);
    mine = may & (byType[mark & TYPE_BITS] as number);
    if (mine !== 0) {
      if ((marks[i + 1] as number) >>> LEVEL <= depth) mine &= ~above;
      if ((mine & tested) !== 0) mine = matching(all, mine, i, slots[i] as number);
      if ((mine & last) !== 0) found[count++] = slots[i] as number;
    }
    if (siblings !== 0) self[depth] = mine;
  }
  pass.mine = mine;
  pass.count = count;
  pass.at = end;
}

/** First child of a parent that matched `mine`: what the children may match for its sake. */
function descend(
  { span, masks: { first, by }, from, line, self, earlier }: Forward,
  depth: number,
  mine: number,
): void {
  const level = depth - 1;
  const ancestors = mine | (level > span.above ? (line[level - 1] as number) : 0);
  line[level] = ancestors;
  from[depth] = first | ((((ancestors << 1) & by[" "]) | ((mine << 1) & by[">"])) & ~first);
  self[depth] = 0;
  earlier[depth] = 0;
}

/** What the next node of a level may match for the sake of its siblings. */
function beside({ span, masks: { first, by }, self, earlier }: Forward, depth: number): number {
  if (depth === span.above) return 0;
  const before = self[depth] as number;
  const all = (earlier[depth] as number) | before;
  earlier[depth] = all;
  return (((before << 1) & by["+"]) | ((all << 1) & by["~"])) & ~first;
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
    const { scope } = this.#scene;
    const bits = this.#scene.bits as Uint32Array;
    const { slots, marks } = this.#span.order;
    const all = this.#masks;
    const { byType, first, last, by } = all;
    const children = this.#children;
    const below = this.#below;
    const next = this.#next;
    const end = Math.max(this.#span.from, this.#at - budget + 1);
    for (let i = this.#at; i >= end; i--) {
      const slot = slots[i] as number;
      const mark = marks[i] as number;
      const depth = mark >>> LEVEL;
      const under = below[depth + 1] as number;
      let met = ((children[depth + 1] as number) & by[">"]) | (under & by[" "]);
      if (slot !== scope)
        met |= ((next[depth] as number) & by["+"]) | ((children[depth] as number) & by["~"]);
      if ((met & first) !== 0) markBit(bits, slot, this.#unit);
      let may = (last | ((met & ~first) >>> 1)) & (byType[mark & TYPE_BITS] as number);
      if ((may & all.tested) !== 0) may = matching(all, may, i, slot);
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
