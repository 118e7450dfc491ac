// Owns: the document that edits work on, one after another: its bytes so far, and a scanner over them.

import type { ByteSource } from "../../text/byte-source.ts";
import type { Splice } from "../../text/splice.ts";
import type { Steps } from "../../text/steps.ts";
import { type JsonIndexes, sharedIndexes } from "../scan/index-store.ts";
import { carryIndexSteps, openScanner, type OpenOptions } from "../scan/open.ts";
import type { IndexableScanner } from "../scan/scanner.ts";
import type { AssumedLastKey } from "./assumed-last-key.ts";
import { Overlay } from "./overlay.ts";

export interface WorkingOptions {
  readonly pauseEvery?: number;
  readonly indexes?: JsonIndexes | null;
  /** Look no further than to the place, remember nothing, and note here what was taken for granted. */
  readonly assumedLastKey?: AssumedLastKey;
}

export class WorkingDocument {
  readonly mode: "json" | "jsonc";
  readonly assumedLastKey: AssumedLastKey | undefined;
  readonly #source: ByteSource;
  readonly #open: OpenOptions;
  #overlay: Overlay;
  #scanner: IndexableScanner;

  constructor(source: ByteSource, mode: "json" | "jsonc", options: WorkingOptions) {
    const { pauseEvery, indexes, assumedLastKey } = options;
    this.mode = mode;
    this.assumedLastKey = assumedLastKey;
    this.#source = source;
    this.#open = {
      ...(pauseEvery === undefined ? {} : { pauseEvery }),
      ...(indexes === undefined ? {} : { indexes }),
      ...(assumedLastKey === undefined ? {} : { indexes: null, countLines: true }),
    };
    this.#overlay = Overlay.over(source);
    this.#scanner = openScanner(this.#overlay, this.#open);
  }

  /** The original with all edits so far. */
  get overlay(): Overlay {
    return this.#overlay;
  }

  /** Over the bytes as they are now: another one after each {@link applySteps}. */
  get scanner(): IndexableScanner {
    return this.#scanner;
  }

  /** Applies splices and returns by how much the document grew. What was known of a large document moves along. */
  *applySteps(splices: readonly Splice[]): Steps<number> {
    const before = this.#overlay;
    const { indexes } = this.#open;
    this.#overlay = before.with(splices);
    if (indexes !== null) yield* carryIndexSteps(before, this.#overlay, splices, true, indexes);
    this.#drop(before);
    this.#scanner = openScanner(this.#overlay, this.#open);
    return this.#overlay.size - before.size;
  }

  /** Nothing is remembered of states that only these edits see. */
  forget(): void {
    this.#drop(this.#overlay);
  }

  #drop(overlay: Overlay): void {
    const { indexes } = this.#open;
    if (overlay.id !== this.#source.id && indexes !== null) (indexes ?? sharedIndexes()).drop(overlay.id);
  }
}
