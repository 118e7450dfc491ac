// Owns: reading a patch document: JSON text or value, array or envelope, to operations that are well formed.
// Must never: look at a file, or stop at the first problem.

import { checkOptionNames, type OptionNames, badOptions } from "../text/options.ts";
import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { PathOptions } from "../path/index.ts";
import { parseJsonPieces } from "./_json-pieces.ts";
import { findSyntaxFault } from "./_json-syntax.ts";
import { PatchReading, readOperation, unknownField } from "./_read-operation.ts";
import { nearest } from "../text/nearest.ts";
import { runNow, type Steps } from "../text/steps.ts";
import type { Operation, ParsedPatch, PatchWarning } from "./operation.ts";

const OPTIONS: OptionNames<ParsePatchOptions> = { limits: true, names: ["ascii", "unicode"] };

/** How a patch is read. */
export interface ParsePatchOptions {
  /** Bounds of size and number: characters, operations, files, listed problems. The defaults of every session unless told. */
  readonly limits?: Limits;
  /** The letters that names of files may have: `ascii` unless told. Another letter is refused with `path_non_ascii`. */
  readonly names?: PathOptions["names"];
}

const OPERATIONS_PER_STEP = 512;
const parsed = new WeakSet<object>();

/**
 * Reads a patch from JSON text or from a value that is already parsed: an array of operations, or the envelope. Throws
 * `invalid_argument` with every problem at once: its operation, field, reason and what to send instead. An unknown
 * field is such a problem, so that no check is lost to a misspelt name. Reading a {@link ParsedPatch} returns it unchanged.
 * Cost: linear in the patch.
 *
 * @example parsePatch('[{"file":"a.txt","line":1,"op":"delete","old":"x"}]').operations.length // 1
 */
export function parsePatch(input: unknown, options: ParsePatchOptions = {}): ParsedPatch {
  checkOptionNames(say`parsePatch`, options, OPTIONS);
  if (typeof input === "bigint")
    throw badOptions(say`parsePatch: the patch must be JSON, as text or as data`);
  return runNow(readPatchSteps(input, options, [], Infinity));
}

/**
 * {@link parsePatch} in steps of a few milliseconds: for `runPaced`, which yields to the event loop between them.
 *
 * @example const { operations } = await runPaced(parsePatchSteps(text));
 */
export function parsePatchSteps(input: unknown, options: ParsePatchOptions = {}): Steps<ParsedPatch> {
  return readPatchSteps(input, options, []);
}

/**
 * {@link parsePatchSteps} with the warnings of what made the document. `piece`: characters of JSON text parsed in one step;
 * without steps, all at once is faster.
 */
export function* readPatchSteps(
  input: unknown,
  options: ParsePatchOptions,
  warnings: readonly PatchWarning[],
  piece?: number,
): Steps<ParsedPatch> {
  if (typeof input === "object" && input !== null && parsed.has(input)) return input as ParsedPatch;
  const limits = options.limits ?? DEFAULT_LIMITS;
  const document = typeof input === "string" ? yield* parseJson(input, limits, piece) : input;
  const reading = new PatchReading({ limits, names: options.names ?? "ascii" }, limits.patchProblems);
  const envelope = openEnvelope(document, reading);
  const list = envelope.operations;
  if (list.length > limits.patchOperations)
    throw tooLarge(list.length, limits.patchOperations, say`operations`, say`Split it into several patches.`);
  const operations: Operation[] = [];
  for (let i = 0; i < list.length; i++) {
    const operation = readOperation(list[i], i, reading, typeof input === "string");
    if (operation !== undefined) operations.push(Object.freeze(operation));
    if (i % OPERATIONS_PER_STEP === OPERATIONS_PER_STEP - 1) yield;
  }
  const created = readFiles(envelope.created, say`created`, reading);
  const removed = readFiles(envelope.removed, say`removed`, reading);
  const base = readBase(envelope.base, reading);
  refuseBoth(created, removed, reading);
  if (reading.problems.total > 0) throw reading.problems.error();
  const files = new Set(reading.paths.values()).size;
  if (files > limits.patchFiles)
    throw tooLarge(files, limits.patchFiles, say`files`, say`Split it into several patches.`);
  const { paths, moreWarnings } = reading;
  const patch: ParsedPatch = Object.freeze({
    operations: Object.freeze(operations),
    created: Object.freeze(created),
    removed: Object.freeze(removed),
    base,
    paths,
    warnings: Object.freeze([...reading.warnings, ...warnings]),
    moreWarnings,
  });
  parsed.add(patch);
  return patch;
}

interface Envelope {
  readonly operations: readonly unknown[];
  readonly created?: unknown;
  readonly removed?: unknown;
  readonly base?: unknown;
}

const ENVELOPE_KEYS = ["operations", "created", "removed", "base"] as const;
/** What this room adds to a patch when it reads or creates one, so that its own values can be read again. */
const OWN_KEYS = new Set(["paths", "warnings", "moreWarnings", "skipped"]);

function openEnvelope(document: unknown, reading: PatchReading): Envelope {
  if (Array.isArray(document)) return { operations: document as readonly unknown[] };
  if (typeof document !== "object" || document === null) throw invalid(notAPatch(document));
  const given = document as Record<string, unknown>;
  const operations = given["operations"] ?? undefined;
  const beside = ENVELOPE_KEYS.some((key) => key !== "operations" && (given[key] ?? undefined) !== undefined);
  if (operations === undefined && !beside) throw notAnEnvelope(given);
  if (operations !== undefined && !Array.isArray(operations))
    throw invalid(say`"operations" must be an array of operations.`);
  for (const key of Object.keys(given))
    if (!(ENVELOPE_KEYS as readonly string[]).includes(key) && !OWN_KEYS.has(key) && given[key] != null)
      reading.problems.add({
        field: echo(key),
        reason: "invalid_patch",
        message: unknownField(key, nearest(key, ENVELOPE_KEYS)),
      });
  return {
    operations: (operations as readonly unknown[] | undefined) ?? [],
    created: given["created"],
    removed: given["removed"],
    base: given["base"],
  };
}

function notAnEnvelope(given: Record<string, unknown>): HoldfastError {
  if (["file", "line", "op", "operation"].some((key) => given[key] !== undefined))
    return invalid(say`A patch is an array of operations, and this is one operation alone. Put it in [ ].`);
  const list = Object.keys(given).find((key) => Array.isArray(given[key]));
  const hint =
    list === undefined ? say`` : say` Rename ${echo(list)} to "operations", or send its array alone.`;
  return new HoldfastError(
    "invalid_argument",
    "missing_field",
    say`A patch is an array of operations, or an object that holds them in "operations". Nothing was written.${hint}`,
  );
}

function notAPatch(document: unknown): Shown {
  const what =
    typeof document === "string"
      ? say`a JSON string (was it encoded twice?)`
      : echo(JSON.stringify(document) ?? "");
  return say`A patch is a JSON array of operations, not ${what}. Send [{"file": ..., "line": ..., "op": ...}, ...].`;
}

function readFiles(given: unknown, field: Shown, reading: PatchReading): string[] {
  if (given === undefined || given === null) return [];
  const files: string[] = [];
  const add = (message: Shown): void => reading.problems.add({ field, reason: "invalid_patch", message });
  if (!Array.isArray(given)) {
    add(say`"${field}" must be an array of file names.`);
    return files;
  }
  for (const file of given as readonly unknown[]) {
    const refusal = typeof file === "string" ? reading.path(file) : undefined;
    if (typeof file !== "string") add(say`"${field}" holds something that is not a file name.`);
    else if (refusal !== undefined) reading.problems.add({ field, ...refusal });
    else files.push(file);
  }
  return files;
}

function readBase(given: unknown, reading: PatchReading): Map<string, string> {
  const base = new Map<string, string>();
  if (given === undefined || given === null) return base;
  const field = say`base`;
  if (typeof given !== "object" || Array.isArray(given)) {
    reading.problems.add({
      field,
      reason: "invalid_patch",
      message: say`"base" must be an object from file name to version token.`,
    });
    return base;
  }
  for (const [file, token] of given instanceof Map ? given : Object.entries(given)) {
    if (token === null || token === undefined) continue;
    const refusal = reading.path(String(file));
    if (refusal !== undefined) reading.problems.add({ field, ...refusal });
    else if (typeof token !== "string")
      reading.problems.add({ field, reason: "invalid_patch", message: say`A version token is a string.` });
    else base.set(String(file), token);
  }
  return base;
}

function refuseBoth(created: readonly string[], removed: readonly string[], reading: PatchReading): void {
  const gone = new Set(removed.map((file) => reading.paths.get(file)));
  for (const file of created)
    if (gone.has(reading.paths.get(file)))
      reading.problems.add({
        reason: "invalid_patch",
        message: say`${echo(file)} is both in "created" and in "removed". Keep one.`,
      });
}

function* parseJson(text: string, limits: Limits, piece?: number): Steps<unknown> {
  if (text.length > limits.patchChars)
    throw tooLarge(text.length, limits.patchChars, say`characters`, say`Split it into several patches.`);
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return yield* parseJsonPieces(bare, piece);
  } catch {
    throw syntaxError(bare);
  }
}

function syntaxError(text: string): HoldfastError {
  if (text.trim() === "") return invalid(say`The patch is empty. An empty patch is written [].`);
  const { at, line, column, expected } = findSyntaxFault(text);
  const found = at >= text.length ? say`the text ends` : say`found ${echo(text.slice(at, at + 20))}`;
  return new HoldfastError(
    "invalid_argument",
    "invalid_patch",
    say`The patch is not JSON: line ${line}, column ${column}: expected ${expected as Shown}, ${found}. ${syntaxHint(text, at, expected)}Nothing was written.`,
    { data: { line, column } },
  );
}

function syntaxHint(text: string, at: number, expected: string): Shown {
  if (text.trimStart().startsWith("```"))
    return say`Send the JSON alone, without the markdown fence around it. `;
  if (/^\s*(?:diff --git |--- |\*\*\* Begin Patch|@@ )/.test(text.slice(0, 200)))
    return say`This is a diff in another format; ndpatch is a JSON array of operations. `;
  const c = text.charAt(at);
  if (/^\s*[+-]\s*[[{]/.test(text.slice(0, 200)))
    return say`Send the JSON alone, without the mark of a diff or list in front of it. `;
  const isProse = expected === "a value" && at === text.length - text.trimStart().length;
  if (isProse && /[[{]/.test(text)) return say`Send the JSON alone, without the words around it. `;
  if (at >= text.length) return say`It seems to be cut off; send it whole. `;
  if (expected === "the end of the text" && (c === "{" || c === "["))
    return say`Put all operations into one array, with commas between them. `;
  if (expected === "the end of the text") return say`Send the JSON alone, without the words around it. `;
  if (expected === "the rest of a string" && c.charCodeAt(0) < 0x20)
    return say`Inside a string write \\n for a line break and \\t for a tab. `;
  if (expected === "the rest of a string") return say`Inside a string write \\\\ for a backslash. `;
  if (expected.startsWith('","'))
    return say`A quote inside a string is written \\"; items are separated by commas. `;
  if (c === "]" || c === "}") return say`Remove the comma before it. `;
  if (c === "'") return say`JSON strings are written in double quotes. `;
  if (c === "/" || c === "#") return say`JSON has no comments. `;
  return say``;
}

function invalid(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_patch", say`${message} Nothing was written.`);
}

export function tooLarge(size: number, max: number, what: Shown, hint: Shown): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "too_large",
    say`The patch has ${size} ${what}; at most ${max} are allowed. ${hint} Nothing was written.`,
    { data: { size, max } },
  );
}
