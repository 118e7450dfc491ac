// Owns: encoding many short texts into few large blocks: a small array of its own for each costs more than its bytes.

const NOTHING = new Uint8Array(0);
const BLOCK = 65_536;
const SHORT = 256;
/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const WIDEST = 3;

const encoder = new TextEncoder();

/** Texts are written one after another and taken together as one array. Arrays that were taken never change. */
export class ByteArena {
  #block = NOTHING;
  /** What is written and not yet taken lies from here ... */
  #from = 0;
  /** ... to here. */
  #to = 0;

  write(text: string): void {
    if (text.length > SHORT) {
      const bytes = encoder.encode(text);
      this.#makeRoom(bytes.length);
      this.#block.set(bytes, this.#to);
      this.#to += bytes.length;
      return;
    }
    this.#makeRoom(text.length * WIDEST);
    const block = this.#block;
    const to = this.#to;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        this.#to += encoder.encodeInto(text, block.subarray(to)).written;
        return;
      }
      block[to + i] = unit;
    }
    this.#to = to + text.length;
  }

  /** Is what was written the same as these bytes from `at` to `end`? */
  holds(bytes: Uint8Array, at: number, end: number): boolean {
    const from = this.#from;
    const length = this.#to - from;
    if (end - at !== length) return false;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== this.#block[from + i]) return false;
    return true;
  }

  /** What was written since the last time. */
  take(): Uint8Array {
    if (this.#to === this.#from) return NOTHING;
    const bytes = new Uint8Array(this.#block.buffer, this.#from, this.#to - this.#from);
    this.#from = this.#to;
    return bytes;
  }

  /** Forgets what was written since the last time. */
  drop(): void {
    this.#to = this.#from;
  }

  #makeRoom(size: number): void {
    if (this.#block.length - this.#to >= size) return;
    const written = this.#to - this.#from;
    const larger = new Uint8Array(Math.max(BLOCK, 2 * written, written + size));
    larger.set(this.#block.subarray(this.#from, this.#to));
    this.#block = larger;
    this.#from = 0;
    this.#to = written;
  }
}
