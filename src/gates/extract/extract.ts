// Owns: JSON out of text that a language model wrote: which of the objects in it is the answer.
// Must never: throw, recurse on the text, or take more than linear time.

import { LIMITS } from "../../limits.ts";
import type { Json, JsonObject } from "../../value.ts";
import { Finder, holdsJson, type Candidate } from "./finder.ts";
import { RepairLog, type Repair } from "./repairs.ts";

export interface ExtractOptions {
  /** `any` also takes arrays, and strings, numbers and literals that are the whole text. Default `object`. */
  readonly want?: "object" | "any";
  /** The object with the most of these keys is taken. */
  readonly requireKeys?: readonly string[];
  /** Characters; a longer text is refused. Default 1,000,000. */
  readonly maxLength?: number;
  /** Nesting; a deeper object is refused. Default and maximum 512. */
  readonly maxDepth?: number;
}

interface ExtractFlags {
  /** The text was not strict JSON; `repairs` says what was mended. */
  readonly repaired: boolean;
  /** The object never closed: the text broke off, or made no sense from some place on. */
  readonly truncated: boolean;
  /** A thinking tag was opened and never closed. */
  readonly unclosed_thinking: boolean;
}

export interface Extracted<T> extends ExtractFlags {
  readonly ok: true;
  readonly value: T;
  /** Where it stands in the text. */
  readonly start: number;
  readonly end: number;
  readonly fenced: boolean;
  /** The first hundred, in text order. */
  readonly repairs: readonly Repair[];
  readonly repairCount: number;
}

export interface NotExtracted extends ExtractFlags {
  readonly ok: false;
  readonly reason: "no_json" | "too_deep" | "too_long" | "not_text";
  readonly message: string;
}

export type Extraction<T = JsonObject> = Extracted<T> | NotExtracted;

const DECODINGS = 3;

/**
 * Finds the JSON object in a model's answer: in fences, in prose, behind thinking, among several, mended if it is broken.
 *
 * Never throws. Time is linear in the text: about 10 ms for a megabyte. What was mended is in `repairs`; an object that
 * broke off is answered with `truncated: true`, so check that flag before you act on it.
 *
 * @example
 * const found = extractJson('Sure:\n```json\n{"a": 1,}\n```');
 * if (found.ok) found.value; // { a: 1 }, and found.repairs[0].kind === "extra_comma"
 */
export function extractJson(
  text: string,
  options?: ExtractOptions & { readonly want?: "object" },
): Extraction;
export function extractJson(text: string, options: ExtractOptions): Extraction<Json>;
export function extractJson(text: string, options: ExtractOptions = {}): Extraction<Json> {
  return extractCounting(text, options).answer;
}

/** {@link extractJson} together with how many characters it looked at. */
export function extractCounting(
  text: string,
  options: ExtractOptions = {},
): { readonly answer: Extraction<Json>; readonly steps: number } {
  if (typeof text !== "string") return { answer: refuse("not_text", "The payload is not text."), steps: 0 };
  const maxLength = Math.min(options.maxLength ?? LIMITS.answerLength.default, LIMITS.answerLength.max);
  if (text.length > maxLength)
    return {
      answer: refuse("too_long", `The text has ${text.length} characters; at most ${maxLength} are read.`),
      steps: 0,
    };
  const maxDepth = Math.min(options.maxDepth ?? LIMITS.answerDepth.default, LIMITS.answerDepth.max);
  const any = options.want === "any";
  const keys = options.requireKeys ?? [];
  let steps = 0;
  let source = text;
  for (let decoded = 0; ; decoded++) {
    const finder = new Finder(source, any, maxDepth);
    finder.run();
    steps += finder.steps;
    const best = choose(finder, source, keys);
    const unclosed = finder.unclosedFrom >= 0;
    if (best !== undefined && !best.encoded)
      return { answer: found(best, source, text, unclosed, decoded > 0), steps };
    const next =
      decoded >= DECODINGS
        ? undefined
        : best !== undefined
          ? (JSON.parse(source.slice(best.start, best.end)) as string)
          : any || finder.tooDeep
            ? undefined
            : unescaped(source);
    if (next === undefined) return { answer: missing(finder, maxDepth, unclosed), steps };
    steps += source.length;
    source = next;
  }
}

function missing(finder: Finder, maxDepth: number, unclosed: boolean): NotExtracted {
  return finder.tooDeep
    ? refuse("too_deep", `The JSON is nested deeper than ${maxDepth}.`, unclosed)
    : refuse("no_json", "No JSON object found in text", unclosed);
}

function refuse(reason: NotExtracted["reason"], message: string, unclosed = false): NotExtracted {
  return { ok: false, reason, message, repaired: false, truncated: false, unclosed_thinking: unclosed };
}

function found(
  best: Candidate,
  source: string,
  text: string,
  unclosed: boolean,
  decoded: boolean,
): Extracted<Json> {
  const mended = best.mended;
  const log = mended?.repairs ?? new RepairLog();
  const whole = decoded ? { start: 0, end: text.length } : { start: best.start, end: best.end };
  const repairs: Repair[] = decoded ? [{ kind: "double_encoded", at: 0 }, ...log.list] : log.list;
  return {
    ok: true,
    value: mended === undefined ? (JSON.parse(source.slice(best.start, best.end)) as Json) : mended.value,
    ...whole,
    fenced: best.fenced,
    repaired: decoded || mended !== undefined,
    truncated: mended !== undefined && mended.how !== "closed",
    unclosed_thinking: unclosed,
    repairs,
    repairCount: log.count + (decoded ? 1 : 0),
  };
}

/**
 * The best candidate: most wanted keys, then strict before mended before broken off before contained, then fenced before
 * bare, then the first. Behind an unclosed thinking tag the last complete one, and only if none stands before the tag.
 */
function choose(finder: Finder, source: string, keys: readonly string[]): Candidate | undefined {
  const all = finder.candidates;
  const from = finder.unclosedFrom;
  if (from < 0) return best(all, source, keys);
  return best(all.slice(0, from), source, keys) ?? best(all.slice(from).reverse(), source, keys, true);
}

function best(
  candidates: readonly Candidate[],
  source: string,
  keys: readonly string[],
  last = false,
): Candidate | undefined {
  let chosen: Candidate | undefined;
  let chosenRank = -1;
  const search = new KeySearch(source, keys);
  for (const candidate of candidates) {
    // One bit for the fence, two for how it was read, wanted keys above them all.
    const state = candidate.contained
      ? 0
      : candidate.mended === undefined
        ? 3
        : candidate.mended.how === "closed"
          ? 2
          : 1;
    const rank = state * 2 + (candidate.fenced && !last ? 1 : 0);
    if (rank + search.atMost(candidate) * 8 <= chosenRank) continue;
    const whole = rank + wantedKeys(candidate, source, keys) * 8;
    if (whole <= chosenRank) continue;
    chosen = candidate;
    chosenRank = whole;
  }
  return chosen;
}

/** Bounds from above how many wanted keys a candidate holds, so that few candidates have to be parsed. */
class KeySearch {
  /** Never used. It keeps compiled code through collections of garbage: docs/decisions/0011. */
  static readonly kept: KeySearch = new KeySearch("", []);

  readonly #source: string;
  readonly #needles: readonly string[];
  /** For each needle, and last for the backslash (a key may be spelled with escapes): where it was last found. */
  readonly #found: number[];

  constructor(source: string, keys: readonly string[]) {
    this.#source = source;
    this.#needles = keys.length === 0 ? [] : [...keys.map((key) => JSON.stringify(key)), "\\"];
    this.#found = this.#needles.map(() => -1);
  }

  atMost(candidate: Candidate): number {
    const wanted = this.#needles.length - 1;
    if (wanted <= 0 || candidate.encoded) return 0;
    if (candidate.mended !== undefined || this.#holds(wanted, candidate)) return wanted;
    let count = 0;
    for (let i = 0; i < wanted; i++) if (this.#holds(i, candidate)) count++;
    return count;
  }

  /** Candidates come in text order or in its reverse; either way a needle is looked for once in each stretch. */
  #holds(needle: number, candidate: Candidate): boolean {
    const text = this.#needles[needle] as string;
    let at = this.#found[needle] as number;
    if (at < candidate.start) {
      const next = this.#source.indexOf(text, candidate.start);
      at = next < 0 ? this.#source.length : next;
      this.#found[needle] = at;
    } else if (at === this.#source.length) return false;
    else if (at >= candidate.end) {
      // Found behind this candidate: in reverse order an earlier place may lie in it.
      const slice = this.#source.slice(candidate.start, candidate.end);
      return slice.includes(text);
    }
    return at < candidate.end;
  }
}

function wantedKeys(candidate: Candidate, source: string, keys: readonly string[]): number {
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

/** The text with its JSON escapes read, if it looks like JSON whose quotes were all escaped. */
function unescaped(text: string): string | undefined {
  if (!text.includes('\\"') || !text.includes("{")) return undefined;
  let out = "";
  let copied = 0;
  for (let i = text.indexOf("\\"); i >= 0; i = text.indexOf("\\", i)) {
    const plain = ESCAPES.get(text.charAt(i + 1));
    if (plain !== undefined) {
      out += text.slice(copied, i) + plain;
      copied = i + 2;
    }
    i += 2;
  }
  out += text.slice(copied);
  return holdsJson(out.slice(out.indexOf("{"))) ? out : undefined;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
