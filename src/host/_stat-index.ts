// Owns: what the stats of files on disk are known to mean: a file with this print holds this content.
// Must never: take a file that may have been written in the same grain of the clock for unchanged.

import type { BigIntStats } from "node:fs";
import type { WorkspacePath } from "../path/index.ts";
import type { FileBody } from "../session/files/file-change.ts";

/** What changes when a file does. */
export interface Print {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

export function printOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Print {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

export function isSamePrint(a: Print, b: Print): boolean {
  return isSameContent(a, b) && a.ctimeNs === b.ctimeNs;
}

/** The same but for the time of change, which giving a file another name moves. */
export function isSameContent(a: Print, b: Print): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Clocks of file systems are coarse: a second write within this time may leave no trace in a stat. */
export const GRAIN_MS = 50;

/** Has the file rested so long before `now` that a write since would show? */
export function isRested({ mtimeNs, ctimeNs }: Print, now: number): boolean {
  const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return now - Number(changed / 1_000_000n) > GRAIN_MS;
}

interface Indexed {
  readonly print: Print;
  readonly body: FileBody;
  readonly isCertain: boolean;
}

export class StatIndex {
  readonly #files = new Map<WorkspacePath, Indexed>();

  /** Notes what a file holds that was looked at just now: `now` is from before the look. */
  set(path: WorkspacePath, print: Print, body: FileBody, now: number): void {
    this.#files.set(path, { print, body, isCertain: isRested(print, now) });
  }

  delete(path: WorkspacePath): void {
    this.#files.delete(path);
  }

  /** What the file with this print surely holds; undefined: it has to be read. */
  bodyOf(path: WorkspacePath, print: Print): FileBody | undefined {
    const indexed = this.#files.get(path);
    if (indexed === undefined || !indexed.isCertain || !isSamePrint(indexed.print, print)) return undefined;
    return indexed.body;
  }

  clear(): void {
    this.#files.clear();
  }
}
