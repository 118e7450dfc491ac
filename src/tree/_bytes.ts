// Owns: variable-length integers and framed text, written and read. Private to encode and decode.

import { HoldfastError, say } from "../errors.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Bytes that grow. Integers are LEB128: seven bits a byte, low first. */
export class ByteWriter {
  #bytes: Uint8Array;
  length = 0;

  constructor(capacity = 1_024) {
    this.#bytes = new Uint8Array(capacity);
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + more));
    bytes.set(this.#bytes.subarray(0, this.length));
    this.#bytes = bytes;
  }

  /** A whole number from 0 to 2^32 - 1. */
  int(value: number): void {
    this.#reserve(5);
    if (value < 128) {
      this.#bytes[this.length++] = value;
      return;
    }
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  /** A link: 0 for none, else the distance from `base` with its sign in the lowest bit. A link never names itself. */
  link(value: number, base: number): void {
    const distance = value - base;
    this.int(value < 0 ? 0 : distance < 0 ? -distance * 2 : distance * 2 + 1);
  }

  text(value: string): void {
    const bytes = encoder.encode(value);
    this.int(bytes.length);
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  done(): Uint8Array {
    return this.#bytes.slice(0, this.length);
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.at >= this.#bytes.length;
  }

  int(): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    let at = this.at;
    let value = 0;
    for (let shift = 0; shift < 28 && at < length; shift += 7) {
      const byte = bytes[at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) {
        this.at = at;
        return value;
      }
    }
    // The fifth byte: what it adds does not fit into 31 bits.
    const last = at < length ? (bytes[at++] as number) : 128;
    if (last > 15) throw damaged();
    this.at = at;
    return value + last * 2 ** 28;
  }

  link(base: number): number {
    const coded = this.int();
    if (coded === 0) return -1;
    const distance = coded >>> 1;
    return (coded & 1) === 0 ? base - distance : base + distance;
  }

  text(): string {
    const length = this.int();
    if (this.at + length > this.#bytes.length) throw damaged();
    const part = this.#bytes.subarray(this.at, this.at + length);
    this.at += length;
    try {
      return decoder.decode(part);
    } catch {
      throw damaged();
    }
  }

  json(): unknown {
    try {
      return JSON.parse(this.text()) as unknown;
    } catch {
      throw damaged();
    }
  }
}

export function damaged(): HoldfastError {
  return new HoldfastError("internal", "damaged_tree_data", say`Stored tree data is damaged.`);
}
