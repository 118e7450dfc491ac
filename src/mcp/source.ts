// Owns: where a server takes its tools, agents and session from: an agent that is there, or a host that opens its session when needed.

import type { Shown } from "../errors.ts";
import type {
  Agent,
  CompareProgress,
  MountProgress,
  Session,
  ToolDefinition,
  ToolsOptions,
} from "../tools/index.ts";
import type { McpClient } from "./client.ts";

/** A tool as it is listed. */
export type McpTool = Pick<ToolDefinition, "name" | "description" | "inputSchema" | "annotations">;

/** Who hears how far opening a session is. */
export interface OpenReport {
  /** Hears how far mounting is. */
  readonly onMount: (progress: MountProgress) => void;
  /** Begins comparing with the folders, which may happen more than once. */
  readonly compare: () => (progress: CompareProgress) => void;
}

/** Given instead of an agent by a host that opens its session only when a client needs it. */
export interface McpSource {
  /** What is listed, in this order. Listing it opens nothing; opening the session may add to it. */
  readonly tools: readonly McpTool[];
  /** What the client is told beside how writing tools are used. */
  readonly instructions?: string;
  /**
   * The agent that a client's calls are made as. Opens the session, and says how far that is. Throws `HoldfastError` for one that
   * cannot be opened; the next call tries again.
   */
  agent(client: McpClient, report?: OpenReport): Promise<Agent>;
  /** The session, opened. Left out: files are no resources, there is no prompt, and nobody is asked to land. */
  session?(): Promise<Session>;
  /** Resolves as soon as the session is open. */
  readonly opened?: Promise<Session>;
  /** What a person types to land what an agent asked for: these paths, or all. Asked for once the session is open. */
  readonly landCommand?: ((paths: readonly string[]) => string) | undefined;
  /** Why nothing can be landed, and what to do instead; asked for once the session is open. */
  readonly noLanding?: Shown | undefined;
}

/** What an agent that is there offers. */
export function sourceOf(
  agent: Agent,
  options: ToolsOptions,
  session: Session | undefined,
): Pick<McpSource, "tools" | "agent" | "session" | "opened"> {
  return {
    tools: agent.tools(options),
    agent: async () => agent,
    ...(session === undefined ? {} : { session: async () => session, opened: Promise.resolve(session) }),
  };
}
