// Owns: which files a search reads together: small texts in a row share one read, every other file goes alone.

import type { FileInfo } from "../../session/files/workspace.ts";

/** Files in a row, and how many bytes they have together. */
export interface FileBatch {
  readonly files: readonly FileInfo[];
  readonly bytes: number;
}

/** So that opening a batch takes no longer than a few milliseconds. */
const MOST_FILES = 200;

/** The files in order, in batches that fit `room` bytes. A file that is larger, or not known to be text, is a batch alone. */
export function* batchesOf(
  files: readonly FileInfo[],
  first: number,
  room: number,
): Generator<FileBatch, void, void> {
  let batch: FileInfo[] = [];
  let bytes = 0;
  for (let i = first; i < files.length; i++) {
    const file = files[i] as FileInfo;
    const { size_bytes: size } = file;
    const isAlone = file.encoding !== "utf-8" || size > room;
    if (batch.length > 0 && (isAlone || bytes + size > room || batch.length === MOST_FILES)) {
      yield { files: batch, bytes };
      batch = [];
      bytes = 0;
    }
    if (isAlone) yield { files: [file], bytes: size };
    else {
      batch.push(file);
      bytes += size;
    }
  }
  if (batch.length > 0) yield { files: batch, bytes };
}
