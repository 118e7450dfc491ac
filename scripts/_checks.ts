// Owns: the list of checks that guard the repository, and how they are run and shown.
// Must never: skip a check silently; each one is reported by name.

import { availableParallelism } from "node:os";
import { run, scriptCommand } from "./_command.ts";

/** Names of package.json scripts. All need a finished build, and none writes anything. */
export const CHECKS: readonly string[] = [
  "typecheck",
  "lint",
  "format:check",
  "boundaries",
  "unused",
  "size",
  "rules",
  "names",
  "tool-types",
  "tools-doc",
  "exports",
  "lockfile",
  "tarball",
  "package-shape",
  "api",
];

/**
 * Builds, then runs the checks, as many at once as there are cores; `build` counts as one. A check that had to leave something out prints a line
 * `skipped: <what>`, which is handed on.
 */
export async function runChecks(): Promise<{
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}> {
  const passed: string[] = [];
  const failed: string[] = [];
  const skipped: string[] = [];
  const check = async (name: string): Promise<void> => {
    // What packs must not build again beside the others.
    const env = { npm_config_ignore_scripts: "true" };
    const { code, output, seconds } = await run(scriptCommand(name), { quiet: true, env });
    console.log(`${code === 0 ? "  ok  " : "FAILED"} ${name.padEnd(14)} ${seconds.toFixed(1)} s`);
    if (code === 0) {
      passed.push(name);
      for (const line of output.split("\n")) {
        if (line.startsWith("note: ")) console.log(`       ${line}`);
        if (line.startsWith("skipped: ")) skipped.push(`${name}: ${line.slice("skipped: ".length)}`);
      }
    } else {
      failed.push(name);
      console.log(indent(output));
    }
  };
  await check("build");
  const waiting = [...CHECKS];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await check(name);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return { passed, failed, skipped };
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `       ${line}`)
    .join("\n");
}
