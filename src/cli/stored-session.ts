// Owns: opening the stored session that a command means: by its id, the beginning of it, or the current folder.

import { existsSync } from "node:fs";
import type { SessionInfo, Store } from "../store/index.ts";
import { HoldfastError } from "../errors.ts";
import { openSession, type Session } from "../tools/index.ts";
import { advised, storedCommand, type AboutFlags } from "./stored-command.ts";
import { GivenPaths } from "./given-path.ts";
import { mountsOf } from "./session-options.ts";
import { note, type JsonFlag } from "./output.ts";
import {
  foldersNamed,
  isLiveNamed,
  openStore,
  sessionsHere,
  sessionsBeginning,
  storeDirectory,
} from "./store-place.ts";
import { RefusedError, UsageError } from "./usage-error.ts";

/** What every command of a stored session takes. */
export type SessionRunFlags = AboutFlags & JsonFlag;

export interface StoredSession {
  readonly session: Session;
  readonly info: SessionInfo;
  readonly store: Store;
  /** The folders that it belongs to. */
  readonly folders: readonly string[];
  /** They are there: the session can be compared with them, and landed. */
  readonly isMounted: boolean;
  /** It works in its folders themselves: what agents write is there already. */
  readonly isLive: boolean;
  /** Its paths as the user types and reads them in the current folder. */
  readonly paths: GivenPaths;
}

/** Opens it with its folders, or without any where one is not there any more, and closes it when the work is done. */
export async function withStored<T>(
  flags: AboutFlags,
  work: (stored: StoredSession) => Promise<T>,
): Promise<T> {
  const store = openStore(flags.store, { make: false });
  try {
    const info = await storedInfo(store, flags);
    const folders = foldersNamed(info) ?? [];
    const isMounted = folders.length > 0 && folders.every((folder) => existsSync(folder));
    const isLive = isLiveNamed(info);
    const mounts = isMounted ? { mounts: mountsOf(folders, { live: isLive }) } : {};
    await using session = await openSession({ store, id: info.id, create: false, ...mounts });
    const paths = new GivenPaths(session, folders);
    try {
      return await work({ session, info, store, folders, isMounted, isLive, paths });
    } catch (error) {
      throw HoldfastError.is(error) ? paths.retold(error) : error;
    }
  } finally {
    await store.close();
  }
}

/** Whether the current folder, or one around it, has a session. */
export async function hasSessionHere(given: string | undefined): Promise<boolean> {
  if (!existsSync(storeDirectory(given))) return false;
  const store = openStore(given, { make: false });
  try {
    return (await sessionsHere(store)) !== undefined;
  } finally {
    await store.close();
  }
}

/** Without its folder a session can be read, and that is all. */
export function requireFolder(stored: StoredSession, flags: AboutFlags): void {
  if (stored.folders.length === 0)
    throw new UsageError(
      "This session has no folder. holdfast session export writes its files into a new one.",
    );
  if (!stored.isMounted) throw folderGone(stored, flags);
}

/** The folder was moved or removed: what it would say to the session is not known. */
export function folderGone(
  { session, folders }: StoredSession,
  { store }: AboutFlags,
  data: object = {},
): RefusedError {
  return new RefusedError(
    "not_found",
    "folder_gone",
    `${folders.join(", ")}: not all of it is there any more, so the session cannot be compared with it. Put it back, or write ` +
      `the session's files into a new folder: ${storedCommand("export", session.id, { store })} NEW-FOLDER`,
    { id: session.id, folders, ...data },
  );
}

/** Which session is meant. */
export async function storedInfo(store: Store, flags: AboutFlags): Promise<SessionInfo> {
  const { session: given, ...where } = flags;
  const list = advised("list", where);
  if (given === undefined) {
    const here = await sessionsHere(store);
    if (here?.live !== undefined)
      note(
        `holdfast: this is about the staged session ${here.meant.id}. Another works in the folder itself: --session ${here.live.id}`,
      );
    if (here !== undefined) return here.meant;
    throw new UsageError(`This folder has no session. ${list} shows those there are; --session names one.`);
  }
  const found = await sessionsBeginning(store, given);
  const exact = found.find(({ id }) => id === given);
  const [only, another] = found;
  if (exact !== undefined) return exact;
  if (only === undefined)
    throw new UsageError(`There is no session ${given} in this store. ${list} shows those there are.`);
  if (another !== undefined)
    throw new UsageError(
      `${found.length} sessions begin with ${given}: ${found
        .slice(0, 5)
        .map(({ id }) => id)
        .join(", ")}. Name one.`,
    );
  return only;
}

/** The position that is meant: a record's number, a token, or the newest snapshot of a name. */
export async function positionGiven(session: Session, text: string): Promise<number | string> {
  if (/^\d+$/.test(text)) return Number(text);
  for (let before: number | undefined; ;) {
    const page = await session.snapshots({ limit: SNAPSHOTS, ...(before === undefined ? {} : { before }) });
    const named = page.find(({ label }) => label === text.trim());
    if (named !== undefined) return named.id;
    if (page.length < SNAPSHOTS) return text;
    before = page.at(-1)?.seq;
  }
}

const SNAPSHOTS = 1_000;
