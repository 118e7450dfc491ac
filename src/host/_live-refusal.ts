// Owns: what a live folder says against a call.

import { HoldfastError, say, sayAll } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";

export function existsOutside(path: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "conflict",
    "exists_outside",
    say`The live folder has something at ${path} that is not part of the session: an ignored file, a link, or a name in another case or form. Nothing was written: choose another name.`,
    { data: { path } },
  );
}

export function notTracked(path: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "conflict",
    "not_tracked",
    say`${path} is in the live folder but not part of the session: it is ignored, a link, or above a limit. Ask the host to include it.`,
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

/** A live folder cannot be taken out of its session. */
export function liveFolder(to: WorkspacePath): HoldfastError {
  return new HoldfastError(
    "conflict",
    "live_folder",
    say`${to} is a live folder: it cannot be reset, or restored to before it was mounted. Undo or restore single changes instead.`,
  );
}
