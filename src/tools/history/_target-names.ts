// Owns: how the targets of a record are shown: as callers name them, not as keys.

import { ROOT } from "../../path/index.ts";
import { isHistoryKey } from "../../session/record-keys.ts";
import { showName } from "../../text/index.ts";

/** `file:/a` is `/workspace/a`, `tree:t1` is `t1`, `record:3` is `record 3`. */
export function targetName(key: string): string {
  const colon = key.indexOf(":");
  const [kind, name] = [key.slice(0, colon), key.slice(colon + 1)];
  switch (kind) {
    case "file":
      return showName(`${ROOT}${name}`);
    case "dir":
      return showName(`${ROOT}${name === "/" ? "" : name}`);
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

/** The names of several targets, each once. What undos and restores note for history is none. */
export function targetNames(keys: readonly string[]): string[] {
  return [...new Set(keys.filter((key) => !isHistoryKey(key)).map(targetName))];
}
