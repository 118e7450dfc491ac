// Owns: how segments and selectors pick nodes out of the bytes, in the order of RFC 9535.
// Must never: recurse on the document. Depth in the document is a stack of open containers.

import type { Steps } from "../../text/steps.ts";
import { Rows } from "../scan/rows.ts";
import { NONE, PAUSED, settle } from "../scan/scanner.ts";
import { MembersInMemory, type Members, membersNow, openMembers } from "../scan/members.ts";
import { equalValues } from "../scan/value.ts";
import type { JsonPathStep, Query, Segment, PathSelector } from "./ast.ts";
import { type Asked, type QueryFilter, NEED, type Slot } from "./compile-filter.ts";
import { type Evaluation, type Node, type NodeSteps, pauses, Trail } from "./evaluation.ts";
import { nodeAt } from "./follow-steps.ts";
import { isFull, put, type Sink } from "./match.ts";
import { childNode, isContainer, selectChildren, selectSlice } from "./select-children.ts";
import { singularPath } from "./singular.ts";
import { isOneStep, type OneStep, planStages, type QueryStage } from "./stages.ts";

/** The nodes that `query` selects from `from`. Depth first, so that the first ones come before the rest is looked at. */
export function* walk(ev: Evaluation, segments: readonly Segment[], from: Node): NodeSteps {
  const stages = planStages(segments);
  const [first] = stages;
  if (first === undefined) {
    yield from;
    return;
  }
  const open: NodeSteps[] = [runStage(ev, first, from)];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { done, value } = top.next();
    if (done === true) open.pop();
    else if (value === undefined) yield undefined;
    else {
      const next = stages[open.length];
      if (next === undefined) yield value;
      else if (value.known !== undefined && open.length === stages.length - 1 && isOneStep(next)) {
        const found = knownChild(value, next);
        if (found !== undefined) yield found;
      } else open.push(runStage(ev, next, value));
    }
  }
}

/** The last step, when a filter has come across its member already: the usual end of a query over records. */
function knownChild({ place, known = NONE }: Node, { steps }: OneStep): Node | undefined {
  return known === NONE
    ? undefined
    : { start: known, end: NONE, place: new Trail(place, steps[0]), known: undefined };
}

// These only choose a generator: every generator between a match and its taker costs each match a little.
function runStage(ev: Evaluation, stage: QueryStage, node: Node): NodeSteps {
  if (stage.kind === "steps") return selectSteps(ev, node, stage.steps);
  const { kind, selectors } = stage.segment;
  if (kind === "descendant") return descend(ev, selectors, node);
  const [only, ...more] = selectors;
  if (only !== undefined && more.length === 0) return select(ev, only, node, stage.nextName);
  return selectAll(ev, selectors, node, stage.nextName);
}

function* selectSteps(ev: Evaluation, node: Node, steps: readonly JsonPathStep[]): NodeSteps {
  const found = yield* pauses(nodeAt(ev, node, steps));
  if (found !== undefined) yield found;
}

function* selectAll(
  ev: Evaluation,
  selectors: readonly PathSelector[],
  node: Node,
  nextName?: string,
): NodeSteps {
  for (const selector of selectors) yield* select(ev, selector, node, nextName);
}

function select(ev: Evaluation, selector: PathSelector, node: Node, nextName: string | undefined): NodeSteps {
  switch (selector.kind) {
    case "name":
      return selectSteps(ev, { start: node.start, end: NONE, place: node.place }, [selector.name]);
    case "index":
      return selectSteps(ev, { start: node.start, end: NONE, place: node.place }, [selector.index]);
    case "wildcard":
      return selectChildren(ev, node);
    case "slice":
      return selectSlice(ev, selector, node);
    case "filter": {
      const filter = ev.filter(selector.test, nextName);
      if (ev.scanner.byte(node.start) === 0x5b) return filterItems(ev, filter, node, nextName);
      return filterMembers(ev, filter, node, nextName);
    }
  }
}

// Records are looked up many at a time; what is no record, or not a plain one, by hand: the look-up of an element's
// members also tells where it ends, so one pass does it all.
export function* filterItems(
  ev: Evaluation,
  filter: QueryFilter,
  node: Node,
  nextName: string | undefined,
  sink?: Sink,
): NodeSteps {
  const { scanner } = ev;
  const { keys } = filter;
  const known = nextName === undefined ? -1 : (keys?.names.indexOf(nextName) ?? -1);
  const rows = keys === undefined ? undefined : new Rows(keys, filter.prefilter, known);
  let at = scanner.blank(node.start + 1);
  for (let first = 0; scanner.kind(at) !== undefined;) {
    const batch = rows !== undefined && isContainer(scanner, at) && scanner.rows(at, rows) > 0;
    let end: number = NONE;
    if (!batch) {
      if (keys !== undefined && scanner.byte(at) === 0x7b) end = scanner.find(at, keys);
      else {
        keys?.clear();
        end = scanner.end(at);
      }
      if (end === PAUSED) end = yield* pauses(settle(scanner, end));
    }
    for (let i = 0, index = first; i < (batch ? rows.count : 1); i++) {
      if (batch) {
        if (sink !== undefined) i = settleRows(ev, filter, rows, i, first, known, sink);
        if (i === rows.count) break;
        index = first + rows.ordinal(i);
        if (countUpTo(ev, rows, i) || sink !== undefined) yield undefined;
        at = rows.start(i);
        end = rows.endOf(i);
        rows.take(i);
      } else if (ev.tick()) yield undefined;
      filter.start(at);
      let result = filter.test();
      if (result === NEED) result = yield* pauses(testSteps(ev, filter, at));
      if (result && sink !== undefined) {
        const start = nextName === undefined ? at : (keys?.values[known] ?? NONE);
        if (start === NONE) continue;
        let far = nextName === undefined ? end : scanner.end(start);
        if (far === PAUSED) far = yield* pauses(settle(scanner, far));
        put(sink, start, far, index);
        if (isFull(sink)) yield undefined;
      } else if (result)
        yield {
          start: at,
          end,
          place: new Trail(node.place, index),
          known: known < 0 ? undefined : (keys?.values[known] ?? NONE),
        };
    }
    first += batch ? rows.seen : 1;
    if (batch) {
      if (ev.ticks(rows.seen - rows.counted)) yield undefined;
      end = rows.end;
    }
    if (end === NONE) break;
    at = scanner.blank(end);
    if (scanner.byte(at) !== 0x2c) break;
    at = scanner.blank(at + 1);
  }
  if (scanner.byte(at) === 0x5d) ev.ended(node.start, at + 1);
  else scanner.suspect();
}

/** Counts the records up to that of row `i`, those that have been left out before it included. */
function countUpTo(ev: Evaluation, rows: Rows, i: number): boolean {
  const counted = rows.ordinal(i) + 1;
  const many = counted - rows.counted;
  rows.counted = counted;
  return ev.ticks(many);
}

/**
 * Tests rows from `from` on as long as nothing has to be fetched or waited for; the first record of all is item `first`.
 * Returns the row it came to: that one has been counted but is the caller's to test, after yielding if it wants to.
 */
function settleRows(
  ev: Evaluation,
  filter: QueryFilter,
  rows: Rows,
  from: number,
  first: number,
  known: number,
  sink: Sink,
): number {
  const { scanner } = ev;
  const { count } = rows;
  for (let i = from; i < count; i++) {
    if (countUpTo(ev, rows, i) || isFull(sink)) return i;
    const at = rows.start(i);
    if (!rows.passes(i)) {
      rows.take(i);
      filter.start(at);
      const result = filter.test();
      if (result === NEED) return i;
      if (!result) continue;
    }
    const start = known < 0 ? at : rows.value(i, known);
    if (start === NONE) continue;
    let end = known < 0 ? rows.endOf(i) : rows.far(i);
    if (end === NONE) end = scanner.end(start);
    if (end === PAUSED) return i;
    put(sink, start, end, first + rows.ordinal(i));
  }
  return count;
}

function* filterMembers(
  ev: Evaluation,
  filter: QueryFilter,
  node: Node,
  nextName: string | undefined,
): NodeSteps {
  const { scanner } = ev;
  const known = nextName === undefined ? -1 : (filter.keys?.names.indexOf(nextName) ?? -1);
  for (const child of selectChildren(ev, node)) {
    if (child === undefined) {
      yield undefined;
      continue;
    }
    const at = child.start;
    if (filter.keys !== undefined && scanner.byte(at) === 0x7b)
      yield* pauses(settle(scanner, scanner.find(at, filter.keys)));
    else filter.keys?.clear();
    filter.start(at);
    let result = filter.test();
    if (result === NEED) result = yield* pauses(testSteps(ev, filter, at));
    if (result) yield known < 0 ? child : { ...child, known: filter.keys?.values[known] ?? NONE };
  }
}

/** Goes on with a test that asked for something: fetches that and asks again, until the test has a result. */
export function* testSteps(ev: Evaluation, filter: QueryFilter, at: number): Steps<boolean> {
  for (;;) {
    const { wanted } = filter;
    if (wanted !== undefined)
      wanted.result =
        "mode" in wanted ? yield* resolveSlot(ev, filter, wanted, at) : yield* resolveAsked(ev, wanted);
    const result = filter.test();
    if (result !== NEED) return result;
  }
}

function* resolveAsked(ev: Evaluation, asked: Asked): Steps<number> {
  const { scanner } = ev;
  if (asked.kind === "equal")
    return (yield* equalValues(scanner, asked.a, scanner, asked.b, () => ev.tick())) ? 1 : 0;
  if (scanner.byte(asked.a) === 0x5b) return yield* settle(scanner, scanner.count(asked.a));
  const members = yield* openMembers(scanner, asked.a);
  let size = 0;
  for (let start = members.next(); start !== NONE; start = members.next())
    if (start === PAUSED) yield;
    else {
      size++;
      if (ev.tick()) yield;
    }
  return size;
}

function* resolveSlot(ev: Evaluation, filter: QueryFilter, slot: Slot, at: number): Steps<number> {
  const { query, mode } = slot;
  const from: Node = query.root === "$" ? ev.root : { start: at, end: NONE, place: undefined };
  if (from.start === NONE) return mode === "single" || mode === "value" ? NONE : 0;
  const steps = singularPath(query);
  if (steps !== undefined) {
    const known = slot.key === NONE ? undefined : filter.keys?.values[slot.key];
    const start = known === undefined ? from : { ...from, known };
    const found = yield* nodeAt(ev, start, steps);
    if (mode === "single" || mode === "value") return found?.start ?? NONE;
    return found === undefined ? 0 : 1;
  }
  return yield* resolveMany(ev, query, mode, from);
}

function* resolveMany(ev: Evaluation, query: Query, mode: Slot["mode"], from: Node): Steps<number> {
  let count = 0;
  let only: number = NONE;
  for (const node of walk(ev, query.segments, from)) {
    if (node === undefined) {
      yield;
      continue;
    }
    count++;
    only = node.start;
    if (mode === "exists" || (mode === "value" && count === 2)) break;
  }
  if (mode === "value") return count === 1 ? only : NONE;
  return count;
}

interface Descent {
  readonly members: Members;
  readonly place: Trail | undefined;
}

// Every container from `node` down, parents first: what its selectors pick comes before anything below it.
function* descend(ev: Evaluation, selectors: readonly PathSelector[], node: Node): NodeSteps {
  if (!isContainer(ev.scanner, node.start)) return;
  const names = plainNames(selectors);
  const open: Descent[] = [];
  let visited: Node | undefined = node;
  for (;;) {
    if (visited !== undefined) {
      const { start, place } = visited;
      const now = membersNow(ev.scanner, start);
      const members = "keyStart" in now ? now : yield* pauses(now);
      if (names !== undefined && members instanceof MembersInMemory)
        yield* namedMembers(ev, members, names, place);
      else if (names === undefined || ev.scanner.byte(start) === 0x7b)
        yield* selectAll(ev, selectors, visited);
      open.push({ members, place });
    }
    const top = open.at(-1);
    if (top === undefined) return;
    visited = undefined;
    const start = top.members.next();
    if (start === NONE) {
      open.pop();
      continue;
    }
    if (start === PAUSED || ev.tick()) yield undefined;
    if (start !== PAUSED && isContainer(ev.scanner, start)) visited = childNode(top.members, top.place);
  }
}

interface PlainName {
  readonly name: string;
  readonly raw: Uint8Array;
}

const encoder = new TextEncoder();

/** The names, when all selectors are names: they are looked up among members that are at hand anyway. */
function plainNames(selectors: readonly PathSelector[]): readonly PlainName[] | undefined {
  const names: PlainName[] = [];
  for (const selector of selectors) {
    if (selector.kind !== "name") return undefined;
    names.push({ name: selector.name, raw: encoder.encode(selector.name) });
  }
  return names;
}

function* namedMembers(
  ev: Evaluation,
  members: MembersInMemory,
  names: readonly PlainName[],
  place: Trail | undefined,
): NodeSteps {
  for (const { name, raw } of names) {
    const start = members.find(ev.scanner, name, raw);
    if (start !== NONE) yield { start, end: NONE, place: new Trail(place, name) };
  }
}
