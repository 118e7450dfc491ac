// Owns: `holdfast tools`.

import { openSession, type Role } from "../tools/index.ts";
import { HoldfastError } from "../errors.ts";
import { printText, printResult, type JsonFlag } from "./output.ts";
import { toolsetsOf } from "./session-options.ts";
import { UsageError } from "./usage-error.ts";

interface ToolsFlags extends JsonFlag {
  readonly role: Role;
  readonly toolsets?: string;
}

export async function toolsCommand(flags: ToolsFlags): Promise<void> {
  await using session = await openSession({ toolsets: toolsetsOf(flags.toolsets) }).catch(
    (error: unknown) => {
      throw HoldfastError.is(error) ? new UsageError(error.message) : error;
    },
  );
  const tools = session.as({ id: "cli", role: flags.role }).tools();
  const shown = tools.map(
    ({ name, title, description, toolset, inputSchema, outputSchema, annotations }) => ({
      name,
      title,
      description,
      toolset,
      inputSchema,
      outputSchema,
      annotations,
    }),
  );
  printResult(flags, { tools: shown }, () => {
    let total = 0;
    for (const { name, description, toolset, inputSchema } of tools) {
      const cost = JSON.stringify({ name, description, inputSchema }).length;
      total += cost;
      printText(`${toolset.padEnd(8)} ${name.padEnd(16)} ${String(cost).padStart(5)}  ${description}`);
    }
    return `${tools.length} tools, ${total} characters of catalogue`;
  });
}
