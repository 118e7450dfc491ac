// Owns: what a host sees of a landing: what to land, the plan that shows it, and what was landed.

import type { WorkspacePath } from "../path/index.ts";
import type { Position } from "../store/journal.ts";
import type { TextSide } from "./compare-content.ts";
import type { FolderChange } from "./folder-change.ts";
import type { GitBranch, GitCommitOptions } from "./git-branch.ts";
import type { LandProgress } from "./lander.ts";
import type { SkipReason } from "./mount.ts";
import type { PlanHunk, PlanKind } from "./offer-file.ts";
import type { AddedRecord } from "./offers.ts";

/** What to land. Left out, everything; parts given together must all hold. */
export interface LandingChoice {
  /** Numbers of records. What they need comes along. */
  readonly records?: readonly number[];
  /** Ids of agents: their records. */
  readonly agents?: readonly string[];
  /** Files and directories. */
  readonly paths?: readonly string[];
  /** Ids of hunks, files and directories that are left out. They stay offered. */
  readonly leave?: readonly string[];
  /** Gives up planning, with `conflict` / `aborted`. */
  readonly signal?: AbortSignal;
  /** Hears how far comparing with the folders is. */
  readonly onProgress?: (progress: CompareProgress) => void;
}

/** How far comparing the folders with the session is. */
export interface CompareProgress {
  /** Files found and files compared so far. */
  readonly done: number;
  /** What that comes to in the end; it may grow while files are found. */
  readonly total: number;
}

/** A file that would be written. */
export interface PlanFile {
  /** Where it is in the workspace; of a deletion, where it was. */
  readonly path: WorkspacePath;
  /** Where a renamed file is in the folder. */
  readonly from?: WorkspacePath;
  /** What becomes of it. All but `change` and the text of a `rename` are taken or left as a whole, by their path. */
  readonly kind: PlanKind;
  /** What changes in its text. */
  readonly hunks: readonly PlanHunk[];
  /** Who made the differences. */
  readonly agents: readonly string[];
  /** Their records, oldest first. */
  readonly records: readonly number[];
  /** Is it executable afterwards? */
  readonly executable: boolean;
  /** True: it is new, and the folder's ignore rules name it. It is landed all the same. */
  readonly ignored?: true;
}

/**
 * What can be in the way of a file that is to be written. `ignored`: a file that the mount leaves out. `same_file`: another path of the
 * plan, which is the same file of the folder.
 */
export type ObstacleKind =
  | "file"
  | "same_file"
  | "directory"
  | "ignored"
  | Extract<SkipReason, "symlink" | "special_file" | "multiple_links" | "too_large" | "unreadable">;

/** Something in a folder that no refresh takes in, and that is never written over. */
export interface FolderObstacle {
  /** Where it is: the path that cannot be written, or a directory above it. */
  readonly path: WorkspacePath;
  /** What it is. Nothing of its content is shown. */
  readonly what: ObstacleKind;
}

/** A path that cannot be written. */
export interface PlanConflict {
  /** The path. */
  readonly path: WorkspacePath;
  /**
   * `changed_outside`: the folder does not hold what it held; a refresh brings that in. `in_the_way`: something is there that no refresh
   * takes in; move it away, or leave the path out. `path_in_use`: another file there would have to be moved or deleted too, or
   * another of the plan's has the place; or both are one file of a folder that is mounted at two places.
   */
  readonly reason: "changed_outside" | "path_in_use" | "in_the_way";
  /** What is in the way. */
  readonly obstacle?: FolderObstacle;
  /** What the folder held; null where there was no file. */
  readonly base: TextSide | null;
  /** What would be written; null for a deletion. */
  readonly session: TextSide | null;
  /** What the folder holds now; null where there is no file that the session may hold. */
  readonly folder: TextSide | null;
}

/** What a landing wrote. */
export interface Landed {
  /** Names it for `revertLanding`. */
  readonly landing: number;
  /** The files that were written. */
  readonly files: readonly PlanFile[];
  /** Landing requests that nothing is left of. They are settled as landed. */
  readonly requests: readonly number[];
  /** Where the session is after it. */
  readonly position: Position;
}

/** Everything that a landing would write. It does not change any more, whatever agents do meanwhile. */
export interface LandingPlan {
  /** The position that it was made at. */
  readonly position: Position;
  /** What would be written, in path order. */
  readonly files: readonly PlanFile[];
  /** Records that come along because a chosen one needs them. */
  readonly added: readonly AddedRecord[];
  /** What is in the way. While there is one, nothing can be landed. */
  readonly conflicts: readonly PlanConflict[];
  /** Files that differ and lie in no mounted folder. */
  readonly notMounted: readonly WorkspacePath[];
  /** All that changed in the folders meanwhile, whether it is in the way or not. */
  readonly outside: readonly FolderChange[];
  /** Nothing would be written. */
  readonly isEmpty: boolean;
  /**
   * The plan as a unified diff, which `git apply` takes in the folder that is mounted as the workspace. `patch -p1` takes it too, but
   * for files that are not text, which are git's binary patches, and files that change places with a directory.
   */
  text(how?: DiffOptions): Promise<string>;
  /**
   * The plan as an ndpatch. A renamed file is removed and created. Throws `invalid_argument` / `binary` for files that are not text, and
   * `byte_order_mark` for text that loses its own.
   */
  ndpatch(): Promise<string>;
  /**
   * The plan as commits on a new branch at HEAD of the repository that the folder lies in: one for each agent, which is its author, with
   * what its work needs. Work tree, index and the branch that is checked out stay as they are, and nothing counts as landed. Needs git;
   * filters that the repository's attributes name run as for `git add`, hooks do not. Throws `conflict` / `differs_from_head` when the
   * folder holds changes of these files that are not committed, `in_the_way` for what is there and no refresh takes in, `branch_exists`, `no_repository` or `no_commits`.
   *
   * @example await (await session.plan()).gitCommit({ branch: "agents/fix" });
   */
  gitCommit(options: GitCommitOptions): Promise<GitBranch>;
  /**
   * Writes exactly what the plan shows. Throws `conflict` / `changed_outside` with all paths that are not what they were, `conflict` /
   * `in_the_way` where none of them is a file that a refresh would bring in, `conflict` / `path_in_use`, or `conflict` / `stale_plan` when something was landed or refreshed since; then nothing is written.
   *
   * @example
   * const plan = await session.plan({ agents: ["planner"] });
   * const { landing } = await plan.land();
   */
  land(how?: LandOptions): Promise<Landed>;
}

/** How a plan is written as a diff. */
export interface DiffOptions {
  /** False: files that are not text are named without their bytes. That is for reading, and `git apply` refuses it. */
  readonly binary?: boolean;
}

/** How a plan is landed. */
export interface LandOptions {
  /** Hears how far it is, before every step. */
  readonly onProgress?: (progress: LandProgress) => void;
}
