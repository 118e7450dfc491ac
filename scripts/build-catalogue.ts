// Owns: the part of the build that writes down the tools, as `holdfast mcp` lists them before it has loaded any.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./_command.ts";

const DIST = path.join(ROOT, "dist");
const { openSession } = (await import(
  pathToFileURL(path.join(DIST, "tools", "index.js")).href
)) as typeof import("../src/tools/index.ts");

await using session = await openSession({ toolsets: ["all"] });
const tools = session
  .as({ id: "build", role: "editor" })
  .tools()
  .map(({ name, toolset, description, inputSchema, annotations }) => ({
    name,
    toolset,
    description,
    inputSchema,
    annotations,
  }));
writeFileSync(path.join(DIST, "cli", "catalogue.json"), `${JSON.stringify(tools)}\n`);
