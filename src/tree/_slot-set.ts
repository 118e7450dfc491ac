// Owns: a set of slots as bits: for passes that may meet every node of a tree.

export class SlotSet {
  readonly #bits: Uint32Array;

  /** For slots below `size`. Costs a bit each. */
  constructor(size: number) {
    this.#bits = new Uint32Array((size + 31) >>> 5);
  }

  has(slot: number): boolean {
    return (((this.#bits[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1;
  }

  /** False when it was there before. */
  add(slot: number): boolean {
    if (this.has(slot)) return false;
    this.#bits[slot >>> 5] = (this.#bits[slot >>> 5] as number) | (1 << (slot & 31));
    return true;
  }
}
