// Owns: what a plan made in haste took for granted about the document, and the look afterwards whether it was so.
//
// Of duplicate keys the last one counts, so to find a key of the root is to walk over the whole document. A plan made in
// haste stops at the first one. Whoever goes over all of the document later anyway, to validate it, comes by the end of
// that member's value and learns the way into it: then only what stands outside it has to be searched.

import { Keys, type Scanner, settle, Watch } from "../scan/scanner.ts";

export class Haste {
  #taken: { readonly root: number; readonly name: string; readonly value: Watch } | undefined;

  /** The value at `start` was taken for that of the last member of this name. */
  take(root: number, name: string, start: number): void {
    this.#taken = { root, name, value: new Watch(start) };
  }

  /** What a check of the document should look out for. */
  get watch(): Watch | undefined {
    return this.#taken?.value;
  }

  /** Was it the last one? To be asked when the document has been checked. */
  *held(scanner: Scanner): Generator<void, boolean, void> {
    if (this.#taken === undefined) return true;
    const { root, name, value } = this.#taken;
    const keys = new Keys(name);
    yield* settle(scanner, scanner.find(root, keys));
    return keys.values[0] === value.start;
  }
}
