// Owns: the gates toolset of a session that has gate sets.

import type { Log } from "../log.ts";
import type { Tool } from "../tool.ts";
import { gateLog, type GateSetsByName } from "./gate-sets.ts";
import { getGates } from "./get-gates.ts";
import { submitGates } from "./submit-gates.ts";

/** The tools. The host hears of what is odd about its sets. */
export function gateTools(sets: GateSetsByName, log: Log): Tool[] {
  for (const [set, { warnings }] of sets)
    for (const warning of warnings) log.error("a gate set looks wrong", { set, warning });
  return [getGates(sets), submitGates(sets, gateLog(log))];
}
