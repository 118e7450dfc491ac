// The command line as a user runs it: the built program, in a process of its own.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the commands of a test file keep sessions, unless told: never in the user's own data directory. */
export const DATA: string = mkdtempSync(join(tmpdir(), "holdfast-data-"));
process.once("exit", () => rmSync(DATA, { recursive: true, force: true }));

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
  cwd: string = process.cwd(),
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...CLI, ...args], {
      stdio: "pipe",
      env: { ...process.env, HOLDFAST_STORE: "", XDG_DATA_HOME: DATA, ...env },
      cwd,
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
