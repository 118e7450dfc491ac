// Owns: running a child under strace and reading what it did.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

export const hasStrace: boolean = spawnSync("strace", ["-V"]).status === 0;

export interface Call {
  readonly phase: string;
  readonly name: string;
  /** The file of the descriptor, or the whole argument text. */
  readonly on: string;
}

const TRACED = "fsync,fdatasync,rename,renameat,renameat2,access,faccessat,faccessat2";

/** Runs a script and answers its system calls in order, with the phase each was in. */
export function trace(
  script: string,
  args: readonly string[],
  log: string,
): { calls: Call[]; output: string } {
  const run = spawnSync(
    "strace",
    [...`-f -y -qq -o ${log} -e trace=${TRACED}`.split(" "), process.execPath, script, ...args],
    { encoding: "utf8", timeout: 120_000 },
  );
  if (run.status !== 0) throw new Error(`the child failed: ${run.stderr}`);
  const calls: Call[] = [];
  let phase = "start";
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const mark = /\/no\/such\/place\/([a-z]+)/.exec(line);
    if (mark !== null) phase = mark[1] ?? "";
    // A call that another thread interrupts is printed twice; its second half has no arguments.
    const call = /^\d+ +([a-z0-9]+)\((.*)$/.exec(line);
    if (call === null || mark !== null) continue;
    calls.push({ phase, name: call[1] ?? "", on: /^\d+<([^>]*)>/.exec(call[2] ?? "")?.[1] ?? call[2] ?? "" });
  }
  return { calls, output: run.stdout };
}
