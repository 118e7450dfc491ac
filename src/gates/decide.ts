// Owns: whether the gates are passed. A function of the canonical answers and the configuration, and of nothing else.

import { asGateSet } from "./define.ts";
import type { Gate, GatesLike, GateSet, KeyOf } from "./gate-set.ts";
import { buildState, valuesOf, type GateState, type GateValue, type GateValues } from "./state.ts";

/** Why a set passes or not: all required gates are complete, one is missing, or the host passed it. */
export type DecisionReason = "all_required_complete" | "required_missing" | "user_override";

/** Whether a set passes, and if not the gate to ask for next. Computed by the system alone. */
export interface GateDecision<K extends string = string> {
  /** Whether everything that is required is there. */
  readonly pass: boolean;
  /** Why. */
  readonly reason: DecisionReason;
  /** The first required gate that is not complete; null if the set passes. */
  readonly next_gate: K | null;
  /** Its question. */
  readonly next_question: string | null;
}

/** Whether a gate is answered: by a category where it has some, by any text where it has none. */
export function isComplete(gate: Pick<Gate, "mode">, value: GateValue | undefined): boolean {
  if (value === undefined) return false;
  return value.classified !== null || (gate.mode === "raw_required" && value.raw !== null);
}

/**
 * The system's own decision over a state: PASS if every required gate is complete, otherwise the first that is not.
 * What the state says about itself in `status` is not looked at. Cost: linear in the gates. Throws `bad_gate_config`
 * for a configuration that {@link checkGateConfig} finds wrong.
 *
 * @example decideGates(emptyGates(gates), gates); // { pass: false, reason: "required_missing", next_gate: "1_data", ... }
 */
export function decideGates<const C extends GatesLike>(
  state: Pick<GateState<C>, "gates">,
  config: C,
): GateDecision<KeyOf<C>> {
  const { set } = asGateSet(config);
  return computeDecision(set, valuesOf(state as never)) as GateDecision<KeyOf<C>>;
}

export function computeDecision<C>(set: GateSet<C>, values: GateValues): GateDecision {
  for (const gate of set.gates.values())
    if (gate.required && !isComplete(gate, values.get(gate.key)))
      return Object.freeze({
        pass: false,
        reason: "required_missing",
        next_gate: gate.key,
        next_question: gate.question,
      });
  return passed("all_required_complete");
}

function passed(reason: DecisionReason): GateDecision<never> {
  return Object.freeze({ pass: true, reason, next_gate: null, next_question: null });
}

/**
 * Passes a state by the word of the person in charge, whatever is missing. Only a host calls this: no payload leads
 * here. {@link parseGates} decides the next answer by the rules again, so a host that wants the override to stay in
 * force overrides its state too; {@link liftOverride} ends it. Cost: linear in the gates. Throws `bad_gate_config` for
 * a configuration that {@link checkGateConfig} finds wrong.
 *
 * @example overrideGates(state, gates).decision; // { pass: true, reason: "user_override", ... }
 */
export function overrideGates<const C extends GatesLike>(
  state: GateState<C>,
  config: C,
): { readonly state: GateState<C>; readonly decision: GateDecision<KeyOf<C>> } {
  const { set } = asGateSet(config);
  const status = { pass: true, next_gate: null, next_query: null };
  return Object.freeze({
    state: buildState(set, state.summary, valuesOf(state as never), status),
    decision: passed("user_override"),
  });
}

/**
 * A state decided by the rules again, after an override. Cost: linear in the gates. Throws `bad_gate_config` for a
 * configuration that {@link checkGateConfig} finds wrong.
 *
 * @example liftOverride(state, gates).decision; // { pass: false, reason: "required_missing", ... }
 */
export function liftOverride<const C extends GatesLike>(
  state: GateState<C>,
  config: C,
): { readonly state: GateState<C>; readonly decision: GateDecision<KeyOf<C>> } {
  const { set } = asGateSet(config);
  const values = valuesOf(state as never);
  const decision = computeDecision(set, values);
  const status = { pass: decision.pass, next_gate: decision.next_gate, next_query: decision.next_question };
  return Object.freeze({
    state: buildState(set, state.summary, values, status),
    decision: decision as GateDecision<KeyOf<C>>,
  });
}
