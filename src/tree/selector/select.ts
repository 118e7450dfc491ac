// Owns: reading a selector once, and matching it: nodes times parts, always.
// Must never: go back. What a node needs to know of others is a set of places, worked out once for each combinator.

import { say } from "../../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../../limits.ts";
import { bisect } from "../../text/bisect.ts";
import { checkArgument } from "../../text/options.ts";
import { branchRange, documentOrder, type DocumentOrder } from "../_order.ts";
import { SlotSet } from "../_slot-set.ts";
import { columnsOf } from "../_property-columns.ts";
import { STEP, type Steps } from "../steps.ts";
import type { Tree } from "../tree.ts";
import type { Combinator, Complex, Compound, Simple } from "./ast.ts";
import { bindCompound, type Scene, type SelectorTest } from "./bind.ts";
import { keepMatching } from "./match.ts";
import { parseSelector } from "./parse.ts";
import { addRightOf, leftOf } from "./relate.ts";

/** A selector that was read and can be run on any tree. */
export interface CompiledSelector {
  /** The selector as it was sent. */
  readonly text: string;
  /** Its alternatives, joined by commas in the text. */
  readonly list: readonly Complex[];
  /** Nested selectors with a pass of their own, inner ones first. */
  readonly units: readonly NestedSelector[];
  /** It asks for positions among siblings, so order matters. */
  readonly counts: boolean;
  /** The types that can match; empty: any. */
  readonly types: readonly string[];
}

/** `:is()`, `:not()` or `:has()`. */
export type NestedSelector = Extract<Simple, { kind: "is" | "not" | "has" }>;

/**
 * Reads a selector for {@link selectSteps}. Throws `invalid_argument` / `bad_selector` with a position. O(characters).
 *
 * @example runNow(selectSteps(tree, 0, compileSelector("Task:not(.done)")))
 */
export function compileSelector(text: string, limits: Limits = DEFAULT_LIMITS): CompiledSelector {
  checkArgument(say`A selector`, text, "string");
  checkArgument(say`compileSelector: the limits`, limits, "object");
  const list = parseSelector(text, limits);
  const units: NestedSelector[] = [];
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
function sortInnerFirst(units: readonly NestedSelector[]): NestedSelector[] {
  const height = new Map<NestedSelector, number>();
  const inside = (unit: NestedSelector): NestedSelector[] => {
    const found: NestedSelector[] = [];
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

/**
 * Slots of the branch at `scope` that a selector matches, in document order. O(nodes of the branch x parts of the
 * selector). Never throws.
 *
 * @example const slots = await runPaced(selectSteps(tree, 0, compileSelector("Plan > Task")));
 */
export function* selectSteps(tree: Tree, scope: number, selector: CompiledSelector): Steps<Int32Array> {
  const { list, units, counts } = selector;
  const order = yield* documentOrder(tree);
  const [from, to] = branchRange(order, scope);
  const sets = new Map<Simple, SlotSet>();
  const scene: Scene = {
    nodes: tree,
    order,
    from,
    to,
    columns: columnsOf(tree),
    units: sets,
    counts: counts ? yield* countSiblings(order, from, to) : undefined,
    block: new Int32Array(STEP),
  };
  for (const unit of units) sets.set(unit, yield* unitSteps(scene, unit));
  const [only] = list;
  const pass =
    only !== undefined && list.length === 1
      ? yield* lastPass(scene, only)
      : passOver(scene, [], yield* anySteps(scene, list));
  const places = yield* collect(scene, pass);
  for (let i = 0; i < places.length; i += STEP) {
    toSlots(order, places.subarray(i, i + STEP));
    yield;
  }
  return places;
}

/** Number among siblings, from 1, by place. */
function* countSiblings({ parents, ends }: DocumentOrder, from: number, to: number): Steps<Int32Array> {
  const counts = new Int32Array(to).fill(1);
  for (let at = from + 1; at < to; at++) {
    const next = ends[at] as number;
    if (next < (ends[parents[at] as number] as number)) counts[next] = (counts[at] as number) + 1;
    if (at % STEP === STEP - 1) yield;
  }
  return counts;
}

/** The places that `:is()` and `:not()` look for, or those that have what `:has()` asks for. */
function* unitSteps(scene: Scene, { kind, list }: NestedSelector): Steps<SlotSet> {
  if (kind !== "has") return yield* anySteps(scene, list);
  const all = new SlotSet(scene.to);
  for (const complex of list) all.addAll(yield* anchorSteps(scene, complex));
  return all;
}

/** Places that match one of the selectors of a list. */
function* anySteps(scene: Scene, list: readonly Complex[]): Steps<SlotSet> {
  const all = new SlotSet(scene.to);
  for (const complex of list) {
    const pass = yield* lastPass(scene, complex);
    while (pass.at < pass.to) {
      const count = look(pass, scene);
      for (let i = 0; i < count; i++) all.add(scene.block[i] as number);
      yield;
    }
  }
  return all;
}

/** Places with a match for a relative selector where its first combinator says: right to left. */
function* anchorSteps(scene: Scene, { parts, combinators }: Complex): Steps<SlotSet> {
  let beside: SlotSet | undefined;
  for (let i = parts.length - 1; i >= 0; i--) {
    const places = yield* collect(scene, passOver(scene, parts[i] as Compound, beside));
    beside = yield* leftOf(scene, combinators[i] as Combinator, places);
  }
  return beside as SlotSet;
}

/** Matches the parts of a selector from left to right, and returns the pass over its last. */
function* lastPass(scene: Scene, { parts, combinators }: Complex): Steps<Pass> {
  let beside: SlotSet | undefined;
  for (let i = 0; i + 1 < parts.length; i++) {
    const combinator = combinators[i + 1] as Combinator;
    const pass = passOver(scene, parts[i] as Compound, beside, combinator === " " || combinator === ">");
    beside = new SlotSet(scene.to);
    let met = 0;
    while (pass.at < pass.to) {
      const count = look(pass, scene);
      yield* addRightOf(scene, combinator, scene.block, count, beside);
      met += count;
      yield;
    }
    if (met === 0) return { ...pass, list: NOWHERE, at: 0, to: 0 };
  }
  return passOver(scene, parts[parts.length - 1] as Compound, beside);
}

/** One part of a selector on its way over the places that may match it. */
interface Pass {
  /** The places to look at, ascending; all of the scene when there is no list. */
  readonly list: Int32Array | undefined;
  at: number;
  readonly to: number;
  /** Where the part's neighbour allows it. */
  readonly beside: SlotSet | undefined;
  /** A part with something below it: leaves need not be looked at. */
  readonly inner: boolean;
  readonly tests: readonly SelectorTest[];
}

function passOver(scene: Scene, part: Compound, beside: SlotSet | undefined, inner = false): Pass {
  const list = candidates(scene, part);
  const rest = part.filter(({ kind }) => kind !== "type" && kind !== "any");
  return {
    list,
    at: list === undefined ? scene.from : 0,
    to: list === undefined ? scene.to : list.length,
    beside,
    inner,
    tests: bindCompound(rest, scene),
  };
}

const NOWHERE = new Int32Array(0);

/** Where a part may match at all: the place of its id, the places of its type, or `undefined` for anywhere. */
function candidates({ nodes, order, from, to }: Scene, part: Compound): Int32Array | undefined {
  for (const simple of part) {
    if (simple.kind !== "id") continue;
    const slot = nodes.slotOf(simple.name);
    const at = slot < 0 ? -1 : order.slots.indexOf(slot, from);
    return at < from || at >= to ? NOWHERE : Int32Array.of(at);
  }
  const head = part[0];
  if (head?.kind !== "type") return undefined;
  const type = nodes.typeNames.indexOf(head.name);
  if (type < 0) return NOWHERE;
  const { byType, typeStarts } = order;
  const [low, high] = [typeStarts[type] as number, typeStarts[type + 1] as number];
  return byType.subarray(firstFrom(byType, low, high, from), firstFrom(byType, low, high, to));
}

/** The first index in `low..high` whose value is not below `wanted`. */
function firstFrom(sorted: Int32Array, low: number, high: number, wanted: number): number {
  return low + bisect(high - low, (i) => (sorted[low + i] as number) < wanted);
}

/** Looks at the next places, cheap questions first. Those that match are in the scene's block: returns how many. */
function look(pass: Pass, scene: Scene): number {
  const { list, beside, at: from } = pass;
  const { block, order } = scene;
  const to = Math.min(pass.to, from + STEP);
  let count = to - from;
  if (list === undefined) for (let i = 0; i < count; i++) block[i] = from + i;
  else block.set(list.subarray(from, to));
  if (pass.inner) count = keepInner(order.ends, block, count);
  if (beside !== undefined) count = beside.keepMembers(block, count);
  for (const test of pass.tests) count = keepMatching(test, scene, block, count);
  pass.at = to;
  return count;
}

/** Keeps those with something below them. */
function keepInner(ends: Int32Array, places: Int32Array, count: number): number {
  let left = 0;
  for (let i = 0; i < count; i++) {
    const at = places[i] as number;
    if (ends[at] !== at + 1) places[left++] = at;
  }
  return left;
}

/** All places that a pass finds. */
function* collect(scene: Scene, pass: Pass): Steps<Int32Array> {
  const pieces: Int32Array[] = [];
  let length = 0;
  while (pass.at < pass.to) {
    const count = look(pass, scene);
    pieces.push(scene.block.slice(0, count));
    length += count;
    yield;
  }
  const all = new Int32Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function toSlots({ slots }: DocumentOrder, places: Int32Array): void {
  for (let i = 0; i < places.length; i++) places[i] = slots[places[i] as number] as number;
}
