// Owns: stepping through a container's children with the scanner in plain TypeScript.
// Must never: keep more than the child it is at.

import type { JsScanner } from "./js-scanner.ts";
import { type Children, NONE, PAUSED } from "./scanner.ts";

export class JsChildren implements Children {
  keyStart: number = NONE;
  keyEnd: number = NONE;
  start: number = NONE;
  end: number = NONE;
  index: number;
  close: number = NONE;
  readonly #scanner: JsScanner;
  readonly #members: boolean;
  #at: number;
  #paused = false;
  #done = false;

  constructor(scanner: JsScanner, at: number, place: number, index: number) {
    this.#scanner = scanner;
    const opener = scanner.byte(at);
    this.#members = opener === 0x7b;
    this.#done = opener !== 0x7b && opener !== 0x5b;
    this.#at = place;
    this.index = index - 1;
  }

  next(): number {
    if (this.#done) return NONE;
    const scanner = this.#scanner;
    if (!this.#paused) {
      const start = this.#first();
      if (start === NONE) return this.#finish();
      this.start = start;
      this.end = scanner.end(start);
    } else this.end = scanner.resume();
    this.#paused = this.end === PAUSED;
    if (this.#paused) return PAUSED;
    this.index++;
    if (this.end === NONE) {
      this.#done = true;
      scanner.suspect();
      return this.start;
    }
    const opener = scanner.byte(this.start);
    // '{' and '}', '[' and ']' are two apart.
    if ((opener === 0x7b || opener === 0x5b) && scanner.byte(this.end - 1) !== opener + 2) scanner.suspect();
    this.#at = scanner.blank(this.end);
    const byte = scanner.byte(this.#at);
    if (byte === 0x2c) this.#at++;
    else if (byte !== (this.#members ? 0x7d : 0x5d)) scanner.suspect();
    return this.start;
  }

  /** Reads the key, if any, and returns where the value starts. */
  #first(): number {
    const scanner = this.#scanner;
    let start = scanner.blank(this.#at);
    this.#at = start;
    if (!this.#members) return scanner.kind(start) === undefined ? NONE : start;
    if (scanner.byte(start) !== 0x22) return NONE;
    this.keyStart = start;
    let end = scanner.end(start);
    while (end === PAUSED) end = scanner.resume();
    if (end === NONE) return NONE;
    this.keyEnd = end;
    start = scanner.blank(end);
    if (scanner.byte(start) !== 0x3a) return NONE;
    start = scanner.blank(start + 1);
    return scanner.kind(start) === undefined ? NONE : start;
  }

  #finish(): number {
    this.#done = true;
    const byte = this.#scanner.byte(this.#at);
    if (byte === 0x7d || byte === 0x5d) this.close = this.#at + 1;
    if (byte !== (this.#members ? 0x7d : 0x5d)) this.#scanner.suspect();
    this.keyStart = this.keyEnd = this.start = this.end = NONE;
    return NONE;
  }
}
