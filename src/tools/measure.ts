// Owns: the bound on what a caller may send in one call, checked before anything looks at it.

import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";

type Bounds = Pick<Limits, "inputBytes" | "inputDepth">;

/**
 * Throws `invalid_argument` when the input is too large or too deep. One pass over what it holds, no recursion; it stops at
 * the bound, so a value that contains itself ends too.
 */
export function checkInputSize(input: unknown, limits: Bounds): void {
  let size = 0;
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const value of level) {
      size += typeof value === "string" ? value.length + 2 : 4;
      if (Array.isArray(value)) {
        size += value.length;
        if (size <= limits.inputBytes) for (const item of value) below.push(item);
      } else if (typeof value === "object" && value !== null)
        for (const key in value) {
          size += key.length + 3;
          below.push((value as Record<string, unknown>)[key]);
        }
      if (size > limits.inputBytes) throw tooLarge(limits.inputBytes);
    }
    if (below.length > 0 && depth >= limits.inputDepth) throw tooDeep(limits.inputDepth);
    level = below;
  }
}

function tooLarge(limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "input_too_large",
    say`The input is larger than ${limit} bytes. Send it in several calls.`,
    { data: { limit } },
  );
}

function tooDeep(limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "input_too_deep",
    say`The input is nested deeper than ${limit} levels. Send it flatter, or as text.`,
    { data: { limit } },
  );
}
