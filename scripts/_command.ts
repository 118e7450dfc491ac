// Owns: how the scripts start other programs: the commands of package.json, on every platform.
// Must never: print by itself while `quiet`; a check that passes says one line.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const ROOT: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

export interface Finished {
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

export interface RunOptions {
  /** Collect the output and print nothing. */
  readonly quiet?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Where to run it; in the root of the repository unless told. */
  readonly cwd?: string;
}

/** Runs a command line with the installed tools first in the path. */
export function run(command: string, options: RunOptions = {}): Promise<Finished> {
  const begun = Date.now();
  const env: NodeJS.ProcessEnv = { ...process.env, ...options.env };
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  env[name] = [path.join(ROOT, "node_modules", ".bin"), env[name] ?? ""].join(path.delimiter);
  return new Promise((resolve) => {
    const child = spawn(command, {
      cwd: options.cwd ?? ROOT,
      env,
      shell: true,
      stdio: options.quiet === true ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    });
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const finish = (code: number, extra = ""): void =>
      resolve({
        code,
        output: Buffer.concat(chunks).toString("utf8") + extra,
        seconds: (Date.now() - begun) / 1000,
      });
    child.on("error", (error) => finish(127, `${error.message}\n`));
    child.on("close", (code, signal) => finish(code ?? 1, signal === null ? "" : `ended by ${signal}\n`));
  });
}

/** The command behind `npm run <name>`. */
export function scriptCommand(name: string): string {
  const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const command = manifest.scripts[name];
  if (command === undefined) throw new Error(`package.json has no script called "${name}".`);
  return command;
}
