// Owns: how the targets of a record are named: as callers name them, not as keys.

import { ROOT } from "../../path/index.ts";
import { isHistoryKey } from "../../session/record-keys.ts";
import { showName } from "../../text/index.ts";

/** `file:/a` is `/workspace/a`, `tree:t1` is `t1`, `record:3` is `record 3`. Paths are as they are: {@link shownTarget} is for lines. */
export function targetName(key: string): string {
  const colon = key.indexOf(":");
  const [kind, name] = [key.slice(0, colon), key.slice(colon + 1)];
  switch (kind) {
    case "file":
      return `${ROOT}${name}`;
    case "dir":
      return `${ROOT}${name === "/" ? "" : name}`;
    case "tree":
      return showName(name);
    case "record":
    case "snapshot":
    case "gate":
      return `${kind} ${showName(name)}`;
    default:
      return showName(key);
  }
}

/** The name of a target as part of a line: a long path is cut. */
export function shownTarget(name: string): string {
  return name === ROOT || name.startsWith(`${ROOT}/`) ? showName(name) : name;
}

/** The names of several targets, each once. What undos and restores note for history is none. */
export function targetNames(keys: readonly string[]): string[] {
  return [...new Set(keys.filter((key) => !isHistoryKey(key)).map(targetName))];
}
