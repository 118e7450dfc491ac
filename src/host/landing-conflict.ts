// Owns: what is said when a landing cannot write a path because of what is there.
// Must never: name a next step that does not work.

import { HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import type { WorkspacePath } from "../path/index.ts";
import type { FolderObstacle, ObstacleKind } from "./landing-plan.ts";

/** A path at which the folder does not hold what the session knows. */
export interface Stranger {
  readonly path: WorkspacePath;
  /** The session knows a file of the folder there. */
  readonly isKnown: boolean;
  /** What is there that no refresh takes in. */
  readonly obstacle: FolderObstacle | undefined;
}

const WORDS: Readonly<Record<ObstacleKind, Shown>> = {
  file: say`a file`,
  same_file: say`the same file`,
  directory: say`a directory`,
  symlink: say`a symbolic link`,
  special_file: say`a pipe, device or socket`,
  multiple_links: say`a file with several names (hard links)`,
  ignored: say`an ignored file`,
  too_large: say`a file above the limit fileBytes`,
  unreadable: say`something that the system does not let be read`,
};

/** What lies there, in words: `a symbolic link`. */
export function obstacleWords(what: ObstacleKind): Shown {
  return WORDS[what];
}

/** Nothing was written, because of what is at these paths. */
export function strangersError(strangers: readonly Stranger[]): HoldfastError {
  const changed = strangers.filter(({ obstacle }) => obstacle === undefined).map(({ path }) => path);
  const said = strangers.flatMap((one) => (one.obstacle === undefined ? [] : [inTheWay(one, one.obstacle)]));
  const outside = say`${sayAll(changed)} changed in the folder since it was mounted, refreshed or landed. Refresh the session, with take for what both sides changed in ways that do not fit together, then plan again.`;
  return new HoldfastError(
    "conflict",
    changed.length > 0 ? "changed_outside" : "in_the_way",
    sayAll([say`Nothing was written.`, ...(changed.length > 0 ? [outside] : []), ...said], " "),
    { data: { paths: strangers.map(({ path }) => path) } },
  );
}

/** A landing cannot be reverted, because the folders do not hold what it wrote. */
export function revertError(landing: number, strangers: readonly Stranger[]): HoldfastError {
  const paths = strangers.map(({ path }) => path);
  return new HoldfastError(
    "conflict",
    "changed_outside",
    say`${sayAll(paths)} changed in the folder since landing ${landing} wrote it. Nothing was written. Put back there what it wrote and revert again; or refresh the session, undo the work in it and land that.`,
    { data: { paths } },
  );
}

/** Two paths of a plan that are one file of a folder. */
export function oneFileTwice(path: WorkspacePath, other: WorkspacePath): Shown {
  return say`${path} and ${other} are one file of a folder that is mounted at two places. Leave one of them out and land the other; a refresh then brings that in under both paths.`;
}

function inTheWay({ path, isKnown }: Stranger, { path: at, what }: FolderObstacle): Shown {
  if (what === "same_file") return oneFileTwice(path, at);
  const where = at === path ? say`` : say`, in the way of ${path}`;
  const next = isKnown
    ? say`Move it away there and refresh the session (take: "session" keeps its file)`
    : say`Move it away there`;
  return say`${at} is ${WORDS[what]} in the folder${where}. ${next}, or leave ${path} out; then plan again.`;
}
