// Owns: finding where else in a file an expected text is, for many texts in one pass over the file.
// Must never: decode every line. Lines are sorted out by a hash over their letters and digits; few are looked at.

import { differenceOf, type Difference } from "./_difference.ts";
import type { Steps } from "../text/steps.ts";
import type { TextLines } from "../text/text-lines.ts";

/** Another line that holds the expected text, exactly or nearly. */
export interface PatchCandidate {
  /** Where it is, counted from 1. */
  readonly line: number;
  /** `exact`, or what is different. */
  readonly match: "exact" | Difference;
}

/** A text that was expected at a line and is not there. */
export interface Wanted {
  readonly line: number;
  readonly text: string;
}

const MOST_CANDIDATES = 3;
const BYTES_PER_STEP = 1 << 19;
/** Nearly equal lines that are decoded for one text; beyond, only exact ones count. */
const MOST_LOOKS = 200;

/** For each wanted text the lines that hold it, best first. One pass over the file, bounded work for each line. */
export function* findCandidates(file: TextLines, wanted: readonly Wanted[]): Steps<PatchCandidate[][]> {
  const found: PatchCandidate[][] = wanted.map(() => []);
  const looks = wanted.map(() => 0);
  const encoder = new TextEncoder();
  const byHash = new Map<number, number[]>();
  let longest = 0;
  for (const [i, { text }] of wanted.entries()) {
    const bytes = encoder.encode(text);
    longest = Math.max(longest, bytes.length);
    const hash = looseHash(bytes, 0, bytes.length);
    const others = byHash.get(hash);
    if (others === undefined) byHash.set(hash, [i]);
    else others.push(i);
  }
  let read = 0;
  for (let line = 1; line <= file.count; line++) {
    const start = file.start(line);
    const end = file.end(line);
    read += 16;
    if (end - start <= 4 * longest + 256) {
      read += end - start;
      for (const i of byHash.get(looseHash(file.bytes, start, end)) ?? []) {
        read += 64;
        const { text, line: at } = wanted[i] as Wanted;
        if (line === at) continue;
        if (file.equals(line, text)) keep(found[i] as PatchCandidate[], { line, match: "exact" }, at);
        else if ((looks[i] as number) < MOST_LOOKS) {
          looks[i] = (looks[i] as number) + 1;
          const match = differenceOf(text, file.text(line));
          if (match !== "text") keep(found[i] as PatchCandidate[], { line, match }, at);
        }
      }
    }
    if (read > BYTES_PER_STEP) {
      read = 0;
      yield;
    }
  }
  return found;
}

/** Keeps the best few: exact before near, then the nearest. */
function keep(best: PatchCandidate[], candidate: PatchCandidate, at: number): void {
  const rank = (c: PatchCandidate): number => (c.match === "exact" ? 0 : 2 ** 40) + Math.abs(c.line - at);
  let place = best.length;
  while (place > 0 && rank(best[place - 1] as PatchCandidate) > rank(candidate)) place--;
  if (place >= MOST_CANDIDATES) return;
  best.splice(place, 0, candidate);
  if (best.length > MOST_CANDIDATES) best.pop();
}

/** Equal for texts that differ in case, blanks, punctuation or characters beyond ASCII only. */
function looseHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let i = start; i < end; i++) {
    let byte = bytes[i] as number;
    if (byte >= 0x61 && byte <= 0x7a) byte -= 0x20;
    if ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x30 && byte <= 0x39))
      hash = (Math.imul(hash, 31) + byte) | 0;
  }
  return hash;
}
