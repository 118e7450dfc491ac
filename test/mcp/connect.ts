// A real client and the built server, in this process or in one of its own, and what a test asks of both.

import { Client, type CallToolResult, type ElicitResult, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { PassThrough } from "node:stream";
import { onTestFinished, vi } from "vitest";
import { join } from "node:path";
import { LineTransport } from "../../src/mcp/line-transport.ts";
import { builtProgram } from "../children.ts";
import { CLI } from "../cli/command.ts";
import { scratch } from "../cli/folder.ts";

export const FILES: readonly string[] = [
  "list_directory",
  "read_file",
  "stat_file",
  "find_files",
  "search_files",
  "write_file",
  "edit_file",
  "replace_in_files",
  "move_file",
  "copy_file",
  "delete_file",
];
const JSON_TOOLS = [
  "preview_json",
  "get_json_value",
  "list_json_keys",
  "validate_json",
  "query_json",
  "set_json_value",
  "delete_json_key",
  "append_json_array",
  "merge_json_object",
  "edit_json",
];
export const DEFAULTS: readonly string[] = [...FILES, ...JSON_TOOLS, "undo_changes", "request_landing"];

export type Era = "legacy" | "auto" | "pinned";

interface How {
  readonly name?: string;
  /** The user's answer to a question; a client without it cannot ask. */
  readonly answer?: (message: string) => ElicitResult | Promise<ElicitResult>;
}

export interface Connected<T extends Transport = Transport> {
  readonly client: Client;
  readonly transport: T;
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ) => Promise<CallToolResult>;
}

/** A client of a server in this process, which costs less to start. Its clients are in one process, too. */
export async function connect(
  era: Era,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  how: How = {},
): Promise<Connected> {
  const { program } = await builtProgram();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { exitCode } = process;
  const around = { ...process.env };
  Object.assign(process.env, env);
  vi.spyOn(process, "stdin", "get").mockReturnValue(input as unknown as typeof process.stdin);
  vi.spyOn(process, "stdout", "get").mockReturnValue(output as unknown as typeof process.stdout);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const ended = program().parseAsync(["node", "holdfast", "mcp", ...flags]);
  const connected = await connectBy(new LineTransport(output, input), era, how);
  vi.restoreAllMocks();
  onTestFinished(async () => {
    input.end();
    await ended;
    process.env = around;
    process.exitCode = exitCode;
  });
  return connected;
}

/** A client of a server in a process of its own. */
export function connectProcess(
  era: Era,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  how: How = {},
): Promise<Connected<StdioClientTransport>> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...CLI, "mcp", ...flags],
    stderr: "ignore",
    env: { ...(process.env as Record<string, string>), ...env },
  });
  return connectBy(transport, era, how);
}

async function connectBy<T extends Transport>(
  transport: T,
  era: Era,
  { name = "test", answer }: How,
): Promise<Connected<T>> {
  const client = new Client(
    { name, version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "pinned" ? { pin: "2026-07-28" } : era },
    },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => answer(params.message));
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (
    tool: string,
    args: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<CallToolResult> =>
    await client.callTool({ name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
  return { client, transport, call };
}

export function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A folder with files, and a store of its own for its sessions. */
export function folderOf(files: Readonly<Record<string, string>>): {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
} {
  return { folder: scratch(files), env: { HOLDFAST_STORE: join(scratch(), "kept") } };
}

/** Waits until something holds, as long as a test may take. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
