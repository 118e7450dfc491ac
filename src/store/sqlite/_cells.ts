// Owns: how values get from columns to us without trusting the file. A flipped bit can make a value's text any bytes, and its
// type another one than its column's: each `sql*` function is an expression that returns one type whatever is stored, and each
// `*In` function checks what came of it.
// Must never: let a column's own text cross into JavaScript. One library aborts the process when it is not UTF-8, the other
// replaces what it cannot read. Bytes are decoded here.

import { isUtf8 } from "node:buffer";
import type { SqlCell } from "./_driver.ts";
import { Refused } from "./_failure.ts";

/** The hexadecimal digits of a column of raw bytes. */
export const sqlHash = (column: string): string => `lower(hex(${column}))`;

export const sqlWhole = (column: string): string => `CAST(${column} AS INTEGER)`;

export const sqlBytes = (column: string): string => `CAST(${column} AS BLOB)`;

/** Columns of text (or numbers) as one cell, for {@link textsIn}: NUL between them, which none of them holds. */
export const sqlTexts = (...columns: readonly string[]): string =>
  sqlBytes(columns.map((column) => `(${column})`).join(" || char(0) || "));

/** A column for {@link sqlTexts} that may be null; {@link textOrNull} reads it. */
export const sqlTextOrNull = (column: string): string => `coalesce('=' || ${column}, '')`;

export function unhex(digits: string): Uint8Array {
  return Buffer.from(digits, "hex");
}

export function bytesIn(cell: SqlCell | undefined): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  throw damagedCell("no bytes where there were some");
}

export function textIn(cell: SqlCell | undefined): string {
  const bytes = bytesIn(cell);
  if (!isUtf8(bytes)) throw damagedCell("text that is not UTF-8");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Exactly so many texts. */
export function textsIn(cell: SqlCell | undefined, count: number): string[] {
  const texts = textIn(cell).split("\0");
  if (texts.length !== count) throw damagedCell(`${texts.length} columns of ${count}`);
  return texts;
}

export function textOrNull(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text.slice(1);
}

export function wholeIn(cell: SqlCell | undefined): number {
  const found = typeof cell === "string" ? Number(cell) : cell;
  if (typeof found === "number" && Number.isSafeInteger(found)) return found;
  throw damagedCell("a number that is none");
}

/** The number by which rows are ordered, of the last row of a window. A damaged index can give rows again that came before, without an end. */
export function nextPlaceIn(cell: SqlCell | undefined, place: number): number {
  const next = wholeIn(cell);
  if (next > place) return next;
  throw damagedCell("rows that are out of order");
}

export function dateIn(cell: SqlCell | undefined): Date {
  const date = new Date(wholeIn(cell));
  if (Number.isNaN(date.getTime())) throw damagedCell("a time that is none");
  return date;
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedCell(String(error));
  }
}

/** A JSON array of text. */
export function listIn(text: string): string[] {
  const list = jsonIn(text);
  if (Array.isArray(list)) return list as string[];
  throw damagedCell("no list where there was one");
}

export function damagedCell(detail: string): Refused {
  return new Refused("damaged", detail);
}
