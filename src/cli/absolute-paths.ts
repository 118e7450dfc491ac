// Owns: absolute paths of the host in what models send: those below a mounted folder mean the file in the workspace.
// Must never: touch text that is not a path argument.

import { basename, sep } from "node:path";
import type { Agent } from "../tools/index.ts";

/** Arguments of our tools that are paths or lists of them. */
const PATH_ARGUMENTS: ReadonlySet<string> = new Set([
  "path",
  "paths",
  "from",
  "to",
  "source",
  "destination",
  "file",
  "directory",
]);

/** An agent that takes paths of the host below these folders, and otherwise is the one given. */
export function translatingAgent(agent: Agent, folders: readonly string[]): Agent {
  const call: Agent["call"] = (tool, input, options) =>
    agent.call(tool, workspacePaths(input, folders) as typeof input, options);
  return { session: agent.session, identity: agent.identity, call, tools: (how) => agent.tools(how) };
}

/** The input with paths of the host made workspace paths, also in lists of edits. */
export function workspacePaths(input: unknown, folders: readonly string[]): unknown {
  if (Array.isArray(input))
    return input.map((item) => (typeof item === "object" ? workspacePaths(item, folders) : item));
  if (typeof input !== "object" || input === null) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      if (!PATH_ARGUMENTS.has(name)) return [name, isEdits(value) ? workspacePaths(value, folders) : value];
      return [
        name,
        Array.isArray(value) ? value.map((one) => translated(one, folders)) : translated(value, folders),
      ];
    }),
  );
}

function isEdits(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "object");
}

function translated(path: unknown, folders: readonly string[]): unknown {
  if (typeof path !== "string") return path;
  for (const folder of folders) {
    if (path !== folder && !path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) continue;
    const below = path
      .slice(folder.length)
      .split(sep)
      .filter((name) => name !== "");
    return ["/workspace", ...(folders.length === 1 ? [] : [basename(folder)]), ...below].join("/");
  }
  return path;
}
