// The command line as a user runs it: the built program, in a process of its own.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const CLI: readonly string[] = [fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))];

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function run(
  args: readonly string[],
  input = "",
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...CLI, ...args], {
      stdio: "pipe",
      env: { ...process.env, ...env },
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}
