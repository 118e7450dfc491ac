// Owns: carrying a change of a file over later changes of the same file, or saying why that cannot be.

import { say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { EXTENTS, mapSplices } from "../../text/index.ts";
import type { Refusal, Side } from "../slice.ts";
import type { FileChange } from "./file-change.ts";
import { fileKey } from "./file-keys.ts";

/**
 * Splices move along with later splices beside them. Anything else, and a later change of the very same place, is
 * refused.
 */
export function rebaseFileChange(
  change: FileChange,
  since: readonly FileChange[],
  side: Side = "after",
): FileChange | Refusal[] {
  let moved = change;
  for (const later of since) {
    if (later.id !== change.id || later.op === "rewrite") continue;
    if (later.op === "move" && moved.op === "splice") {
      moved = { ...moved, path: later.to };
      continue;
    }
    if (moved.op === "move" && later.op === "splice") continue;
    if (moved.op !== "splice" || later.op !== "splice") return [changedSince(change.path)];
    const mapped = mapSplices(moved.splices, later.splices, { sameInsert: side }, EXTENTS);
    if (!mapped.ok) return [changedSince(change.path)];
    moved = { ...moved, splices: mapped.splices };
  }
  return moved;
}

export function changedSince(path: string): Refusal {
  const where = path as WorkspacePath;
  return {
    key: fileKey(where),
    code: "conflict",
    reason: "changed_since",
    message: say`${where} was changed again later in the same place`,
  };
}
