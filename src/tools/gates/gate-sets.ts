// Owns: the gate sets that a host has given a session, checked once, and what they mean for writing.

import { echo, HoldfastError, say, sayAll, type Shown } from "../../errors.ts";
import {
  defineGates,
  gateSetKey,
  openGate,
  type GateConfigInput,
  type GateLog,
  type GateSet,
} from "../../gates/index.ts";
import type { GatesState } from "../../session/gates/gates-slice.ts";
import type { SessionState } from "../../session/state.ts";
import type { Key } from "../../store/journal.ts";
import { checkArgument } from "../../text/options.ts";
import type { HoldingGate } from "../identity.ts";
import type { Log } from "../log.ts";

export type GateSetsByName = ReadonlyMap<string, GateSet<GateConfigInput>>;

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Checks the host's gate sets. Throws `invalid_argument` for a bad name or configuration, naming every problem. */
export function gateSets(given: Readonly<Record<string, GateConfigInput>>): GateSetsByName {
  const sets = new Map<string, GateSet<GateConfigInput>>();
  for (const [name, config] of Object.entries(given)) {
    if (!NAME.test(name))
      throw new HoldfastError(
        "invalid_argument",
        "bad_gate_set_name",
        say`${echo(name)} cannot name a gate set: use a-z, 0-9, _ and -, beginning with a letter.`,
      );
    sets.set(name, defineGates(config));
  }
  return sets;
}

/** The set that a call means: the one it names, or the only one. Throws `no_such_gate_set` and `gate_set_required`. */
export function chooseSet(
  sets: GateSetsByName,
  name: string | undefined,
): { readonly name: Shown; readonly config: GateSet<GateConfigInput> } {
  if (name !== undefined) checkArgument(say`The name of a gate set`, name, "string");
  const [only, ...others] = sets.keys();
  const chosen = name ?? (others.length === 0 ? only : undefined);
  const config = chosen === undefined ? undefined : sets.get(chosen);
  if (chosen !== undefined && config !== undefined) return { name: chosen as Shown, config };
  if (sets.size === 0)
    throw new HoldfastError(
      "not_found",
      "no_such_gate_set",
      say`The session has no gate sets: give it some when it is opened.`,
    );
  const known = sayAll([...sets.keys()] as Shown[]);
  if (name === undefined)
    throw new HoldfastError(
      "invalid_argument",
      "gate_set_required",
      say`Name one of the gate sets: ${known}.`,
    );
  throw new HoldfastError(
    "not_found",
    "no_such_gate_set",
    say`There is no gate set ${echo(name)}. There are: ${known}.`,
  );
}

/** The host hears of everything the judge finds. */
export function gateLog(log: Log): GateLog {
  return (entry) => {
    if (entry.level === "error") log.error("a gate answer was refused", { ...entry });
  };
}

/** Gate sets that must have passed before anything is written. */
export interface RequiredGates {
  /** What they are decided by: a write depends on it. */
  readonly keys: readonly Key[];
  /** The first gate that is open in a state. */
  open(state: SessionState): HoldingGate | undefined;
}

/** What holds writes back until every required set has passed. Throws `invalid_argument` for a set that is not there. */
export function requiredGates(sets: GateSetsByName, required: readonly string[]): RequiredGates {
  for (const name of required) chooseSet(sets, name);
  const open = (state: SessionState): HoldingGate | undefined => {
    const { sets: records } = state.slices.get("gates") as GatesState;
    for (const name of required) {
      const { config } = chooseSet(sets, name);
      const open = openGate(records, name, config);
      if (open === undefined) continue;
      return { gate: say`${name as Shown} / ${open.gate as Shown}`, question: open.question as Shown };
    }
    return undefined;
  };
  return { keys: required.map(gateSetKey), open };
}
