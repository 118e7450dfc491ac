// Declares the public surface of the tools room: sessions, agents, and how to add a tool.

export { Agent, type BoundTool } from "./agent.ts";
export type { Clock } from "./clock.ts";
export type { Advertised, ToolDefinition } from "./definition.ts";
export type { Events, ToolEvent } from "./events.ts";
export type { CallOptions } from "./gateway.ts";
export type { Identity, OpenGate, Policy, Role } from "./identity.ts";
export type { Log } from "./log.ts";
export { openSession, Session, type FileInfo, type SessionOptions } from "./open-session.ts";
export { paging } from "./paging.ts";
export type { Blame, BlameRequest, BlameRun } from "../session/blame.ts";
export type { DiffRequest, FileDiff, FileSide, SessionDiff } from "../session/diff.ts";
export type { WatchOptions } from "../session/history.ts";
export type { LogQuery } from "../session/log.ts";
export type { PositionRef } from "../session/position-ref.ts";
export type { Part, Restored, RestoreRequest } from "../session/restore.ts";
export type { Pruned, PruneRequest } from "../session/retention.ts";
export { allSessions, expireSessions, sessionsNamed } from "../session/sessions.ts";
export type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
export type { UndoReport, UndoRequest } from "../session/undo-request.ts";
export type { SessionVerified, VerifyOptions } from "../session/verify.ts";
export type { CallError, CallResult } from "./result.ts";
export type { StandardSchema } from "./standard-schema.ts";
export {
  defineTool,
  type Access,
  type Ctx,
  type Permissions,
  type ReadCtx,
  type Resumed,
  type Shared,
  type Target,
  type TokenForm,
  type Tool,
  type ToolDef,
  type Viewed,
  type ViewKind,
  type WriteCtx,
} from "./tool.ts";
