// Owns: an agent's tools over the Model Context Protocol. The call path does everything; this only translates.

import { McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Advertised } from "../tools/definition.ts";
import type { Agent, BoundTool } from "../tools/agent.ts";
import type { CallResult } from "../tools/result.ts";
import { VERSION } from "../version.ts";

export interface McpOptions {
  /** Common arguments of writes to describe; all are accepted. */
  readonly advertise?: readonly Advertised[];
}

/** A client may name an idempotency key here instead of in the arguments. */
const KEY_IN_META = "holdfast/idempotencyKey";

/** A server object for one connection or request. All state lives in the session, so any number may exist. */
export function createMcpServer(agent: Agent, options: McpOptions = {}): McpServer {
  const server = new McpServer({ name: "holdfast", version: VERSION }, { capabilities: { tools: {} } });
  for (const tool of agent.tools(options)) register(server, tool);
  return server;
}

function register(server: McpServer, tool: BoundTool): void {
  const { name, description, annotations } = tool;
  // The call path reads the input itself, so that a wrong one is counted, audited and explained like anywhere else.
  const inputSchema = { "~standard": { ...tool["~standard"], validate: (value: unknown) => ({ value }) } };
  server.registerTool(name, { description, annotations, inputSchema }, async (input, ctx) => {
    const key = ctx.mcpReq._meta?.[KEY_IN_META];
    const result = await tool.run(input, {
      signal: ctx.mcpReq.signal,
      ...(typeof key === "string" ? { idempotencyKey: key } : {}),
    });
    return toolResult(result);
  });
}

/** The full text travels once; beside it only what code needs to go on. */
function toolResult(result: CallResult): CallToolResult {
  const content = [{ type: "text" as const, text: result.text }];
  if (!result.ok) return { content, isError: true, structuredContent: { error: { ...result.error } } };
  const { token, replayed } = result;
  if (token === undefined) return { content };
  return { content, structuredContent: { token, ...(replayed === undefined ? {} : { replayed }) } };
}

/** Serves on this process's standard input and output until the client closes them. Answers the function that stops. */
export function serveMcpStdio(agent: Agent, options: McpOptions = {}): () => Promise<void> {
  const handle = serveStdio(() => createMcpServer(agent, options));
  return () => handle.close();
}
