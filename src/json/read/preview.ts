// Owns: a bounded view of a document or of a part of it, and the line that says what was left out.

import { say } from "../../errors.ts";
import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { plural } from "../../text/plural.ts";
import type { GivenPath, JsonPathStep } from "../path/ast.ts";
import { isNameable, shortPath } from "../path/normalized.ts";
import { type PrintCut, print, type Printed, type PrintLimits } from "./print.ts";
import {
  onePlace,
  reachValue,
  readDocument,
  type ReadOptions,
  type ReadResult,
  READ_OPTIONS,
} from "./read-options.ts";
import type { Scanner } from "../scan/scanner.ts";
import { unnamedKeysText } from "./unnamed-keys.ts";

const OPTIONS: OptionNames<JsonPreviewOptions> = {
  ...READ_OPTIONS,
  maxDepth: true,
  maxItems: true,
  maxKeys: true,
  maxString: true,
  budget: true,
};

/** How much of a value to show. */
export interface JsonPreviewOptions extends ReadOptions {
  /** Levels shown below the root: 3 when left out, at most 10. */
  readonly maxDepth?: number;
  /** Items shown of each array: 100 when left out. The rest is counted. */
  readonly maxItems?: number;
  /** Keys shown of each object: 50 when left out. The rest is counted. */
  readonly maxKeys?: number;
  /** Characters shown of each string: 1,000 when left out. */
  readonly maxString?: number;
  /** Characters of the whole result, the list of cuts included: 32,000 when left out. What exceeds it is shown smaller. */
  readonly budget?: number;
}

/** What was not shown, where, and how much of it. */
export interface JsonCut {
  /** What was cut. */
  readonly kind: PrintCut["kind"];
  /** Path of the container that has more or whose key was cut, or of the value that was cut. */
  readonly path: string;
  /** Is it below that path, by a key that no path can name? */
  readonly unnamed?: true;
  /** Items, keys, or bytes of a string or key hidden. */
  readonly count: number;
}

/** A value in bounded space, with all that was cut. */
export interface JsonPreview {
  /** JSON with markers where something was cut; valid JSON itself. */
  readonly text: string;
  /** What was cut, where; bounded. */
  readonly cuts: readonly JsonCut[];
  /** Cuts that are counted in `totals` but not listed. */
  readonly moreCuts: number;
  /** How often each kind of cut was made. */
  readonly totals: Printed["totals"];
  /** Keys in the text that no path can name, where there are some. */
  readonly unnamedKeys?: number;
}

/** Levels of a preview unless asked otherwise, and at most. */
export const PREVIEW_DEPTH = 3;
/** The most levels that a preview shows. */
export const MAX_PREVIEW_DEPTH = 10;

/** The bounds of a value that was asked for by path. */
export const GET_LIMITS: Omit<PrintLimits, "budget"> = {
  maxDepth: 10,
  maxItems: 100,
  maxKeys: 50,
  maxString: 1_000,
};

/** Part of a budget that is kept for the summary and the list of cuts. */
const SUMMARY_SHARE = 0.15;

/**
 * Shows the shape and the first values of a document, or of what a singular path names. What does not fit is cut by
 * markers inside the text and listed with path and count. Too large for the budget, it is shown with fewer items,
 * shorter strings and fewer levels, evenly, before anything is dropped.
 *
 * Cost: what is shown, plus one fast pass over each container that is cut, to count it. Throws
 * `not_found` / `path_not_found` for a missing place, and `invalid_argument`: `invalid_path`, `not_singular` for a path
 * that can name several places, `invalid_json` when what was read is broken.
 *
 * @example previewJson(source, { maxDepth: 2 }).text
 */
export function previewJson(
  source: ByteSource,
  options: JsonPreviewOptions = {},
  path: GivenPath = "$",
): JsonPreview {
  checkOptionNames(say`previewJson`, options, OPTIONS);
  return runNow(previewJsonSteps(source, options, path));
}

/**
 * {@link previewJson} in steps.
 *
 * @example const preview = await runPaced(previewJsonSteps(source, { maxDepth: 2 }));
 */
export function* previewJsonSteps(
  source: ByteSource,
  options: JsonPreviewOptions = {},
  path: GivenPath = "$",
): Steps<JsonPreview> {
  const budget = Math.floor((options.budget ?? DEFAULT_LIMITS.budgetChars) * (1 - SUMMARY_SHARE));
  const limits: PrintLimits = {
    maxDepth: Math.min(options.maxDepth ?? PREVIEW_DEPTH, MAX_PREVIEW_DEPTH),
    maxItems: options.maxItems ?? GET_LIMITS.maxItems,
    maxKeys: options.maxKeys ?? GET_LIMITS.maxKeys,
    maxString: options.maxString ?? GET_LIMITS.maxString,
    budget,
  };
  return yield* readDocument(source, options, (scanner) => preview(scanner, onePlace(path), limits));
}

function* preview(
  scanner: Scanner,
  path: readonly JsonPathStep[],
  limits: PrintLimits,
): Steps<ReadResult<JsonPreview>> {
  const { at, steps } = yield* reachValue(scanner, path);
  return { result: asPreview(yield* printFitting(scanner, at, limits, steps)), at };
}

/** Bounds in the order in which they are tightened until the text fits. */
const LADDER: readonly Partial<PrintLimits>[] = [
  { maxItems: 50, maxString: 500 },
  { maxItems: 20, maxString: 200 },
  { maxItems: 10, maxString: 100 },
  { maxItems: 5, maxKeys: 40, maxString: 80 },
  { maxItems: 3, maxKeys: 30, maxString: 60, maxDepth: 6 },
  { maxItems: 2, maxKeys: 30, maxString: 40, maxDepth: 4 },
  { maxItems: 1, maxKeys: 30, maxString: 40, maxDepth: 3 },
  { maxItems: 1, maxKeys: 50, maxString: 40, maxDepth: 2 },
];

/** Prints within the budget: with tighter bounds if need be, and cut off at the end only as a last resort. */
export function* printFitting(
  scanner: Scanner,
  at: number,
  limits: PrintLimits,
  base: readonly JsonPathStep[],
): Steps<Printed> {
  let printed = yield* print(scanner, at, limits, base);
  for (const rung of LADDER) {
    if (!printed.full) break;
    const tightened = { ...limits };
    for (const [name, value] of Object.entries(rung) as [keyof PrintLimits, number][])
      tightened[name as "maxItems"] = Math.min(limits[name], value);
    printed = yield* print(scanner, at, tightened, base);
  }
  return printed;
}

export function asPreview({ text, cuts, moreCuts, totals, unnamedKeys: unnamed }: Printed): JsonPreview {
  const preview = { text, cuts: cuts.map(placedCut), moreCuts, totals };
  return Object.freeze(unnamed === 0 ? preview : { ...preview, unnamedKeys: unnamed });
}

function placedCut({ kind, steps, count }: PrintCut): JsonCut {
  const unnamed = steps.findIndex((step) => !isNameable(step));
  return unnamed === -1
    ? { kind, path: shortPath(steps), count }
    : { kind, path: shortPath(steps.slice(0, unnamed)), unnamed: true, count };
}

/**
 * The text of a preview: the JSON, the summary line, each cut with its path and count, and that keys have no path.
 *
 * @example previewText(previewJson(source), 4_000)
 */
export function previewText(preview: JsonPreview, budget: number = DEFAULT_LIMITS.budgetChars): string {
  const summary = truncationSummary(preview);
  const { unnamedKeys: unnamed = 0 } = preview;
  const warning = unnamed === 0 ? "" : `[Warning] ${unnamedKeysText(unnamed)}`;
  const room = budget - preview.text.length - summary.length - warning.length - 3;
  const list = cutList(preview, room);
  return [preview.text, summary, list, warning].filter((part, i) => i === 0 || part !== "").join("\n");
}

/**
 * `[Truncation info: 2 arrays truncated, 1 object truncated, 5 deep structures]`; empty when nothing was cut.
 *
 * @example truncationSummary(previewJson(source, { maxItems: 10 }))  // "[Truncation info: 1 array truncated]"
 */
export function truncationSummary({ totals }: Pick<JsonPreview, "totals">): string {
  const parts: string[] = [];
  const add = (count: number, one: string, many: string): void => {
    if (count > 0) parts.push(plural(count, one, many));
  };
  add(totals.items, "array truncated", "arrays truncated");
  add(totals.keys, "object truncated", "objects truncated");
  add(totals.depth, "deep structure", "deep structures");
  add(totals.string, "string truncated", "strings truncated");
  add(totals.key, "key truncated", "keys truncated");
  return parts.length === 0 ? "" : `[Truncation info: ${parts.join(", ")}]`;
}

const HIDDEN: { readonly [K in PrintCut["kind"]]: (count: number) => string } = {
  items: (count) => plural(count, "more item"),
  keys: (count) => plural(count, "more key"),
  depth: () => "below max depth",
  string: (count) => plural(count, "more byte"),
  key: (count) => `${plural(count, "more byte")} of a key`,
};

function cutList({ cuts, moreCuts }: JsonPreview, room: number): string {
  const head = "Not shown: ";
  let text = "";
  let listed = 0;
  for (const { kind, path, count, unnamed } of cuts) {
    const where = unnamed === true ? " below a key that no path can name" : "";
    const entry = `${listed === 0 ? head : "; "}${path} (${HIDDEN[kind](count)}${where})`;
    if (text.length + entry.length + 24 > room) break;
    text += entry;
    listed++;
  }
  const left = cuts.length - listed + moreCuts;
  if (listed === 0) {
    const count = left === 0 ? "" : `${head}${plural(left, "place")}`;
    return count.length <= room ? count : "";
  }
  return left > 0 ? `${text}; ${left} more cuts` : text;
}
