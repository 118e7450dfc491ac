// Owns: a long list of line ids that is edited in the middle, for offset numbering.
// Chunks of at most 2,048 ids: an edit moves one chunk, finding a place walks the chunk lengths from the last place.

const CHUNK = 1_024;

/** Ids from 1 up are original lines; ids below 0 are `-1 - op`, the text of an operation. */
export class LineList {
  readonly #chunks: number[][] = [];
  length: number;
  #chunk = 0;
  /** Elements before #chunk. */
  #before = 0;

  constructor(count: number) {
    this.length = count;
    for (let from = 1; from <= count; from += CHUNK) {
      const chunk: number[] = [];
      for (let id = from; id < from + CHUNK && id <= count; id++) chunk.push(id);
      this.#chunks.push(chunk);
    }
    if (count === 0) this.#chunks.push([]);
  }

  get(index: number): number {
    return this.#seek(index)[index - this.#before] as number;
  }

  set(index: number, id: number): void {
    this.#seek(index)[index - this.#before] = id;
  }

  insert(index: number, id: number): void {
    const chunk = this.#seek(index);
    chunk.splice(index - this.#before, 0, id);
    this.length++;
    if (chunk.length >= 2 * CHUNK) this.#chunks.splice(this.#chunk + 1, 0, chunk.splice(CHUNK));
  }

  remove(index: number): void {
    this.#seek(index).splice(index - this.#before, 1);
    this.length--;
  }

  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** Moves to the chunk that holds the place `index`, which may be the end of the list. */
  #seek(index: number): number[] {
    while (this.#chunk > 0 && index < this.#before)
      this.#before -= (this.#chunks[--this.#chunk] as number[]).length;
    for (;;) {
      const chunk = this.#chunks[this.#chunk] as number[];
      if (index - this.#before < chunk.length || this.#chunk === this.#chunks.length - 1) return chunk;
      this.#before += chunk.length;
      this.#chunk++;
    }
  }
}
