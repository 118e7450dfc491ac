// Owns: inline blobs that are staged and not yet carried by an append.
// Must never: grow with what was staged and forgotten; those go after STAGED_MS.

import type { BlobId } from "./journal.ts";

/** Far longer than any call runs; time in which the machine is suspended does not count. A call that staged and failed leaves its bytes until then. */
export const STAGED_MS: number = 15 * 60 * 1000;

export class Staging {
  /** In order of `since`. */
  readonly #staged = new Map<BlobId, { readonly bytes: Uint8Array; readonly since: number }>();

  put(id: BlobId, bytes: Uint8Array, now: number = performance.now()): void {
    this.#sweep(now);
    this.#staged.delete(id);
    this.#staged.set(id, { bytes, since: now });
  }

  get(id: BlobId): Uint8Array | undefined {
    return this.#staged.get(id)?.bytes;
  }

  /** The blob is stored now. */
  drop(id: BlobId): void {
    this.#staged.delete(id);
  }

  clear(): void {
    this.#staged.clear();
  }

  #sweep(now: number): void {
    for (const [id, { since }] of this.#staged) {
      if (now - since < STAGED_MS) return;
      this.#staged.delete(id);
    }
  }
}
