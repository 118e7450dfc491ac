// Owns: commands about a stored session that other people are told to type: complete, and quoted for a shell.

import { resolve } from "node:path";
import { storeDirectory } from "./store-place.ts";

interface About {
  /** As `--store` gave it. */
  readonly store: string | undefined;
  /** Only these paths of the workspace. */
  readonly paths?: readonly string[];
}

/**
 * The command that means this session wherever it is typed, also where the store is not the usual one.
 *
 * @example storedCommand("land", "website-3f-1", { store: undefined, paths: ["/workspace/a.txt"] })
 * // holdfast session land --session website-3f-1 --path /workspace/a.txt
 */
export function storedCommand(what: string, id: string, { store, paths = [] }: About): string {
  const { HOLDFAST_STORE: told } = process.env;
  const isUsual = store === undefined && (told === undefined || told === "");
  return [
    "holdfast session",
    what,
    "--session",
    id,
    ...(isUsual ? [] : ["--store", resolve(storeDirectory(store))]),
    ...paths.flatMap((path) => ["--path", path]),
  ]
    .map((word, at) => (at === 0 ? word : shellWord(word)))
    .join(" ");
}

/** The options that say which session a command is about. */
export interface AboutFlags {
  readonly store?: string;
  readonly session?: string;
}

/** Commands that there are beside those of `holdfast session`, for the current folder. */
const FOR_FOLDER: ReadonlySet<string> = new Set(["status", "diff", "undo", "land", "refresh"]);

/**
 * The command to type here about the session that these options mean.
 *
 * @example advised("refresh", { store: "it's" }, "--take", "a b=outside")
 * // holdfast refresh --store 'it'\''s' --take 'a b=outside'
 */
export function advised(what: string, { session, store }: AboutFlags, ...more: readonly string[]): string {
  return [
    "holdfast",
    ...(session === undefined && FOR_FOLDER.has(what) ? [what] : ["session", what]),
    ...(session === undefined ? [] : ["--session", session]),
    ...(store === undefined ? [] : ["--store", store]),
    ...more,
  ]
    .map(shellWord)
    .join(" ");
}

/** A word as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
