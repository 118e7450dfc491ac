// Owns: how a path that was changed on two sides is shown: what each side made of it since they were equal.

import type { WorkspacePath } from "../path/index.ts";
import { fileDiffSteps, type FileSideOfDiff } from "../patch/unified-write.ts";
import { obstacleWords } from "../host/landing-conflict.ts";
import { runPaced, type FolderObstacle, type TextSide } from "../tools/index.ts";
import { plural } from "../text/plural.ts";
import { withoutLastBreak } from "../text/show-hunks.ts";
import type { ShowPath } from "./given-path.ts";
import { paint, paintDiff } from "./output.ts";

/** A path with what it was and what the session and the folder made of it. */
export interface Sides {
  readonly path: WorkspacePath;
  readonly base: TextSide | null;
  readonly session: TextSide | null;
  readonly folder: TextSide | null;
  /** What is in the folder and cannot be taken in. */
  readonly obstacle?: FolderObstacle;
  /** A file of the one side that leaves no place for the other's. */
  readonly inTheWay?: WorkspacePath;
}

export async function conflictText(
  { path, base, session, folder, obstacle, inTheWay }: Sides,
  show: ShowPath,
): Promise<string> {
  const textOf = async (who: string, side: TextSide | null): Promise<string> =>
    inTheWay === undefined || side !== null
      ? sideText(who, path, base, side)
      : `  ${who} has ${show(inTheWay)}, which leaves no place for it`;
  return [
    `${paint("red", "conflict")} ${show(path)}`,
    await textOf("the session", session),
    obstacle === undefined
      ? await textOf("the folder", folder)
      : `  the folder has ${obstacleWords(obstacle.what)}${obstacle.path === path ? " there" : ` at ${show(obstacle.path)}`}`,
  ].join("\n");
}

async function sideText(
  who: string,
  path: WorkspacePath,
  base: TextSide | null,
  side: TextSide | null,
): Promise<string> {
  if (side === null) return `  ${who} ${base === null ? "has no such file" : "deleted it"}`;
  if (side.text === undefined || (base !== null && base.text === undefined))
    return `  ${who} has ${plural(side.size, "byte")}`;
  const diff = await runPaced(fileDiffSteps(sideOfDiff(path, base), sideOfDiff(path, side)));
  const hunks = withoutLastBreak(diff.slice(Math.max(0, diff.indexOf("@@"))));
  return side.text === base?.text
    ? `  ${who} left it as it was`
    : `  ${who} ${base === null ? "made" : "changed"} it:\n${paintDiff(hunks)}`;
}

function sideOfDiff(path: WorkspacePath, side: TextSide | null): FileSideOfDiff | undefined {
  if (side === null) return undefined;
  return { path, bytes: new TextEncoder().encode(side.text), executable: false, isBinary: false };
}
