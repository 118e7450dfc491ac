// Owns: what counts as a thinking tag.

import { GREATER, isBlank, LESS, SLASH } from "./chars.ts";

const NAMES = ["thinking", "think", "reasoning"];
const ATTRIBUTE_REACH = 200;

export interface ThinkingTag {
  readonly opens: boolean;
  /** Behind the `>`. */
  readonly end: number;
}

/** The tag at `at`, which must be `<`: any case, attributes and blanks before the `>` allowed. */
export function readThinkingTag(text: string, at: number): ThinkingTag | undefined {
  const closes = text.charCodeAt(at + 1) === SLASH;
  const from = closes ? at + 2 : at + 1;
  const first = text.charCodeAt(from) | 0x20;
  if (first !== 0x74 && first !== 0x72) return undefined;
  for (const name of NAMES) {
    if (text.slice(from, from + name.length).toLowerCase() !== name) continue;
    let i = from + name.length;
    if (text.charCodeAt(i) === GREATER) return { opens: !closes, end: i + 1 };
    if (!isBlank(text.charCodeAt(i))) continue;
    const limit = Math.min(text.length, i + ATTRIBUTE_REACH);
    while (i < limit && text.charCodeAt(i) !== GREATER && text.charCodeAt(i) !== LESS) i++;
    return i < limit && text.charCodeAt(i) === GREATER ? { opens: !closes, end: i + 1 } : undefined;
  }
  return undefined;
}
