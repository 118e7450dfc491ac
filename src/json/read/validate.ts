// Owns: judging a document: valid, or the one fault that a reader should mend first.
// Must never: throw for a bad document. A fault is a result.

import { checkOptionNames, type OptionNames } from "../../text/options.ts";
import { runNow, type Steps } from "../../text/steps.ts";
import { escapeUnseen, echo, HoldfastError, say, type Shown, type ShownData } from "../../errors.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import type { ByteSource } from "../../text/byte-source.ts";
import { wideEncoding } from "./encoding.ts";
import { explain } from "./explain.ts";
import type { FaultReason } from "./explanation.ts";
import type { JsonIndexes } from "../scan/index-store.ts";
import { openScanner } from "../scan/open.ts";
import { shortPath } from "../path/normalized.ts";
import { frameOf, type LinePosition, linePositionOf } from "./place.ts";
import { decodeString, type JsonKind, type Mode, NONE, type Scanner, settle } from "../scan/scanner.ts";
import { Levels } from "./levels.ts";
import { JsValidation, BEFORE_COLON, FIRST_KEY, KEY, VALUE, AFTER_VALUE } from "../scan/js-validation.ts";
import { WINDOW } from "../scan/window.ts";

const OPTIONS: OptionNames<ValidateOptions> = { mode: true, maxDepth: true, indexes: true };

/** Why and where a document is refused. Every text is fit to be shown. */
export interface JsonFault {
  /** What is wrong. */
  readonly reason: FaultReason;
  /** One sentence or two: where, what was expected and found, how to mend it. */
  readonly message: Shown;
  /** From 1; lines end with LF. */
  readonly line: number;
  /** From 1, in code points. */
  readonly column: number;
  /** In bytes, from 0. */
  readonly offset: number;
  /** The JSONPath of the value or member that the fault is in. */
  readonly path: Shown;
  /** What could have been there. */
  readonly expected: Shown;
  /** What is there. */
  readonly found: Shown;
  /** What is likely meant, and how to mend it. */
  readonly hint?: Shown;
  /** Another place that belongs to the mistake: the bracket never closed, the comma too many. */
  readonly related?: LinePosition & { readonly message: Shown };
  /** The line of the fault, cut around it, and a caret under the place. */
  readonly frame: Shown;
}

/** Whether a document is valid, and what is known of it. */
export type Validity =
  | {
      /** The document follows the rules. */
      readonly valid: true;
      /** Those of this mode. */
      readonly mode: Mode;
      /** What its root is. */
      readonly kind: JsonKind;
    }
  | {
      /** It does not. */
      readonly valid: false;
      /** The mode that was asked for. */
      readonly mode: Mode;
      /** The first place where it breaks them, with a hint. */
      readonly fault: JsonFault;
    };

/** How a document is checked. */
export interface ValidateOptions {
  /** Default `strict`: RFC 8259 and nothing else. */
  readonly mode?: Mode;
  /** Containers inside one another that are accepted: 4 million by default and at most. One more is the fault `too_deep`. */
  readonly maxDepth?: number;
  /** Where to remember that a large document is valid; null: nowhere. Default: shared by the process. */
  readonly indexes?: JsonIndexes | null;
}

/**
 * Judges a whole document in constant memory: at 0.5 to 1.4 GB a second when it is valid; a fault costs one slower
 * pass up to its place. Holds the thread until it is done: {@link validateJsonSteps} does not.
 *
 * A broken document is a result, never an error. Throws `invalid_argument` / `unknown_mode` or `unknown_option`.
 *
 * @example
 * const result = validateJson(memorySource('{"a": 1,}'));
 * if (!result.valid) console.log(result.fault.message, result.fault.frame);
 */
export function validateJson(source: ByteSource, options: ValidateOptions = {}): Validity {
  checkOptionNames(say`validateJson`, options, OPTIONS);
  return runNow(validateJsonSteps(source, options, Number.POSITIVE_INFINITY));
}

/**
 * The same in steps: yields after every `pauseEvery` windows (256 KB each; 8 take about 2 to 4 milliseconds).
 *
 * @example const { valid } = await runPaced(validateJsonSteps(source), AbortSignal.timeout(5_000));
 */
export function* validateJsonSteps(
  source: ByteSource,
  options: ValidateOptions = {},
  pauseEvery = 8,
): Steps<Validity> {
  const mode = knownMode(options.mode ?? "strict");
  const maxDepth = Math.min(options.maxDepth ?? DEFAULT_LIMITS.jsonDepth, DEFAULT_LIMITS.jsonDepth);
  const scanner = openScanner(source, {
    pauseEvery,
    maxDepth,
    // What is remembered was judged with the default depth.
    ...(maxDepth < DEFAULT_LIMITS.jsonDepth
      ? { indexes: null }
      : options.indexes !== undefined && { indexes: options.indexes }),
  });
  const first = new Uint8Array(4);
  const encoding = wideEncoding(first.subarray(0, source.read(0, first, 0, 4)));
  if (encoding !== undefined) return { valid: false, mode, fault: wrongEncoding(scanner, encoding as Shown) };
  const result = yield* settle(scanner, scanner.check(mode));
  if (result === NONE) return { valid: true, mode, kind: scanner.kind(scanner.root()) ?? "null" };
  return yield* judge(scanner, mode, maxDepth, pauseEvery);
}

const MODES: readonly unknown[] = ["strict", "json", "jsonc"];

/** Throws `invalid_argument` / `unknown_mode` for anything but the modes there are. */
export function knownMode<M extends Mode>(mode: M): M {
  const given: unknown = mode;
  if (MODES.includes(given)) return mode;
  throw new HoldfastError(
    "invalid_argument",
    "unknown_mode",
    say`There is no mode ${echo(String(given))}. A document is read as json or jsonc, or judged as strict.`,
  );
}

/** The slow pass: finds the exact place and what is open there. */
function* judge(scanner: Scanner, mode: Mode, maxDepth: number, pauseEvery: number): Steps<Validity> {
  const { source } = scanner;
  const levels = new Levels();
  const validation = new JsValidation(mode, source.size, maxDepth, levels);
  const window = new Uint8Array(Math.min(WINDOW, Math.max(64, source.size)));
  let fine = true;
  for (let windows = 0; fine && validation.at < source.size; windows++) {
    if (windows > 0 && windows % pauseEvery === 0) yield;
    const at = validation.at;
    const got = source.read(at, window, 0, window.length);
    if (got <= 0) break;
    fine = validation.feed(window, at, at + got);
  }
  const at = fine ? validation.finish() : validation.fault;
  if (at === NONE) return { valid: true, mode, kind: scanner.kind(scanner.root()) ?? "null" };
  return { valid: false, mode, fault: yield* describe(scanner, mode, at, validation, levels) };
}

function* describe(
  scanner: Scanner,
  mode: Mode,
  at: number,
  validation: JsValidation,
  levels: Levels,
): Steps<JsonFault> {
  const { state, inside, tokenAt, tooDeep } = validation;
  const why = explain({ scanner, mode, at, state, inside, tokenAt, tooDeep, levels });
  const place = yield* linePositionOf(scanner, at);
  const related =
    why.related === undefined ? undefined : yield* linePositionOf(scanner, Math.max(0, why.related.at));
  const where =
    why.related === undefined || related === undefined
      ? undefined
      : (why.related.what.replace("%", `${related.line}:${related.column}`) as Shown);
  const path = pathOf(scanner, levels, state);
  const message = say`Invalid JSON at line ${place.line}, column ${place.column}: expected ${why.expected}, found ${why.found}${
    where === undefined ? say`` : say` (${where})`
  }.${why.hint === undefined ? say`` : say` ${why.hint}`}`;
  return {
    reason: why.reason,
    message,
    ...place,
    path,
    expected: why.expected,
    found: why.found,
    ...(why.hint === undefined ? {} : { hint: why.hint }),
    ...(related === undefined || where === undefined ? {} : { related: { ...related, message: where } }),
    frame: frameOf(scanner, place),
  };
}

function wrongEncoding(scanner: Scanner, encoding: Shown): JsonFault {
  const place: LinePosition = { offset: 0, line: 1, column: 1 };
  const hint = say`Convert the document to UTF-8.`;
  return {
    reason: "wrong_encoding",
    message: say`Invalid JSON: the document is ${encoding}, and JSON is UTF-8. ${hint}`,
    ...place,
    path: say`$`,
    expected: say`UTF-8`,
    found: encoding,
    hint,
    frame: frameOf(scanner, place),
  };
}

const MOST_STEPS = 64;
const LONGEST_KEY = 256;

/** The path to the child that each open container is at. A very deep one is cut in its middle, and says so. */
function pathOf(scanner: Scanner, levels: Levels, state: number): Shown {
  const steps: (string | number)[] = [];
  const cut = levels.depth > MOST_STEPS;
  for (let depth = 0; depth < levels.known; depth++) {
    if (cut && depth >= MOST_STEPS / 2 && depth < levels.known - MOST_STEPS / 2) continue;
    const level = levels.level(depth);
    if (level === undefined) break;
    if (!level.members) steps.push(level.index);
    else if (depth < levels.depth - 1 || state === BEFORE_COLON || state === VALUE || state === AFTER_VALUE)
      steps.push(keyAt(scanner, level.key));
    else if (state !== KEY && state !== FIRST_KEY) break;
  }
  if (!cut) return escapeUnseen(shortPath(steps));
  const head = shortPath(steps.slice(0, MOST_STEPS / 2));
  const tail = shortPath(steps.slice(MOST_STEPS / 2)).slice(1);
  return say`${escapeUnseen(head)} ... (${levels.depth - MOST_STEPS} levels) ... ${escapeUnseen(tail)}`;
}

function keyAt(scanner: Scanner, at: number): string {
  if (at === NONE) return "";
  const bytes = scanner.bytes(at, at + LONGEST_KEY);
  let end = 1;
  while (end < bytes.length && bytes[end] !== 0x22) end += bytes[end] === 0x5c ? 2 : 1;
  if (end < bytes.length) return decodeString(bytes.subarray(0, end + 1));
  return `${decodeString(Uint8Array.of(...bytes.subarray(0, 80), 0x22))}...`;
}

/**
 * A fault as the error that a call on an invalid document throws: `invalid_argument` / `invalid_json`, its data the fault.
 * Never fails.
 *
 * @example
 * const result = validateJson(memorySource('{"a": 1,}'));
 * if (!result.valid) throw invalidJson(result.fault); // Invalid JSON at line 1, column 9: expected a key ...
 */
export function invalidJson(fault: JsonFault): HoldfastError {
  const { reason, line, column, offset, path, expected, found, hint, related, frame } = fault;
  const data: ShownData = {
    reason: reason as Shown,
    line,
    column,
    offset,
    path,
    expected,
    found,
    hint,
    related: related === undefined ? undefined : { ...related },
    frame,
  };
  return new HoldfastError("invalid_argument", "invalid_json", fault.message, { data });
}
