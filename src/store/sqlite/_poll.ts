// Owns: when to look whether another process has moved the head of a session. Commits of this process are told at once.
// Must never: open a connection for a session at rest, look often at one that nothing happens in, or trust a hint: a file watch
// only says when to look, and the poll finds what it missed.

import { watch, type FSWatcher } from "node:fs";
import { basename } from "node:path";
import type { Connections } from "./_connections.ts";
import { journalFile } from "./_layout.ts";

/** The longer nothing happens, the less often; hardly ever where a file watch tells of changes. */
const SOON_MS = 50;
const REST_MS = 2_000;
const HINTED_MS = 10_000;
/** After a hint: a commit is written a moment before it can be seen. */
const HINT_MS = 4;
/** A session that rests for so long is given a file watch. Before, it would only tell of this process's own commits. */
const HINT_AFTER_MS = 200;
/** On Linux all file watches of a process share a descriptor; elsewhere each has its own. */
const HINTS_MOST = process.platform === "linux" ? 4096 : 64;

interface Polled {
  readonly session: Connections;
  watches: number;
  due: number;
  pause: number;
  hint: FSWatcher | undefined;
}

/** All that are watched, with one timer for all of them. */
const polled = new Map<Connections, Polled>();
let hints = 0;
let timer: NodeJS.Timeout | undefined;
let timerDue = Number.POSITIVE_INFINITY;

/** Wakes the session's watchers when its head may have moved, until the function that is returned was called. */
export function startPolling(session: Connections): () => void {
  const entry = polled.get(session) ?? { session, watches: 0, due: 0, pause: 0, hint: undefined };
  polled.set(session, entry);
  entry.watches++;
  wakeUp(entry, SOON_MS);
  return () => {
    entry.watches--;
    if (entry.watches > 0) return;
    closeHint(entry);
    polled.delete(session);
    schedule();
  };
}

/** Something happens in the session: look soon, and often for a while. */
export function pollSoon(session: Connections): void {
  const entry = polled.get(session);
  if (entry !== undefined) wakeUp(entry, SOON_MS);
}

function wakeUp(entry: Polled, pause: number): void {
  closeHint(entry);
  pauseFor(entry, pause);
  if (entry.due < timerDue) setTimer(entry.due);
}

function pauseFor(entry: Polled, pause: number): void {
  entry.pause = pause;
  const due = performance.now() + pause;
  // Sessions at rest are looked at many at a time, so that the process wakes up seldom.
  const step = Math.max(1, pause / 8);
  entry.due = Math.ceil(due / step) * step;
}

function setTimer(due: number): void {
  clearTimeout(timer);
  timerDue = due;
  timer = setTimeout(lookAtAll, Math.ceil(Math.max(0, due - performance.now()))).unref();
}

function schedule(): void {
  let next = Number.POSITIVE_INFINITY;
  for (const { due } of polled.values()) next = Math.min(next, due);
  if (next < Number.POSITIVE_INFINITY) return setTimer(next);
  clearTimeout(timer);
  timerDue = next;
}

function lookAtAll(): void {
  const now = performance.now();
  for (const entry of polled.values()) if (entry.due <= now) look(entry);
  schedule();
}

function look(entry: Polled): void {
  // Before the look, so that nothing falls between the two.
  if (entry.pause >= HINT_AFTER_MS && entry.hint === undefined) entry.hint = openHint(entry);
  if (entry.session.mayHaveMoved()) {
    closeHint(entry);
    pauseFor(entry, SOON_MS);
    entry.session.wake();
  } else pauseFor(entry, Math.min(entry.hint === undefined ? REST_MS : HINTED_MS, entry.pause * 1.5));
}

/** Undefined where the system has no file watch to give. */
function openHint(entry: Polled): FSWatcher | undefined {
  if (hints >= HINTS_MOST) return undefined;
  const { directory } = entry.session;
  const journal = basename(journalFile(directory));
  try {
    const hint = watch(directory, { persistent: false }, (_, name) => {
      if (name === null || name.startsWith(journal)) wakeUp(entry, HINT_MS);
    });
    hint.on("error", () => closeHint(entry));
    hints++;
    return hint;
  } catch {
    return undefined;
  }
}

function closeHint(entry: Polled): void {
  if (entry.hint === undefined) return;
  entry.hint.close();
  entry.hint = undefined;
  hints--;
}
