// Owns: `--gates FILE`: gate sets out of a JSON file of the host.

import type { GateConfigInput } from "../gates/index.ts";
import { parseJson } from "./input.ts";
import { optionFile } from "./rules-file.ts";
import { UsageError } from "./usage-error.ts";

export interface GatesFile {
  readonly gates: Readonly<Record<string, GateConfigInput>>;
  readonly requireGates: readonly string[];
}

/**
 * The gate sets of a file: one configuration, which is named `main`, or several by name. All of them are required; none lifts those that the session has. What
 * is wrong inside a configuration is found when the session opens.
 */
export function readGatesFile(file: string): GatesFile {
  const data = parseJson(optionFile("--gates", file), `--gates: ${file}`);
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw new UsageError(
      `--gates: ${file} must hold a gate configuration, or several by name; {} lifts those that the session has.`,
    );
  const one = "gate_order" in data || "GATE_ORDER" in data || "gates" in data || "GATES" in data;
  const gates = (one ? { main: data } : data) as GatesFile["gates"];
  return { gates, requireGates: Object.keys(gates) };
}
