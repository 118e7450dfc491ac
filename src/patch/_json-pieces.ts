// Owns: parsing the JSON text of a large patch piece by piece, so that no step is long.
// Must never: accept what JSON.parse refuses, or return another value. In doubt the text is parsed as a whole.

import type { Steps } from "../text/steps.ts";

const PIECE = 1 << 16;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** White space of JSON only: what else counts as such in JavaScript is refused by JSON.parse. */
const BEGINNING = /^[ \t\r\n]*(\{[ \t\r\n]*"operations"[ \t\r\n]*:[ \t\r\n]*)?\[/;
const NOTHING = /^[ \t\r\n]*$/;

/** What JSON.parse returns for the text; throws what it throws. `piece`: characters that are parsed in one step. */
export function* parseJsonPieces(text: string, piece: number = PIECE): Steps<unknown> {
  const head = BEGINNING.exec(text.slice(0, 1_000));
  if (text.length <= piece || head === null) return JSON.parse(text);
  const found = yield* arrayAt(text, head[0].length, piece);
  if (found === undefined) return JSON.parse(text);
  const rest = text.slice(found.end);
  if (head[1] === undefined) return NOTHING.test(rest) ? found.items : JSON.parse(text);
  // The same key once more counts, however it is written.
  if (rest.includes('"operations"') || rest.includes(String.raw`\u`)) return JSON.parse(text);
  let envelope: object;
  try {
    envelope = JSON.parse(`{"operations":null${rest}`) as object;
  } catch {
    return JSON.parse(text);
  }
  return { ...envelope, operations: found.items };
}

interface FoundArray {
  readonly items: unknown[];
  /** After its closing bracket. */
  readonly end: number;
}

/** The array whose items begin at `start`; undefined if it is not one, or is better parsed as a whole. */
function* arrayAt(text: string, start: number, piece: number): Steps<FoundArray | undefined> {
  const items: unknown[] = [];
  let from = start;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = stringEnd(text, at);
    // [ and {
    else if (unit === 0x5b || unit === 0x7b) depth++;
    // ] and }
    else if (unit === 0x5d || unit === 0x7d) depth--;
    const isEnd = depth < 0;
    // A comma between two items, far enough from the last one.
    if (!isEnd && !(depth === 0 && unit === 0x2c && at - from >= piece)) continue;
    const part = text.slice(from, at);
    // An empty part is a comma too many, unless the array is empty.
    if (NOTHING.test(part) && (items.length > 0 || !isEnd)) return undefined;
    try {
      for (const item of JSON.parse(`[${part}]`) as unknown[]) items.push(item);
    } catch {
      return undefined;
    }
    if (isEnd) return unit === 0x5d ? { items, end: at + 1 } : undefined;
    from = at + 1;
    yield;
  }
  return undefined;
}

/** Where the string that begins at `at` has its closing quote; the end of the text if it has none. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
