// Owns: what every edit format says once it is read: files, and blocks of lines to be found and changed in them.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { LineEnding } from "../../text/lines.ts";

/** The formats that are recognised. */
export type EditFormat = "ndpatch" | "v4a" | "search_replace" | "unified_diff" | "whole_file";

/** One line of a block: it stays, goes or comes. */
export interface BlockLine {
  /** A blank stays, `-` goes, `+` comes. */
  readonly kind: " " | "-" | "+";
  /** Without its ending. */
  readonly text: string;
  /** The ending it must get; that of the lines around it when left out. */
  readonly ending?: LineEnding;
}

/** Adjacent lines of the file, and what becomes of them. */
export interface EditBlock {
  /** Line of the text of the edits, from 1. */
  readonly at: number;
  /** From top to bottom. */
  readonly lines: readonly BlockLine[];
  /** The line of the original file where the block says it is. */
  readonly start?: number | undefined;
  /** Lines above the place, outermost first. */
  readonly anchors: readonly string[];
  /** Are the blocks of a file in the order of its lines? */
  readonly isInOrder: boolean;
  /** Must the block be the last of the file? */
  readonly isAtEnd: boolean;
}

/** What becomes of one file. */
export type FileEdit = {
  /** Line of the text of the edits that names it, from 1. */
  readonly at: number;
  /** As it is spelled. */
  readonly file: string;
  /** May the name be words of a sentence? Then it counts only if there is such a file. */
  readonly mayBeWords?: boolean;
} & (
  | {
      readonly action: "update";
      readonly blocks: readonly EditBlock[];
      /** The name it goes by if there is no such file. */
      readonly otherName?: string | undefined;
      /** The name it gets, and whether the old one stays too. */
      readonly to?: string | undefined;
      readonly isCopy?: boolean;
      /** Must nothing of it be left? Then the file goes too. */
      readonly isRemoval?: boolean;
    }
  | { readonly action: "create"; readonly lines: readonly string[] }
  | { readonly action: "write"; readonly lines: readonly string[] }
  | { readonly action: "remove" }
);

/** The name that a file is moved or copied to. */
export function targetOf(edit: FileEdit): string | undefined {
  return edit.action === "update" ? edit.to : undefined;
}

/** All names under which the file of an edit may be, before and after. */
export function namesOf(edit: FileEdit): string[] {
  const others = edit.action === "update" ? [edit.otherName, edit.to] : [];
  return [edit.file, ...others.filter((name) => name !== undefined)];
}

/** The lines of a text whose endings do not matter. */
export function editLines(text: string): string[] {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

/** The name of a file as models decorate it; undefined if the line is none or may be prose. */
export function nameIn(line: string): string | undefined {
  const name = pathIn(line);
  return name !== undefined && looksLikeName(name) && !/ .* /.test(name) ? name : undefined;
}

/** A word alone may be prose; with a dot or a slash it is a name. */
function looksLikeName(text: string): boolean {
  return /[./]/.test(text) || /^[A-Z][A-Za-z]*file$/.test(text);
}

/** The same where a name must be: words may be one, unless they lead over to what follows or end a sentence. */
export function pathIn(line: string): string | undefined {
  const text = line.trim();
  if (text.length > MOST_NAME) return undefined;
  const name = text
    .replace(/^(?:#{1,6} +|[-*] +)/, "")
    .replace(/^[*`"']{1,3}/, "")
    .replace(/^(?:File|Path|Filename): */i, "")
    .replace(/^[*`"']{1,3}/, "")
    .replace(/[*`"':]{1,4}$/, "")
    .replace(FROM_HERE, "");
  const leadsOver = /[^`"']:\**$/.test(text) && (name.includes(" ") || !looksLikeName(name));
  const isSentence = name.includes(" ") && /[.!?,;]$|[.!?,;:] /.test(name);
  const isName = name !== "" && !/[<>|*?"`]|^[-=~]+$|:\/\//.test(name);
  return isName && !leadsOver && !isSentence ? name : undefined;
}

/** Has the name in a line blanks, and neither backticks, quotes nor `File:` that make it one? */
export function mayBeWords(line: string): boolean {
  return (
    (pathIn(line) ?? "").includes(" ") &&
    !/^(?:#{1,6} +|[-*] +)?\**(?:(?:File|Path|Filename):|[`"'])/i.test(line.trim())
  );
}

/** A path without the quotes, backticks and stars around it. */
export function bareName(text: string): string {
  let name = text.trim();
  if (name.length > MOST_NAME) return name;
  for (let pair = MARKED.exec(name); pair !== null; pair = MARKED.exec(name)) name = (pair[2] ?? "").trim();
  return name.replace(FROM_HERE, "");
}

const MARKED = /^(\*{1,3}|[`"'])(.+)\1:?$/;

/** Do two names mean one file, by the end of the longer? */
export function nameSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

const MOST_NAME = 1_000;

/** What models write before a path and means the workspace. */
export const FROM_HERE: RegExp = /^(?:\.\/)+/;

export function editFault(at: number, message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_patch", say`Line ${at} of the patch: ${message}`, {
    data: { line: at },
  });
}
