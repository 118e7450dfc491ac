// Reads a whole document through a scanner, in every way it offers, so that two scanners can be compared.

import { Rows } from "../../src/json/scan/rows.ts";
import { decodeString, Keys, NONE, PAUSED, type Scanner } from "../../src/json/scan/scanner.ts";

const decoder = new TextDecoder();

/** Runs a pausing call to its end and counts the pauses. */
export function settled(scanner: Scanner, first: number): number {
  let result = first;
  while (result === PAUSED) result = scanner.resume();
  return result;
}

/** Everything the scanner says about the document, as lines of text. */
export function survey(scanner: Scanner): string[] {
  const said: string[] = [];
  const root = scanner.root();
  said.push(
    `root ${root} size ${scanner.source.size} lines ${settled(scanner, scanner.lines(scanner.source.size))}`,
  );
  const todo = root === NONE ? [] : [root];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const kind = scanner.kind(at);
    said.push(
      `${at} ${kind ?? "?"} to ${settled(scanner, scanner.end(at))} line ${settled(scanner, scanner.lines(at))}`,
    );
    if (kind !== "object" && kind !== "array") continue;
    const children = scanner.children(at);
    const names = new Set<string>();
    for (let start = children.next(); start !== NONE; start = children.next()) {
      if (start === PAUSED) continue;
      said.push(
        `  ${children.index} ${children.keyStart} ${children.keyEnd} ${children.start} ${children.end}`,
      );
      if (children.keyStart !== NONE)
        names.add(decodeString(scanner.bytes(children.keyStart, children.keyEnd)));
      todo.push(start);
    }
    if (kind === "array") said.push(...records(scanner, at, namesBelow(scanner, at)));
    said.push(`  closes ${children.close} count ${settled(scanner, scanner.count(at))}`);
    for (let i = 0; i <= children.index + 1; i++)
      said.push(`  nth ${i} ${settled(scanner, scanner.nth(at, i))}`);
    const keys = new Keys("absent", ...names);
    const end = settled(scanner, scanner.find(at, keys));
    for (let from = at + 1; kind === "object";) {
      const start = settled(scanner, scanner.seek(at, keys, from));
      said.push(`  seek ${start} ${keys.keys.join()}`);
      if (start === NONE) break;
      from = settled(scanner, scanner.end(start));
      if (from === NONE) break;
    }
    settled(scanner, scanner.find(at, keys));
    if (kind === "object")
      said.push(`  find ${end} ${keys.keys.join()} ${keys.values.join()} ${keys.counts.join()}`);
  }
  return said;
}

/** The names that the objects directly inside an array have. */
function namesBelow(scanner: Scanner, at: number): string[] {
  const names = new Set<string>();
  const items = scanner.children(at);
  for (let item = items.next(); item !== NONE; item = items.next()) {
    if (item === PAUSED || scanner.byte(item) !== 0x7b) continue;
    const members = scanner.children(item);
    for (let start = members.next(); start !== NONE; start = members.next())
      if (start !== PAUSED) names.add(decodeString(scanner.bytes(members.keyStart, members.keyEnd)));
  }
  return [...names].slice(0, 100);
}

/** What the elements of an array have under some names: by rows, and by hand where those give up. */
function records(scanner: Scanner, at: number, names: readonly string[]): string[] {
  const said: string[] = [];
  const keys = new Keys("absent", ...names);
  const rows = new Rows(keys);
  let start = scanner.blank(at + 1);
  while (scanner.kind(start) !== undefined) {
    const opener = scanner.byte(start);
    const count = opener === 0x7b || opener === 0x5b ? scanner.rows(start, rows) : 0;
    let end = NONE;
    for (let i = 0; i < count; i++) {
      rows.take(i);
      end = rows.endOf(i);
      said.push(`  record ${rows.start(i)} ${end} ${keys.values.join()}`);
    }
    if (count === 0) {
      keys.clear();
      end = settled(scanner, opener === 0x7b ? scanner.find(start, keys) : scanner.end(start));
      said.push(`  record ${start} ${end} ${keys.values.join()}`);
      if (end === NONE) break;
    }
    start = scanner.blank(end);
    if (scanner.byte(start) !== 0x2c) break;
    start = scanner.blank(start + 1);
  }
  return said;
}

/** The document as JSON.parse would read it, built from what the scanner says. */
export function valueOf(scanner: Scanner): unknown {
  const root = scanner.root();
  const holder: unknown[] = [];
  const todo: { at: number; put: (value: unknown) => void }[] = [
    { at: root, put: (value) => holder.push(value) },
  ];
  for (let job = todo.pop(); job !== undefined; job = todo.pop()) {
    const kind = scanner.kind(job.at);
    if (kind !== "object" && kind !== "array") {
      job.put(JSON.parse(decoder.decode(scanner.bytes(job.at, settled(scanner, scanner.end(job.at))))));
      continue;
    }
    const list: unknown[] = [];
    const members: Record<string, unknown> = {};
    const winners = new Map<string, number>();
    job.put(kind === "array" ? list : members);
    const children = scanner.children(job.at);
    for (let start = children.next(); start !== NONE; start = children.next()) {
      if (start === PAUSED) continue;
      const index = children.index;
      if (kind === "array") todo.push({ at: start, put: (value) => (list[index] = value) });
      else {
        const name = decodeString(scanner.bytes(children.keyStart, children.keyEnd));
        // Keys take their place now and their value later; the last of duplicates must win.
        define(members, name, undefined);
        winners.set(name, start);
        todo.push({
          at: start,
          put: (value) => {
            if (winners.get(name) === start) define(members, name, value);
          },
        });
      }
    }
  }
  return holder[0];
}

function define(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}
