// Owns: the value of a request: checked, and kept as the text it came as.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import type { Json } from "../../value.ts";
import { memorySource } from "../scan/memory-source.ts";
import { openScanner } from "../scan/open.ts";
import { type JsonFault, validateJson } from "../read/validate.ts";
import { endNow } from "../scan/value.ts";

/** A value given as JSON text (literals are kept: `1.0`, `1e400`) or as plain data. Exactly one of the two. */
export interface GivenValue {
  readonly json?: string;
  readonly value?: Json;
}

/** The bytes of one valid JSON value, without blanks around it. */
export type ValueBytes = Uint8Array;

/** Throws `invalid_argument` / `invalid_value` unless the value is one whole JSON value. */
export function requested(given: GivenValue): ValueBytes {
  const text = given.json ?? dataText(given.value);
  if (typeof text !== "string" || (given.json !== undefined && given.value !== undefined))
    throw notAValue(say`Give the new value either as JSON text or as data, not both and not neither.`);
  if (/\p{Surrogate}/u.test(text))
    throw notAValue(say`The value holds half of a surrogate pair, which UTF-8 cannot. Write it as \\uXXXX.`);
  const source = memorySource(text);
  const bytes = new Uint8Array(source.size);
  source.read(0, bytes, 0, bytes.length);
  const validity = validateJson(source, { indexes: null });
  if (!validity.valid) throw invalidText(text, validity.fault);
  const scanner = openScanner(source, { indexes: null });
  const at = scanner.root();
  return bytes.subarray(at, endNow(scanner, at));
}

/** Data as JSON text. What JSON cannot say is refused, not turned into null. */
function dataText(value: Json | undefined): string | undefined {
  try {
    return JSON.stringify(value, (_key, part: unknown) => {
      if (typeof part === "bigint")
        throw notAValue(say`A BigInt is no plain data. Give the number as JSON text to keep its digits.`);
      if (typeof part === "number" && !Number.isFinite(part))
        throw notAValue(say`JSON has no ${echo(String(part))}. Use null, or a text.`);
      return part;
    });
  } catch (error) {
    if (HoldfastError.is(error)) throw error;
    throw notAValue(say`The value cannot be written as JSON: it refers to itself, or is nested too deep.`);
  }
}

function notAValue(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_value", message);
}

function invalidText(text: string, fault: JsonFault): HoldfastError {
  const { reason, line, column, offset, expected, found, hint, frame } = fault;
  const bare = reason === "bad_word" && /^\s*[A-Za-z_][^"{}[\]]*$/.test(text) && text.length < 200;
  const help =
    bare && hint?.startsWith("Put text in double quotes") === true
      ? say` A text needs quotes: ${echo(JSON.stringify(text.trim()))}.`
      : hint === undefined
        ? say``
        : say` ${hint}`;
  return new HoldfastError(
    "invalid_argument",
    "invalid_value",
    say`The value is not valid JSON at line ${line}, column ${column}: expected ${expected}, found ${found}.${help}`,
    { data: { reason: reason as Shown, line, column, offset, frame } },
  );
}
