// Owns: where the old lines of a block are in a file: exactly, or with blanks at the ends of lines or the indentation
// differing, and never in more places than can be told apart.

import type { Steps } from "../../text/steps.ts";
import type { BlockLine } from "./edit.ts";
import type { WorkingFile } from "./working-file.ts";

/** How a block was found. */
export type BlockMatch = "exact" | "trailing_blanks" | "indentation";

/** All places of one kind of match, and how new lines are to be written there. */
export interface BlockPlaces {
  readonly match: BlockMatch;
  /** Indexes from 0. */
  readonly at: readonly number[];
  shift(at: number): (text: string) => string;
}

const same = (text: string): string => text;
const withoutTrailing = (text: string): string => text.replace(/[ \t]+$/, "");
const bare = (text: string): string => text.trim();

/** The first kind of match that finds anything; undefined when none does. The block has at least one old line. */
export function* findBlock(file: WorkingFile, lines: readonly BlockLine[]): Steps<BlockPlaces | undefined> {
  const old = lines.filter(({ kind }) => kind !== "+").map(({ text }) => text);
  const exact = yield* file.keys(same).search(old);
  if (exact.length > 0) return { match: "exact", at: exact, shift: () => same };
  const trailing = yield* file.keys(withoutTrailing).search(old);
  if (trailing.length > 0) return { match: "trailing_blanks", at: trailing, shift: () => same };
  const shifts = new Map<number, (text: string) => string>();
  for (const at of yield* file.keys(bare).search(old)) {
    const shift = shiftAt(file, at, old, lines);
    if (shift !== undefined) shifts.set(at, shift);
    yield;
  }
  if (shifts.size === 0) return undefined;
  return { match: "indentation", at: [...shifts.keys()], shift: (at) => shifts.get(at) ?? same };
}

/** Is the block exactly here? */
export function fitsAt(file: WorkingFile, lines: readonly BlockLine[], index: number): boolean {
  let at = index;
  for (const { kind, text } of lines)
    if (kind !== "+" && (at >= file.count || file.text(at++) !== text)) return false;
  return true;
}

/** What turns the indentation of the block into that of the file; undefined if it is not the same for every line. */
function shiftAt(
  file: WorkingFile,
  at: number,
  old: readonly string[],
  lines: readonly BlockLine[],
): ((text: string) => string) | undefined {
  const first = old.findIndex((text) => bare(text) !== "");
  if (first < 0) return undefined;
  const [mine, theirs] = [old[first] as string, file.text(at + first)];
  const more = theirs.endsWith(mine) ? theirs.slice(0, theirs.length - mine.length) : undefined;
  const fewer = mine.endsWith(theirs) ? mine.slice(0, mine.length - theirs.length) : undefined;
  const isBlank = (text: string): boolean => bare(text) === "";
  const shift = (text: string): string | undefined => {
    if (isBlank(text)) return text;
    if (more !== undefined) return more + text;
    return fewer !== undefined && text.startsWith(fewer) ? text.slice(fewer.length) : undefined;
  };
  const fits = old.every((text, i) => isBlank(text) || shift(text) === file.text(at + i));
  const writes = lines.every(({ kind, text }) => kind !== "+" || shift(text) !== undefined);
  return fits && writes ? (text) => shift(text) ?? text : undefined;
}
