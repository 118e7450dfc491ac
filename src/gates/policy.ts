// Owns: what a host may choose about how strictly answers are judged.

/** How strictly answers are judged. Set in the configuration, or for one answer in the options of {@link parseGates}. */
export interface GatePolicy {
  /** A user may delete a gate by sending null for it; otherwise that is `deletion_not_allowed`. Default false. */
  readonly allow_user_delete_gate_keys: boolean;
  /** A user may set a value back to null; otherwise that is `invalid_value`. Default true. */
  readonly allow_user_clear_values: boolean;
  /** An unknown category is `invalid_category`; otherwise it becomes null with a warning. Default true. */
  readonly strict_classified_validation: boolean;
  /** A `next_gate` that names no gate is `invalid_gate_key`; otherwise a warning. Default true. */
  readonly strict_status: boolean;
  /** An answer that broke off is judged as far as it goes; otherwise it is `invalid_json`. Default false. */
  readonly accept_truncated: boolean;
  /** Code points in a summary, after trimming; more are `invalid_value`. Default 200. */
  readonly summary_limit: number;
}

/** The policy of a configuration that sets none. */
export const DEFAULT_POLICY: GatePolicy = Object.freeze({
  allow_user_delete_gate_keys: false,
  allow_user_clear_values: true,
  strict_classified_validation: true,
  strict_status: true,
  accept_truncated: false,
  summary_limit: 200,
});

/** The changes of a policy on top of another; undefined changes nothing. */
export function withPolicy(policy: GatePolicy, changes: Partial<GatePolicy> | undefined): GatePolicy {
  if (changes === undefined) return policy;
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.freeze({ ...policy, ...(Object.fromEntries(set) as Partial<GatePolicy>) });
}
