// Owns: the tokens of strict JSON text: brackets, commas, colons, strings and words, without the blanks between them.

export function isClose(byte: number | undefined): boolean {
  return byte === 0x7d || byte === 0x5d;
}

export function skipBlanks(bytes: Uint8Array, from: number): number {
  let i = from;
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i++;
  return i;
}

/** The tokens of valid strict JSON: brackets, commas, colons, strings and words, without the blanks. */
export function* tokens(
  bytes: Uint8Array,
): Generator<{ readonly from: number; readonly to: number }, void, void> {
  let from = skipBlanks(bytes, 0);
  while (from < bytes.length) {
    const to = tokenEnd(bytes, from);
    yield { from, to };
    from = skipBlanks(bytes, to);
  }
}

function tokenEnd(bytes: Uint8Array, from: number): number {
  const byte = bytes[from] ?? 0;
  if (byte === 0x22) {
    let i = from + 1;
    while (i < bytes.length && bytes[i] !== 0x22) i += bytes[i] === 0x5c ? 2 : 1;
    return i + 1;
  }
  let i = from;
  while (i < bytes.length && isWord(bytes[i] ?? 0)) i++;
  return Math.max(i, from + 1);
}

/** Bytes of numbers, true, false and null. */
function isWord(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  );
}

/** Do two texts hold the same tokens, whatever is between them? */
export function sameTokens(a: Uint8Array, b: Uint8Array): boolean {
  const those = tokens(b);
  for (const { from, to } of tokens(a)) {
    const other = those.next();
    if (other.done === true || other.value.to - other.value.from !== to - from) return false;
    for (let i = from, j = other.value.from; i < to; i++, j++) if (a[i] !== b[j]) return false;
  }
  return those.next().done === true;
}
