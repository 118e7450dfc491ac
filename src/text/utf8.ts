// Owns: is it UTF-8, and if not, from which byte on?

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
    for (let i = 0; i < length; i++) {
      if (this.#need === 0) {
        i = skipAscii(bytes, i);
        if (i === length) break;
        this.#start = this.#offset + i;
        if (!this.#lead(bytes[i] as number)) return false;
        continue;
      }
      const byte = bytes[i] as number;
      if (byte < this.#low || byte > this.#high) {
        this.#badAt = this.#start;
        return false;
      }
      this.#low = 0x80;
      this.#high = 0xbf;
      this.#need--;
    }
    this.#offset += length;
    return true;
  }

  /** After the last part: undefined when all is UTF-8, else the length of the longest leading part that is. */
  end(): number | undefined {
    if (this.#badAt === undefined && this.#need > 0) this.#badAt = this.#start;
    return this.#badAt;
  }

  /** The table of well-formed sequences: no overlong form, no surrogate, nothing above U+10FFFF. */
  #lead(byte: number): boolean {
    if (byte < 0xc2 || byte > 0xf4) {
      this.#badAt = this.#start;
      return false;
    }
    this.#need = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    return true;
  }
}

/** The first place from `from` on that is not ASCII; four bytes at a time where the array is aligned. */
function skipAscii(bytes: Uint8Array, from: number): number {
  const length = bytes.length;
  let i = from;
  while (i < length && ((bytes.byteOffset + i) & 3) !== 0) {
    if ((bytes[i] as number) >= 0x80) return i;
    i++;
  }
  const count = (length - i) >> 2;
  if (count > 8) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + i, count);
    let w = 0;
    while (w < count && ((words[w] as number) & 0x80808080) === 0) w++;
    i += w * 4;
  }
  while (i < length && (bytes[i] as number) < 0x80) i++;
  return i;
}

/** The offset from which on the bytes are not UTF-8; undefined when all of them are. */
export function firstBadUtf8(bytes: Uint8Array): number | undefined {
  const check = new Utf8Validator();
  check.push(bytes);
  return check.end();
}
