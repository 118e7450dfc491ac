// Owns: a session in one agent's hands: calling tools, and the definitions to hand to a framework.

import type { CallValue, ToolInput, ToolName } from "./call-types.ts";
import { definitionOf, type ToolDefinition } from "./definition.ts";
import { say } from "../errors.ts";
import { checkNames, checkOptions, type OptionKinds } from "../text/options.ts";
import type { CallOptions, Gateway } from "./gateway.ts";
import type { Identity } from "./identity.ts";
import type { CallResult } from "./result.ts";
import { standardSchema, type StandardSchema } from "./standard-schema.ts";
import type { Advertised, Tool } from "./tool.ts";

/** A definition that can be run. `~standard` makes it usable wherever a Standard Schema is. */
export interface BoundTool extends ToolDefinition, StandardSchema {
  /**
   * Calls the tool for the agent it was made for. Never throws: what goes wrong is in the result.
   *
   * @example const { text } = await tool.run({ path: "notes.md" });
   */
  run(input: unknown, options?: CallOptions): Promise<CallResult>;
}

/** How tools are described. */
export interface ToolsOptions {
  /** Common arguments of writes to describe in the schemas: none when left out, since each costs the agent context. All are accepted anyway. */
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
   *
   * The name of a built-in tool decides what `input` may be and what `value` is. Any other name takes anything: name the type of
   * its value yourself, as in `agent.call<{ count: number }>("my_tool", { ... })`.
   */
  call<V = never, N extends ToolName | (string & {}) = string>(
    tool: N,
    input?: ToolInput<N>,
    options?: CallOptions,
  ): Promise<CallResult<CallValue<V, N>>>;

  /**
   * The tools this agent may use, in a fixed order, to hand to a framework. Schemas are computed once per process. Every tool costs the
   * model context: name fewer toolsets in `session.as` for fewer. Throws `invalid_argument` / `unknown_option` for an unknown name in
   * `advertise`.
   *
   * @example const catalogue = agent.tools().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
   */
  tools(options?: ToolsOptions): BoundTool[];
}

const TOOLS_OPTIONS: OptionKinds<ToolsOptions> = { advertise: "array" };
const ADVERTISED: readonly Advertised[] = ["dryRun", "idempotencyKey"];

/** What the agent may use now. */
interface Offered {
  readonly tools: readonly Tool[];
  readonly requireVersions: boolean;
}

export class SessionAgent implements Agent {
  readonly session: string;
  readonly identity: Identity;
  readonly #gateway: Gateway;
  readonly #offered: () => Offered;

  constructor(session: string, identity: Identity, gateway: Gateway, offered: () => Offered) {
    this.session = session;
    this.identity = identity;
    this.#gateway = gateway;
    this.#offered = offered;
  }

  call<V = never, N extends string = string>(
    tool: N,
    input?: ToolInput<N>,
    options?: CallOptions,
  ): Promise<CallResult<CallValue<V, N>>> {
    return this.#gateway.call(this.identity, tool, input, options) as Promise<CallResult<CallValue<V, N>>>;
  }

  tools(options: ToolsOptions = {}): BoundTool[] {
    checkOptions(say`tools`, options, TOOLS_OPTIONS);
    checkNames(say`advertise`, options.advertise ?? [], ADVERTISED);
    const { tools, requireVersions } = this.#offered();
    return tools.map((tool) => {
      const definition = definitionOf(tool, options.advertise, requireVersions);
      return {
        ...definition,
        ...standardSchema(definition, (input) => this.#gateway.read(tool, input)),
        run: (input, how) => this.call(tool.name, input, { session: this.session, ...how }),
      };
    });
  }
}
