// Owns: showing a part of a document in few characters, without reading the rest of it.

import type { Scanner } from "./scanner.ts";
import { textAt } from "./_value.ts";

/** The text from `start` to `end`, cut to `max` characters with `...` behind. */
export function cutText(scanner: Scanner, start: number, end: number, max: number): string {
  const whole = end - start <= max;
  const text = textAt(scanner, start, whole ? end : Math.min(end, start + 4 * max));
  if (text.length <= max && (whole || start + 4 * max >= end)) return text;
  return `${safeSlice(text, max)}...`;
}

/** The first `max` UTF-16 units, without half a surrogate pair or a broken last character. */
export function safeSlice(text: string, max: number): string {
  const unit = text.charCodeAt(max - 1);
  const part = text.slice(0, unit >= 0xd800 && unit < 0xdc00 ? max - 1 : max);
  return part.replace(/\ufffd{1,3}$/, "");
}
