// Owns: what is done beside calls: saving checkpoints, and rewriting files that have become many small pieces.
// Must never: be waited for by a call, or run twice at once.

import type { Change } from "../store/journal.ts";
import { saveDue } from "./checkpoints.ts";
import { needsRewrite, rewriteFile, wornFiles } from "./files/rewrite.ts";
import { isGone } from "./follow.ts";
import type { SessionCore } from "./transact.ts";

/** Closing saves a cost that costs more than this: some hundred records. */
const CLOSING_BYTES = 1024 * 1024;

export class Upkeep {
  readonly #core: SessionCore;
  readonly #report: (cause: unknown) => void;
  readonly #worn = new Set<string>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(core: SessionCore, report: (cause: unknown) => void) {
    this.#core = core;
    this.#report = report;
    core.timeline.onAdvance((changes) => this.#notice(changes));
    this.#wake();
  }

  #notice(changes: readonly Change[]): void {
    for (const path of wornFiles(this.#core, changes)) this.#worn.add(path);
    this.#wake();
  }

  get #hasWork(): boolean {
    const { timeline, limits } = this.#core;
    return (
      this.#worn.size > 0 || timeline.costs.due(limits.checkpointBytes, timeline.state.at.seq).length > 0
    );
  }

  #wake(): void {
    if (this.#stopped || this.#running !== undefined || !this.#hasWork) return;
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  async #work(): Promise<void> {
    // The commit that woke this returns first.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      const { journal, slices, timeline, limits } = this.#core;
      for (const path of this.#worn) {
        this.#worn.delete(path);
        if (this.#stopped) return;
        if (needsRewrite(this.#core, path)) await rewriteFile(this.#core, path);
      }
      await saveDue(journal, slices, () => timeline.state, timeline.costs, limits.checkpointBytes);
    } catch (cause) {
      if (!isGone(cause)) this.#report(cause);
    }
  }

  /** Resolves when there is nothing to do for now. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Ends it. What a reopening would have to replay is saved first, if that is worth it: no call waits now. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
    const { journal, slices, timeline, limits } = this.#core;
    const least = Math.min(limits.checkpointBytes, CLOSING_BYTES);
    try {
      await saveDue(journal, slices, () => timeline.state, timeline.costs, least);
    } catch (cause) {
      if (!isGone(cause)) this.#report(cause);
    }
  }
}
