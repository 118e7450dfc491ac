// Owns: the children of a container that a wildcard or a slice picks, in the order of RFC 9535.

import { type Members, openMembers } from "../scan/members.ts";
import { NONE, PAUSED, type Scanner, settle } from "../scan/scanner.ts";
import type { PathSelector } from "./ast.ts";
import { type Evaluation, type Node, type NodeSteps, pauses, Trail } from "./evaluation.ts";

export function isContainer(scanner: Scanner, at: number): boolean {
  const byte = scanner.byte(at);
  return byte === 0x7b || byte === 0x5b;
}

export function childNode(members: Members, parent: Trail | undefined): Node {
  const { keyStart, keyEnd, start, end, index } = members;
  const place = keyStart === NONE ? new Trail(parent, index) : new Trail(parent, undefined, keyStart, keyEnd);
  return { start, end, place };
}

export function* selectChildren(ev: Evaluation, node: Node): NodeSteps {
  if (!isContainer(ev.scanner, node.start)) return;
  const members = yield* pauses(openMembers(ev.scanner, node.start));
  for (let start = members.next(); start !== NONE; start = members.next()) {
    if (start === PAUSED || ev.tick()) yield undefined;
    if (start !== PAUSED) yield childNode(members, node.place);
  }
}

export function* selectSlice(ev: Evaluation, slice: PathSelector & { kind: "slice" }, node: Node): NodeSteps {
  const { scanner } = ev;
  const { step } = slice;
  if (scanner.byte(node.start) !== 0x5b || step === 0) return;
  const open = step < 0 || (slice.start ?? 0) < 0 || (slice.end ?? 0) < 0;
  const length = open ? yield* pauses(settle(scanner, scanner.count(node.start))) : Infinity;
  const [lower, upper] = sliceBounds(slice, length);
  if (lower >= upper) return;
  const backwards: Node[] = [];
  const children = scanner.children(node.start);
  for (let start = children.next(); start !== NONE && children.index < upper; start = children.next()) {
    if (start === PAUSED || ev.tick()) yield undefined;
    if (start === PAUSED || children.index < lower) continue;
    if (step > 0) {
      if ((children.index - lower) % step === 0) yield childNode(children, node.place);
    } else if ((upper - 1 - children.index) % -step === 0) backwards.push(childNode(children, node.place));
  }
  for (let item = backwards.pop(); item !== undefined; item = backwards.pop()) yield item;
}

/** The indexes a slice covers, as [first, one past last] whatever the direction. */
function sliceBounds(
  { start, end, step }: PathSelector & { kind: "slice" },
  length: number,
): readonly [number, number] {
  const place = (index: number): number => (index >= 0 ? index : length + index);
  if (step > 0)
    return [
      Math.min(Math.max(place(start ?? 0), 0), length),
      Math.min(Math.max(end === undefined ? length : place(end), 0), length),
    ];
  const from = Math.min(Math.max(start === undefined ? length - 1 : place(start), -1), length - 1);
  const to = Math.min(Math.max(end === undefined ? -1 : place(end), -1), length - 1);
  return [to + 1, from + 1];
}
