// Owns: the text form of a place in history, as callers see and send it back.
// Must never: be parsed loosely. A token that is not exactly of our making is not a token.

import type { Shown } from "../errors.ts";
import type { Position } from "./journal.ts";

const DIGITS = 8;

/**
 * The version token of a place: its seq and the first digits of its chain hash, `42-9f3a1c07`. The digits keep a token of a
 * lost timeline (a restored backup, a failover) from matching another history that reached the same number.
 *
 * @example tokenOf(session.at) // "42-9f3a1c07"
 */
export function tokenOf(position: Position): Shown {
  return `${position.seq}-${position.hash.slice(0, DIGITS)}` as Shown;
}

/**
 * Reads a token back; `hash` holds only the leading digits. Undefined when the text is not a token.
 *
 * @example parseToken("42-9f3a1c07") // { seq: 42, hash: "9f3a1c07" }; undefined for what is no token
 */
export function parseToken(text: string): Position | undefined {
  if (text.length > 16 + 1 + DIGITS) return undefined;
  const match = /^(0|[1-9][0-9]*)-([0-9a-f]{8})$/.exec(text);
  if (match === null) return undefined;
  const seq = Number(match[1]);
  return Number.isSafeInteger(seq) ? { seq, hash: match[2] ?? "" } : undefined;
}

/** What a token says: a place in history, and of which of the agent's views, where it names one. */
export interface AnyToken {
  readonly at: Position;
  readonly rev?: number;
}

/**
 * Reads a token of any tool: `42-9f3a1c07`, or `42-9f3a1c07.3` of one that works on trees, where a number that counts the agent's
 * views follows. Both are taken wherever a token is. Undefined when the text is neither.
 */
export function readAnyToken(text: string): AnyToken | undefined {
  const dot = text.indexOf(".");
  const at = parseToken(dot < 0 ? text : text.slice(0, dot));
  if (at === undefined) return undefined;
  if (dot < 0) return { at };
  const rev = text.slice(dot + 1);
  return /^(?:0|[1-9][0-9]{0,14})$/.test(rev) ? { at, rev: Number(rev) } : undefined;
}
