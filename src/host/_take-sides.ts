// Owns: which side is taken where a folder and the session changed the same path, and how the session's side is kept.

import { echo, HoldfastError, say } from "../errors.ts";
import { comparePaths, isUnder, parsePath, type WorkspacePath } from "../path/index.ts";
import { commitAs, type Actor } from "../session/actor.ts";
import { planRestore } from "../session/restore.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Position } from "../store/journal.ts";

export type TakenSides = ReadonlyMap<WorkspacePath, "outside" | "session">;

/** Throws `invalid_argument` / `bad_take` for a side that there is not. */
export function takenSides(
  { limits, names }: SessionCore,
  take: Readonly<Record<string, unknown>>,
): TakenSides {
  const taken = new Map<WorkspacePath, "outside" | "session">();
  for (const [path, side] of Object.entries(take)) {
    if (side !== "outside" && side !== "session")
      throw new HoldfastError(
        "invalid_argument",
        "bad_take",
        say`take: ${echo(path)} must be "outside" or "session".`,
      );
    taken.set(parsePath(path, { kind: "file", limits, names }), side);
  }
  return taken;
}

/** Makes files again what they were before a record that brought in the folder's: that is in the history then. */
export async function bringBack(
  core: SessionCore,
  actor: Actor,
  paths: readonly WorkspacePath[],
  imported: Position,
): Promise<Position> {
  const to = { seq: imported.seq - 1, hash: "" };
  const { at } = await commitAs(core, actor, "restore", [...paths], async (draft) => {
    for (const path of topmost(paths)) await planRestore(core, draft, { to, path });
  });
  return at;
}

/** The paths that lie under no other of them. */
function topmost(paths: readonly WorkspacePath[]): WorkspacePath[] {
  const top: WorkspacePath[] = [];
  for (const path of paths.toSorted(comparePaths)) {
    const last = top.at(-1);
    if (last === undefined || !isUnder(path, last)) top.push(path);
  }
  return top;
}
