// Owns: `holdfast mcp`. Standard output belongs to the protocol; everything else goes to standard error.

import { serveMcpStdio } from "../mcp/index.ts";
import { openFor, type SessionFlags } from "./session-options.ts";

/** Every tool costs the agent context, so a client gets the tools for files unless it asks for more. */
const DEFAULT_TOOLSETS = "files,patch,history";

export async function mcpCommand(flags: SessionFlags): Promise<void> {
  const { agent, close } = await openFor({ toolsets: DEFAULT_TOOLSETS, ...flags });
  const stop = serveMcpStdio(agent);
  let stopping: Promise<void> | undefined;
  const end = (): void => {
    stopping ??= stop().then(close);
    void stopping;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  process.stdin.once("end", end);
  process.stdout.once("error", end);
}
