// Owns: putting finished rows to the test of a filter, so that only those come out that may pass it.
// Must never: decide what it cannot read at a glance (an exponent, more than 15 digits, an escape): such a row stays in.
//
// PREFILTER: 0 kind of test, 4 number of the key, 8 outcomes that pass (a bit each), 12 whether to pass is final, 16 number to
// compare with, 24 length of the text to compare with, which is at PREFILTER_TEXT.

import { PREFILTER, PREFILTER_TEXT } from "./layout.as";

/** Words of a row before those of its keys: start, end, ordinal (doubled, plus one when it passes for sure), far. */
export const ROW_HEAD: usize = 16;

const NUMBER: u32 = 1;

// Outcomes of a comparison, and that there is none yet.
const LESS: i32 = 0;
const EQUAL: i32 = 1;
const GREATER: i32 = 2;
const UNLIKE: i32 = 3;
const UNSURE: i32 = -1;

/**
 * Keeps of the rows from `from` to before `to` those that may pass, and moves them together; the row at `to`, of a record
 * that goes on, follows. `ordinal` is the first one's. Far is where the value of key number `ending` ends, -1 when that is
 * not seen at a glance. Returns where the row that goes on now is.
 */
export function prefilter(p: usize, from: usize, to: usize, width: usize, ordinal: u32, ending: i32): usize {
  let into = from;
  let number = ordinal;
  for (let row = from; row < to; row += width, number++) {
    const outcome = compare(p, row);
    const sure = outcome != UNSURE;
    const passes = (load<u32>(PREFILTER, 8) >> (<u32>outcome & 31)) & 1;
    if (into != row) move(into, row, width);
    store<u32>(into, (number << 1) | (sure ? passes & load<u32>(PREFILTER, 12) : 0), 8);
    store<i32>(into, ending < 0 ? -1 : shortEnd(p, load<i32>(into + (<usize>ending << 2), ROW_HEAD)), 12);
    into += !sure || passes != 0 ? width : 0;
  }
  move(into, to, width);
  return into;
}

function move(into: usize, from: usize, width: usize): void {
  for (let x: usize = 0; x < width; x += 4) store<u32>(into + x, load<u32>(from + x));
}

function compare(p: usize, row: usize): i32 {
  const kind = load<u32>(PREFILTER);
  if (kind == 0) return UNSURE;
  const value = load<i32>(row + (<usize>load<u32>(PREFILTER, 4) << 2), ROW_HEAD);
  if (value < 0) return UNLIKE;
  return kind == NUMBER ? compareNumber(p + value) : compareText(p + value);
}

// @ts-ignore: decorator
@inline
function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

/** Up to 15 digits are exact in a double, and so are powers of ten: their quotient is what the engine would read. */
function compareNumber(at: usize): i32 {
  const minus = load<u8>(at) == 0x2d;
  let here = minus ? at + 1 : at;
  let byte: u32 = load<u8>(here);
  if (!isDigit(byte)) return minus ? UNSURE : UNLIKE;
  let whole: u64 = 0;
  let power: f64 = 1;
  let digits: u32 = 0;
  for (; isDigit(byte) && digits < 16; digits++) {
    whole = whole * 10 + (byte - 0x30);
    byte = load<u8>(++here);
  }
  if (byte == 0x2e) {
    byte = load<u8>(++here);
    for (; isDigit(byte) && digits < 16; digits++) {
      whole = whole * 10 + (byte - 0x30);
      power *= 10;
      byte = load<u8>(++here);
    }
  }
  if (digits > 15 || (byte | 0x20) == 0x65) return UNSURE;
  const value = (minus ? -(<f64>whole) : <f64>whole) / power;
  const bound = load<f64>(PREFILTER, 16);
  return value < bound ? LESS : value > bound ? GREATER : EQUAL;
}

function compareText(at: usize): i32 {
  const length = load<u32>(PREFILTER, 24);
  let x: u32 = 0;
  while (x < length && load<u8>(at + x) == load<u8>(PREFILTER_TEXT + x)) x++;
  if (x == length) return EQUAL;
  return load<u8>(at + x) == 0x5c ? UNSURE : UNLIKE;
}

/** One past the string at `value`, when it is short and written plainly. */
function shortEnd(p: usize, value: i32): i32 {
  if (value < 0 || load<u8>(p + value) != 0x22) return -1;
  for (let x = value + 1; x < value + 49; x += 16) {
    const bytes = v128.load(p + x);
    const quotes = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x22)));
    const marks = quotes | i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0x5c)));
    if (marks != 0) return (quotes & marks & (0 - marks)) != 0 ? x + ctz<i32>(marks) + 1 : -1;
  }
  return -1;
}
