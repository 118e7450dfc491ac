// Owns: what changed between two canonical states.

import type { GateSet } from "./config.ts";
import type { GateValues } from "./state.ts";

export type GateActor = "user" | "assistant";

/** Gate keys are listed in gate order, keys that only the previous state has behind them. */
export interface GateDiff<K extends string = string> {
  readonly actor: GateActor;
  readonly summary_changed: boolean;
  readonly gates_added: readonly K[];
  /** Deleted by a user, or gone from the configuration: such keys are not in the state any more. */
  readonly gates_removed: readonly string[];
  readonly gates_raw_changed: readonly K[];
  readonly gates_classified_changed: readonly K[];
}

export interface Snapshot {
  readonly summary: string;
  readonly values: GateValues;
}

/** `deleted`: the gates a user deleted in this step; they are listed although the state keeps their keys. */
export function diffSnapshots<C>(
  set: GateSet<C>,
  previous: Snapshot | undefined,
  current: Snapshot,
  actor: GateActor,
  deleted: ReadonlySet<string>,
): GateDiff {
  const keys: string[] = [...set.gates.keys()];
  if (previous === undefined)
    return freeze(
      actor,
      true,
      keys,
      keys.filter((key) => deleted.has(key)),
      keys,
      keys,
    );
  const before = previous.values;
  const changed = (part: "raw" | "classified"): string[] =>
    keys.filter((key) => (before.get(key)?.[part] ?? null) !== (current.values.get(key)?.[part] ?? null));
  return freeze(
    actor,
    previous.summary !== current.summary,
    keys.filter((key) => !before.has(key)),
    [...keys.filter((key) => deleted.has(key)), ...[...before.keys()].filter((key) => !keys.includes(key))],
    changed("raw"),
    changed("classified"),
  );
}

function freeze(
  actor: GateActor,
  summaryChanged: boolean,
  added: readonly string[],
  removed: readonly string[],
  raw: readonly string[],
  classified: readonly string[],
): GateDiff {
  return Object.freeze({
    actor,
    summary_changed: summaryChanged,
    gates_added: Object.freeze([...added]),
    gates_removed: Object.freeze([...removed]),
    gates_raw_changed: Object.freeze([...raw]),
    gates_classified_changed: Object.freeze([...classified]),
  });
}
