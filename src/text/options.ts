// Owns: the names and kinds of options that a host gives: a misspelt one is an error with the nearest name, never ignored.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { nearest } from "./nearest.ts";

/** What the value of an option must be. */
export type OptionKind = "string" | "boolean" | "number" | "function" | "object" | "array" | "date" | "any";

type NamesOf<T> = T extends unknown ? keyof T : never;

/** All names of an options type with their kinds, checked by the compiler to be complete. */
export type OptionKinds<T> = Readonly<Record<NamesOf<T>, OptionKind>>;

/**
 * Throws `invalid_argument` / `unknown_option` for a name that is not one of `known`, and `bad_options` when `given` is no object
 * or a value is of another kind. An option that is undefined is absent.
 */
export function checkOptions<T>(what: Shown, given: T | undefined, known: OptionKinds<T>): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw badOptions(say`${what} must be an object`);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) throw unknownName(what, name, Object.keys(known));
    const kind = known[name as NamesOf<T>];
    if (value !== undefined && !isOf(kind, value))
      throw badOptions(say`${what}: ${name as Shown} must be ${KINDS[kind]}`);
  }
}

const KINDS: Readonly<Record<OptionKind, Shown>> = {
  string: say`a string`,
  boolean: say`true or false`,
  number: say`a whole number`,
  function: say`a function`,
  object: say`an object`,
  array: say`a list`,
  date: say`a Date`,
  any: say`there`,
};

function isOf(kind: OptionKind, value: unknown): boolean {
  switch (kind) {
    case "any":
      return value !== null;
    case "array":
      return Array.isArray(value);
    case "date":
      return value instanceof Date;
    case "number":
      return Number.isSafeInteger(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

/** Throws `invalid_argument` / `bad_options` when an object that a host gives lacks a method that will be called. */
export function checkMethods<T extends object>(
  what: Shown,
  given: T | undefined,
  names: readonly (keyof T & string)[],
): void {
  const lacking = given === undefined ? [] : names.filter((name) => typeof given[name] !== "function");
  if (lacking.length === 0) return;
  throw badOptions(
    say`${what} must have the ${lacking.length === 1 ? say`method` : say`methods`} ${sayAll(lacking as unknown as readonly Shown[])}`,
  );
}

export function badOptions(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_options", say`${message}.`);
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
    say`${what}: unknown name ${echo(String(name))}. ${hint}`,
  );
}
