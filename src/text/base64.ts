// Owns: base64, the form in which bytes that are not text travel through JSON.

import { checkArgument } from "./options.ts";
import { HoldfastError, say, type Reason, type Shown } from "../errors.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CHUNK = 0x6000;
const BLANK = 64;
const BAD = 255;

/** By character code: its 6 bits, {@link BLANK}, or {@link BAD}. */
const VALUES = new Uint8Array(256).fill(BAD);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;
for (const blank of " \t\r\n") VALUES[blank.charCodeAt(0)] = BLANK;

/**
 * Standard base64 with padding.
 *
 * @example encodeBase64(Uint8Array.of(1, 2))  // "AQI="
 */
export function encodeBase64(bytes: Uint8Array): string {
  checkArgument(say`encodeBase64: what is encoded`, bytes, "bytes");
  let text = "";
  // A multiple of three, so that no chunk but the last is padded.
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return text;
}

/**
 * The bytes of standard base64. Blanks and line breaks are skipped and the padding may be missing, as models like to
 * send it; anything else that is wrong is refused with its place, since a guess would write wrong bytes. Throws
 * `invalid_argument` with reason `base64_bad_character`, `base64_bad_padding` or `base64_cut_off`.
 *
 * @example decodeBase64("AQI")  // the bytes 1 and 2
 */
export function decodeBase64(text: string): Uint8Array {
  checkArgument(say`decodeBase64: the text`, text, "string");
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let size = 0;
  let bits = 0;
  let held = 0;
  let digits = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const value = code < 256 ? (VALUES[code] as number) : BAD;
    if (value === BLANK) continue;
    if (value === BAD) break;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    digits++;
    if (held >= 8) {
      held -= 8;
      bytes[size++] = (bits >> held) & 0xff;
    }
  }
  const padding = countPadding(text, at);
  if (digits % 4 === 1)
    throw refusal("base64_cut_off", say`The base64 text ends in the middle of a byte. Send all of it.`);
  if (padding > 0 && (digits + padding) % 4 !== 0)
    throw refusal(
      "base64_bad_padding",
      say`The base64 text has ${digits} digits and ${padding} "=" signs, which do not belong together. Send all of it.`,
    );
  if ((bits & ((1 << held) - 1)) !== 0)
    throw refusal(
      "base64_cut_off",
      say`The last digit of the base64 text holds bits of a byte that is not there. Send all of it.`,
    );
  return bytes.subarray(0, size);
}

/** The number of `=` from `at` on, which may only be followed by blanks. */
function countPadding(text: string, at: number): number {
  let padding = 0;
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3d && padding < 2) padding++;
    else if (code >= 256 || VALUES[code] !== BLANK)
      throw refusal(
        "base64_bad_character",
        say`Character ${i + 1} of the base64 text is not a base64 digit. Send A-Z, a-z, 0-9, + and / only.`,
      );
  }
  return padding;
}

function refusal(reason: Reason, message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", reason, message);
}
