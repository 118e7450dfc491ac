// Owns: a process that works on a session's folders and is killed at some moment after it began.

import { spawn } from "node:child_process";
import { childProgram } from "../children.ts";

const SCRIPT = childProgram("host", "folders");

/** Returns whether it was done before it was killed: after so many milliseconds, or when it has `appended` its first record. */
export async function killedAfter(
  moment: number | "appended",
  args: readonly [directory: string, id: string, from: string, what: string],
  take: Readonly<Record<string, "outside" | "session">> = {},
): Promise<boolean> {
  const child = spawn(process.execPath, [SCRIPT, ...args, JSON.stringify(take), String(moment)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  let said = "";
  child.stdout.on("data", (data: Buffer) => {
    if (said === "" && moment !== "appended") setTimeout(() => child.kill("SIGKILL"), moment);
    said += data.toString();
  });
  await ended;
  return said.includes("done");
}
