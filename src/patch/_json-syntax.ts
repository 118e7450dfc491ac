// Owns: where a text stops being JSON. Runs only after JSON.parse has refused the text.
// Must never: build values or recurse; nesting is a stack of one character per level.

import { lineIndex } from "../text/line-index.ts";

const encoder = new TextEncoder();

export interface SyntaxFault {
  /** Offset in UTF-16 units. */
  readonly at: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in code points. */
  readonly column: number;
  readonly expected: string;
}

type Want = "value" | "value or ]" | "key" | "key or }" | ":" | "comma" | "end";

/** The first place at which the text cannot go on to be JSON. The text is known not to be JSON. Cost: linear. */
export function findSyntaxFault(text: string): SyntaxFault {
  // `stack` holds the open containers; `want` what may come next.
  const stack: string[] = [];
  let want: Want = "value";
  let at = 0;
  const afterValue = (): Want => (stack.length === 0 ? "end" : "comma");
  for (;;) {
    while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++;
    const c = text.charAt(at);
    if (want === "end") return fault(text, at, "the end of the text");
    if (want === "comma") {
      const close = stack.at(-1) === "{" ? "}" : "]";
      if (c === close) {
        stack.pop();
        want = afterValue();
      } else if (c === ",") want = close === "}" ? "key" : "value";
      else return fault(text, at, `"," or "${close}"`);
      at++;
    } else if (want === ":") {
      if (c !== ":") return fault(text, at, '":"');
      want = "value";
      at++;
    } else if ((want === "value or ]" && c === "]") || (want === "key or }" && c === "}")) {
      stack.pop();
      want = afterValue();
      at++;
    } else if (want === "key" || want === "key or }") {
      if (c !== '"') return fault(text, at, want === "key" ? "a quoted key" : 'a quoted key or "}"');
      const end = stringEnd(text, at);
      if (end.bad) return fault(text, end.at, "the rest of a string");
      at = end.at;
      want = ":";
    } else if (c === "{" || c === "[") {
      stack.push(c);
      want = c === "{" ? "key or }" : "value or ]";
      at++;
    } else {
      const end = scalarEnd(text, at, c);
      if (end.bad) return fault(text, end.at, c === '"' ? "the rest of a string" : "a value");
      at = end.at;
      want = afterValue();
    }
  }
}

interface End {
  readonly at: number;
  readonly bad: boolean;
}

function scalarEnd(text: string, at: number, c: string): End {
  if (c === '"') return stringEnd(text, at);
  for (const word of ["true", "false", "null"])
    if (text.startsWith(word, at)) return { at: at + word.length, bad: false };
  return numberEnd(text, at);
}

function numberEnd(text: string, start: number): End {
  let at = text.charAt(start) === "-" ? start + 1 : start;
  const first = at;
  at = text.charAt(at) === "0" ? at + 1 : digitsEnd(text, at);
  if (at === first) return { at, bad: true };
  for (const mark of [".", "e"]) {
    if (text.charAt(at).toLowerCase() !== mark) continue;
    let digits = at + 1;
    if (mark === "e" && (text.charAt(digits) === "+" || text.charAt(digits) === "-")) digits++;
    at = digitsEnd(text, digits);
    if (at === digits) return { at, bad: true };
  }
  return { at, bad: false };
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++;
  return at;
}

function stringEnd(text: string, start: number): End {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return { at: at + 1, bad: false };
    if (unit < 0x20) return { at, bad: true };
    if (unit !== 0x5c) continue;
    const escape = text.charAt(at + 1);
    if (escape === "u" ? !/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) : !'"\\/bfnrt'.includes(escape))
      return { at, bad: true };
    if (escape === "") return { at: text.length, bad: true };
    at += escape === "u" ? 5 : 1;
  }
  return { at: text.length, bad: true };
}

function fault(text: string, at: number, expected: string): SyntaxFault {
  const bytes = encoder.encode(text);
  return { at, ...lineIndex(bytes).placeOf(encoder.encode(text.slice(0, at)).length), expected };
}
