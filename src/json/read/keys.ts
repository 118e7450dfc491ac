// Owns: the keys of an object with the kinds of their values.

import { say } from "../../errors.ts";
import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { keyName, openMembers } from "../scan/members.ts";
import type { GivenPath } from "../path/ast.ts";
import { isNameable, normalizedPath } from "../path/normalized.ts";
import {
  bound,
  onePlace,
  reachValue,
  readDocument,
  type ReadOptions,
  type ReadResult,
  READ_OPTIONS,
} from "./read-options.ts";
import { type JsonKind, NONE, PAUSED, type Scanner, settle } from "../scan/scanner.ts";
import { safeSlice } from "./cut.ts";
import { UNNAMED_SENTENCE, unnamedKeysText } from "./unnamed-keys.ts";

const OPTIONS: OptionNames<KeysOptions> = {
  ...READ_OPTIONS,
  limit: true,
  offset: true,
  counts: true,
};

/** Which keys to list. */
export interface KeysOptions extends ReadOptions {
  /** Keys in the result: 1,000 when left out. `next` is the offset of the rest. */
  readonly limit?: number;
  /** Keys to pass over: `next` of the result before. */
  readonly offset?: number;
  /** Also count the items or members of each container: one pass over each. */
  readonly counts?: boolean;
}

/** One key of an object. */
export interface JsonKey {
  /** The key. */
  readonly name: string;
  /** What kind of value it has. */
  readonly kind: JsonKind;
  /** Items or members (duplicates counted) of a container, when asked for. */
  readonly count?: number;
  /** The key holds half of a surrogate pair, so no path can name it. */
  readonly unnamed?: true;
}

/** What is at a path, seen from above. */
export interface JsonKeys {
  /** The place that was asked about. */
  readonly path: string;
  /** What the place holds. */
  readonly kind: JsonKind;
  /** Keys of the object, items of the array; 0 for a scalar. */
  readonly total: number;
  /** The keys, in the document's order. */
  readonly keys: readonly JsonKey[];
  /** The offset of the rest, when there is more. */
  readonly next?: number;
}

const KEYS = 1_000;

/**
 * The keys of the object at a singular path, in document order, duplicates once. For an array the number of items, for
 * a scalar its kind.
 *
 * Cost: one pass over the object, skipping its values. Throws
 * `not_found` / `path_not_found` for a missing place, and `invalid_argument`: `invalid_path`, `not_singular` for a path
 * that can name several places, `invalid_json` when what was read is broken.
 *
 * @example keysText(listKeys(source, "$.features"), "$.features") // "Keys at $.features: rollout (object), ..."
 */
export function listKeys(source: ByteSource, path: GivenPath = "$", options: KeysOptions = {}): JsonKeys {
  checkOptionNames(say`listKeys`, options, OPTIONS);
  return runNow(listKeysSteps(source, path, options));
}

/**
 * {@link listKeys} in steps.
 *
 * @example const { keys } = await runPaced(listKeysSteps(source, "$.a"));
 */
export function* listKeysSteps(
  source: ByteSource,
  path: GivenPath = "$",
  options: KeysOptions = {},
): Steps<JsonKeys> {
  return yield* readDocument(source, options, (scanner) => list(scanner, path, options));
}

function* list(scanner: Scanner, path: GivenPath, options: KeysOptions): Steps<ReadResult<JsonKeys>> {
  const { at, steps } = yield* reachValue(scanner, onePlace(path));

  const kind = scanner.kind(at) ?? "null";
  const place = { path: normalizedPath(steps), kind };
  const listed = (keys: JsonKeys): ReadResult<JsonKeys> => ({ result: Object.freeze(keys), at });
  if (kind === "array")
    return listed({ ...place, total: yield* settle(scanner, scanner.count(at)), keys: [] });
  if (kind !== "object") return listed({ ...place, total: 0, keys: [] });
  const offset = bound("offset", options.offset ?? 0);
  const stop = offset + bound("limit", options.limit ?? KEYS);
  const keys: JsonKey[] = [];
  const members = yield* openMembers(scanner, at);
  let total = 0;
  for (let start = members.next(); start !== NONE; start = members.next()) {
    if (start === PAUSED) {
      yield;
      continue;
    }
    const index = total++;
    if (index < offset || index >= stop) continue;
    const name = keyName(scanner, members.keyStart, members.keyEnd);
    const of = scanner.kind(start) ?? "null";
    const counted = options.counts === true && (of === "object" || of === "array");
    const count = counted ? { count: yield* settle(scanner, scanner.count(start)) } : {};
    keys.push({ name, kind: of, ...count, ...(isNameable(name) ? {} : { unnamed: true }) });
  }
  const next = total > stop ? { next: stop } : {};
  return listed({ ...place, total, keys, ...next });
}

const LONGEST = 100;

/**
 * `Keys at $.a: b (object), c (number)`, `[Array with 42 items]`, or `$.a is a number`; then how many of the keys no path
 * can name, if there are such.
 *
 * @example keysText(listKeys(source), "$")  // "Keys at $: a (number), b (object)"
 */
export function keysText(
  listed: JsonKeys,
  path: string,
  budget: number = DEFAULT_LIMITS.budgetChars,
): string {
  const { kind, total, keys } = listed;
  if (kind === "array") return `[Array with ${total} ${total === 1 ? "item" : "items"}]`;
  if (kind !== "object") return `${path} is ${kind === "null" ? "null" : `a ${kind}`}, it has no keys`;
  if (total === 0) return `Keys at ${path}: none (empty object)`;
  let text = `Keys at ${path}: `;
  let shown = 0;
  let unnamed = 0;
  for (const key of keys) {
    const size = key.count === undefined ? "" : `, ${key.count}`;
    const entry = `${shown === 0 ? "" : ", "}${plainName(key.name)} (${key.kind}${size})`;
    const told = unnamed > 0 || key.unnamed === true ? UNNAMED_SENTENCE : 0;
    if (text.length + entry.length + 40 + told > budget) break;
    text += entry;
    shown++;
    if (key.unnamed === true) unnamed++;
  }
  const all = shown < total ? `${text}, ... [${total - shown} more keys]` : text;
  return unnamed === 0 ? all : `${all}\n[Warning] ${unnamedKeysText(unnamed)}`;
}

/** A key as it is, or quoted where it could be misread. */
function plainName(name: string): string {
  if (/^[\w$.@/-]{1,100}$/.test(name)) return name;
  return JSON.stringify(name.length > LONGEST ? `${safeSlice(name, LONGEST)}...` : name);
}
