// Owns: a set of slots, or of places in document order, as bits: for passes that may meet every node of a tree.

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

  /** Keeps those of the first `count` that are members, in their order. Returns how many. */
  keepMembers(slots: Int32Array, count: number): number {
    const bits = this.#bits;
    let matched = 0;
    for (let i = 0; i < count; i++) {
      const slot = slots[i] as number;
      if ((((bits[slot >>> 5] as number) >>> (slot & 31)) & 1) === 1) slots[matched++] = slot;
    }
    return matched;
  }

  /** Adds all from `from` up to `to`. */
  addRange(from: number, to: number): void {
    if (from >= to) return;
    const bits = this.#bits;
    const [first, last] = [from >>> 5, (to - 1) >>> 5];
    const head = -1 << (from & 31);
    const tail = -1 >>> (31 - ((to - 1) & 31));
    if (first === last) bits[first] = (bits[first] as number) | (head & tail);
    else {
      bits[first] = (bits[first] as number) | head;
      bits.fill(-1, first + 1, last);
      bits[last] = (bits[last] as number) | tail;
    }
  }

  /** Adds all members of a set of the same size. */
  addAll(other: SlotSet): void {
    const bits = this.#bits;
    for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) | (other.#bits[i] as number);
  }
}
