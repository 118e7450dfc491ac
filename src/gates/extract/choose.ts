// Owns: which of the candidates in a text is meant.

import type { Json } from "../../value.ts";
import type { JsonCandidate } from "./candidate.ts";
import type { Finder } from "./finder.ts";

/**
 * The best candidate: most wanted keys, then strict before mended before broken off before contained, then fenced before
 * bare, then the first. After an unclosed thinking tag the last complete one, and only if there is none before the tag.
 */
export function choose(finder: Finder, source: string, keys: readonly string[]): JsonCandidate | undefined {
  const all = finder.candidates;
  const from = finder.unclosedFrom;
  if (from < 0) return best(all, source, keys);
  return best(all.slice(0, from), source, keys) ?? best(all.slice(from).reverse(), source, keys, true);
}

function best(
  candidates: readonly JsonCandidate[],
  source: string,
  keys: readonly string[],
  last = false,
): JsonCandidate | undefined {
  let chosen: JsonCandidate | undefined;
  let chosenRank = -1;
  const search = new KeySearch(source, keys);
  for (const candidate of candidates) {
    // One bit for the fence, two for how it was read, wanted keys above them all.
    const rank = quality(candidate) * 2 + (candidate.fenced && !last ? 1 : 0);
    if (rank + search.atMost(candidate) * 8 <= chosenRank) continue;
    const whole = rank + wantedKeys(candidate, source, keys) * 8;
    if (whole <= chosenRank) continue;
    chosen = candidate;
    chosenRank = whole;
  }
  return chosen;
}

/** Strict before mended before broken off or cut off before contained. */
function quality({ contained, mended }: JsonCandidate): number {
  if (contained) return 0;
  if (mended === undefined) return 3;
  return mended.how === "closed" ? 2 : 1;
}

/** Bounds from above how many wanted keys a candidate holds, so that few candidates have to be parsed. */
class KeySearch {
  readonly #source: string;
  readonly #needles: readonly string[];
  /** For each needle, and last for the backslash (a key may be spelled with escapes): where it was last found. */
  readonly #found: number[];

  constructor(source: string, keys: readonly string[]) {
    this.#source = source;
    this.#needles = keys.length === 0 ? [] : [...keys.map((key) => JSON.stringify(key)), "\\"];
    this.#found = this.#needles.map(() => -1);
  }

  atMost(candidate: JsonCandidate): number {
    const wanted = this.#needles.length - 1;
    if (wanted <= 0 || candidate.encoded) return 0;
    if (candidate.mended !== undefined || this.#holds(wanted, candidate)) return wanted;
    let count = 0;
    for (let i = 0; i < wanted; i++) if (this.#holds(i, candidate)) count++;
    return count;
  }

  /** JsonCandidates come in text order or in its reverse; either way a needle is looked for once in each stretch. */
  #holds(needle: number, candidate: JsonCandidate): boolean {
    const text = this.#needles[needle] as string;
    let at = this.#found[needle] as number;
    if (at < candidate.start) {
      const next = this.#source.indexOf(text, candidate.start);
      at = next < 0 ? this.#source.length : next;
      this.#found[needle] = at;
    } else if (at === this.#source.length) return false;
    else if (at >= candidate.end) {
      // Found after this candidate: in reverse order an earlier place may lie in it.
      const slice = this.#source.slice(candidate.start, candidate.end);
      return slice.includes(text);
    }
    return at < candidate.end;
  }
}

function wantedKeys(candidate: JsonCandidate, source: string, keys: readonly string[]): number {
  if (keys.length === 0 || candidate.encoded) return 0;
  const value =
    candidate.mended === undefined
      ? (JSON.parse(source.slice(candidate.start, candidate.end)) as Json)
      : candidate.mended.value;
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const key of keys) if (Object.hasOwn(value, key)) count++;
  return count;
}
