// Owns: how a change is shown after a write: a few lines around it.

import type { WorkspacePath } from "../../path/index.ts";
import type { Files } from "../../session/files/workspace.ts";
import { showHunks } from "../../text/show-hunks.ts";

const CONTEXT = 2;
const LINE_BYTES = 300;

/** What the running call has changed of a file, as text of at most about `budget` bytes; what is left out is said. */
export async function hunkText(files: Files, path: WorkspacePath, budget: number): Promise<string> {
  const hunks = await files.hunks(path, { context: CONTEXT, budget, lineLength: LINE_BYTES });
  return hunks === undefined ? "(not shown: not text, or too large)" : showHunks(hunks);
}
