// Owns: making a checked gate set out of a configuration, once.

import { HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import type { GateConfigInput, GateConfigProblem } from "./config.ts";
import type { GateSet } from "./gate-set.ts";
import { readConfig, type ConfigRead } from "./_read-config.ts";

/** Sets that this module made: they need no second check. */
const checked = new WeakSet();

/**
 * Checks a configuration and makes it ready. Do this once and hand the set to {@link parseGates} and the others: they
 * check a configuration that is not a set each time.
 *
 * Cost: linear in the configuration. Throws `invalid_argument` / `bad_gate_config` with every problem in `data`.
 *
 * @example
 * const gates = defineGates({
 *   gate_order: ["1_data", "2_use"],
 *   gates: {
 *     "1_data": { question: "Is there data?", required: true, expected_categories: ["Yes", "No"] },
 *     "2_use": { question: "What is it for?", required: true },
 *   },
 * });
 */
export function defineGates<const C extends GateConfigInput>(config: C): GateSet<C> {
  const read = readConfig(config);
  if (read.version !== undefined) read.problems.push(read.version);
  return finish<C>(read);
}

/**
 * Every problem of a configuration at once, each with its place; none means that {@link defineGates} takes it. Never
 * throws, whatever it is given, and runs no code of it.
 *
 * @example
 * checkGateConfig({ gate_order: ["a"], gates: {} }); // [{ path: "gate_order[0]", message: 'names the unknown gate "a"' }]
 */
export function checkGateConfig(config: unknown): readonly GateConfigProblem[] {
  const read = readConfig(config);
  return read.version === undefined ? read.problems : [...read.problems, read.version];
}

/** A set out of a configuration or a set. An unknown version is returned as a problem; other problems throw. */
export function asGateSet<C>(config: C): {
  readonly set: GateSet<C>;
  readonly version: GateConfigProblem | undefined;
} {
  if (typeof config === "object" && config !== null && checked.has(config))
    return { set: config as unknown as GateSet<C>, version: undefined };
  const read = readConfig(config);
  return { set: finish<C>(read), version: read.version };
}

function finish<C>(read: ConfigRead): GateSet<C> {
  const { problems } = read;
  if (problems.length > 0)
    throw new HoldfastError(
      "invalid_argument",
      "bad_gate_config",
      say`The gate configuration has ${problems.length} ${(problems.length === 1 ? "problem" : "problems") as Shown}: ${sayAll(
        problems.slice(0, 50).map((problem) => `${problem.path}: ${problem.message}` as Shown),
        "; ",
      )}.`,
      {
        data: problems.map((problem) => ({ path: problem.path as Shown, message: problem.message as Shown })),
      },
    );
  const set = Object.freeze({
    gates: read.gates,
    policy: read.policy,
    role: read.role,
    instructions: read.instructions,
    warnings: Object.freeze(warningsOf(read)),
  }) as unknown as GateSet<C>;
  checked.add(set);
  return set;
}

function warningsOf({ gates }: ConfigRead): string[] {
  return [...gates.values()].some((gate) => gate.required)
    ? []
    : ["No gate is required, so every answer passes: set required: true where a gate must hold."];
}
