// Owns: whether whole lines stay whole lines where a stale edit is placed.

import { readBytes, type ByteSource, type Splice } from "../../text/index.ts";
import { firstLineAt } from "../../text/line-stretch.ts";
import { CR, LF } from "../../text/lines.ts";
import type { RebasePlace } from "../../text/weave-rebase.ts";

/** The first and last byte of what a splice inserts; none where it inserts nothing. */
export interface InsertEnds {
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

/**
 * Whether a place in the text `now` is one for an edit of the text `then`: what the edit removes or inserts is whole lines
 * there if it was in the edit, and what others put at that place stays whole lines if it is.
 *
 * @example // "a\n" + "b" + "\n", where "b" came since: "X\n" fits before "b", and not after it.
 */
export function keepsLines(
  then: ByteSource,
  now: ByteSource,
  splices: readonly Splice<InsertEnds>[],
): (place: RebasePlace) => boolean {
  const [stretchThen, stretchNow] = [stretchesOf(then), stretchesOf(now)];
  return ({ splice, at, theirs }) => {
    const { at: from, remove, insert } = splices[splice] as Splice<InsertEnds>;
    const was = stretchThen(from, from + remove);
    const is = stretchNow(at, at + remove);
    const isInserting = insert.first !== undefined;
    if (remove > 0 && isWhole(was) && !(isWhole(is) && (isInserting || staysApart(was, is)))) return false;
    if (isInserting && isWhole({ ...was, ...insert }) && !isWhole({ ...is, ...insert })) return false;
    if (theirs === undefined) return true;
    const others = stretchNow(theirs.from, theirs.to);
    if (!isWhole(others)) return true;
    return at === theirs.to ? isBorder(others.last, insert.first) : isBorder(insert.last, others.first);
  };
}

/** Whether the lines of a file can be told by single bytes. */
export function hasByteLines(encoding: string | null): boolean {
  return encoding !== "binary" && !/^(?:utf-?(?:16|32)|ucs-?[24])/.test(encoding ?? "");
}

/** The ends of what is inserted, where its bytes are at hand. */
export function insertEnds({ at, remove, insert }: Splice): Splice<InsertEnds> {
  return { at, remove, insert: { first: insert[0], last: insert.at(-1) } };
}

/** Bytes by those at their ends and those beside them; undefined beyond the start and the end of the text. */
interface Stretch extends InsertEnds {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** A byte order mark counts as what is before the text. */
function stretchesOf(source: ByteSource): (from: number, to: number) => Stretch {
  const start = firstLineAt(source);
  return (from, to) => ({
    before: from > start ? byteAt(source, from - 1) : undefined,
    first: byteAt(source, from),
    last: byteAt(source, to - 1),
    after: byteAt(source, to),
  });
}

export function byteAt(source: ByteSource, at: number): number | undefined {
  return at < 0 || at >= source.size ? undefined : readBytes(source, at, 1)[0];
}

/** Whether lines between which all is removed are not joined, if they were not in the edit. */
function staysApart(was: Stretch, is: Stretch): boolean {
  return !isBorder(was.before, was.after) || isBorder(is.before, is.after);
}

function isWhole({ before, first, last, after }: Stretch): boolean {
  return isBorder(before, first) && isBorder(last, after);
}

/** Whether a line ends between two bytes, or right after them by an ending: a CR is taken for the beginning of one. */
function isBorder(before: number | undefined, after: number | undefined): boolean {
  return before === undefined || after === undefined || before === LF || after === LF || after === CR;
}
