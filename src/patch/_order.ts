// Owns: the order of a file's operations by line, then by their place in the patch, in steps.

import type { Steps } from "./_steps.ts";
import type { Operation } from "./operation.ts";

const CHUNK = 16_384;
/** A key is line x 2^21 + place: exact, since lines that matter are below 2^31 and a patch has at most 10^6 operations. */
const PLACES = 2 ** 21;
const MOST = 2 ** 31;

/**
 * The members of `indices` ordered by line; the order in the patch decides between equals. Lines of 2^31 and more count
 * as equal: no file that can be patched has them. Operations that ascend already cost one look.
 */
export function* orderByLine(
  operations: readonly Operation[],
  indices: readonly number[],
): Steps<readonly number[]> {
  const keys = new Float64Array(indices.length);
  let ascending = true;
  let last = 0;
  for (let place = 0; place < indices.length; place++) {
    const line = Math.min((operations[indices[place] as number] as Operation).line, MOST);
    keys[place] = line * PLACES + place;
    if (line < last) ascending = false;
    last = line;
  }
  if (ascending) return indices;
  yield;
  for (let from = 0; from < keys.length; from += CHUNK) {
    keys.subarray(from, from + CHUNK).sort();
    yield;
  }
  let source: Float64Array = keys;
  let target: Float64Array = new Float64Array(keys.length);
  for (let width = CHUNK; width < keys.length; width *= 2) {
    for (let from = 0; from < keys.length; from += 2 * width) {
      merge(
        source,
        target,
        from,
        Math.min(from + width, keys.length),
        Math.min(from + 2 * width, keys.length),
      );
      yield;
    }
    [source, target] = [target, source];
  }
  const ordered: number[] = [];
  for (let i = 0; i < source.length; i++) {
    const key = source[i] as number;
    ordered.push(indices[key - Math.floor(key / PLACES) * PLACES] as number);
  }
  return ordered;
}

function merge(source: Float64Array, target: Float64Array, from: number, middle: number, end: number): void {
  let left = from;
  let right = middle;
  for (let to = from; to < end; to++) {
    const takeLeft = left < middle && (right >= end || (source[left] as number) <= (source[right] as number));
    target[to] = source[takeLeft ? left++ : right++] as number;
  }
}
