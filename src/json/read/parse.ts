// Owns: a whole document as the value that JSON.parse makes of it, in steps.
// Must never: recurse on the document, or look at more than one run of siblings in a step.

import type { ByteSource } from "../../text/byte-source.ts";
import type { Steps } from "../../text/steps.ts";
import type { Json } from "../../value.ts";
import { openScanner } from "../scan/open.ts";
import { type Children, NONE, PAUSED, type Scanner } from "../scan/scanner.ts";
import { textAt } from "../scan/value.ts";

/** Bytes that are parsed in one step. */
const AT_ONCE = 32 * 1024;
/** A large value below so many others is parsed at once: each level looks through its values again. */
const MOST_LEVELS = 64;

/** A container too large for one step. A run of its siblings is parsed together; `from` is where it begins, -1: there is none. */
interface Level {
  readonly value: Json[] | { [key: string]: Json };
  readonly children: Children;
  from: number;
  to: number;
}

/**
 * What `JSON.parse` returns for a valid document, in steps. Throws what `JSON.parse` throws for one that is not, so
 * validate it first, and for one that is nested too deep.
 *
 * @example const value = await runPaced(parseJsonSteps(source));
 */
export function* parseJsonSteps(source: ByteSource): Steps<Json> {
  const scanner = openScanner(source, { indexes: null, pauseEvery: 1 });
  const root = scanner.root();
  const levels = isLarge(scanner, root, source.size) ? [open(scanner, root)] : [];
  const [top] = levels;
  if (top === undefined) return JSON.parse(textAt(scanner, 0, source.size)) as Json;
  for (let level: Level | undefined = top; level !== undefined; level = levels.at(-1)) {
    const { children } = level;
    const start = children.next();
    if (start === PAUSED) {
      yield;
      continue;
    }
    const { keyStart, end } = children;
    const isDeeper = start !== NONE && levels.length < MOST_LEVELS && isLarge(scanner, start, end);
    if (start === NONE || isDeeper || (level.from >= 0 && end - level.from > AT_ONCE)) {
      takeRun(scanner, level);
      yield;
    }
    if (start === NONE) levels.pop();
    else if (isDeeper) {
      const deeper = open(scanner, start);
      put(
        level,
        keyStart === NONE ? "" : (JSON.parse(textAt(scanner, keyStart, children.keyEnd)) as string),
        deeper.value,
      );
      levels.push(deeper);
    } else {
      if (level.from < 0) level.from = Array.isArray(level.value) ? start : keyStart;
      level.to = end;
    }
  }
  return top.value;
}

function isLarge(scanner: Scanner, start: number, end: number): boolean {
  if (end - start <= AT_ONCE) return false;
  const kind = scanner.kind(start);
  return kind === "object" || kind === "array";
}

function open(scanner: Scanner, at: number): Level {
  const value = scanner.kind(at) === "array" ? [] : {};
  return { value, children: scanner.children(at), from: -1, to: -1 };
}

/** Parses the siblings that wait, commas between them and all. */
function takeRun(scanner: Scanner, level: Level): void {
  if (level.from < 0) return;
  const text = textAt(scanner, level.from, level.to);
  level.from = -1;
  if (Array.isArray(level.value))
    for (const item of JSON.parse(`[${text}]`) as Json[]) level.value.push(item);
  else
    for (const [key, value] of Object.entries(JSON.parse(`{${text}}`) as { [key: string]: Json }))
      put(level, key, value);
}

/** `__proto__` is an ordinary key, as JSON.parse has it. */
function put({ value: target }: Level, key: string, value: Json): void {
  if (Array.isArray(target)) target.push(value);
  else if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
