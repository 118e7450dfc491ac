// Owns: a process that works on a session's folders and is killed at some moment after it began.

import { spawn } from "node:child_process";
import { childProgram } from "../children.ts";

const SCRIPT = childProgram("host", "folders");

/** Returns whether it was done before it was killed. */
export async function killedAfter(
  ms: number,
  args: readonly [directory: string, id: string, from: string, what: string],
): Promise<boolean> {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
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
