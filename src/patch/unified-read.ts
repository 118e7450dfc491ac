// Owns: a unified diff as a patch: every hunk becomes operations on the original lines its header names.

import { checkOptionNames, type OptionNames, checkArgument } from "../text/options.ts";
import { echo, HoldfastError, say } from "../errors.ts";
import { parsePath, type NameAlphabet } from "../path/index.ts";
import type { LineEnding } from "../text/lines.ts";
import { runNow } from "../text/steps.ts";
import { Inserts } from "./_inserts.ts";
import { parseUnified, fault, type DiffFile, type DiffHunk, type DiffLine } from "./_unified-parse.ts";
import { applyPatch } from "./apply.ts";
import { createPatch } from "./create.ts";
import { findFile, type PatchFiles } from "./files.ts";
import { conflictError } from "./message.ts";
import type { Operation, ParsedPatch, PatchWarning } from "./operation.ts";
import { readPatchSteps, tooLarge, type ParsePatchOptions } from "./parse.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { patchedFiles } from "./report.ts";

const OPTIONS: OptionNames<FromUnifiedDiffOptions> = {
  limits: true,
  names: ["ascii", "unicode"],
  files: true,
  context: ["check", "drop"],
};

/** How a unified diff is read. */
export interface FromUnifiedDiffOptions extends ParsePatchOptions {
  /** The files the diff was made for. Needed for renames and copies. */
  readonly files?: PatchFiles;
  /** `check` unless told: lines that stay are checked, so that the patch fits only where the diff does. */
  readonly context?: "check" | "drop";
}

/**
 * Reads a unified diff (git style or plain, many files, text around it) as a patch. Prefixes of names (`a/` and `b/`,
 * `i/` and `w/`, ...) are taken off only where both sides have them. Throws
 * `invalid_argument` with the line of the diff that is wrong. Line numbers are taken from the hunk headers.
 *
 * @example fromUnifiedDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n").operations
 * // [{ file: "x", line: 1, op: "replace", old: "old", new: "new" }]
 */
export function fromUnifiedDiff(text: string, options: FromUnifiedDiffOptions = {}): ParsedPatch {
  checkOptionNames(say`fromUnifiedDiff`, options, OPTIONS);
  checkArgument(say`fromUnifiedDiff: the text`, text, "string");
  const limits = options.limits ?? DEFAULT_LIMITS;
  if (text.length > limits.patchChars)
    throw tooLarge(text.length, limits.patchChars, say`characters`, say`Split it into several patches.`);
  const files = parseUnified(text);
  for (const { hunks } of files)
    for (const { at, start } of hunks)
      if (start === 0)
        throw fault(
          at,
          say`the hunk has no line numbers. A hunk begins with "@@ -start,count +start,count @@".`,
        );
  const overlap = overlappingHunk(files);
  if (overlap !== undefined)
    throw fault(
      overlap.at,
      say`the hunk covers lines of one before it. Send each change once, in hunks one below the other.`,
    );
  return patchOfDiff(files, options);
}

/** The first hunk with lines of one before it in the same file: what it was made for cannot be told by numbers. */
export function overlappingHunk(files: readonly DiffFile[]): DiffHunk | undefined {
  const ends = new Map<string, number>();
  for (const { from, to, hunks } of files)
    for (const hunk of hunks) {
      const name = to ?? from ?? "";
      const old = hunk.lines.filter(({ kind }) => kind !== "+").length;
      if (hunk.start < (ends.get(name) ?? 1)) return hunk;
      // Lines that are put at one place twice overlap too.
      ends.set(name, hunk.start + Math.max(1, old));
    }
  return undefined;
}

/** The patch of files whose hunks all have a place. */
export function patchOfDiff(files: readonly DiffFile[], options: FromUnifiedDiffOptions): ParsedPatch {
  const out: Translation = { operations: [], created: [], removed: [], warnings: [] };
  for (const file of files) translateFile(file, out, options);
  const { operations, created, removed } = out;
  return runNow(readPatchSteps({ operations, created, removed }, options, out.warnings));
}

/**
 * Is the text a unified diff, alone or with words around it, and no JSON? Looks for a `diff --git` line, or for `---` with
 * `+++` below. Cost: linear.
 *
 * @example isUnifiedDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n") // true
 */
export function isUnifiedDiff(text: string): boolean {
  checkArgument(say`isUnifiedDiff: the text`, text, "string");
  if (/^[\ufeff\s]*[[{]/.test(text.slice(0, 1_000))) return false;
  return /^diff --git /m.test(text) || /^--- [^\n]*\n\+\+\+ /m.test(text);
}

interface Translation {
  readonly operations: Operation[];
  readonly created: string[];
  readonly removed: string[];
  readonly warnings: PatchWarning[];
}

function translateFile(file: DiffFile, out: Translation, options: FromUnifiedDiffOptions): void {
  if (file.modeChanged)
    out.warnings.push({
      field: say`mode`,
      message: file.isNew
        ? say`${echo(file.to ?? "")} is created without the executable bit: only lines can be patched.`
        : say`The mode change of ${echo(file.to ?? file.from ?? "")} was ignored: only lines can be patched.`,
    });
  if (file.rename || file.copy) {
    translateRename(file, out, options);
    return;
  }
  const name = (file.isDeleted ? file.from : file.to) ?? "";
  for (const operation of operationsOf(file, name, options)) out.operations.push(operation);
  if (file.isDeleted) out.removed.push(name);
  if (file.isNew && file.hunks.length === 0) out.created.push(name);
}

/** The new file is written whole: a diff of a renamed file shows only what changed in it. */
function translateRename(file: DiffFile, out: Translation, options: FromUnifiedDiffOptions): void {
  const from = file.from ?? "";
  const to = file.to ?? "";
  const path = parsePath(from, { ...pathOptions(options), kind: "file" });
  const found = options.files === undefined ? undefined : findFile(options.files, path, from);
  if (found?.bytes === undefined)
    throw fault(
      file.at,
      say`${file.rename ? say`a rename` : say`a copy`} needs the file ${echo(from)}, which was not given. Give it, or write the change as the removal of one file and the creation of another.`,
    );
  const before = { [from]: found.bytes };
  const report = applyPatch(before, operationsOf(file, from, options), pathOptions(options));
  if (!report.ok) throw conflictError(report);
  const after = patchedFiles(before, report).get(from) ?? new Uint8Array(0);
  const made = createPatch(undefined, after, { ...pathOptions(options), file: to });
  out.operations.push(...made.operations);
  out.created.push(...made.created);
  if (!file.rename) return;
  const gone = createPatch(found.bytes, undefined, { ...pathOptions(options), file: from });
  out.operations.push(...gone.operations);
  out.removed.push(...gone.removed);
}

function pathOptions(options: FromUnifiedDiffOptions): { limits: Limits; names: NameAlphabet } {
  return { limits: options.limits ?? DEFAULT_LIMITS, names: options.names ?? "ascii" };
}

function operationsOf(file: DiffFile, name: string, options: FromUnifiedDiffOptions): Operation[] {
  const operations: Operation[] = [];
  for (const hunk of file.hunks)
    new HunkTranslation(file, name, withoutMark(file, hunk), options).translate(operations);
  return operations;
}

const MARK = "\ufeff";

/**
 * Diffs count a byte order mark as part of line 1, patches do not: it is taken off both sides. A file that holds nothing
 * else has one line in a diff, and none in a patch.
 */
function withoutMark(file: DiffFile, hunk: DiffHunk): DiffHunk {
  const old = hunk.lines.find(({ kind }) => kind !== "+");
  const fresh = hunk.lines.find(({ kind }) => kind !== "-");
  if (hunk.start !== 1 || old?.text.startsWith(MARK) !== true) return hunk;
  if (fresh === undefined ? !file.isDeleted : !fresh.text.startsWith(MARK))
    throw new HoldfastError(
      "invalid_argument",
      "byte_order_mark",
      say`Line ${hunk.at} of the diff: the file loses its byte order mark, which no line patch can do. Write it as a whole instead.`,
    );
  const lines: DiffLine[] = [];
  for (const line of hunk.lines) {
    const bare = { ...line, text: line.text.slice(1) };
    // A file that holds nothing but the mark has no line.
    const isMarkAlone = bare.text === "" && line.ending === "none";
    if (line !== old && line !== fresh) lines.push(line);
    else if (old !== fresh && line.kind === " ") {
      // It stays, but only on one side it is the first: there its first character is the mark, here it is text.
      const isOld = line === old;
      if (!isOld || !isMarkAlone) lines.push({ ...(isOld ? bare : line), kind: "-" });
      if (isOld || !isMarkAlone) lines.push({ ...(isOld ? line : bare), kind: "+" });
    } else if (!isMarkAlone) lines.push(bare);
  }
  return { ...hunk, lines };
}

/** One hunk on its way to operations. */
class HunkTranslation {
  readonly #name: string;
  readonly #hunk: DiffHunk;
  readonly #check: boolean;
  readonly #isNew: boolean;
  /** Endings of the original lines that the hunk shows, by number. */
  readonly #endings: Map<number, LineEnding> = new Map();
  /** Does the hunk show that the original file ends without an ending? Then it shows the end of the file. */
  readonly #lacksFinal: boolean;
  /** The last line that the hunk leaves or puts there. */
  readonly #last: DiffLine | undefined;

  constructor(file: DiffFile, name: string, hunk: DiffHunk, options: FromUnifiedDiffOptions) {
    this.#name = name;
    this.#hunk = hunk;
    this.#check = options.context !== "drop";
    this.#isNew = file.isNew;
    let line = hunk.start;
    for (const { kind, ending } of hunk.lines)
      if (kind !== "+") {
        if (ending !== undefined) this.#endings.set(line, ending);
        line++;
      }
    this.#lacksFinal = hunk.lines.some(({ kind, ending }) => kind !== "+" && ending === "none");
    this.#last = hunk.lines.findLast(({ kind }) => kind !== "-");
    const removesEnd = hunk.lines.some(({ kind, ending }) => kind === "-" && ending === "none");
    if (removesEnd && this.#last === undefined && hunk.start > 1)
      throw fault(
        hunk.at,
        say`the end of the file changes and no line before it is shown. Make the diff with context.`,
      );
  }

  translate(operations: Operation[]): void {
    const { lines } = this.#hunk;
    let line = this.#hunk.start;
    for (let i = 0; i < lines.length;) {
      const here = lines[i] as DiffLine;
      if (here.kind === " ") {
        this.#stay(operations, line++, here);
        i++;
        continue;
      }
      const removed: DiffLine[] = [];
      const added: DiffLine[] = [];
      for (; i < lines.length && lines[i]?.kind !== " "; i++)
        (lines[i]?.kind === "-" ? removed : added).push(lines[i] as DiffLine);
      this.#change(operations, line, removed, added);
      line += removed.length;
    }
  }

  #stay(operations: Operation[], line: number, here: DiffLine): void {
    const { text } = here;
    // The end of the file was taken away below this line. Without `eol` it would give up its own ending.
    const isNewEnd =
      here === this.#last && this.#lacksFinal && here.ending !== undefined && here.ending !== "none";
    if (!isNewEnd && !this.#check) return;
    const eol = isNewEnd ? { eol: here.ending } : {};
    operations.push({ file: this.#name, line, op: "replace", old: text, new: text, ...eol });
  }

  #change(
    operations: Operation[],
    start: number,
    removed: readonly DiffLine[],
    added: readonly DiffLine[],
  ): void {
    const file = this.#name;
    const pairs = Math.min(removed.length, added.length);
    for (let i = 0; i < removed.length; i++) {
      const line = start + i;
      const old = (removed[i] as DiffLine).text;
      const fresh = i < pairs ? (added[i] as DiffLine) : undefined;
      if (fresh === undefined) operations.push({ file, line, op: "delete", old });
      else
        operations.push({ file, line, op: "replace", old, new: fresh.text, ...this.#eol(fresh, line, line) });
    }
    const anchor = start + removed.length;
    const inserts = new Inserts(operations, file, anchor);
    for (const fresh of added.slice(pairs)) inserts.add(fresh.text, this.#eol(fresh, 0, anchor).eol);
    inserts.end();
  }

  /** `eol`, unless the line surely gets its ending without. */
  #eol(fresh: DiffLine, replaces: number, anchor: number): { eol?: LineEnding } {
    if (fresh.ending === undefined) return {};
    const got = fresh === this.#last && this.#lacksFinal ? "none" : this.#usual(replaces, anchor);
    return got === fresh.ending ? {} : { eol: fresh.ending };
  }

  /** The ending the line gets by the rules, as far as the hunk shows it. */
  #usual(replaces: number, anchor: number): LineEnding | undefined {
    const replaced = this.#endings.get(replaces);
    if (replaced !== undefined && replaced !== "none") return replaced;
    if (this.#isNew) return "lf";
    for (const above of [anchor - 1, anchor - 2]) {
      if (above < 1) break;
      const ending = this.#endings.get(above);
      if (ending !== "none") return ending;
    }
    return anchor === 1 || anchor === 2 ? this.#ownOrLf(anchor) : undefined;
  }

  #ownOrLf(anchor: number): LineEnding | undefined {
    const own = this.#endings.get(anchor);
    return own === "none" ? "lf" : own;
  }
}
