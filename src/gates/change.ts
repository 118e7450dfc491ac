// Owns: gate sets as history sees them: a collection by name, and the one change that can happen to it. Pure data in and
// out, so that a slice of a session only has to pass it through.
// Must never: know a journal, a session or a clock.

import { echo, say, type Shown } from "../errors.ts";
import { asGateSet, type GatesLike } from "./config.ts";
import { decide, type GateDecision } from "./decide.ts";
import type { GateState } from "./state.ts";

/** What is kept of one gate set. */
export interface GateRecord {
  readonly state: GateState;
  readonly decision: GateDecision;
}

/** All gate sets of a session by name. Never changed in place. */
export type GateSets = ReadonlyMap<string, GateRecord>;

/** Plain JSON: what a set held before and holds after. Null means that there was none, or is none any more. */
export interface GateChange {
  readonly slice: "gates";
  readonly op: "put";
  readonly set: string;
  readonly before: GateRecord | null;
  readonly after: GateRecord | null;
}

export interface GateRefusal {
  readonly reason: "gates_changed";
  readonly key: string;
  readonly message: Shown;
}

export const NO_GATE_SETS: GateSets = new Map();

export function putGates(sets: GateSets, set: string, after: GateRecord | null): GateChange {
  return Object.freeze({ slice: "gates", op: "put", set, before: sets.get(set) ?? null, after });
}

export function applyGateChange(sets: GateSets, change: GateChange): GateSets {
  const next = new Map(sets);
  if (change.after === null) next.delete(change.set);
  else next.set(change.set, change.after);
  return next;
}

export function invertGateChange(change: GateChange): GateChange {
  return Object.freeze({ ...change, before: change.after, after: change.before });
}

/** Why the change cannot be applied now: the set no longer holds what the change replaced. */
export function refuseGateChange(sets: GateSets, change: GateChange): readonly GateRefusal[] {
  return sameRecord(sets.get(change.set) ?? null, change.before) ? [] : [moved(change.set)];
}

/** A change goes past changes of other sets as it is; past one of its own set it cannot go. */
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

/** The changes that lead from one collection to another, of all sets or of the one named `scope`. */
export function gateChangesBetween(from: GateSets, to: GateSets, scope?: string): readonly GateChange[] {
  const changes: GateChange[] = [];
  for (const set of new Set([...from.keys(), ...to.keys()])) {
    if (scope !== undefined && scope !== set) continue;
    const after = to.get(set) ?? null;
    if (!sameRecord(from.get(set) ?? null, after)) changes.push(putGates(from, set, after));
  }
  return changes;
}

/** The resource a set is: `gate:<set>`. */
export function gateSetKey(set: string): string {
  return `gate:${set}`;
}

/** One set that differs between two collections, in the words of the states. */
export interface GateSetDiff {
  readonly set: string;
  readonly change: "added" | "removed" | "changed";
  readonly summary_changed: boolean;
  readonly gates: readonly string[];
  readonly pass: { readonly before: boolean; readonly after: boolean };
}

export function diffGateSets(a: GateSets, b: GateSets, scope?: string): readonly GateSetDiff[] {
  return gateChangesBetween(a, b, scope).map(({ set, before, after }) => {
    const values = (record: GateRecord | null): ReadonlyMap<string, string> =>
      new Map(Object.entries(record?.state.gates ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
    const old = values(before);
    const now = values(after);
    return Object.freeze({
      set,
      change: before === null ? "added" : after === null ? "removed" : "changed",
      summary_changed: (before?.state.summary ?? "") !== (after?.state.summary ?? ""),
      gates: [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key)),
      pass: { before: before?.decision.pass ?? false, after: after?.decision.pass ?? false },
    });
  });
}

function sameRecord(a: GateRecord | null, b: GateRecord | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** A collection as bytes: one JSON text. */
export function encodeGateSets(sets: GateSets): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([...sets]));
}

/** The collection that {@link encodeGateSets} wrote. */
export function decodeGateSets(bytes: Uint8Array): GateSets {
  if (bytes.length === 0) return NO_GATE_SETS;
  return new Map(JSON.parse(new TextDecoder().decode(bytes)) as [string, GateRecord][]);
}

/** The gate that a set waits for, and its question. */
export interface OpenGate {
  readonly gate: string;
  readonly question: string;
}

/**
 * What work must wait for: undefined for a set that passed or was overridden, otherwise the gate that is open. A set that
 * was never answered is decided as the empty state.
 */
export function openGate(sets: GateSets, set: string, config: GatesLike): OpenGate | undefined {
  const decision = sets.get(set)?.decision ?? decide(asGateSet(config).set, new Map());
  if (decision.pass) return undefined;
  return { gate: decision.next_gate ?? "", question: decision.next_question ?? "" };
}
