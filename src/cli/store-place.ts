// Owns: where sessions are stored unless the user says otherwise, and which of them belongs to a folder.
//
// The session of a folder is named by it: `website-k3jd8f2a6b-1`, made of the folder's name, ten characters of the hash of its whole
// path, and a number that grows with `--new`. So two clients that start at once make the same session, and nothing has to be looked up.
// A session that works in the folder itself is another one: `website-live-k3jd8f2a6b-1`.

import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { sqliteStore, type SessionInfo, type Store } from "../store/index.ts";
import { UsageError } from "./usage-error.ts";

/** `--store`, `HOLDFAST_STORE`, or `holdfast` in the user's data directory. */
export function storeDirectory(given?: string): string {
  const { HOLDFAST_STORE: told, XDG_DATA_HOME: data, LOCALAPPDATA: local } = process.env;
  if (given !== undefined) return given;
  if (told !== undefined && told !== "") return told;
  if (process.platform === "win32")
    return join(placed(local) ?? join(home(), "AppData", "Local"), "holdfast");
  if (process.platform === "darwin") return join(home(), "Library", "Application Support", "holdfast");
  return join(placed(data) ?? join(home(), ".local", "share"), "holdfast");
}

/** A directory of the environment. One that is empty or relative is as if it were not set: it would mean another in every directory. */
function placed(directory: string | undefined): string | undefined {
  return directory !== undefined && isAbsolute(directory) ? directory : undefined;
}

function home(): string {
  const { HOME, USERPROFILE } = process.env;
  const directory = placed(process.platform === "win32" ? USERPROFILE : HOME) ?? placed(homeOfUser());
  if (directory !== undefined) return directory;
  throw new UsageError(
    "There is no home directory to keep sessions in. Name a directory for them with --store, or in HOLDFAST_STORE.",
  );
}

/** As the system knows it; undefined for a user that it does not know. */
function homeOfUser(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

export const NO_SESSIONS =
  "There are no stored sessions yet. holdfast mcp FOLDER, holdfast call --folder FOLDER and holdfast run make one.";

/** Opens the store. Only `make` makes a directory for one that is not there. */
export function openStore(given: string | undefined, how: { readonly make: boolean }): Store {
  const directory = storeDirectory(given);
  if (!how.make && !existsSync(directory))
    throw new UsageError(
      given === undefined
        ? NO_SESSIONS
        : `There is no store at ${given}. Name the directory of one; holdfast call --session ID --create makes it.`,
    );
  return sqliteStore({ directory });
}

/** Whether a session works in its folders themselves. */
export interface FolderUse {
  readonly live?: boolean;
}

/** What all sessions of these folders begin with. */
export function sessionPrefix(folders: readonly string[], { live = false }: FolderUse = {}): string {
  const [first = ""] = folders;
  const name = basename(first)
    .toLowerCase()
    .replace(/[^0-9a-z]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(folders.join("\0")).digest("hex").slice(0, 10);
  return `${name.slice(0, 30).replace(/-+$/, "") || "folder"}${live ? "-live" : ""}-${hash}-`;
}

/** The sessions whose id begins so, oldest first. */
export async function sessionsBeginning(store: Store, prefix: string): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  for (let after = predecessor(prefix); ;) {
    const [next] = await store.list({ after, limit: 1 });
    if (next === undefined || !next.id.startsWith(prefix)) break;
    found.push(next);
    after = next.id;
  }
  return found.sort((a, b) => numberOf(a.id) - numberOf(b.id));
}

/** The newest session of these folders. */
export async function lastSession(
  store: Store,
  folders: readonly string[],
  place: FolderUse = {},
): Promise<SessionInfo | undefined> {
  return (await sessionsBeginning(store, sessionPrefix(folders, place))).at(-1);
}

/** The id that a session of these folders has, or gets: the newest one's, or with `fresh` the one after it. */
export async function folderSessionId(
  store: Store,
  folders: readonly string[],
  { fresh, ...place }: FolderUse & { readonly fresh: boolean },
): Promise<string> {
  const last = (await lastSession(store, folders, place))?.id;
  if (last !== undefined && !fresh) return last;
  return `${sessionPrefix(folders, place)}${last === undefined ? 1 : numberOf(last) + 1}`;
}

/** The sessions of a folder that a command without `--session` can mean. */
export interface SessionsHere {
  /** The one that is meant: it works on a copy, or is the only one. */
  readonly meant: SessionInfo;
  /** Another one beside it, which works in the folder itself. */
  readonly live?: SessionInfo;
}

/**
 * The newest sessions of the current folder, or of the nearest folder around it that has one: those of that folder alone, else
 * those that have it among several. Throws where these are of more than one list of folders.
 */
export async function sessionsHere(store: Store, from = "."): Promise<SessionsHere | undefined> {
  let several: readonly (readonly string[])[] | undefined;
  for (let folder = realpathSync(resolve(from)); ; folder = dirname(folder)) {
    const alone = await sessionsOf(store, [folder]);
    if (alone !== undefined) return alone;
    several ??= await listsOfFolders(store);
    const among = several.filter((folders) => folders.includes(folder));
    const [first, ...others] = among;
    if (first !== undefined && others.length === 0) return sessionsOf(store, first);
    if (first !== undefined) {
      const ids = await Promise.all(
        among.map(async (folders) => (await sessionsOf(store, folders))?.meant.id),
      );
      throw new UsageError(
        `Several sessions have ${folder} among their folders: ${ids.join(", ")}. Name one with --session.`,
      );
    }
    if (folder === dirname(folder)) return undefined;
  }
}

async function sessionsOf(store: Store, folders: readonly string[]): Promise<SessionsHere | undefined> {
  const staged = await lastSession(store, folders);
  const live = await lastSession(store, folders, { live: true });
  const meant = staged ?? live;
  if (meant === undefined) return undefined;
  return { meant, ...(staged === undefined || live === undefined ? {} : { live }) };
}

/** The lists of several folders that sessions of the store are of. */
async function listsOfFolders(store: Store): Promise<string[][]> {
  const lists = new Map<string, string[]>();
  for (let after: string | undefined; ;) {
    const page = await store.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const info of page) {
      const folders = foldersNamed(info) ?? [];
      // A fork has the name and not the id.
      const isTheirs = info.id.startsWith(sessionPrefix(folders, { live: isLiveNamed(info) }));
      if (folders.length > 1 && isTheirs) lists.set(JSON.stringify(folders), folders);
    }
    after = page.at(-1)?.id;
    if (page.length < PAGE) return [...lists.values()];
  }
}

const PAGE = 256;

/** The folders of a session, as its name keeps them. Undefined where it has none. */
export function foldersNamed({ name }: Pick<SessionInfo, "name">): string[] | undefined {
  if (name === undefined) return undefined;
  const folders = name.startsWith(LIVE) ? name.slice(LIVE.length) : name;
  if (folders.startsWith("[")) return JSON.parse(folders) as string[];
  return resolve(folders) === folders ? [folders] : undefined;
}

/** Whether the session works in its folders themselves. */
export function isLiveNamed({ name = "" }: Pick<SessionInfo, "name">): boolean {
  return name.startsWith(LIVE);
}

const LIVE = "live:";

/** What {@link foldersNamed} and {@link isLiveNamed} read. */
export function nameOfFolders(folders: readonly string[], { live = false }: FolderUse = {}): string {
  return (live ? LIVE : "") + (folders.length === 1 ? (folders[0] as string) : JSON.stringify(folders));
}

function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

/** A text before every one that begins with `prefix`, and after all that come before those. */
function predecessor(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) - 1)}\uffff`;
}
