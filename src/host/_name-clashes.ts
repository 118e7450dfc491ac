// Owns: names that a landing would write where there is no place for them: beside one another, or beside what a folder keeps.

import { join } from "node:path";
import { foldText, segmentsOf, type WorkspacePath } from "../path/index.ts";
import { NO_FILES, obstaclesSteps } from "../session/files/file-state.ts";
import type { Steps } from "../text/steps.ts";
import type { FolderPlace } from "./_folder-place.ts";

/** A path that cannot be written, and the file that is in its way. */
export interface NameClash {
  readonly path: WorkspacePath;
  readonly by: WorkspacePath;
}

/** Of files that are written together: two at one path, one below another, names that differ only in case. */
export function* clashesWithin(written: Iterable<WorkspacePath>): Steps<NameClash[]> {
  return (yield* obstaclesSteps(NO_FILES, written, [])).map(({ path, by }) => ({ path, by }));
}

/** Paths that are one file of the host, because its folder is mounted at two places. */
export function* samePlaces(
  steps: Iterable<{ readonly path: WorkspacePath; readonly place: FolderPlace }>,
): Steps<NameClash[]> {
  const first = new Map<string, WorkspacePath>();
  const found: NameClash[] = [];
  for (const { path, place } of steps) {
    const at = join(place.mount.root, ...place.way, place.name);
    const by = first.get(at);
    if (by === undefined) first.set(at, path);
    else found.push({ path, by });
    yield;
  }
  return found;
}

/** New names that differ only in case from a file, or a directory of one, that stays in the folder. The rest is told by the disk. */
export function* clashesInFolder(
  coming: readonly WorkspacePath[],
  staying: Iterable<WorkspacePath>,
): Steps<NameClash[]> {
  if (coming.length === 0) return [];
  const spelt = new Map<string, { readonly name: string; readonly paths: WorkspacePath[] }>();
  for (const path of coming) {
    for (const [key, name] of foldedParts(path)) {
      const there = spelt.get(key);
      if (there === undefined) spelt.set(key, { name, paths: [path] });
      else there.paths.push(path);
    }
    yield;
  }
  const found = new Map<WorkspacePath, NameClash>();
  for (const by of staying) {
    for (const [key, name] of foldedParts(by)) {
      const there = spelt.get(key);
      if (there === undefined) break;
      if (there.name === name) continue;
      for (const path of there.paths) found.set(path, { path, by });
      break;
    }
    yield;
  }
  return [...found.values()];
}

/** A path and the directories above it, from the top: folded, and how each is spelt. */
function* foldedParts(path: WorkspacePath): Generator<[key: string, name: string], void, undefined> {
  let key = "";
  for (const name of segmentsOf(path)) {
    key += `/${foldText(name)}`;
    yield [key, name];
  }
}
