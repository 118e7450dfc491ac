// Owns: the options by which every command says which session it means and as whom.

import { Option, type Command } from "commander";
import { sqliteStore } from "../store/index.ts";
import { HoldfastError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import {
  openSession,
  type Agent,
  type Log,
  type Role,
  type Session,
  type SessionOptions,
} from "../tools/index.ts";
import { readGatesFile } from "./gates-file.ts";
import { UsageError } from "./usage-error.ts";

export interface SessionFlags {
  readonly as: string;
  readonly role: Role;
  readonly readOnly?: boolean;
  readonly toolsets?: string;
  readonly gates?: string;
  readonly store?: string;
  readonly session?: string;
  readonly create?: boolean;
}

export function withSessionOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--store <directory>", "keep sessions here; in memory when left out").env("HOLDFAST_STORE"),
    )
    .option("--session <id>", "a session of the store; without it a fresh one")
    .option("--create", "make the session when the store does not have it")
    .option("--as <id>", "the agent's id, as it stands in history and audit", "cli")
    .addOption(
      new Option("--role <role>", "what the agent may do").choices(["reader", "editor"]).default("editor"),
    )
    .option("--read-only", "refuse every change")
    .option("--toolsets <names>", "these toolsets, separated by commas, or all")
    .option("--gates <file>", "questions that must be answered before anything is written, as JSON");
}

/** Who types the commands is not held to the rate of a model. */
const OWN_LIMITS = { callsPerMinute: LIMITS.callsPerMinute.max, callBurst: LIMITS.callBurst.max };

/** Opens what the options mean; options that cannot be meant are mistakes of the command line. */
async function openMeant(options: SessionOptions): Promise<Session> {
  try {
    return await openSession(options);
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    if (error.reason === "session_not_found")
      throw new UsageError(
        `${error.message} Add --create to make it, or leave --session out for a fresh one.`,
      );
    if (error.code === "invalid_argument") throw new UsageError(error.message);
    throw error;
  }
}

/** The session and agent that the options mean, and how to let go of both. */
export async function openFor(
  flags: SessionFlags,
  log?: Log,
): Promise<{ readonly session: Session; readonly agent: Agent; readonly close: () => Promise<void> }> {
  if (flags.session !== undefined && flags.store === undefined)
    throw new UsageError("--session names a session of a store: say which with --store or HOLDFAST_STORE.");
  const store = flags.store === undefined ? undefined : sqliteStore({ directory: flags.store });
  const gates = flags.gates === undefined ? undefined : readGatesFile(flags.gates);
  const named = flags.toolsets === "all" ? undefined : flags.toolsets?.split(",").map((name) => name.trim());
  // Who must answer gates needs the tools to do so.
  const toolsets = named === undefined || gates === undefined ? named : [...new Set([...named, "gates"])];
  const session = await openMeant({
    limits: OWN_LIMITS,
    create: flags.session === undefined || flags.create === true,
    readOnly: flags.readOnly ?? false,
    ...(log === undefined ? {} : { log }),
    ...(store === undefined ? {} : { store }),
    ...(flags.session === undefined ? {} : { id: flags.session }),
    ...(toolsets === undefined ? {} : { toolsets }),
    ...gates,
  });
  return {
    session,
    agent: session.as({ id: flags.as, role: flags.role }),
    close: async () => {
      await session.close();
      await store?.close();
    },
  };
}
