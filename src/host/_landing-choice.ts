// Owns: which files and hunks a choice means.

import { echo, HoldfastError, say } from "../errors.ts";
import { isUnder, parsePath, type WorkspacePath } from "../path/index.ts";
import type { SessionCore } from "../session/transact.ts";
import type { FileOffer } from "./offer-file.ts";

/** A path of a choice: a file, or a directory that names all below it. */
export function chosenPath({ limits, names }: SessionCore, text: string): WorkspacePath {
  return parsePath(text, { kind: "any", allowRoot: true, limits, names });
}

/** Lies one of the paths in what is wanted? Undefined wants everything. */
export function isWanted(
  wanted: readonly WorkspacePath[] | undefined,
  ...paths: readonly (WorkspacePath | undefined)[]
): boolean {
  return (
    wanted === undefined ||
    paths.some((path) => path !== undefined && wanted.some((one) => isUnder(path, one)))
  );
}

/** What is not to be landed, of what a plan offers. */
export interface LeftOut {
  readonly hunks: ReadonlySet<string>;
  readonly files: ReadonlySet<FileOffer>;
}

/** Throws `invalid_argument` / `unknown_hunk` for what names nothing of the plan: it may have changed since it was shown. */
export function leftOut(core: SessionCore, offers: readonly FileOffer[], leave: readonly string[]): LeftOut {
  const ids = new Set(offers.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
  const hunks = new Set<string>();
  const files = new Set<FileOffer>();
  for (const name of leave) {
    const found = offers.filter((offer) => isLeft(core, offer, name));
    if (ids.has(name)) hunks.add(name);
    else for (const offer of found) files.add(offer);
    if (ids.has(name) || found.length > 0) continue;
    throw new HoldfastError(
      "invalid_argument",
      "unknown_hunk",
      say`leave: ${echo(name)} is neither a hunk nor a path of this plan. Its lines may have changed: plan again and look.`,
    );
  }
  return { hunks, files };
}

function isLeft(core: SessionCore, { path, candidate }: FileOffer, name: string): boolean {
  try {
    return isWanted([chosenPath(core, name)], path, candidate.known?.path);
  } catch {
    return false;
  }
}
