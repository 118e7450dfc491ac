// Written by `npm run tool-types:update` from the schemas of the tools: do not edit.

import type { CommonArguments } from "../call-types.ts";

/** The tools of the toolset `history`. */
export interface HistoryTools {
  /** {@link ListChangesInput} to {@link ListChangesOutput}. */
  readonly list_changes: { readonly input: ListChangesInput; readonly output: ListChangesOutput };
  /** {@link DiffChangesInput} to {@link DiffChangesOutput}. */
  readonly diff_changes: { readonly input: DiffChangesInput; readonly output: DiffChangesOutput };
  /** {@link UndoChangesInput} to {@link UndoChangesOutput}. */
  readonly undo_changes: { readonly input: UndoChangesInput; readonly output: UndoChangesOutput };
  /** {@link BlameInput} to {@link BlameOutput}. */
  readonly blame: { readonly input: BlameInput; readonly output: BlameOutput };
  /** {@link SnapshotCreateInput} to {@link SnapshotCreateOutput}. */
  readonly snapshot_create: { readonly input: SnapshotCreateInput; readonly output: SnapshotCreateOutput };
  /** {@link SnapshotListInput} to {@link SnapshotListOutput}. */
  readonly snapshot_list: { readonly input: SnapshotListInput; readonly output: SnapshotListOutput };
  /** {@link SnapshotDiffInput} to {@link SnapshotDiffOutput}. */
  readonly snapshot_diff: { readonly input: SnapshotDiffInput; readonly output: SnapshotDiffOutput };
  /** {@link SnapshotRestoreInput} to {@link SnapshotRestoreOutput}. */
  readonly snapshot_restore: { readonly input: SnapshotRestoreInput; readonly output: SnapshotRestoreOutput };
  /** {@link RequestLandingInput} to {@link RequestLandingOutput}. */
  readonly request_landing: { readonly input: RequestLandingInput; readonly output: RequestLandingOutput };
}

/** What `list_changes` takes. Lists what was done, newest first: token, agent, tool, what it was about, time. */
export interface ListChangesInput {
  /** Only what this agent did; "me" is you */
  readonly agent?: string | undefined;
  /** Only what changed this file, or files in this directory */
  readonly path?: string | undefined;
  /** Only after this record or token */
  readonly since?: number | string | undefined;
  /** 50 when left out */
  readonly limit?: number | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `list_changes` returns as `value`. */
export interface ListChangesOutput {
  /** The changes, newest first */
  readonly changes: readonly {
    /** The number of the record */
    readonly record: number;
    /** The version; send it as expectedVersion */
    readonly token: string;
    /** Who made the change */
    readonly agent: string;
    readonly tool: string;
    /** Names of what it changed, a hundred at most */
    readonly about: readonly string[];
    /** How many names more there are */
    readonly about_more?: number | undefined;
    readonly time: string;
    /** What was taken back */
    readonly undone?: boolean | undefined;
  }[];
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `diff_changes` takes. Shows what a record changed, or all that changed since a token, as hunks. */
export interface DiffChangesInput {
  /** What this record (number or token) changed; your last change when left out */
  readonly record?: number | string | undefined;
  /** Instead: all that changed after this record or token, by anybody */
  readonly since?: number | string | undefined;
  /** Only this file, or files in this directory */
  readonly path?: string | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `diff_changes` returns as `value`. */
export interface DiffChangesOutput {
  /** The number of the record */
  readonly record?: number | undefined;
  /** Who made the change */
  readonly agent?: string | undefined;
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    readonly change: "added" | "removed" | "changed";
    /** The one after the change; the last one for a removed file */
    readonly version?: number | undefined;
    /** Lines */
    readonly added?: number | undefined;
    /** What went */
    readonly removed?: number | undefined;
    /** Hunks of a unified diff; a line in brackets where there are none */
    readonly diff: string;
  }[];
  /** The trees */
  readonly trees: readonly string[];
  /** What changed beside files and trees */
  readonly slices: Readonly<Record<string, readonly string[]>>;
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `undo_changes` takes. Takes back your last call that changed something, or records, or all you did since a token: all or nothing, beneath what others changed since. */
export interface UndoChangesInput extends CommonArguments {
  /** By number or token */
  readonly record?: number | string | readonly (number | string)[] | undefined;
  /** All you did after this */
  readonly since?: number | string | undefined;
  /** Only in this file or directory */
  readonly path?: string | undefined;
  /** Undo what can be undone instead of nothing */
  readonly partial?: boolean | undefined;
}

/** What `undo_changes` returns as `value`. */
export interface UndoChangesOutput {
  /** What was taken back */
  readonly undone: readonly {
    /** The number of the record */
    readonly record: number;
    readonly tool: string;
    readonly targets: readonly string[];
  }[];
  /** What could not be done, and why */
  readonly refused: readonly {
    /** The number of the record */
    readonly record: number;
    readonly message: string;
  }[];
  /** Answers to gates were changed too */
  readonly gates?: boolean | undefined;
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    readonly change: "added" | "removed" | "changed";
    /** The one after the change; the last one for a removed file */
    readonly version?: number | undefined;
    /** Lines */
    readonly added?: number | undefined;
    /** What went */
    readonly removed?: number | undefined;
    /** Hunks of a unified diff; a line in brackets where there are none */
    readonly diff: string;
  }[];
  /** Files that changed and are not shown */
  readonly moreFiles: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `blame` takes. Says who brought in each line of a file, with which tool and record, and when. */
export interface BlameInput {
  /** The path */
  readonly path: string;
  /** First line, from 1 */
  readonly offset?: number | undefined;
  /** How many lines; all when left out */
  readonly limit?: number | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `blame` returns as `value`. */
export interface BlameOutput {
  /** The path */
  readonly path: string;
  /** Whose lines they are, from top to bottom */
  readonly runs: readonly {
    readonly first: number;
    readonly last: number;
    /** Who made the change */
    readonly agent?: string | undefined;
    readonly tool?: string | undefined;
    /** The version; send it as expectedVersion */
    readonly token?: string | undefined;
    readonly time?: string | undefined;
    /** Was there before this record; older ones are pruned */
    readonly before?: number | undefined;
  }[];
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `snapshot_create` takes. Gives the present state, files and trees, a name to come back to. */
export interface SnapshotCreateInput extends CommonArguments {
  /** What it is called */
  readonly label: string;
}

/** What `snapshot_create` returns as `value`. */
export interface SnapshotCreateOutput {
  /** What it is called */
  readonly label: string;
  /** The id of the snapshot */
  readonly id?: string | undefined;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `snapshot_list` takes. Lists snapshots, newest first. */
export interface SnapshotListInput {
  /** 50 when left out */
  readonly limit?: number | undefined;
  /** Only snapshots before this record */
  readonly before?: number | undefined;
}

/** What `snapshot_list` returns as `value`. */
export interface SnapshotListOutput {
  /** The snapshots, newest first */
  readonly snapshots: readonly {
    /** The id of the snapshot */
    readonly id: string;
    /** What it is called */
    readonly label: string;
    /** Who made the change */
    readonly agent: string;
    readonly time: string;
    readonly expired: boolean;
  }[];
  /** Send this to get older ones */
  readonly before?: number | undefined;
}

/** What `snapshot_diff` takes. Shows what differs between two snapshots: files as hunks, then trees. */
export interface SnapshotDiffInput {
  /** The id of a snapshot, or any token */
  readonly a: string;
  /** The present when left out */
  readonly b?: string | undefined;
  /** Only this file, or files in this directory */
  readonly path?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
  /** Characters */
  readonly budget?: number | undefined;
  /** From the last result */
  readonly cursor?: string | undefined;
}

/** What `snapshot_diff` returns as `value`. */
export interface SnapshotDiffOutput {
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    readonly change: "added" | "removed" | "changed";
    /** The one after the change; the last one for a removed file */
    readonly version?: number | undefined;
    /** Lines */
    readonly added?: number | undefined;
    /** What went */
    readonly removed?: number | undefined;
    /** Hunks of a unified diff; a line in brackets where there are none */
    readonly diff: string;
  }[];
  /** What was made */
  readonly created: readonly string[];
  /** What went */
  readonly dropped: readonly string[];
  /** The trees */
  readonly trees: readonly {
    /** The id of the tree */
    readonly tree: string;
    /** What came */
    readonly added: readonly {
      /** The node */
      readonly nodeId: string;
      /** What else the call was asked to show */
      readonly [key: string]: unknown;
    }[];
    /** What went */
    readonly removed: readonly {
      /** The node */
      readonly nodeId: string;
      /** What else the call was asked to show */
      readonly [key: string]: unknown;
    }[];
    /** What moved */
    readonly moved: readonly {
      /** The node */
      readonly nodeId: string;
      /** What else the call was asked to show */
      readonly [key: string]: unknown;
    }[];
    /** Nodes whose children are in another order */
    readonly reordered: readonly {
      /** The node */
      readonly nodeId: string;
      /** What else the call was asked to show */
      readonly [key: string]: unknown;
    }[];
    /** What changed */
    readonly changed: readonly {
      /** The node */
      readonly nodeId: string;
      /** What else the call was asked to show */
      readonly [key: string]: unknown;
    }[];
    /** The tags */
    readonly tags: readonly {
      /** The node */
      readonly nodeId: string;
      /** What else the call was asked to show */
      readonly [key: string]: unknown;
    }[];
    /** How many are not shown */
    readonly more?: Readonly<Record<string, number>> | undefined;
  }[];
  /** Send this to go on; absent at the end */
  readonly cursor?: string | undefined;
}

/** What `snapshot_restore` takes. Makes files and trees what they were at a snapshot: a change like any other, which can be undone. What others changed since needs the host. */
export interface SnapshotRestoreInput extends CommonArguments {
  /** The id of a snapshot, or any token */
  readonly id: string;
  /** files and trees when left out; session: gates and all else too */
  readonly scope?: "files" | "trees" | "session" | undefined;
  /** Only this file, or files in this directory */
  readonly path?: string | undefined;
  /** Where there are several */
  readonly tree?: string | undefined;
}

/** What `snapshot_restore` returns as `value`. */
export interface SnapshotRestoreOutput {
  /** The id of the snapshot */
  readonly id: string;
  /** How many changes were made, by kind of state */
  readonly changes: Readonly<Record<string, number>>;
  /** The files */
  readonly files: readonly {
    /** The path */
    readonly path: string;
    readonly change: "added" | "removed" | "changed";
    /** The one after the change; the last one for a removed file */
    readonly version?: number | undefined;
    /** Lines */
    readonly added?: number | undefined;
    /** What went */
    readonly removed?: number | undefined;
    /** Hunks of a unified diff; a line in brackets where there are none */
    readonly diff: string;
  }[];
  /** Files that changed and are not shown */
  readonly moreFiles: number;
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}

/** What `request_landing` takes. Asks the host to write your work to the real folders; the reply comes with a later result. */
export interface RequestLandingInput extends CommonArguments {
  /** What is done and why it should land */
  readonly reason?: string | undefined;
  /** Files or directories; all when left out */
  readonly paths?: readonly string[] | undefined;
  /** A request of yours to take back, instead */
  readonly withdraw?: number | undefined;
}

/** What `request_landing` returns as `value`. */
export interface RequestLandingOutput {
  /** The number of the request */
  readonly request?: number | undefined;
  /** The request that was taken back */
  readonly withdrawn?: number | undefined;
  /** The files and directories it is about; none means all */
  readonly paths: readonly string[];
  /** The version; send it as expectedVersion */
  readonly token?: string | undefined;
}
