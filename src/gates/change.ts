// Owns: gate sets as history sees them: a collection by name, and the one change that can happen to it. Pure data in and
// out, so that a slice of a session only has to pass it through.
// Must never: know a journal, a session or a clock.

import { echo, say, type Shown } from "../errors.ts";
import { asGateSet } from "./define.ts";
import type { GatesLike } from "./gate-set.ts";
import { computeDecision, type GateDecision } from "./decide.ts";
import { inOrder } from "./ordered-json.ts";
import type { GateState } from "./state.ts";

/** What history holds of one gate set: the last accepted answer and the decision over it. */
export interface GateRecord {
  /** The answers. */
  readonly state: GateState;
  /** PASS, or what is missing. */
  readonly decision: GateDecision;
}

/** All gate sets of a session by name. Never changed in place. */
export type GateSets = ReadonlyMap<string, GateRecord>;

/** Plain JSON: what a set held before and holds after. Null means that there was none, or is none any more. */
export interface GateChange {
  /** The kind of state. */
  readonly slice: "gates";
  /** The only kind of change there is. */
  readonly op: "put";
  /** The gate set. */
  readonly set: string;
  /** The set's record now; null when there is none. */
  readonly before: GateRecord | null;
  /** The set's record then; null when it is gone. */
  readonly after: GateRecord | null;
}

/** Why a change cannot be applied or taken back. */
export interface GateRefusal {
  /** Why the change cannot be made. */
  readonly reason: "gates_changed";
  /** The gate set that changed since. */
  readonly key: string;
  /** What is in the way. */
  readonly message: Shown;
}

/** The collection in which no set has an answer yet. */
export const NO_GATE_SETS: GateSets = new Map();

/**
 * The change that puts `after` into a set, or with null takes its answers away. Nothing is applied yet. Cost: constant.
 * Never throws.
 *
 * @example
 * const result = parseGates(text, gates);
 * if (result.ok) sets = applyGateChange(sets, putGates(sets, "main", result));
 */
export function putGates(sets: GateSets, set: string, after: GateRecord | null): GateChange {
  return Object.freeze({ slice: "gates", op: "put", set, before: sets.get(set) ?? null, after });
}

/**
 * The collection after a change; the one before is left as it is. Cost: one copy of the map. It does not look at
 * `before`: ask {@link refuseGateChange} first where the collection may have moved.
 *
 * @example applyGateChange(NO_GATE_SETS, putGates(NO_GATE_SETS, "main", record)).get("main"); // record
 */
export function applyGateChange(sets: GateSets, change: GateChange): GateSets {
  const next = new Map(sets);
  if (change.after === null) next.delete(change.set);
  else next.set(change.set, change.after);
  return next;
}

/**
 * The change that takes a change back. Cost: constant. Never throws.
 *
 * @example applyGateChange(applyGateChange(sets, change), invertGateChange(change)); // equal to sets
 */
export function invertGateChange(change: GateChange): GateChange {
  return Object.freeze({ ...change, before: change.after, after: change.before });
}

/**
 * Why the change cannot be applied now: the set no longer holds what the change replaced. Empty if it can be. Cost:
 * linear in the two records. Never throws.
 *
 * @example if (refuseGateChange(sets, change).length === 0) sets = applyGateChange(sets, change);
 */
export function refuseGateChange(sets: GateSets, change: GateChange): readonly GateRefusal[] {
  return sameRecord(sets.get(change.set) ?? null, change.before) ? [] : [moved(change.set)];
}

/**
 * The change as it is, if none of the later changes `since` touched its set; otherwise why it cannot be moved past
 * them. Cost: linear in `since`. Never throws.
 *
 * @example rebaseGateChange(change, []); // change
 */
export function rebaseGateChange(
  change: GateChange,
  since: readonly GateChange[],
): GateChange | readonly GateRefusal[] {
  return since.some((other) => other.set === change.set) ? [moved(change.set)] : change;
}

function moved(set: string): GateRefusal {
  return {
    reason: "gates_changed",
    key: gateSetKey(set),
    message: say`The gate set ${echo(set)} was changed later; undo that first.`,
  };
}

/**
 * The changes that lead from one collection to another, of all sets or of the one named `scope`. One for each set that
 * differs. Cost: linear in both. Never throws.
 *
 * @example gateChangesBetween(sets, sets); // []
 */
export function gateChangesBetween(from: GateSets, to: GateSets, scope?: string): readonly GateChange[] {
  const changes: GateChange[] = [];
  for (const set of new Set([...from.keys(), ...to.keys()])) {
    if (scope !== undefined && scope !== set) continue;
    const after = to.get(set) ?? null;
    if (!sameRecord(from.get(set) ?? null, after)) changes.push(putGates(from, set, after));
  }
  return changes;
}

/**
 * The resource a set is, as versions and audits name it. Never throws.
 *
 * @example gateSetKey("main"); // "gate:main"
 */
export function gateSetKey(set: string): string {
  return `gate:${set}`;
}

/** One set that differs between two collections, in the words of the states. */
export interface GateSetDiff {
  /** The gate set. */
  readonly set: string;
  /** Whether the set's answers came, went or changed. */
  readonly change: "added" | "removed" | "changed";
  /** Whether the summary changed. */
  readonly summary_changed: boolean;
  /** The gates whose answers differ. */
  readonly gates: readonly string[];
  /** PASS before and after. */
  readonly pass: { readonly before: boolean; readonly after: boolean };
}

/**
 * What differs between two collections, of all sets or of the one named `scope`. Gates are listed in the order of their
 * set's configuration, if `configs` has it; else as the states hold them: keys that are digits first. Cost: linear in
 * both. Throws `bad_gate_config` for a configuration that {@link checkGateConfig} finds wrong.
 *
 * @example diffGateSets(before, after)[0]; // { set: "main", change: "changed", gates: ["1_data"], ... }
 */
export function diffGateSets(
  a: GateSets,
  b: GateSets,
  scope?: string,
  configs: { readonly [set: string]: GatesLike } = {},
): readonly GateSetDiff[] {
  return gateChangesBetween(a, b, scope).map(({ set, before, after }) => {
    const config = Object.hasOwn(configs, set) ? configs[set] : undefined;
    const order = config === undefined ? [] : asGateSet(config).set.gates.keys();
    const gates = inOrder({ ...before?.state.gates, ...after?.state.gates }, order);
    const value = (record: GateRecord | null, key: string): string | undefined =>
      JSON.stringify(record?.state.gates[key]);
    return Object.freeze({
      set,
      change: before === null ? "added" : after === null ? "removed" : "changed",
      summary_changed: (before?.state.summary ?? "") !== (after?.state.summary ?? ""),
      gates: [...gates.keys()].filter((key) => value(before, key) !== value(after, key)),
      pass: { before: before?.decision.pass ?? false, after: after?.decision.pass ?? false },
    });
  });
}

function sameRecord(a: GateRecord | null, b: GateRecord | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/**
 * A collection as bytes: one JSON text. Cost: linear in it. Never throws.
 *
 * @example decodeGateSets(encodeGateSets(sets)); // equal to sets
 */
export function encodeGateSets(sets: GateSets): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([...sets]));
}

/**
 * The collection that {@link encodeGateSets} wrote; empty for no bytes. Throws `SyntaxError` for bytes that are not JSON. Costs a parse
 * of them all.
 *
 * @example const sets = decodeGateSets(encodeGateSets(before)); // equal to before
 */
export function decodeGateSets(bytes: Uint8Array): GateSets {
  if (bytes.length === 0) return NO_GATE_SETS;
  return new Map(JSON.parse(new TextDecoder().decode(bytes)) as [string, GateRecord][]);
}

/** The gate that a set waits for, and its question. */
export interface OpenGate {
  /** The gate that is open. */
  readonly gate: string;
  /** What to ask for it. */
  readonly question: string;
}

/**
 * What work must wait for: undefined for a set that passed or was overridden, otherwise the gate that is open. A set
 * that was never answered is decided as the empty state. Cost: linear in the gates of a set that was never answered,
 * else constant. Throws `bad_gate_config` for a wrong configuration of such a set.
 *
 * @example openGate(NO_GATE_SETS, "main", gates); // { gate: "1_data", question: "Is there data?" }
 */
export function openGate(sets: GateSets, set: string, config: GatesLike): OpenGate | undefined {
  const decision = sets.get(set)?.decision ?? computeDecision(asGateSet(config).set, new Map());
  if (decision.pass) return undefined;
  return { gate: decision.next_gate ?? "", question: decision.next_question ?? "" };
}
