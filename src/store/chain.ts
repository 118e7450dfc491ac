// Owns: the chain hash of records, and the ids of blobs.
// Must never: hash anything but the bytes that are stored, in the one canonical order below.

import { hash, randomBytes } from "node:crypto";
import type { BlobId, Change, Key } from "./journal.ts";

/** What a record's hash covers besides the hash before it. `changes` is the digest of the stored text of its changes. */
export interface RecordHead {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly kind: string;
  readonly agent: string;
  readonly role: string;
  readonly tool: string | null;
  readonly request: string;
  readonly encoding: number;
  readonly targets: readonly Key[];
  readonly keys: readonly Key[];
  readonly changes: string;
}

/**
 * SHA-256 of one JSON array, in hexadecimal digits. The changes enter as their digest, so that the chain can still be
 * checked after retention has dropped them. The encoding ends the array unless it is 1: records from before there was one
 * keep their hashes. Strings are well-formed Unicode (see `_checks.ts`), so the text is one only.
 */
export function recordHash(previous: string, head: RecordHead): string {
  const { seq, time, kind, agent, role, tool, request, encoding, targets, keys, changes } = head;
  const covered = [previous, seq, time, kind, agent, role, tool, request, targets, keys, changes];
  if (encoding !== 1) covered.push(encoding);
  return digest(JSON.stringify(covered));
}

/** SHA-256 in hexadecimal digits. */
export function digest(bytes: string | Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/** The stored form of changes, which are plain JSON: a draft takes no other. */
export function encodeChanges(changes: readonly Change[]): string {
  return JSON.stringify(changes);
}

/** The hash before the first record. Random, so that two sessions never share a place. */
export function newGenesis(): string {
  return randomBytes(32).toString("hex");
}

/** Up to here a blob is a row, and its id is its hash. Inline beats a file up to about this size. */
export const INLINE_BYTES: number = 256 * 1024;

const HASH_ID_LENGTH = 32;

/**
 * The id of a blob that is inline: 192 bits of its SHA-256, 32 characters. Changes name blobs by id, so the chain
 * covers these bytes, equal bytes are stored once, and damage is seen when they are loaded.
 */
export function inlineBlobId(bytes: Uint8Array): BlobId {
  return hash("sha256", bytes, "base64url").slice(0, HASH_ID_LENGTH);
}

export function isInlineBlobId(id: BlobId): boolean {
  return id.length === HASH_ID_LENGTH;
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** The id of a blob that is a file: 26 random characters, safe as a name on any file system, and the format of the file. */
export function fileBlobId(): BlobId {
  let id = "";
  for (const byte of randomBytes(26)) id += BASE32[byte & 31];
  return `${id}.2`;
}

/** True for text that a store may use as a file name for a blob. */
export function isFileBlobId(id: string): boolean {
  return /^[a-z2-7]{26}(\.2)?$/.test(id);
}

/** False for a file of format 1, which says nothing about its format. */
export function hasChecksums(id: BlobId): boolean {
  return id.endsWith(".2");
}
