// Owns: the tools that `holdfast mcp` lists before any session is open. They were written down when the package was built: a client
// that only asks what there is must not wait until the tools themselves are loaded.

import { readFileSync } from "node:fs";
import { say } from "../errors.ts";
import type { McpTool } from "../mcp/index.ts";
import { checkNames } from "../text/options.ts";

interface WrittenTool extends McpTool {
  readonly toolset: string;
}

/** The tools of these toolsets, in their order. Throws `invalid_argument` / `unknown_option` with the nearest name. */
export function writtenTools(toolsets: readonly string[]): McpTool[] {
  const file = new URL("../cli/catalogue.json", import.meta.url);
  const all = JSON.parse(readFileSync(file, "utf8")) as readonly WrittenTool[];
  const names = all.flatMap(({ name, toolset }) => [toolset, name]);
  checkNames(say`toolsets`, toolsets, [...new Set(["all", "gates", ...names])]);
  return all.filter(({ name, toolset }) => ["all", toolset, name].some((one) => toolsets.includes(one)));
}
