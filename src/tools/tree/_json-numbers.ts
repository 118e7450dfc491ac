// Owns: numbers of a JSON text that a value cannot hold as they are written: with too many digits, or too large for any.

import { LF } from "../../text/lines.ts";
import type { Steps } from "../../text/steps.ts";

/** A number of a text that would be another one as a value. */
export interface LostNumber {
  /** As it is written. */
  readonly literal: string;
  /** As it would be: not finite where there is no such value. */
  readonly value: number;
  readonly line: number;
  readonly column: number;
}

const NUMBER = /-?\d[\d.eE+-]*/y;
/** Shorter ones, without an exponent, are held as they are. */
const SAFE_LENGTH = 15;
const CHARS_A_STEP = 65_536;
const QUOTE = 34;

/** The numbers that would change, in order. The text is valid JSON. */
export function* lostNumbersSteps(text: string): Steps<LostNumber[]> {
  const found: LostNumber[] = [];
  let line = 1;
  let lineStart = 0;
  let nextStep = CHARS_A_STEP;
  for (let at = 0; at < text.length; at++) {
    if (at >= nextStep) {
      nextStep = at + CHARS_A_STEP;
      yield;
    }
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = stringEnd(text, at);
    else if (unit === LF) {
      line++;
      lineStart = at + 1;
    } else {
      NUMBER.lastIndex = at;
      const literal = isNumberStart(unit) ? NUMBER.exec(text)?.[0] : undefined;
      if (literal === undefined) continue;
      const value = Number(literal);
      if (!isHeld(literal, value)) found.push({ literal, value, line, column: at - lineStart + 1 });
      at += literal.length - 1;
    }
  }
  return found;
}

function isNumberStart(unit: number): boolean {
  return unit === 45 || (unit >= 48 && unit <= 57);
}

/** Where the string that begins at `start` ends. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.charCodeAt(at) === QUOTE) return at;
  }
  return text.length;
}

function isHeld(literal: string, value: number): boolean {
  if (literal.length <= SAFE_LENGTH && !/[eE]/.test(literal)) return true;
  return Number.isFinite(value) && decimal(literal) === decimal(String(value));
}

/** A number as digits and an exponent, the same for every way to write it. */
function decimal(text: string): string {
  const [, sign = "", whole = "", part = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, "");
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  if (end === 0) return `${sign}0`;
  return `${sign}${digits.slice(0, end)}e${Number(exponent) - part.length + digits.length - end}`;
}
