// Owns: which elements of two sequences stay, in bounded time and memory.
//
// Elements that occur once on both sides anchor the rest (patience diff). Between anchors the shortest edit is searched
// (Myers), but with at most DIAGONALS edits: then the path that came furthest is taken and the search begins anew from
// there. When all work exceeds its bound, what is left counts as replaced: a coarse answer, never a wrong one.

import type { Steps } from "./steps.ts";

const DIAGONALS = 400;
const WORK_PER_STEP = 1 << 17;

/** A part of both sequences: `a[aFrom .. aTo)` against `b[bFrom .. bTo)`. */
interface Box {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

export interface SequenceDiff {
  /** 1 where the element stays. The n-th that stays in `a` is the n-th that stays in `b`. */
  readonly keptA: Uint8Array;
  readonly keptB: Uint8Array;
  /** False when the bound was reached and the rest was taken as replaced. */
  readonly complete: boolean;
}

/** Elements are whole numbers below `symbols`; equal numbers are equal elements. */
export function* diffSequences(
  a: Int32Array,
  b: Int32Array,
  symbols: number,
  maxWork: number,
): Steps<SequenceDiff> {
  // What the other side does not have cannot stay: left out of the search, it costs nothing there.
  const placesA = placesShared(a, b, symbols);
  yield;
  const placesB = placesShared(b, a, symbols);
  yield;
  const differ = new SequenceDiffer(pick(a, placesA), pick(b, placesB), symbols, maxWork);
  yield;
  yield* differ.run();
  const keptA = new Uint8Array(a.length);
  const keptB = new Uint8Array(b.length);
  for (let i = 0; i < placesA.length; i++) keptA[placesA[i] as number] = differ.keptA[i] as number;
  for (let j = 0; j < placesB.length; j++) keptB[placesB[j] as number] = differ.keptB[j] as number;
  return { keptA, keptB, complete: differ.complete };
}

/** The places in `sequence` of elements that `other` has too. */
function placesShared(sequence: Int32Array, other: Int32Array, symbols: number): Int32Array {
  const known = new Uint8Array(symbols);
  for (let i = 0; i < other.length; i++) known[other[i] as number] = 1;
  const places = new Int32Array(sequence.length);
  let count = 0;
  for (let i = 0; i < sequence.length; i++) if (known[sequence[i] as number] === 1) places[count++] = i;
  return places.subarray(0, count);
}

function pick(sequence: Int32Array, places: Int32Array): Int32Array {
  const picked = new Int32Array(places.length);
  for (let i = 0; i < places.length; i++) picked[i] = sequence[places[i] as number] as number;
  return picked;
}

class SequenceDiffer {
  readonly keptA: Uint8Array;
  readonly keptB: Uint8Array;
  complete = true;
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  /** How often each symbol occurs in the `a` and the `b` of the box at hand; all zero between boxes. */
  readonly #countA: Int32Array;
  readonly #countB: Int32Array;
  readonly #placeB: Int32Array;
  readonly #maxWork: number;
  #work = 0;
  #pause = WORK_PER_STEP;

  constructor(a: Int32Array, b: Int32Array, symbols: number, maxWork: number) {
    this.#a = a;
    this.#b = b;
    this.keptA = new Uint8Array(a.length);
    this.keptB = new Uint8Array(b.length);
    this.#countA = new Int32Array(symbols);
    this.#countB = new Int32Array(symbols);
    this.#placeB = new Int32Array(symbols);
    this.#maxWork = maxWork;
  }

  *run(): Steps<void> {
    const boxes: Box[] = [{ aFrom: 0, aTo: this.#a.length, bFrom: 0, bTo: this.#b.length }];
    for (let whole = boxes.pop(); whole !== undefined; whole = boxes.pop()) {
      const box = this.#trim(whole);
      if (box.aFrom === box.aTo || box.bFrom === box.bTo) continue;
      if (this.#work > this.#maxWork) {
        this.complete = false;
        continue;
      }
      const anchors = yield* this.#anchors(box);
      let { aFrom, bFrom } = box;
      for (let i = 0; i < anchors.length; i += 2) {
        const [x, y] = [anchors[i] as number, anchors[i + 1] as number];
        this.#keep(x, y);
        if (aFrom < x && bFrom < y) boxes.push({ aFrom, aTo: x, bFrom, bTo: y });
        aFrom = x + 1;
        bFrom = y + 1;
        if (this.#spend(1)) yield;
      }
      const tail = { aFrom, aTo: box.aTo, bFrom, bTo: box.bTo };
      const rest = anchors.length > 0 ? tail : yield* this.#shortestEdit(box);
      if (rest !== undefined) boxes.push(rest);
    }
  }

  #keep(i: number, j: number): void {
    this.keptA[i] = 1;
    this.keptB[j] = 1;
  }

  /** Counts work. True when it is time to let others run. */
  #spend(work: number): boolean {
    this.#work += work;
    if (this.#work < this.#pause) return false;
    this.#pause = this.#work + WORK_PER_STEP;
    return true;
  }

  #trim(box: Box): Box {
    const [a, b] = [this.#a, this.#b];
    let { aFrom, aTo, bFrom, bTo } = box;
    while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) this.#keep(aFrom++, bFrom++);
    while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) this.#keep(--aTo, --bTo);
    return { aFrom, aTo, bFrom, bTo };
  }

  /**
   * The longest list of pairs, rising on both sides, of elements that occur once in each side of the box, flat:
   * `[a0, b0, a1, b1, ...]`.
   */
  *#anchors({ aFrom, aTo, bFrom, bTo }: Box): Steps<Int32Array> {
    const [a, b, countA, countB, placeB] = [this.#a, this.#b, this.#countA, this.#countB, this.#placeB];
    for (let i = aFrom; i < aTo; i++) {
      const symbol = a[i] as number;
      countA[symbol] = (countA[symbol] as number) + 1;
      if (this.#spend(1)) yield;
    }
    for (let j = bFrom; j < bTo; j++) {
      const symbol = b[j] as number;
      countB[symbol] = (countB[symbol] as number) + 1;
      placeB[symbol] = j;
      if (this.#spend(1)) yield;
    }
    // Patience: pile p ends with the smallest b-place that a rising list of p + 1 pairs can end with.
    const piles: number[] = [];
    const ends: number[] = [];
    const previous = new Int32Array(aTo - aFrom);
    for (let i = aFrom; i < aTo; i++) {
      const symbol = a[i] as number;
      if (countA[symbol] !== 1 || countB[symbol] !== 1) continue;
      const j = placeB[symbol] as number;
      let low = 0;
      let high = piles.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((piles[middle] as number) < j) low = middle + 1;
        else high = middle;
      }
      piles[low] = j;
      ends[low] = i;
      previous[i - aFrom] = low > 0 ? (ends[low - 1] as number) : -1;
      if (this.#spend(4)) yield;
    }
    if (this.#spend(aTo - aFrom)) yield;
    for (let i = aFrom; i < aTo; i++) countA[a[i] as number] = 0;
    if (this.#spend(bTo - bFrom)) yield;
    for (let j = bFrom; j < bTo; j++) countB[b[j] as number] = 0;
    if (this.#spend(piles.length)) yield;
    const anchors = new Int32Array(piles.length * 2);
    for (let p = anchors.length, i = ends.at(-1) ?? -1; i >= 0; i = previous[i - aFrom] as number) {
      anchors[--p] = placeB[a[i] as number] as number;
      anchors[--p] = i;
    }
    return anchors;
  }

  /**
   * Myers' greedy search. `trace[d]` holds, for each diagonal k = -d, -d + 2 .. d, how far down `a` a path with d edits
   * comes; diagonal k joins the places with x - y = k. Answers the part that was not searched, if any.
   */
  *#shortestEdit({ aFrom, aTo, bFrom, bTo }: Box): Steps<Box | undefined> {
    const [a, b] = [this.#a, this.#b];
    const n = aTo - aFrom;
    const m = bTo - bFrom;
    const trace: Int32Array[] = [];
    let best = { x: 0, y: 0, k: 0, d: 0 };
    const arrived = (): boolean => best.x === n && best.y === m;
    for (let d = 0; d <= DIAGONALS && !arrived() && (d < 2 || this.#work <= this.#maxWork); d++) {
      const last = trace[d - 1];
      const reach = new Int32Array(d + 1);
      trace.push(reach);
      for (let k = -d; k <= d && !arrived(); k += 2) {
        const start = last === undefined ? 0 : step(last, d, k);
        let x = start;
        let y = x - k;
        while (x < n && y < m && a[aFrom + x] === b[bFrom + y]) {
          x++;
          y++;
        }
        reach[(k + d) >> 1] = x;
        // A path that left the box stays outside, and the one it came from is already counted.
        if (x <= n && y <= m && x + y > best.x + best.y) best = { x, y, k, d };
        if (this.#spend(x - start + 1)) yield;
      }
    }
    // Back from the best place: on each diagonal the run of kept elements, then the edit that led to it.
    let { x, k } = best;
    for (let { d } = best; d >= 0; d--) {
      const last = trace[d - 1];
      const start = last === undefined ? 0 : step(last, d, k);
      while (x > start) {
        x--;
        this.#keep(aFrom + x, bFrom + x - k);
      }
      if (last === undefined) break;
      const down = isDown(last, d, k);
      k += down ? 1 : -1;
      x = down ? start : start - 1;
    }
    return arrived() ? undefined : { aFrom: aFrom + best.x, aTo, bFrom: bFrom + best.y, bTo };
  }
}

/** Does the best path to diagonal k with d edits come from k + 1, by an insert? Else from k - 1, by a removal. */
function isDown(last: Int32Array, d: number, k: number): boolean {
  if (k === -d) return true;
  if (k === d) return false;
  return (last[(k + d - 2) >> 1] as number) < (last[(k + d) >> 1] as number);
}

/** Where the path stands on diagonal k right after its d-th edit. */
function step(last: Int32Array, d: number, k: number): number {
  return isDown(last, d, k) ? (last[(k + d) >> 1] as number) : (last[(k + d - 2) >> 1] as number) + 1;
}
