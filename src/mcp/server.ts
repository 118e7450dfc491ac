// Owns: an agent's tools over the Model Context Protocol. The call path does everything; this only translates.

import { Server, type CallToolResult } from "@modelcontextprotocol/server";
import type { Agent, CallResult, ToolsOptions } from "../tools/index.ts";
import { VERSION } from "../version.ts";

/** How an agent's tools are served. */
export interface McpOptions extends ToolsOptions {
  /** What the client is told beside how the tools are used. */
  readonly instructions?: string;
}

/** A client may name an idempotency key here instead of in the arguments. */
const KEY_IN_META = "holdfast/idempotencyKey";

/** What all writing tools have in common, said once instead of in every definition. */
const INSTRUCTIONS =
  "Every writing tool also takes expectedVersion (the token that a read or write returned, or a map from target to token: the call is " +
  "refused when it is no longer current), idempotencyKey (repeating a call with the same key applies it once) and dryRun (shows what " +
  "would change). Errors begin with [Error] and say what to do next.";

/** What a client sent as arguments, before the protocol's own reading of it, by request. */
export type RawArguments = ReadonlyMap<string | number, unknown>;

const NOTHING_RAW: RawArguments = new Map();

/**
 * A server object for one connection or request. All state lives in the session, so any number may exist.
 *
 * @example
 * const server = createMcpServer(session.as({ id: "assistant", role: "editor" }));
 * await server.connect(transport);
 */
export function createMcpServer(agent: Agent, options: McpOptions = {}): Server {
  return serverOf(agent, options, NOTHING_RAW);
}

export function serverOf(agent: Agent, { instructions, ...options }: McpOptions, raw: RawArguments): Server {
  const server = new Server(
    { name: "holdfast", version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: instructions === undefined ? INSTRUCTIONS : `${instructions}\n\n${INSTRUCTIONS}`,
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: agent.tools(options).map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
      annotations,
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const key = mcpReq._meta?.[KEY_IN_META];
    const input = raw.has(mcpReq.id) ? raw.get(mcpReq.id) : params.arguments;
    return toolResult(
      await agent.call(params.name, input, {
        signal: mcpReq.signal,
        ...(typeof key === "string" ? { idempotencyKey: key } : {}),
      }),
    );
  });
  return server;
}

/**
 * Text for the model, and nothing else where a client might show that instead: what code needs travels in `_meta`. The message
 * of an error is its text, so it is not said again.
 */
function toolResult(result: CallResult): CallToolResult {
  const images = result.images ?? [];
  const content = [
    { type: "text" as const, text: result.text },
    ...images.map(({ mimeType, base64 }) => ({ type: "image" as const, data: base64, mimeType })),
  ];
  if (!result.ok) {
    const { message: _, ...error } = result.error;
    return { content, isError: true, _meta: { "holdfast/error": error } };
  }
  const { token, replayed } = result;
  if (token === undefined) return { content };
  const meta = { "holdfast/token": token, ...(replayed === undefined ? {} : { "holdfast/replayed": true }) };
  return { content, _meta: meta };
}
