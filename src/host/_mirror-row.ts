// Owns: what is stored of a mirror beside the history: where it is, up to which record it was applied, and what differs on purpose.

import type { WorkspacePath } from "../path/index.ts";
import type { Journal, Position } from "../store/journal.ts";
import type { Json } from "../value.ts";

export interface MirrorState {
  /** The directory of the host. */
  readonly where: string;
  /** The mirror shows the session at this position, but for `diverged`. */
  readonly mark: Position;
  /** Paths that were changed on both sides: the record after which the session had what was last in place. */
  readonly diverged: ReadonlyMap<WorkspacePath, number>;
}

/** More do not fit into a row. */
const ROW_CHARS = 60_000;

export async function loadMirror(journal: Journal, name: string): Promise<MirrorState | undefined> {
  const row = await journal.rows.get(name);
  if (row === undefined || row.value === null) return undefined;
  const { where, mark, diverged } = row.value as unknown as {
    where: string;
    mark: Position;
    diverged: [WorkspacePath, number][];
  };
  return { where, mark, diverged: new Map(diverged) };
}

/** Writes the row; undefined: there is no mirror any more. The caller is the mirror's owner. */
export async function saveMirror(
  journal: Journal,
  name: string,
  state: MirrorState | undefined,
): Promise<void> {
  const value = state === undefined ? null : rowOf(state);
  for (;;) {
    const { rev = 0 } = (await journal.rows.get(name)) ?? {};
    if ("rev" in (await journal.rows.set(name, rev, value))) return;
  }
}

function rowOf({ where, mark, diverged }: MirrorState): Json {
  return { where, mark: { seq: mark.seq, hash: mark.hash }, diverged: [...diverged] };
}

/** Is there room for these paths in the row? */
export function fitsRow(state: MirrorState): boolean {
  return JSON.stringify(rowOf(state)).length <= ROW_CHARS;
}
