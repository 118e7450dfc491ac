// Who compiles against these types need not name node's, or the library of `await using`, in a configuration.
/// <reference types="node" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />

// Declares the public surface of the tools room: sessions, agents, and how to add a tool or a kind of state.

export { HoldfastError, echo, say, sayAll } from "../errors.ts";
export type { ErrorCode, ErrorDetails, Reason, Shown, ShownData } from "../errors.ts";
export type {
  CategoryOf,
  DecisionReason,
  Gate,
  GateConfig,
  GateConfigInput,
  GateDecision,
  GateDefinition,
  GateDiff,
  GateDocument,
  GateActor,
  GateError,
  GateErrorCode,
  GateMode,
  GatePolicy,
  GateRecord,
  GateResult,
  GateSet,
  GatesParsed,
  GatesRefused,
  GateState,
  GateStatus,
  GateValue,
  KeyOf,
} from "../gates/index.ts";
export type { Limits, SessionLimits } from "../limits.ts";
export type { NameAlphabet, WorkspacePath } from "../path/index.ts";
export type { ByteSource, FileContent, Hunk, HunkLine, HunkList, Splice } from "../text/index.ts";
export type { Json, JsonObject } from "../value.ts";

// Sessions and agents
export { openSession } from "./open-session.ts";
export type { Session, SessionOptions } from "./session.ts";
export type { Agent, BoundTool, ToolsOptions } from "./agent.ts";
export type { Identity, HoldingGate, Policy, Role } from "./identity.ts";
export type { CallValue, CommonArguments, ToolInput, ToolName, ToolOutput } from "./call-types.ts";
export type * from "./types/index.gen.ts";
export type { CallOptions } from "./gateway.ts";
export type { CallDone, CallError, CallRefused, CallResult, ResultImage } from "./result.ts";
export type { ToolDefinition } from "./definition.ts";
export type { StandardSchema, Validated } from "./standard-schema.ts";
export type { Events, ToolEvent } from "./events.ts";
export type { Clock } from "./clock.ts";
export type { Log } from "./log.ts";
export type { GateDesk, GateSetRecord, JudgedGates } from "./gates/gate-desk.ts";

// What a host asks of a session's history
export type { RefreshConflict, RefreshedFile, RefreshReport, RefreshRequest } from "../host/refresh.ts";
export type { CompareProgress } from "../host/landing-plan.ts";
export type { LandedUpdate, LandProgress } from "../host/lander.ts";
export type { PlanHunk, PlanKind } from "../host/offer-file.ts";
export type { AddedRecord } from "../host/offers.ts";
export type { GitBranch, GitCommit, GitCommitOptions } from "../host/git-branch.ts";
export type {
  DiffOptions,
  FolderObstacle,
  Landed,
  LandingChoice,
  LandingPlan,
  LandOptions,
  ObstacleKind,
  PlanConflict,
  PlanFile,
} from "../host/landing-plan.ts";
export type { FolderChange } from "../host/folder-change.ts";
export type { TextSide } from "../host/compare-content.ts";
export type { Mount, MountProgress, MountReport, SkippedEntry, SkipReason } from "../host/mount.ts";
export type { Unplaced } from "../session/outside.ts";
export type { DivergedPath, DivergedSide, SyncReport, SyncRequest } from "../host/sync-mirror.ts";
export type { DirectoryOptions } from "../host/work-directory.ts";
export type { Blame, BlameRequest, BlameRun } from "../session/blame.ts";
export type { DiffRequest, FileDiff, FileSide, SessionDiff } from "../session/diff.ts";
export type { Stands } from "../session/standing.ts";
export type { DryRun, Placed, WatchOptions } from "../session/history.ts";
export type { HostContent, HostFiles, HostPiece } from "../session/host-files.ts";
export type { Landing, LandingReply, LandingState } from "../session/landings.ts";
export type { LogQuery } from "../session/log.ts";
export type { PositionRef } from "../session/position-ref.ts";
export type { Part, Restored, RestoreRequest } from "../session/restore.ts";
export type { Pruned, PruneRequest } from "../session/retention.ts";
export { allSessions, expireSessions, sessionsNamed } from "../session/sessions.ts";
export type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
export type { UndoReport } from "../session/undo.ts";
export type { UndoOptions, UndoRequest } from "../session/undo-request.ts";
export type { SessionVerified, VerifyOptions } from "../session/verify.ts";
export type { AuditEntry, AuditQuery, Position, SessionInfo, Store } from "../store/journal.ts";

// Tools and state of the host's own
export { Pacer, runPaced, type Steps } from "../text/steps.ts";
export { paging } from "./paging.ts";
export {
  defineTool,
  directoryTarget,
  fileTarget,
  subtreeTarget,
  type Access,
  type Advertised,
  type Ctx,
  type Permissions,
  type ReadCtx,
  type Rebase,
  type Resumed,
  type Shared,
  type BasedTarget,
  type Target,
  type TokenForm,
  type Tool,
  type ToolDef,
  type ToolRecordKind,
  type Viewed,
  type ViewKind,
  type ViewCtx,
  type WriteCtx,
} from "./tool.ts";
export type {
  DirectoryEntry,
  FileInfo,
  Files,
  PathPermission,
  PathRule,
  FileMove,
  HunkBounds,
  ReadonlyFiles,
  WriteOptions,
} from "../session/files/workspace.ts";
export type { Obstacle } from "../session/files/workspace.ts";
export type { RecordKind } from "../session/record-kinds.ts";
export type {
  AnySlice,
  PassedRecord,
  RecordOf,
  Refusal,
  Slice,
  SliceDiff,
  SliceUndo,
  Stamp,
  UndoRefusal,
  UndoRequestOf,
} from "../session/slice.ts";
export { undoByRebase, type Rebasable } from "../session/undo-by-rebase.ts";
export type { SessionState } from "../session/state.ts";
export type {
  Append,
  Appended,
  BlobId,
  Change,
  Content,
  Expectation,
  Extent,
  Journal,
  JournalRecord,
  Key,
  Lease,
  NextRecord,
  RecordQuery,
  Verified,
} from "../store/journal.ts";
