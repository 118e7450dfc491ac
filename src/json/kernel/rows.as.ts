// Owns: the walk over an array of records: what each one holds under a few keys, many records in one call.
// Must never: judge. Whatever is not plain (a key with an escape, an element that is no container, a slash outside
// strings) ends the batch before the record it belongs to; the caller looks at that one by other means.
//
// Depth 1 is inside the array, depth 2 inside a record. Commas are never looked for: a record ends where the depth comes
// back to 1, and between two records there may be one comma and blanks, which is checked byte by byte.

import { EVEN, eq4, mask4, oddSum, prefixXor, splat } from "./masks.as";
import { KEYS, OUT } from "./layout.as";

// @ts-ignore: decorator
@inline
function isBlank(byte: u32): bool {
  return byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09;
}

/** The first place from `at` on that is not blank. */
// @ts-ignore: decorator
@inline
function nextMark(at: usize): usize {
  let here = at;
  while (isBlank(load<u8>(here))) here++;
  return here;
}

/** True when one comma and blanks are all that stands from `from` to before `to`, where a bracket stands. */
// @ts-ignore: decorator
@inline
function oneComma(from: usize, to: usize): bool {
  const comma = nextMark(from);
  return load<u8>(comma) == 0x2c && nextMark(comma + 1) == to;
}

/** Is the string that begins at `at` (behind its quote) the key? */
// @ts-ignore: decorator
@inline
function isKey(at: usize, key: usize): bool {
  const length = load<u32>(key, 4);
  const bytes = <usize>load<u32>(key);
  if (length > 8) return length != NEVER && load<u8>(at + length) == 0x22 && sameBytes(at, bytes, length);
  // No branch for each byte: what stands behind the length is shifted out.
  const differ = load<u64>(bytes) ^ load<u64>(at);
  return (length == 0 || differ << (64 - (<u64>length << 3)) == 0) && load<u8>(at + length) == 0x22;
}

function sameBytes(a: usize, b: usize, length: u32): bool {
  let x: u32 = 0;
  while (x < length && load<u8>(a + x) == load<u8>(b + x)) x++;
  return x == length;
}

/** Is a string a key that holds a backslash? Its quotes stand at `open` and `close`. */
function isEscapedKey(open: usize, close: usize): bool {
  if (load<u8>(nextMark(close + 1)) != 0x3a) return false;
  for (let at = open + 1; at < close; at++) if (load<u8>(at) == 0x5c) return true;
  return false;
}

/** The length of a key that can only be written with escapes. */
const NEVER: u32 = 0xffffffff;

/**
 * Looks up the `keys` keys in the records of an array, from the one that starts at `p` on, and answers how many of them
 * end within `n` bytes (a multiple of 64) and are plain; at most `most`. A row is written for each to OUT: offsets of
 * its start, of one past its end, and of each key's value, -1 when it has none; the last of duplicate keys counts.
 *
 * Only strings that begin with the first byte of a wanted key are looked at. A key with a backslash, which may spell
 * any name, is noticed where it closes. What is behind the `n` bytes may be looked at: it only matters to a record that
 * is not complete, and that one is not counted.
 */
export function rows(p: usize, n: u32, keys: u32, most: u32): u32 {
  const QUOTE = splat(0x22);
  const BACKSLASH = splat(0x5c);
  const SLASH = splat(0x2f);
  const BIT5 = splat(0x20);
  const OPEN = splat(0x7b);
  const CLOSE = splat(0x7d);
  const firstByte = v128.load_splat<u8>(KEYS, 20);
  let inside: u64 = 0;
  let esc: u64 = 0;
  let depth: i32 = 1;
  // Of the last string directly inside a record: its quote, whether that was the last byte of the block before, and
  // whether the string reaches into this block and holds a backslash.
  let opener: u32 = 0;
  let opened: u64 = 0;
  let dirty = false;
  let count: u32 = 0;
  let row: usize = OUT;
  const width: usize = (keys + 2) << 2;
  let end: u32 = 0;
  for (let i: u32 = 0; i < n; i += 64) {
    const b0 = v128.load(p + i);
    const b1 = v128.load(p + i, 16);
    const b2 = v128.load(p + i, 32);
    const b3 = v128.load(p + i, 48);
    let quotes = eq4(b0, b1, b2, b3, QUOTE);
    const e0 = i8x16.eq(b0, BACKSLASH);
    const e1 = i8x16.eq(b1, BACKSLASH);
    const e2 = i8x16.eq(b2, BACKSLASH);
    const e3 = i8x16.eq(b3, BACKSLASH);
    const s0 = i8x16.eq(b0, SLASH);
    const s1 = i8x16.eq(b1, SLASH);
    const s2 = i8x16.eq(b2, SLASH);
    const s3 = i8x16.eq(b3, SLASH);
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
    const c0 = v128.or(b0, BIT5);
    const c1 = v128.or(b1, BIT5);
    const c2 = v128.or(b2, BIT5);
    const c3 = v128.or(b3, BIT5);
    const opens = eq4(c0, c1, c2, c3, OPEN) & ~str;
    const closes = eq4(c0, c1, c2, c3, CLOSE) & ~str;
    const closing = <i32>popcnt<u64>(closes);
    const after = depth + <i32>popcnt<u64>(opens) - closing;
    if (depth - closing > 2) {
      // Strings of such a block are not directly inside a record, and none of those reaches into it.
      depth = after;
      opened = 0;
      continue;
    }
    const openers = quotes & str;
    const ends = quotes & ~str;
    const begins = (openers << 1) | opened;
    opened = openers >> 63;
    dirty = dirty || backslashes != 0;
    if (dirty) {
      for (let m = ends; m != 0; m &= m - 1) {
        const below = (m & (0 - m)) - 1;
        const open = (openers & below) != 0 ? i + 63 - <u32>clz<u64>(openers & below) : opener;
        if (
          depth + <i32>popcnt<u64>(opens & below) - <i32>popcnt<u64>(closes & below) == 2 &&
          isEscapedKey(p + open, p + i + <u32>ctz<u64>(m))
        )
          return count;
      }
      dirty = inside != 0;
    }
    if (openers != 0) opener = i + 63 - <u32>clz<u64>(openers);

    // Where records end in this block; the keys of `row` stand before the first, those of the next row behind it.
    let lasts: u64 = 0;
    let stop: u64 = 0;
    const first = row;
    if (depth - closing < 2) {
      let level = depth;
      for (let m = opens | closes; m != 0; m &= m - 1) {
        const low = m & (0 - m);
        const here = i + <u32>ctz<u64>(m);
        if ((opens & low) != 0) {
          if (level == 1) {
            if (count == most || (here != 0 && !oneComma(p + end, p + here))) {
              stop = low;
              break;
            }
            store<u32>(row, here);
            for (let k: u32 = 0; k < keys; k++) store<i32>(row + 8 + (k << 2), -1);
          }
          level++;
        } else {
          level--;
          if (level == 1) {
            end = here + 1;
            store<u32>(row, end, 4);
            lasts |= low;
            count++;
            row += width;
          } else if (level == 0) {
            stop = low;
            break;
          }
        }
      }
    }


    // Strings that may be keys of interest. All brackets before one tell how deep it stands.
    let f0 = i8x16.eq(b0, firstByte);
    let f1 = i8x16.eq(b1, firstByte);
    let f2 = i8x16.eq(b2, firstByte);
    let f3 = i8x16.eq(b3, firstByte);
    for (let k: u32 = 1; k < keys; k++) {
      const other = v128.load_splat<u8>(KEYS + (k << 5), 20);
      f0 = v128.or(f0, i8x16.eq(b0, other));
      f1 = v128.or(f1, i8x16.eq(b1, other));
      f2 = v128.or(f2, i8x16.eq(b2, other));
      f3 = v128.or(f3, i8x16.eq(b3, other));
    }
    for (let m = mask4(f0, f1, f2, f3) & begins & (stop - 1); m != 0; m &= m - 1) {
      const below = (m & (0 - m)) - 1;
      if (depth + <i32>popcnt<u64>(opens & below) - <i32>popcnt<u64>(closes & below) != 2) continue;
      const at = p + i + <u32>ctz<u64>(m);
      for (let k: u32 = 0; k < keys; k++) {
        const key = KEYS + (k << 5);
        if (!isKey(at, key)) continue;
        const colon = nextMark(at + load<u32>(key, 4) + 1);
        if (load<u8>(colon) == 0x3a)
          store<u32>(first + <usize>popcnt<u64>(lasts & below) * width + 8 + (k << 2), <u32>(nextMark(colon + 1) - p));
      }
    }
    if (stop != 0) return count;
    depth = after;
  }
  return count;
}
