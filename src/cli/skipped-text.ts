// Owns: how entries of a folder that could not be taken in are told.

import type { Session, SkippedEntry, SkipReason } from "../tools/index.ts";
import { plural } from "../text/plural.ts";

const REASONS: Readonly<Record<SkipReason, string>> = {
  symlink: "a symbolic link, which is not followed",
  special_file: "a pipe, device or socket",
  multiple_links: "a file with several names",
  too_large: "too large",
  bad_name: "a name that a session cannot have",
  case_clash: "a name that differs from another only in case",
  path_clash: "a file and a directory of one name",
  unreadable: "cannot be read",
  changing: "changed while it was read",
  store: "a directory in which sessions are stored",
};

/** Entries that are named; the rest is counted. */
const NAMED = 5;

/** What a folder holds and the session does not. */
export interface Skipped {
  readonly entries: readonly SkippedEntry[];
  readonly count: number;
}

export function skippedOf({ mounted }: Pick<Session, "mounted">): Skipped {
  return {
    entries: mounted.flatMap(({ skipped }) => skipped),
    count: mounted.reduce((sum, { skippedCount }) => sum + skippedCount, 0),
  };
}

/** Lines about it; none where nothing was left out. */
export function skippedLines({ entries, count }: Skipped): string[] {
  if (count === 0) return [];
  const shown = entries.slice(0, NAMED);
  return [
    `${plural(count, "entry", "entries")} of the folder ${count === 1 ? "is" : "are"} not in the session:`,
    ...shown.map(({ path, reason }) => `  ${path} (${REASONS[reason]})`),
    ...(count > shown.length ? [`  and ${count - shown.length} more`] : []),
  ];
}
