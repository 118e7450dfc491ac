// Owns: texts in which the JSON as a whole was encoded once more: with its quotes escaped, as in a string or in HTML.

import { holdsJson } from "./whole-value.ts";
import type { RepairKind } from "./repairs.ts";

export interface Decoded {
  readonly text: string;
  readonly repair: RepairKind;
}

const BACKSLASHED: ReadonlyMap<string, string> = new Map([
  ['\\"', '"'],
  ["\\\\", "\\"],
  ["\\/", "/"],
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
]);
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&quot;", '"'],
  ["&#34;", '"'],
  ["&#x22;", '"'],
  ["&apos;", "'"],
  ["&#39;", "'"],
  ["&#x27;", "'"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&amp;", "&"],
]);

/** The text with its escapes read, if all quotes of the JSON in it seem to be escaped: the first one tells. */
export function decodeEscapes(text: string): Decoded | undefined {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  if (text[text.indexOf('"', start) - 1] === "\\") {
    const decoded = replace(text, "\\", BACKSLASHED);
    if (holdsJson(decoded.slice(decoded.indexOf("{")))) return { text: decoded, repair: "double_encoded" };
  }
  if (!text.includes("&quot;") && !text.includes("&#34;") && !text.includes("&#x22;")) return undefined;
  return { text: replace(text, "&", ENTITIES), repair: "html_escapes" };
}

/** Each escape that begins with `mark` replaced by what it says. One pass; what was replaced is not read again. */
function replace(text: string, mark: string, escapes: ReadonlyMap<string, string>): string {
  const lengths = [...new Set([...escapes.keys()].map((escape) => escape.length))];
  let out = "";
  let copied = 0;
  for (let i = text.indexOf(mark); i >= 0; i = text.indexOf(mark, i)) {
    const length = lengths.find((size) => escapes.has(text.slice(i, i + size)));
    if (length === undefined) {
      // A backslash takes the next character with it, also one that it does not escape.
      i += mark === "\\" ? 2 : 1;
      continue;
    }
    out += text.slice(copied, i) + (escapes.get(text.slice(i, i + length)) ?? "");
    i += length;
    copied = i;
  }
  return out + text.slice(copied);
}
