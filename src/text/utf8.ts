// Owns: is it UTF-8, and if not, from which byte on?

import { say } from "../errors.ts";
import { checkArgument } from "./options.ts";

/**
 * Checks bytes that arrive in parts. A part may end anywhere, in the middle of a character too.
 *
 * @example
 * const check = new Utf8Validator();
 * for (const { bytes } of windowsOf(source)) if (!check.push(bytes)) break;
 * check.end();   // undefined, or the offset from which on the bytes are not UTF-8
 */
export class Utf8Validator {
  #offset = 0;
  /** Where the character begins that we are in. */
  #start = 0;
  /** How many continuation bytes it still wants, and the range the next one must be in. */
  #need = 0;
  #low = 0x80;
  #high = 0xbf;
  #badAt: number | undefined;

  /** Takes the next part. False as soon as the bytes can no longer be UTF-8; parts after that are ignored. */
  push(bytes: Uint8Array): boolean {
    if (this.#badAt !== undefined) return false;
    const length = bytes.length;
    let i = 0;
    while (this.#need > 0 && i < length) if (!this.#continue(bytes[i++] as number)) return false;
    const words = wordsOf(bytes);
    while (i < length) {
      const byte = bytes[i] as number;
      if (byte < 0x80) {
        i = skipAscii(bytes, words, i + 1);
        continue;
      }
      const need = byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (need > 0 && i + need < length) {
        const second = bytes[i + 1] as number;
        if (
          second >= lowest(byte) &&
          second <= highest(byte) &&
          (need < 2 || ((bytes[i + 2] as number) & 0xc0) === 0x80) &&
          (need < 3 || ((bytes[i + 3] as number) & 0xc0) === 0x80)
        ) {
          i += need + 1;
          continue;
        }
      }
      // Either bad or cut by the end of this part.
      this.#start = this.#offset + i;
      if (need === 0 || i + need < length) {
        this.#badAt = this.#start;
        return false;
      }
      this.#need = need;
      this.#low = lowest(byte);
      this.#high = highest(byte);
      for (i++; i < length; i++) if (!this.#continue(bytes[i] as number)) return false;
    }
    this.#offset += length;
    return true;
  }

  /** After the last part: undefined when all is UTF-8, else the length of the longest leading part that is. */
  end(): number | undefined {
    if (this.#badAt === undefined && this.#need > 0) this.#badAt = this.#start;
    return this.#badAt;
  }

  #continue(byte: number): boolean {
    if (byte < this.#low || byte > this.#high) {
      this.#badAt = this.#start;
      return false;
    }
    this.#low = 0x80;
    this.#high = 0xbf;
    this.#need--;
    return true;
  }
}

/** Is the byte one of a character of several, but not its first? */
export function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many characters begin in the bytes, from `from` on. The loop calls nothing: it runs over lines of any length. */
export function charactersFrom(bytes: Uint8Array, from: number): number {
  let count = 0;
  for (let i = from; i < bytes.length; i++) if (((bytes[i] as number) & 0xc0) !== 0x80) count++;
  return count;
}

// The second byte decides about overlong forms, surrogates and what lies above U+10FFFF.

function lowest(lead: number): number {
  return lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
}

function highest(lead: number): number {
  return lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
}

/** The same bytes four at a time, where the array is aligned for it. */
function wordsOf(bytes: Uint8Array): Uint32Array | undefined {
  if ((bytes.byteOffset & 3) !== 0 || bytes.length < 64) return undefined;
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}

/** The first place from `from` on that is not ASCII. */
function skipAscii(bytes: Uint8Array, words: Uint32Array | undefined, from: number): number {
  const length = bytes.length;
  let i = from;
  if (words !== undefined) {
    for (; (i & 3) !== 0; i++) if (i >= length || (bytes[i] as number) >= 0x80) return i;
    let word = i >> 2;
    while (word < words.length && ((words[word] as number) & 0x80808080) === 0) word++;
    i = word << 2;
  }
  while (i < length && (bytes[i] as number) < 0x80) i++;
  return i;
}

/**
 * The offset from which on the bytes are not UTF-8; undefined when all of them are. Cost: linear.
 *
 * @example firstBadUtf8(Uint8Array.of(0x61, 0xff))  // 1
 */
export function firstBadUtf8(bytes: Uint8Array): number | undefined {
  checkArgument(say`firstBadUtf8: what is checked`, bytes, "bytes");
  const check = new Utf8Validator();
  check.push(bytes);
  return check.end();
}
