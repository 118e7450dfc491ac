// Owns: the inferred shape of a document: which keys and kinds occur, how often, in how many records.
// Must never: recurse on the document, or grow with it: arrays are sampled, and an object with very many different
// keys is described as a map.

import { say } from "../../errors.ts";
import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { keyName, type Members, openMembers } from "../scan/members.ts";
import type { GivenPath, JsonPathStep } from "../path/ast.ts";
import { isNameable, normalizedPath } from "../path/normalized.ts";
import {
  onePlace,
  reachValue,
  readDocument,
  type ReadOptions,
  type ReadResult,
  READ_OPTIONS,
} from "./read-options.ts";
import { type JsonKind, NONE, PAUSED, type Scanner, settle } from "../scan/scanner.ts";
import { cutValue } from "./cut.ts";
import { endNow } from "../scan/value.ts";
import { unnamedKeysText } from "./unnamed-keys.ts";

const OPTIONS: OptionNames<DescribeJsonOptions> = {
  ...READ_OPTIONS,
  sample: true,
  maxDepth: true,
  maxKeys: true,
};

/** How much of a document's shape to show. */
export interface DescribeJsonOptions extends ReadOptions {
  /** Items of each array that are looked at: 200 when left out, `Infinity`: all. The rest is counted only. */
  readonly sample?: number;
  /** Levels to show below the value: 10 when left out. What is deeper is marked, not looked at. */
  readonly maxDepth?: number;
  /** Different keys of one shape: 100 when left out. With more it is described as a map, all its values together. */
  readonly maxKeys?: number;
}

/** What was seen at one place of the shape, over all records. */
export interface JsonShape {
  /** Values seen here. */
  readonly seen: number;
  /** How many of each kind. */
  readonly kinds: { readonly [K in JsonKind]?: number };
  /** For objects: the shape of each key, in order of appearance, and in how many objects it occurs. */
  readonly keys: readonly { readonly name: string; readonly in: number; readonly shape: JsonShape }[];
  /** For objects with very many keys: the shape of all their values together. */
  readonly map?: { readonly keys: number; readonly shape: JsonShape };
  /** For arrays: all items together. `total` counts all, `shape.seen` those that were looked at. */
  readonly items?: {
    readonly total: number;
    readonly least: number;
    readonly most: number;
    readonly shape: JsonShape;
  };
  /** A short scalar that was seen, as written. */
  readonly example?: string;
  /** True when something below was too deep to look at. */
  readonly deeper?: boolean;
}

/** The shape of a document: kinds, keys and counts, without its values. */
export interface JsonDescription {
  /** The place that is described. */
  readonly path: string;
  /** What is there. */
  readonly shape: JsonShape;
  /** False when arrays were sampled: kinds and counts are those of the sample. */
  readonly complete: boolean;
}

class ShapeDraft {
  seen = 0;
  kinds = new Map<JsonKind, number>();
  keys = new Map<string, { in: number; draft: ShapeDraft }>();
  map: { keys: number; draft: ShapeDraft } | undefined;
  items: { total: number; least: number; most: number; draft: ShapeDraft } | undefined;
  example: string | undefined;
  deeper = false;
}

interface Open {
  readonly draft: ShapeDraft;
  readonly members: Members;
  readonly object: boolean;
  left: number;
}

const EXAMPLE = 40;
const SAMPLE = 200;
const DEPTH = 10;
const SHAPE_KEYS = 100;

/**
 * Infers the shape of the value at a singular path. By default the first 200 items of each array are looked at, and all
 * are counted; with `sample: Infinity` everything is.
 *
 * Cost: one step for each value that is looked at, and one fast pass over each array that is counted. Throws
 * `not_found` / `path_not_found` for a missing place, and `invalid_argument`: `invalid_path`, `not_singular` for a path
 * that can name several places, `invalid_json` when what was read is broken.
 *
 * @example describeText(describeJson(source)) // "$: object\n  users: array of 42 objects\n    id: number ..."
 */
export function describeJson(
  source: ByteSource,
  path: GivenPath = "$",
  options: DescribeJsonOptions = {},
): JsonDescription {
  checkOptionNames(say`describeJson`, options, OPTIONS);
  return runNow(describeJsonSteps(source, path, options));
}

/**
 * {@link describeJson} in steps.
 *
 * @example const description = await runPaced(describeJsonSteps(source, "$.records"));
 */
export function* describeJsonSteps(
  source: ByteSource,
  path: GivenPath = "$",
  options: DescribeJsonOptions = {},
): Steps<JsonDescription> {
  return yield* readDocument(source, options, (scanner) => describe(scanner, onePlace(path), options));
}

function* describe(
  scanner: Scanner,
  path: readonly JsonPathStep[],
  options: DescribeJsonOptions,
): Steps<ReadResult<JsonDescription>> {
  const { at, steps } = yield* reachValue(scanner, path);
  const survey = new Surveyor(scanner, options);
  const root = new ShapeDraft();
  yield* survey.enter(root, at);
  for (let i = 1; ; i++) {
    const more = yield* survey.step();
    if (!more) break;
    if (i % 1024 === 0) yield;
  }
  const { complete } = survey;
  return { result: Object.freeze({ path: normalizedPath(steps), shape: shapeOf(root), complete }), at };
}

class Surveyor {
  complete = true;
  readonly #scanner: Scanner;
  readonly #open: Open[] = [];
  readonly #sample: number;
  readonly #depth: number;
  readonly #keys: number;

  constructor(scanner: Scanner, options: DescribeJsonOptions) {
    this.#scanner = scanner;
    this.#sample = options.sample ?? SAMPLE;
    this.#depth = options.maxDepth ?? DEPTH;
    this.#keys = options.maxKeys ?? SHAPE_KEYS;
  }

  /** Notes a value, and opens it when it is a container. */
  *enter(draft: ShapeDraft, at: number): Steps<void> {
    const scanner = this.#scanner;
    const kind = scanner.kind(at) ?? "null";
    draft.seen++;
    draft.kinds.set(kind, (draft.kinds.get(kind) ?? 0) + 1);
    if (kind !== "object" && kind !== "array") {
      const end = endNow(scanner, at);
      draft.example ??= cutValue(scanner, at, end, EXAMPLE);
      return;
    }
    if (this.#open.length >= this.#depth) {
      draft.deeper = true;
      return;
    }
    if (kind === "array") yield* this.#noteItems(draft, at);
    const members = yield* openMembers(scanner, at);
    this.#open.push({ draft, members, object: kind === "object", left: this.#sample });
  }

  *#noteItems(draft: ShapeDraft, at: number): Steps<void> {
    const count = yield* settle(this.#scanner, this.#scanner.count(at));
    if (count > this.#sample) this.complete = false;
    const items = (draft.items ??= { total: 0, least: count, most: count, draft: new ShapeDraft() });
    items.total += count;
    items.least = Math.min(items.least, count);
    items.most = Math.max(items.most, count);
  }

  /** Looks at one more value; false when there is none. */
  *step(): Steps<boolean> {
    const top = this.#open.at(-1);
    if (top === undefined) return false;
    let start = !top.object && top.left === 0 ? NONE : top.members.next();
    for (; start === PAUSED; start = top.members.next()) yield;
    if (start === NONE) {
      this.#open.pop();
      return true;
    }
    top.left--;
    const draft = top.object ? this.#member(top) : top.draft.items?.draft;
    if (draft !== undefined) yield* this.enter(draft, start);
    return true;
  }

  #member({ draft, members }: Open): ShapeDraft {
    if (draft.map === undefined) {
      const name = keyName(this.#scanner, members.keyStart, members.keyEnd);
      const known = draft.keys.get(name);
      if (known !== undefined) {
        known.in++;
        return known.draft;
      }
      if (draft.keys.size < this.#keys) {
        const fresh = { in: 1, draft: new ShapeDraft() };
        draft.keys.set(name, fresh);
        return fresh.draft;
      }
      draft.map = foldKeys(draft);
    }
    draft.map.keys++;
    return draft.map.draft;
  }
}

/** Too many different keys: what was known of each becomes what is known of all. */
function foldKeys(draft: ShapeDraft): { keys: number; draft: ShapeDraft } {
  const all = new ShapeDraft();
  let keys = 0;
  const waiting = [...draft.keys.values()].map((key) => ({ from: key.draft, into: all, in: key.in }));
  for (const key of draft.keys.values()) keys += key.in;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, into } = next;
    into.seen += from.seen;
    for (const [kind, count] of from.kinds) into.kinds.set(kind, (into.kinds.get(kind) ?? 0) + count);
    into.example ??= from.example;
    into.deeper ||= from.deeper;
    for (const [name, key] of from.keys) {
      const known = into.keys.get(name) ?? { in: 0, draft: new ShapeDraft() };
      known.in += key.in;
      into.keys.set(name, known);
      waiting.push({ from: key.draft, into: known.draft, in: key.in });
    }
    if (from.items === undefined) continue;
    const { total, least, most } = from.items;
    const items = (into.items ??= { total: 0, least, most, draft: new ShapeDraft() });
    items.total += total;
    items.least = Math.min(items.least, least);
    items.most = Math.max(items.most, most);
    waiting.push({ from: from.items.draft, into: items.draft, in: 0 });
  }
  draft.keys.clear();
  return { keys, draft: all };
}

/** A draft as plain data. Its depth is bounded by `maxDepth`, so this may call itself. */
function shapeOf(draft: ShapeDraft): JsonShape {
  const { seen, kinds, keys, map, items, example, deeper } = draft;
  return {
    seen,
    kinds: Object.fromEntries(kinds),
    keys: [...keys].map(([name, key]) => ({ name, in: key.in, shape: shapeOf(key.draft) })),
    ...(map === undefined ? {} : { map: { keys: map.keys, shape: shapeOf(map.draft) } }),
    ...(items === undefined
      ? {}
      : {
          items: {
            total: items.total,
            least: items.least,
            most: items.most,
            shape: shapeOf(items.draft),
          },
        }),
    ...(example === undefined ? {} : { example }),
    ...(deeper ? { deeper } : {}),
  };
}

/**
 * An indented outline, one line for each key, cut at the budget with the number of lines left out.
 *
 * @example describeText(describeJson(source)) // what a model reads
 */
export function describeText(
  { path, shape, complete }: JsonDescription,
  budget: number = DEFAULT_LIMITS.budgetChars,
): string {
  const lines: string[] = [];
  let unnamed = 0;
  const waiting: { name: string; shape: JsonShape; depth: number; of: number }[] = [
    { name: path, shape, depth: 0, of: shape.seen },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, depth, of } = next;
    lines.push(`${"  ".repeat(depth)}${name}: ${kindText(next.shape)}${presence(next.shape, of)}`);
    const inner = childShapes(next.shape);
    unnamed += inner.filter(({ key }) => !isNameable(key)).length;
    for (const child of inner.toReversed())
      waiting.push({ name: child.name, shape: child.shape, depth: depth + 1, of: child.of });
  }
  if (unnamed > 0) lines.push(`[Warning] ${unnamedKeysText(unnamed)}`);
  if (!complete) lines.push("[Arrays were sampled; kinds and counts are those of the sample]");
  let size = 0;
  const fits = lines.findIndex((line) => (size += line.length + 1) > budget - 30);
  if (fits === -1) return lines.join("\n");
  return [...lines.slice(0, fits), `[${lines.length - fits} more lines]`].join("\n");
}

function presence(shape: JsonShape, of: number): string {
  return shape.seen < of ? ` (in ${shape.seen} of ${of})` : "";
}

/** The members of a shape, looking through arrays. */
function childShapes(shape: JsonShape): readonly {
  readonly key: string;
  readonly name: string;
  readonly shape: JsonShape;
  readonly of: number;
}[] {
  const objects = shape.kinds.object ?? 0;
  const own = shape.keys.map(({ name, shape: inner }) => ({
    key: name,
    name: lineName(name),
    shape: inner,
    of: objects,
  }));
  const mapped = shape.map === undefined ? [] : [{ key: "*", name: "*", shape: shape.map.shape, of: 0 }];
  const items = shape.items === undefined ? [] : childShapes(shape.items.shape);
  return [...own, ...mapped, ...items];
}

function lineName(name: string): string {
  if (/^[\w$.@/-]{1,100}$/.test(name)) return name;
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}...` : name);
}

function kindText(shape: JsonShape): string {
  const kinds = Object.entries(shape.kinds) as [JsonKind, number][];
  const texts = kinds
    .toSorted((a, b) => b[1] - a[1])
    .map(([kind, count]) => {
      const share = kinds.length > 1 ? ` x${count}` : "";
      if (kind === "array" && shape.items !== undefined) return `${itemsText(shape.items)}${share}`;
      if (kind === "object" && shape.map !== undefined) return `map of ${shape.map.keys} keys${share}`;
      return `${kind}${share}`;
    });
  const example = shape.example === undefined ? "" : `, such as ${shape.example}`;
  return `${texts.join(" | ")}${example}${shape.deeper === true ? ", deeper" : ""}`;
}

function itemsText({ total, least, most, shape }: NonNullable<JsonShape["items"]>): string {
  if (total === 0) return "empty array";
  const count = least === most ? `${least}` : `${least} to ${most}`;
  return `array of ${count} (${kindText(shape)})`;
}
