// Owns: the list of all tools, in the order in which catalogues show them.

import { listDirectory } from "./files/list-directory.ts";
import { readFile } from "./files/read-file.ts";
import { writeFile } from "./files/write-file.ts";
import { SNAPSHOTS } from "./history/snapshots.ts";
import { undoChanges } from "./history/undo-changes.ts";
import { applyPatchTool } from "./patch/apply-patch.ts";
import { checkPatchTool } from "./patch/check-patch.ts";
import { createPatchTool } from "./patch/create-patch.ts";
import type { Tool } from "./tool.ts";
import { TREE_TOOLS } from "./tree/index.ts";

export const TOOLS: readonly Tool[] = [
  listDirectory,
  readFile,
  writeFile,
  checkPatchTool,
  applyPatchTool,
  createPatchTool,
  ...TREE_TOOLS,
  ...SNAPSHOTS,
  undoChanges,
];
