// Owns: carrying a change of a file over later changes of the same file, or saying why that cannot be.

import { say } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { extentsLength, type ContentSplice } from "../content.ts";
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
    if (later.path !== change.path || later.op === "rewrite") continue;
    if (moved.op !== "splice" || later.op !== "splice") return [changedSince(change.path)];
    const splices = mapThrough(moved.splices, later.splices, side);
    if (splices === undefined) return [changedSince(change.path)];
    moved = { ...moved, splices };
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

/**
 * The splices as they read after `through`, or nothing when both change the same place. What ends at or before a
 * splice moves it; what begins at or after its end leaves it; anything else meets it. Two that only insert at one place
 * have no order of their own: `side` gives them one.
 */
function mapThrough(
  splices: readonly ContentSplice[],
  through: readonly ContentSplice[],
  side: Side,
): ContentSplice[] | undefined {
  const mapped: ContentSplice[] = [];
  let next = 0;
  let shift = 0;
  for (const splice of splices) {
    let other = through[next];
    while (other !== undefined && other.at + other.remove <= splice.at) {
      if (side === "before" && other.at === splice.at && splice.remove === 0) break;
      shift += extentsLength(other.insert) - other.remove;
      other = through[++next];
    }
    if (other !== undefined && other.at < splice.at + splice.remove) return undefined;
    mapped.push({ ...splice, at: splice.at + shift });
  }
  return mapped;
}
