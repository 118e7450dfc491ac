// Owns: what a value in the bytes means: its scalar, its text, whether two of them are equal.
// Must never: build an object graph. Containers are compared where they are.

import type { Steps } from "../../text/steps.ts";
import { decodeString, NONE, PAUSED, type Scanner } from "./scanner.ts";
import { keyName, openMembers } from "./members.ts";

export type Scalar = null | boolean | number | string;

/** One past the value at `at`, however long it takes. The document's size for a value that never ends. */
export function endNow(scanner: Scanner, at: number): number {
  let end = scanner.end(at);
  while (end === PAUSED) end = scanner.resume();
  return end === NONE ? scanner.source.size : end;
}

/** The bytes of the value at `at`. */
export function literalAt(scanner: Scanner, at: number): Uint8Array {
  return scanner.bytes(at, endNow(scanner, at));
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of the bytes from `start` to `end`. */
export function textAt(scanner: Scanner, start: number, end: number): string {
  return decoder.decode(scanner.bytes(start, end));
}

/** The scalar at `at`; undefined for a container. */
export function scalarAt(scanner: Scanner, at: number): Scalar | undefined {
  switch (scanner.kind(at)) {
    case "string":
      return decodeString(literalAt(scanner, at));
    case "number":
      return numberAt(scanner, at);
    case "boolean":
      return scanner.byte(at) === 0x74;
    case "null":
      return null;
    default:
      return undefined;
  }
}

/** The number at `at`; undefined when something else is there. */
export function numberAt(scanner: Scanner, at: number): number | undefined {
  // Up to 15 digits are exact in a double; everything else goes through the engine's own reading.
  let value = 0;
  for (let i = at; i < at + 16; i++) {
    const byte = scanner.byte(i);
    if (byte >= 0x30 && byte <= 0x39) value = value * 10 + byte - 0x30;
    else if (i === at && byte !== 0x2d) return undefined;
    else if (i === at || byte === 0x2e || (byte | 0x20) === 0x65) break;
    else return value;
  }
  return Number(decoder.decode(literalAt(scanner, at)));
}

/** Does `a` come before `b` by code points? JavaScript's own order goes by UTF-16 units. */
export function isBefore(a: string, b: string): boolean {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // A surrogate half stands for a code point above all others.
    const high = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
    return high(x) < high(y);
  }
  return a.length < b.length;
}

/**
 * Are the values at `a` (in `left`) and `b` (in `right`) equal as JSON: numbers by value, strings by text, objects
 * without regard to order, the last of duplicate keys? Steps through both; `tick` is called for each pair.
 */
export function* equalValues(
  left: Scanner,
  a: number,
  right: Scanner,
  b: number,
  tick?: () => void,
): Steps<boolean> {
  const pairs: (readonly [number, number])[] = [[a, b]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    tick?.();
    const [x, y] = pair;
    const kind = left.kind(x);
    if (kind !== right.kind(y)) return false;
    if (kind === "array") {
      if (!(yield* pairItems(left, x, right, y, pairs))) return false;
    } else if (kind === "object") {
      if (!(yield* pairMembers(left, x, right, y, pairs))) return false;
    } else if (scalarAt(left, x) !== scalarAt(right, y)) return false;
  }
  return true;
}

type Pairs = (readonly [number, number])[];

// Scalars are compared on the spot, so that only containers wait in the list.
function pairUp(left: Scanner, x: number, right: Scanner, y: number, pairs: Pairs): boolean {
  const kind = left.kind(x);
  if (kind !== right.kind(y)) return false;
  if (kind !== "array" && kind !== "object") return scalarAt(left, x) === scalarAt(right, y);
  pairs.push([x, y]);
  return true;
}

function* pairItems(left: Scanner, a: number, right: Scanner, b: number, pairs: Pairs): Steps<boolean> {
  const these = left.children(a);
  const those = right.children(b);
  for (;;) {
    let x = these.next();
    for (; x === PAUSED; x = these.next()) yield;
    let y = those.next();
    for (; y === PAUSED; y = those.next()) yield;
    if (x === NONE || y === NONE) return x === y;
    if (!pairUp(left, x, right, y, pairs)) return false;
  }
}

function* pairMembers(left: Scanner, a: number, right: Scanner, b: number, pairs: Pairs): Steps<boolean> {
  const these = new Map<string, number>();
  const mine = yield* openMembers(left, a);
  for (let x = mine.next(); x !== NONE; x = mine.next())
    if (x === PAUSED) yield;
    else these.set(keyName(left, mine.keyStart, mine.keyEnd), x);
  const theirs = yield* openMembers(right, b);
  let shared = 0;
  for (let y = theirs.next(); y !== NONE; y = theirs.next()) {
    if (y === PAUSED) {
      yield;
      continue;
    }
    const x = these.get(keyName(right, theirs.keyStart, theirs.keyEnd));
    if (x === undefined || !pairUp(left, x, right, y, pairs)) return false;
    shared++;
  }
  return shared === these.size;
}
