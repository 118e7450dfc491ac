// Owns: where the old lines of a block stand in a file: exactly, or with blanks at the ends of lines or the indentation
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

/** Places that are listed; beyond, they cannot be told apart anyway. */
const MOST_PLACES = 1_000;
const LINES_PER_STEP = 1 << 16;

const same = (text: string): string => text;
const withoutTrailing = (text: string): string => text.replace(/[ \t]+$/, "");
const bare = (text: string): string => text.trim();

/** The first kind of match that finds anything; undefined when none does. The block has at least one old line. */
export function* findBlock(file: WorkingFile, lines: readonly BlockLine[]): Steps<BlockPlaces | undefined> {
  const old = lines.filter(({ kind }) => kind !== "+").map(({ text }) => text);
  const exact = yield* search(file.keys(same), old);
  if (exact.length > 0) return { match: "exact", at: exact, shift: () => same };
  const trailing = yield* search(file.keys(withoutTrailing), old.map(withoutTrailing));
  if (trailing.length > 0) return { match: "trailing_blanks", at: trailing, shift: () => same };
  const shifts = new Map<number, (text: string) => string>();
  for (const at of yield* search(file.keys(bare), old.map(bare))) {
    const shift = shiftAt(file, at, old, lines);
    if (shift !== undefined) shifts.set(at, shift);
    yield;
  }
  if (shifts.size === 0) return undefined;
  return { match: "indentation", at: [...shifts.keys()], shift: (at) => shifts.get(at) ?? same };
}

/** Does the block stand exactly here? */
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

/** All places of a run of texts in a list of them (Knuth, Morris and Pratt: linear, whatever repeats). */
function* search(texts: readonly string[], run: readonly string[]): Steps<number[]> {
  const back = new Int32Array(run.length);
  for (let i = 1, k = 0; i < run.length; i++) {
    while (k > 0 && run[i] !== run[k]) k = back[k - 1] as number;
    if (run[i] === run[k]) k++;
    back[i] = k;
  }
  const found: number[] = [];
  for (let i = 0, k = 0; i < texts.length && found.length < MOST_PLACES; i++) {
    while (k > 0 && texts[i] !== run[k]) k = back[k - 1] as number;
    if (texts[i] === run[k]) k++;
    if (k === run.length) {
      found.push(i - k + 1);
      k = back[k - 1] as number;
    }
    if (i % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
  }
  return found;
}
