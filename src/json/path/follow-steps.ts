// Owns: the one node that names and single indexes lead to.

import type { Steps } from "../../text/steps.ts";
import { NONE, settle } from "../scan/scanner.ts";
import type { JsonPathStep } from "./ast.ts";
import { type Evaluation, type Node, Trail } from "./evaluation.ts";

/** The node that `steps` lead to. */
export function* nodeAt(ev: Evaluation, from: Node, steps: readonly JsonPathStep[]): Steps<Node | undefined> {
  let node = from;
  for (const [i, step] of steps.entries()) {
    if (ev.tick()) yield;
    const start = i === 0 && node.known !== undefined ? node.known : yield* childStart(ev, node.start, step);
    if (start === NONE) return undefined;
    const index = typeof step === "number" && step < 0 ? yield* fromEnd(ev, node.start, step) : step;
    node = { start, end: NONE, place: new Trail(node.place, index) };
  }
  return node;
}

function* childStart(ev: Evaluation, at: number, step: JsonPathStep): Steps<number> {
  const { scanner } = ev;
  if (typeof step === "string") {
    if (scanner.byte(at) !== 0x7b) return NONE;
    const keys = ev.key(step);
    yield* settle(scanner, scanner.find(at, keys));
    return keys.values[0] ?? NONE;
  }
  if (scanner.byte(at) !== 0x5b) return NONE;
  const index = step < 0 ? yield* fromEnd(ev, at, step) : step;
  return index < 0 ? NONE : yield* settle(scanner, scanner.nth(at, index));
}

/** A negative index as counted from the start; below 0 when there is no such item. */
function* fromEnd(ev: Evaluation, at: number, index: number): Steps<number> {
  return (yield* settle(ev.scanner, ev.scanner.count(at))) + index;
}
