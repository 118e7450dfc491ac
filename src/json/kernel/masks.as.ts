// Owns: bit masks over a block of 64 bytes: bit i stands for byte i. Shared by all kernels.
//
// A block comes as four vectors of 16 bytes. `mask4` packs four byte-wise truth vectors into one 64-bit word.

import { BYTES } from "./layout.as";

// @ts-ignore: decorator
@inline
export function mask4(a: v128, b: v128, c: v128, d: v128): u64 {
  // Halves in 32 bits: the engine then need not widen each part.
  const low = i8x16.bitmask(a) | (i8x16.bitmask(b) << 16);
  const high = i8x16.bitmask(c) | (i8x16.bitmask(d) << 16);
  return (<u64>(<u32>low)) | ((<u64>(<u32>high)) << 32);
}

/** Bytes equal to the one that `k` is filled with. */
// @ts-ignore: decorator
@inline
export function eq4(a: v128, b: v128, c: v128, d: v128, k: v128): u64 {
  return mask4(i8x16.eq(a, k), i8x16.eq(b, k), i8x16.eq(c, k), i8x16.eq(d, k));
}

/** Is any bit of eight vectors set? */
// @ts-ignore: decorator
@inline
export function any8(a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128): bool {
  return v128.any_true(v128.or(v128.or(v128.or(a, e), v128.or(b, f)), v128.or(v128.or(c, g), v128.or(d, h))));
}

/** Each bit becomes the parity of itself and all lower bits: from quotes to "inside a string". */
// @ts-ignore: decorator
@inline
export function prefixXor(bits: u64): u64 {
  let x = bits;
  x ^= x << 1;
  x ^= x << 2;
  x ^= x << 4;
  x ^= x << 8;
  x ^= x << 16;
  x ^= x << 32;
  return x;
}

const EVEN: u64 = 0x5555555555555555;

/**
 * What `escapedBy` and `escapeOut` are read from. `esc` is 1 when the block before escapes the first byte, which is then none
 * of the backslash bits `bs`. A run of backslashes that starts on an odd bit is told from one on an even bit by letting an
 * addition ripple through it.
 */
// @ts-ignore: decorator
@inline
export function oddSum(bs: u64, esc: u64): u64 {
  return (bs & ~EVEN & ~((bs << 1) | esc)) + bs;
}

/** Bytes that a backslash escapes. */
// @ts-ignore: decorator
@inline
export function escapedBy(sum: u64, bs: u64, esc: u64): u64 {
  return (EVEN ^ (sum << 1)) & ((bs << 1) | esc);
}

/** The escape that reaches into the next block, 0 or 1: the carry out of the addition. */
// @ts-ignore: decorator
@inline
export function escapeOut(sum: u64, bs: u64): u64 {
  return sum < bs ? 1 : 0;
}

/**
 * A vector filled with `byte`, read from memory. To be called before a loop: a constant in the loop would be built anew in
 * every block, since the engine moves none of them out.
 */
// @ts-ignore: decorator
@inline
export function splat(byte: u32): v128 {
  return v128.load_splat<u8>(BYTES + byte);
}
