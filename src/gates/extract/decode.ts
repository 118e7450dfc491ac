// Owns: texts in which the JSON as a whole was encoded once more.

import { holdsJson } from "./finder.ts";

/** The text with its JSON escapes read, if it looks like JSON whose quotes were all escaped. */
export function unescaped(text: string): string | undefined {
  if (!text.includes('\\"') || !text.includes("{")) return undefined;
  let out = "";
  let copied = 0;
  for (let i = text.indexOf("\\"); i >= 0; i = text.indexOf("\\", i)) {
    const plain = ESCAPES.get(text.charAt(i + 1));
    if (plain !== undefined) {
      out += text.slice(copied, i) + plain;
      copied = i + 2;
    }
    i += 2;
  }
  out += text.slice(copied);
  return holdsJson(out.slice(out.indexOf("{"))) ? out : undefined;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
