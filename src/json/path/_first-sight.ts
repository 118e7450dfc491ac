// Owns: a query that begins with a member of the root, evaluated in the same pass that looks for the member.
// Must never: let a node out before it is known that the member is the last of its name.
//
// Of duplicate keys the last counts, so to find a member is to read the whole root object. Instead the first occurrence
// is taken, its nodes are held back, and what follows it is searched for another one. When there is one, which is
// rare, everything starts over the long way.

import { NONE, PAUSED, type Scanner, settle } from "../scanner.ts";
import type { Segment } from "./ast.ts";
import { type Evaluation, Exhausted, type Node, Place } from "./_evaluation.ts";
import { type Nodes, pauses, walk } from "./_select.ts";

/** Nodes held back, at most. */
const MOST_HELD = 100_000;

/** The nodes that `segments` select from the root. The taker stops after `wanted` of them. */
export function walkRoot(ev: Evaluation, segments: readonly Segment[], wanted: number): Nodes {
  const [first, second] = segments;
  const only = first?.selectors.length === 1 ? first.selectors[0] : undefined;
  const plain = first?.kind === "child" && only?.kind === "name";
  const filters = second?.kind === "child" && second.selectors[0]?.kind === "filter";
  if (!plain || !filters || ev.scanner.byte(ev.root.start) !== 0x7b) return walk(ev, segments, ev.root);
  return walkMember(ev, segments, only.name, wanted);
}

function* walkMember(ev: Evaluation, segments: readonly Segment[], name: string, wanted: number): Nodes {
  const { scanner, root } = ev;
  const keys = ev.key(name);
  const start = yield* pauses(settle(scanner, scanner.seek(root.start, keys)));
  if (start === NONE) return;
  const stepsBefore = ev.steps;
  if (ev.tick()) yield undefined;
  const held: Node[] = [];
  const most = Math.min(wanted, MOST_HELD);
  const run = walk(ev, segments.slice(1), { start, end: NONE, place: new Place(root.place, name) });
  let exhausted: Exhausted | undefined;
  while (held.length < most) {
    const step = nextOf(run);
    if (step instanceof Exhausted) exhausted = step;
    if (step instanceof Exhausted || step.done === true) break;
    if (step.value === undefined) {
      yield undefined;
      continue;
    }
    // Looked at now: by the time the node is let out, its bytes have gone by.
    const node = step.value;
    if (node.end === NONE) node.end = scanner.end(node.start);
    if (node.end === PAUSED) node.end = yield* pauses(settle(scanner, node.end));
    node.first = scanner.byte(node.start);
    held.push(node);
  }
  if (!(yield* pauses(isLast(ev, scanner, start, name)))) {
    ev.steps = stepsBefore;
    yield* walk(ev, segments, root);
    return;
  }
  yield* held;
  if (exhausted !== undefined) throw exhausted;
  yield* run;
}

function nextOf(run: Nodes): IteratorResult<Node | undefined, void> | Exhausted {
  try {
    return run.next();
  } catch (error) {
    if (error instanceof Exhausted) return error;
    throw error;
  }
}

/** Is the member whose value starts at `start` the last of its name in the root? */
function* isLast(
  ev: Evaluation,
  scanner: Scanner,
  start: number,
  name: string,
): Generator<void, boolean, void> {
  const end = ev.endOf(start) ?? (yield* settle(scanner, scanner.end(start)));
  if (end === NONE) return true;
  return (yield* settle(scanner, scanner.seek(ev.root.start, ev.key(name), end))) === NONE;
}
