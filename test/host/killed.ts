// Owns: a process that works on a session's folders and is killed at some moment after it began.

import { spawn } from "node:child_process";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname, "children", "folders.ts");

/** Returns whether it was done before it was killed. */
export async function killedAfter(
  ms: number,
  args: readonly [directory: string, id: string, from: string, what: string],
): Promise<boolean> {
  const child = spawn(process.execPath, ["--import", "tsx", SCRIPT, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let said = "";
  child.stdout.on("data", (data: Buffer) => {
    if (said === "") setTimeout(() => child.kill("SIGKILL"), ms);
    said += data.toString();
  });
  await ended;
  return said.includes("done");
}
