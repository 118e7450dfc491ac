// Owns: numbers whose digits are written in groups of three: `1,234,567.5`.

import { COMMA, DOT, isDigit, isKeyChar } from "./chars.ts";
import type { Source } from "./source.ts";

/**
 * The number that begins at `from` and goes on at the comma at `comma` in groups of three digits; undefined if it does
 * not. Only for places where a key must follow the comma: in an array `1,234` is two items.
 */
export function digitGroups(
  source: Source,
  from: number,
  comma: number,
): { readonly value: number; readonly end: number } | undefined {
  const { text } = source;
  const first = text.slice(from, comma);
  if (!/^[-+]?[1-9]\d{0,2}$/.test(first)) return undefined;
  let end = comma;
  while (text.charCodeAt(end) === COMMA && isGroup(text, end + 1)) end += 4;
  source.steps += end - from;
  if (end === comma) return undefined;
  if (text.charCodeAt(end) === DOT && isDigit(text.charCodeAt(end + 1))) {
    end += 2;
    while (isDigit(text.charCodeAt(end))) end++;
  }
  if (source.colonFollows(end)) return undefined;
  return { value: Number(text.slice(from, end).replaceAll(",", "")), end };
}

function isGroup(text: string, at: number): boolean {
  for (let i = at; i < at + 3; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return !isKeyChar(text.charCodeAt(at + 3));
}
