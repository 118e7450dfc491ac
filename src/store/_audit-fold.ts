// Owns: which audit entries get a row of their own and which share one, so that a flood of refusals cannot fill a disk.
// Must never: fold a success, or an internal error that a host may look up by its reference.

import type { AuditEntry } from "./journal.ts";

/** What to do with one entry: a row of its own, or counted into a row that is there. */
export type Folded =
  | { readonly row: number; readonly add: AuditEntry }
  | { readonly row: number; readonly count: number; readonly last: Date };

const WINDOW_MS = 60_000;
/** So many rows a minute for one agent, tool and outcome; refusals beyond share the newest of them, whatever their targets. */
const ROWS_PER_WINDOW = 20;
const MOST_TRACKED = 2_000;

interface Run {
  row: number;
  rows: number;
  since: number;
}

export class AuditFold {
  /** Refusals alike in everything: one row. */
  readonly #alike = new Map<string, Run>();
  /** Refusals of one agent, tool and outcome: a row each, up to a rate. */
  readonly #flood = new Map<string, Run>();
  readonly #newRow: () => number;

  constructor(newRow: () => number) {
    this.#newRow = newRow;
  }

  fold(entry: AuditEntry): Folded {
    if (!isRefusal(entry)) return { row: this.#newRow(), add: entry };
    const now = entry.time.getTime();
    const { agent, role, tool, outcome, reason, targets, count, last } = entry;
    const alikeKey = JSON.stringify([agent, role, tool, outcome, reason, targets]);
    const alike = young(this.#alike, alikeKey, now);
    if (alike !== undefined) return { row: alike.row, count, last };

    const floodKey = JSON.stringify([agent, tool, outcome]);
    const flood = young(this.#flood, floodKey, now);
    if (flood !== undefined && flood.rows >= ROWS_PER_WINDOW) return { row: flood.row, count, last };

    const row = this.#newRow();
    track(this.#alike, alikeKey, { row, rows: 1, since: now });
    track(this.#flood, floodKey, { row, rows: (flood?.rows ?? 0) + 1, since: flood?.since ?? now });
    return { row, add: entry };
  }
}

function isRefusal({ outcome, reference }: AuditEntry): boolean {
  return reference === undefined && outcome !== "ok" && outcome !== "replayed" && outcome !== "dry_run";
}

function young(runs: Map<string, Run>, key: string, now: number): Run | undefined {
  const run = runs.get(key);
  if (run === undefined || now - run.since < WINDOW_MS) return run;
  runs.delete(key);
  return undefined;
}

function track(runs: Map<string, Run>, key: string, run: Run): void {
  if (runs.size >= MOST_TRACKED && !runs.has(key)) runs.clear();
  runs.set(key, run);
}
