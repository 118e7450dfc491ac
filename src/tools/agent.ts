// Owns: a session in one agent's hands: calling tools, and the definitions to hand to a framework.

import { definitionOf, readerOf, type Advertised, type ToolDefinition } from "./definition.ts";
import type { CallOptions, Gateway } from "./gateway.ts";
import type { Identity } from "./identity.ts";
import type { CallResult } from "./result.ts";
import { standardSchema, type StandardSchema } from "./standard-schema.ts";
import type { Tool } from "./tool.ts";

/** A definition that can be run. `~standard` makes it usable wherever a Standard Schema is. */
export interface BoundTool extends ToolDefinition, StandardSchema {
  run(input: unknown, options?: CallOptions): Promise<CallResult>;
}

export class Agent {
  readonly session: string;
  readonly identity: Identity;
  readonly #tools: readonly Tool[];
  readonly #gateway: Gateway;

  /** @internal Use `session.as(...)`. */
  constructor(session: string, identity: Identity, tools: readonly Tool[], gateway: Gateway) {
    this.session = session;
    this.identity = identity;
    this.#tools = tools;
    this.#gateway = gateway;
  }

  /** Calls a tool. Never throws: what goes wrong is in the answer. */
  call<O = unknown>(tool: string, input?: unknown, options?: CallOptions): Promise<CallResult<O>> {
    return this.#gateway.call(this.identity, tool, input, options) as Promise<CallResult<O>>;
  }

  /** The tools this agent may use, in a fixed order, with schemas computed once per process. */
  tools(options: { readonly advertise?: readonly Advertised[] } = {}): BoundTool[] {
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
