// Owns: what a store refuses to take in, whatever its backend.
// Must never: let a string through that some backend would store differently from what was hashed.

import { HoldfastError, echo, say, type Shown } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../text/options.ts";
import type { Json } from "../value.ts";
import type { Append, Content, NextRecord, Position } from "./journal.ts";

const ROW_NAME_MOST = 200;
const ROW_MOST = 64 * 1024;
const ID = /^[0-9a-z][0-9a-z-]{0,63}$/;

/** Session ids are directory names: lower case, no dot, no separator. */
export function assertSessionId(id: string): void {
  if (!ID.test(id))
    throw new HoldfastError(
      "invalid_argument",
      "bad_session_id",
      say`${echo(id)} is not a session id: use 1 to 64 lower-case letters, digits and hyphens, starting with a letter or digit.`,
    );
}

const NAME_MOST = 200;

/** Throws `invalid_argument` for an option of `open` or `fork` that is none, and `bad_session_name` for a name that not every backend can store. */
export function assertOpening(what: Shown, how: { create?: boolean; name?: string }): void {
  checkOptions(what, how, OPENING);
  const { name } = how;
  if (name === undefined || (name !== "" && name.length <= NAME_MOST && isStorable(name))) return;
  throw new HoldfastError(
    "invalid_argument",
    "bad_session_name",
    say`${echo(name)} is not a session's name: use 1 to ${NAME_MOST} characters, none of them NUL or half a surrogate pair.`,
  );
}

const OPENING: OptionKinds<{ create?: boolean; name?: string }> = { create: "boolean", name: "string" };

const LISTING: OptionKinds<{ after?: string; limit?: number }> = { after: "string", limit: "number" };

/** Throws `invalid_argument` for an option of `list` that is none, or of another kind. */
export function assertListing(query: { after?: string; limit?: number }): void {
  checkOptions(say`list`, query, LISTING);
}

/** Lone surrogates and NUL do not survive SQL text columns, and the chain hash must be the same on every backend. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Throws `invalid_argument` / `bad_record` for a commit that could not be stored exactly as it is. */
export function assertStorable(commit: Append): void {
  const { tool, once, turn, quota, next } = commit;
  for (const text of [tool ?? "", once ?? "", turn ?? ""]) assertText(text);
  for (const { key, seq } of commit.expect) {
    assertText(key);
    assertWhole(seq);
  }
  if (!Number.isSafeInteger(commit.time.getTime())) throw bad(say`its time is not a date`);
  for (const amount of [quota.bytes, quota.files]) assertWhole(amount);
  assertRecord(commit);
  if (next !== undefined) assertRecord(next);
}

function assertRecord({ kind, agent, role, request, touch, targets, delta, encoding }: NextRecord): void {
  for (const text of [kind, agent, role, request]) assertText(text);
  for (const keys of [touch, targets]) for (const key of keys) assertText(key);
  for (const amount of [delta.bytes, delta.files, encoding]) assertWhole(amount);
  if (encoding < 1) throw bad(say`${encoding} is not the version of an encoding`);
}

function assertWhole(amount: number): void {
  if (!Number.isSafeInteger(amount)) throw bad(say`${amount} is not a safe whole number`);
}

function assertText(text: string): void {
  if (!isStorable(text)) throw bad(say`${echo(text)} holds a NUL or half of a surrogate pair`);
}

/** The stored form of a named row's value. Throws `invalid_argument` for a name or a value that cannot be stored. */
export function encodeRow(name: string, value: Json): string {
  assertText(name);
  if (name.length === 0 || name.length > ROW_NAME_MOST)
    throw bad(say`a row's name has 1 to ${ROW_NAME_MOST} characters`);
  const text = JSON.stringify(value);
  if (text.length > ROW_MOST)
    throw new HoldfastError(
      "invalid_argument",
      "row_too_large",
      say`A named row holds at most ${ROW_MOST} characters of JSON; this value has ${text.length}. Stage large parts as blobs, or use records.`,
    );
  return text;
}

function bad(why: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_record", say`The commit cannot be stored: ${why}.`);
}

/** Throws `internal` / `bad_content` when extents and size disagree. */
export function assertContent(content: Content): void {
  let size = 0;
  for (const [, at, length] of content.extents) {
    if (!Number.isSafeInteger(at) || at < 0 || !Number.isSafeInteger(length) || length < 0) size = Number.NaN;
    size += length;
  }
  if (size !== content.size)
    throw new HoldfastError(
      "internal",
      "bad_content",
      say`The extents of a content do not add up to its size.`,
    );
}

export function sessionNotFound(id: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    "session_not_found",
    say`There is no session ${echo(id)}. List the sessions, or open it with create.`,
  );
}

export function sessionExists(id: string): HoldfastError {
  return new HoldfastError(
    "conflict",
    "session_exists",
    say`The session ${echo(id)} exists already. Choose another id.`,
  );
}

export function wrongPosition(at: Position): HoldfastError {
  return new HoldfastError(
    "conflict",
    "wrong_position",
    say`Position ${at.seq} with that hash is not a place in this session's history. Read the head or the records again.`,
  );
}

export function unknownBlob(): HoldfastError {
  return new HoldfastError(
    "internal",
    "unknown_blob",
    say`The commit refers to bytes that were never staged here or have been swept. Stage them again and retry.`,
  );
}

export function journalClosed(): HoldfastError {
  return new HoldfastError(
    "internal",
    "journal_closed",
    say`This session is closed. Open it again to use it.`,
  );
}
