// Owns: what crosses between the calling thread and the writer's thread. Plain data only.

import type { AuditEntry, AuditQuery, BlobId, Key, NextRecord, Position } from "../journal.ts";
import type { CommitTerms } from "../_commit-check.ts";

/** A record, with everything that takes time to compute already computed. */
export interface WireRecord extends Pick<
  NextRecord,
  "request" | "kind" | "agent" | "role" | "encoding" | "targets" | "delta"
> {
  readonly time: number;
  readonly tool: string | null;
  readonly keys: readonly Key[];
  readonly changes: string;
  readonly digest: string;
  readonly blobs: readonly WireBlob[];
}

/** A commit. */
export interface WireAppend extends WireRecord, Omit<CommitTerms, "next"> {
  readonly do: "append";
  readonly next?: WireRecord;
  /** JSON text, or the blob (among `blobs`) that holds it. Only with `once`. */
  readonly result: { readonly value: string } | { readonly blob: BlobId } | undefined;
}

/** `bytes`: inline; `size` alone: a file that is durable already; neither: must be known to the store. */
export interface WireBlob {
  readonly id: BlobId;
  readonly size?: number;
  readonly bytes?: Uint8Array;
}

export type WireAppended =
  | { readonly at: Position; readonly next?: Position }
  /** The result of an equal request is stored. */
  | { readonly replay: true }
  | { readonly keyReused: true }
  | { readonly turnTaken: true }
  | { readonly moved: readonly { readonly key: Key; readonly at: Position }[] }
  | { readonly overQuota: "bytes" | "files" };

/** What the writer can be told to do. Every task names the directory of its session. */
export type Task =
  | WireAppend
  | { readonly do: "open" }
  | { readonly do: "close" }
  /** False when another process made it first. `making` is an unused directory beside the sessions. */
  | {
      readonly do: "make";
      readonly making: string;
      readonly genesis: string;
      readonly name: string | null;
      readonly created: number;
    }
  | { readonly do: "remove" }
  | {
      readonly do: "fork";
      readonly at: Position;
      readonly into: string;
      readonly making: string;
      readonly name: string | null;
      readonly created: number;
    }
  | {
      readonly do: "save checkpoint";
      readonly at: Position;
      readonly slice: string;
      readonly blob: WireBlob;
    }
  | { readonly do: "save view"; readonly agent: string; readonly rev: number; readonly bytes: Uint8Array }
  | { readonly do: "set row"; readonly name: string; readonly rev: number; readonly value: string }
  | { readonly do: "take lease"; readonly name: string; readonly holder: string; readonly ms: number }
  | { readonly do: "renew lease"; readonly name: string; readonly holder: string; readonly ms: number }
  | { readonly do: "drop lease"; readonly name: string; readonly holder: string }
  | {
      readonly do: "prune";
      readonly before: number;
      readonly live: readonly BlobId[];
      readonly resultsBefore: number;
    }
  | { readonly do: "audit"; readonly batch: readonly AuditEntry[]; readonly most: number }
  | { readonly do: "audited"; readonly query: AuditQuery };

export interface TaskResults {
  append: WireAppended;
  open: null;
  close: null;
  make: boolean;
  remove: null;
  fork: boolean;
  "save checkpoint": null;
  "save view": { readonly rev: number } | { readonly moved: number };
  "set row": { readonly rev: number } | { readonly moved: number };
  "take lease": boolean;
  "renew lease": boolean;
  "drop lease": null;
  prune: { readonly bytes: number };
  audit: null;
  audited: AuditEntry[];
}

export interface Request {
  readonly id: number;
  readonly session: string;
  readonly task: Task;
}

/**
 * busy      another process held the lock too long; nothing was written
 * full      no space; nothing was written
 * unknown   the disk failed while committing; it may or may not have been written
 * damaged   the file is not what was written to it; nothing was written
 * failed    something else failed; nothing was written
 */
export type Failure =
  | "busy"
  | "full"
  | "unknown"
  | "damaged"
  | "failed"
  | "gone"
  | "newer format"
  | "not a session"
  | "unknown blob"
  | "wrong position";

export type Response =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure; readonly detail: string };
