// Owns: `--rules FILE` and `--gates FILE`: what agents may do at which paths, and what they must answer first, out of JSON files of the
// host.
// Must never: judge what a rule or a gate says: that is found when the session opens.

import { readFileSync } from "node:fs";
import type { GateConfigInput } from "../gates/index.ts";
import type { PathRule } from "../tools/index.ts";
import { parseJson } from "./input.ts";
import { UsageError } from "./usage-error.ts";

/** The rules of a file. */
export function readRulesFile(file: string): readonly PathRule[] {
  const rules = jsonOf("--rules", file);
  if (!Array.isArray(rules))
    throw new UsageError(`--rules: ${file} must hold a list such as [{"paths":["dist/**"],"deny":"write"}].`);
  return rules as readonly PathRule[];
}

export interface GatesFile {
  readonly gates: Readonly<Record<string, GateConfigInput>>;
  readonly requireGates: readonly string[];
}

/**
 * The gate sets of a file: one configuration, which is named `main`, or several by name. All of them are required; none lifts those that the
 * session has.
 */
export function readGatesFile(file: string): GatesFile {
  const data = jsonOf("--gates", file);
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw new UsageError(
      `--gates: ${file} must hold a gate configuration, or several by name; {} lifts those that the session has.`,
    );
  const one = "gate_order" in data || "GATE_ORDER" in data || "gates" in data || "GATES" in data;
  const gates = (one ? { main: data } : data) as GatesFile["gates"];
  return { gates, requireGates: Object.keys(gates) };
}

/** What a file that an option names holds. */
function jsonOf(option: string, file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(
      `${option}: ${file} cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"}).`,
    );
  }
  return parseJson(text, `${option}: ${file}`);
}
