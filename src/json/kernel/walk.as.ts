// Owns: the structural walks over blocks of 64 bytes: skip, count separators, find keys, list children.
// Must never: judge. They trust brackets and quotes; a slash outside strings, which may start a comment, stops them.
//
// For each block: bits of real quotes, of bytes inside strings, of opening and of closing brackets ('[' and ']' become
// '{' and '}' by setting bit 5). As long as the closing brackets of a block cannot bring the depth down to the level
// that matters, the block costs two population counts; only other blocks are walked bit by bit.
//
// All return: >= 0 an offset from `p`; MORE the block range is used up and the state is kept; SLASH see above.

import { any8, eq4, escapedBy, escapeOut, mask4, oddSum, prefixXor, splat } from "./masks.as";
import { KEYS, OUT, WALK } from "./layout.as";

const MORE: i32 = -1;
const SLASH: i32 = -2;
/** The key before the colon at WALK+28 has to be compared by the caller. */
const LOOK: i32 = -3;
/** The container closed before the separator that was asked for; WALK+28 is one past its bracket. */
const CLOSED: i32 = -4;
/** A wanted key was met and the walk was to stop there; WALK+28 is its colon. */
const FOUND: i32 = -5;

// WALK: 0 inside string (all ones or zero), 8 escape carry, 16 depth, 20 count, 24 last string opener, 28 place.

/** Starts a walk directly inside a container, or anywhere outside strings at depth `depth`. */
export function walkStart(depth: i32): void {
  store<u64>(WALK, 0, 0);
  store<u64>(WALK, 0, 8);
  store<i32>(WALK, depth, 16);
  store<u32>(WALK, 0, 20);
}

// @ts-ignore: decorator
@inline
function keep(inside: u64, esc: u64, depth: i32, count: u32): void {
  store<u64>(WALK, inside, 0);
  store<u64>(WALK, esc, 8);
  store<i32>(WALK, depth, 16);
  store<u32>(WALK, count, 20);
}

// What a walk does with the marks directly inside the container.
const SKIP: u32 = 0;
const SEPARATOR: u32 = 1;
const FIND: u32 = 2;
const CHILDREN: u32 = 3;

/** Finds where the container closes: one past its bracket. */
export function skip(p: usize, n: u32): i32 {
  return walk(SKIP, p, n, 0, 0, 0, false);
}

/**
 * Counts commas directly inside the container and stops one past number `want`. CLOSED when the container closes
 * first. The count is at WALK+20.
 */
export function separator(p: usize, n: u32, want: u32): i32 {
  return walk(SEPARATOR, p, n, want, 0, 0, false);
}

// Key descriptors, 32 bytes each: 0 address of its bytes, 4 their length, 8 hits in this call, 12 offset after the
// colon of the last hit, 16 offset of that key's quote, 20 its first byte (the closing quote of an empty key).

/**
 * Compares the `keys` keys with every key directly inside the object, up to where it closes (returned: one past the
 * bracket). `back` bytes before `p` are the document's. A key with a backslash, or one that starts before those
 * bytes, is left to the caller: LOOK. With `first` the walk ends at the first hit: FOUND.
 */
export function find(p: usize, n: u32, back: i32, keys: u32, first: bool): i32 {
  return walk(FIND, p, n, 0, back, keys, first);
}

/**
 * Writes the offset of every comma (and of every colon, doubled plus one, when `members`) directly inside the
 * container to OUT, doubled. Returns CLOSED with the bracket's end at WALK+28 or MORE; how many were written is at WALK+20.
 */
export function children(p: usize, n: u32, members: bool): i32 {
  return walk(CHILDREN, p, n, 0, 0, 0, members);
}

/**
 * The one loop over blocks. `what` is a constant in every call and the function is compiled into each of them, so that the
 * tests of `what` cost nothing. `flag` is `first` of find and `members` of children.
 */
// @ts-ignore: decorator
@inline
function walk(what: u32, p: usize, n: u32, want: u32, back: i32, keys: u32, flag: bool): i32 {
  let inside = load<u64>(WALK, 0);
  let esc = load<u64>(WALK, 8);
  let depth = load<i32>(WALK, 16);
  let count: u32 = what == SEPARATOR ? load<u32>(WALK, 20) : 0;
  let opener: i32 = 0;
  let lastBackslash: i32 = i32.MIN_VALUE;
  // Bit L: a wanted key of L bytes (below 64) exists.
  let lengths: u64 = 0;
  if (what == FIND) {
    opener = load<i32>(WALK, 24);
    for (let k: u32 = 0; k < keys; k++) {
      const length = load<u32>(KEYS + (k << 5), 4);
      if (length < 64) lengths |= (<u64>1) << length;
    }
  }
  // A block whose closing brackets leave the depth above this one holds nothing of interest.
  const lowest: i32 = what == SKIP ? 0 : 1;
  const QUOTE = splat(0x22);
  const BACKSLASH = splat(0x5c);
  const SLASHES = splat(0x2f);
  const BIT5 = splat(0x20);
  const OPEN = splat(0x7b);
  const CLOSE = splat(0x7d);
  const COMMA = splat(0x2c);
  const COLON = splat(0x3a);
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
    const s0 = i8x16.eq(b0, SLASHES);
    const s1 = i8x16.eq(b1, SLASHES);
    const s2 = i8x16.eq(b2, SLASHES);
    const s3 = i8x16.eq(b3, SLASHES);
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
    if ((slashes & ~str) != 0) return SLASH;
    inside = <u64>(<i64>str >> 63);
    const c0 = v128.or(b0, BIT5);
    const c1 = v128.or(b1, BIT5);
    const c2 = v128.or(b2, BIT5);
    const c3 = v128.or(b3, BIT5);
    const opens = eq4(c0, c1, c2, c3, OPEN) & ~str;
    const closes = eq4(c0, c1, c2, c3, CLOSE) & ~str;
    const closing = <i32>popcnt<u64>(closes);
    if (depth - closing > lowest) {
      depth += <i32>popcnt<u64>(opens) - closing;
      continue;
    }
    const commas: u64 = what == SEPARATOR || what == CHILDREN ? eq4(b0, b1, b2, b3, COMMA) & ~str : 0;
    const colons: u64 = what == FIND || (what == CHILDREN && flag) ? eq4(b0, b1, b2, b3, COLON) & ~str : 0;
    if (what == SEPARATOR && depth == 1 && (opens | closes) == 0) {
      const more = <u32>popcnt<u64>(commas);
      if (count + more < want) {
        count += more;
        continue;
      }
    }
    const openers = quotes & str;
    for (let m = opens | closes | commas | colons; m != 0; m &= m - 1) {
      const low = m & (0 - m);
      const here = i + <u32>ctz<u64>(m);
      if (((commas | colons) & low) != 0) {
        if (depth != 1) continue;
        if (what == SEPARATOR && ++count == want) {
          keep(0, 0, 1, count);
          return <i32>(here + 1);
        }
        if (what == CHILDREN) {
          store<u32>(OUT + (count << 2), (here << 1) | ((colons & low) != 0 ? 1 : 0));
          count++;
        }
        if (what != FIND) continue;
        const before = openers & (low - 1);
        if (before != 0 && backslashes == 0) {
          // The whole key is in this block and is written plainly: its length rules out most.
          const open = 63 - <u32>clz<u64>(before);
          const length = 62 - <u32>clz<u64>(quotes & ~str & (low - 1)) - open;
          if (((lengths >> length) & 1) != 0 && compare(p, <i32>(i + open), <i32>length, <i32>here, keys) && flag) {
            store<i32>(WALK, <i32>here, 28);
            return FOUND;
          }
        } else {
          if (before != 0) opener = <i32>(i + 63 - <u32>clz<u64>(before));
          const earlier = backslashes & (low - 1);
          if (earlier != 0) lastBackslash = <i32>(i + 63 - <u32>clz<u64>(earlier));
          const hit = opener < -back || lastBackslash > opener ? LOOK : compareAcross(p, opener, <i32>here, keys);
          if (hit == LOOK || (hit == FOUND && flag)) {
            store<i32>(WALK, opener, 24);
            store<i32>(WALK, <i32>here, 28);
            return hit;
          }
        }
      } else if ((opens & low) != 0) depth++;
      else if (--depth == 0) {
        if (what == SKIP || what == FIND) return <i32>(here + 1);
        store<u32>(WALK, count, 20);
        store<u32>(WALK, here + 1, 28);
        return CLOSED;
      }
    }
    if (what != FIND) continue;
    if (openers != 0) opener = <i32>(i + 63 - <u32>clz<u64>(openers));
    if (backslashes != 0) lastBackslash = <i32>(i + 63 - <u32>clz<u64>(backslashes));
  }
  keep(inside, esc, depth, count);
  if (what == FIND) store<i32>(WALK, opener, 24);
  return MORE;
}

/** Notes every wanted key that equals the `length` bytes after the quote at `opener`. */
function compare(p: usize, opener: i32, length: i32, colon: i32, keys: u32): bool {
  const start = p + opener + 1;
  let hit = false;
  for (let k: u32 = 0; k < keys; k++) {
    const key = KEYS + (k << 5);
    if (load<i32>(key, 4) != length) continue;
    const bytes = <usize>load<u32>(key);
    let x: i32 = 0;
    while (x < length && load<u8>(start + x) == load<u8>(bytes + x)) x++;
    if (x != length) continue;
    store<u32>(key, load<u32>(key, 8) + 1, 8);
    store<i32>(key, colon + 1, 12);
    store<i32>(key, opener, 16);
    hit = true;
  }
  return hit;
}

/** The same for a key of any length that may have begun in a former block: FOUND, MORE, or LOOK when it holds a backslash. */
function compareAcross(p: usize, opener: i32, colon: i32, keys: u32): i32 {
  let close = colon - 1;
  while (close > opener) {
    const byte = load<u8>(p + close);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) break;
    close--;
  }
  if (close == opener) return MORE;
  // The bytes of this call are known to hold no backslash; those before are not.
  for (let k = opener + 1; k < 0 && k < close; k++) if (load<u8>(p + k) == 0x5c) return LOOK;
  return compare(p, opener, close - opener - 1, colon, keys) ? FOUND : MORE;
}

/** One past the closing quote of the string that the walk is in. */
export function stringEnd(p: usize, n: u32): i32 {
  let esc = load<u64>(WALK, 8);
  for (let i: u32 = 0; i < n; i += 64) {
    const b0 = v128.load(p + i);
    const b1 = v128.load(p + i, 16);
    const b2 = v128.load(p + i, 32);
    const b3 = v128.load(p + i, 48);
    let quotes = eq4(b0, b1, b2, b3, i8x16.splat(0x22));
    const bs = eq4(b0, b1, b2, b3, i8x16.splat(0x5c)) & ~esc;
    if ((esc | bs) != 0) {
      const sum = oddSum(bs, esc);
      quotes &= ~escapedBy(sum, bs, esc);
      esc = escapeOut(sum, bs);
    }
    if (quotes != 0) return <i32>(i + <u32>ctz<u64>(quotes) + 1);
  }
  store<u64>(WALK, esc, 8);
  return MORE;
}

/** The first byte of `n` that is not blank. */
export function blank(p: usize, n: u32): i32 {
  const spaces = i8x16(0x20, -1, -1, -1, -1, -1, -1, -1, -1, 0x09, 0x0a, -1, -1, 0x0d, -1, 0);
  for (let i: u32 = 0; i < n; i += 16) {
    const bytes = v128.load(p + i);
    const mask = i8x16.bitmask(i8x16.eq(bytes, i8x16.swizzle(spaces, v128.and(bytes, i8x16.splat(15)))));
    if (mask != 0xffff) return <i32>(i + <u32>ctz<i32>(~mask));
  }
  return MORE;
}

/** How many of `n` bytes, a multiple of 64, are LF. */
export function lines(p: usize, n: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < n; i += 64)
    count += <u32>popcnt<u64>(
      eq4(
        v128.load(p + i),
        v128.load(p + i, 16),
        v128.load(p + i, 32),
        v128.load(p + i, 48),
        i8x16.splat(0x0a),
      ),
    );
  return count;
}
