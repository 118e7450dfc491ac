// Owns: what a folder of the host holds at a path, as far as the session knows.

import type { WorkspacePath } from "../../path/index.ts";
import type { BlobId } from "../../store/journal.ts";
import { pieceName, type HeldText } from "../../text/weave-held.ts";
import type { FileBody, FileId } from "../files/file-change.ts";

/** A file as it was mounted, refreshed or landed last. */
export interface FolderFile extends FileBody {
  readonly path: WorkspacePath;
  /** The number of the mount that it lies in. */
  readonly mount: number;
  /** A symbolic link leads to it: it is never written. */
  readonly isLinked?: true;
  /** Mode bits, where a landing has noted them to put the file back with them. */
  readonly mode?: number;
  /** The file of the session that it belongs to. */
  readonly id: FileId;
  /**
   * Its text as runs of the file's weave; absent where that is not known, and then the text is compared line by line. In a change
   * that is not committed yet, record 0 is the change's own.
   */
  readonly runs?: HeldText;
  /** Records whose work is in it: [first, last] pairs of numbers, all of the file's between them included. */
  readonly landed: readonly (readonly [number, number])[];
}

/** A file that is whole in one record. */
export function wholeFile(
  at: Pick<FolderFile, "path" | "mount" | "isLinked">,
  id: FileId,
  body: FileBody,
): FolderFile {
  const { path, mount, isLinked } = at;
  const { content, encoding, executable } = body;
  const { size } = content;
  const runs: HeldText = size === 0 ? [] : [[pieceName(0, 0), 0, size]];
  // Without a spread of several objects, which takes most of the time of a large mount's record.
  const file: FolderFile = { path, mount, id, content, encoding, executable, runs, landed: [[0, 0]] };
  return isLinked === undefined ? file : { ...file, isLinked };
}

/** The file once the record that it comes with has its number. */
export function withNumber(file: FolderFile, seq: number): FolderFile {
  const landed = file.landed.map(([from, to]) => [from || seq, to || seq] as const);
  if (file.runs === undefined) return { ...file, landed };
  const runs = file.runs.map(([name, at, length]) => [ownPiece(name, seq), at, length] as const);
  return { ...file, runs, landed };
}

function ownPiece(name: string, seq: number): string {
  return name.startsWith("0.") ? `${seq}${name.slice(1)}` : name;
}

export function isLanded({ landed }: Pick<FolderFile, "landed">, seq: number): boolean {
  return landed.some(([from, to]) => from <= seq && seq <= to);
}

/** Pairs that cover `chosen` and none of the other numbers; both lists are in order. */
export function landedPairs(
  all: readonly number[],
  chosen: ReadonlySet<number>,
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  let isOpen = false;
  for (const seq of all) {
    const last = pairs.at(-1);
    if (chosen.has(seq))
      if (isOpen && last !== undefined) last[1] = seq;
      else pairs.push([seq, seq]);
    isOpen = chosen.has(seq);
  }
  return pairs;
}

export function blobsOfFolderFile({ content }: FileBody): BlobId[] {
  return content.extents.map(([blob]) => blob);
}
