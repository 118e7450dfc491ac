// Owns: the fewest elements to take out and put in to turn one sequence into another (Myers, linear space).
// Elements without a partner on the other side are set aside first, which changes nothing about the answer and makes
// unrelated texts cheap. Beyond a bound of work the answer is still right, but may name more elements than needed.

import type { Steps } from "../text/steps.ts";

const WORK_PER_STEP = 1 << 18;
/** Work after which a search goes no deeper than SHALLOW edits before it settles for the furthest place. */
const MOST_WORK = 60_000_000;
const SHALLOW = 64;

export interface Kept {
  /** 1 where the element stays. The n-th that stays in `a` is the n-th that stays in `b`. */
  readonly a: Uint8Array;
  readonly b: Uint8Array;
}

interface Box {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** Elements are whole numbers below `symbols`; equal numbers are equal elements. */
export function* minimalDiff(
  a: Int32Array,
  b: Int32Array,
  symbols: number,
  mostWork: number = MOST_WORK,
): Steps<Kept> {
  const kept: Kept = { a: new Uint8Array(a.length), b: new Uint8Array(b.length) };
  const [x, xPlaces] = withPartner(a, b, symbols);
  const [y, yPlaces] = withPartner(b, a, symbols);
  yield;
  const keep = (i: number, j: number): void => {
    kept.a[xPlaces[i] as number] = 1;
    kept.b[yPlaces[j] as number] = 1;
  };
  const search = new MiddleSearch(x, y);
  const boxes: Box[] = [{ aFrom: 0, aTo: x.length, bFrom: 0, bTo: y.length }];
  let nextStep = WORK_PER_STEP;
  for (let whole = boxes.pop(); whole !== undefined; whole = boxes.pop()) {
    const box = trim(x, y, whole, keep);
    search.work += whole.aTo - whole.aFrom - (box.aTo - box.aFrom) + 1;
    if (box.aFrom < box.aTo && box.bFrom < box.bTo) {
      const [i, j] = yield* search.middleOf(box, mostWork);
      boxes.push({ ...box, aFrom: i, bFrom: j }, { ...box, aTo: i, bTo: j });
    }
    if (search.work > nextStep) {
      nextStep = search.work + WORK_PER_STEP;
      yield;
    }
  }
  return kept;
}

/** The elements of `from` that `other` has too, and their places. */
function withPartner(from: Int32Array, other: Int32Array, symbols: number): [Int32Array, Int32Array] {
  const has = new Uint8Array(symbols);
  for (let i = 0; i < other.length; i++) has[other[i] as number] = 1;
  const elements = new Int32Array(from.length);
  const places = new Int32Array(from.length);
  let count = 0;
  for (let i = 0; i < from.length; i++) {
    if (has[from[i] as number] === 0) continue;
    elements[count] = from[i] as number;
    places[count++] = i;
  }
  return [elements.subarray(0, count), places];
}

function trim(a: Int32Array, b: Int32Array, box: Box, keep: (i: number, j: number) => void): Box {
  let { aFrom, aTo, bFrom, bTo } = box;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) keep(aFrom++, bFrom++);
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) keep(--aTo, --bTo);
  return { aFrom, aTo, bFrom, bTo };
}

/** Stands for "no path here": below every place for `down`, above every place for `up`. */
const NONE = 2 ** 30;

/**
 * Searches from both ends of a box at once until the paths meet. Diagonal k joins the places with x - y = k, counted from
 * the start of the box; `down[k]` and `up[k]` hold the furthest x reached on it from the start and from the end. Both
 * ends of the box differ, so at least one edit lies on either side of the middle, which is never a corner.
 */
class MiddleSearch {
  work = 0;
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #down: Int32Array;
  readonly #up: Int32Array;
  /** Where diagonal 0 lies in the arrays. */
  readonly #zero: number;

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a;
    this.#b = b;
    this.#zero = b.length + 1;
    this.#down = new Int32Array(a.length + b.length + 3);
    this.#up = new Int32Array(a.length + b.length + 3);
  }

  /** A place on a shortest path; once the work exceeds `mostWork`, the furthest place that few edits reach. */
  *middleOf({ aFrom, aTo, bFrom, bTo }: Box, mostWork: number): Steps<readonly [number, number]> {
    const down = this.#down;
    const up = this.#up;
    const zero = this.#zero;
    const n = aTo - aFrom;
    const m = bTo - bFrom;
    const delta = n - m;
    const odd = (delta & 1) !== 0;
    // Only the diagonals that d edits can reach are made ready, so that a shallow search in a large box stays cheap.
    const ready = (k: number): void => {
      if (k >= -m - 1 && k <= n + 1) down[zero + k] = -NONE;
      const r = delta - k;
      if (r >= -m - 1 && r <= n + 1) up[zero + r] = NONE;
    };
    ready(-1);
    ready(1);
    down[zero] = 0;
    up[zero + delta] = n;
    let nextStep = this.work + WORK_PER_STEP;
    for (let d = 1; ; d++) {
      ready(-d - 1);
      ready(d + 1);
      const best = this.#forward(aFrom, bFrom, n, m, d);
      if (best.met && odd) return [aFrom + best.x, bFrom + best.y];
      const meeting = this.#backward(aFrom, bFrom, n, m, d);
      if (meeting !== undefined && !odd) return [aFrom + meeting[0], bFrom + meeting[1]];
      this.work += 2 * d;
      if (this.work > mostWork && d >= SHALLOW) return [aFrom + best.x, bFrom + best.y];
      if (this.work > nextStep) {
        nextStep = this.work + WORK_PER_STEP;
        yield;
      }
    }
  }

  /** One more edit from the start. Answers the furthest place, or the first that a path from the end has reached. */
  #forward(
    aFrom: number,
    bFrom: number,
    n: number,
    m: number,
    d: number,
  ): { x: number; y: number; met: boolean } {
    const a = this.#a;
    const b = this.#b;
    const down = this.#down;
    const up = this.#up;
    const zero = this.#zero;
    const delta = n - m;
    const low = d <= m ? -d : -m + ((d ^ m) & 1);
    const high = d <= n ? d : n - ((d ^ n) & 1);
    let bestX = 0;
    let bestY = 0;
    for (let k = low; k <= high; k += 2) {
      const right = (down[zero + k - 1] as number) + 1;
      const below = down[zero + k + 1] as number;
      let x = down[zero + k] as number;
      if (right <= n && right > x) x = right;
      if (below - k <= m && below > x) x = below;
      if (x < 0) continue;
      let y = x - k;
      while (x < n && y < m && a[aFrom + x] === b[bFrom + y]) {
        x++;
        y++;
      }
      down[zero + k] = x;
      if (k >= delta - d && k <= delta + d && x >= (up[zero + k] as number)) return { x, y, met: true };
      if (x + y > bestX + bestY) [bestX, bestY] = [x, y];
    }
    return { x: bestX, y: bestY, met: false };
  }

  /** One more edit from the end. Answers the first place that a path from the start has reached. */
  #backward(aFrom: number, bFrom: number, n: number, m: number, d: number): [number, number] | undefined {
    const a = this.#a;
    const b = this.#b;
    const down = this.#down;
    const up = this.#up;
    const zero = this.#zero;
    const delta = n - m;
    const low = delta + (d <= n ? -d : -n + ((d ^ n) & 1));
    const high = delta + (d <= m ? d : m - ((d ^ m) & 1));
    for (let k = low; k <= high; k += 2) {
      const left = (up[zero + k + 1] as number) - 1;
      const above = up[zero + k - 1] as number;
      let x = up[zero + k] as number;
      if (left >= 0 && left < x) x = left;
      if (above - k >= 0 && above < x) x = above;
      if (x > n) continue;
      let y = x - k;
      while (x > 0 && y > 0 && a[aFrom + x - 1] === b[bFrom + y - 1]) {
        x--;
        y--;
      }
      up[zero + k] = x;
      if (k >= -d && k <= d && x <= (down[zero + k] as number)) return [x, y];
    }
    return undefined;
  }
}
