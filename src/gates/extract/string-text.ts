// Owns: what a quoted string says: its escapes, and what of it JSON would not have accepted.

import { BACKSLASH, closesQuote, isEscape, isHex4, QUOTE } from "./chars.ts";
import type { RepairLog } from "./repairs.ts";
import type { Source } from "./source.ts";

/**
 * What the string between `from` and `to` says, escapes read. Lists what JSON would not have accepted. `closed` is false
 * where the text broke off inside the string: then half an escape at its end is dropped.
 */
export function stringText(
  source: Source,
  from: number,
  to: number,
  opener: number,
  closed: boolean,
  repairs: RepairLog,
): string {
  const { text } = source;
  let out = "";
  let copied = from;
  let control = false;
  let i = from;
  for (; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20) control = true;
    if (c !== BACKSLASH) continue;
    const escape = i + 1 < to ? text.charCodeAt(i + 1) : -1;
    if (escape === 0x75 && i + 6 <= to && isHex4(text, i + 2)) {
      out += text.slice(copied, i) + String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 6), 16));
      i += 5;
    } else if (isEscape(escape)) {
      out += text.slice(copied, i) + (unescapeChar(escape) ?? "");
      i++;
    } else if (escape >= 0 && opener !== QUOTE && closesQuote(opener, escape)) {
      out += text.slice(copied, i) + text.charAt(i + 1);
      i++;
    } else if (!closed && i + 6 > to && (escape < 0 || escape === 0x75)) {
      // A half escape where the text broke off.
      out += text.slice(copied, i);
      copied = to;
      break;
    } else {
      repairs.add("escape", i);
      continue;
    }
    copied = i + 1;
  }
  source.steps += to - from;
  if (control) repairs.add("control_character", from);
  return copied === from ? text.slice(from, to) : out + text.slice(copied, to);
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [QUOTE, '"'],
  [BACKSLASH, "\\"],
  [0x2f, "/"],
  [0x62, "\b"],
  [0x66, "\f"],
  [0x6e, "\n"],
  [0x72, "\r"],
  [0x74, "\t"],
]);

/** What a backslash and `c` mean; undefined if JSON does not know that escape. */
export function unescapeChar(c: number): string | undefined {
  return ESCAPES.get(c);
}
