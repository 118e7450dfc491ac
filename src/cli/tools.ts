// Owns: `holdfast tools`.

import { openSession, type Role } from "../tools/index.ts";

export async function toolsCommand(flags: { readonly json?: boolean; readonly role: Role }): Promise<void> {
  await using session = await openSession();
  const tools = session.as({ id: "cli", role: flags.role }).tools();
  if (flags.json === true) {
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
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
  let total = 0;
  for (const { name, description, toolset, inputSchema } of tools) {
    const cost = JSON.stringify({ name, description, inputSchema }).length;
    total += cost;
    process.stdout.write(
      `${toolset.padEnd(8)} ${name.padEnd(16)} ${String(cost).padStart(5)}  ${description}\n`,
    );
  }
  process.stdout.write(`${tools.length} tools, ${total} characters of catalogue\n`);
}
