// Owns: what a change does to the state of the files, what there is against it, and which keys it touches.

import { HoldfastError, say } from "../../errors.ts";
import { parentOf, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Key } from "../../store/journal.ts";
import { EXTENTS, spliceDelta } from "../../text/index.ts";
import type { Steps } from "../../text/steps.ts";
import { spliceContent } from "../content.ts";
import type { Refusal, Stamp } from "../slice.ts";
import type { FileChange, RevertChange } from "./file-change.ts";
import { plainChanges } from "./file-history.ts";
import { dirKey, fileKey, nameKey, upwards } from "./file-keys.ts";
import {
  closeGrave,
  dropFile,
  fileAt,
  isDirectory,
  leavePath,
  nextVersion,
  obstacle,
  obstaclesSteps,
  occupant,
  putFile,
  type FileEntry,
  type FilesState,
} from "./file-state.ts";

function pathOf(change: FileChange): WorkspacePath {
  return change.path as WorkspacePath;
}

export function applyFileChange(state: FilesState, change: FileChange, stamp: Stamp): FilesState {
  const path = pathOf(change);
  if (change.op === "revert") {
    let made = state;
    for (const one of change.changes) made = applyFileChange(made, one, stamp);
    return made;
  }
  const { at, time } = stamp;
  if (change.op === "create") {
    const { id, body, created, from } = change;
    const free = from === undefined ? state : closeGrave(state, from as WorkspacePath, id);
    const version = nextVersion(state, path);
    const born = new Date(created);
    return putFile(free, { id, path, ...body, version, created: born, updated: time, at, dead: 0 });
  }
  const old = fileAt(state, path);
  if (old === undefined) return missing(path);
  const next = (what: Partial<FileEntry>): FileEntry => ({
    ...old,
    version: nextVersion(state, path),
    updated: time,
    at,
    ...what,
  });
  switch (change.op) {
    case "delete":
      return dropFile(state, old);
    case "move": {
      const to = change.to as WorkspacePath;
      return putFile(leavePath(state, old), next({ path: to, version: nextVersion(state, to, old.version) }));
    }
    case "replace":
      return putFile(state, next({ ...change.after, dead: 0 }));
    case "splice": {
      let { dead } = old;
      for (const { remove } of change.splices) dead += remove;
      return putFile(state, next({ content: spliceContent(old.content, change.splices), dead }));
    }
    case "rewrite":
      return putFile(state, { ...old, content: change.after, dead: 0 });
  }
}

/** A record changes a file that its state does not hold: the history itself is broken. */
function missing(path: WorkspacePath): never {
  throw new HoldfastError(
    "internal",
    "broken_history",
    say`The history changes ${path}, which it never made.`,
  );
}

/** What there is against a change on a state. `inTheWay` says what is in the way of a name that comes. */
export function refuseFileChange(
  state: FilesState,
  change: FileChange,
  inTheWay: typeof obstacle | typeof occupant = obstacle,
): Refusal[] {
  const path = pathOf(change);
  const key = fileKey(path);
  if (change.op === "revert") {
    for (const { one, state: before } of eachOf(change, state)) {
      const refusals = refuseFileChange(before, one, inTheWay);
      if (refusals.length > 0) return refusals;
    }
    return [];
  }
  if (change.op === "create") {
    const found = inTheWay(state, path);
    return found === undefined ? [] : [{ key, code: "conflict", ...found }];
  }
  const entry = fileAt(state, path);
  if (entry === undefined)
    return [
      isDirectory(state, path)
        ? { key, code: "conflict", reason: "is_directory", message: say`${path} is a directory, not a file` }
        : { key, code: "not_found", reason: "no_such_file", message: say`${path} does not exist` },
    ];
  if (change.op === "move") {
    const found = inTheWay(leavePath(state, entry), change.to as WorkspacePath);
    return found === undefined ? [] : [{ key, code: "conflict", ...found }];
  }
  if (change.op === "splice") {
    const last = change.splices.at(-1);
    if (last !== undefined && last.at + last.remove > entry.content.size)
      return [
        {
          key,
          code: "conflict",
          reason: "changed_since",
          message: say`${path} is shorter than this change expects`,
        },
      ];
  }
  return [];
}

/**
 * What there is against changes that are made as one. Names are judged when all are made, so that what one leaves is in the way of
 * none; only a path itself must be free when a file comes to it.
 */
export function* refuseFileChangesSteps(
  state: FilesState,
  changes: readonly FileChange[],
): Steps<readonly Refusal[]> {
  const come = new Set<WorkspacePath>();
  let made = state;
  for (const change of plainChanges(changes)) {
    const refusals = refuseFileChange(made, change, occupant);
    if (refusals.length > 0) return refusals;
    made = applyFileChange(made, change, NOWHERE);
    if (change.op === "move" || change.op === "delete") come.delete(pathOf(change));
    if (change.op === "move") come.add(change.to as WorkspacePath);
    if (change.op === "create") come.add(pathOf(change));
    yield;
  }
  const [found] = yield* obstaclesSteps(made, come, come);
  return found === undefined ? [] : [{ key: fileKey(found.path), code: "conflict", ...found }];
}

/** The keys that a change touches. */
export function touchedKeys(state: FilesState, change: FileChange): Key[] {
  const path = pathOf(change);
  switch (change.op) {
    case "rewrite":
      return [];
    case "revert": {
      const keys = new Set([fileKey(path)]);
      for (const { one, state: before } of eachOf(change, state))
        for (const key of touchedKeys(before, one)) keys.add(key);
      return [...keys];
    }
    case "replace":
    case "splice":
      return [fileKey(path)];
    case "create":
      return [
        ...keysOfName(state, path),
        ...(change.from === undefined ? [] : [fileKey(change.from as WorkspacePath)]),
      ];
    case "delete":
    case "move": {
      const entry = fileAt(state, path);
      const without = entry === undefined ? state : leavePath(state, entry);
      const keys = keysOfName(without, path);
      if (change.op === "move") keys.push(...keysOfName(without, change.to as WorkspacePath));
      return [...new Set(keys)];
    }
  }
}

/** What a name that comes or goes touches: itself, and every directory that comes or goes with it. */
function keysOfName(without: FilesState, path: WorkspacePath): Key[] {
  const keys = [fileKey(path), nameKey(path)];
  for (const above of upwards(parentOf(path) ?? ROOT)) {
    keys.push(dirKey(above));
    if (isDirectory(without, above)) return keys;
    keys.push(nameKey(above));
  }
  keys.push(dirKey(ROOT));
  return keys;
}

export function weighFileChange(state: FilesState, change: FileChange): { bytes: number; files: number } {
  switch (change.op) {
    case "create":
      return { bytes: change.body.content.size, files: 1 };
    case "delete":
      return { bytes: -(fileAt(state, pathOf(change))?.content.size ?? 0), files: -1 };
    case "replace":
      return {
        bytes: change.after.content.size - (fileAt(state, pathOf(change))?.content.size ?? 0),
        files: 0,
      };
    case "splice":
      return { bytes: spliceDelta(change.splices, EXTENTS), files: 0 };
    case "move":
    case "rewrite":
      return { bytes: 0, files: 0 };
    case "revert": {
      const weight = { bytes: 0, files: 0 };
      for (const { one, state: before } of eachOf(change, state)) {
        const { bytes, files } = weighFileChange(before, one);
        weight.bytes += bytes;
        weight.files += files;
      }
      return weight;
    }
  }
}

/** The changes of a revert, each with the state before it. */
function* eachOf(
  { changes }: RevertChange,
  state: FilesState,
): Generator<{ readonly one: FileChange; readonly state: FilesState }, void, undefined> {
  let before = state;
  for (const [i, one] of changes.entries()) {
    yield { one, state: before };
    if (i < changes.length - 1) before = applyFileChange(before, one, NOWHERE);
  }
}

const NOWHERE: Stamp = { at: { seq: 0, hash: "" }, time: new Date(0), agent: "" };
