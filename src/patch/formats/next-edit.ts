// Owns: where the next edit begins in a text, of whatever format: what a fence under a path holds is a file, or edits for that file.

import type { Shown } from "../../errors.ts";
import { nameSameFile, mayBeWords, nameIn, pathIn, type EditFormat } from "./edit.ts";
import { DIFF_HEAD, editLikeAt, editLikeIn, holdsEdits, isPatchFile, operationsAt } from "./unreadable.ts";

/** What is at a line; they count from 0 here. */
export type NextEdit =
  | Mark
  | FenceAt<"whole_file" | "doubt" | "tangle">
  | Unreadable
  | { readonly is: "ndpatch" | "end"; readonly at: number };

interface Mark {
  readonly is: Exclude<EditFormat, "ndpatch" | "whole_file">;
  readonly at: number;
}

/**
 * `other`: words or commands, without a path. `doubt`: edits that may be the text of a file too. `tangle`: one of so many fences that
 * open in each other or never close that they are not looked through.
 */
interface FenceAt<Is extends "whole_file" | "doubt" | "tangle" | "other"> {
  readonly is: Is;
  readonly at: number;
  readonly name: string | undefined;
  /** Counts the name only where there is such a file? */
  readonly mayBeWords: boolean;
  /** The line that closes the fence; undefined if none does. */
  readonly end: number | undefined;
}

/** What looks like an edit and cannot be read as one. */
interface Unreadable {
  readonly is: "unreadable";
  readonly at: number;
  readonly name?: string | undefined;
  /** What to send instead. */
  readonly hint: Shown;
}

const FENCE = /^(`{3,}|~{3,})([^`]*)$/;
export const SEARCH: RegExp = /^(?:<{5,9}|-{5,9}) SEARCH>?\s*$/;
export const REPLACE: RegExp = /^(?:>{5,9}|\+{5,9}) REPLACE>?\s*$/;
const V4A = /^\*\*\* (?:Begin Patch\s*$|(?:Update|Add|Delete) File: )/;
const V4A_NAME = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): *(.*)$/;

const TIMES_LOOKED_THROUGH = 20;

/** Goes over the lines of a text, over words. Cost: linear. */
export class EditLines {
  readonly lines: readonly string[];
  /** Lines that close a fence around edits. */
  readonly #closers: Set<number> = new Set();
  /** Lines that may still be looked through for the ends of fences. */
  #allowance: number;

  constructor(lines: readonly string[]) {
    this.lines = lines;
    this.#allowance = lines.length * TIMES_LOOKED_THROUGH;
  }

  /** The next edit or fence from a line on. `isAfterEdit`: a bare fence that comes first closes the one around that edit. */
  next(from: number, isAfterEdit = false): NextEdit | FenceAt<"other"> {
    let i = isAfterEdit ? this.#afterCloser(from) : from;
    for (; i < this.lines.length; i++) {
      if (this.lines[i] === "") continue;
      const mark = markAt(this.lines, i);
      if (mark !== undefined) return { is: mark, at: i };
      if (FENCE.test(this.lines[i] as string) && !this.#closers.has(i)) return this.#fence(i);
      if (operationsAt(this.lines, i)) return { is: "ndpatch", at: i };
      const hint = editLikeAt(this.lines, i);
      if (hint !== undefined) return { is: "unreadable", at: i, hint };
    }
    return { is: "end", at: this.lines.length };
  }

  /** The same, over fences of words and commands. */
  nextEdit(from: number, isAfterEdit = false): NextEdit {
    let found = this.next(from, isAfterEdit);
    while (found.is === "other") found = this.next((found.end ?? this.lines.length) + 1);
    return found;
  }

  #afterCloser(from: number): number {
    let i = from;
    while (i < this.lines.length && (this.lines[i] as string).trim() === "") i++;
    return /^(?:`{3,}|~{3,})\s*$/.test(this.lines[i] ?? "") ? i + 1 : from;
  }

  #fence(at: number): NextEdit | FenceAt<"other"> {
    const above = lineAbove(this.lines, at);
    const name = nameIn(above);
    const fence = { at, name, mayBeWords: mayBeWords(above) };
    if (this.#allowance < 0) return { is: "tangle", ...fence, end: undefined };
    const end = closing(this.lines, at);
    const inside = this.lines.slice(at + 1, end ?? this.lines.length);
    this.#allowance -= inside.length;
    const { own, inner, outside } = marksIn(inside);
    const isDiff = isDiffFence(this.lines[at] as string, name);
    const names = own === undefined ? [] : namesIn(inside, own.at);
    const isFirst = own !== undefined && comesFirst(inside.slice(0, own.at), names);
    const hint =
      isFirst || isPatchFile(name)
        ? undefined
        : editLikeIn(inside, { name, isDiff: isDiff && own === undefined });
    if (hint !== undefined) return { is: "unreadable", at, name, hint };
    if (own === undefined) {
      if (name !== undefined && holdsEdits(outside, name)) return { is: "doubt", ...fence, end };
      return { is: name !== undefined || inner ? "whole_file" : "other", ...fence, end };
    }
    const holds =
      name === undefined || (fence.mayBeWords && isFirst) ? "edits" : fenceHolds(isFirst, names, name);
    if (holds !== "edits") return { is: isDiff ? "doubt" : holds, ...fence, end };
    if (end !== undefined) this.#closers.add(end);
    return { is: own.is, at: at + 1 + own.at };
  }
}

/** Edits for the file of the fence come first in it; an example of edits comes below other text and is for other files. */
function fenceHolds(
  isFirst: boolean,
  names: readonly string[],
  name: string,
): "edits" | "whole_file" | "doubt" {
  const isItsOwn = names.length === 0 || names.some((one) => nameSameFile(one, name));
  if (isFirst !== isItsOwn) return "doubt";
  return isFirst ? "edits" : "whole_file";
}

/** Is there nothing above edits but blank lines, heads of a diff and the names of their files? */
function comesFirst(above: readonly string[], names: readonly string[]): boolean {
  const known = new Set(names);
  return above.every((line) => line.trim() === "" || DIFF_HEAD.test(line) || known.has(pathIn(line) ?? ""));
}

/** What the language of a fence calls a diff is no file, unless the file is one by its name. */
function isDiffFence(line: string, name: string | undefined): boolean {
  return /^(?:u?diff|patch)\b/i.test((FENCE.exec(line)?.[2] ?? "").trim()) && !isPatchFile(name);
}

function markAt(lines: readonly string[], i: number): Mark["is"] | undefined {
  const line = lines[i] as string;
  if (V4A.test(line)) return "v4a";
  if (SEARCH.test(line) || REPLACE.test(line)) return "search_replace";
  const isDiff =
    line.startsWith("diff --git ") || (line.startsWith("--- ") && lines[i + 1]?.startsWith("+++ ") === true);
  return isDiff ? "unified_diff" : undefined;
}

/** The first mark outside fences that open inside, the lines before it there, and whether one of those fences holds any. */
function marksIn(lines: readonly string[]): { own: Mark | undefined; inner: boolean; outside: string[] } {
  const outside: string[] = [];
  let open: string | undefined;
  let inner = false;
  for (const [at, line] of lines.entries()) {
    const fence = FENCE.exec(line);
    const mark = markAt(lines, at);
    if (open !== undefined) {
      if (fence !== null && line.startsWith(open) && (fence[2] ?? "").trim() === "") open = undefined;
      else inner ||= mark !== undefined;
    } else if (fence !== null) open = fence[1];
    else if (mark !== undefined) return { own: { is: mark, at }, inner, outside };
    else outside.push(line);
  }
  return { own: undefined, inner, outside };
}

/** The files that edits in a fence are for; none where they do not say so. */
function namesIn(lines: readonly string[], mark: number): string[] {
  if (markAt(lines, mark) === "search_replace") {
    const above = lines.slice(0, mark).findLast((line) => line.trim() !== "");
    const name = above === undefined ? undefined : nameIn(above);
    return name === undefined ? [] : [name];
  }
  return lines.slice(mark).flatMap((line) => {
    const v4a = V4A_NAME.exec(line);
    if (v4a !== null) return [(v4a[1] ?? "").trim()];
    return /^(?:---|\+\+\+) /.test(line) ? [line.slice(4).replace(/\t.*$/, "").trim()] : [];
  });
}

/** The line above a fence, over one blank line. */
function lineAbove(lines: readonly string[], at: number): string {
  return (lines[at - 1]?.trim() === "" ? lines[at - 2] : lines[at - 1]) ?? "";
}

/** The line that closes the fence; undefined if none does. A fence with a language that opens inside is closed before it. */
function closing(lines: readonly string[], from: number): number | undefined {
  const fence = FENCE.exec(lines[from] as string)?.[1] ?? "```";
  let open = 0;
  for (let i = from + 1; i < lines.length; i++) {
    const line = (lines[i] as string).trimEnd();
    if (!line.startsWith(fence) || !FENCE.test(line)) continue;
    const isBare = /^(?:`+|~+)$/.test(line);
    if (!isBare) open++;
    else if (open > 0) open--;
    else return i;
  }
  return undefined;
}
