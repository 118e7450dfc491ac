// Owns: several processes that commit to one session at once, started together.

import { spawn } from "node:child_process";

export interface CommitReport {
  readonly agent: string;
  readonly conflicts: number;
  /** Milliseconds that an append took. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The longest the event loop was late, in milliseconds: for whatever reason, and by what its own thread computed. */
  readonly late: number;
  readonly held: number;
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
