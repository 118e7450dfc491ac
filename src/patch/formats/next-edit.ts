// Owns: where the next edit begins in a text, of whatever format: what a fence under a path holds is a file, or edits for that file.

import { nameIn, pathIn, type EditFormat } from "./edit.ts";

/** What stands at a line; they count from 0 here. */
export type NextEdit =
  | Mark
  | FenceAt<"whole_file" | "doubt" | "tangle">
  | { readonly is: "end"; readonly at: number };

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
  /** The line that closes the fence; undefined if none does. */
  readonly end: number | undefined;
}

const FENCE = /^(`{3,}|~{3,})([^`]*)$/;
export const SEARCH: RegExp = /^(?:<{5,9}|-{5,9}) SEARCH>?\s*$/;
export const REPLACE: RegExp = /^(?:>{5,9}|\+{5,9}) REPLACE>?\s*$/;
const V4A = /^\*\*\* (?:Begin Patch\s*$|(?:Update|Add|Delete) File: )/;
const V4A_NAME = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): *(.*)$/;
/** What `git show`, `git format-patch` and others write above the names of a diff. */
const DIFF_HEAD =
  /^(?:index |Index: |=+$|commit |Author: |Date: |From |Subject: |diff |new file|deleted file|(?:old|new) mode|similarity |rename |copy )/;

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

  /** The next edit or fence from a line on. `isAfterEdit`: a bare fence that stands first closes the one around that edit. */
  next(from: number, isAfterEdit = false): NextEdit | FenceAt<"other"> {
    let i = isAfterEdit ? this.#afterCloser(from) : from;
    for (; i < this.lines.length; i++) {
      const mark = markAt(this.lines, i);
      if (mark !== undefined) return { is: mark, at: i };
      if (FENCE.test(this.lines[i] as string) && !this.#closers.has(i)) return this.#fence(i);
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

  #fence(at: number): Mark | FenceAt<"whole_file" | "doubt" | "tangle" | "other"> {
    const name = nameAbove(this.lines, at);
    if (this.#allowance < 0) return { is: "tangle", at, name, end: undefined };
    const end = closing(this.lines, at);
    this.#allowance -= (end ?? this.lines.length) - at;
    const { own, inner } = marksIn(this.lines, at + 1, end ?? this.lines.length);
    const fence = { at, name, end };
    if (own === undefined) return { is: name !== undefined || inner ? "whole_file" : "other", ...fence };
    const inside = this.lines.slice(at + 1, end ?? this.lines.length);
    const holds = name === undefined ? "edits" : whatStands(inside, own.at - at - 1, name);
    if (holds !== "edits") return { is: holds, ...fence };
    if (end !== undefined) this.#closers.add(end);
    return own;
  }
}

/** Edits for the file of the fence stand first in it; an example of edits stands below other text and is for other files. */
function whatStands(lines: readonly string[], mark: number, name: string): "edits" | "whole_file" | "doubt" {
  const names = namesIn(lines, mark);
  const isItsOwn = names.length === 0 || names.some((one) => isSameFile(one, name));
  const isFirst = lines
    .slice(0, mark)
    .every((line) => line.trim() === "" || DIFF_HEAD.test(line) || names.includes(pathIn(line) ?? ""));
  if (isFirst !== isItsOwn) return "doubt";
  return isFirst ? "edits" : "whole_file";
}

function markAt(lines: readonly string[], i: number): Mark["is"] | undefined {
  const line = lines[i] as string;
  if (V4A.test(line)) return "v4a";
  if (SEARCH.test(line) || REPLACE.test(line)) return "search_replace";
  const isDiff =
    line.startsWith("diff --git ") || (line.startsWith("--- ") && lines[i + 1]?.startsWith("+++ ") === true);
  return isDiff ? "unified_diff" : undefined;
}

/** The first mark outside fences that open inside, and whether one of those holds any. */
function marksIn(
  lines: readonly string[],
  from: number,
  to: number,
): { own: Mark | undefined; inner: boolean } {
  let open: string | undefined;
  let inner = false;
  for (let i = from; i < to; i++) {
    const line = lines[i] as string;
    const fence = FENCE.exec(line);
    const mark = markAt(lines, i);
    if (open !== undefined) {
      if (fence !== null && line.startsWith(open) && (fence[2] ?? "").trim() === "") open = undefined;
      else inner ||= mark !== undefined;
    } else if (fence !== null) open = fence[1];
    else if (mark !== undefined) return { own: { is: mark, at: i }, inner };
  }
  return { own: undefined, inner };
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

function isSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

function nameAbove(lines: readonly string[], at: number): string | undefined {
  const above = lines[at - 1]?.trim() === "" ? lines[at - 2] : lines[at - 1];
  return above === undefined ? undefined : nameIn(above);
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
