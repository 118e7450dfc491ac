// Owns: hints that something changed in a live folder, so that it is imported soon and not only when a call looks.
// Must never: decide anything. What a hint is worth, the stats say; a hint that never comes costs promptness only.

import { watch, type FSWatcher } from "node:fs";
import { found } from "./_directories.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/** Directories that are watched at most; beyond, calls find out by themselves. */
const WATCHED = 1_000;
/** Editors make several changes for one save. */
const PAUSE_MS = 100;

export interface LiveWatchParts {
  /** Finds a directory below the folder. The caller closes it. */
  readonly open: (way: readonly string[]) => PinnedDirectory | undefined;
  /** Told which entries may have changed, each by its way. */
  readonly changed: (ways: readonly (readonly string[])[]) => void;
}

export class LiveWatch {
  readonly #parts: LiveWatchParts;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #hints = new Map<string, readonly string[]>();
  #pause: NodeJS.Timeout | undefined;

  constructor(parts: LiveWatchParts) {
    this.#parts = parts;
  }

  /** Watches these directories, and no others. */
  follow(ways: Iterable<readonly string[]>): void {
    const wanted = new Map<string, readonly string[]>();
    for (const way of ways) {
      if (wanted.size === WATCHED) break;
      wanted.set(way.join("/"), way);
    }
    for (const [key, watcher] of this.#watchers)
      if (!wanted.has(key)) {
        watcher.close();
        this.#watchers.delete(key);
      }
    for (const [key, way] of wanted) if (!this.#watchers.has(key)) this.#watch(key, way);
  }

  #watch(key: string, way: readonly string[]): void {
    try {
      const directory = found(() => this.#parts.open(way));
      if (directory === undefined) return;
      try {
        const watcher = watch(directory.here, { persistent: false }, (_, name) => {
          if (name !== null) this.#hint([...way, name]);
        });
        watcher.on("error", () => this.#drop(key));
        this.#watchers.set(key, watcher);
      } finally {
        directory.close();
      }
    } catch {
      // The system has no watches left, or none for this directory.
    }
  }

  #drop(key: string): void {
    this.#watchers.get(key)?.close();
    this.#watchers.delete(key);
  }

  #hint(way: readonly string[]): void {
    this.#hints.set(way.join("/"), way);
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      const ways = [...this.#hints.values()];
      this.#hints.clear();
      this.#parts.changed(ways);
    }, PAUSE_MS).unref();
  }

  close(): void {
    clearTimeout(this.#pause);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}
