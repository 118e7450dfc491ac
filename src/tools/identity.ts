// Owns: who a caller is, and whether it may use a tool. Only the host sets any of this; no tool can change it.

import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import type { SessionState } from "../session/state.ts";
import type { Tool } from "./tool.ts";

export type Role = "reader" | "editor";

export interface Identity {
  readonly id: string;
  readonly role: Role;
  /** Toolsets this agent may use; all of the session's when absent. */
  readonly toolsets?: readonly string[];
}

/** A gate that is not passed yet, and the question that would pass it. */
export interface OpenGate {
  readonly gate: Shown;
  readonly question: Shown;
}

/** What the host has settled for a session. */
export interface Policy {
  readonly readOnly: boolean;
  readonly toolsets: readonly string[];
  /** Answers the gate that holds writes back, or nothing when all are passed. */
  readonly openGate: ((state: SessionState) => OpenGate | undefined) | undefined;
}

const ID = /^[\w.:@/+-]{1,128}$/;

/** Throws `invalid_argument` / `bad_identity` when the host's identity cannot be used. */
export function checkIdentity(identity: Identity): Identity {
  if (typeof identity.id !== "string" || !ID.test(identity.id))
    throw bad(say`An agent's id has 1 to 128 letters, digits or _ . : @ / + -`);
  if (identity.role !== "reader" && identity.role !== "editor")
    throw bad(say`An agent's role is "reader" or "editor"`);
  return Object.freeze({ ...identity });
}

function bad(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_identity", say`${message}.`);
}

/** Throws `forbidden` with the first reason why the agent may not use the tool now. */
export function permit(agent: Identity, tool: Tool, policy: Policy, state: SessionState): void {
  const allowed = agent.toolsets ?? policy.toolsets;
  if (!allowed.includes(tool.toolset) || !policy.toolsets.includes(tool.toolset))
    throw forbidden(
      "toolset_not_allowed",
      say`${tool.name as Shown} belongs to the toolset ${tool.toolset as Shown}, which this agent may not use. Allowed: ${sayAll(allowed.map((name) => echo(name)))}.`,
    );
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
  if (tool.ignoresGates) return;
  const open = policy.openGate?.(state);
  if (open !== undefined)
    throw new HoldfastError(
      "forbidden",
      "gate_open",
      say`Writing waits for the gate ${open.gate}. Answer it with submit_gates: ${open.question}`,
      { data: { gate: open.gate, question: open.question } },
    );
}

function forbidden(reason: Lowercase<string>, message: Shown): HoldfastError {
  return new HoldfastError("forbidden", reason, message);
}
