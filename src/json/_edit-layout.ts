// Owns: a new value as text in the style of its surroundings. Tokens are moved, never reprinted: `1.0` stays `1.0`.

import { type Children, NONE, type Scanner } from "./_scanner.ts";
import { endNow, textAt } from "./_value.ts";
import type { Style } from "./_edit-style.ts";

/** A container's members on one line, or each on its own. */
export type Shape = "inline" | "lines";

/** Deeper values are put on one line: their indents alone would outgrow them. */
const LINES_DEPTH = 64;

interface Open {
  readonly children: Children;
  readonly object: boolean;
  readonly close: string;
}

/**
 * The value at `at` of `value`, laid out. `indent` is that of the line the value starts on; the first line gets none.
 */
export function layOut(value: Scanner, at: number, style: Style, shape: Shape, indent: string): string {
  if (shape === "lines") {
    const lines = write(value, at, style, "lines", indent);
    if (lines !== undefined) return lines;
  }
  return write(value, at, style, "inline", indent) ?? "";
}

/** Undefined when the value is too deep for lines. */
function write(value: Scanner, root: number, style: Style, shape: Shape, indent: string): string | undefined {
  const out: string[] = [];
  const open: Open[] = [];
  let at = root;
  for (;;) {
    const byte = value.byte(at);
    if (byte === 0x7b || byte === 0x5b) {
      const object = byte === 0x7b;
      open.push({ children: value.children(at), object, close: object ? "}" : "]" });
      if (shape === "lines" && open.length > LINES_DEPTH) return undefined;
      out.push(object ? "{" : "[");
    } else out.push(textAt(value, at, endNow(value, at)));
    // On to the next value, closing what is done.
    for (;;) {
      const top = open.at(-1);
      if (top === undefined) return out.join("");
      const { children, object, close } = top;
      at = children.next();
      const brk = `${style.eol}${indent}${style.unit.repeat(open.length - (at === NONE ? 1 : 0))}`;
      const pad = object ? style.pad : "";
      if (at === NONE) {
        open.pop();
        if (children.index >= 0) out.push(shape === "lines" ? brk : pad);
        out.push(close);
        continue;
      }
      if (shape === "lines") out.push(children.index > 0 ? "," : "", brk);
      else out.push(children.index > 0 ? style.comma : pad);
      if (object) out.push(textAt(value, children.keyStart, children.keyEnd), style.colon);
      break;
    }
  }
}
