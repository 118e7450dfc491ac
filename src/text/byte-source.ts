// Owns: ByteSource, how every room reads bytes: acquired asynchronously, read synchronously.

/** Immutable bytes that can be read at any place: memory, a host file, stored content. */
export interface ByteSource {
  readonly size: number;
  /** Immutable content id: two sources with one id hold the same bytes. The key of any index. */
  readonly id: string;
  /** Copies up to `length` bytes at `at` to `into[offset..]` and answers how many; short only at the end. */
  read(at: number, into: Uint8Array, offset: number, length: number): number;
}
