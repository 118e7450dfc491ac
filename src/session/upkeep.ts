// Owns: what is done beside calls: saving checkpoints, and rewriting files that have become many small pieces.
// Must never: be waited for by a call, or run twice at once.

import type { Change } from "../store/journal.ts";
import { saveDue } from "./checkpoints.ts";
import { needsRewrite, rewriteFile, wornFiles } from "./files/rewrite.ts";
import { isGone } from "./follow.ts";
import type { Book } from "./transact.ts";

/** Closing saves a tail that costs more than this: some hundred records. */
const CLOSING_BYTES = 1024 * 1024;

export class Upkeep {
  readonly #book: Book;
  readonly #report: (cause: unknown) => void;
  readonly #worn = new Set<string>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(book: Book, report: (cause: unknown) => void) {
    this.#book = book;
    this.#report = report;
    book.timeline.onAdvance((changes) => this.#notice(changes));
    this.#wake();
  }

  #notice(changes: readonly Change[]): void {
    for (const path of wornFiles(this.#book, changes)) this.#worn.add(path);
    this.#wake();
  }

  get #hasWork(): boolean {
    const { timeline, limits } = this.#book;
    return this.#worn.size > 0 || timeline.tails.due(limits.checkpointBytes).length > 0;
  }

  #wake(): void {
    if (this.#stopped || this.#running !== undefined || !this.#hasWork) return;
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  async #work(): Promise<void> {
    // The commit that woke us is answered first.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      const { journal, slices, timeline, limits } = this.#book;
      for (const path of this.#worn) {
        this.#worn.delete(path);
        if (this.#stopped) return;
        if (needsRewrite(this.#book, path)) await rewriteFile(this.#book, path);
      }
      await saveDue(journal, slices, () => timeline.state, timeline.tails, limits.checkpointBytes);
    } catch (cause) {
      if (!isGone(cause)) this.#report(cause);
    }
  }

  /** Resolves when there is nothing to do for now. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Ends it. What a reopening would have to replay is saved first, if that is worth it: nobody waits for a call now. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
    const { journal, slices, timeline, limits } = this.#book;
    const least = Math.min(limits.checkpointBytes, CLOSING_BYTES);
    try {
      await saveDue(journal, slices, () => timeline.state, timeline.tails, least);
    } catch (cause) {
      if (!isGone(cause)) this.#report(cause);
    }
  }
}
