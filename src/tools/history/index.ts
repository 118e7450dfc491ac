// Owns: the toolset history, in the order in which catalogues show it.

import type { Tool } from "../tool.ts";
import { blameLines } from "./blame-lines.ts";
import { diffChanges } from "./diff-changes.ts";
import { listChanges } from "./list-changes.ts";
import { requestLanding } from "./request-landing.ts";
import { snapshotDiff } from "./snapshot-diff.ts";
import { snapshotRestore } from "./snapshot-restore.ts";
import { snapshotCreate, snapshotList } from "./snapshots.ts";
import { undoChanges } from "./undo-changes.ts";

export const HISTORY_TOOLS: readonly Tool[] = [
  listChanges,
  diffChanges,
  undoChanges,
  blameLines,
  snapshotCreate,
  snapshotList,
  snapshotDiff,
  snapshotRestore,
  requestLanding,
];
