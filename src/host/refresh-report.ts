// Owns: what a refresh is asked for and what it reports, as hosts see it.

import type { WorkspacePath } from "../path/index.ts";
import type { Position } from "../store/journal.ts";
import type { TextSide } from "./compare-content.ts";
import type { CompareProgress } from "./landing-plan.ts";
import type { SkippedEntry } from "./mount.ts";

/** How a refresh settles what both sides changed. */
export interface RefreshRequest {
  /** By path: `outside` takes the folder's file, `session` keeps the session's. */
  readonly take?: Readonly<Record<string, "outside" | "session">>;
  /** True: nothing is written, and the report says what would be. */
  readonly dryRun?: boolean;
  /** Hears how far comparing with the folders is. */
  readonly onProgress?: (progress: CompareProgress) => void;
}

/** A file that changed in a folder, and what came of it. */
export interface RefreshedFile {
  /** Its path. */
  readonly path: WorkspacePath;
  /** `merged`: the session had changed it too, and has both now. `same`: both had made the same of it. */
  readonly how: "created" | "changed" | "deleted" | "merged" | "same" | "took_outside" | "kept_session";
}

/** A file that the session and the folder changed in ways that do not fit together. */
export interface RefreshConflict {
  /** Its path. */
  readonly path: WorkspacePath;
  /** What the folder held before; null where there was no file. */
  readonly base: TextSide | null;
  /** What the session holds; null where it holds none. */
  readonly session: TextSide | null;
  /** What the folder holds now; null where it holds none. */
  readonly outside: TextSide | null;
  /** A file of the one side that leaves no place for the other's: above it, below it, or of a name that differs only in case. */
  readonly inTheWay?: WorkspacePath;
}

/** What a refresh did. */
export interface RefreshReport {
  /** What came in, in path order. */
  readonly changed: readonly RefreshedFile[];
  /** What did not, and waits for `take`. Neither side was changed. */
  readonly conflicts: readonly RefreshConflict[];
  /** Files that are there and cannot be read, or whose names clash; the session keeps what it has of them. */
  readonly unreadable: readonly SkippedEntry[];
  /** Where the session is after it. */
  readonly position: Position;
}
