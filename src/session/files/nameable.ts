// Owns: that every file of a session can be named: one beyond the alphabet or the limits of paths would be listed, and could not be opened.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import { parsePath, type PathOptions } from "../../path/index.ts";
import { Pacer } from "../../text/steps.ts";
import type { Draft } from "../draft.ts";
import type { HistoryCaller } from "../history-caller.ts";
import { pathsChanged } from "./file-history.ts";
import type { FileEntry } from "./file-state.ts";
import { fileIn } from "./former-names.ts";

/** Throws what `refusal` makes of the reason why the first of the files that cannot be named cannot be. */
export async function requireNameable(
  files: Iterable<Pick<FileEntry, "path">>,
  { names, limits }: Pick<Required<PathOptions>, "names" | "limits">,
  refusal: (why: Shown) => HoldfastError,
): Promise<void> {
  const pace = new Pacer();
  for (const { path } of files) {
    try {
      parsePath(path, { names, limits });
    } catch (error) {
      throw HoldfastError.is(error) ? refusal(error.message as Shown) : error;
    }
    await pace.step();
  }
}

/** The files that a draft makes, without those that the caller may not see, which are refused unnamed. */
export function* filesMade(
  draft: Draft,
  caller: Pick<HistoryCaller, "permission"> | undefined,
): Generator<FileEntry, void, undefined> {
  const { base, made, changes } = draft;
  for (const path of pathsChanged(changes)) {
    const file = fileIn(base, path) === undefined ? fileIn(made, path) : undefined;
    if (file !== undefined && caller?.permission(path).read !== false) yield file;
  }
}

/** The refusal of history that would bring such a file back. */
export function broughtBack(why: Shown): HoldfastError {
  return new HoldfastError(
    "conflict",
    "names_in_use",
    say`This would bring back a file that nobody can name since names or limits of paths were narrowed. ${why} Leave it, or ask the host to widen them.`,
  );
}
