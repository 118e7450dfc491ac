// Owns: the list of all tools, in the order in which catalogues show them.

import { deleteFile } from "./files/delete-file.ts";
import { editFile } from "./files/edit-file.ts";
import { findFiles } from "./files/find-files.ts";
import { listDirectory } from "./files/list-directory.ts";
import { copyFile, moveFile } from "./files/move-file.ts";
import { readFile } from "./files/read-file.ts";
import { replaceInFiles } from "./files/replace-in-files.ts";
import { searchFiles } from "./files/search-files.ts";
import { statFile } from "./files/stat-file.ts";
import { writeFile } from "./files/write-file.ts";
import { HISTORY_TOOLS } from "./history/index.ts";
import { JSON_TOOLS } from "./json/index.ts";
import { applyPatchTool } from "./patch/apply-patch.ts";
import { checkPatchTool } from "./patch/check-patch.ts";
import { createPatchTool } from "./patch/create-patch.ts";
import type { Tool } from "./tool.ts";
import { TREE_TOOLS } from "./tree/index.ts";

/** Toolsets of a session that names none: what an agent pays for unasked. Gates, where there are some, and tools of the host's own come besides. */
export const DEFAULT_TOOLSETS: readonly string[] = ["files", "json"];

export const TOOLS: readonly Tool[] = [
  listDirectory,
  readFile,
  statFile,
  findFiles,
  searchFiles,
  writeFile,
  editFile,
  replaceInFiles,
  moveFile,
  copyFile,
  deleteFile,
  ...JSON_TOOLS,
  checkPatchTool,
  applyPatchTool,
  createPatchTool,
  ...TREE_TOOLS,
  ...HISTORY_TOOLS,
];
