// Owns: noticing that the head of a session has moved.

import { statSync } from "node:fs";
import { HoldfastError } from "../../errors.ts";
import { onAbort } from "../_on-abort.ts";
import type { Position } from "../journal.ts";
import type { Connections } from "./_connections.ts";
import { journalFile } from "./_layout.ts";
import { pollSoon, startPolling } from "./_poll.ts";

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
    if (head !== undefined) pollSoon(session);
    wake();
  };
  // Also when the watch is looking at the head just then: it must not wait after that.
  const stopListening = onAbort(signal, () => onWake());
  const stopPolling = startPolling(session);
  session.watchers.add(onWake);
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
    stopPolling();
    session.watchers.delete(onWake);
    stopListening();
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
