// Owns: text that is to become bytes: what has no bytes is refused, never replaced.

import { HoldfastError, say } from "../errors.ts";
import { checkArgument } from "./options.ts";

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text. Throws `invalid_argument` / `not_unicode` for half of a surrogate pair, which has none. */
export function textBytes(text: string): Uint8Array {
  checkArgument(say`The text`, text, "string");
  if (text.isWellFormed()) return encoder.encode(text);
  throw new HoldfastError(
    "invalid_argument",
    "not_unicode",
    say`The content holds half a surrogate pair, which no encoding can keep. Send whole characters.`,
  );
}
