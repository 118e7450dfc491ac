// Owns: what the lines of a file count as equal to, for one way to compare them, and how often each occurs. It follows the changes
// of the file, so that the next block is looked for without reading the file anew.

import type { Steps } from "../../text/steps.ts";

/** Places that are listed; beyond, they cannot be told apart anyway. */
export const MOST_PLACES = 1_000;
const LINES_PER_STEP = 1 << 16;

export class LineKeys {
  readonly #key: (text: string) => string;
  readonly #keys: string[];
  readonly #counts: Map<string, number> = new Map();

  constructor(key: (text: string) => string, texts: readonly string[]) {
    this.#key = key;
    this.#keys = texts.map(key);
    for (const one of this.#keys) this.#count(one, 1);
  }

  /** Other lines are where `removed` were. */
  change(at: number, removed: number, texts: readonly string[]): void {
    for (let i = at; i < at + removed; i++) this.#count(this.#keys[i] as string, -1);
    const keys = texts.map(this.#key);
    for (const one of keys) this.#count(one, 1);
    replaceItems(this.#keys, at, removed, keys);
  }

  /** All places of a run of lines. Cost: linear in the file, and far less where one of the lines is rare. */
  *search(texts: readonly string[]): Steps<number[]> {
    const run = texts.map(this.#key);
    let rare = 0;
    for (const [i, key] of run.entries()) if (this.#times(key) < this.#times(run[rare] as string)) rare = i;
    const times = this.#times(run[rare] as string);
    if (times === 0) return [];
    return times * run.length < this.#keys.length ? this.#byRareLine(run, rare) : yield* this.#byRun(run);
  }

  #byRareLine(run: readonly string[], rare: number): number[] {
    const found: number[] = [];
    const line = run[rare] as string;
    for (
      let i = this.#keys.indexOf(line);
      i >= 0 && found.length < MOST_PLACES;
      i = this.#keys.indexOf(line, i + 1)
    )
      if (i >= rare && run.every((key, k) => this.#keys[i - rare + k] === key)) found.push(i - rare);
    return found;
  }

  /** Knuth, Morris and Pratt: linear, whatever repeats. */
  *#byRun(run: readonly string[]): Steps<number[]> {
    const back = new Int32Array(run.length);
    for (let i = 1, k = 0; i < run.length; i++) {
      while (k > 0 && run[i] !== run[k]) k = back[k - 1] as number;
      if (run[i] === run[k]) k++;
      back[i] = k;
    }
    const found: number[] = [];
    for (let i = 0, k = 0; i < this.#keys.length && found.length < MOST_PLACES; i++) {
      while (k > 0 && this.#keys[i] !== run[k]) k = back[k - 1] as number;
      if (this.#keys[i] === run[k]) k++;
      if (k === run.length) {
        found.push(i - k + 1);
        k = back[k - 1] as number;
      }
      if (i % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
    }
    return found;
  }

  #times(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #count(key: string, more: number): void {
    this.#counts.set(key, this.#times(key) + more);
  }
}

/** More than these are not handed to one call as arguments. */
const MOST_ARGUMENTS = 10_000;

/** `splice`, for lists of any length. */
export function replaceItems<T>(list: T[], at: number, removed: number, items: readonly T[]): void {
  if (items.length <= MOST_ARGUMENTS) {
    list.splice(at, removed, ...items);
    return;
  }
  const rest = list.splice(at);
  for (const item of items) list.push(item);
  for (let i = removed; i < rest.length; i++) list.push(rest[i] as T);
}
