// Owns: what a reader is told of keys that no path can name, wherever they are shown or left out.

import { say, type Shown } from "../../errors.ts";

/** Characters that such a sentence takes, at most. */
export const UNNAMED_SENTENCE = 130;

/**
 * That there are keys which no path reaches, because they hold half of a surrogate pair. For a text that shows them.
 *
 * @example unnamedKeysText(1) // "1 key holds half of a surrogate pair: no path can name it, ..."
 */
export function unnamedKeysText(count: number): Shown {
  return count === 1
    ? say`1 key holds half of a surrogate pair: no path can name it, or what is below. Edit it as text.`
    : say`${count} keys hold half of a surrogate pair: no path can name them, or what is below. Edit them as text.`;
}

/** That `count` matches were left out, because no path reaches them. */
export function unnamedMatches(count: number): Shown {
  return say`Left out: ${count} below a key with half of a surrogate pair, which no path can name.`;
}
