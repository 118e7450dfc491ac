// Owns: what a byte outside strings is to a walk.

// Byte classes outside strings. Everything else is 0: it can be stepped over.
export const IS_OPEN = 1;
export const IS_CLOSE = 2;
export const IS_COMMA = 3;
export const IS_COLON = 4;
export const IS_STRING = 5;
export const IS_COMMENT = 6;
export const CLASS: Uint8Array = new Uint8Array(256);
for (const [text, kind] of [
  ["{[", IS_OPEN],
  ["}]", IS_CLOSE],
  [",", IS_COMMA],
  [":", IS_COLON],
  ['"', IS_STRING],
  ["/", IS_COMMENT],
] as const)
  for (const char of text) CLASS[char.charCodeAt(0)] = kind;
