// Owns: which elements two sequences have in common, as many as possible (Myers' shortest edit, in linear memory).
// Elements that the other side does not have are set aside first: the result is the same, and unrelated texts are cheap.
// Beyond a bound of work the result is still a common subsequence, but may be shorter than the longest: then elements that
// occur once on both sides anchor the rest (patience diff), and at last the search goes only a few edits deep.

import { uniqueAnchors } from "./_unique-anchors.ts";
import type { Steps } from "./steps.ts";

const WORK_PER_STEP = 1 << 18;
/** Beyond the bound of work, a search goes no deeper than this many edits before it settles for the furthest place. */
const SHALLOW = 64;

/** 1 where an element is common. The n-th such element of `a` is the n-th such element of `b`. */
export interface CommonElements {
  readonly a: Uint8Array;
  readonly b: Uint8Array;
}

/** A part of both sequences: `a[aFrom .. aTo)` against `b[bFrom .. bTo)`. */
export interface Box {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/**
 * Elements are whole numbers below `symbols`; equal numbers are equal elements. `maxWork` is about how many comparisons
 * are spent before the search settles for less than the longest; after it, work is linear.
 */
export function* commonElements(
  a: Int32Array,
  b: Int32Array,
  symbols: number,
  maxWork: number,
): Steps<CommonElements> {
  const common: CommonElements = { a: new Uint8Array(a.length), b: new Uint8Array(b.length) };
  const [x, xPlaces] = yield* withPartner(a, b, symbols);
  const [y, yPlaces] = yield* withPartner(b, a, symbols);
  const keep = (i: number, j: number): void => {
    common.a[xPlaces[i] as number] = 1;
    common.b[yPlaces[j] as number] = 1;
  };
  const search = new MiddleSearch(x, y, maxWork / 2);
  // A box is searched for anchors once: its parts are `anchored`.
  const boxes = [{ box: { aFrom: 0, aTo: x.length, bFrom: 0, bTo: y.length }, anchored: false }];
  for (let next = boxes.pop(); next !== undefined; next = boxes.pop()) {
    const { box: whole, anchored } = next;
    const box = trim(x, y, whole, keep);
    if (search.spend(whole.aTo - whole.aFrom - (box.aTo - box.aFrom) + 1)) yield;
    if (box.aFrom === box.aTo || box.bFrom === box.bTo) continue;
    const middle = yield* search.middleOf(box, anchored);
    if (middle !== undefined) {
      const [i, j] = middle;
      boxes.push({ box: { ...box, aFrom: i, bFrom: j }, anchored });
      boxes.push({ box: { ...box, aTo: i, bTo: j }, anchored });
      continue;
    }
    let { aFrom, bFrom } = box;
    for (const [i, j] of yield* uniqueAnchors(x, y, box, symbols)) {
      keep(i, j);
      boxes.push({ box: { aFrom, aTo: i, bFrom, bTo: j }, anchored: true });
      [aFrom, bFrom] = [i + 1, j + 1];
    }
    // What lies between anchors is small: worth another search for the shortest edit.
    if (aFrom > box.aFrom) search.renew(maxWork);
    boxes.push({ box: { ...box, aFrom, bFrom }, anchored: true });
  }
  return common;
}

/** The elements of `from` that `other` has too, and their places. */
function* withPartner(
  from: Int32Array,
  other: Int32Array,
  symbols: number,
): Steps<readonly [elements: Int32Array, places: Int32Array]> {
  const has = new Uint8Array(symbols);
  for (let i = 0; i < other.length; i += WORK_PER_STEP) {
    mark(has, other.subarray(i, i + WORK_PER_STEP));
    yield;
  }
  const elements = new Int32Array(from.length);
  const places = new Int32Array(from.length);
  let count = 0;
  for (let i = 0; i < from.length; i++) {
    if (i % WORK_PER_STEP === 0) yield;
    if (has[from[i] as number] === 0) continue;
    elements[count] = from[i] as number;
    places[count++] = i;
  }
  return [elements.subarray(0, count), places];
}

function mark(has: Uint8Array, elements: Int32Array): void {
  for (let i = 0; i < elements.length; i++) has[elements[i] as number] = 1;
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
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #down: Int32Array;
  readonly #up: Int32Array;
  /** Where diagonal 0 lies in the arrays. */
  readonly #zero: number;
  #maxWork: number;
  #work = 0;
  #nextStep = WORK_PER_STEP;
  /** The furthest place from the start of the box; once the paths have met, the place where they did. */
  #x = 0;
  #y = 0;
  #met = false;

  constructor(a: Int32Array, b: Int32Array, maxWork: number) {
    this.#a = a;
    this.#b = b;
    this.#zero = b.length + 1;
    this.#down = new Int32Array(a.length + b.length + 3);
    this.#up = new Int32Array(a.length + b.length + 3);
    this.#maxWork = maxWork;
  }

  get #isExhausted(): boolean {
    return this.#work > this.#maxWork;
  }

  /** Raises the bound of work. */
  renew(maxWork: number): void {
    this.#maxWork = maxWork;
  }

  /** Counts work. True when it is time to yield. */
  spend(work: number): boolean {
    this.#work += work;
    if (this.#work < this.#nextStep) return false;
    this.#nextStep = this.#work + WORK_PER_STEP;
    return true;
  }

  /** A place on a shortest path. Beyond the bound of work none, or, with `settles`, the furthest that few edits reach. */
  *middleOf(box: Box, settles: boolean): Steps<readonly [number, number] | undefined> {
    const { aFrom, aTo, bFrom, bTo } = box;
    const [down, up, zero] = [this.#down, this.#up, this.#zero];
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
    this.#x = 0;
    this.#y = 0;
    this.#met = false;
    for (let d = 1; !this.#met && (!this.#isExhausted || (settles && d <= SHALLOW)); d++) {
      ready(-d - 1);
      ready(d + 1);
      const [low, high] = [d <= m ? -d : -m + ((d ^ m) & 1), d <= n ? d : n - ((d ^ n) & 1)];
      // One level can be long: every diagonal of it may follow a long run of equal elements.
      const isLast = (): boolean => this.#isExhausted && d > SHALLOW;
      let k = this.#forward(box, d, low, high, odd);
      for (; k <= high && !isLast(); k = this.#forward(box, d, k, high, odd)) yield;
      if (this.#met) break;
      k = this.#backward(box, d, delta - high, delta - low, !odd);
      for (; k <= delta - low && !isLast(); k = this.#backward(box, d, k, delta - low, !odd)) yield;
    }
    return this.#met || settles ? [aFrom + this.#x, bFrom + this.#y] : undefined;
  }

  /**
   * One more edit from the start, on diagonals `k` to `high`. With `meets`, ends where a path from the end has reached the
   * same place. Returns the diagonal to go on with: one up to `high` when it is time to yield.
   */
  #forward({ aFrom, aTo, bFrom, bTo }: Box, d: number, k: number, high: number, meets: boolean): number {
    const [a, b, down, up, zero] = [this.#a, this.#b, this.#down, this.#up, this.#zero];
    const n = aTo - aFrom;
    const m = bTo - bFrom;
    const delta = n - m;
    for (; k <= high; k += 2) {
      const right = (down[zero + k - 1] as number) + 1;
      const below = down[zero + k + 1] as number;
      let x = down[zero + k] as number;
      if (right <= n && right > x) x = right;
      if (below - k <= m && below > x) x = below;
      if (x < 0) continue;
      const from = x;
      let y = x - k;
      while (x < n && y < m && a[aFrom + x] === b[bFrom + y]) {
        x++;
        y++;
      }
      down[zero + k] = x;
      this.#met = meets && k >= delta - d && k <= delta + d && x >= (up[zero + k] as number);
      if (this.#met || x + y > this.#x + this.#y) {
        this.#x = x;
        this.#y = y;
      }
      const isPause = this.spend(x - from + 1);
      if (this.#met) break;
      if (isPause) return k + 2;
    }
    return high + 2;
  }

  /** The same from the end. */
  #backward({ aFrom, aTo, bFrom }: Box, d: number, k: number, high: number, meets: boolean): number {
    const [a, b, down, up, zero] = [this.#a, this.#b, this.#down, this.#up, this.#zero];
    const n = aTo - aFrom;
    for (; k <= high; k += 2) {
      const left = (up[zero + k + 1] as number) - 1;
      const above = up[zero + k - 1] as number;
      let x = up[zero + k] as number;
      if (left >= 0 && left < x) x = left;
      if (above - k >= 0 && above < x) x = above;
      if (x > n) continue;
      const from = x;
      let y = x - k;
      while (x > 0 && y > 0 && a[aFrom + x - 1] === b[bFrom + y - 1]) {
        x--;
        y--;
      }
      up[zero + k] = x;
      this.#met = meets && k >= -d && k <= d && x <= (down[zero + k] as number);
      if (this.#met) {
        this.#x = x;
        this.#y = y;
      }
      const isPause = this.spend(from - x + 1);
      if (this.#met) break;
      if (isPause) return k + 2;
    }
    return high + 2;
  }
}
