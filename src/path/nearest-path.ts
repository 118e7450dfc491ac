// Owns: the guess at which file was meant by a path that does not exist.

import { comparePaths, segmentsOf, type WorkspacePath } from "./workspace-path.ts";
import { nearest } from "../text/nearest.ts";

/** Files that are looked at; beyond, none is guessed. */
export const MOST_GUESSED = 10_000;

/**
 * The file that was probably meant: one of the same name in another directory (the one that shares the longest beginning),
 * else one of a similar name in the same directory, else one of a similar path. Undefined when none is near.
 */
export function nearestPath(path: WorkspacePath, files: Iterable<WorkspacePath>): WorkspacePath | undefined {
  const wanted = segmentsOf(path);
  const name = wanted.at(-1)?.toLowerCase();
  const all: WorkspacePath[] = [];
  const siblings = new Map<string, WorkspacePath>();
  let namesake: WorkspacePath | undefined;
  let most = -1;
  for (const file of files) {
    if (all.length >= MOST_GUESSED) break;
    all.push(file);
    const segments = segmentsOf(file);
    let shared = 0;
    while (shared < wanted.length - 1 && segments[shared] === wanted[shared]) shared++;
    if (shared === wanted.length - 1 && segments.length === wanted.length)
      siblings.set(segments.at(-1) ?? "", file);
    if (segments.at(-1)?.toLowerCase() !== name) continue;
    if (shared < most || (shared === most && namesake !== undefined && comparePaths(namesake, file) < 0))
      continue;
    namesake = file;
    most = shared;
  }
  if (namesake !== undefined) return namesake;
  const sibling = nearest(wanted.at(-1) ?? "", siblings.keys());
  return sibling === undefined ? nearest(path, all) : siblings.get(sibling);
}
