// Owns: what a request says of the client that sent it: who it is, and whether its user can be asked.

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isReservedId } from "../reserved-ids.ts";

/** Who sent a request. */
export interface McpClient {
  /** As the client calls itself; undefined when it did not say. */
  readonly name?: string;
  /** Its version. */
  readonly version?: string;
}

/** A client says it with every request in the 2026-07-28 revision, and once, in the handshake, before. */
export function clientOf(server: Server, { mcpReq }: ServerContext): McpClient {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const { name, version } = (envelope?.[CLIENT_INFO_META_KEY] ??
    server.getClientVersion() ??
    {}) as McpClient;
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof version === "string" ? { version } : {}),
  };
}

/** Whether the client shows its user a question with an answer to choose. One that names no kind of question means this one. */
export function canAsk(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const { elicitation } = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ??
    server.getClientCapabilities() ??
    {}) as ClientCapabilities;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

const NAMELESS = "mcp";
const ID_CHARS = 64;

/**
 * The id of the agent that a client's calls are made as: its name, with everything that an id cannot have made a dash. Never throws: a client
 * without a name is `mcp`.
 *
 * @example session.as({ id: agentIdOf(client), role: "editor" });
 */
export function agentIdOf({ name = "" }: McpClient): string {
  const id = name
    .replace(/[^\w.:@/+-]+/g, "-")
    .slice(0, ID_CHARS)
    .replace(/^-+|-+$/g, "");
  if (id === "") return NAMELESS;
  return isReservedId(id) ? `${id}-client` : id;
}
