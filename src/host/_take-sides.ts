// Owns: which side is taken where a folder and the session changed the same path, and how the session's side is brought back.

import { echo, HoldfastError, say, sayAll } from "../errors.ts";
import { parsePath, type WorkspacePath } from "../path/index.ts";
import type { Actor, NextCommit } from "../session/actor.ts";
import { changesBetween } from "../session/files/files-between.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { Refusal } from "../session/slice.ts";
import type { SessionState } from "../session/state.ts";
import type { SessionCore } from "../session/transact.ts";
import { Pacer } from "../text/steps.ts";
import { filesIn } from "./_past-versions.ts";

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

/** What the session had before a record that brings in the folder's files, and the paths at which its own are taken. */
export interface ToBringBack {
  readonly before: SessionState;
  readonly sessionPaths: readonly WorkspacePath[];
}

/** The record after it, which makes those files again what they were: the folder's are in the history then. */
export function bringBack<T extends ToBringBack>(actor: Actor): NextCommit<T> {
  return {
    actor,
    kind: "restore",
    request: ({ sessionPaths }) => [...sessionPaths],
    async plan(draft, { before, sessionPaths }) {
      if (sessionPaths.length === 0) return;
      const pace = new Pacer();
      const { seq } = before.at;
      const files = draft.state(filesSlice);
      for (const change of changesBetween(files, filesIn(before), new Set(sessionPaths), seq)) {
        const refusals = change === undefined ? [] : await draft.changeAll([change]);
        if (refusals.length > 0) throw noPlaceFor(change?.path as WorkspacePath, refusals);
        await pace.step();
      }
      draft.depend(draft.touched);
    },
  };
}

function noPlaceFor(path: WorkspacePath, refusals: readonly Refusal[]): HoldfastError {
  const messages = refusals.map(({ message }) => message);
  return new HoldfastError(
    "invalid_argument",
    "bad_take",
    say`take: the session cannot keep ${path}: ${sayAll(messages, "; ")}. Take the same side for all that leave no place for one another.`,
  );
}
