// Owns: the list of all tools, in the order in which catalogues show them.

import { listDirectory } from "./files/list-directory.ts";
import { readFile } from "./files/read-file.ts";
import { writeFile } from "./files/write-file.ts";
import { undoChanges } from "./history/undo-changes.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [listDirectory, readFile, writeFile, undoChanges];
