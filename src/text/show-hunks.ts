// Owns: hunks as lines of a text of ours: what a file holds adds no line to it.

import type { HunkLine, HunkList } from "./hunk.ts";
import { CR, LF } from "./lines.ts";
import { renderHunks } from "./render-hunks.ts";

/**
 * The hunks as {@link renderHunks} writes them, without the last line break. Every line is one line: endings are shown as LF, and
 * other characters that break, hide or turn a line as escapes; where the new lines end otherwise than the old ones, a last line
 * says so. To read, not to apply.
 */
export function showHunks(list: HunkList): string {
  return withoutLastBreak(showLines(renderHunks(list)) + endingsChange(list));
}

/** Lines that differ in their endings alone look the same, so the change is said. */
function endingsChange({ hunks }: HunkList): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const old = endingsOf(lines.filter(({ kind }) => kind === "-"));
  const now = endingsOf(lines.filter(({ kind }) => kind === "+"));
  return old === "" || now === "" || old === now ? "" : `\\ Line endings: ${old} before, ${now} after\n`;
}

function endingsOf(lines: readonly HunkLine[]): string {
  const ended = lines.filter(({ bytes }) => bytes.at(-1) === LF);
  const crlf = ended.filter(({ bytes }) => bytes.at(-2) === CR).length;
  return ended.length === 0 ? "" : crlf === 0 ? "LF" : crlf === ended.length ? "CRLF" : "mixed";
}

/** A text of lines without the break that ends the last one. Blanks and blank lines before it are part of the text. */
export function withoutLastBreak(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** Text in lines of ours: endings as LF, and no other character that could make a line or turn its direction. */
export function showLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
