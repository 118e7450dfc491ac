// Owns: several processes that commit to one session at once, started together.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { BOUND_MS, type Held } from "./children/held.ts";

export interface CommitReport extends Held {
  readonly agent: string;
  readonly conflicts: number;
  /** Milliseconds that an append took. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * A loop beside the others that has next to nothing to do in a turn. How long its turns seem to take is what the machine
 * adds to everybody's. Ends with the function.
 */
export function startControl(runtime: readonly string[]): () => Promise<Held> {
  const child = spawn(process.execPath, [...runtime], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  return async () => {
    child.stdin.end();
    await once(child, "close");
    return JSON.parse(output) as Held;
  };
}

/** How long loops were held, the control's beside them, in words. */
export function heldInWords(all: readonly Held[], control: Held): string {
  const total = (of: "looks" | "over"): number => all.reduce((sum, one) => sum + one[of], 0);
  const most = (of: "used" | "computed"): number => Math.max(...all.map((one) => one[of]));
  return (
    `event loops: ${inWords({ used: most("used"), computed: most("computed"), looks: total("looks"), over: total("over") })}; ` +
    `one beside them with next to nothing to do: ${inWords(control)}`
  );
}

function inWords({ used, computed, looks, over }: Held): string {
  return `used at most ${used.toFixed(1)} ms at once, ${computed.toFixed(1)} ms without collections, more than ${BOUND_MS} ms in ${over} of ${looks} turns`;
}

/** `every`: each how many commits one is pinned to the shared counter; 0 for none. */
export async function commitTogether(
  script: string,
  directory: string,
  processes: number,
  commits: number,
  every: number,
): Promise<CommitReport[]> {
  const children = Array.from({ length: processes }, (_, i) =>
    spawn(process.execPath, [script, directory, "s", `agent-${i}`, String(commits), String(every)], {
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
  let ready = 0;
  return Promise.all(
    children.map(
      (child) =>
        new Promise<CommitReport>((resolve, reject) => {
          let output = "";
          let errors = "";
          child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
          child.stdout.on("data", (data: Buffer) => {
            const wasReady = output.includes("ready\n");
            output += data.toString();
            if (wasReady || !output.includes("ready\n")) return;
            ready++;
            if (ready === processes) for (const each of children) each.stdin.write("go\n");
          });
          child.on("close", (code) => {
            if (code === 0) resolve(JSON.parse(output.split("\n")[1] ?? "") as CommitReport);
            else reject(new Error(`a process ended with ${String(code)}: ${errors}`));
          });
        }),
    ),
  );
}
