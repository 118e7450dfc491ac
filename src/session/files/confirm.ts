// Owns: making sure that a change of a file takes out the very bytes that it remembers.

import type { Content, Journal } from "../../store/journal.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { EXTENTS, removedBy } from "../../text/index.ts";
import { changesOf } from "../packed-changes.ts";
import type { Refusal } from "../slice.ts";
import type { FileChange } from "./file-change.ts";
import { fileAt, type FilesState } from "./file-state.ts";
import { changedSince } from "./rebase.ts";

const WINDOW = 256 * 1024;
const BATCH = 256;

/**
 * A splice that was carried over later ones may have lost its place where several stand at one border. Then it would take
 * out what somebody else wrote: it is refused instead.
 */
export async function confirmFileChange(
  state: FilesState,
  change: FileChange,
  journal: Journal,
  since: number,
): Promise<readonly Refusal[]> {
  if (change.op !== "splice") return [];
  const entry = fileAt(state, change.path as WorkspacePath);
  if (entry === undefined) return [];
  const found = removedBy(entry.content.extents, change.splices, EXTENTS).flat();
  const remembered = change.removed.flatMap((extents) => EXTENTS.join([extents]));
  if (JSON.stringify(found) === JSON.stringify(remembered)) return [];
  const size = EXTENTS.length(found);
  // A rewrite keeps the bytes and moves them to another blob. Without one, those found here are somebody else's.
  const isSame =
    size === EXTENTS.length(remembered) &&
    (await wasRewritten(journal, change.path, since)) &&
    (await equalBytes({ size, extents: found }, { size, extents: remembered }, journal));
  return isSame ? [] : [changedSince(change.path)];
}

/** Whether a change only takes bytes out. They stand where history put them, whatever was undone around them. */
export function takesOut(change: FileChange): boolean {
  return change.op === "splice" && change.splices.every(({ insert }) => insert.length === 0);
}

async function wasRewritten(journal: Journal, path: string, since: number): Promise<boolean> {
  for (let after = since; ;) {
    const records = await journal.records({ kind: "rewrite", after, limit: BATCH });
    for (const record of records.filter(({ changes }) => changes !== undefined))
      for (const change of await changesOf(journal, record))
        if ((change as FileChange).path === path) return true;
    if (records.length < BATCH) return false;
    after = records.at(-1)?.seq ?? after;
  }
}

async function equalBytes(a: Content, b: Content, journal: Journal): Promise<boolean> {
  const one = await journal.source(a);
  try {
    const two = await journal.source(b);
    try {
      for (let at = 0; at < a.size; at += WINDOW) {
        const length = Math.min(WINDOW, a.size - at);
        const [left, right] = [new Uint8Array(length), new Uint8Array(length)];
        one.read(at, left, 0, length);
        two.read(at, right, 0, length);
        if (left.some((byte, i) => byte !== right[i])) return false;
      }
      return true;
    } finally {
      two.close();
    }
  } finally {
    one.close();
  }
}
