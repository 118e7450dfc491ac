// Owns: a new value as text in the style of its surroundings. Tokens are moved, never reprinted: `1.0` stays `1.0`.

import type { Style } from "./style.ts";
import { isClose, skipBlanks, tokens } from "./tokens.ts";
import type { ValueBytes } from "./given-value.ts";

/** A container's members on one line, or each on its own. */
export type Shape = "inline" | "lines";

/** Deeper values are put on one line: their indents alone would outgrow them. */
const LINES_DEPTH = 64;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A value laid out. `indent` is that of the line the value starts on; the first
 * line gets none. One pass over its tokens, however deep it is.
 */
export function layOut(value: ValueBytes, style: Style, shape: Shape, indent: string): string {
  const lines = shape === "lines" ? write(value, style, true, indent) : undefined;
  return lines ?? write(value, style, false, indent) ?? "";
}

/** Undefined when the value is too deep for lines. */
function write(bytes: Uint8Array, style: Style, lines: boolean, indent: string): string | undefined {
  const out: string[] = [];
  // For each open container: what is inside its brackets when it is on one line.
  const pads: string[] = [];
  const lineBreak = (): string => `${style.eol}${indent}${style.unit.repeat(pads.length)}`;
  const comma = (): string => {
    if (!lines) return style.comma;
    if (style.commaFirst === false) return `,${lineBreak()}`;
    // The comma is put so far to the left that members are below one another.
    const mark = `,${style.commaFirst}`;
    const line = lineBreak();
    return `${line.length - style.eol.length < mark.length ? line : line.slice(0, -mark.length)}${mark}`;
  };
  const colon = (next: number): string =>
    lines && style.bracketColon !== "" && isFilled(bytes, next)
      ? `${style.bracketColon}${lineBreak()}`
      : style.colon;
  for (const { from, to } of tokens(bytes)) {
    const byte = bytes[from];
    if (byte === 0x7b || byte === 0x5b) {
      const empty = !isFilled(bytes, from);
      out.push(byte === 0x7b ? "{" : "[");
      pads.push(empty ? "" : byte === 0x7b ? style.pad : style.arrayPad);
      if (lines && pads.length > LINES_DEPTH) return undefined;
      if (!empty) out.push(lines ? lineBreak() : (pads.at(-1) ?? ""));
    } else if (isClose(byte)) {
      const pad = pads.pop() ?? "";
      const last = out.at(-1);
      const empty = last === "{" || last === "[";
      if (!empty) out.push(lines ? lineBreak() : pad);
      out.push(byte === 0x7d ? "}" : "]");
    } else if (byte === 0x2c) out.push(comma());
    else if (byte === 0x3a) out.push(colon(skipBlanks(bytes, to)));
    else out.push(decoder.decode(bytes.subarray(from, to)));
  }
  return out.join("");
}

/** Is there a container at `at` that has members? */
export function isFilled(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  return (byte === 0x7b || byte === 0x5b) && !isClose(bytes[skipBlanks(bytes, at + 1)]);
}
