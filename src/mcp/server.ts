// Owns: an agent's tools, files and guidance over the Model Context Protocol. The call path does everything; this only translates.

import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { echo, say, type Shown } from "../errors.ts";
import { checkMethods, checkOptions, type OptionKinds } from "../text/options.ts";
import type { Agent, Session, ToolsOptions } from "../tools/index.ts";
import { VERSION } from "../version.ts";
import { tellChanges } from "./resource-changes.ts";
import { hasResources, serveResources } from "./resources.ts";
import { sourceOf, type McpSource } from "./source.ts";
import { serveTools, type RawArguments } from "./tool-calls.ts";

/** How an agent's tools are served. */
export interface McpOptions extends ToolsOptions {
  /** What the client is told beside how the tools are used; nothing more unless told. */
  readonly instructions?: string;
  /**
   * The session of the agent. With it, the files that agents may see are resources too, {@link Session.prompt} is served as
   * instructions and as a prompt, and `request_landing` asks the client's user where the client can: a yes lands what was
   * shown. Left out: tools alone, and a landing request waits for the host.
   */
  readonly session?: Session;
  /**
   * What a person types to land what an agent asked for, these paths or all: the model is told where nobody can be asked. Left out: it is
   * told only that its request is open.
   */
  readonly landCommand?: (paths: readonly string[]) => string;
}

export const MCP_OPTIONS: OptionKinds<McpOptions> = {
  advertise: "array",
  instructions: "string",
  session: "methods",
  landCommand: "function",
};

/** How a server is told about its connection. */
export interface Connected {
  readonly raw: RawArguments;
  /** It lasts, so that changes can be told as they happen, until the signal ends it. */
  readonly lasting?: AbortSignal;
}

/** What all writing tools have in common, said once instead of in every definition. */
const INSTRUCTIONS =
  "Every writing tool also takes expectedVersion (the token that a read or write returned, or a map from target to token: the call is " +
  "refused when it is no longer current), idempotencyKey (repeating a call with the same key applies it once) and dryRun (shows what " +
  "would change). Errors begin with [Error] and say what to do next.";

const PROMPT = {
  name: "workspace",
  title: "The workspace",
  description: "What the workspace holds and how its tools are used",
};

/**
 * A server object for one connection or request. All state lives in the session, so any number may exist.
 *
 * Throws `HoldfastError` with `invalid_argument` for what is no agent or session, and for options that do not exist or are of another kind.
 *
 * @example
 * const server = createMcpServer(session.as({ id: "assistant", role: "editor" }), { session });
 * await server.connect(transport);
 */
export function createMcpServer(agent: Agent, options: McpOptions = {}): Server {
  checkMcp(say`createMcpServer`, agent, options, MCP_OPTIONS);
  return serverOf(sourceWith(agent, options), { raw: new Map() });
}

/** Throws `invalid_argument` for what is no agent or session, and for options that are not `known`. */
export function checkMcp<T extends McpOptions>(
  what: Shown,
  agent: Agent,
  options: T,
  known: OptionKinds<T>,
): void {
  checkMethods(say`${what}: the agent`, agent ?? null, ["tools", "call"]);
  checkOptions(what, options, known);
  checkMethods(say`${what}: session`, options.session, ["prompt", "files", "watch"]);
}

export function sourceWith(agent: Agent, options: McpOptions): McpSource {
  const { instructions, session, landCommand, ...how } = options;
  const told = [instructions, session?.prompt()].filter((text) => text !== undefined).join("\n\n");
  return { ...sourceOf(agent, how, session), instructions: told, landCommand };
}

export function serverOf(source: McpSource, { raw, lasting }: Connected): Server {
  const { instructions = "" } = source;
  const isWatched = lasting !== undefined;
  const withFiles = hasResources(source);
  const server = new Server(
    { name: "holdfast", version: VERSION },
    {
      capabilities: {
        tools: isWatched ? { listChanged: true } : {},
        ...(source.session === undefined ? {} : { prompts: {} }),
        ...(withFiles ? { resources: isWatched ? { listChanged: true, subscribe: true } : {} } : {}),
      },
      instructions: instructions === "" ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${instructions}`,
    },
  );
  serveTools(server, source, raw);
  if (source.session !== undefined) servePrompt(server, source.session.bind(source));
  tellNewTools(server, source, isWatched).catch(() => {
    // The connection is closed: there is nobody to tell.
  });
  if (withFiles) serveFiles(server, source, lasting);
  return server;
}

/** Opening the session may add to the tools that were listed. */
async function tellNewTools(server: Server, source: McpSource, isWatched: boolean): Promise<void> {
  const { length: listed } = source.tools;
  await source.opened;
  if (isWatched && source.tools.length > listed) await server.sendToolListChanged();
}

function serveFiles(server: Server, source: McpSource, lasting: AbortSignal | undefined): void {
  let isOpen = false;
  const subscribed = new Set<string>();
  serveResources(server, source, { subscribed, isOpen: () => isOpen });
  const whenOpen = async (): Promise<void> => {
    const session = await source.opened;
    isOpen = true;
    if (session === undefined || lasting === undefined) return;
    // In the newer revision clients say at the transport what they want to hear of.
    const isLegacy = (): boolean => server.getClientVersion() !== undefined;
    const wants = (uri: string): boolean => subscribed.has(uri) || !isLegacy();
    await tellChanges(server, session, { wants, signal: lasting });
  };
  whenOpen().catch(() => {
    // The connection or the session is closed: there is nobody to tell, or nothing.
  });
}

function servePrompt(server: Server, session: () => Promise<Session>): void {
  server.setRequestHandler("prompts/list", () => ({ prompts: [PROMPT] }));
  server.setRequestHandler("prompts/get", async ({ params }) => {
    if (params.name !== PROMPT.name)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no prompt ${echo(params.name)}. Did you mean ${PROMPT.name}?`,
      );
    const text = (await session()).prompt();
    return { description: PROMPT.description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
}
