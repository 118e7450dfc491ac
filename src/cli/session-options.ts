// Owns: the options by which commands that call tools say which session they mean, and as whom.

import { resolve } from "node:path";
import type { SessionInfo, Store } from "../store/index.ts";
import { echo, HoldfastError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { showName } from "../text/show.ts";
import {
  openSession,
  type Agent,
  type RefreshRequest,
  type Role,
  type Session,
  type SessionOptions,
} from "../tools/index.ts";
import { translatingAgent } from "./absolute-paths.ts";
import { finishLanding } from "./finish-landing.ts";
import { realFolders } from "./folders.ts";
import { FOLDER_LIMITS } from "./host-names.ts";
import { advised, type AboutFlags } from "./stored-command.ts";
import { readGatesFile, readRulesFile } from "./policy-files.ts";
import { foldersNamed, folderSessionId, nameOfFolders, openStore, type FolderUse } from "./store-place.ts";
import { UsageError } from "./usage-error.ts";

export interface SessionFlags {
  readonly as?: string;
  readonly role: Role;
  readonly readOnly?: boolean;
  readonly toolsets?: string;
  readonly gates?: string;
  readonly rules?: string;
  readonly store?: string;
  readonly session?: string;
  readonly mount?: readonly string[];
  readonly folder?: readonly string[];
  readonly new?: boolean;
  readonly create?: boolean;
  readonly live?: boolean;
}

/** The names of a list such as `files,undo_changes`; all of them when there is none. */
export function toolsetsOf(names = "all"): string[] {
  return names.split(",").map((name) => name.trim());
}

/** Who types many commands at once is not held to the rate of a model. */
export const OWN_LIMITS: { readonly callsPerMinute: number; readonly callBurst: number } = {
  callsPerMinute: LIMITS.callsPerMinute.max,
  callBurst: LIMITS.callBurst.max,
};

/** Above this a folder was hardly meant as a whole. */
const MOUNT_BYTES = 500_000_000;

/** One folder is the workspace itself; of several, each is a folder of its own name in it. */
export function mountsOf(
  folders: readonly string[],
  { live = false }: FolderUse = {},
): NonNullable<SessionOptions["mounts"]> {
  const to = folders.length === 1 ? { to: "/workspace" } : {};
  const how = { ...to, ...(live ? { live } : {}), gitignore: true, maxBytes: MOUNT_BYTES };
  return folders.map((from) => ({ from, ...how }));
}

/** What the options mean; options that cannot be meant are mistakes of the command line. */
export async function meant<T>(flags: Pick<SessionFlags, "session">, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    if (error.reason === "session_not_found")
      throw new UsageError(
        `There is no session ${echo(flags.session ?? "")} in this store. Add --create to make it, or leave --session out for a fresh one.`,
      );
    if (error.code === "invalid_argument" || error.reason === "no_such_folder")
      throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Which session is meant, where it is stored, and what it begins with. */
interface Meant {
  readonly store?: Store;
  readonly options: SessionOptions;
  /** What is mounted by this command, or belongs to the session: paths of the host below these are meant in the workspace. */
  readonly folders: readonly string[];
  /** The session is new to the user, who should learn its name. */
  readonly isFresh: boolean;
}

async function sessionMeant(flags: SessionFlags): Promise<Meant> {
  const { folder: folders = [], mount, session: id } = flags;
  if (flags.create === true && id === undefined)
    throw new UsageError("--create goes with --session: it makes the session of that id.");
  if (folders.length > 0) return folderMeant(flags, realFolders(folders));
  const mounts =
    mount === undefined ? {} : { mounts: mountsOf(mount), names: "unicode" as const, limits: FOLDER_LIMITS };
  const mounted = mount?.map((folder) => resolve(folder)) ?? [];
  if (id !== undefined) {
    const store = openStore(flags.store, { make: flags.create === true });
    const options = { ...mounts, store, id, create: flags.create === true };
    const own = foldersNamed((await storedSession(store, id)) ?? {});
    return { store, options, folders: own ?? mounted, isFresh: false };
  }
  if (flags.new !== true && flags.store === undefined)
    return { options: mounts, folders: mounted, isFresh: false };
  const store = openStore(flags.store, { make: true });
  return { store, options: { ...mounts, store }, folders: mounted, isFresh: true };
}

async function storedSession(store: Store, id: string): Promise<SessionInfo | undefined> {
  return (await store.list({ after: id.slice(0, -1), limit: 20 })).find((one) => one.id === id);
}

async function folderMeant(flags: SessionFlags, folders: readonly string[]): Promise<Meant> {
  if (flags.session !== undefined)
    throw new UsageError("A folder has sessions of its own: name the folder or --session, not both.");
  const store = openStore(flags.store, { make: true });
  const place = { live: flags.live === true };
  const id = await folderSessionId(store, folders, { fresh: flags.new === true, ...place });
  const isFresh = (await storedSession(store, id)) === undefined;
  const name = nameOfFolders(folders, place);
  return {
    store,
    isFresh,
    folders,
    options: { store, id, name, mounts: mountsOf(folders, place), names: "unicode", limits: FOLDER_LIMITS },
  };
}

export interface OpenFor {
  readonly session: Session;
  readonly agent: Agent;
  /** Paths of the host below these are meant in the workspace. */
  readonly folders: readonly string[];
  /** The session was made by this command and is stored. */
  readonly isFresh: boolean;
  /** Paths that the folders and the session changed in ways that do not fit together. */
  readonly conflicts: readonly string[];
  /** What is said of them to a person. */
  readonly warning?: string;
  readonly close: () => Promise<void>;
}

/** The session and agent that the options mean, and how to let go of both. */
export async function openFor(
  flags: SessionFlags,
  more: Pick<SessionOptions, "log" | "limits" | "onMount"> = {},
  compare?: () => RefreshRequest["onProgress"],
): Promise<OpenFor> {
  const { store, options, folders, isFresh } = await sessionMeant(flags);
  const { limits, ...rest } = more;
  const bounds = { ...options.limits, ...limits };
  try {
    const session = await meant(flags, () =>
      openSession({
        ...options,
        ...policyOf(flags),
        ...rest,
        ...(Object.keys(bounds).length === 0 ? {} : { limits: bounds }),
      }),
    );
    const conflicts = options.name === undefined || isFresh ? [] : await broughtIn(session, compare?.());
    const warning = conflictWarning(conflicts, flags);
    return {
      session,
      folders,
      isFresh,
      conflicts,
      ...(warning === undefined ? {} : { warning }),
      agent: translatingAgent(
        await meant(flags, () => session.as({ id: flags.as ?? "cli", role: flags.role })),
        folders,
      ),
      close: async () => {
        await session.close();
        await store?.close();
      },
    };
  } catch (error) {
    await store?.close();
    throw error;
  }
}

const NAMED = 5;

/**
 * Brings what changed in the folders into a session that is opened again, so that its agents see the folders as they are. What does
 * not fit together stays as it is on both sides, and is returned.
 */
export async function broughtIn(
  session: Session,
  onProgress?: RefreshRequest["onProgress"],
): Promise<readonly string[]> {
  await finishLanding(session);
  const { conflicts } = await session.refresh(onProgress === undefined ? {} : { onProgress });
  return conflicts.map(({ path }) => path);
}

/** What is said of such paths; undefined when there are none. */
export function conflictWarning(paths: readonly string[], about: AboutFlags): string | undefined {
  if (paths.length === 0) return undefined;
  return (
    `[Warning] ${firstOf(paths)} changed in the user's folder and in the session, in ways that do not fit together. ` +
    `Here is the session's text; in the folder, ${advised("refresh", about)} shows both, and its --take settles which one counts.`
  );
}

/** The first of some paths, and how many more there are. */
export function firstOf(paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  return (
    paths
      .slice(0, NAMED)
      .map((path) => showName(path, 200))
      .join(", ") + more
  );
}

/** What the options settle for every session. */
export function policyOf(
  flags: Pick<SessionFlags, "gates" | "rules" | "toolsets" | "readOnly">,
): Pick<SessionOptions, "gates" | "requireGates" | "rules" | "toolsets" | "readOnly"> {
  const gates = flags.gates === undefined ? undefined : readGatesFile(flags.gates);
  const named = toolsetsOf(flags.toolsets);
  // Who must answer gates needs the tools to do so.
  const toolsets = gates === undefined ? named : [...new Set([...named, "gates"])];
  return {
    readOnly: flags.readOnly ?? false,
    toolsets,
    ...(flags.rules === undefined ? {} : { rules: readRulesFile(flags.rules) }),
    ...gates,
  };
}
