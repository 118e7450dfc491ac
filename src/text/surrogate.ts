// Owns: the halves of UTF-16 pairs, so that no text is cut between them.

/** Is the unit the first half of a pair? */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Is the unit the second half of a pair? False for the NaN beyond the end of a text. */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** The first `length` UTF-16 units of a text; one less where a pair would be cut. */
export function wholeCharacters(text: string, length: number): string {
  return text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
}
