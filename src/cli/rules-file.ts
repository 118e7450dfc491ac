// Owns: `--rules FILE`: what agents may do at which paths, out of a JSON file of the host.

import { readFileSync } from "node:fs";
import type { PathRule } from "../tools/index.ts";
import { parseJson } from "./input.ts";
import { UsageError } from "./usage-error.ts";

/** The rules of a file. What is wrong inside a rule is found when the session opens. */
export function readRulesFile(file: string): readonly PathRule[] {
  const rules = parseJson(optionFile("--rules", file), `--rules: ${file}`);
  if (!Array.isArray(rules))
    throw new UsageError(`--rules: ${file} must hold a list such as [{"paths":["dist/**"],"deny":"write"}].`);
  return rules as readonly PathRule[];
}

/** The text of a file that an option names. */
export function optionFile(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(
      `${option}: ${file} cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"}).`,
    );
  }
}
