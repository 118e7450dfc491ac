// Owns: the walk over an array of records: what each one holds under a few keys, many records in one call.
// Must never: judge. Whatever is not plain (a key with an escape, an element that is no container, a slash outside
// strings) ends the batch before the record it belongs to; the caller looks at that one by other means.
//
// Depth 1 is inside the array, depth 2 inside a record. Commas are never looked for: a record ends where the depth comes
// back to 1, and between two records there may be one comma and blanks, which is checked byte by byte.

import { EVEN, eq4, mask4, oddSum, prefixXor } from "./masks.as";
import { KEYS, OUT } from "./layout.as";

// @ts-ignore: decorator
@inline
function isBlank(byte: u32): bool {
  return byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09;
}

/** True when one comma and blanks are all that stands from `from` to before `to`. */
// @ts-ignore: decorator
@inline
function oneComma(from: usize, to: usize): bool {
  let at = from;
  while (at < to && isBlank(load<u8>(at))) at++;
  if (at == to || load<u8>(at) != 0x2c) return false;
  at++;
  while (at < to && isBlank(load<u8>(at))) at++;
  return at == to;
}

/** Is it one of the keys? Notes where its value's part begins in the row: behind the colon. */
function note(row: usize, start: usize, length: u32, keys: u32, colon: u32): void {
  for (let k: u32 = 0; k < keys; k++) {
    const key = KEYS + (k << 5);
    if (load<u32>(key, 4) != length) continue;
    const bytes = <usize>load<u32>(key);
    let x: u32 = 0;
    while (x < length && load<u8>(start + x) == load<u8>(bytes + x)) x++;
    if (x == length) store<u32>(row + 8 + (k << 2), colon + 1);
  }
}

/**
 * Looks up the `keys` keys in the records of an array, from the one that starts at `p` on, and answers how many of them
 * end within `n` bytes (a multiple of 64) and are plain; at most `most`. A row is written for each to OUT: offsets of
 * its start, of one past its end, and of each key's value, -1 when it has none; the last of duplicate keys counts.
 */
export function rows(p: usize, n: u32, keys: u32, most: u32): u32 {
  let inside: u64 = 0;
  let esc: u64 = 0;
  let depth: i32 = 1;
  let opener: u32 = 0;
  let count: u32 = 0;
  let row: usize = OUT;
  const width: usize = (keys + 2) << 2;
  let end: u32 = 0;
  // Bit L: a wanted key of L bytes (below 64) exists.
  let lengths: u64 = 0;
  for (let k: u32 = 0; k < keys; k++) {
    const length = load<u32>(KEYS + (k << 5), 4);
    if (length < 64) lengths |= (<u64>1) << length;
  }
  for (let i: u32 = 0; i < n; i += 64) {
    const b0 = v128.load(p + i);
    const b1 = v128.load(p + i, 16);
    const b2 = v128.load(p + i, 32);
    const b3 = v128.load(p + i, 48);
    let quotes = eq4(b0, b1, b2, b3, i8x16.splat(0x22));
    const e0 = i8x16.eq(b0, i8x16.splat(0x5c));
    const e1 = i8x16.eq(b1, i8x16.splat(0x5c));
    const e2 = i8x16.eq(b2, i8x16.splat(0x5c));
    const e3 = i8x16.eq(b3, i8x16.splat(0x5c));
    const s0 = i8x16.eq(b0, i8x16.splat(0x2f));
    const s1 = i8x16.eq(b1, i8x16.splat(0x2f));
    const s2 = i8x16.eq(b2, i8x16.splat(0x2f));
    const s3 = i8x16.eq(b3, i8x16.splat(0x2f));
    let slashes: u64 = 0;
    let backslashes: u64 = 0;
    if (
      esc != 0 ||
      v128.any_true(v128.or(v128.or(v128.or(e0, s0), v128.or(e1, s1)), v128.or(v128.or(e2, s2), v128.or(e3, s3))))
    ) {
      slashes = mask4(s0, s1, s2, s3);
      backslashes = mask4(e0, e1, e2, e3);
      const bs = backslashes & ~esc;
      const follows = (bs << 1) | esc;
      const sum = oddSum(bs, follows);
      esc = sum < bs ? 1 : 0;
      quotes &= ~((EVEN ^ (sum << 1)) & follows);
    }
    const str = prefixXor(quotes) ^ inside;
    // Records of this block before the slash are given up with it; the caller comes to them again.
    if ((slashes & ~str) != 0) return count;
    inside = <u64>(<i64>str >> 63);
    const c0 = v128.or(b0, i8x16.splat(0x20));
    const c1 = v128.or(b1, i8x16.splat(0x20));
    const c2 = v128.or(b2, i8x16.splat(0x20));
    const c3 = v128.or(b3, i8x16.splat(0x20));
    const opens = eq4(c0, c1, c2, c3, i8x16.splat(0x7b)) & ~str;
    const closes = eq4(c0, c1, c2, c3, i8x16.splat(0x7d)) & ~str;
    const closing = <i32>popcnt<u64>(closes);
    const openers = quotes & str;
    if (depth - closing > 2) {
      depth += <i32>popcnt<u64>(opens) - closing;
    } else {
      const colons = eq4(b0, b1, b2, b3, i8x16.splat(0x3a)) & ~str;
      let m = opens | closes | colons;
      while (m != 0) {
        const low = m & (0 - m);
        if ((colons & low) != 0) {
          if (depth == 2) {
            const before = openers & (low - 1);
            const here = i + <u32>ctz<u64>(low);
            if (before != 0 && backslashes == 0) {
              // The whole key stands in this block and is written plainly: its length rules out most.
              const open = 63 - <u32>clz<u64>(before);
              const length = 62 - <u32>clz<u64>(quotes & ~str & (low - 1)) - open;
              if (((lengths >> length) & 1) != 0) note(row, p + i + open + 1, length, keys, here);
            } else {
              const open = before != 0 ? i + 63 - <u32>clz<u64>(before) : opener;
              let close = here;
              while (close > open && isBlank(load<u8>(p + close - 1))) close--;
              if (close <= open + 1 || load<u8>(p + close - 1) != 0x22) return count;
              const length = close - open - 2;
              for (let x: u32 = 1; x <= length; x++) if (load<u8>(p + open + x) == 0x5c) return count;
              note(row, p + open + 1, length, keys, here);
            }
          }
        } else if ((opens & low) != 0) {
          if (depth == 1) {
            const here = i + <u32>ctz<u64>(low);
            if (count == most || (here != 0 && !oneComma(p + end, p + here))) return count;
            store<u32>(row, here);
            for (let k: u32 = 0; k < keys; k++) store<i32>(row + 8 + (k << 2), -1);
          }
          depth++;
        } else {
          depth--;
          if (depth == 1) {
            end = i + <u32>ctz<u64>(low) + 1;
            store<u32>(row, end, 4);
            for (let k: u32 = 0; k < keys; k++) {
              let value = load<i32>(row + 8 + (k << 2));
              if (value < 0) continue;
              while (isBlank(load<u8>(p + value))) value++;
              store<i32>(row + 8 + (k << 2), value);
            }
            count++;
            row += width;
          } else if (depth == 0) return count;
        }
        m ^= low;
      }
    }
    if (openers != 0) opener = i + 63 - <u32>clz<u64>(openers);
  }
  return count;
}
