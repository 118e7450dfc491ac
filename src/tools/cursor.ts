// Owns: cursors: where a cut answer goes on. Opaque to callers, pinned to the state they began with.

import { createHash } from "node:crypto";
import { HoldfastError, say, type Shown } from "../errors.ts";
import type { Position } from "../store/journal.ts";
import type { Json } from "../value.ts";

export interface CursorPlace {
  readonly at: Position;
  readonly place: Json;
}

/** Binds a cursor to one session, one tool and one set of arguments. */
export interface CursorScope {
  readonly session: string;
  readonly tool: string;
  /** Hash of the arguments without cursor and budget. */
  readonly query: string;
}

const MOST_CHARS = 4_000;
const CHECK_CHARS = 12;
const QUERY_CHARS = 12;

export function makeCursor(scope: CursorScope, { at, place }: CursorPlace): Shown {
  const body = [at.seq, at.hash.slice(0, 16), scope.query.slice(0, QUERY_CHARS), place];
  const text = Buffer.from(JSON.stringify(body)).toString("base64url");
  return `${text}.${check(scope, text)}` as Shown;
}

/** Throws `invalid_argument` / `bad_cursor` for anything but a cursor that this session made for this very call. */
export function readCursor(scope: CursorScope, cursor: string): CursorPlace {
  const dot = cursor.indexOf(".");
  const text = cursor.slice(0, dot);
  if (dot < 0 || cursor.length > MOST_CHARS || cursor.slice(dot + 1) !== check(scope, text))
    throw badCursor();
  const body = JSON.parse(Buffer.from(text, "base64url").toString()) as [number, string, string, Json];
  const [seq, hash, query, place] = body;
  if (query !== scope.query.slice(0, QUERY_CHARS)) throw badCursor();
  return { at: { seq, hash }, place };
}

function check(scope: CursorScope, text: string): string {
  const hash = createHash("sha256").update(`${scope.session}\n${scope.tool}\n${text}`);
  return hash.digest("base64url").slice(0, CHECK_CHARS);
}

function badCursor(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "bad_cursor",
    say`The cursor does not belong to this call. Send the same arguments with the cursor of the last answer, or no cursor to begin again.`,
  );
}
