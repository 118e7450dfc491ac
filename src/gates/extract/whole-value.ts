// Owns: a scalar, or a string that holds JSON, that is all there is between two places.

import type { Json } from "../../value.ts";
import { BRACE_OPEN, BRACKET_OPEN, isBlank, isDigit, isLetter, MINUS, QUOTE } from "./chars.ts";
import type { Source } from "./source.ts";

/** Its place if it is all there is from `from` to `to`: any scalar if `any` is wanted, otherwise only a string that holds JSON. */
export function wholeValue(
  source: Source,
  from: number,
  to: number,
  any: boolean,
): { readonly start: number; readonly end: number } | undefined {
  const { text } = source;
  let start = from;
  while (start < to && isBlank(text.charCodeAt(start))) start++;
  source.steps += start - from;
  const c = text.charCodeAt(start);
  if (start >= to || !(c === QUOTE || (any && (c === MINUS || isDigit(c) || isLetter(c))))) return undefined;
  let end = to;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  let value: Json;
  try {
    value = JSON.parse(text.slice(start, end)) as Json;
  } catch {
    return undefined;
  }
  source.steps += end - start;
  return any || (typeof value === "string" && holdsJson(value)) ? { start, end } : undefined;
}

/** Whether a decoded string may hold JSON itself. */
export function holdsJson(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!isBlank(c)) return c === BRACE_OPEN || c === BRACKET_OPEN || c === QUOTE;
  }
  return false;
}
