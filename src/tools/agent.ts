// Owns: a session in one agent's hands: calling tools, and the definitions to hand to a framework.

import { definitionOf, readerOf, type Advertised, type ToolDefinition } from "./definition.ts";
import type { CallOptions, Gateway } from "./gateway.ts";
import type { Identity } from "./identity.ts";
import type { CallResult } from "./result.ts";
import { standardSchema, type StandardSchema } from "./standard-schema.ts";
import type { Tool } from "./tool.ts";

/** A definition that can be run. `~standard` makes it usable wherever a Standard Schema is. */
export interface BoundTool extends ToolDefinition, StandardSchema {
  /** Calls the tool for the agent it was made for. Never throws: what goes wrong is in the result. */
  run(input: unknown, options?: CallOptions): Promise<CallResult>;
}

export interface ToolsOptions {
  /** Common arguments of writes to describe in the schemas: each costs the agent context. All are accepted anyway. */
  readonly advertise?: readonly Advertised[];
}

/** A session as one agent may use it: made by `session.as(...)`, without cost. */
export interface Agent {
  /** The id of the session. */
  readonly session: string;
  /** Who the agent is, as the host has settled it. */
  readonly identity: Identity;

  /**
   * Calls a tool. Never throws: what goes wrong is in the result, with a code, a reason and what to do next. A write is
   * durable when its result comes; one that was refused has changed nothing.
   *
   * @example
   * const read = await agent.call("read_file", { path: "notes.md" });
   * if (read.ok) console.log(read.text, read.token);
   * else console.error(read.error.reason);
   */
  call<O = unknown>(tool: string, input?: unknown, options?: CallOptions): Promise<CallResult<O>>;

  /**
   * The tools this agent may use, in a fixed order, to hand to a framework. Schemas are computed once per process.
   *
   * @example const catalogue = agent.tools().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
   */
  tools(options?: ToolsOptions): BoundTool[];
}

export class SessionAgent implements Agent {
  readonly session: string;
  readonly identity: Identity;
  readonly #tools: readonly Tool[];
  readonly #gateway: Gateway;

  constructor(session: string, identity: Identity, tools: readonly Tool[], gateway: Gateway) {
    this.session = session;
    this.identity = identity;
    this.#tools = tools;
    this.#gateway = gateway;
  }

  call<O = unknown>(tool: string, input?: unknown, options?: CallOptions): Promise<CallResult<O>> {
    return this.#gateway.call(this.identity, tool, input, options) as Promise<CallResult<O>>;
  }

  tools(options: ToolsOptions = {}): BoundTool[] {
    return this.#tools.map((tool) => {
      const definition = definitionOf(tool, options.advertise);
      return {
        ...definition,
        ...standardSchema(definition, readerOf(tool)),
        run: (input, how) => this.call(tool.name, input, { session: this.session, ...how }),
      };
    });
  }
}
