// Owns: cursors: where a cut result goes on. Opaque to callers, pinned to the state they began with, and authenticated with
// a key of the session, so that nobody can make one.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
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
const KEY_BYTES = 32;
const KEY_ROW = "cursor-key";

/** The session's key, made once and stored beside its history, so that cursors work in every process. */
export class CursorKey {
  readonly #journal: Journal;
  #key: Promise<Buffer> | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get(): Promise<Buffer> {
    this.#key ??= this.#load().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  async #load(): Promise<Buffer> {
    const { rows } = this.#journal;
    const stored = await rows.get(KEY_ROW);
    if (typeof stored?.value === "string") return Buffer.from(stored.value, "base64url");
    const key = randomBytes(KEY_BYTES);
    const made = await rows.set(KEY_ROW, stored?.rev ?? 0, key.toString("base64url"));
    return "moved" in made ? this.#load() : key;
  }
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
