// Owns: noticing that the head of a session has moved.
// Must never: open a connection for a session at rest, or look often at one that nothing happens in.

import { statSync } from "node:fs";
import { HoldfastError } from "../../errors.ts";
import type { Position } from "../journal.ts";
import type { Connections } from "./_connections.ts";
import { journalFile } from "./_layout.ts";

/**
 * How often to look whether another process has moved the head; commits of this process are told at once. The longer nothing happens, the
 * less often. A file watch would cost a descriptor each.
 */
const SOON_MS = 50;
const REST_MS = 2_000;

interface Watched {
  due: number;
  pause: number;
  watches: number;
}

/** All that are watched, with one timer for all of them. */
const watched = new Map<Connections, Watched>();
let timer: NodeJS.Timeout | undefined;

function startLooking(session: Connections): () => void {
  const entry = watched.get(session) ?? { due: 0, pause: 0, watches: 0 };
  watched.set(session, entry);
  entry.watches++;
  lookSoon(entry);
  timer ??= setInterval(lookAtAll, SOON_MS).unref();
  return () => {
    entry.watches--;
    if (entry.watches === 0) watched.delete(session);
    if (watched.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function lookSoon(entry: Watched): void {
  entry.pause = SOON_MS;
  entry.due = performance.now() + SOON_MS;
}

function lookAtAll(): void {
  const now = performance.now();
  for (const [session, entry] of watched) {
    if (entry.due > now) continue;
    if (session.mayHaveMoved()) {
      lookSoon(entry);
      session.wake();
    } else {
      entry.pause = Math.min(REST_MS, entry.pause * 1.5);
      entry.due = now + entry.pause;
    }
  }
}

/** Yields the head whenever it has moved past `after`, until the signal, the removal of the session or `isClosed` ends it. */
export async function* watchHead(
  session: Connections,
  after: number,
  signal: AbortSignal,
  isClosed: () => boolean,
): AsyncGenerator<Position> {
  let seen = after;
  let wake = (): void => {};
  let told: Position | undefined;
  let isWoken = true;
  const onWake = (head?: Position): void => {
    if (head === undefined) isWoken = true;
    else if (head.seq > (told?.seq ?? 0)) told = head;
    const entry = watched.get(session);
    if (entry !== undefined && head !== undefined) lookSoon(entry);
    wake();
  };
  // Also when the watch is looking at the head just then: it must not wait after that.
  const onAbort = (): void => onWake();
  const stopLooking = startLooking(session);
  session.watchers.add(onWake);
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted && !isClosed() && !session.isRemoved) {
      // A commit of this process says where the head is: no need to look.
      let head = told !== undefined && told.seq > seen ? told : undefined;
      if (head === undefined && isWoken) {
        isWoken = false;
        const found = await session.head().catch(ended);
        if (found === "ended") return;
        head = found;
      }
      if (head !== undefined && head.seq > seen) {
        seen = head.seq;
        yield { seq: head.seq, hash: head.hash };
      } else if (!isWoken && !(told !== undefined && told.seq > seen)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = () => {};
      }
    }
  } finally {
    stopLooking();
    session.watchers.delete(onWake);
    signal.removeEventListener("abort", onAbort);
  }
}

/** A removed session ends a watch; anything else is its error. */
function ended(error: unknown): "ended" {
  if (HoldfastError.is(error) && error.reason === "session_not_found") return "ended";
  throw error;
}

/** Changes whenever another process has written to the session, while this one has it closed. */
export function filesSignature(directory: string): string {
  const path = journalFile(directory);
  return [path, `${path}-wal`]
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? "" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    })
    .join(", ");
}
