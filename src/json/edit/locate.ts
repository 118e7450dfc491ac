// Owns: finding what a write path names, and saying precisely what is missing when it is not there.

import type { Steps } from "../../text/steps.ts";
import { echo, escapeUnseen, HoldfastError, say, sayAll, type Shown } from "../../errors.ts";
import { keyName } from "../scan/members.ts";
import type { JsonPathStep } from "../path/ast.ts";
import { shortPath } from "../path/normalized.ts";
import {
  type IndexableScanner,
  Keys,
  type JsonKind,
  NONE,
  PAUSED,
  type Scanner,
  settle,
} from "../scan/scanner.ts";
import type { AssumedLastKey } from "./assumed-last-key.ts";
import type { PathFrame } from "./style.ts";

/** A value that a path leads to. */
export interface Reached {
  readonly at: number;
  /** The steps with indexes counted from the start. */
  readonly steps: readonly JsonPathStep[];
  /** How often the last key occurs in its object. */
  readonly occurrences: number;
}

/** The same with the way to it. */
export interface Located extends Reached {
  /** The containers on the way, root first; the last one holds the value. */
  readonly frames: readonly PathFrame[];
}

const SHOWN_KEYS = 10;

/** A path as text for a message. It holds only keys of the document, quoted where they need it. */
export function shownPath(steps: readonly JsonPathStep[]): Shown {
  const path = shortPath(steps);
  return escapeUnseen(path.length <= 200 ? path : `${path.slice(0, 200)}...`);
}

/** Follows all steps; throws `not_found` / `path_not_found` naming the first that leads nowhere. */
export function reachPath(scanner: Scanner, steps: readonly JsonPathStep[]): Steps<Reached> {
  return follow(scanner, steps);
}

/** The same, noting the way. With `assumedLastKey` the first key of the root's name is taken for its last. */
export function* locate(
  scanner: Scanner,
  steps: readonly JsonPathStep[],
  assumedLastKey?: AssumedLastKey,
): Steps<Located> {
  const hits: Hit[] = [];
  const reached = yield* follow(scanner, steps, assumedLastKey, hits);
  const frames: PathFrame[] = [];
  for (const hit of hits) frames.push(yield* frameOf(scanner, hit));
  return { ...reached, frames };
}

function* follow(
  scanner: Scanner,
  steps: readonly JsonPathStep[],
  assumedLastKey?: AssumedLastKey,
  hits?: Hit[],
): Steps<Reached> {
  let at = scanner.root();
  if (at === NONE) throw new HoldfastError("invalid_argument", "invalid_json", say`The document is empty.`);
  const walked: JsonPathStep[] = [];
  let occurrences = 1;
  for (const step of steps) {
    const hit = yield* hitStep(scanner, at, step, walked.length === 0 ? assumedLastKey : undefined);
    if (hit === undefined) throw yield* missing(scanner, at, step, walked);
    hits?.push(hit);
    walked.push(hit.step);
    at = hit.start;
    occurrences = hit.occurrences;
  }
  return { at, steps: walked, occurrences };
}

/** How many of the steps lead somewhere. */
export function* existing(scanner: Scanner, steps: readonly JsonPathStep[]): Steps<number> {
  let at = scanner.root();
  for (const [i, step] of steps.entries()) {
    const hit = yield* hitStep(scanner, at, step);
    if (hit === undefined) return i;
    at = hit.start;
  }
  return steps.length;
}

/** A child that a step leads to, and the container it is in. */
interface Hit {
  readonly at: number;
  readonly step: JsonPathStep;
  /** NONE for an item. */
  readonly keyStart: number;
  readonly start: number;
  readonly occurrences: number;
}

interface ItemHit extends Hit {
  readonly step: number;
}

function* frameOf(scanner: Scanner, { at, step, keyStart, start }: Hit): Steps<PathFrame> {
  if (typeof step !== "string") return { at, keyStart, keyEnd: NONE, start };
  const keyEnd = plainKeyEnd(scanner, keyStart, step) ?? (yield* settle(scanner, scanner.end(keyStart)));
  return { at, keyStart, keyEnd, start };
}

function hitStep(
  scanner: Scanner,
  at: number,
  step: JsonPathStep,
  assumedLastKey?: AssumedLastKey,
): Steps<Hit | undefined> {
  return typeof step === "string" ? hitKey(scanner, at, step, assumedLastKey) : hitItem(scanner, at, step);
}

function* hitKey(
  scanner: Scanner,
  at: number,
  name: string,
  assumedLastKey?: AssumedLastKey,
): Steps<Hit | undefined> {
  if (scanner.kind(at) !== "object") return undefined;
  const keys = new Keys(name);
  yield* settle(scanner, assumedLastKey === undefined ? scanner.find(at, keys) : scanner.seek(at, keys));
  const start = keys.values[0] ?? NONE;
  if (start === NONE) return undefined;
  assumedLastKey?.take(at, name, start);
  return { at, step: name, keyStart: keys.keys[0] ?? NONE, start, occurrences: keys.counts[0] ?? 1 };
}

function* hitItem(scanner: Scanner, at: number, index: number): Steps<ItemHit | undefined> {
  if (scanner.kind(at) !== "array") return undefined;
  const place = index < 0 ? (yield* settle(scanner, scanner.count(at))) + index : index;
  const start = place < 0 ? NONE : yield* settle(scanner, scanner.nth(at, place));
  return start === NONE ? undefined : { at, step: place, keyStart: NONE, start, occurrences: 1 };
}

/** The item `index` of the array at `at`, counted from the end where it is negative. */
export function* findItem(
  scanner: Scanner,
  at: number,
  index: number,
): Steps<{ readonly frame: PathFrame; readonly index: number } | undefined> {
  const hit = yield* hitItem(scanner, at, index);
  if (hit === undefined) return undefined;
  return { frame: { at, keyStart: NONE, keyEnd: NONE, start: hit.start }, index: hit.step };
}

/** A member that was looked up by its name. */
export interface FoundKey {
  readonly frame: PathFrame;
  readonly occurrences: number;
}

/** The member `name` of the object at `at`: of duplicates the last. */
export function* findKey(scanner: Scanner, at: number, name: string): Steps<FoundKey | undefined> {
  const hit = yield* hitKey(scanner, at, name);
  if (hit === undefined) return undefined;
  return { frame: yield* frameOf(scanner, hit), occurrences: hit.occurrences };
}

/** Names up to this many are looked for by one `find`. */
const FEW = 16;

/** The members of the object at `at` that have one of these different names: of duplicates the last. */
export function* findKeys(
  scanner: IndexableScanner,
  at: number,
  names: readonly string[],
): Steps<ReadonlyMap<string, FoundKey>> {
  if (names.length > FEW && (yield* settle(scanner, scanner.tabulate(at))) === NONE)
    return yield* meetKeys(scanner, at, new Set(names));
  const found = new Map<string, FoundKey>();
  for (let from = 0; from < names.length; from += FEW) {
    const keys = new Keys(...names.slice(from, from + FEW));
    yield* settle(scanner, scanner.find(at, keys));
    for (const [i, name] of keys.names.entries()) {
      const start = keys.values[i] ?? NONE;
      const keyStart = keys.keys[i] ?? NONE;
      if (start === NONE) continue;
      const occurrences = keys.counts[i] ?? 1;
      const frame = yield* frameOf(scanner, { at, step: name, keyStart, start, occurrences });
      found.set(name, { frame, occurrences });
    }
  }
  return found;
}

/** The same by a walk over all members. */
function* meetKeys(
  scanner: Scanner,
  at: number,
  wanted: ReadonlySet<string>,
): Steps<ReadonlyMap<string, FoundKey>> {
  const found = new Map<string, FoundKey>();
  // The longest way to write a name is six bytes for each UTF-16 unit.
  let longest = 2;
  for (const name of wanted) longest = Math.max(longest, 2 + 6 * name.length);
  const children = scanner.children(at);
  for (let start = children.next(); start !== NONE; start = children.next()) {
    if (start === PAUSED) {
      yield;
      continue;
    }
    const { keyStart, keyEnd } = children;
    const name = keyEnd - keyStart > longest ? undefined : keyName(scanner, keyStart, keyEnd);
    if (name === undefined || !wanted.has(name)) continue;
    const occurrences = (found.get(name)?.occurrences ?? 0) + 1;
    found.set(name, { frame: { at, keyStart, keyEnd, start }, occurrences });
  }
  return found;
}

/**
 * Where the literal of a key ends if it is spelled as it reads. With an escape, or letters beyond ASCII, it is longer:
 * the place looked at is then inside it, where a quote can only follow a backslash.
 */
function plainKeyEnd(scanner: Scanner, keyStart: number, name: string): number | undefined {
  const quote = keyStart + 1 + name.length;
  return scanner.byte(quote - 1) !== 0x5c && scanner.byte(quote) === 0x22 ? quote + 1 : undefined;
}

/** Why `step` leads nowhere from the value at `at`. */
export function* missing(
  scanner: Scanner,
  at: number,
  step: JsonPathStep,
  walked: readonly JsonPathStep[],
): Steps<HoldfastError> {
  const here = shownPath(walked);
  const kind = scanner.kind(at);
  if (typeof step === "string") {
    if (kind !== "object") return wrongKind(here, kind, "object");
    const keys = yield* firstKeys(scanner, at);
    const list = keys.length === 0 ? say`It is empty.` : say`Its keys: ${sayAll(keys)}.`;
    return new HoldfastError("not_found", "path_not_found", say`${here} has no key ${echo(step)}. ${list}`, {
      data: { at: here, missing: echo(step), keys },
    });
  }
  if (kind !== "array") return wrongKind(here, kind, "array");
  const count = yield* settle(scanner, scanner.count(at));
  return new HoldfastError(
    "not_found",
    "index_out_of_range",
    say`${here} has ${count} item${count === 1 ? say`` : say`s`}, so there is no [${step}].`,
    { data: { at: here, items: count } },
  );
}

/** The value at `path` is of another kind than the operation takes. */
export function wrongKind(path: Shown, kind: JsonKind | undefined, wanted: JsonKind): HoldfastError {
  const is = kind === undefined ? say`nothing` : kind === "null" ? say`null` : article(kind);
  return new HoldfastError(
    "invalid_argument",
    wanted === "object" ? "not_an_object" : "not_an_array",
    say`${path} is ${is}, not ${article(wanted)}.`,
    { data: { at: path, kind: (kind ?? "nothing") as Shown } },
  );
}

export function keyExists(path: readonly JsonPathStep[]): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "key_exists",
    say`${shownPath(path)} exists already. Use set to replace its value.`,
  );
}

function article(kind: JsonKind): Shown {
  return (kind === "object" || kind === "array" ? `an ${kind}` : `a ${kind}`) as Shown;
}

function* firstKeys(scanner: Scanner, at: number): Steps<readonly Shown[]> {
  const keys: Shown[] = [];
  const children = scanner.children(at);
  for (let start = children.next(); start !== NONE; start = children.next()) {
    if (start === PAUSED) {
      yield;
      continue;
    }
    if (keys.length === SHOWN_KEYS) {
      keys.push(say`...`);
      break;
    }
    keys.push(echo(keyName(scanner, children.keyStart, children.keyEnd), 40));
  }
  return keys;
}
