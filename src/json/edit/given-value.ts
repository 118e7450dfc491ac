// Owns: the value of a request: checked, and held as the text it came as.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { isPlainObject } from "../../text/plain-object.ts";
import type { Json } from "../../value.ts";
import { memorySource } from "../scan/memory-source.ts";
import { isNameable } from "../path/normalized.ts";
import { decodeString } from "../scan/scanner.ts";
import { tokens } from "./tokens.ts";
import { openScanner } from "../scan/open.ts";
import { type JsonFault, validateJson } from "../read/validate.ts";
import { endNow } from "../scan/value.ts";

/** A value given as JSON text (literals are kept: `1.0`, `1e400`) or as plain data. Exactly one of the two. */
export interface GivenValue {
  /** The value as JSON text, inserted as it is once it was proven to be JSON. */
  readonly json?: string;
  /** The value as data, written in the document's layout. */
  readonly value?: Json;
}

/** The bytes of one valid JSON value, without blanks around it. */
export type ValueBytes = Uint8Array;

/** Throws `invalid_argument` / `invalid_value` unless the value is one whole JSON value. */
export function requested(given: GivenValue): ValueBytes {
  const text = given.json ?? dataText(given.value);
  if (typeof text !== "string" || (given.json !== undefined && given.value !== undefined))
    throw notAValue(say`Give the new value either as JSON text or as data, not both and not neither.`);
  if (!text.isWellFormed())
    throw notAValue(say`The value holds half of a surrogate pair, which UTF-8 cannot. Write it as \\uXXXX.`);
  const source = memorySource(text);
  const bytes = new Uint8Array(source.size);
  source.read(0, bytes, 0, bytes.length);
  const validity = validateJson(source, { indexes: null });
  if (!validity.valid) throw invalidText(text, validity.fault);
  if (/\\u[dD][89a-fA-F]/.test(text) && hasUnnamedKey(bytes))
    throw notAValue(say`The value has a key with half of a surrogate pair: no path could name it.`);
  const scanner = openScanner(source, { indexes: null });
  const at = scanner.root();
  return bytes.subarray(at, endNow(scanner, at));
}

/** Is there a key with half of a surrogate pair, at any depth? */
function hasUnnamedKey(bytes: Uint8Array): boolean {
  let text = "";
  for (const { from, to } of tokens(bytes)) {
    if (bytes[from] === 0x3a && !isNameable(text)) return true;
    text = bytes[from] === 0x22 ? decodeString(bytes.subarray(from, to)) : "";
  }
  return false;
}

/** Levels of plain data: what is deeper most likely refers to itself. As JSON text it may be. */
const DEEPEST = 5_000;

/** Data as JSON text, without recursion. What JSON cannot say is refused, not replaced or left out. */
function dataText(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  const out: string[] = [];
  // What is still to be written, the next last: values, and the texts between them.
  const waiting: (readonly [text: string] | { readonly value: unknown; readonly depth: number })[] = [
    { value, depth: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!("value" in next)) {
      out.push(next[0]);
      continue;
    }
    const { value: part, depth } = next;
    if (typeof part !== "object" || part === null) {
      out.push(scalarText(part));
      continue;
    }
    if (depth > DEEPEST)
      throw notAValue(say`The value cannot be written as JSON: it refers to itself, or is nested too deep.`);
    const items = Array.isArray(part);
    if (!items && !isPlainObject(part))
      throw notAValue(
        say`${echo(part.constructor?.name ?? "This")} is no plain data. Give an object, array or scalar.`,
      );
    const keys = items ? part.keys() : Object.keys(part);
    const inside: typeof waiting = [];
    for (const key of keys) {
      const lead = `${inside.length === 0 ? "" : ","}${items ? "" : `${JSON.stringify(key)}:`}`;
      inside.push([lead], { value: (part as Record<string | number, unknown>)[key], depth: depth + 1 });
    }
    out.push(items ? "[" : "{");
    waiting.push([items ? "]" : "}"]);
    for (let i = inside.length - 1; i >= 0; i--) waiting.push(inside[i] ?? [""]);
  }
  return out.join("");
}

function scalarText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "boolean":
      return String(value);
    case "number":
      if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
      throw notAValue(say`JSON has no ${echo(String(value))}. Use null, or a text.`);
    case "bigint":
      throw notAValue(say`A BigInt is no plain data. Give the number as JSON text to keep its digits.`);
    case "object":
      return "null";
    default:
      throw notAValue(say`JSON has no ${echo(typeof value)}. Use null, or leave the key out.`);
  }
}

function notAValue(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "invalid_value", message);
}

function invalidText(text: string, fault: JsonFault): HoldfastError {
  const { reason, line, column, offset, expected, found, hint, frame } = fault;
  const bare = reason === "bad_word" && /^\s*[A-Za-z_][^"{}[\]]*$/.test(text) && text.length < 200;
  const help =
    // The document may have comments, what is put into it has none.
    reason === "comment"
      ? say` A value has no comments: remove it.`
      : bare && hint?.startsWith("Put text in double quotes") === true
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
