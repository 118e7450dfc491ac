// Owns: that every file of a session can be named: one beyond the alphabet or the limits of paths would be listed, and could not be opened.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import { parsePath, type PathOptions, type WorkspacePath } from "../../path/index.ts";
import { Pacer } from "../../text/steps.ts";
import type { Draft } from "../draft.ts";
import type { HistoryCaller } from "../history-caller.ts";
import { pathsChanged } from "./file-history.ts";
import { fileAt } from "./file-state.ts";
import { filesSlice } from "./files-slice.ts";

/** Throws what `refusal` makes of the reason why the first of the paths that cannot be named cannot be. */
export async function requireNameable(
  paths: Iterable<WorkspacePath>,
  { names, limits }: Pick<Required<PathOptions>, "names" | "limits">,
  refusal: (why: Shown) => HoldfastError,
): Promise<void> {
  const pace = new Pacer();
  for (const path of paths) {
    try {
      parsePath(path, { names, limits });
    } catch (error) {
      throw HoldfastError.is(error) ? refusal(error.message as Shown) : error;
    }
    await pace.step();
  }
}

/** The paths at which a draft makes a file, without those that the caller may not see, which are refused unnamed. */
export function* pathsMade(
  draft: Draft,
  caller: Pick<HistoryCaller, "permission"> | undefined,
): Generator<WorkspacePath, void, undefined> {
  const before = draft.base.slices.get(filesSlice.name) as Parameters<typeof fileAt>[0];
  const after = draft.state(filesSlice);
  for (const path of pathsChanged(draft.changes))
    if (fileAt(before, path) === undefined && fileAt(after, path) !== undefined)
      if (caller?.permission(path).read !== false) yield path;
}

/** The refusal of history that would bring such a file back. */
export function broughtBack(why: Shown): HoldfastError {
  return new HoldfastError(
    "conflict",
    "names_in_use",
    say`This would bring back a file that nobody can name since names or limits of paths were narrowed. ${why} Leave it, or ask the host to widen them.`,
  );
}
