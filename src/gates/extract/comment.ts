// Owns: where a comment begins and ends.

import { HASH, SLASH, STAR } from "./chars.ts";

/** After the block comment, before the line break, or at the end of the text; -1 if there is no comment at `at`. */
export function commentEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== HASH && !isComment(text, at)) return -1;
  if (text.charCodeAt(at + 1) !== STAR || text.charCodeAt(at) === HASH) {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  const end = text.indexOf("*/", at + 2);
  return end < 0 ? text.length : end + 2;
}

/** Whether `//` or the beginning of a block comment is at `at`. */
export function isComment(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== SLASH) return false;
  const c = text.charCodeAt(at + 1);
  return c === SLASH || c === STAR;
}
