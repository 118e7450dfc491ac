// Owns: a splice of several lines as the lines that it changes, so that the others stay the work of their records.
// Must never: change what the splice makes of the text.

import { diffLinesSteps, readBytes, type ByteSource, type Splice, type Steps } from "../../text/index.ts";

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];
/** Where a line goes on beyond this, its part within the splice counts as a line. */
const LINE_BYTES = 1 << 12;
/** Beyond, the splice stays as it is: comparing must stay cheap beside the write itself. */
export const COMPARED_BYTES: number = 256 * 1024;
const COMPARED_WORK = 250_000;

/**
 * The splices that make the same text and leave lines that stay. Within the first and the last line nothing is touched that
 * the splice leaves alone, unless whole lines come or go there.
 *
 * @example // "  b\n" with "a\n  b" in place of "b": [{ at: 0, remove: 0, insert: "  a\n" }]
 */
export function* lineSplicesSteps(source: ByteSource, splices: readonly Splice[]): Steps<Splice[]> {
  const found: Splice[] = [];
  for (const [i, splice] of splices.entries()) {
    const [before, after] = [splices[i - 1], splices[i + 1]];
    const from = before === undefined ? 0 : before.at + before.remove;
    for (const line of yield* linesOfSteps(source, splice, from, after?.at ?? source.size)) found.push(line);
    yield;
  }
  return found;
}

/** Whether what a splice removes and inserts is small enough to be compared. */
export function isComparable({ remove, insert }: Splice): boolean {
  return Math.max(remove, insert.length) <= COMPARED_BYTES;
}

/** Whether the text must be looked at to know which lines a splice leaves; false where it is left as it is anyway. */
export function mayLeaveLines(splice: Splice): boolean {
  const { remove, insert } = splice;
  return insert.length > 0 && isComparable(splice) && (remove > 0 || insert.includes(LF));
}

/** The same for one, which may look at its first and last line from `from` up to `to`: there it meets no other splice. */
function* linesOfSteps(source: ByteSource, splice: Splice, from: number, to: number): Steps<Splice[]> {
  if (!mayLeaveLines(splice)) return [splice];
  const { at, remove, insert } = splice;
  const removed = readBytes(source, at, remove);
  if (!insert.includes(LF) && !removed.includes(LF))
    return Buffer.compare(removed, insert) === 0 ? [] : [splice];
  const start = lineStart(source, at, from);
  const head = readBytes(source, start, at - start);
  const tail = readBytes(source, at + remove, lineEnd(source, at + remove, to) - (at + remove));
  if (remove === 0) return [insertedLines(splice, head, tail)];
  const before = Buffer.concat([head, removed, tail]);
  const after = Buffer.concat([head, insert, tail]);
  const changes = yield* diffLinesSteps(before, after, { maxWork: COMPARED_WORK });
  return changes.map((change) => {
    // What is replaced in the first or last line of both texts is so only up to where the splice was.
    const isReplaced = change.remove > 0 && change.insert.length > 0;
    const end = change.at + change.remove;
    const left = isReplaced && change.at === 0 ? head.length : 0;
    const right = isReplaced && end === before.length ? tail.length : 0;
    return {
      at: start + change.at + left,
      remove: change.remove - left - right,
      insert: change.insert.subarray(left, change.insert.length - right),
    };
  });
}

/**
 * An insertion takes nothing over, so it stays where it was made: between equal lines there is no other sign of which one it
 * belongs to. Only over the blanks beside it is it moved, to be whole lines.
 */
function insertedLines(splice: Splice, head: Uint8Array, tail: Uint8Array): Splice {
  const { at, remove, insert } = splice;
  const [before, after] = [insert.length - head.length, tail.length];
  if (isBlank(head) && insert[before - 1] === LF && Buffer.compare(insert.subarray(before), head) === 0)
    return { at: at - head.length, remove, insert: Buffer.concat([head, insert.subarray(0, before)]) };
  if (isBlank(tail) && tail.at(-1) === LF && Buffer.compare(insert.subarray(0, after), tail) === 0)
    return { at: at + after, remove, insert: Buffer.concat([insert.subarray(after), tail]) };
  return splice;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === LF || byte === CR || byte === SPACE || byte === TAB);
}

/** Where the line of `at` begins, if not before `least`; else `at`. */
function lineStart(source: ByteSource, at: number, least: number): number {
  const from = Math.max(0, least - 1, at - LINE_BYTES);
  const feed = readBytes(source, from, at - from).lastIndexOf(LF);
  if (feed >= 0) return from + feed + 1;
  return from === 0 && least === 0 ? 0 : at;
}

/** Where the line of `at` ends, with its ending, if not after `most`; else `at`. At the beginning of a line, there. */
function lineEnd(source: ByteSource, at: number, most: number): number {
  if (at === 0 || readBytes(source, at - 1, 1)[0] === LF) return at;
  const to = Math.min(most, at + LINE_BYTES);
  const feed = readBytes(source, at, to - at).indexOf(LF);
  if (feed >= 0) return at + feed + 1;
  return to === source.size ? to : at;
}
