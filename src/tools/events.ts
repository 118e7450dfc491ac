// Owns: what a host can listen to.

import type { Role } from "./identity.ts";
import type { Log } from "./log.ts";

/** One finished call, whatever its outcome. */
export interface ToolEvent {
  /** Who called. */
  readonly agent: string;
  /** In what role. */
  readonly role: Role;
  /** The tool that was called. */
  readonly tool: string;
  /** Names of what the call worked on. */
  readonly targets: readonly string[];
  /** `create`, `overwrite`, `append`, ...: for tools that have modes. */
  readonly mode?: string;
  /** Characters of the text that was returned. */
  readonly resultSize: number;
  /** Milliseconds. */
  readonly duration: number;
  /** `ok`, `replayed`, `dry_run`, or an error code. */
  readonly outcome: string;
  /** Why it was refused; absent when it was not. */
  readonly reason?: string;
  /** The token that it returned. */
  readonly token?: string;
}

/** What a session tells listeners, by name. */
export interface Events {
  /** A call ended, however it ended. */
  readonly tool: ToolEvent;
}

type Listener<E> = (event: E) => void;

export class Emitter {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Returns the function that stops listening. */
  on<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  hears(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /** A listener that throws is reported and hurts nobody else. */
  emit<K extends keyof Events>(name: K, event: Events[K]): void {
    for (const listener of this.#listeners.get(name) ?? [])
      try {
        (listener as Listener<Events[K]>)(event);
      } catch (cause) {
        this.#log.error("a listener failed", { event: name, cause });
      }
  }
}
