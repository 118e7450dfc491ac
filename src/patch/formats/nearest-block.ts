// Owns: why a block has no place: where one that is nowhere was probably meant, and the first line that differs there; or the
// places between which it cannot be told.

import { echo, say, sayAll, type Shown } from "../../errors.ts";
import { plural } from "../../text/plural.ts";
import { firstDifference } from "../../text/first-difference.ts";
import type { BlockLine, EditBlock } from "./edit.ts";
import { MOST_PLACES } from "./line-keys.ts";
import type { WorkingFile } from "./working-file.ts";

const PLACES_NAMED = 5;

/** The places where the block fits, of which `left` can be meant, and what to send. */
export function describeDoubt(
  file: WorkingFile,
  places: readonly number[],
  { isAtEnd, anchors }: EditBlock,
  left: number,
): Shown {
  const many = places.length >= MOST_PLACES;
  const count = many ? say`a thousand places or more` : (plural(places.length, "place") as Shown);
  const originals = places.filter((index) => !file.isNew(index));
  const named = originals.slice(0, PLACES_NAMED).map((index) => say`${file.lineNumber(index)}`);
  if (originals.length > PLACES_NAMED) named.push(say`...`);
  const lines = say`${originals.length === 1 ? say`line` : say`lines`} ${sayAll(named)}`;
  const where = [
    ...(originals.length > 0 ? [lines] : []),
    ...(originals.length < places.length ? [say`in what a block above writes`] : []),
  ];
  const end = isAtEnd ? say`, none of them only at the end` : say``;
  const next =
    left === 0 && anchors.length > 0
      ? say`, and not below its "@@" line ${echo(anchors.at(-1) ?? "")}. Write a line of the file there as it is, one above the block, or "@@" alone.`
      : say`. Send it with more lines around it.`;
  return say`the block fits at ${count} (${sayAll(where, ", and ")})${end}${next}`;
}

/** From which line of the original on, if no block brought it. */
export function sinceWhere(file: WorkingFile, index: number): Shown {
  return file.isNew(index) ? say`in what a block above writes` : say`from line ${file.lineNumber(index)}`;
}

/** Lines with the same text that are looked at for each line of a block. */
const MOST_VOTES = 200;

/** Why the block is not there, and what to send. */
export function describeMiss(file: WorkingFile, lines: readonly BlockLine[]): Shown {
  const old = lines.filter(({ kind }) => kind !== "+").map(({ text }) => text);
  const at = nearestPlace(file, old);
  if (at === undefined)
    return say`these lines are not in the file. Read it, and send the block with its lines.`;
  const differs = old.findIndex((text, i) => file.text(at + i) !== text);
  const here = at + differs;
  const mine = old[differs] ?? "";
  const theirs = here < file.count ? file.text(here) : undefined;
  const from = theirs === undefined ? 0 : shownFrom(theirs, mine);
  const found = theirs === undefined ? say`the end of the file` : shownPart(theirs, from);
  const line = (index: number): Shown =>
    file.isNew(index) ? say`a line that a block above writes` : say`line ${file.lineNumber(index)}`;
  return say`the nearest place is ${line(at)}; there, ${line(here)} is ${found}, the block has ${shownPart(mine, from)}. Send the block with the lines of the file.`;
}

const SHOWN_CHARS = 200;

/** Where to begin showing two long lines, so that the first difference is seen. */
function shownFrom(one: string, other: string): number {
  if (Math.max(one.length, other.length) <= SHOWN_CHARS) return 0;
  return Math.max(0, firstDifference(one, other).at - SHOWN_CHARS / 2);
}

function shownPart(text: string, from: number): Shown {
  return echo(from === 0 ? text : `...${text.slice(from)}`, SHOWN_CHARS);
}

/** Are the new lines of the block in the file already, as whole lines? */
export function newLines(lines: readonly BlockLine[]): BlockLine[] {
  return lines.flatMap(({ kind, text }): BlockLine[] => (kind === "-" ? [] : [{ kind: " ", text }]));
}

/** Every line votes for the places where it would be; the first of those with the most votes. */
function nearestPlace(file: WorkingFile, old: readonly string[]): number | undefined {
  const wanted = new Map<string, number[]>();
  for (const [i, text] of old.entries()) {
    const key = text.trim();
    if (key === "") continue;
    const places = wanted.get(key);
    if (places === undefined) wanted.set(key, [i]);
    else if (places.length < MOST_VOTES) places.push(i);
  }
  const votes = new Map<number, number>();
  const seen = new Map<string, number>();
  for (let at = 0; at < file.count; at++) {
    const key = file.text(at).trim();
    const places = wanted.get(key);
    if (places === undefined) continue;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times > MOST_VOTES) continue;
    for (const i of places) if (at >= i) votes.set(at - i, (votes.get(at - i) ?? 0) + 1);
  }
  let best: number | undefined;
  for (const [at, count] of votes) {
    const most = best === undefined ? 0 : (votes.get(best) ?? 0);
    if (count > most || (count === most && best !== undefined && at < best)) best = at;
  }
  return best;
}
