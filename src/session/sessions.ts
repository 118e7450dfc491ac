// Owns: the sessions of a store as a host handles them: fresh ids, lists, names, expiry.

import { randomBytes } from "node:crypto";
import { say } from "../errors.ts";
import type { SessionInfo, Store } from "../store/journal.ts";
import { checkArgument, checkMethods } from "../text/options.ts";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const PAGE = 100;

/** 26 characters of base 32: 130 random bits, safe as a name anywhere. */
export function newSessionId(): string {
  return Array.from(randomBytes(26), (byte) => BASE32[byte & 31]).join("");
}

/**
 * All sessions of a store, sorted by id, a page of 100 at a time: one that is created or removed meanwhile may be missing or listed.
 * Damaged ones are listed too, as `damaged`. Throws what the store's `list` throws, such as `internal` / `journal_closed` for a closed
 * `sqliteStore`.
 *
 * @example for await (const { id, name } of allSessions(store)) console.log(id, name);
 */
export async function* allSessions(store: Store): AsyncGenerator<SessionInfo, void, undefined> {
  checkMethods(say`The store`, store ?? null, ["list", "remove"]);
  for (let after: string | undefined; ;) {
    const page = await store.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* page;
    after = page.at(-1)?.id;
    if (after === undefined || page.length < PAGE) return;
  }
}

/**
 * The sessions that a host has given this name, sorted by id; none is no error. Costs a look at every session of the store. Throws as
 * {@link allSessions} does.
 *
 * @example const [session] = await sessionsNamed(store, "nightly");
 */
export async function sessionsNamed(store: Store, name: string): Promise<SessionInfo[]> {
  checkArgument(say`sessionsNamed: name`, name, "string");
  const found: SessionInfo[] = [];
  for await (const session of allSessions(store)) if (session.name === name) found.push(session);
  return found;
}

/**
 * Removes every session whose last record is older than `unusedSince`, and returns their ids. That cannot be undone. Damaged ones stay.
 * Who has one open gets `not_found` / `session_not_found` from then on, as does this for one that another process removes meanwhile.
 *
 * @example await expireSessions(store, new Date(Date.now() - 30 * 86_400_000)); // the ids that were removed
 */
export async function expireSessions(store: Store, unusedSince: Date): Promise<string[]> {
  checkArgument(say`expireSessions: unusedSince`, unusedSince, "date");
  const expired: string[] = [];
  for await (const { id, updated, damaged, unreadable } of allSessions(store))
    if (damaged === undefined && unreadable === undefined && updated < unusedSince) expired.push(id);
  for (const id of expired) await store.remove(id);
  return expired;
}
