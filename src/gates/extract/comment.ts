// Owns: where a comment ends.

import { HASH, SLASH, STAR } from "./chars.ts";

/** Behind the block comment, before the line break, or at the end of the text; -1 if no comment stands at `at`. */
export function commentEnd(text: string, at: number): number {
  const c = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  if (c === HASH || (c === SLASH && next === SLASH)) {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  if (c !== SLASH || next !== STAR) return -1;
  const end = text.indexOf("*/", at + 2);
  return end < 0 ? text.length : end + 2;
}
