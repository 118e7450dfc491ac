// Owns: the rules of RFC 8259 over blocks of 64 bytes: says only whether a block breaks them. Which byte does, and
// why, is the twin's work.
// Must never: read after the block it was given by more than 8 bytes.
//
// Strings, escapes, control characters, UTF-8 and numbers are judged for a whole block at once with bit masks. What is
// left, the order of tokens, is one table look-up for each token.

import { eq4, escapedBy, escapeOut, mask4, oddSum, prefixXor, splat } from "./masks.as";
import { BYTES, CLASSES, OUT, STACK, TABLE, VALID } from "./layout.as";

// Table entries: states 0 to 9 (see scan/js-validation.ts), else what to do.
const OPEN_OBJECT: u32 = 16;
const OPEN_ARRAY: u32 = 17;
const CLOSE: u32 = 18;
const WORD: u32 = 19;
const BAD: u32 = 31;

/** Bytes between two samples of a container that is watched. */
const STRIDE: u32 = 32768;
const NEVER: u32 = 0xffffffff;

const FIRST_KEY: u32 = 5;
const FIRST_ITEM: u32 = 2;

// Classes of UTF-8 faults that two neighbouring bytes can show; a byte pair is bad when all three look-ups agree.
const TOO_SHORT: i8 = 1;
const TOO_LONG: i8 = 2;
const OVERLONG_3: i8 = 4;
const TOO_LARGE: i8 = 8;
const SURROGATE: i8 = 16;
const OVERLONG_2: i8 = 32;
const OVERLONG_4: i8 = 64;
const TWO_CONTINUATIONS: i8 = -128;
const CARRY: i8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

/** The high nibble of each byte. A shift of bytes would build its own mask each time; `nibble` is that mask. */
// @ts-ignore: decorator
@inline
function high(bytes: v128, nibble: v128): v128 {
  return v128.and(i16x8.shr_u(bytes, 4), nibble);
}

// @ts-ignore: decorator
@inline
function utf8Faults(cur: v128, prev: v128, nibble: v128): v128 {
  const byHigh = i8x16(
    TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
    TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS,
    TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | TOO_LARGE | OVERLONG_4,
  );
  const byLow = i8x16(
    CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4, CARRY | OVERLONG_2, CARRY, CARRY,
    CARRY | TOO_LARGE, CARRY | TOO_LARGE | OVERLONG_4, CARRY | TOO_LARGE | OVERLONG_4, CARRY | TOO_LARGE | OVERLONG_4,
    CARRY | TOO_LARGE | OVERLONG_4, CARRY | TOO_LARGE | OVERLONG_4, CARRY | TOO_LARGE | OVERLONG_4, CARRY | TOO_LARGE | OVERLONG_4,
    CARRY | TOO_LARGE | OVERLONG_4, CARRY | TOO_LARGE | OVERLONG_4 | SURROGATE, CARRY | TOO_LARGE | OVERLONG_4, CARRY | TOO_LARGE | OVERLONG_4,
  );
  const bySecond = i8x16(
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | OVERLONG_4,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | OVERLONG_3 | TOO_LARGE,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
    TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS | SURROGATE | TOO_LARGE,
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
  );
  const one = i8x16.shuffle(prev, cur, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  const two = i8x16.shuffle(prev, cur, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  const three = i8x16.shuffle(prev, cur, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28);
  const pair = v128.and(
    v128.and(i8x16.swizzle(byHigh, high(one, nibble)), i8x16.swizzle(byLow, v128.and(one, nibble))),
    i8x16.swizzle(bySecond, high(cur, nibble)),
  );
  // A third or fourth byte must be a continuation, and only there two continuations may meet.
  const must = v128.or(
    i8x16.sub_sat_u(two, i8x16.splat(<i8>(0xe0 - 0x80))),
    i8x16.sub_sat_u(three, i8x16.splat(<i8>(0xf0 - 0x80))),
  );
  return v128.xor(v128.and(must, i8x16.splat(-128)), pair);
}

// @ts-ignore: decorator
@inline
function after(state: u32): u32 {
  return state == 0 ? 1 : state == 8 ? 9 : 4;
}

// @ts-ignore: decorator
@inline
function entry(state: u32, byte: u32, next: u32): void {
  store<u8>(TABLE + (state << 8) + byte, <u8>next);
}

/** Fills the tables. To be called once. */
export function init(): void {
  for (let byte: u32 = 0; byte < 256; byte++) store<u8>(BYTES + byte, <u8>byte);
  // Blanks, and marks with bit 5 set, by their low nibble.
  v128.store(CLASSES, i8x16(0x20, -1, -1, -1, -1, -1, -1, -1, -1, 0x09, 0x0a, -1, -1, 0x0d, -1, 0));
  v128.store(CLASSES, i8x16(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0x3a, 0x7b, 0x2c, 0x7d, -1, 0), 16);
  // Letters that may follow a backslash, by their two nibbles.
  v128.store(CLASSES, i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0), 32);
  v128.store(CLASSES, i8x16(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1), 48);
  memory.fill(TABLE, <u8>BAD, 10 << 8);
  for (let state: u32 = 0; state < 10; state++) {
    if (state != 0 && state != 2 && state != 3 && state != 8) continue;
    entry(state, 0x22, after(state));
    entry(state, 0x2d, after(state));
    for (let byte: u32 = 0x30; byte <= 0x39; byte++) entry(state, byte, after(state));
    entry(state, 0x7b, OPEN_OBJECT);
    entry(state, 0x5b, OPEN_ARRAY);
    entry(state, 0x74, WORD);
    entry(state, 0x66, WORD);
    entry(state, 0x6e, WORD);
  }
  entry(5, 0x22, 7);
  entry(6, 0x22, 7);
  entry(7, 0x3a, 8);
  entry(4, 0x2c, 3);
  entry(9, 0x2c, 6);
  entry(2, 0x5d, CLOSE);
  entry(4, 0x5d, CLOSE);
  entry(5, 0x7d, CLOSE);
  entry(9, 0x7d, CLOSE);
}

/** Starts a validation that accepts up to `maxDepth` open containers. */
export function validateStart(maxDepth: u32): void {
  memory.fill(VALID, 0, 128);
  store<u32>(VALID, maxDepth, 72);
  store<u32>(VALID, NEVER, 104);
}

/** True when the document may end here. */
export function validateDone(): bool {
  return load<u64>(VALID) == 0 && load<u32>(VALID, 68) == 1;
}

/**
 * Judges `n` bytes at `p`, a multiple of 64. Returns -1 when they go well, else the offset of the block that breaks
 * the rules. State: in-string, escape carry, previous masks, depth, state.
 *
 * On the way it watches the container directly inside the root that starts at offset VALID+104 (or started before, 0):
 * commas directly inside it, which lead to state VALID+108, are counted at VALID+112. After the first one at or
 * beyond offset VALID+116, and so on in strides, a sample is left in OUT: the count and the offset after the comma;
 * VALID+120 says how many. When the container closes, VALID+124 is the offset after its bracket.
 */
export function validate(p: usize, n: u32): i32 {
  const SPACES = v128.load(CLASSES);
  const MARKS = v128.load(CLASSES, 16);
  const NIBBLE = splat(15);
  const LOWER = splat(0x20);
  const LAST = splat(0x1f);
  const QUOTE = splat(0x22);
  const BACKSLASH = splat(0x5c);

  let inside = load<u64>(VALID, 0);
  let esc = load<u64>(VALID, 8);
  let prevScalar = load<u64>(VALID, 16);
  let prevU = load<u64>(VALID, 24);
  let prevD = load<u64>(VALID, 32);
  let prevDotSign = load<u64>(VALID, 40);
  let prevE = load<u64>(VALID, 48);
  let prevFlags = load<u32>(VALID, 56); // 1: previous byte was an int part's zero, 2: a minus at a token's start
  let runs = load<u32>(VALID, 60); // 1: digits of a fraction reach into this block, 2: digits of an exponent
  let depth = load<u32>(VALID, 64);
  let state = load<u32>(VALID, 68);
  const maxDepth = load<u32>(VALID, 72);
  let wordSpill = load<u32>(VALID, 76); // bytes of a word that reach into this block
  let prev = v128.load(VALID, 80);
  // May the block before hold more than ASCII?
  let wide = true;
  let prevNum = load<u64>(VALID, 96);
  const separated = load<u32>(VALID, 104) == NEVER ? NEVER : load<u32>(VALID, 108);

  for (let i: u32 = 0; i < n; i += 64) {
    const at = p + i;
    const b0 = v128.load(at);
    const b1 = v128.load(at, 16);
    const b2 = v128.load(at, 32);
    const b3 = v128.load(at, 48);

    let quotes = eq4(b0, b1, b2, b3, QUOTE);
    const e0 = i8x16.eq(b0, BACKSLASH);
    const e1 = i8x16.eq(b1, BACKSLASH);
    const e2 = i8x16.eq(b2, BACKSLASH);
    const e3 = i8x16.eq(b3, BACKSLASH);
    let escaped: u64 = 0;
    if (esc != 0 || v128.any_true(v128.or(v128.or(e0, e1), v128.or(e2, e3)))) {
      const bs = mask4(e0, e1, e2, e3) & ~esc;
      const sum = oddSum(bs, esc);
      escaped = escapedBy(sum, bs, esc);
      esc = escapeOut(sum, bs);
      quotes &= ~escaped;
    }
    const str = prefixXor(quotes) ^ inside;
    inside = <u64>(<i64>str >> 63);

    const control = mask4(i8x16.le_u(b0, LAST), i8x16.le_u(b1, LAST), i8x16.le_u(b2, LAST), i8x16.le_u(b3, LAST));
    if (control & str) return i;

    if ((escaped | (prevU >> 60)) != 0) {
      const byHigh = v128.load(CLASSES, 32);
      const byLow = v128.load(CLASSES, 48);
      const none = i8x16.splat(0);
      const bad = mask4(
        i8x16.eq(v128.and(i8x16.swizzle(byHigh, high(b0, NIBBLE)), i8x16.swizzle(byLow, v128.and(b0, NIBBLE))), none),
        i8x16.eq(v128.and(i8x16.swizzle(byHigh, high(b1, NIBBLE)), i8x16.swizzle(byLow, v128.and(b1, NIBBLE))), none),
        i8x16.eq(v128.and(i8x16.swizzle(byHigh, high(b2, NIBBLE)), i8x16.swizzle(byLow, v128.and(b2, NIBBLE))), none),
        i8x16.eq(v128.and(i8x16.swizzle(byHigh, high(b3, NIBBLE)), i8x16.swizzle(byLow, v128.and(b3, NIBBLE))), none),
      );
      if (escaped & bad) return i;
      const u = escaped & eq4(b0, b1, b2, b3, i8x16.splat(0x75));
      if ((u | (prevU >> 60)) != 0) {
        const need =
          (u << 1) | (prevU >> 63) | (u << 2) | (prevU >> 62) | (u << 3) | (prevU >> 61) | (u << 4) | (prevU >> 60);
        if (need & ~(digits(b0, b1, b2, b3) | hexLetters(b0, b1, b2, b3))) return i;
      }
      prevU = u;
    }

    if (i8x16.bitmask(v128.or(v128.or(b0, b1), v128.or(b2, b3))) != 0) {
      wide = true;
      const faults = v128.or(
        v128.or(utf8Faults(b0, prev, NIBBLE), utf8Faults(b1, b0, NIBBLE)),
        v128.or(utf8Faults(b2, b1, NIBBLE), utf8Faults(b3, b2, NIBBLE)),
      );
      if (v128.any_true(faults)) return i;
    } else if (wide) {
      // An ASCII block must not cut a sequence that began in the block before.
      const most = i8x16(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -17, -33, -65);
      if (v128.any_true(i8x16.sub_sat_u(prev, most))) return i;
      wide = false;
    }
    prev = b3;
    // In the middle of a string there is nothing else to see.
    if (quotes == 0 && inside != 0) continue;

    const n0 = v128.and(b0, NIBBLE);
    const n1 = v128.and(b1, NIBBLE);
    const n2 = v128.and(b2, NIBBLE);
    const n3 = v128.and(b3, NIBBLE);
    const spaces = mask4(
      i8x16.eq(b0, i8x16.swizzle(SPACES, n0)),
      i8x16.eq(b1, i8x16.swizzle(SPACES, n1)),
      i8x16.eq(b2, i8x16.swizzle(SPACES, n2)),
      i8x16.eq(b3, i8x16.swizzle(SPACES, n3)),
    );
    const marks =
      mask4(
        i8x16.eq(v128.or(b0, LOWER), i8x16.swizzle(MARKS, n0)),
        i8x16.eq(v128.or(b1, LOWER), i8x16.swizzle(MARKS, n1)),
        i8x16.eq(v128.or(b2, LOWER), i8x16.swizzle(MARKS, n2)),
        i8x16.eq(v128.or(b3, LOWER), i8x16.swizzle(MARKS, n3)),
      ) & ~str;
    const scalar = ~(marks | spaces | str | quotes);
    const starts = scalar & ~((scalar << 1) | prevScalar);
    prevScalar = scalar >> 63;

    let words: u64 = ((<u64>1) << wordSpill) - 1;
    wordSpill = 0;
    let m = marks | starts | (quotes & str);
    while (m != 0) {
      const bit = <u32>ctz<u64>(m);
      m &= m - 1;
      const next = <u32>load<u8>(TABLE + (state << 8) + load<u8>(at + bit));
      if (next < 16) {
        state = next;
        if (next == separated && depth == 2) separator(i + bit);
        continue;
      }
      if (next == OPEN_OBJECT || next == OPEN_ARRAY) {
        if (depth >= maxDepth) return i;
        store<u8>(STACK + depth, <u8>after(state));
        depth++;
        state = next == OPEN_OBJECT ? FIRST_KEY : FIRST_ITEM;
      } else if (next == CLOSE) {
        depth--;
        state = load<u8>(STACK + depth);
        if (depth == 1 && i + bit >= load<u32>(VALID, 104)) {
          store<u32>(VALID, NEVER, 104);
          store<u32>(VALID, i + bit + 1, 124);
        }
      } else if (next == WORD) {
        const four = load<u32>(at + bit);
        let length: u32 = 4;
        if (four == 0x736c6166 && load<u8>(at + bit, 4) == 0x65) length = 5;
        else if (four != 0x65757274 && four != 0x6c6c756e) return i;
        words |= (((<u64>1) << length) - 1) << bit;
        if (bit + length > 64) wordSpill = bit + length - 64;
        state = after(state);
      } else return i;
    }

    const num = scalar & ~words;
    if ((num | prevDotSign | prevE) != 0 || runs != 0) {
      const all = digits(b0, b1, b2, b3);
      const d = all & num;
      const dots = eq4(b0, b1, b2, b3, i8x16.splat(0x2e)) & num;
      const minus = eq4(b0, b1, b2, b3, i8x16.splat(0x2d)) & num;
      const rest = num & ~(d | dots | minus);
      let e: u64 = 0;
      let plus: u64 = 0;
      if (rest != 0) {
        e = eq4(v128.or(b0, LOWER), v128.or(b1, LOWER), v128.or(b2, LOWER), v128.or(b3, LOWER), i8x16.splat(0x65)) & num;
        plus = eq4(b0, b1, b2, b3, i8x16.splat(0x2b)) & num;
        if (rest & ~(e | plus)) return i;
      }
      const sign = minus | plus;
      const afterD = (d << 1) | prevD;
      const afterE = (e << 1) | prevE;
      const afterDotSign = ((dots | sign) << 1) | prevDotSign;
      const opening = minus & starts;
      const zeros = eq4(b0, b1, b2, b3, i8x16.splat(0x30)) & d & (starts | (opening << 1) | <u64>((prevFlags >> 1) & 1));
      // A number's byte starts a token or goes on with a number: it never follows a word.
      let bad = num & ~(starts | (num << 1) | prevNum);
      bad |= (dots | e) & ~afterD;
      bad |= sign & ~(opening | afterE);
      bad |= afterDotSign & ~d;
      bad |= afterE & ~(d | sign);
      bad |= ((zeros << 1) | <u64>(prevFlags & 1)) & d;
      // Digits after a dot must not run into another dot; digits of an exponent neither into a dot nor an e.
      const afterDot = ((dots << 1) | <u64>((prevFlags >> 2) & 1)) & d;
      const fraction = afterDot | (runs & 1 ? d & 1 : 0);
      const fractionSum = fraction + d;
      bad |= ((fractionSum & ~d) | (<u64>(runs & 1) & ~d)) & dots;
      let nextRuns: u32 = fractionSum < d ? 1 : 0;
      if ((e | prevE) != 0 || runs > 1 || ((prevFlags >> 3) & 1) != 0) {
        const signed = sign & afterE;
        const exponent = ((afterE | (signed << 1) | <u64>((prevFlags >> 3) & 1)) & d) | (runs & 2 ? d & 1 : 0);
        const exponentSum = exponent + d;
        bad |= ((exponentSum & ~d) | (<u64>((runs >> 1) & 1) & ~d)) & (dots | e);
        nextRuns |= exponentSum < d ? 2 : 0;
        prevFlags = <u32>(signed >> 63) << 3;
      } else prevFlags = 0;
      if (bad != 0) return i;
      runs = nextRuns;
      prevNum = num >> 63;
      prevD = d >> 63;
      prevE = e >> 63;
      prevDotSign = (dots | sign) >> 63;
      prevFlags |= <u32>(zeros >> 63) | (<u32>(opening >> 63) << 1) | (<u32>(dots >> 63) << 2);
    } else {
      prevNum = 0;
      prevD = 0;
      prevFlags = 0;
    }
  }

  store<u64>(VALID, inside, 0);
  store<u64>(VALID, esc, 8);
  store<u64>(VALID, prevScalar, 16);
  store<u64>(VALID, prevU, 24);
  store<u64>(VALID, prevD, 32);
  store<u64>(VALID, prevDotSign, 40);
  store<u64>(VALID, prevE, 48);
  store<u32>(VALID, prevFlags, 56);
  store<u32>(VALID, runs, 60);
  store<u32>(VALID, depth, 64);
  store<u32>(VALID, state, 68);
  store<u32>(VALID, wordSpill, 76);
  v128.store(VALID, prev, 80);
  store<u64>(VALID, prevNum, 96);
  return -1;
}

/** A comma at `offset`, directly inside a container directly inside the root. */
function separator(offset: u32): void {
  if (offset < load<u32>(VALID, 104)) return;
  const count = load<u32>(VALID, 112) + 1;
  store<u32>(VALID, count, 112);
  if (offset < load<u32>(VALID, 116)) return;
  const samples = load<u32>(VALID, 120);
  store<u32>(OUT + (samples << 3), count);
  store<u32>(OUT + (samples << 3), offset + 1, 4);
  store<u32>(VALID, samples + 1, 120);
  store<u32>(VALID, offset + STRIDE, 116);
}

// @ts-ignore: decorator
@inline
function digits(a: v128, b: v128, c: v128, d: v128): u64 {
  const zero = i8x16.splat(0x30);
  const nine = i8x16.splat(9);
  return mask4(
    i8x16.le_u(i8x16.sub(a, zero), nine),
    i8x16.le_u(i8x16.sub(b, zero), nine),
    i8x16.le_u(i8x16.sub(c, zero), nine),
    i8x16.le_u(i8x16.sub(d, zero), nine),
  );
}

// @ts-ignore: decorator
@inline
function hexLetters(a: v128, b: v128, c: v128, d: v128): u64 {
  const lower = i8x16.splat(0x20);
  const first = i8x16.splat(0x61);
  const six = i8x16.splat(6);
  return mask4(
    i8x16.lt_u(i8x16.sub(v128.or(a, lower), first), six),
    i8x16.lt_u(i8x16.sub(v128.or(b, lower), first), six),
    i8x16.lt_u(i8x16.sub(v128.or(c, lower), first), six),
    i8x16.lt_u(i8x16.sub(v128.or(d, lower), first), six),
  );
}
