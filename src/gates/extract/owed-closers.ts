// Owns: the closers that an object still lacks which could not be read to its end: until they come, all belongs to it.

import type { JsonCandidate } from "./candidate.ts";

export class OwedClosers {
  /** Closers still due to objects that were cut off; candidates before they are seen are contained in them. */
  #owed = 0;
  /** Those objects. */
  #cut: JsonCandidate[] = [];
  /** Closers still due to an object that is too deep: no part of it is a candidate. */
  #tooDeep = 0;

  /** Is the place inside an object that was cut off? */
  get isInCut(): boolean {
    return this.#owed > 0;
  }

  /** Is the place inside an object that is too deep? */
  get isTooDeep(): boolean {
    return this.#tooDeep > 0;
  }

  /** Is there an object that was cut off and lacks closers? */
  get hasCut(): boolean {
    return this.#cut.length > 0;
  }

  /** The object was cut off with so many containers open. */
  cut(candidate: JsonCandidate, open: number): void {
    this.#owed += open;
    this.#cut.push(candidate);
  }

  /** An object with so many containers open was given up because it is too deep. */
  giveUp(open: number): void {
    this.#tooDeep = open;
  }

  /** A container opens that is not read. */
  open(): void {
    if (this.#tooDeep > 0) this.#tooDeep++;
    else if (this.#owed > 0) this.#owed++;
  }

  close(): void {
    if (this.#tooDeep > 0) this.#tooDeep--;
    else if (this.#owed > 0 && --this.#owed === 0) this.cutIsWhole();
  }

  /** The objects that were cut off have their closers after all. */
  cutIsWhole(): void {
    for (const candidate of this.#cut) candidate.unreadable = true;
    this.#owed = 0;
    this.#cut = [];
  }

  /** The region ends: a fence or the text. */
  leaveTooDeep(): void {
    this.#tooDeep = 0;
  }

  /** Nothing is owed any more. */
  forget(): void {
    this.#owed = 0;
    this.#cut = [];
    this.#tooDeep = 0;
  }
}
