// Owns: the live folders of one session: taking part in them when it is opened, and leaving them when it is closed.

import { join } from "node:path";
import { HoldfastError, say } from "../errors.ts";
import type { Actor } from "../session/actor.ts";
import type { SessionCore } from "../session/transact.ts";
import { LiveLock } from "./_live-lock.ts";
import { loadMirror, saveMirror } from "./_mirror-row.ts";
import { liveFolder } from "./_live-refusal.ts";
import { LiveFolder, liveRow } from "./live-folder.ts";
import type { ResolvedMount } from "./mount.ts";

export interface LiveFoldersParts {
  readonly core: SessionCore;
  readonly host: Actor;
  readonly mounts: readonly ResolvedMount[];
  readonly report: (what: string, cause: unknown) => void;
}

export class LiveFolders {
  readonly #parts: LiveFoldersParts;
  readonly #locks: LiveLock[] = [];
  readonly #folders: LiveFolder[] = [];

  constructor(parts: LiveFoldersParts) {
    this.#parts = parts;
  }

  get #mounts(): readonly ResolvedMount[] {
    return this.#parts.mounts.filter(({ live }) => live);
  }

  /**
   * Takes the folders for this session, before they are mounted. Throws `conflict` / `live_elsewhere` when another session is live
   * there, and `fork_not_live` in a fork.
   */
  async take(): Promise<void> {
    const { core } = this.#parts;
    const { journal } = core;
    if (this.#mounts.length === 0) return;
    const [mounted] = await journal.records({ kind: "mount", limit: 1 });
    for (const { to, root, way, pin } of this.#mounts) {
      const isKnown = (await loadMirror(journal, liveRow(to))) !== undefined;
      if (mounted !== undefined && !isKnown) throw forkNotLive();
      this.#locks.push(LiveLock.take(join(root, ...way), journal.id, pin));
      if (!isKnown)
        await saveMirror(journal, liveRow(to), { where: "", mark: journal.genesis, diverged: new Map() });
    }
  }

  /** Makes them part of the session, once they are mounted. */
  async open(): Promise<void> {
    const { core, host, report } = this.#parts;
    if (this.#mounts.length === 0) return;
    const [mounted] = await core.journal.records({ kind: "mount", limit: 1 });
    if (mounted === undefined) return;
    for (const mount of this.#mounts) {
      const folder = await LiveFolder.open({ core, host, mount, mounted, report });
      this.#folders.push(folder);
      core.outside.add(folder);
    }
  }

  /** Throws `conflict` / `live_folder` when there is one. */
  refuseReset(): void {
    const [first] = this.#mounts;
    if (first !== undefined && this.#folders.length > 0) throw liveFolder(first.to);
  }

  async close(): Promise<void> {
    for (const folder of this.#folders.splice(0)) await folder.close();
    for (const lock of this.#locks.splice(0)) lock.release();
  }
}

function forkNotLive(): HoldfastError {
  return new HoldfastError(
    "conflict",
    "fork_not_live",
    say`This session was mounted before it was live, or is a fork, and a fork is never live. Open it without mounts.`,
  );
}
