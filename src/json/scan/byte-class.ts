// Owns: what a byte outside strings is to a walk.

// Byte classes outside strings. Everything else is 0: it can be stepped over.
export const OPEN = 1;
export const CLOSE = 2;
export const COMMA = 3;
export const COLON = 4;
export const STRING = 5;
export const COMMENT = 6;
export const CLASS: Uint8Array = new Uint8Array(256);
for (const [text, kind] of [
  ["{[", OPEN],
  ["}]", CLOSE],
  [",", COMMA],
  [":", COLON],
  ['"', STRING],
  ["/", COMMENT],
] as const)
  for (const char of text) CLASS[char.charCodeAt(0)] = kind;
