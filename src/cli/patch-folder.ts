// Owns: a patch over the files of a folder, which are read like a mount: no symbolic link is followed, and no path of a patch leads
// out of the folder.

import { statSync } from "node:fs";
import {
  editFormatOf,
  parseEdits,
  parsePatch,
  placeEdits,
  type ParsedEdits,
  type ParsedPatch,
} from "../patch/index.ts";
import { parsePath, relativePath, segmentsOf, type WorkspacePath } from "../path/index.ts";
import { openSession, type Session, type SkipReason } from "../tools/index.ts";
import { about, inputText } from "./input.ts";
import { FOLDER_LIMITS, FOLDER_NAMES } from "./host-names.ts";
import { note } from "./output.ts";
import { mountProgress } from "./progress.ts";
import { RefusedError, UsageError } from "./usage-error.ts";

/** A patch in whichever format, as operations over the files that it names. */
export interface PatchOver {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly patch: ParsedPatch;
  /** It is written as operations, not as a diff or blocks of text. */
  readonly isNdpatch: boolean;
  /** In memory, over the files that the patch names: what it lands is written to the folder. */
  readonly session: Session;
}

/** Reads a patch and the files that it names, and lets go of them when the work is done. */
export async function withPatch<T>(
  file: string,
  folder: string,
  work: (over: PatchOver) => Promise<T>,
): Promise<T> {
  const text = await inputText(file);
  const read = await about(file, () =>
    text.trim() === "" || editFormatOf(text) === "ndpatch"
      ? parsePatch(text, FOLDER_NAMES)
      : parseEdits(text),
  );
  const named = await about(file, () => namedIn(read));
  for (const path of named) refuseClosed(path);
  return withFiles(folder, named, async (session, files) => {
    if (!("format" in read)) return work({ files, patch: read, isNdpatch: true, session });
    const { patch, notes } = await about(file, () => placeEdits(read, files, FOLDER_NAMES));
    for (const { message } of notes) note(`[Note] ${message}`);
    return work({ files, patch, isNdpatch: false, session });
  });
}

/** All files of a folder, by their path in it, but for what `.gitignore` names. */
export function folderFiles(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  return withFiles(folder, undefined, async (_, files) => files);
}

function namedIn(read: ParsedPatch | ParsedEdits): WorkspacePath[] {
  if (!("format" in read)) return [...read.paths.values()];
  return read.sources.map((name) => parsePath(name, { kind: "file", ...FOLDER_NAMES }));
}

/** What a repository or a session keeps of its own: no patch writes hooks there. */
function refuseClosed(path: WorkspacePath): void {
  const closed = segmentsOf(path).find((name) => [".git", ".holdfast"].includes(name.toLowerCase()));
  if (closed === undefined) return;
  const shown = relativePath(path);
  throw new RefusedError("forbidden", "path_denied", `${shown} lies in ${closed}, which no patch changes.`, {
    path: shown,
  });
}

async function withFiles<T>(
  folder: string,
  named: readonly WorkspacePath[] | undefined,
  work: (session: Session, files: Map<string, Uint8Array>) => Promise<T>,
): Promise<T> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`${folder}: there is no such folder.`);
  // A list without any glob takes everything: a patch that names no file needs none.
  const include = named?.length === 0 ? [NOTHING] : named?.map(globOf);
  const mount = {
    from: folder,
    to: "/workspace",
    ...(include === undefined ? { gitignore: true } : { include }),
  };
  const progress = mountProgress();
  await using session = await about(folder, () =>
    openSession({ names: "unicode", limits: FOLDER_LIMITS, mounts: [mount], onMount: progress.onMount }),
  ).finally(progress.end);
  refuseSkipped(session, named ?? []);
  const files = new Map<string, Uint8Array>();
  for (const { path } of session.files()) files.set(relativePath(path), await session.workspace.read(path));
  return await work(session, files);
}

const NOTHING = ".holdfast/nothing";

/** A glob for one path: what a glob reads as a sign is escaped, or matches any one character. */
function globOf(path: WorkspacePath): string {
  return relativePath(path)
    .replace(/[[\]{}(),!]/g, "\\$&")
    .replaceAll("*", "?");
}

const SKIPPED: Partial<Readonly<Record<SkipReason, string>>> = {
  symlink: "is a symbolic link, which is not followed",
  special_file: "is no regular file",
  multiple_links: "has another name in the file system too, and would be changed there as well",
  too_large: "is too large",
  bad_name: "has a name that cannot be used",
};

/** A file that is there and cannot be read must not be taken for one that is missing. */
function refuseSkipped(session: Session, named: readonly WorkspacePath[]): void {
  const paths = named.map(relativePath);
  for (const { path, reason } of session.mounted.flatMap(({ skipped }) => skipped)) {
    if (!paths.some((one) => one === path || one.startsWith(`${path}/`))) continue;
    throw new RefusedError("forbidden", reason, `${path} ${SKIPPED[reason] ?? "cannot be read"}.`, { path });
  }
}
