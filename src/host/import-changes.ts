// Owns: what was changed in a mirror, as changes of the session: line by line, so that undo and blame work beneath them.
// Must never: be bound by rules, gates or rates: those bind agents.

import type { WorkspacePath } from "../path/index.ts";
import type { Draft } from "../session/draft.ts";
import type { FileBody } from "../session/files/file-change.ts";
import {
  fileAt,
  filesUnder,
  obstacle,
  obstacles,
  type FileEntry,
  type FilesState,
} from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import { Workspace } from "../session/files/workspace.ts";
import type { SessionCore } from "../session/transact.ts";
import { withContentDiff } from "../session/content-diff.ts";
import type { ByteSource } from "../text/byte-source.ts";
import { Pacer } from "../text/steps.ts";

/** A path and what it is to hold; undefined: nothing. */
export interface Imported {
  readonly path: WorkspacePath;
  readonly body: FileBody | undefined;
}

/** Puts changes into a draft, removals first. What the session has already is no change. Returns the paths that it has no place for. */
export async function importInto(
  core: SessionCore,
  draft: Draft,
  imported: readonly Imported[],
  time: Date,
): Promise<WorkspacePath[]> {
  const { journal, limits } = core;
  const opened: (ByteSource & { close(): void })[] = [];
  const files = new Workspace({ draft, journal, limits, time, opened });
  const obstructed: WorkspacePath[] = [];
  const pace = new Pacer();
  try {
    for (const { path, body } of imported)
      if (body === undefined && (await files.stat(path)) !== undefined) await files.remove(path);
    for (const { path, body } of imported) {
      if (body === undefined) continue;
      if ((await files.stat(path)) !== undefined) {
        await rewrite(core, draft, files, path, body, pace);
        continue;
      }
      const [obstacle] = await files.obstacles([path], []);
      if (obstacle === undefined)
        await files.put(path, body.content, {
          encoding: body.encoding ?? "binary",
          executable: body.executable,
        });
      else obstructed.push(path);
      await pace.step();
    }
  } finally {
    for (const source of opened) source.close();
  }
  return obstructed;
}

/** The files of the session that leave no place for a path: at it, above it, below it, or of a name that differs only in case. */
export function filesInTheWay(state: FilesState, path: WorkspacePath): FileEntry[] {
  const isDirectory = obstacle(state, path)?.reason === "is_directory";
  const found = isDirectory ? [...filesUnder(state, path)] : [];
  for (;;) {
    const paths = found.map((entry) => entry.path);
    const [by] = obstacles(state, [path], paths);
    const entry = by === undefined ? undefined : fileAt(state, by.by);
    if (entry === undefined) return found;
    found.push(entry);
  }
}

async function rewrite(
  { journal, limits }: SessionCore,
  draft: Draft,
  files: Workspace,
  path: WorkspacePath,
  body: FileBody,
  pace: Pacer,
): Promise<void> {
  const entry = fileAt(draft.state(filesSlice), path);
  if (entry === undefined) return;
  const { executable } = body;
  // A hint of the host's own stays; utf-8 and binary are what the bytes are.
  const isHint = entry.encoding !== null && entry.encoding !== "utf-8" && entry.encoding !== "binary";
  const encoding = isHint ? (entry.encoding as string) : (body.encoding ?? "binary");
  const { diffBytes } = limits;
  await withContentDiff(journal, entry.content, body.content, diffBytes, pace, async ({ splices }) => {
    const isSame = executable === entry.executable && encoding === entry.encoding;
    if (splices === undefined) await files.put(path, body.content, { encoding, executable });
    else if (splices.length > 0 || !isSame) await files.splice(path, splices, { encoding, executable });
  });
}
