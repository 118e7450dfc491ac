// Owns: what the declarations of commands have in common.

import { InvalidArgumentError, type Command } from "commander";

/** A command that only holds others. Without one of them it shows its help. */
export function group(root: Command, name: string, summary: string): Command {
  return root.command(name).summary(summary).helpCommand(false);
}

export function withJson(command: Command): Command {
  return command.option("--json", "print one JSON value instead of text");
}

export function withExamples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

/** An option that is a number above 0. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("It must be a whole number above 0.");
}

/** A number that may be repeated. */
export function collectNumbers(value: string, before: readonly number[] | undefined): readonly number[] {
  if (value.includes(","))
    throw new InvalidArgumentError("It must be a whole number above 0. Give several one by one.");
  return [...(before ?? []), number(value)];
}

/** An option that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
