// Owns: the names of options that a host gives: a misspelt one is an error with the nearest name, never ignored.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { nearest } from "../text/index.ts";

/** All names of an options type, checked by the compiler to be complete. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>;

/** Throws `invalid_argument` / `unknown_option` for a name that is not one of `known`, or when `given` is no object. */
export function checkOptions<T>(what: Shown, given: T | undefined, known: OptionNames<T>): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null)
    throw new HoldfastError("invalid_argument", "bad_options", say`${what} must be an object.`);
  for (const name of Object.keys(given))
    if (!Object.hasOwn(known, name)) throw unknownName(what, name, Object.keys(known));
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
