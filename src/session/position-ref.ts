// Owns: the ways in which a host names a place in history.

import { echo, HoldfastError, say } from "../errors.ts";
import type { Position } from "../store/journal.ts";
import { readAnyToken } from "../store/token.ts";

/** A position, the token of one, or the seq of a record. */
export type PositionRef = Position | string | number;

/** The position meant; its hash may be only the leading digits, or none. Throws `invalid_argument` / `bad_token`. */
export function positionOf(ref: PositionRef): Position {
  if (typeof ref === "object" && ref !== null) return ref;
  if (typeof ref === "string") {
    const token = readAnyToken(ref);
    if (token !== undefined) return token.at;
    throw new HoldfastError(
      "invalid_argument",
      "bad_token",
      say`${echo(ref)} is not a version token. Use one that a call or a snapshot returned.`,
    );
  }
  if (Number.isSafeInteger(ref) && ref >= 0) return { seq: ref, hash: "" };
  throw new HoldfastError(
    "invalid_argument",
    "bad_token",
    say`${echo(String(ref))} is not the number of a record.`,
  );
}
