// Owns: JSON out of text that a language model wrote: which of the objects in it is the answer.
// Must never: throw, recurse on the text, or take more than linear time.

import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { echo, say, type Shown } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Json, JsonObject } from "../../value.ts";
import { choose } from "./choose.ts";
import { decodeEscapes } from "./decode.ts";
import type { JsonCandidate } from "./candidate.ts";
import { Finder } from "./finder.ts";
import type { Mended } from "./mended.ts";
import { Mender } from "./mender.ts";
import { RepairLog, type Repair, type RepairKind } from "./repairs.ts";
import { Source } from "./source.ts";

export const EXTRACT_OPTIONS: OptionNames<ExtractOptions> = {
  want: ["object", "any"],
  requireKeys: true,
  duplicates: true,
  maxLength: true,
  maxDepth: true,
};

/** What is looked for in a text, and how much of it is read. */
export interface ExtractOptions {
  /** `any` also takes arrays, and strings, numbers and literals that are the whole text. Default `object`. */
  readonly want?: "object" | "any";
  /** The object with the most of these keys is taken; one without them only if there is no other. */
  readonly requireKeys?: readonly string[];
  /** Also list the keys that an object holds twice. Costs one more pass over an object that needs no repair. */
  readonly duplicates?: boolean;
  /** A longer text is refused: `too_long`. Default 1,000,000 characters, at most 16,000,000. */
  readonly maxLength?: number;
  /** A deeper object is refused: `too_deep`. Default and maximum 512. */
  readonly maxDepth?: number;
}

/** What was odd about the text that JSON was found in. */
export interface ExtractFlags {
  /** The text was not strict JSON; `repairs` says what was mended. */
  readonly repaired: boolean;
  /** The text ended inside the object: it never closed. */
  readonly truncated: boolean;
  /** A thinking tag was opened and never closed. */
  readonly unclosed_thinking: boolean;
}

/** The JSON that was found, with what had to be done to read it. */
export interface Extracted<T> extends ExtractFlags {
  /** True: an object was found. */
  readonly ok: true;
  /** The object. */
  readonly value: T;
  /** Its first character in the text. */
  readonly start: number;
  /** After its last character. */
  readonly end: number;
  /** It is in a code fence marked as JSON or not marked. */
  readonly fenced: boolean;
  /** The first hundred, in text order. {@link describeRepair} puts one into words. */
  readonly repairs: readonly Repair[];
  /** All of them. */
  readonly repairCount: number;
  /** Where the text ended inside a string: the place of that string, as keys and indexes. It says half of what it was to say. */
  readonly halfString?: readonly (string | number)[];
  /** If asked for: the places of keys that an object holds twice, of which the last counts. At most 100. */
  readonly duplicates?: readonly (readonly (string | number)[])[];
}

/** Why there is no JSON to hand out. */
export interface NotExtracted extends ExtractFlags {
  /** False: no object was found. */
  readonly ok: false;
  /** `unreadable`: an object is there and it ends, but it makes no sense at `at`. */
  readonly reason: "no_json" | "unreadable" | "too_deep" | "too_long" | "not_text";
  /** What is wrong, in words. */
  readonly message: Shown;
  /** Of what is unreadable: the character that makes no sense. */
  readonly at?: number;
}

/** What {@link extractJson} returns. */
export type Extraction<T = JsonObject> = Extracted<T> | NotExtracted;

const DECODINGS = 3;
const ENCODED: RepairKind = "double_encoded";
const NEAR = 40;

/**
 * Finds the JSON object in a model's answer: in fences, in prose, after thinking, among several, mended if it is broken.
 *
 * No text makes it throw, only options that do not exist. Time is linear in the text: about 10 ms for a megabyte. What
 * was mended is in `repairs`; an object that broke off is returned with `truncated: true`, so check that flag before you act on it.
 *
 * @example
 * const found = extractJson('Sure:\n```json\n{"a": 1,}\n```');
 * if (found.ok) found.value; // { a: 1 }, and found.repairs[0].kind === "extra_comma"
 */
export function extractJson(
  text: string,
  options?: ExtractOptions & { readonly want?: "object" },
): Extraction;
/** With `want: "any"`, arrays and other values count too. */
export function extractJson(text: string, options: ExtractOptions): Extraction<Json>;
export function extractJson(text: string, options: ExtractOptions = {}): Extraction<Json> {
  checkOptionNames(say`extractJson`, options, EXTRACT_OPTIONS);
  return extractCounting(text, options).extraction;
}

/** {@link extractJson} together with how many characters it looked at. */
export function extractCounting(
  text: string,
  options: ExtractOptions = {},
): { readonly extraction: Extraction<Json>; readonly steps: number } {
  if (typeof text !== "string")
    return { extraction: refuse("not_text", say`The payload is not text.`), steps: 0 };
  const maxLength = Math.min(options.maxLength ?? LIMITS.answerLength.default, LIMITS.answerLength.max);
  if (text.length > maxLength)
    return {
      extraction: refuse(
        "too_long",
        say`The text has ${text.length} characters; at most ${maxLength} are read.`,
      ),
      steps: 0,
    };
  const maxDepth = Math.min(options.maxDepth ?? LIMITS.answerDepth.default, LIMITS.answerDepth.max);
  const any = options.want === "any";
  const keys = options.requireKeys ?? [];
  const decodings: Repair[] = [];
  let steps = 0;
  let source = text;
  for (;;) {
    const finder = new Finder(source, any, maxDepth, options.duplicates === true);
    finder.run();
    steps += finder.steps;
    const best = choose(finder, source, keys);
    const unclosed = finder.unclosedFrom >= 0;
    if (best !== undefined && !best.encoded)
      return { extraction: found(best, { source, text, maxDepth, options, unclosed, decodings }), steps };
    const next =
      decodings.length >= DECODINGS
        ? undefined
        : best !== undefined
          ? { text: JSON.parse(source.slice(best.start, best.end)) as string, repair: ENCODED }
          : any || finder.tooDeep
            ? undefined
            : decodeEscapes(source);
    if (next === undefined) {
      const decoded = decodings.length > 0;
      return { extraction: missing(finder, { source, maxDepth, unclosed, decoded }), steps };
    }
    steps += source.length;
    source = next.text;
    decodings.push({ kind: next.repair, at: 0 });
  }
}

function missing(
  finder: Finder,
  by: {
    readonly source: string;
    readonly maxDepth: number;
    readonly unclosed: boolean;
    readonly decoded: boolean;
  },
): NotExtracted {
  const { source, maxDepth, unclosed, decoded } = by;
  if (finder.tooDeep) return refuse("too_deep", say`The JSON is nested deeper than ${maxDepth}.`, unclosed);
  if (finder.unread !== undefined) return unreadable(finder.unread, source, unclosed, decoded);
  return refuse("no_json", say`No JSON object found in text`, unclosed);
}

function refuse(reason: NotExtracted["reason"], message: Shown, unclosed = false): NotExtracted {
  return { ok: false, reason, message, repaired: false, truncated: false, unclosed_thinking: unclosed };
}

/** What a result is made from beside the candidate. */
interface Found {
  /** The text that the candidate is in: `text` itself, or what it decodes to. */
  readonly source: string;
  readonly text: string;
  readonly maxDepth: number;
  readonly options: ExtractOptions;
  readonly unclosed: boolean;
  readonly decodings: readonly Repair[];
}

function found(best: JsonCandidate, by: Found): Extraction<Json> {
  const { source, text, unclosed, decodings } = by;
  const { mended } = best;
  if (best.unreadable)
    return unreadable(
      { start: best.start, badAt: mended?.badAt ?? best.end },
      source,
      unclosed,
      decodings.length > 0,
    );
  const log = mended?.repairs ?? new RepairLog();
  if (mended?.how === "cut") log.add("truncated", mended.end);
  const whole = decodings.length > 0 ? { start: 0, end: text.length } : { start: best.start, end: best.end };
  return {
    ok: true,
    value: mended === undefined ? (JSON.parse(source.slice(best.start, best.end)) as Json) : mended.value,
    ...whole,
    fenced: best.fenced,
    repaired: decodings.length > 0 || mended !== undefined,
    truncated: mended !== undefined && mended.how !== "closed",
    unclosed_thinking: unclosed,
    repairs: [...decodings, ...log.list],
    repairCount: log.count + decodings.length,
    ...(mended?.halfString === undefined ? {} : { halfString: mended.halfString }),
    ...(by.options.duplicates === true ? { duplicates: duplicatesOf(best, by) } : {}),
  };
}

/** The mender notes duplicates as it goes; what needed no mending is read by it for their sake alone. */
function duplicatesOf(
  { start, end, mended }: JsonCandidate,
  { source, maxDepth }: Found,
): Mended["duplicates"] {
  return (mended ?? new Mender(new Source(source.slice(start, end)), maxDepth, true).read(0, undefined))
    .duplicates;
}

function unreadable(
  { start, badAt: at }: { readonly start: number; readonly badAt: number },
  source: string,
  unclosed: boolean,
  decoded: boolean,
): NotExtracted {
  const near = echo(source.slice(at, at + NEAR));
  const where = decoded ? say`` : say` at character ${start + 1}`;
  const place = decoded ? say`` : say` character ${at + 1},`;
  return {
    ...refuse(
      "unreadable",
      say`The JSON object${where} cannot be read at${place} ${near}: a comma, a colon, a quote or a bracket before that is missing or wrong.`,
      unclosed,
    ),
    at: decoded ? 0 : at,
  };
}
