// Owns: the changes of the files slice, as plain JSON with all that is needed to take them back (docs/format.md).

import { randomBytes } from "node:crypto";
import type { BlobId, Content, Extent } from "../../store/journal.ts";
import { EXTENTS, invertSplices } from "../../text/index.ts";
import type { ContentSplice } from "../content.ts";

/** Names a file for good: it stays through edits, moves, deletion and re-creation. */
export type FileId = string;

/** An id that no file has had: 96 random bits. */
export function newFileId(): FileId {
  return randomBytes(12).toString("base64url");
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
  /** This change is what an undo comes to that takes back what these records did to the file. */
  readonly undoes?: readonly number[];
  /** This change is what a restore comes to that makes the file what it was after this record. */
  readonly restores?: number;
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
  | (OnFile & {
      readonly op: "replace";
      readonly before: FileBody;
      readonly after: FileBody;
      /** What differs: `remove` bytes at `at` of the old content became `insert` bytes of the new; all, when left out. */
      readonly differs?: readonly (readonly [at: number, remove: number, insert: number])[];
    })
  | (OnFile & {
      readonly op: "splice";
      readonly splices: readonly ContentSplice[];
      /** What each splice removed, so that the change can be taken back without the old state. */
      readonly removed: readonly (readonly Extent[])[];
    })
  /** The same bytes in other blobs. Touches no key: nobody can tell. */
  | (OnFile & { readonly op: "rewrite"; readonly before: Content; readonly after: Content });

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

export function invertFileChange(change: FileChange): FileChange {
  const { slice, path, id } = change;
  switch (change.op) {
    case "create":
      return { slice, op: "delete", id, path, body: change.body, created: change.created };
    case "delete":
      return { slice, op: "create", id, path, body: change.body, created: change.created };
    case "move":
      return { slice, op: "move", id, path: change.to, to: path };
    case "replace":
      return { slice, op: "replace", id, path, before: change.after, after: change.before };
    case "splice":
      return {
        slice,
        op: "splice",
        id,
        path,
        splices: invertSplices(change.splices, change.removed, EXTENTS),
        removed: change.splices.map((splice) => splice.insert),
      };
    case "rewrite":
      return { slice, op: "rewrite", id, path, before: change.after, after: change.before };
  }
}

/** Every blob the change refers to, old and new. */
export function blobsOf(change: FileChange): BlobId[] {
  const extents: Extent[] = [];
  switch (change.op) {
    case "create":
    case "delete":
      extents.push(...change.body.content.extents);
      break;
    case "move":
      break;
    case "replace":
      extents.push(...change.before.content.extents, ...change.after.content.extents);
      break;
    case "splice":
      for (const splice of change.splices) extents.push(...splice.insert);
      for (const removed of change.removed) extents.push(...removed);
      break;
    case "rewrite":
      extents.push(...change.before.extents, ...change.after.extents);
  }
  return [...new Set(extents.map((extent) => extent[0]))];
}
