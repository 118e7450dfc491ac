// Owns: one live session for a folder, those above it and those below it.
//
// `.holdfast/open` has one entry for each process that takes part: `<session>.<process>.<random>`, touched while it lives.

import { randomBytes } from "node:crypto";
import { closeSync, utimesSync, type BigIntStats } from "node:fs";
import { dirname, join } from "node:path";
import { echo, HoldfastError, say } from "../errors.ts";
import { found } from "./_directories.ts";
import { entering, OWN, ownDirectory } from "./_live-place.ts";
import { PinnedDirectory, type PinOptions } from "./pinned-directory.ts";

const TOUCH_MS = 2_000;
const STALE_MS = 10_000;

export class LiveLock {
  readonly #open: PinnedDirectory;
  readonly #name: string;
  readonly #touching: NodeJS.Timeout;

  private constructor(open: PinnedDirectory, name: string) {
    this.#open = open;
    this.#name = name;
    this.#touching = setInterval(() => this.#touch(), TOUCH_MS);
    this.#touching.unref();
  }

  /** Takes part in a folder. Throws `conflict` / `live_elsewhere` naming the session that has it, or one above it. */
  static take(folder: string, session: string, pin: PinOptions): LiveLock {
    for (let above = dirname(folder); ; above = dirname(above)) {
      refuseOther(above, session, pin);
      if (above === dirname(above)) break;
    }
    const root = PinnedDirectory.open(folder, pin);
    try {
      const own = ownDirectory(root);
      try {
        const open = entering(own, "open");
        const name = `${session}.${process.pid}.${randomBytes(4).toString("hex")}`;
        closeSync(open.createFile(name));
        const lock = new LiveLock(open, name);
        // Of two at once each sees the other, unless one came later: that one is refused.
        const other = otherIn(open, session);
        if (other === undefined) return lock;
        lock.release();
        throw elsewhere(other);
      } finally {
        own.close();
      }
    } finally {
      root.close();
    }
  }

  #touch(): void {
    try {
      const now = new Date();
      utimesSync(this.#open.place(this.#name), now, now);
    } catch {
      // The folder is gone, or the entry: others see that this process no longer takes part.
    }
  }

  release(): void {
    clearInterval(this.#touching);
    try {
      found(() => this.#open.unlink(this.#name));
    } catch {
      // The folder is gone.
    }
    this.#open.close();
  }
}

/** Throws when another session is live in a folder. */
export function refuseOther(folder: string, session: string, pin: PinOptions): void {
  const other = otherLiveIn(folder, session, pin);
  if (other !== undefined) throw elsewhere(other);
}

/** Another session that is live in a folder. What cannot be looked at is not ours. */
export function otherLiveIn(folder: string, session: string, pin: PinOptions): string | undefined {
  let open: PinnedDirectory | undefined;
  try {
    open = PinnedDirectory.open(join(folder, OWN, "open"), pin);
    return otherIn(open, session);
  } catch {
    return undefined;
  } finally {
    open?.close();
  }
}

/** Another session that takes part; entries of processes that died are removed. */
function otherIn(open: PinnedDirectory, session: string): string | undefined {
  for (const { name } of open.list()) {
    const [other = ""] = name.split(".");
    const stat = open.stat(name);
    if (other === session || stat === undefined) continue;
    if (isAlive(stat)) return other;
    found(() => open.unlink(name));
  }
  return undefined;
}

function isAlive({ mtimeNs }: BigIntStats): boolean {
  return Date.now() - Number(mtimeNs / 1_000_000n) < STALE_MS;
}

function elsewhere(session: string): HoldfastError {
  return new HoldfastError(
    "conflict",
    "live_elsewhere",
    say`Session ${echo(session)} is live in this folder, one above it or one below it. Close it, or mount this folder without live.`,
  );
}
