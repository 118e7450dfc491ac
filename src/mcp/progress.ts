// Owns: telling a client how far long work is, where it asked to be told.

import type { ServerContext } from "@modelcontextprotocol/server";
import { plural } from "../text/plural.ts";
import type { CompareProgress, LandProgress } from "../tools/index.ts";
import type { OpenReport } from "./source.ts";

/** Says that a stage of the work has come further, and what it is about. */
export type Report = (message: string, progress: number, total?: number) => void;

/** Begins a stage of the work: its numbers are added to those of the stages before. */
export type Stages = () => Report;

const LEAST_MS = 100;

/**
 * Undefined where the client did not ask. Numbers only grow, as the protocol wants; what comes too soon after another is not sent, but
 * for the end of a stage.
 */
export function stagesOf({ mcpReq }: ServerContext): Stages | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let sent = -1;
  let at = -LEAST_MS;
  return () => {
    const before = Math.max(0, sent);
    return (message, done, of) => {
      const now = performance.now();
      const progress = before + done;
      const isSoon = done !== of && now - at < LEAST_MS;
      if (progress <= sent || isSoon || mcpReq.signal.aborted) return;
      sent = progress;
      at = now;
      const params = {
        progressToken,
        progress,
        message,
        ...(of === undefined ? {} : { total: before + of }),
      };
      // A client that is gone needs no progress.
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    };
  };
}

/** How far opening a session is. */
export function openReport(stages: Stages): OpenReport {
  return { onMount: mountReport(stages()), compare: () => compareReport(stages) };
}

/** How far mounting is: every file counts once when it is found and once when it is copied. */
function mountReport(report: Report): OpenReport["onMount"] {
  return ({ phase, files, totalFiles = files }) => {
    if (phase === "scan") report(`Found ${plural(files, "file")}`, files);
    else report(`Copied ${files} of ${plural(totalFiles, "file")}`, totalFiles + files, 2 * totalFiles);
  };
}

/** How far comparing a folder with the session is. */
export function compareReport(stages: Stages): (progress: CompareProgress) => void {
  const report = stages();
  return ({ done, total }) => report("Comparing with the folder", done, total);
}

/** How far writing a landing is. */
export function writeReport(stages: Stages): (progress: LandProgress) => void {
  const report = stages();
  return ({ done, total }) => report("Writing to the folder", done, total);
}
