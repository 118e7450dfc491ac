// Owns: `holdfast mcp`. Standard output belongs to the protocol; everything else goes to standard error.

import { serveMcpStdio } from "../mcp/index.ts";
import { lineLog } from "./failure.ts";
import { openFor, type SessionFlags } from "./session-options.ts";

/** Every tool costs the agent context, so a client gets these unless it asks for more. */
const DEFAULT_TOOLSETS = "files,json,undo_changes,request_landing";

export async function mcpCommand(flags: SessionFlags): Promise<void> {
  const { agent, close } = await openFor({ toolsets: DEFAULT_TOOLSETS, ...flags }, { log: lineLog });
  const connection = serveMcpStdio(agent, { log: lineLog });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void connection.close());
  process.stdout.once("error", () => void connection.close());
  const { ok } = await connection.ended;
  if (!ok) process.exitCode = 1;
  await close();
}
