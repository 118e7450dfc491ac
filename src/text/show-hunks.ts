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
  const hunks = list.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(withLf) }));
  return withoutLastBreak(escapeUnseen(renderHunks({ ...list, hunks })) + endingsChange(list));
}

/** The line with LF in place of CRLF. */
function withLf(line: HunkLine): HunkLine {
  const { bytes } = line;
  if (bytes.at(-1) !== LF || bytes.at(-2) !== CR) return line;
  const lf = bytes.slice(0, -1);
  lf[lf.length - 1] = LF;
  return { ...line, bytes: lf };
}

/** Lines that differ in their endings alone look the same, so the change is said. */
function endingsChange({ hunks }: HunkList): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const old = lines.filter(({ kind }) => kind === "-");
  const now = lines.filter(({ kind }) => kind === "+");
  const [was, is] = [endingsOf(old), endingsOf(now)];
  if (was !== "" && is !== "" && was !== is) return `\\ Line endings: ${was} before, ${is} after\n`;
  return is === "mixed" && haveTwins(old, now) ? "\\ Line endings: mixed, and changed in some lines\n" : "";
}

function endingsOf(lines: readonly HunkLine[]): string {
  const ended = lines.filter(({ bytes }) => bytes.at(-1) === LF);
  const crlf = ended.filter(({ bytes }) => bytes.at(-2) === CR).length;
  return ended.length === 0 ? "" : crlf === 0 ? "LF" : crlf === ended.length ? "CRLF" : "mixed";
}

/** Whether a removed line and an added one differ in their endings alone. */
function haveTwins(old: readonly HunkLine[], now: readonly HunkLine[]): boolean {
  // One character for each byte.
  const decoder = new TextDecoder("latin1");
  const text = ({ bytes }: HunkLine): string => decoder.decode(bytes);
  const added = new Set(now.map(text));
  return old.some((line) => {
    const own = text(line);
    return added.has(own.endsWith("\r\n") ? `${own.slice(0, -2)}\n` : `${own.slice(0, -1)}\r\n`);
  });
}

/** A text of lines without the break that ends the last one. Blanks and blank lines before it are part of the text. */
export function withoutLastBreak(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** Text in lines of ours: endings as LF, and no other character that could make a line or turn its direction. */
export function showLines(text: string): string {
  return escapeUnseen(text.replaceAll("\r\n", "\n"));
}

function escapeUnseen(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
