// Owns: a query that begins with a member of the root, evaluated in the same pass that looks for the member.
// Must never: let a node out before it is known that the member is the last of its name.
//
// Of duplicate keys the last counts, so to find a member is to read the whole root object. Instead the first occurrence
// is taken, its nodes are held back, and what follows it is searched for another one. The same goes for the members of
// the object that is filtered. When a key does occur twice, which is rare, everything starts over the long way.

import type { Steps } from "../../text/steps.ts";
import { NONE, type Scanner, settle } from "../scan/scanner.ts";
import type { Segment } from "./ast.ts";
import type { QueryFilter } from "./compile-filter.ts";
import { type Evaluation, Exhausted, type Node, type NodeSteps, pauses, Trail } from "./evaluation.ts";
import { filterMembersInto, MemberWalk, passRest } from "./filter-members.ts";
import { Batch, isFull, type Sink } from "./match.ts";
import { filterItems, walk } from "./select.ts";

/** Matches held back, at most; and how many of them come together afterwards. */
const MOST_HELD = 100_000;
const TOGETHER = 1_000;

type Founds = Generator<Node | Batch | undefined, void, void>;

/**
 * The nodes that `segments` select from the root. The taker stops after `wanted` of them; one that does not say so gets
 * each node as soon as it is found.
 */
export function walkRoot(ev: Evaluation, segments: readonly Segment[], wanted: number): Founds {
  const [first, second, third, more] = segments;
  const name = first === undefined ? undefined : onlyName(first);
  const [selector, another] = second?.kind === "child" ? second.selectors : [];
  const below = third === undefined ? undefined : onlyName(third);
  if (
    name === undefined ||
    selector?.kind !== "filter" ||
    another !== undefined ||
    (third !== undefined && below === undefined) ||
    more !== undefined ||
    wanted === Infinity ||
    ev.scanner.byte(ev.root.start) !== 0x7b
  )
    return walk(ev, segments, ev.root);
  const filter = ev.filter(selector.test, below);
  if (below !== undefined && filter.keys?.names.includes(below) !== true) return walk(ev, segments, ev.root);
  return walkMember(ev, segments, { name, filter, below }, wanted);
}

/** `$.name[?filter]` or `$.name[?filter].below`, where what lies below is looked up with the filter's own members. */
interface Plan {
  readonly name: string;
  readonly filter: QueryFilter;
  readonly below: string | undefined;
}

function onlyName({ kind, selectors }: Segment): string | undefined {
  const only = kind === "child" && selectors.length === 1 ? selectors[0] : undefined;
  return only?.kind === "name" ? only.name : undefined;
}

function* walkMember(ev: Evaluation, segments: readonly Segment[], plan: Plan, wanted: number): Founds {
  const { scanner, root } = ev;
  const { name, filter, below } = plan;
  const start = yield* pauses(settle(scanner, scanner.seek(root.start, ev.key(name))));
  if (start === NONE) return;
  const kind = scanner.kind(start);
  if (kind !== "array" && kind !== "object") {
    yield* walk(ev, segments, root);
    return;
  }
  const members = kind === "object" ? MemberWalk.over(scanner, start) : undefined;
  const stepsBefore = ev.steps;
  if (ev.tick()) yield undefined;
  const place = new Trail(root.place, name);
  const family = { scanner, place, below, keyed: members !== undefined };
  const sink: Sink = { family, matches: [], most: Math.min(wanted, MOST_HELD) };
  const run =
    members === undefined
      ? filterItems(ev, filter, { start, end: NONE, place }, below, sink)
      : filterMembersInto(ev, filter, members, below, sink);
  let last = nextOf(run);
  while (!(last instanceof Exhausted) && last.done !== true && !isFull(sink)) {
    yield undefined;
    last = nextOf(run);
  }
  if (members !== undefined) ev.ended(start, yield* pauses(passRest(scanner, members)));
  if (members?.twins === true || !(yield* pauses(isLast(ev, scanner, start, name)))) {
    ev.steps = stepsBefore;
    yield* walk(ev, segments, root);
    return;
  }
  sink.most = TOGETHER;
  for (;;) {
    yield sink.matches.length === 0 ? undefined : new Batch(sink.matches);
    sink.matches = [];
    if (last instanceof Exhausted) throw last;
    if (last.done === true) return;
    last = nextOf(run);
  }
}

function nextOf(run: NodeSteps): IteratorResult<Node | undefined, void> | Exhausted {
  try {
    return run.next();
  } catch (error) {
    if (error instanceof Exhausted) return error;
    throw error;
  }
}

/** Is the member whose value starts at `start` the last of its name in the root? */
function* isLast(ev: Evaluation, scanner: Scanner, start: number, name: string): Steps<boolean> {
  const end = ev.endOf(start) ?? (yield* settle(scanner, scanner.end(start)));
  if (end === NONE) return true;
  return (yield* settle(scanner, scanner.seek(ev.root.start, ev.key(name), end))) === NONE;
}
