// Owns: the walk over an array of records: what each one holds under a few keys, many records in one call.
// Must never: judge. Whatever is not plain (a key with an escape, an element that is no container, a slash outside
// strings) ends the batch before the record it belongs to; the caller looks at that one by other means.
//
// Depth 1 is inside the array, depth 2 inside a record. Commas are never looked for: a record ends where the depth comes
// back to 1, and between two records there may be one comma and blanks, which is checked byte by byte.

import { any8, eq4, escapedBy, escapeOut, mask4, oddSum, prefixXor, splat } from "./masks.as";
import { KEYS, OUT, WALK } from "./layout.as";
import { ROW_HEAD, prefilter } from "./prefilter.as";

// @ts-ignore: decorator
@inline
function isBlank(byte: u32): bool {
  return byte <= 0x20 && (((<u64>0x100002600) >> (<u64>byte)) & 1) != 0;
}

/** The first place from `at` on that is not blank. */
function nextMark(at: usize): usize {
  let here = at;
  while (isBlank(load<u8>(here))) here++;
  return here;
}

/** The same where mostly none or one blank is to be passed. */
// @ts-ignore: decorator
@inline
function soonMark(at: usize): usize {
  const here = at + (load<u8>(at) == 0x20 ? 1 : 0);
  return load<u8>(here) > 0x20 ? here : nextMark(here);
}

/** True when one comma and blanks are all that lies from `from` to before `to`, where a bracket is. */
function oneComma(from: usize, to: usize): bool {
  const comma = nextMark(from);
  return load<u8>(comma) == 0x2c && nextMark(comma + 1) == to;
}

/** Is the string that begins at `at` (after its quote) the key? */
// @ts-ignore: decorator
@inline
function isKey(at: usize, key: usize): bool {
  const length = load<u32>(key, 4);
  const bytes = <usize>load<u32>(key);
  if (length > 8) return length != NEVER && load<u8>(at + length) == 0x22 && sameBytes(at, bytes, length);
  // No branch for each byte: what is after the length is shifted out.
  const differ = load<u64>(bytes) ^ load<u64>(at);
  return (length == 0 || differ << (64 - (<u64>length << 3)) == 0) && load<u8>(at + length) == 0x22;
}

function sameBytes(a: usize, b: usize, length: u32): bool {
  let x: u32 = 0;
  while (x < length && load<u8>(a + x) == load<u8>(b + x)) x++;
  return x == length;
}

/** The highest of `bits` (not 0) and all bits above it. */
// @ts-ignore: decorator
@inline
function fromHighest(bits: u64): u64 {
  return (<u64>-1) << (63 - clz<u64>(bits));
}

/**
 * Does a key that holds a backslash close in the block at `block`, directly inside a record? `dirty` says that the
 * string that reaches into the block holds one.
 */
function endsEscapedKey(
  block: usize,
  openers: u64,
  ends: u64,
  backslashes: u64,
  opens: u64,
  closes: u64,
  depth: i32,
  dirty: bool,
): bool {
  for (let m = ends; m != 0; m &= m - 1) {
    const below = (m & (0 - m)) - 1;
    if (depth + <i32>popcnt<u64>(opens & below) - <i32>popcnt<u64>(closes & below) != 2) continue;
    const before = openers & below;
    const escapes = backslashes & below;
    const escaped = before == 0 ? dirty || escapes != 0 : (escapes & fromHighest(before)) != 0;
    if (escaped && load<u8>(nextMark(block + <usize>ctz<u64>(m) + 1)) == 0x3a) return true;
  }
  return false;
}

/** The length of a key that can only be written with escapes. */
const NEVER: u32 = 0xffffffff;

/** How far after its opening quote a key's closing quote is; 64: not in the same block. */
function reach(key: u32): u64 {
  const length = load<u32>(KEYS + (key << 5), 4);
  return length < 63 ? length + 1 : 64;
}

/** Notes how far a batch came, and returns how many records it has seen. */
function settled(count: u32, row: usize, width: usize, end: u32): u32 {
  store<u32>(WALK, (<u32>(row - OUT)) / (<u32>width), 20);
  store<u32>(WALK, end, 28);
  return count;
}

/**
 * Looks up the `keys` keys in the records of an array, from the one that starts at `p` on, and returns how many of them
 * end within `n` bytes (a multiple of 64) and are plain. A row is written to OUT for each that may pass the prefilter, at
 * most `most`: offsets of its start and of one past its end, what `prefilter` notes, and each key's value, -1 when it has
 * none; the last of duplicate keys counts. WALK+20 is how many rows there are, WALK+28 the end of the last record seen.
 *
 * Only strings that begin with the first byte of a wanted key and have the length of one are looked at. A key with a
 * backslash, which may spell any name, is noticed where it closes. What is after the `n` bytes may be looked at: it only
 * matters to a record that is not complete, and that one is not counted.
 */
export function rows(p: usize, n: u32, keys: u32, most: u32, ending: i32): u32 {
  const QUOTE = splat(0x22);
  const BACKSLASH = splat(0x5c);
  const SLASH = splat(0x2f);
  const BIT5 = splat(0x20);
  const OPEN = splat(0x7b);
  const CLOSE = splat(0x7d);
  // The first two keys have their places in registers, which is what most filters need.
  const second: u32 = keys > 1 ? 1 : 0;
  const initial1 = v128.load_splat<u8>(KEYS, 20);
  const initial2 = v128.load_splat<u8>(KEYS + (second << 5), 20);
  const reach1 = reach(0);
  const reach2 = reach(second);
  // Where a string begins whose end may be in the next block.
  let late: u64 = 0;
  for (let k: u32 = 0; k < keys; k++) late |= reach(k) < 64 ? ~((<u64>-1) >> reach(k)) : <u64>-1;
  let inside: u64 = 0;
  let esc: u64 = 0;
  let depth: i32 = 1;
  // Does the string directly inside a record that reaches into this block hold a backslash?
  let dirty: u64 = 0;
  let count: u32 = 0;
  let row: usize = OUT;
  const width: usize = (<usize>keys << 2) + ROW_HEAD;
  const full: usize = OUT + (<usize>most) * width;
  let end: u32 = 0;
  const limit = p + n;
  for (let at = p; at < limit; at += 64) {
    const b0 = v128.load(at);
    const b1 = v128.load(at, 16);
    const b2 = v128.load(at, 32);
    const b3 = v128.load(at, 48);
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
    if (esc != 0 || any8(e0, e1, e2, e3, s0, s1, s2, s3)) {
      slashes = mask4(s0, s1, s2, s3);
      backslashes = mask4(e0, e1, e2, e3);
      const bs = backslashes & ~esc;
      const sum = oddSum(bs, esc);
      quotes &= ~escapedBy(sum, bs, esc);
      esc = escapeOut(sum, bs);
    }
    const str = prefixXor(quotes) ^ inside;
    // Records of this block before the slash are given up with it; the caller comes to them again.
    if ((slashes & ~str) != 0) return settled(count, row, width, end);
    inside = <u64>(<i64>str >> 63);
    const c0 = v128.or(b0, BIT5);
    const c1 = v128.or(b1, BIT5);
    const c2 = v128.or(b2, BIT5);
    const c3 = v128.or(b3, BIT5);
    const opens = eq4(c0, c1, c2, c3, OPEN) & ~str;
    const closes = eq4(c0, c1, c2, c3, CLOSE) & ~str;
    const lowest = depth - <i32>popcnt<u64>(closes);
    const after = lowest + <i32>popcnt<u64>(opens);
    if (lowest > 2) {
      // Strings of such a block are not directly inside a record, and none of those reaches into it.
      depth = after;
      dirty = 0;
      continue;
    }
    const openers = quotes & str;
    const ends = quotes & ~str;
    if ((dirty | backslashes) != 0) {
      if (endsEscapedKey(at, openers, ends, backslashes, opens, closes, depth, dirty != 0))
        return settled(count, row, width, end);
      // A string reaches into the next block when its quote is the last one, or when there is none.
      if (openers > ends) dirty = backslashes & fromHighest(openers);
      else dirty = (openers | ends) == 0 ? dirty | backslashes : 0;
    }

    // Where records end in this block; the keys of `row` are before the first, those of the next row after it.
    let lasts: u64 = 0;
    let stop: u64 = 0;
    const first = row;
    if (lowest < 2) {
      let level = depth;
      // Brackets that have not been passed yet.
      let rest: u64 = -1;
      for (;;) {
        if (level == 1) {
          const opening = opens & rest;
          const start = opening & (0 - opening);
          const arrayEnd = closes & rest & (start - 1);
          if (arrayEnd != 0) {
            stop = arrayEnd & (0 - arrayEnd);
            break;
          }
          if (opening == 0) break;
          const here = <u32>(at - p) + <u32>ctz<u64>(opening);
          if (row >= full || (here != 0 && !oneComma(p + end, p + here))) {
            stop = start;
            break;
          }
          store<u32>(row, here);
          for (let k: u32 = 0; k < keys; k++) store<i32>(row + (k << 2), -1, ROW_HEAD);
          rest = 0 - (start << 1);
          level = 2;
        }
        // The bracket that brings the level down to 1.
        let last: u64 = 0;
        let passed: i32 = 0;
        for (let m = closes & rest; m != 0; m &= m - 1) {
          passed++;
          if (level + <i32>popcnt<u64>(opens & rest & ((m & (0 - m)) - 1)) - passed == 1) {
            last = m & (0 - m);
            break;
          }
        }
        if (last == 0) break;
        end = <u32>(at - p) + <u32>ctz<u64>(last) + 1;
        store<u32>(row, end, 4);
        lasts |= last;
        row += width;
        rest = 0 - (last << 1);
        level = 1;
      }
    }

    // Strings that may be keys of interest. All brackets before one tell how deep it is.
    const n0 = v128.load(at, 1);
    const n1 = v128.load(at, 17);
    const n2 = v128.load(at, 33);
    const n3 = v128.load(at, 49);
    let f0 = v128.or(i8x16.eq(n0, initial1), i8x16.eq(n0, initial2));
    let f1 = v128.or(i8x16.eq(n1, initial1), i8x16.eq(n1, initial2));
    let f2 = v128.or(i8x16.eq(n2, initial1), i8x16.eq(n2, initial2));
    let f3 = v128.or(i8x16.eq(n3, initial1), i8x16.eq(n3, initial2));
    // A shift by 64 is one by 0: then `late` lets everything through anyway.
    let fitting = late | (ends >> reach1) | (ends >> reach2);
    if (keys > 2)
      for (let k: u32 = 2; k < keys; k++) {
        const initial = v128.load_splat<u8>(KEYS + (k << 5), 20);
        f0 = v128.or(f0, i8x16.eq(n0, initial));
        f1 = v128.or(f1, i8x16.eq(n1, initial));
        f2 = v128.or(f2, i8x16.eq(n2, initial));
        f3 = v128.or(f3, i8x16.eq(n3, initial));
        fitting |= ends >> reach(k);
      }
    for (let m = mask4(f0, f1, f2, f3) & openers & fitting & (stop - 1); m != 0; m &= m - 1) {
      const below = (m & (0 - m)) - 1;
      if (depth + <i32>popcnt<u64>(opens & below) - <i32>popcnt<u64>(closes & below) != 2) continue;
      const text = at + <u32>ctz<u64>(m) + 1;
      for (let k: u32 = 0; k < keys; k++) {
        const key = KEYS + (k << 5);
        if (!isKey(text, key)) continue;
        const colon = soonMark(text + load<u32>(key, 4) + 1);
        if (load<u8>(colon) != 0x3a) continue;
        const its = first + <usize>popcnt<u64>(lasts & below) * width;
        store<u32>(its + (k << 2), <u32>(soonMark(colon + 1) - p), ROW_HEAD);
      }
    }
    if (lasts != 0) {
      row = prefilter(p, first, row, width, count, ending);
      count += <u32>popcnt<u64>(lasts);
    }
    if (stop != 0) break;
    depth = after;
  }
  return settled(count, row, width, end);
}
