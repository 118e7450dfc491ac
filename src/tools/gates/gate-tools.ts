// Owns: the gates toolset of a session that has gate sets.

import type { Log } from "../log.ts";
import type { Tool } from "../tool.ts";
import { gateLog, type GateSetsByName } from "./gate-sets.ts";
import { getGates } from "./get-gates.ts";
import { submitGates } from "./submit-gates.ts";

export function gateTools(sets: GateSetsByName, log: Log): Tool[] {
  return [getGates(sets), submitGates(sets, gateLog(log))];
}
