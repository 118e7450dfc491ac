// Owns: how callers name a snapshot.

import { z } from "zod";
import { echo, HoldfastError, say } from "../../errors.ts";
import type { Position } from "../../store/journal.ts";
import { readAnyToken } from "../../store/token.ts";

export const snapshotId: z.ZodString = z.string().describe("The id of a snapshot, or any token");

/** A snapshot's id is a token; a tree's token names a place too, and so does the number of a record. */
export function snapshotAt(ref: string): Position {
  if (/^\d{1,15}$/.test(ref)) return { seq: Number(ref), hash: "" };
  const read = readAnyToken(ref);
  if (read !== undefined) return read.at;
  throw new HoldfastError(
    "invalid_argument",
    "bad_token",
    say`${echo(ref)} is not the id of a snapshot. Use one that snapshot_create or snapshot_list returned.`,
  );
}
