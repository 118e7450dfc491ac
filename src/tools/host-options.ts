// Owns: which options each method of a session takes, and of what kind they are.

import type { SyncRequest } from "../host/sync-mirror.ts";
import type { DirectoryOptions } from "../host/work-directory.ts";
import type { LandingChoice } from "../host/landing-plan.ts";
import type { RefreshRequest } from "../host/refresh.ts";
import type { BlameRequest } from "../session/blame.ts";
import type { DiffRequest } from "../session/diff.ts";
import type { DryRun, WatchOptions } from "../session/history.ts";
import type { LogQuery } from "../session/log.ts";
import type { RestoreRequest } from "../session/restore.ts";
import type { PruneRequest } from "../session/retention.ts";
import type { SnapshotQuery } from "../session/snapshots.ts";
import type { UndoRequest } from "../session/undo-request.ts";
import type { VerifyOptions } from "../session/verify.ts";
import type { AuditQuery, RecordQuery } from "../store/journal.ts";
import type { OptionKinds } from "../text/options.ts";
import type { Session, SessionOptions } from "./session.ts";

type Fork = NonNullable<Parameters<Session["fork"]>[0]>;
type Close = NonNullable<Parameters<Session["close"]>[0]>;

const PART = { path: "string", slice: "string", scope: "string" } as const;
const TIMES = { since: "date", until: "date" } as const;
const RECORDS = {
  after: "number",
  upTo: "number",
  key: "string",
  agent: "string",
  tool: "string",
  kind: "string",
  newestFirst: "boolean",
  limit: "number",
  ...TIMES,
} as const;

/** Paths are of kind `any`: what reads them says what they must be. */
export const HOST_OPTIONS: {
  readonly open: OptionKinds<SessionOptions>;
  readonly snapshots: OptionKinds<SnapshotQuery>;
  readonly reset: OptionKinds<DryRun>;
  readonly refresh: OptionKinds<RefreshRequest>;
  readonly plan: OptionKinds<LandingChoice>;
  readonly restore: OptionKinds<RestoreRequest & DryRun>;
  readonly fork: OptionKinds<Fork>;
  readonly undo: OptionKinds<UndoRequest & DryRun>;
  readonly diff: OptionKinds<DiffRequest>;
  readonly records: OptionKinds<RecordQuery>;
  readonly log: OptionKinds<LogQuery>;
  readonly preview: OptionKinds<Pick<DiffRequest, "budget" | "limit">>;
  readonly blame: OptionKinds<BlameRequest>;
  readonly verify: OptionKinds<VerifyOptions>;
  readonly watch: OptionKinds<WatchOptions>;
  readonly prune: OptionKinds<PruneRequest>;
  readonly audited: OptionKinds<AuditQuery>;
  readonly close: OptionKinds<Close>;
  readonly directory: OptionKinds<DirectoryOptions>;
  readonly sync: OptionKinds<SyncRequest & DryRun>;
} = {
  open: {
    id: "string",
    create: "boolean",
    name: "string",
    store: "methods",
    limits: "object",
    readOnly: "boolean",
    toolsets: "strings",
    tools: "array",
    slices: "array",
    names: "string",
    gates: "object",
    requireGates: "strings",
    rules: "any",
    files: "object",
    mounts: "array",
    mountRoots: "strings",
    onMount: "function",
    rulesets: "array",
    requireVersions: "boolean",
    agentsMayRestore: "boolean",
    openGate: "function",
    clock: "methods",
    log: "methods",
  },
  snapshots: { before: "number", limit: "number" },
  reset: { dryRun: "boolean" },
  refresh: { take: "object", dryRun: "boolean", onProgress: "function" },
  plan: {
    records: "numbers",
    agents: "strings",
    paths: "array",
    leave: "strings",
    signal: "signal",
    onProgress: "function",
  },
  restore: { to: "position", dryRun: "boolean", ...PART },
  fork: { at: "position", id: "string", name: "string" },
  undo: {
    record: "records",
    last: "boolean",
    lastCallOf: "string",
    agent: "string",
    since: "number",
    path: "string",
    partial: "boolean",
    dryRun: "boolean",
  },
  diff: {
    from: "position",
    to: "position",
    after: "string",
    only: "function",
    budget: "number",
    limit: "number",
    signal: "signal",
    ...PART,
  },
  records: RECORDS,
  log: { ...RECORDS, path: "any" },
  preview: { budget: "number", limit: "number" },
  blame: { path: "any", at: "position", offset: "number", limit: "number", signal: "signal" },
  verify: { blobs: "boolean", states: "boolean", signal: "signal" },
  watch: { after: "number", signal: "signal" },
  prune: { before: "any" },
  audited: { agent: "string", tool: "string", outcome: "string", limit: "number", ...TIMES },
  close: { delete: "boolean" },
  directory: { acceptRaces: "boolean" },
  sync: { take: "object", gitignore: "boolean", dryRun: "boolean" },
};
