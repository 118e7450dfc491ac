// Owns: one element of the operations array: its fields, their types, and what each operation needs of them.
// Must never: look at a file. What depends on a file's lines is decided when the patch is applied.

import { echo, HoldfastError, say, type Reason, type Shown } from "../errors.ts";
import { parsePath, type PathOptions, type WorkspacePath } from "../path/index.ts";
import { ALIASES, FIELD_NAMES, guessField, guessOp, type Field } from "./_field-names.ts";
import { Problems } from "./_problems.ts";
import type { Eol, Operation, OperationName, PatchWarning } from "./operation.ts";

const MOST_GUESSES = 1_000;

/** What reading a document gathers: problems, warnings, and every path once. */
export class PatchReading {
  readonly problems: Problems;
  readonly warnings: PatchWarning[] = [];
  readonly paths: Map<string, WorkspacePath> = new Map();
  moreWarnings = 0;
  readonly #options: PathOptions;
  readonly #max: number;
  readonly #refused: Map<string, { reason: Reason; message: Shown }> = new Map();
  readonly #guesses: Map<string, Field | undefined> = new Map();

  constructor(options: PathOptions, max: number) {
    this.#options = options;
    this.#max = max;
    this.problems = new Problems(max);
  }

  warn(warning: PatchWarning): void {
    if (this.warnings.length < this.#max) this.warnings.push(warning);
    else this.moreWarnings++;
  }

  /** The field that an unknown name was meant to be. Each name is looked at once, and of very many only the first ones. */
  guess(key: string): Field | undefined {
    if (this.#guesses.has(key) || this.#guesses.size >= MOST_GUESSES) return this.#guesses.get(key);
    const field = guessField(key);
    this.#guesses.set(key, field);
    return field;
  }

  /** Is the text a path of a file? Each spelling is parsed once. */
  path(text: string): { reason: Reason; message: Shown } | undefined {
    if (this.paths.has(text)) return undefined;
    const known = this.#refused.get(text);
    if (known !== undefined) return known;
    try {
      this.paths.set(text, parsePath(text, { ...this.#options, kind: "file" }));
      return undefined;
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      const refusal = { reason: error.reason as Reason, message: error.message };
      if (this.#refused.size < this.#max) this.#refused.set(text, refusal);
      return refusal;
    }
  }
}

type Fields = { [F in Field]?: unknown };

/**
 * Reads one element. Returns undefined if it has a problem, which is then in `reading`. `isOurs`: the value was parsed here,
 * so that it can be used as it is.
 */
export function readOperation(
  value: unknown,
  index: number,
  reading: PatchReading,
  isOurs: boolean,
): Operation | undefined {
  if (isOurs && isPlain(value, reading)) return value;
  const before = reading.problems.total;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const found = Array.isArray(value) ? say`an array` : echo(JSON.stringify(value) ?? typeof value);
    reading.problems.add(() => ({
      index,
      reason: "invalid_operation",
      message: say`${found} is not an operation. Send an object with "file", "line", "op" and what the operation needs.`,
    }));
    return undefined;
  }
  const fields: Fields = {
    file: undefined,
    line: undefined,
    op: undefined,
    old: undefined,
    new: undefined,
    eol: undefined,
  };
  const unknown: string[] = [];
  collect(value as Record<string, unknown>, index, fields, unknown, reading);
  const op = readOp(fields.op, index, unknown, reading);
  const file = readFile(fields.file, index, unknown, reading);
  const line = readLine(fields.line, index, unknown, reading);
  const old = readText("old", op === "insert", fields.old, index, reading);
  const text = readText("new", op === "delete", fields.new, index, reading);
  if (op !== undefined && op !== "delete" && fields.new === undefined)
    missing(
      "new",
      say`${op as Shown} needs the new text of the line; "" is an empty line.`,
      index,
      unknown,
      reading,
    );
  const eol = readEol(fields.eol, op, index, reading);
  if (unknown.length > 0) refuseUnknown(unknown, fields, index, reading);
  if (reading.problems.total > before || op === undefined || file === undefined || line === undefined)
    return undefined;
  const operation: { -readonly [K in keyof Operation]: Operation[K] } = { file, line, op };
  if (old !== undefined) operation.old = old;
  if (text !== undefined) operation.new = text;
  if (eol !== undefined) operation.eol = eol;
  return operation;
}

/** Is it an operation as the format's own page writes it, with nothing to say about it? Most are. */
function isPlain(value: unknown, reading: PatchReading): value is Operation {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const key in value)
    if (key !== "file" && key !== "line" && key !== "op" && key !== "old" && key !== "new") return false;
  const { file, line, op, old, new: text } = value as Fields;
  if (typeof file !== "string" || reading.path(file) !== undefined) return false;
  if (!Number.isSafeInteger(line) || (line as number) < 1) return false;
  if (op === "insert" ? old !== undefined : op !== "replace" && op !== "delete") return false;
  if (op === "delete" ? text !== undefined : typeof text !== "string" || !text.isWellFormed()) return false;
  return old === undefined || (typeof old === "string" && old.isWellFormed());
}

function collect(
  value: Record<string, unknown>,
  index: number,
  fields: Fields,
  unknown: string[],
  reading: PatchReading,
): void {
  for (const key of Object.keys(value)) {
    const field = FIELD_NAMES.get(key);
    const given = value[key];
    if (given === null || given === undefined) continue;
    if (field === undefined) {
      if (unknown.length < 16) unknown.push(key);
      continue;
    }
    if (fields[field] !== undefined && fields[field] !== given)
      reading.problems.add(() => ({
        index,
        field: field as Shown,
        reason: "invalid_operation",
        message: say`"${field as Shown}" and "${(ALIASES.get(field) ?? field) as Shown}" mean the same and differ. Send one of them.`,
      }));
    fields[field] = given;
  }
}

function readOp(
  given: unknown,
  index: number,
  unknown: readonly string[],
  reading: PatchReading,
): OperationName | undefined {
  if (given === "replace" || given === "insert" || given === "delete") return given;
  if (given === undefined) {
    missing("op", HINTS.op, index, unknown, reading);
    return undefined;
  }
  const guess = typeof given === "string" ? guessOp(given) : undefined;
  const hint =
    guess === undefined ? say`Send "replace", "insert" or "delete".` : say`Did you mean "${guess as Shown}"?`;
  reading.problems.add(() => ({
    index,
    field: say`op`,
    reason: "invalid_operation",
    message: say`${shown(given)} is not an operation. ${hint}`,
  }));
  return undefined;
}

function readFile(
  given: unknown,
  index: number,
  unknown: readonly string[],
  reading: PatchReading,
): string | undefined {
  if (given === undefined) {
    missing("file", HINTS.file, index, unknown, reading);
    return undefined;
  }
  if (typeof given !== "string") {
    wrongType("file", given, index, reading);
    return undefined;
  }
  const refusal = reading.path(given);
  if (refusal === undefined) return given;
  reading.problems.add(() => ({ index, field: say`file`, ...refusal }));
  return undefined;
}

function readLine(
  given: unknown,
  index: number,
  unknown: readonly string[],
  reading: PatchReading,
): number | undefined {
  if (Number.isSafeInteger(given) && (given as number) >= 1) return given as number;
  if (given === undefined) {
    missing("line", HINTS.line, index, unknown, reading);
    return undefined;
  }
  reading.problems.add(() => ({
    index,
    field: say`line`,
    reason: "invalid_line",
    message: say`${shown(given)} is not a line number. ${lineHint(given)}`,
  }));
  return undefined;
}

function lineHint(given: unknown): Shown {
  if (given === 0) return say`Lines count from 1: send 1 for the first line.`;
  if (typeof given === "string" && /^[1-9][0-9]{0,14}$/.test(given.trim()))
    return say`Send the number without quotes: ${Number(given)}.`;
  if (typeof given === "string" && /^[0-9]{1,15}\s*-\s*[0-9]{1,15}$/.test(given.slice(0, 40)))
    return say`An operation covers one line: send one operation for each line.`;
  return say`Send a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`;
}

function readText(
  field: "old" | "new",
  unused: boolean,
  given: unknown,
  index: number,
  reading: PatchReading,
): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "string") {
    wrongType(field, given, index, reading);
    return undefined;
  }
  if (unused) {
    if (given !== "") unusedField(field, index, reading);
    return undefined;
  }
  if (!given.isWellFormed()) {
    reading.problems.add(() => ({
      index,
      field: field as Shown,
      reason: "invalid_operation",
      message: say`The text holds half of a surrogate pair, which no file can hold. Send the whole character.`,
    }));
    return undefined;
  }
  return given;
}

function readEol(
  given: unknown,
  op: OperationName | undefined,
  index: number,
  reading: PatchReading,
): Eol | undefined {
  if (given === undefined) return undefined;
  if (op === "delete") {
    unusedField("eol", index, reading);
    return undefined;
  }
  if (given === "lf" || given === "crlf" || given === "none") return given;
  reading.problems.add(() => ({
    index,
    field: say`eol`,
    reason: "invalid_operation",
    message: say`${shown(given)} is not a line ending. Send "lf", "crlf" or "none", or leave it out.`,
  }));
  return undefined;
}

const HINTS: { readonly [K in "op" | "file" | "line"]: Shown } = {
  op: say`Send "replace", "insert" or "delete".`,
  file: say`Name the file, such as "src/a.txt".`,
  line: say`Send the number of the line in the original file, from 1.`,
};

function missing(
  field: Field,
  hint: Shown,
  index: number,
  unknown: readonly string[],
  reading: PatchReading,
): void {
  const meant = unknown.find((key) => reading.guess(key) === field);
  reading.problems.add(() => ({
    index,
    field: field as Shown,
    reason: "missing_field",
    message:
      meant === undefined
        ? say`is missing. ${hint}`
        : say`is missing; ${echo(meant)} is no field: rename it to "${field as Shown}". ${hint}`,
  }));
}

function wrongType(field: Field, given: unknown, index: number, reading: PatchReading): void {
  reading.problems.add(() => ({
    index,
    field: field as Shown,
    reason: "invalid_operation",
    message: say`${shown(given)} is not text. Send a string.`,
  }));
}

function unusedField(field: Field, index: number, reading: PatchReading): void {
  reading.warn({
    index,
    field: field as Shown,
    message: say`"${field as Shown}" is not used by this operation and was ignored.`,
  });
}

/** A misspelt `old` would drop the check it was meant to be. One that is named as a missing field's is not named again. */
function refuseUnknown(
  unknown: readonly string[],
  fields: Fields,
  index: number,
  reading: PatchReading,
): void {
  for (const key of unknown) {
    const guess = reading.guess(key);
    if (guess !== undefined && fields[guess] === undefined && isRequired(guess, fields.op)) continue;
    reading.problems.add(() => ({
      index,
      field: echo(key),
      reason: "invalid_operation",
      message: unknownField(key, guess),
    }));
  }
}

function isRequired(field: Field, op: unknown): boolean {
  return field === "file" || field === "line" || field === "op" || (field === "new" && op !== "delete");
}

/** What to do about a field that the format does not have. */
export function unknownField(key: string, guess: string | undefined): Shown {
  return guess === undefined
    ? say`${echo(key)} is not a field of the format. Leave it out.`
    : say`${echo(key)} is not a field of the format. Did you mean "${guess as Shown}"? Rename it, or leave it out.`;
}

function shown(value: unknown): Shown {
  if (typeof value === "string") return echo(value);
  if (typeof value === "number" || typeof value === "boolean")
    return echo(String(value)).slice(1, -1) as Shown;
  return Array.isArray(value) ? say`An array` : say`An object`;
}
