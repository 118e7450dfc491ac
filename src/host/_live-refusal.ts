// Owns: what a live folder says against a call.

import type { BigIntStats } from "node:fs";
import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { WorkspacePath } from "../path/index.ts";

export function existsOutside(path: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "conflict",
    "exists_outside",
    say`The live folder has something at ${path} that is not part of the session: an ignored file, a link, a file with several names or above a limit, or a name in another case or form. Nothing was written: choose another name.`,
    { data: { path } },
  );
}

/** Why a session cannot hold what a live folder has at a path. */
export type Untracked = "symlink" | "special_file" | "multiple_links" | "too_large" | "left_out";

export function whyUntracked(stat: BigIntStats, { fileBytes }: Pick<Limits, "fileBytes">): Untracked {
  if (stat.isSymbolicLink()) return "symlink";
  if (!stat.isFile()) return "special_file";
  if (stat.nlink > 1n) return "multiple_links";
  return stat.size > BigInt(fileBytes) ? "too_large" : "left_out";
}

const UNTRACKED: Readonly<Record<Untracked, Shown>> = {
  symlink: say`it is a symbolic link, which is never followed. Use the path that it leads to, if the session has it`,
  special_file: say`it is a pipe, a device or a socket. Use another path`,
  multiple_links: say`the file has several names (hard links), and the others may lie outside. Ask the person to make it a file of its own, or use another path`,
  too_large: say`the file is above the limit of the session. Ask the person to make it smaller, or use another path`,
  left_out: say`the rules of the folder leave it out, or its name clashes with another one. Ask the host to include it, or use another path`,
};

export function notTracked(path: WorkspacePath, why: Untracked): HoldfastError {
  return new HoldfastError(
    "conflict",
    "not_tracked",
    say`${path} is in the live folder but not part of the session: ${UNTRACKED[why]}.`,
    { data: { path } },
  );
}

export function notPermitted(path: WorkspacePath, what: "read" | "write"): HoldfastError {
  return new HoldfastError(
    "forbidden",
    "not_permitted",
    what === "write"
      ? say`The system does not let Holdfast write ${path} in the live folder: the file, its directory or the disk is read-only. Nothing was written: ask the person to permit it, or use another path.`
      : say`The system does not let Holdfast read ${path} in the live folder, so what it holds now is not known. Ask the person to permit it, or use another path.`,
    { data: { path } },
  );
}

export function busyOutside(paths: readonly WorkspacePath[]): HoldfastError {
  return new HoldfastError(
    "conflict",
    "busy_outside",
    say`Another program keeps writing ${sayAll(paths.slice(0, 5))} in the live folder. Nothing was written: send the call again when it is done.`,
  );
}

/** A path lies in a folder that another session is live in. */
export function liveThere(path: WorkspacePath, session: string): HoldfastError {
  return new HoldfastError(
    "conflict",
    "live_elsewhere",
    say`Session ${echo(session)} is live in a folder that ${path} lies in. Nothing was written: write it in that session, or use another path.`,
    { data: { path } },
  );
}

/** A live folder cannot be taken out of its session. */
export function liveFolder(to: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "conflict",
    "live_folder",
    say`${to} is a live folder: it cannot be reset, its mount cannot be undone, and nothing can be restored to before it. Undo or restore single changes instead.`,
  );
}
