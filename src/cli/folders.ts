// Owns: the folders that a command line names.

import { realpathSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

/** The folders as the system knows them, or a mistake of the command line. */
export function realFolders(folders: readonly string[]): string[] {
  return folders.map((folder) => {
    try {
      return realpathSync(folder);
    } catch {
      throw new UsageError(`${folder}: there is no such folder.`);
    }
  });
}
