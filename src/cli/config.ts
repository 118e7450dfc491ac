// Owns: `holdfast config`: the configuration that makes an MCP client use Holdfast, ready to be put into its file.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument, type Command } from "commander";
import { withExamples, withJson } from "./declare.ts";
import { note, printJson, printText, type JsonFlag } from "./output.ts";
import { UsageError } from "./usage-error.ts";

const CLIENTS = ["claude-code", "cursor", "vscode", "claude-desktop"] as const;
type Client = (typeof CLIENTS)[number];

interface ConfigFlags extends JsonFlag {
  readonly toolsets?: string;
  readonly permissions?: boolean;
  readonly denyEdits?: boolean;
  readonly local?: boolean;
}

export function declareConfig(root: Command): void {
  const config = withJson(root.command("config").summary("print the configuration of an MCP client"));
  config.description(
    "Prints the JSON that makes a client start `holdfast mcp` for a folder; standard error says which file it belongs into.",
  );
  config.addArgument(new Argument("<client>", "which client").choices(CLIENTS));
  config.argument("[folder]", "the folder to work on; the client's own project folder when left out");
  config.option("--local", "start this copy of Holdfast instead of the published one");
  config.option("--toolsets <names>", "other tools than the default, separated by commas");
  config.option(
    "--permissions",
    "claude-code: print the settings that allow our reading tools without asking, instead",
  );
  config.option("--deny-edits", "with --permissions: also deny the client's own tools that write files");
  config.action(configCommand);
  withExamples(config, [
    "holdfast config claude-code > .mcp.json",
    "mkdir -p .claude && holdfast config claude-code --permissions --deny-edits > .claude/settings.json",
    "holdfast config claude-desktop ~/notes",
    "mkdir -p .vscode && holdfast config vscode > .vscode/mcp.json",
    "holdfast config cursor --local",
  ]);
}

/** Where a client keeps it, and its word for the folder that is open there. */
const PLACES: Readonly<Record<Client, { readonly file: string; readonly folder: string }>> = {
  "claude-code": { file: ".mcp.json in the project", folder: "." },
  cursor: { file: ".cursor/mcp.json in the project", folder: "${workspaceFolder}" },
  vscode: { file: ".vscode/mcp.json in the workspace", folder: "${workspaceFolder}" },
  "claude-desktop": {
    file: "claude_desktop_config.json (Settings, Developer, Edit Config)",
    folder: process.cwd(),
  },
};

/** Tools of Claude Code that write files without the session. */
const OWN_EDITS = ["Edit", "Write", "NotebookEdit"];

async function configCommand(client: Client, folder: string | undefined, flags: ConfigFlags): Promise<void> {
  if (flags.permissions === true || flags.denyEdits === true) {
    if (client === "claude-code") return permissions(flags);
    throw new UsageError(
      `--permissions and --deny-edits are for claude-code; ${client} asks in its own window.`,
    );
  }
  const place = PLACES[client];
  const config = clientConfig(client, folder, flags);
  if (flags.json === true) return printJson({ ok: true, client, file: place.file, config });
  note(`Put this into ${place.file}:`);
  printText(JSON.stringify(config, null, 2));
}

export function clientConfig(client: Client, folder: string | undefined, flags: ConfigFlags = {}): object {
  const [command, ...program] =
    flags.local === true
      ? ["node", fileURLToPath(new URL("../cli/main.js", import.meta.url))]
      : ["npx", "-y", "holdfast"];
  const args = [
    ...program,
    "mcp",
    folder === undefined ? PLACES[client].folder : resolve(folder),
    ...(flags.toolsets === undefined ? [] : ["--toolsets", flags.toolsets]),
  ];
  const server = { command, args };
  if (client === "vscode") return { servers: { holdfast: { type: "stdio", ...server } } };
  return { mcpServers: { holdfast: server } };
}

async function permissions(flags: ConfigFlags): Promise<void> {
  const { openSession } = await import("../tools/index.ts");
  await using session = await openSession();
  const reads = session
    .as({ id: "cli", role: "reader" })
    .tools()
    .map(({ name }) => `mcp__holdfast__${name}`);
  const deny = flags.denyEdits === true ? { deny: OWN_EDITS } : {};
  const config = { permissions: { allow: reads, ...deny } };
  if (flags.json === true)
    return printJson({ ok: true, client: "claude-code", file: ".claude/settings.json", config });
  note("Put this into .claude/settings.json in the project:");
  printText(JSON.stringify(config, null, 2));
}
