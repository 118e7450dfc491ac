// Owns: what changed between two canonical states.

import type { GateSet } from "./gate-set.ts";
import type { GateValues } from "./state.ts";

/** Who sent an answer. Only a host answers as `user`; what a model or a tool call sends is `assistant`. */
export type GateActor = "user" | "assistant";

/** What an answer changed. Gate keys are listed in gate order, then those that only the previous state has. */
export interface GateDiff<K extends string = string> {
  /** Whose answer it was. */
  readonly actor: GateActor;
  /** Whether the summary changed. */
  readonly summary_changed: boolean;
  /** Gates that had no answer before. */
  readonly gates_added: readonly K[];
  /** Deleted by a user, or gone from the configuration: such keys are not in the state any more. */
  readonly gates_removed: readonly string[];
  /** Gates whose words changed. */
  readonly gates_raw_changed: readonly K[];
  /** Gates whose category changed. */
  readonly gates_classified_changed: readonly K[];
}

/** Canonical answers, before they are put into a state. */
export interface GateAnswers {
  readonly summary: string;
  readonly values: GateValues;
}

/** `deleted`: the gates a user deleted in this step; they are listed although the state keeps their keys. */
export function diffAnswers<C>(
  set: GateSet<C>,
  previous: GateAnswers | undefined,
  current: GateAnswers,
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
