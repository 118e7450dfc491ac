// Owns: where a block that is nowhere was probably meant, and the first line that differs there.

import { echo, say, type Shown } from "../../errors.ts";
import type { BlockLine } from "./edit.ts";
import { isElision } from "./elision.ts";
import type { WorkingFile } from "./working-file.ts";

/** Lines with the same text that are looked at for each line of a block. */
const MOST_VOTES = 200;

/** Why the block is not there, and what to send. */
export function describeMiss(file: WorkingFile, lines: readonly BlockLine[], name: string): Shown {
  const old = lines.filter(({ kind }) => kind !== "+").map(({ text }) => text);
  const elided = old.find((text) => isElision(text, name));
  if (elided !== undefined)
    return say`${echo(elided)} stands for lines that were left out. Write the lines themselves, or send two smaller blocks.`;
  const at = nearestPlace(file, old);
  if (at === undefined)
    return say`these lines are not in the file. Read it, and send the block with its lines.`;
  const differs = old.findIndex((text, i) => file.text(at + i) !== text);
  const here = at + differs;
  const number = file.lineNumber(here);
  const found = here < file.count ? echo(file.text(here), 200) : say`the end of the file`;
  return say`the nearest place is line ${file.lineNumber(at)}; there, line ${number} is ${found}, the block has ${echo(old[differs] ?? "", 200)}. Send the block with the lines of the file.`;
}

/** Do the new lines of the block stand in the file already, as whole lines? */
export function newLines(lines: readonly BlockLine[]): BlockLine[] {
  return lines.flatMap(({ kind, text }): BlockLine[] => (kind === "-" ? [] : [{ kind: " ", text }]));
}

/** Every line votes for the places where it would stand; the first of those with the most votes. */
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
