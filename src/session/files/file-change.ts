// Owns: the changes of the files slice, as plain JSON (docs/format.md).

import { randomFillSync } from "node:crypto";
import type { BlobId, Content, Extent } from "../../store/journal.ts";
import type { ContentSplice } from "../content.ts";
import type { Differs } from "../../text/splice.ts";

/** Names a file for good: it stays through edits, moves, deletion and re-creation. */
export type FileId = string;

const ID_BYTES = 12;
/** Asking the system for random bytes costs more than all the rest of making an id. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** An id that no file has had: 96 random bits. */
export function newFileId(): FileId {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.toString("base64url", used, (used += ID_BYTES));
}

/** What a file holds, apart from its history. */
export interface FileBody {
  readonly content: Content;
  /** `utf-8`, `binary`, another hint, or null when unknown. */
  readonly encoding: string | null;
  readonly executable: boolean;
}

interface OnFile {
  readonly slice: "files";
  readonly id: FileId;
  /** Canonical path, `/workspace/a/b`: where the file is before the change, or where a creation puts it. */
  readonly path: string;
}

export type FileChange =
  | (OnFile & {
      readonly op: "create";
      readonly body: FileBody;
      readonly created: string;
      /** Where a file of this id was last, if not at `path`. */
      readonly from?: string;
    })
  | (OnFile & { readonly op: "delete"; readonly body: FileBody; readonly created: string })
  | (OnFile & { readonly op: "move"; readonly to: string })
  | ReplaceChange
  | (OnFile & {
      readonly op: "splice";
      readonly splices: readonly ContentSplice[];
      /** What each splice removed, so that the change can be taken back without the old state. */
      readonly removed: readonly (readonly Extent[])[];
    })
  /** The same bytes in other blobs. Touches no key: no caller can tell. */
  | (OnFile & { readonly op: "rewrite"; readonly before: Content; readonly after: Content })
  | RevertChange;

export interface ReplaceChange extends OnFile {
  readonly op: "replace";
  readonly before: FileBody;
  readonly after: FileBody;
  /** What differs: `remove` bytes at `at` of the old content became `insert` bytes of the new; all, when left out. */
  readonly differs?: Differs | undefined;
}

/**
 * What an undo or a restore does to a file. `changes` is what it comes to: none where what is taken back was not visible.
 * Several of one file in one record are one.
 */
export interface RevertChange extends OnFile {
  readonly op: "revert";
  /** The records whose part in the file is taken back. */
  readonly undoes?: readonly number[];
  /** The record after which the file was what it is made again. */
  readonly restores?: number;
  readonly changes: readonly FileChange[];
}

/** A change of encoding 1 as one of today: files had no id beyond their path, and no executable bit. */
export function fromEncoding1(change: FileChange): FileChange {
  const plain = (body: FileBody): FileBody => ({ ...body, executable: false });
  const id = change.path;
  switch (change.op) {
    case "create":
    case "delete":
      return { ...change, id, body: plain(change.body) };
    case "replace":
      return { ...change, id, before: plain(change.before), after: plain(change.after) };
    default:
      return { ...change, id };
  }
}

/** Every blob the change refers to, old and new. */
export function blobsOf(change: FileChange): BlobId[] {
  return [...new Set(extentsOf(change).map((extent) => extent[0]))];
}

/** Every stretch of a blob that the change refers to, old and new. */
export function extentsOf(change: FileChange): Extent[] {
  switch (change.op) {
    case "create":
    case "delete":
      return [...change.body.content.extents];
    case "move":
      return [];
    case "replace":
      return [...change.before.content.extents, ...change.after.content.extents];
    case "splice":
      return [...change.splices.flatMap(({ insert }) => insert), ...change.removed.flat()];
    case "rewrite":
      return [...change.before.extents, ...change.after.extents];
    case "revert":
      return change.changes.flatMap(extentsOf);
  }
}
