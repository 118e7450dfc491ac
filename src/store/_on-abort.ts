// Owns: waiting for a signal to abort, with one listener on it however many wait: a host may end any number of watches with one
// signal, and some lines of Node warn of an eleventh listener.

interface Waiting {
  readonly wakes: Set<() => void>;
  readonly listener: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/** Calls `wake` when the signal aborts, until the function that is returned was called. */
export function onAbort(signal: AbortSignal, wake: () => void): () => void {
  const found = waiting.get(signal) ?? listenTo(signal);
  found.wakes.add(wake);
  return () => {
    found.wakes.delete(wake);
    if (found.wakes.size > 0 || waiting.get(signal) !== found) return;
    waiting.delete(signal);
    signal.removeEventListener("abort", found.listener);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const wakes = new Set<() => void>();
  const listener = (): void => {
    for (const wake of wakes) wake();
  };
  const added = { wakes, listener };
  waiting.set(signal, added);
  signal.addEventListener("abort", listener);
  return added;
}
