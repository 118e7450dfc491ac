// Owns: the names and kinds of options that a host gives: a misspelt one is an error with the nearest name, never ignored.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { nearest } from "./nearest.ts";
import { isPlainObject } from "./plain-object.ts";

/** What the value of an option must be. */
export type OptionKind =
  | "string"
  | "boolean"
  | "number"
  | "function"
  | "object"
  | "methods"
  | "array"
  | "strings"
  | "numbers"
  | "records"
  | "position"
  | "date"
  | "signal"
  | "bytes"
  | "source"
  | "any";

type NamesOf<T> = T extends unknown ? keyof T : never;

/** All names of an options type with their kinds, checked by the compiler to be complete. */
export type OptionKinds<T> = Readonly<Record<NamesOf<T>, OptionKind>>;

/**
 * Throws `invalid_argument` / `unknown_option` for a name that is not one of `known`, and `bad_options` when `given` is no plain
 * object or a value is of another kind: what a class or a prototype says of itself is no option. One that is undefined is absent.
 */
export function checkOptions<T>(what: Shown, given: T | undefined, known: OptionKinds<T>): void {
  if (given === undefined) return;
  for (const [name, value] of entriesOf(what, given, known)) {
    if (!Object.hasOwn(known, name)) throw unknownName(what, name, Object.keys(known));
    const kind = known[name as NamesOf<T>];
    if (value !== undefined && !isOfKind(kind, value))
      throw badOptions(say`${what}: ${name as Shown} must be ${KINDS[kind]}`);
  }
}

/** All names of an options type, checked by the compiler to be complete; a list names the words that the option may be. */
export type OptionNames<T> = Readonly<Record<NamesOf<T>, true | readonly string[]>>;

/**
 * Throws `invalid_argument` / `unknown_option` for a name that is not one of `known`, or a word that is none of its list, and
 * `bad_options` when `given` is no plain object. For functions that are called often: an absent `given` costs nothing.
 */
export function checkOptionNames<T extends object>(
  what: Shown,
  given: T | undefined,
  known: OptionNames<T>,
): void {
  if (given !== undefined) checkFieldNames(what, given, known);
}

/** The same for an argument that must be there. */
export function checkFieldNames<T extends object>(what: Shown, given: T, known: OptionNames<T>): void {
  for (const [name, value] of entriesOf(what, given, known)) {
    if (!Object.hasOwn(known, name)) throw unknownName(what, name, Object.keys(known));
    const words = known[name as NamesOf<T>];
    if (words !== true && value !== undefined && !words.includes(value as string))
      throw unknownName(say`${what}: ${name as Shown}`, value, words);
  }
}

/** The fields of a plain object. Reading an object of the host may run code of its own, also for a field that it does not list. */
function entriesOf(what: Shown, given: unknown, known: object): [string, unknown][] {
  try {
    if (isPlainObject(given)) {
      for (const name in known) void (given as Record<string, unknown>)[name];
      return Object.entries(given as object);
    }
  } catch (cause) {
    throw badOptions(say`${what} cannot be read: send a plain object`, cause);
  }
  throw badOptions(say`${what} must be a plain object, such as {}, and not ${kindOf(given)}`);
}

/** What a value is, in words, without running code of its own. */
function kindOf(value: unknown): Shown {
  if (value === null) return say`null`;
  if (Array.isArray(value)) return say`a list`;
  if (typeof value === "object") return say`one with a prototype of its own, as an instance of a class has`;
  return value === undefined ? say`undefined` : say`a ${typeof value as Shown}`;
}

const KINDS: Readonly<Record<OptionKind, Shown>> = {
  string: say`a string`,
  boolean: say`true or false`,
  number: say`a whole number from 0 on`,
  function: say`a function`,
  object: say`a plain object`,
  methods: say`an object with methods`,
  array: say`a list`,
  strings: say`a list of strings`,
  numbers: say`a list of whole numbers from 0 on`,
  records: say`the number of a record, or a list of such numbers`,
  position: say`the number of a record, a token, the id of a snapshot, or a position`,
  date: say`a Date that is a time`,
  signal: say`an AbortSignal`,
  bytes: say`bytes, as a Uint8Array`,
  source: say`a ByteSource, as bytesSource makes one of bytes`,
  any: say`there`,
};

/** Whether a value is of a kind. What cannot be read, such as a proxy that throws, is of none. */
export function isOfKind(kind: OptionKind, value: unknown): boolean {
  try {
    return isReadAs(kind, value);
  } catch {
    return false;
  }
}

function isReadAs(kind: OptionKind, value: unknown): boolean {
  switch (kind) {
    case "any":
      return value !== null;
    case "array":
      return Array.isArray(value);
    case "strings":
      return Array.isArray(value) && value.every((item) => isOfKind("string", item));
    case "numbers":
      return Array.isArray(value) && value.every((item) => isOfKind("number", item));
    case "records":
      return isOfKind("number", value) || isOfKind("numbers", value);
    case "position":
      return typeof value === "number" || isOfKind("string", value) || isPosition(value);
    case "date":
      return value instanceof Date && !Number.isNaN(value.getTime());
    case "signal":
      // One of another realm will do, too.
      return (
        typeof value === "object" && value !== null && typeof (value as AbortSignal).aborted === "boolean"
      );
    case "bytes":
      return value instanceof Uint8Array;
    case "source":
      return isSource(value);
    case "number":
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case "object":
      return isPlainObject(value) && Object.keys(value as object).length >= 0;
    case "methods":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

function isSource(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { size, read } = value as { readonly size?: unknown; readonly read?: unknown };
  return isOfKind("number", size) && typeof read === "function";
}

export function isPosition(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { seq, hash } = value as { readonly seq?: unknown; readonly hash?: unknown };
  return isOfKind("number", seq) && isOfKind("string", hash);
}

/** Throws `invalid_argument` / `bad_options` when one argument of a method is of another kind. */
export function checkArgument(what: Shown, given: unknown, kind: OptionKind): void {
  if (!isOfKind(kind, given)) throw badOptions(say`${what} must be ${KINDS[kind]}`);
}

/** Throws `invalid_argument` / `bad_options` when an object that a host gives lacks a method that will be called. */
export function checkMethods<T extends object>(
  what: Shown,
  given: T | undefined,
  names: readonly (keyof T & string)[],
): void {
  const lacking = given === undefined ? [] : names.filter((name) => !hasMethod(given, name));
  if (lacking.length === 0) return;
  throw badOptions(
    say`${what} must have the ${lacking.length === 1 ? say`method` : say`methods`} ${sayAll(lacking as unknown as readonly Shown[])}`,
  );
}

function hasMethod<T extends object>(given: T | null, name: keyof T): boolean {
  try {
    return typeof given?.[name] === "function";
  } catch {
    return false;
  }
}

export function badOptions(message: Shown, cause?: unknown): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_options",
    say`${message}.`,
    cause === undefined ? {} : { cause },
  );
}

/** Throws `invalid_argument` / `unknown_option` for a name in a list that is not one of `known`. */
export function checkNames(what: Shown, given: readonly string[], known: readonly string[]): void {
  for (const name of given) if (!known.includes(name)) throw unknownName(what, name, known);
}

function unknownName(what: Shown, name: unknown, known: readonly string[]): HoldfastError {
  const close = typeof name === "string" ? nearest(name, known) : undefined;
  const hint =
    close === undefined
      ? say`Known: ${sayAll(known as readonly Shown[])}.`
      : say`Did you mean ${close as Shown}?`;
  return new HoldfastError(
    "invalid_argument",
    "unknown_option",
    typeof name === "string"
      ? say`${what}: unknown name ${echo(name)}. ${hint}`
      : say`${what}: a name must be a string. ${hint}`,
  );
}
