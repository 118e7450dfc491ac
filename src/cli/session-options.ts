// Owns: the options by which every command says which session it means and as whom.

import { existsSync } from "node:fs";
import { Option, type Command } from "commander";
import { sqliteStore, type Store } from "../store/index.ts";
import { echo, HoldfastError } from "../errors.ts";
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
  readonly mount?: readonly string[];
  readonly create?: boolean;
}

export function withSessionOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--store <directory>", "keep sessions here; in memory when left out").env("HOLDFAST_STORE"),
    )
    .option(
      "--mount <folder>",
      "begin with the files of a folder, which is never written; .git, node_modules and what .gitignore names stay out; may be repeated",
      (folder: string, before: readonly string[] | undefined) => [...(before ?? []), folder],
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

/** The names of a list such as `files,undo_changes`; all of them when there is none. */
export function toolsetsOf(names = "all"): string[] {
  return names.split(",").map((name) => name.trim());
}

/** Who types the commands is not held to the rate of a model. */
const OWN_LIMITS = { callsPerMinute: LIMITS.callsPerMinute.max, callBurst: LIMITS.callBurst.max };

/** Above this a folder was hardly meant as a whole. */
const MOUNT_BYTES = 500_000_000;

/** One folder is the workspace itself; of several, each is a folder of its own name in it. */
function mountsOf(folders: readonly string[]): NonNullable<SessionOptions["mounts"]> {
  const to = folders.length === 1 ? { to: "/workspace" } : {};
  return folders.map((from) => ({ from, ...to, gitignore: true, maxBytes: MOUNT_BYTES }));
}

/** What the options mean; options that cannot be meant are mistakes of the command line. */
async function meant<T>(flags: SessionFlags, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    if (error.reason === "session_not_found")
      throw new UsageError(
        `There is no session ${echo(flags.session ?? "")} in this store. Add --create to make it, or leave --session out for a fresh one.`,
      );
    if (error.code === "invalid_argument" || error.reason === "no_such_folder")
      throw new UsageError(error.message);
    throw error;
  }
}

/** The store that --store names. A command that goes on with a session makes no directory for one that is not there. */
function storeOf({ store: directory, session, create }: SessionFlags): Store | undefined {
  if (directory === undefined) return undefined;
  if (session !== undefined && create !== true && !existsSync(directory))
    throw new UsageError(
      "There is no store at --store. Name the directory of one, or add --create to make it.",
    );
  return sqliteStore({ directory });
}

/** The session and agent that the options mean, and how to let go of both. */
export async function openFor(
  flags: SessionFlags,
  log?: Log,
): Promise<{ readonly session: Session; readonly agent: Agent; readonly close: () => Promise<void> }> {
  if (flags.session !== undefined && flags.store === undefined)
    throw new UsageError("--session names a session of a store: say which with --store or HOLDFAST_STORE.");
  const store = storeOf(flags);
  const gates = flags.gates === undefined ? undefined : readGatesFile(flags.gates);
  const named = toolsetsOf(flags.toolsets);
  // Who must answer gates needs the tools to do so.
  const toolsets = gates === undefined ? named : [...new Set([...named, "gates"])];
  const options: SessionOptions = {
    limits: OWN_LIMITS,
    create: flags.session === undefined || flags.create === true,
    readOnly: flags.readOnly ?? false,
    ...(log === undefined ? {} : { log }),
    ...(store === undefined ? {} : { store }),
    ...(flags.session === undefined ? {} : { id: flags.session }),
    toolsets,
    ...(flags.mount === undefined ? {} : { mounts: mountsOf(flags.mount) }),
    ...gates,
  };
  const session = await meant(flags, () => openSession(options));
  return {
    session,
    agent: await meant(flags, () => session.as({ id: flags.as, role: flags.role })),
    close: async () => {
      await session.close();
      await store?.close();
    },
  };
}
