// Owns: the changes of the files slice, as plain JSON with all that is needed to take them back.

import type { BlobId, Content, Extent } from "../../store/journal.ts";
import { EXTENTS, invertSplices } from "../../text/index.ts";
import type { ContentSplice } from "../content.ts";

/** What a file holds, apart from its history. */
export interface FileBody {
  readonly content: Content;
  /** `utf-8`, `binary`, another hint, or null when unknown. */
  readonly encoding: string | null;
}

interface OnFile {
  readonly slice: "files";
  /** Canonical path, `/workspace/a/b`. */
  readonly path: string;
}

export type FileChange =
  | (OnFile & { readonly op: "create"; readonly body: FileBody; readonly created: string })
  | (OnFile & { readonly op: "delete"; readonly body: FileBody; readonly created: string })
  | (OnFile & { readonly op: "replace"; readonly before: FileBody; readonly after: FileBody })
  | (OnFile & {
      readonly op: "splice";
      readonly splices: readonly ContentSplice[];
      /** What each splice removed, so that the change can be taken back without the old state. */
      readonly removed: readonly (readonly Extent[])[];
    })
  /** The same bytes in other blobs. Touches no key: nobody can tell. */
  | (OnFile & { readonly op: "rewrite"; readonly before: Content; readonly after: Content });

export function invertFileChange(change: FileChange): FileChange {
  const { slice, path } = change;
  switch (change.op) {
    case "create":
      return { slice, op: "delete", path, body: change.body, created: change.created };
    case "delete":
      return { slice, op: "create", path, body: change.body, created: change.created };
    case "replace":
      return { slice, op: "replace", path, before: change.after, after: change.before };
    case "splice":
      return {
        slice,
        op: "splice",
        path,
        splices: invertSplices(change.splices, change.removed, EXTENTS),
        removed: change.splices.map((splice) => splice.insert),
      };
    case "rewrite":
      return { slice, op: "rewrite", path, before: change.after, after: change.before };
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
