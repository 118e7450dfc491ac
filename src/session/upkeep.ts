// Owns: what is done beside calls: saving checkpoints, and rewriting files that have become many small pieces.
// Must never: be waited for by a call, or run twice at once.

import type { Change } from "../store/journal.ts";
import { saveDue } from "./checkpoints.ts";
import { needsRewrite, rewriteFile, wornFile } from "./files/rewrite.ts";
import { isGone } from "./follow.ts";
import { Pacer } from "../text/steps.ts";
import type { SessionCore } from "./transact.ts";

/** Closing saves a cost that costs more than this: some hundred records. */
const CLOSING_BYTES = 1024 * 1024;
/** More changes of one record, as a mount brings, are looked at later, in steps. */
const NOTICED_AT_ONCE = 256;

export class Upkeep {
  readonly #core: SessionCore;
  readonly #report: (cause: unknown) => void;
  readonly #worn = new Set<string>();
  /** Records whose changes are still to be looked at. */
  readonly #unseen: (readonly Change[])[] = [];
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(core: SessionCore, report: (cause: unknown) => void) {
    this.#core = core;
    this.#report = report;
    core.timeline.onAdvance((changes) => this.#notice(changes));
    this.#wake();
  }

  #notice(changes: readonly Change[]): void {
    if (changes.length > NOTICED_AT_ONCE) this.#unseen.push(changes);
    else for (const change of changes) this.#look(change);
    this.#wake();
  }

  #look(change: Change): void {
    const path = wornFile(this.#core, change);
    if (path !== undefined) this.#worn.add(path);
  }

  get #hasWork(): boolean {
    const { timeline, limits } = this.#core;
    return (
      this.#worn.size > 0 ||
      this.#unseen.length > 0 ||
      timeline.costs.due(limits.checkpointBytes, timeline.state.at.seq).length > 0
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
      const pace = new Pacer();
      for (let changes = this.#unseen.pop(); changes !== undefined; changes = this.#unseen.pop())
        for (const change of changes) {
          this.#look(change);
          await pace.step();
        }
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
