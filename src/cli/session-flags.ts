// Owns: how the options that name a session are declared.

import { Option, type Command } from "commander";
import { collect } from "./declare.ts";

/** Options of commands that call tools in a session. */
export function withSessionOptions(command: Command): Command {
  return withAgentOptions(withStoreOption(command))
    .option("--session <id>", "a stored session; without it one in memory, which is gone at the end")
    .option("--create", "make the session when the store does not have it")
    .option("--new", "a fresh stored session");
}

export function withStoreOption(command: Command): Command {
  return command.option(
    "--store <directory>",
    "where sessions are stored; HOLDFAST_STORE or the user's data directory when left out",
  );
}

/** Who calls, and what is allowed. */
export function withAgentOptions(command: Command): Command {
  return command
    .option("--as <id>", "the agent's id, as it is shown in history and audit")
    .addOption(
      new Option("--role <role>", "what the agent may do").choices(["reader", "editor"]).default("editor"),
    )
    .option("--read-only", "refuse every change")
    .option("--toolsets <names>", "these toolsets and tools, separated by commas, or all")
    .option(
      "--rules <file>",
      "what agents may do at which paths, as JSON; a stored session has them until a file with [] lifts them",
    )
    .option(
      "--gates <file>",
      "questions that must be answered before anything is written, as JSON; a stored session has them until a file with {} lifts them",
    );
}

export function withMountOption(command: Command): Command {
  return command
    .option(
      "--mount <folder>",
      "begin with the files of a folder, which is never written; .git, node_modules and what .gitignore names stay out; may be repeated",
      collect,
    )
    .option(
      "--folder <folder>",
      "the stored session of this folder, made when there is none; may be repeated",
      collect,
    );
}
