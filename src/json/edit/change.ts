// Owns: what one edit did: its place and the range of bytes it changed.

import { type Splice, spliceDelta } from "../../text/splice.ts";
import type { JsonPathStep } from "../path/ast.ts";
import type { Scanner } from "../scan/scanner.ts";
import type { JsonEditReport } from "./edit.ts";

/** Bytes of a value that a report shows. */
export const SHOWN = 200;

/** The place of a change and what is said about it. */
export type JsonChange = Omit<JsonEditReport, "op" | "path" | "changed"> & {
  readonly path: readonly JsonPathStep[];
};

/** Are these bytes there already? */
export function isThere(scanner: Scanner, start: number, end: number, bytes: Uint8Array): boolean {
  return bytes.length === end - start && scanner.bytes(start, end).every((byte, i) => byte === bytes[i]);
}

/** From the first changed byte to the last. */
export function rangeOf(splices: readonly Splice[]): { at: number; removed: number; inserted: number } {
  const at = splices[0]?.at ?? 0;
  const last = splices.at(-1);
  const to = last === undefined ? at : last.at + last.remove;
  return { at, removed: to - at, inserted: to - at + spliceDelta(splices) };
}

/** One range over two changes made one after the other; `b` is in the bytes that `a` left. */
export function joinedChange(a: JsonChange, b: JsonChange): JsonChange {
  const grown = a.inserted - a.removed;
  const aEnd = a.at + a.inserted;
  const bEnd = b.at + b.removed;
  const at = Math.min(a.at, b.at);
  const middleEnd = Math.max(aEnd, bEnd);
  return {
    ...a,
    at,
    removed: middleEnd - grown - at,
    inserted: middleEnd + b.inserted - b.removed - at,
    line: Math.min(a.line, b.line),
    valueBytes: a.valueBytes + b.valueBytes,
  };
}
