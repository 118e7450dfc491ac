// Owns: who a caller is, and whether it may use a tool. Only the host sets any of this; no tool can change it.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { isReservedId, RESERVED_IDS } from "../reserved-ids.ts";
import type { SessionState } from "../session/state.ts";
import { checkNames, checkOptions, type OptionKinds } from "../text/options.ts";
import type { Tool } from "./tool.ts";

/** What an agent may do: a reader reads, an editor also writes. */
export type Role = "reader" | "editor";

/** Who an agent is. Only the host sets it. */
export interface Identity {
  /** Its name in history and audit: 1 to 128 letters, digits or `_ . : @ / + -`; `host`, `external`, `system` and `me` are taken. */
  readonly id: string;
  /** `reader` may only read; `editor` may also write. */
  readonly role: Role;
  /** Toolsets, or names of single tools, that this agent may use; all of the session's when absent, or with `["all"]`. */
  readonly toolsets?: readonly string[];
}

/** A gate that is not passed yet, and the question that would pass it. */
export interface HoldingGate {
  /** The gate that is open. */
  readonly gate: Shown;
  /** What to ask for it. */
  readonly question: Shown;
}

/** What the host has settled for a session. */
export interface Policy {
  /** No agent may change anything. */
  readonly readOnly: boolean;
  /** Toolsets and single tools that agents may use. */
  readonly toolsets: readonly string[];
  /** Returns the gate that holds writes back, or nothing when all are passed. */
  readonly openGate: ((state: SessionState) => HoldingGate | undefined) | undefined;
}

const ID = /^[\w.:@/+-]{1,128}$/;
const FIELDS: OptionKinds<Identity> = { id: "any", role: "any", toolsets: "array" };

/** The host's identity, copied. Throws `invalid_argument` / `bad_identity` when it cannot be used, or `unknown_option`. */
export function checkIdentity(identity: Identity, known: readonly string[]): Identity {
  if (typeof identity !== "object" || identity === null)
    throw bad(say`An agent is { id, role }, such as { id: "planner", role: "editor" }`);
  checkOptions(say`An identity`, identity, FIELDS);
  if (typeof identity.id !== "string" || !ID.test(identity.id))
    throw bad(say`An agent's id has 1 to 128 letters, digits or _ . : @ / + -`);
  if (isReservedId(identity.id))
    throw bad(
      say`The id ${echo(identity.id)} is not for agents; ${sayAll(RESERVED_IDS as readonly Shown[])} are taken`,
    );
  if (identity.role !== "reader" && identity.role !== "editor")
    throw bad(say`An agent's role is "reader" or "editor"`);
  const { id, role, toolsets } = identity;
  if (toolsets === undefined) return Object.freeze({ id, role });
  checkNames(say`An agent's toolsets`, toolsets, known);
  return Object.freeze({ id, role, toolsets: Object.freeze([...toolsets]) });
}

function bad(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_identity", say`${message}.`);
}

/** In a list of toolsets: every tool there is. */
export const ALL_TOOLS = "all";

/** Whether a list of toolsets and single tools holds a tool. */
export function includesTool(
  names: readonly string[],
  { toolset, name }: Pick<Tool, "toolset" | "name">,
): boolean {
  return names.includes(toolset) || names.includes(name) || names.includes(ALL_TOOLS);
}

/** Whether an agent is offered a tool: its toolsets and the session's hold it, and its role may use it. */
export function isOffered(
  tool: Pick<Tool, "toolset" | "name" | "access">,
  { role, toolsets }: Identity,
  policy: Pick<Policy, "toolsets">,
): boolean {
  return (
    includesTool(toolsets ?? policy.toolsets, tool) &&
    includesTool(policy.toolsets, tool) &&
    (tool.access === "read" || role === "editor")
  );
}

/** The refusal of a tool that a list of toolsets does not hold. */
function notAmong({ name, toolset }: Tool, toolsets: readonly string[], why: Shown): HoldfastError {
  const listed = sayAll(toolsets.map((one) => echo(one)));
  return forbidden(
    "toolset_not_allowed",
    say`${name as Shown} belongs to the toolset ${toolset as Shown}, ${why}: ${listed}. Use one of its tools, or ask the host for ${toolset as Shown}.`,
  );
}

/** Throws `forbidden` with the first reason why the agent may not use the tool now. */
export function permit(agent: Identity, tool: Tool, policy: Policy, state: SessionState): void {
  if (!includesTool(policy.toolsets, tool))
    throw notAmong(tool, policy.toolsets, say`which this session does not offer. It offers`);
  if (agent.toolsets !== undefined && !includesTool(agent.toolsets, tool))
    throw notAmong(tool, agent.toolsets, say`which this agent may not use. Allowed`);
  if (tool.access === "read") return;
  if (policy.readOnly)
    throw forbidden(
      "read_only",
      say`This session is read-only: ${tool.name as Shown} would change it. Use reading tools.`,
    );
  if (agent.role !== "editor")
    throw forbidden(
      "role",
      say`The role "reader" may not use ${tool.name as Shown}. Ask the host for the role "editor".`,
    );
  passGates(agent, tool, policy, state);
}

/** Throws `forbidden` / `gate_open` where a gate holds the tool back in a state. */
export function passGates(agent: Identity, tool: Tool, policy: Policy, state: SessionState): void {
  if (tool.access === "read" || tool.ignoresGates) return;
  const open = policy.openGate?.(state);
  if (open !== undefined)
    throw new HoldfastError(
      "forbidden",
      "gate_open",
      say`Writing waits for the gate ${open.gate}. ${mayAnswer(agent, policy) ? say`Answer it with submit_gates` : say`You have no tool to answer it: ask the host`}: ${open.question}`,
      { data: { gate: open.gate, question: open.question } },
    );
}

function mayAnswer(agent: Identity, policy: Policy): boolean {
  return isOffered({ toolset: "gates", name: "submit_gates", access: "write" }, agent, policy);
}

function forbidden(reason: Lowercase<string>, message: Shown): HoldfastError {
  return new HoldfastError("forbidden", reason, message);
}
