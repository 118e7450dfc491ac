// Owns: telling a client how far long work is, where it asked to be told.

import type { ServerContext } from "@modelcontextprotocol/server";
import { plural } from "../text/plural.ts";
import type { MountProgress } from "../tools/index.ts";

/** Says that the work has come further, and what it is about. */
export type Report = (message: string, progress: number, total?: number) => void;

const LEAST_MS = 100;

/** Undefined where the client did not ask. Numbers only grow, as the protocol wants; what comes too soon after another is not sent. */
export function reportOf({ mcpReq }: ServerContext): Report | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let sent = -1;
  let at = -LEAST_MS;
  return (message, progress, total) => {
    const now = performance.now();
    if (progress <= sent || now - at < LEAST_MS || mcpReq.signal.aborted) return;
    sent = progress;
    at = now;
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    // A client that is gone needs no progress.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** How far mounting is: every file counts once when it is found and once when it is copied. */
export function mountReport(report: Report): (progress: MountProgress) => void {
  return ({ phase, files, totalFiles = files }) => {
    if (phase === "scan") report(`Found ${plural(files, "file")}`, files);
    else report(`Copied ${files} of ${plural(totalFiles, "file")}`, totalFiles + files, 2 * totalFiles);
  };
}
