// Owns: making the patch that turns one text, or one set of files, into another.
// Must never: make a patch that does not give exactly the wanted bytes. What lines cannot express is refused.

import { checkOptionNames, type OptionNames } from "../text/options.ts";
import { escapeUnseen, HoldfastError, say, sayAll, type Reason, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { comparePaths, parsePath, relativePath, type WorkspacePath } from "../path/index.ts";
import { utf8BomLength } from "../text/bom.ts";
import { lineChanges, type LineChange } from "../text/line-diff.ts";
import type { LineEnding } from "../text/lines.ts";
import { runNow, type Steps } from "../text/steps.ts";
import { linesOfUtf8, type TextLines } from "../text/text-lines.ts";
import { endingBefore, lastEnding } from "./_endings.ts";
import { Inserts } from "./_inserts.ts";
import { contentBytes, type FileContent } from "../text/encoding.ts";
import { contentOf, fileNamed, fileNames, type PatchFiles, checkFiles } from "./files.ts";
import type { Operation, Patch } from "./operation.ts";
import { tooLarge, type ParsePatchOptions } from "./parse.ts";

const OPTIONS: OptionNames<CreatePatchOptions> = {
  limits: true,
  names: ["ascii", "unicode"],
  file: true,
  skip: true,
};

/** How a patch is made. */
export interface CreatePatchOptions extends ParsePatchOptions {
  /** The name of the file, when two texts are compared: without it they are refused (`missing_field`). */
  readonly file?: string;
  /** Leave out what lines cannot express, and list it, instead of refusing it. */
  readonly skip?: boolean;
}

/** A patch that was made, and what was left out of it. */
export interface CreatedPatch extends Patch {
  /** Files that no patch can describe, and why. */
  readonly skipped: readonly { readonly file: string; readonly reason: Reason }[];
}

/**
 * The patch from `before` to `after`: two texts (with `options.file`), where undefined is a file that does not exist, or
 * two sets of files. Applied to `before` it gives exactly `after`, with as few changed lines as there can be (for texts
 * that share hundreds of thousands of lines in another order, a few more). Cost: linear in texts that are nearly the same,
 * and bounded for others. Throws `invalid_argument` / `binary`,
 * `byte_order_mark` or `too_large`, naming all such files, unless `skip` is set.
 *
 * @example createPatch("a\nb\n", "a\nc\n", { file: "x.txt" }).operations
 * // [{ file: "x.txt", line: 2, op: "replace", old: "b", new: "c" }]
 */
export function createPatch(
  before: FileContent | PatchFiles | undefined,
  after: FileContent | PatchFiles | undefined,
  options: CreatePatchOptions = {},
): CreatedPatch {
  checkOptionNames(say`createPatch`, options, OPTIONS);
  for (const side of [before, after])
    if (side !== undefined && !isContent(side)) checkFiles(say`createPatch: a set of files`, side);
  return runNow(createPatchSteps(before, after, options));
}

/**
 * {@link createPatch} in steps of a few milliseconds: for `runPaced`, which yields to the event loop between them.
 *
 * @example const patch = await runPaced(createPatchSteps("a\n", "b\n", { file: "x.txt" }));
 */
export function* createPatchSteps(
  before: FileContent | PatchFiles | undefined,
  after: FileContent | PatchFiles | undefined,
  options: CreatePatchOptions = {},
): Steps<CreatedPatch> {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const operations: Operation[] = [];
  const created: string[] = [];
  const removed: string[] = [];
  const skipped: { file: string; reason: Reason; why: Shown; path: Shown }[] = [];
  for (const [path, pair] of yield* pairSteps(before, after, options)) {
    yield;
    const file = relativePath(path);
    const made = yield* createForFile(file, pair, limits);
    if ("why" in made) {
      skipped.push({ file, path, ...made });
      continue;
    }
    for (const [i, operation] of made.operations.entries()) {
      operations.push(operation);
      if (i % OPERATIONS_PER_STEP === OPERATIONS_PER_STEP - 1) yield;
    }
    if (made.isCreatedEmpty) created.push(file);
    if (made.isRemoved) removed.push(file);
  }
  if (skipped.length > 0 && options.skip !== true) throw notExpressible(skipped);
  if (operations.length > limits.patchOperations)
    throw tooLarge(
      operations.length,
      limits.patchOperations,
      say`operations`,
      say`Write the files as a whole instead.`,
    );
  return {
    operations,
    created,
    removed,
    base: new Map(),
    skipped: skipped.map(({ file, reason }) => ({ file, reason })),
  };
}

/**
 * The patch as JSON text, one operation on a line: the plain array if there is nothing beside the operations, else the
 * envelope. Characters that cannot be seen are escaped. {@link parsePatch} reads it back. Cost: linear; never fails.
 *
 * @example formatPatch(createPatch("a\n", "b\n", { file: "x" }))
 * // '[\n{"file":"x","line":1,"op":"replace","old":"a","new":"b"}\n]\n'
 */
export function formatPatch(patch: Patch): string {
  return runNow(formatPatchSteps(patch));
}

/** {@link formatPatch} in steps, for patches of very many files. */
export function* formatPatchSteps(patch: Patch): Steps<string> {
  const rows: string[] = [];
  for (const operation of patch.operations) {
    // Chat windows and logs lose characters that cannot be seen.
    rows.push(escapeUnseen(JSON.stringify(operation)));
    yield;
  }
  const list = rows.length === 0 ? "[]" : `[\n${rows.join(",\n")}\n]`;
  const { created, removed, base } = patch;
  if (created.length + removed.length + base.size === 0) return `${list}\n`;
  const parts = [`"operations": ${list}`];
  if (created.length > 0) parts.push(`"created": ${JSON.stringify(created)}`);
  if (removed.length > 0) parts.push(`"removed": ${JSON.stringify(removed)}`);
  if (base.size > 0)
    parts.push(
      `"base": {${[...base].map(([file, token]) => `${JSON.stringify(file)}: ${JSON.stringify(token)}`).join(", ")}}`,
    );
  return `{\n${parts.join(",\n")}\n}\n`;
}

interface Pair {
  before?: FileContent;
  after?: FileContent;
}

function* pairSteps(
  before: FileContent | PatchFiles | undefined,
  after: FileContent | PatchFiles | undefined,
  options: CreatePatchOptions,
): Steps<(readonly [WorkspacePath, Pair])[]> {
  const pathOptions = {
    limits: options.limits ?? DEFAULT_LIMITS,
    names: options.names ?? ("ascii" as const),
    kind: "file" as const,
  };
  if (isContent(before) || isContent(after) || options.file !== undefined) {
    if (
      options.file === undefined ||
      (before !== undefined && !isContent(before)) ||
      (after !== undefined && !isContent(after))
    )
      throw new HoldfastError(
        "invalid_argument",
        "missing_field",
        say`To compare two texts, give both as text or bytes and name the file in "file"; to compare sets of files, give two maps.`,
      );
    const pair: Pair = {
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
    return [[parsePath(options.file, pathOptions), pair]];
  }
  const pairs = new Map<WorkspacePath, Pair>();
  for (const [side, files] of [
    ["before", before ?? {}],
    ["after", after ?? {}],
  ] as const)
    for (const name of fileNames(files)) {
      const file = fileNamed(files, name);
      if (file === undefined) continue;
      const path = parsePath(name, pathOptions);
      const pair = pairs.get(path) ?? {};
      pair[side] = contentOf(file);
      pairs.set(path, pair);
      yield;
    }
  return [...pairs].sort(([a], [b]) => comparePaths(a, b));
}

function isContent(given: FileContent | PatchFiles | undefined): given is FileContent {
  return typeof given === "string" || given instanceof Uint8Array;
}

interface Made {
  readonly operations: readonly Operation[];
  readonly isCreatedEmpty: boolean;
  readonly isRemoved: boolean;
}

interface NotMade {
  readonly reason: Reason;
  readonly why: Shown;
}

const NO_BYTES = new Uint8Array(0);
/** About how many comparisons to spend on the fewest changed lines. */
const MAX_WORK = 60_000_000;
const OPERATIONS_PER_STEP = 1 << 14;
/** Characters that become text in one step, and what a line costs beside its own. */
const WORK_PER_STEP = 1 << 19;
const LINE_WORK = 1 << 8;
const LINES_AT_ONCE = 1 << 11;
const BYTES_PER_STEP = 1 << 19;

function* createForFile(file: string, pair: Pair, limits: Limits): Steps<Made | NotMade> {
  const before = pair.before === undefined ? NO_BYTES : contentBytes(pair.before);
  const after = pair.after === undefined ? NO_BYTES : contentBytes(pair.after);
  const isCreatedEmpty = pair.before === undefined && pair.after !== undefined && after?.length === 0;
  const isRemoved = pair.before !== undefined && pair.after === undefined;
  if (before !== undefined && after !== undefined && (yield* isSame(before, after)))
    return { operations: [], isCreatedEmpty, isRemoved };
  if (before === undefined || after === undefined) return BINARY;
  const bom = utf8BomLength(before);
  if (!isRemoved && bom > 0 && utf8BomLength(after) === 0) return BOM_LOST;
  const a = yield* linesOfUtf8(before, limits.patchLines);
  // A mark that comes is the first character of line 1: lines can bring it, but not take it away.
  const b = yield* linesOfUtf8(after, limits.patchLines, isRemoved ? 0 : bom);
  if (a === "binary" || b === "binary") return BINARY;
  if (a === "too_large" || b === "too_large")
    return { reason: "too_large", why: say`has more than ${limits.patchLines} lines` };
  const operations = yield* operationsBetween(file, a, b);
  return { operations, isCreatedEmpty, isRemoved };
}

const BINARY: NotMade = { reason: "binary", why: say`is not UTF-8 text` };
const BOM_LOST: NotMade = { reason: "byte_order_mark", why: say`loses its byte order mark` };

function notExpressible(skipped: readonly (NotMade & { readonly path: Shown })[]): HoldfastError {
  const list = skipped.slice(0, 20).map(({ path, why }) => say`${path} ${why}`);
  const more = skipped.length > list.length ? say`, and ${skipped.length - list.length} more` : say``;
  return new HoldfastError(
    "invalid_argument",
    skipped[0]?.reason ?? "binary",
    say`No line patch can make these changes: ${sayAll(list, "; ")}${more}. Leave these files out, or write them as a whole.`,
    { data: { files: skipped.map(({ path, reason }) => ({ path, reason: reason as Shown })) } },
  );
}

function* operationsBetween(file: string, a: TextLines, b: TextLines): Steps<Operation[]> {
  // A last line without ending counts as if it had the one it would get: whether it really has one is settled below.
  const finalEnding = a.finalNewline ? endingBefore(b, b.count + 1) : endingBefore(a, a.count + 1);
  const changes = yield* lineChanges(a, b, { finalEnding, maxWork: MAX_WORK });
  const operations: Operation[] = [];
  const work = new Work();
  for (const change of changes) yield* addOperations(operations, file, a, b, change, work);
  const last = changes.at(-1);
  const isLastKept = b.count > 0 && (last === undefined || last.bTo <= b.count || last.bFrom === last.bTo);
  if (isLastKept) settleEnd(operations, file, a, b, last);
  return operations;
}

/** Lines that became text since the last pause. */
class Work {
  #spent = 0;

  /** True when it is time to yield. */
  spend(text: string, other = ""): boolean {
    this.#spent += LINE_WORK + text.length + other.length;
    if (this.#spent < WORK_PER_STEP) return false;
    this.#spent = 0;
    return true;
  }
}

function* addOperations(
  operations: Operation[],
  file: string,
  a: TextLines,
  b: TextLines,
  { aFrom, aTo, bFrom, bTo }: LineChange,
  work: Work,
): Steps<void> {
  for (let line = aFrom; line < aTo; line++) {
    const old = a.text(line);
    const j = bFrom + line - aFrom;
    const operation: Operation =
      j < bTo
        ? { file, line, op: "replace", old, new: b.text(j), ...eolOf(a, b, j, line) }
        : { file, line, op: "delete", old };
    operations.push(operation);
    if (work.spend(old, operation.new)) yield;
  }
  const inserts = new Inserts(operations, file, aTo);
  for (let j = bFrom + aTo - aFrom; j < bTo;) {
    const { eol } = eolOf(a, b, j, -aTo);
    const to = eol === undefined ? alikeUpTo(b, j, bTo) : j + 1;
    const text = b.texts(j, to);
    inserts.add(text, eol);
    if (work.spend(text)) yield;
    j = to;
  }
  inserts.end();
}

/** The first line after `from` that does not end as it does, with a line feed; or one before the last, which may need an `eol`. */
function alikeUpTo(b: TextLines, from: number, to: number): number {
  const most = Math.min(to, b.count, from + LINES_AT_ONCE);
  let line = from;
  while (line < most && b.ending(line) === "lf" && b.start(line) - b.start(from) < WORK_PER_STEP) line++;
  return Math.max(line, from + 1);
}

/** `eol` for line j of the result, if it would not get its ending without. */
function eolOf(a: TextLines, b: TextLines, j: number, place: number): { eol?: LineEnding } {
  const wanted = b.ending(j);
  const isLast = j === b.count;
  const got = lastEnding(a, undefined, place, isLast);
  return got === wanted ? {} : { eol: wanted };
}

/** The last line of the result is one that stays. If its ending would not come out right, it is replaced by itself. */
function settleEnd(
  operations: Operation[],
  file: string,
  a: TextLines,
  b: TextLines,
  last: LineChange | undefined,
): void {
  const line = last !== undefined && last.bTo > b.count ? last.aFrom - 1 : a.count;
  const wanted = b.ending(b.count);
  const got = a.finalNewline ? a.ending(line) : "none";
  if (got === wanted) return;
  const text = a.text(line);
  const operation: Operation = { file, line, op: "replace", old: text, new: text, eol: wanted };
  const before = operations.findLastIndex((other) => other.line <= line);
  operations.splice(before + 1, 0, operation);
}

function* isSame(a: Uint8Array, b: Uint8Array): Steps<boolean> {
  if (a.length !== b.length) return false;
  for (let from = 0; from < a.length; from += BYTES_PER_STEP) {
    if (from > 0) yield;
    const to = Math.min(a.length, from + BYTES_PER_STEP);
    for (let i = from; i < to; i++) if (a[i] !== b[i]) return false;
  }
  return true;
}
