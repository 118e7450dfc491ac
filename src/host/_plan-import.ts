// Owns: what was found in a live folder, as changes of the session, merged with what the session has changed meanwhile.
// Must never: take what was merged for what was read.

import type { WorkspacePath } from "../path/index.ts";
import type { Draft } from "../session/draft.ts";
import type { FileBody } from "../session/files/file-change.ts";
import { fileAt } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { SessionCore } from "../session/transact.ts";
import { Pacer } from "../text/steps.ts";
import { mergeOutside } from "./_merge-outside.ts";
import type { OutsideBody } from "./_outside-file.ts";
import { isSameVersion } from "./_past-versions.ts";
import { importInto } from "./import-changes.ts";

/** What was found at a path. `base` is what was in place, as far as was known. */
export interface FoundOutside {
  readonly path: WorkspacePath;
  readonly base: FileBody | undefined;
  readonly body: OutsideBody | undefined;
}

/** A path that was imported: what was read there, and what the session has of it where it has it as it was read. */
export interface TakenIn {
  readonly path: WorkspacePath;
  readonly read: OutsideBody | undefined;
  readonly as: FileBody | undefined;
}

export interface PlannedImport {
  readonly taken: readonly TakenIn[];
  /** Paths that the session had changed too. */
  readonly both: readonly WorkspacePath[];
  /** Paths that the session has changed by now: they have to be merged, by another import. */
  readonly late: readonly WorkspacePath[];
}

/** Puts what was found into a draft. Without `isMerge` the record has what was read, and nothing else. */
export async function planImport(
  core: SessionCore,
  draft: Draft,
  found: readonly FoundOutside[],
  { isMerge, time }: { readonly isMerge: boolean; readonly time: Date },
): Promise<PlannedImport> {
  const pace = new Pacer();
  const both: WorkspacePath[] = [];
  const wanted: (FoundOutside & { readonly merged: FileBody | undefined })[] = [];
  for (const one of found) {
    const { path, base, body } = one;
    const entry = draft.reader(filesSlice).file(path);
    const isBoth = !isSameVersion(base, entry);
    if (isBoth) both.push(path);
    if (isBoth && !isMerge) continue;
    const isMerged = isBoth && entry !== undefined && body !== undefined;
    wanted.push({ ...one, merged: isMerged ? await mergeOutside(core, base, entry, body, pace) : body });
  }
  const imported = wanted.map(({ path, merged }) => ({ path, body: merged }));
  // What the session has no place for stays as it is: it is in no history.
  const left = new Set(await importInto(core, draft, imported, time));
  const made = draft.state(filesSlice);
  const taken = wanted
    .filter(({ path }) => !left.has(path))
    .map(({ path, body, merged }) => {
      return { path, read: body, as: isSameVersion(body, merged) ? fileAt(made, path) : undefined };
    });
  return { taken, both: isMerge ? both : [], late: isMerge ? [] : both };
}
