// Owns: the value of a request: checked, and kept as the text it came as.

import { echo, HoldfastError, say } from "../errors.ts";
import type { Json } from "../value.ts";
import { memorySource } from "./memory-source.ts";
import { openScanner } from "./open.ts";
import { NONE, type Scanner } from "./scanner.ts";
import { endNow, textAt } from "./_value.ts";

/** A value given as JSON text (literals are kept: `1.0`, `1e400`) or as plain data. Exactly one of the two. */
export interface GivenValue {
  readonly json?: string;
  readonly value?: Json;
}

/** The bytes of one valid JSON value, without blanks around it. */
export type Literal = Uint8Array;

/** Throws `invalid_argument` / `invalid_value` unless the value is one whole JSON value. */
export function requested(given: GivenValue): Literal {
  const text = given.json ?? (given.value === undefined ? undefined : JSON.stringify(given.value));
  if (text === undefined || (given.json !== undefined && given.value !== undefined))
    throw new HoldfastError(
      "invalid_argument",
      "invalid_value",
      say`Give the new value either as JSON text or as data, not both and not neither.`,
    );
  const bytes = new TextEncoder().encode(text);
  const scanner = openScanner(memorySource(bytes), { indexes: null });
  const fault = scanner.validate("strict");
  if (fault !== NONE) throw invalidValue(text, scanner, fault);
  const at = scanner.root();
  return bytes.subarray(at, endNow(scanner, at));
}

function invalidValue(text: string, scanner: Scanner, fault: number): HoldfastError {
  const column = textAt(scanner, 0, fault).length + 1;
  const bare = /^\s*[A-Za-z_][^"{}[\]]*$/.test(text) && text.length < 200;
  const hint = bare ? say` A text needs quotes: ${echo(JSON.stringify(text.trim()))}.` : say``;
  return new HoldfastError(
    "invalid_argument",
    "invalid_value",
    say`The value is not valid JSON: column ${column} of ${echo(text)}.${hint}`,
    { data: { column, offset: fault } },
  );
}
