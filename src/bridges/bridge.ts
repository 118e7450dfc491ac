// Owns: what every bridge shares: an agent's tools with their calls in order, and schemas that leave the judging to us.
// Must never: import a framework. What a framework must make itself is passed in.

import { createHash } from "node:crypto";
import { echo, say, sayAll, type ErrorCode, type Reason, type Shown } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { checkOptions, type OptionKinds } from "../text/options.ts";
import type {
  BoundTool,
  CallError,
  CallOptions,
  CallRefused,
  CallResult,
  ToolsOptions,
} from "../tools/index.ts";
import type { JsonObject } from "../value.ts";
import { orderOf } from "./ordered-calls.ts";

/** What a bridge needs of an agent: `session.as(...)`. */
export interface ToolSource {
  /** Who the agent is, where that is known. */
  readonly identity?: { readonly role: string };
  /** The tools, in a fixed order. */
  tools(options?: ToolsOptions): readonly BoundTool[];
  /** Calls one of them. Never throws. */
  call(tool: string, input?: unknown, options?: CallOptions): Promise<CallResult>;
}

/** Which tools a bridge hands over, and how. */
export interface BridgeOptions extends ToolsOptions {
  /** Only these tools; all that the agent has unless told. A name that it does not have is a `TypeError`. */
  readonly only?: readonly string[];
  /** All but these; none is left out unless told. A name that the agent does not have is a `TypeError`. */
  readonly without?: readonly string[];
  /**
   * False: the id of a tool call is not used as idempotency key. For models whose ids repeat from turn to turn (`call_0`), where a
   * second call would be taken for a repetition of the first. True unless told: a call that is sent again applies once.
   */
  readonly idempotent?: boolean;
}

export const BRIDGE_OPTIONS: OptionKinds<BridgeOptions> = {
  advertise: "array",
  only: "array",
  without: "array",
  idempotent: "boolean",
};

/** Throws `TypeError` for what is no agent, and `HoldfastError` for options that are not `known`. */
export function checkBridge<T>(what: Shown, agent: ToolSource, options: T, known: OptionKinds<T>): void {
  if (typeof (agent as Partial<ToolSource> | null | undefined)?.tools !== "function")
    throw new TypeError(`${what} takes an agent, such as session.as({ id: "planner", role: "editor" })`);
  checkOptions(say`The options of ${what}`, options, known);
}

/** Throws `TypeError` where the framework's own function is not passed in. */
export function checkMaker(what: Shown, name: Shown, from: Shown, maker: unknown): void {
  if (typeof maker !== "function")
    throw new TypeError(`${what} takes ${name} of "${from}" as its second argument: ${what}(agent, ${name})`);
}

/** The entries of a list that are objects; what is no list has none. */
export function objectsIn<T extends object>(list: readonly (T | null | undefined)[] | null | undefined): T[] {
  return Array.isArray(list) ? list.filter((one): one is T => typeof one === "object" && one !== null) : [];
}

/** How the calls of a message are run. */
export interface BridgeRunOptions {
  /** Gives the calls up: what is not committed yet changes nothing. Left out: they run to their end. */
  readonly signal?: AbortSignal;
  /**
   * The names of tools that you run yourself: calls of them are passed over. A call of any other name that is not among ours gets an
   * error as its result, with the nearest name. None unless told.
   */
  readonly others?: readonly string[];
}

/** The refusal of a tool that the model was not told of; undefined where the host runs it. */
export function unknownTool(
  name: unknown,
  offered: readonly string[],
  options?: BridgeRunOptions | null,
): CallRefused | undefined {
  const called = typeof name === "string" ? name : "";
  const others = options?.others;
  if (Array.isArray(others) && others.includes(called)) return undefined;
  if (offered.includes(called))
    return refusal(
      "invalid_argument",
      "unknown_tool",
      say`${called as Shown} is no function here. Call it as the tool of that name, or use another tool.`,
    );
  const close = nearest(called, offered);
  const hint =
    close === undefined
      ? say`The tools are: ${sayAll(offered as readonly Shown[])}.`
      : say`Did you mean ${close as Shown}?`;
  return refusal("invalid_argument", "unknown_tool", say`There is no tool ${echo(called)}. ${hint}`);
}

/** What a framework knows of one call. */
export interface BridgeCall {
  /** The id that the model's maker gave it. */
  readonly id?: string | undefined;
  /** Gives the call up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A Standard Schema that describes the input and takes anything: the call itself reads it, so that what is wrong with it is always
 * said in our words, to the model.
 */
export interface OpenSchema {
  /** What the Standard Schema specification asks for. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "holdfast";
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: () => JsonObject; readonly output: () => JsonObject };
  };
}

/** A tool on its way to a framework. */
export interface BridgedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12. */
  readonly schema: JsonObject;
  readonly openSchema: OpenSchema;
  /** Waits for the agent's earlier writes. Never throws. */
  readonly call: (input: unknown, call: BridgeCall) => Promise<CallResult>;
}

/**
 * The tools of an agent, in a fixed order, but those whose names are `taken`. Frameworks start all calls of one turn at once: these run as
 * they were issued.
 */
export function bridgedTools(
  agent: ToolSource,
  options: BridgeOptions = {},
  taken: readonly string[] = [],
): BridgedTool[] {
  const { only, without = [], idempotent = true, ...described } = options;
  const tools = agent.tools(described);
  refuseUnknown(tools, [...(only ?? []), ...without]);
  return tools
    .filter(
      ({ name }) => (only === undefined || only.includes(name)) && ![...without, ...taken].includes(name),
    )
    .map((tool) => bridged(agent, tool, idempotent));
}

function bridged(agent: ToolSource, tool: BoundTool, idempotent: boolean): BridgedTool {
  const { name, description, inputSchema, annotations } = tool;
  return {
    name,
    description,
    schema: inputSchema,
    openSchema: openSchema(inputSchema),
    call: (input, call) =>
      orderOf(agent).run(annotations.readOnlyHint ? "read" : "write", async () =>
        explained(await tool.run(input, callOptions(call, idempotent)), call),
      ),
  };
}

/** How the call path is told what a framework knows of a call. */
export function callOptions({ id, signal }: BridgeCall, idempotent: boolean): CallOptions {
  return {
    ...(idempotent && typeof id === "string" && id !== "" ? { idempotencyKey: keyOf(id) } : {}),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Some gateways write a page into an id: what is too long or too odd for a key is hashed. */
function keyOf(id: string): string {
  return /^[ -~]{1,200}$/.test(id) ? id : `id-${createHash("sha256").update(id).digest("hex")}`;
}

/** The result of a call in words that fit a model that did not choose the id of its call. */
export function explained<R extends CallResult>(result: R, { id = "" }: BridgeCall): R | CallRefused {
  return result.error?.reason === "idempotency_key_reused"
    ? refusal(
        "invalid_argument",
        "idempotency_key_reused",
        say`Nothing was run: the id of this tool call, ${echo(id)}, is that of another call, made before. Make the call again. (For the host: if the ids of this model repeat, hand its tools over with idempotent: false.)`,
      )
    : result;
}

/** The paths of which a refused call has to name the version. */
export function versionsWanted({ data }: CallError): string[] {
  const { target, tokens } = (data ?? {}) as { readonly target?: unknown; readonly tokens?: object };
  if (typeof target === "string") return [target];
  return tokens === undefined ? [] : Object.keys(tokens);
}

/** A refusal of the bridge itself. */
export function refusal(code: ErrorCode, reason: Reason, message: Shown): CallRefused {
  return { ok: false, text: `[Error] ${message}`, error: { code, reason, message } };
}

function openSchema(schema: JsonObject): OpenSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "holdfast",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

/** Throws `TypeError` for a tool that the agent needs to write with, and may not use as a reader. */
export function requireWriter({ identity }: ToolSource, name: string): void {
  if (identity?.role === "reader")
    throw new TypeError(
      `the agent needs ${name}, which its role "reader" may not use: make it with the role "editor", as in session.as({ id: "planner", role: "editor" })`,
    );
}

/** Throws `TypeError` for a tool that the agent needs and lacks, and says how it gets it. */
export function requireTools(tools: readonly BoundTool[], names: readonly string[]): void {
  const lacking = names.filter((name) => !tools.some((tool) => tool.name === name));
  if (lacking.length > 0)
    throw new TypeError(
      `the agent needs ${lacking.join(", ")}: name the tools in toolsets of openSession, as in { toolsets: ["files", "json", "patch"] }`,
    );
}

function refuseUnknown(tools: readonly BoundTool[], names: readonly string[]): void {
  for (const name of names)
    if (!tools.some((tool) => tool.name === name))
      throw new TypeError(
        `the agent has no tool ${JSON.stringify(name)}; it has ${tools.map((tool) => tool.name).join(", ")}`,
      );
}
