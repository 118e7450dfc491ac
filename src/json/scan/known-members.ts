// Owns: members of a large object by name, from memory: those looked up before, and those that its key table finds.
// Must never: take a hash for a name. What the table finds is compared with the bytes of the document.

import type { KnownContainer, KnownMember } from "./index-store.ts";
import { hashName } from "./key-table.ts";
import { decodeString, type Keys, NONE, PAUSED, type Scanner } from "./scanner.ts";

const MOST_NAMES = 1_000;
const LONGEST_NAME = 1_000;

/** A member from memory; undefined when it was never looked for. */
export function knownMember(scanner: Scanner, known: KnownContainer, name: string): KnownMember | undefined {
  const held = known.names.get(name);
  if (held !== undefined || known.table === undefined) return held;
  let key = NONE;
  let count = 0;
  for (const place of known.table.candidates(hashName(name))) {
    if (!isKey(scanner, place, name)) continue;
    key = Math.max(key, place);
    count++;
  }
  const member = { key, value: key === NONE ? NONE : valueAfter(scanner, key), count };
  hold(known, name, member);
  return member;
}

/** Remembers what a look-up in the whole object has found. */
export function holdFound(known: KnownContainer, keys: Keys): void {
  for (let i = 0; i < keys.names.length; i++)
    hold(known, keys.names[i] ?? "", {
      key: keys.keys[i] ?? NONE,
      value: keys.values[i] ?? NONE,
      count: keys.counts[i] ?? 0,
    });
}

function hold(known: KnownContainer, name: string, member: KnownMember): void {
  if (name.length <= LONGEST_NAME && known.names.size < MOST_NAMES) known.names.set(name, member);
}

function isKey(scanner: Scanner, place: number, name: string): boolean {
  // The longest spelling of a name is six bytes for each UTF-16 unit.
  const literal = scanner.bytes(place, place + 6 * name.length + 2);
  let end = 1;
  while (end < literal.length && literal[end] !== 0x22) end += literal[end] === 0x5c ? 2 : 1;
  return end < literal.length && decodeString(literal.subarray(0, end + 1)) === name;
}

function valueAfter(scanner: Scanner, key: number): number {
  let end = scanner.end(key);
  while (end === PAUSED) end = scanner.resume();
  return scanner.blank(scanner.blank(end) + 1);
}
