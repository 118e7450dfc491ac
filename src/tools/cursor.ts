// Owns: cursors: where a cut result goes on. Opaque to callers, pinned to the state they began with, and authenticated with
// a key of the session, so that nobody can make one.

import { createHmac, timingSafeEqual } from "node:crypto";
import { HoldfastError, say, type Shown } from "../errors.ts";
import type { Journal, Position } from "../store/journal.ts";
import type { Json } from "../value.ts";

export interface CursorPlace {
  readonly at: Position;
  readonly place: Json;
}

/** Binds a cursor to one tool and one set of arguments; the key binds it to the session. */
export interface CursorScope {
  readonly tool: string;
  /** Hash of the arguments without cursor and budget. */
  readonly query: string;
}

const MOST_CHARS = 4_000;
const MAC_BYTES = 16;

/**
 * The session's key: cursors work in every process that has it open, and reading costs no write. It is made of the hash before the
 * first record, which is random, and of which callers see a few digits only; the id keeps a fork's cursors apart.
 */
export function cursorKey({ id, genesis }: Pick<Journal, "id" | "genesis">): Buffer {
  return createHmac("sha256", genesis.hash).update(`cursor\n${id}`).digest();
}

export function makeCursor(key: Buffer, scope: CursorScope, { at, place }: CursorPlace): Shown {
  const text = Buffer.from(JSON.stringify([at.seq, at.hash.slice(0, 16), place])).toString("base64url");
  return `${text}.${macOf(key, scope, text).toString("base64url")}` as Shown;
}

/** Throws `invalid_argument` / `bad_cursor` for anything but a cursor that this session made for this very call. */
export function readCursor(key: Buffer, scope: CursorScope, cursor: string): CursorPlace {
  const dot = cursor.indexOf(".");
  const text = cursor.slice(0, dot);
  const mac = Buffer.from(cursor.slice(dot + 1), "base64url");
  if (dot < 0 || cursor.length > MOST_CHARS || mac.length !== MAC_BYTES) throw badCursor();
  if (!timingSafeEqual(mac, macOf(key, scope, text))) throw badCursor();
  const [seq, hash, place] = JSON.parse(Buffer.from(text, "base64url").toString()) as [number, string, Json];
  return { at: { seq, hash }, place };
}

function macOf(key: Buffer, { tool, query }: CursorScope, text: string): Buffer {
  return createHmac("sha256", key).update(`${tool}\n${query}\n${text}`).digest().subarray(0, MAC_BYTES);
}

function badCursor(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_cursor",
    say`The cursor does not belong to this call. Send the same arguments with the cursor of the last result, or no cursor to begin again.`,
  );
}
