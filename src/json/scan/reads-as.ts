// Owns: comparing a string literal in the bytes with a text, without decoding what need not be decoded.

import { decodeString, type Scanner } from "./scanner.ts";

/** Is the value at `at` the string `text`, whose unescaped bytes are `raw`? Nothing longer than needed is decoded. */
export function readsAs(scanner: Scanner, at: number, text: string, raw: Uint8Array): boolean {
  if (scanner.byte(at) !== 0x22) return false;
  for (let i = 0; i < raw.length; i++) {
    const byte = scanner.byte(at + 1 + i);
    if (byte === 0x5c) return readsEscapedAs(scanner, at, text);
    if (byte !== raw[i]) return false;
  }
  const next = scanner.byte(at + 1 + raw.length);
  return next === 0x22 || (next === 0x5c && readsEscapedAs(scanner, at, text));
}

function readsEscapedAs(scanner: Scanner, at: number, text: string): boolean {
  // No spelling of a UTF-16 unit is longer than six bytes.
  const most = at + 6 * text.length + 2;
  let end = at + 1;
  for (; end < most && scanner.byte(end) !== 0x22; end++) if (scanner.byte(end) === 0x5c) end++;
  return scanner.byte(end) === 0x22 && decodeString(scanner.bytes(at, end + 1)) === text;
}
