// Owns: bisection, for everything that is looked up in a sorted list.

/**
 * How many of the first `count` indexes come before the border: `isBefore` must be true for all up to some index and false for
 * all from there on. Asks it about log2(count) times.
 *
 * @example bisect(starts.length, (i) => starts[i] <= at) - 1  // the last that starts at or before `at`; -1: none does
 */
export function bisect(count: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
