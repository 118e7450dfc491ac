// Owns: which tools a session has, and the names by which they are allowed.

import { echo, say } from "../errors.ts";
import { badOptions, checkNames } from "../text/options.ts";
import { gateSets, requiredGates } from "./gates/gate-sets.ts";
import { gateTools } from "./gates/gate-tools.ts";
import { ALL_TOOLS } from "./identity.ts";
import { stderrLog } from "./log.ts";
import type { SessionOptions } from "./session.ts";
import type { Tool } from "./tool.ts";
import { DEFAULT_TOOLSETS, TOOLS } from "./toolsets.ts";

/** A session without gate sets has no such tools, and may still name the toolset. */
const TOOLSETS: readonly string[] = ["files", "json", "patch", "tree", "gates", "history", ALL_TOOLS];

/** Names by which tools are allowed: of toolsets, and their own. */
export function namesIn(tools: ReadonlyMap<string, Tool>): readonly string[] {
  return [...new Set([...TOOLSETS, ...[...tools.values()].map((tool) => tool.toolset), ...tools.keys()])];
}

/** All tools of a session. Throws for two of one name, for gate sets that cannot be, and for an unknown toolset. */
export function toolsOf(options: SessionOptions): ReadonlyMap<string, Tool> {
  const sets = gateSets(options.gates ?? {});
  const gates = sets.size === 0 ? [] : gateTools(sets, options.log ?? stderrLog);
  const tools = toolMap([...TOOLS, ...gates, ...(options.tools ?? [])]);
  if (options.toolsets !== undefined) checkNames(say`toolsets`, options.toolsets, namesIn(tools));
  requiredGates(sets, options.requireGates ?? []);
  return tools;
}

export function defaultToolsets({ tools = [], gates = {} }: SessionOptions): readonly string[] {
  const asked = Object.keys(gates).length === 0 ? [] : ["gates"];
  return [...new Set([...DEFAULT_TOOLSETS, ...asked, ...tools.map(({ toolset }) => toolset)])];
}

function toolMap(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (map.has(tool.name)) throw badOptions(say`tools: two are named ${echo(tool.name)}`);
    map.set(tool.name, tool);
  }
  return map;
}
