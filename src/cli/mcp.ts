// Owns: `holdfast mcp`. Standard output belongs to the protocol; everything else goes to standard error.

import { serveMcpStdio } from "../mcp/index.ts";
import { openSession, type Role } from "../tools/index.ts";

export interface McpFlags {
  readonly as: string;
  readonly role: Role;
  readonly readOnly?: boolean;
  readonly toolsets?: string;
}

export async function mcpCommand(flags: McpFlags): Promise<void> {
  const toolsets = flags.toolsets?.split(",").map((name) => name.trim());
  const session = await openSession({
    readOnly: flags.readOnly ?? false,
    ...(toolsets === undefined ? {} : { toolsets }),
  });
  const stop = serveMcpStdio(session.as({ id: flags.as, role: flags.role }));
  let stopping: Promise<void> | undefined;
  const end = (): void => {
    stopping ??= stop().then(() => session.close());
    void stopping;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  process.stdin.once("end", end);
}
