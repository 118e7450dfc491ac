// Owns: an open session in the host's hands: its parts put together, and what it is asked handed to them.

import { say } from "../errors.ts";
import type { LandedUpdate } from "../host/lander.ts";
import type { LandingChoice, LandingPlan } from "../host/landing-plan.ts";
import type { FolderChange } from "../host/folder-change.ts";
import { SessionFolders } from "../host/session-folders.ts";
import type { RefreshReport, RefreshRequest } from "../host/refresh.ts";
import { LiveFolders } from "../host/live-folders.ts";
import type { MountReport, ResolvedMount } from "../host/mount.ts";
import { SessionMounts } from "../host/session-mounts.ts";
import type { SyncReport, SyncRequest } from "../host/sync-mirror.ts";
import { WorkDirectory, type DirectoryOptions } from "../host/work-directory.ts";
import { parsePath } from "../path/index.ts";
import type { Actor } from "../session/actor.ts";
import type { Blame, BlameRequest } from "../session/blame.ts";
import type { OpenCore } from "../session/open-core.ts";
import type { DiffRequest, SessionDiff } from "../session/diff.ts";
import { allFiles, type FileInfo } from "../session/files/workspace.ts";
import { History, type DryRun, type Placed, type WatchOptions } from "../session/history.ts";
import { SessionFiles, type HostFiles } from "../session/host-files.ts";
import {
  landingsOf,
  settleLanding,
  type Landing,
  type LandingReply,
  type Landings,
} from "../session/landings.ts";
import type { LogQuery } from "../session/log.ts";
import { positionOf, type PositionRef } from "../session/position-ref.ts";
import type { Restored, RestoreRequest } from "../session/restore.ts";
import type { PruneRequest, Pruned } from "../session/retention.ts";
import { newSessionId } from "../session/sessions.ts";
import type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
import type { UndoReport } from "../session/undo.ts";
import { requireNamed, type UndoRequest } from "../session/undo-request.ts";
import type { SessionVerified, VerifyOptions } from "../session/verify.ts";
import type { AuditEntry, AuditQuery, Journal, JournalRecord, Position, Store } from "../store/journal.ts";
import { SessionAgent, type Agent } from "./agent.ts";
import { AuditTrail } from "./audit-trail.ts";
import { systemClock } from "./clock.ts";
import { cursorKey } from "./cursor.ts";
import { Emitter, type Events } from "./events.ts";
import { SessionGateDesk, type GateDesk } from "./gates/gate-desk.ts";
import { gateLog } from "./gates/gate-sets.ts";
import { Gateway } from "./gateway.ts";
import { checkIdentity, includesTool, isOffered, type Identity } from "./identity.ts";
import { heardIn } from "./heard-replies.ts";
import { jsonJudge } from "./json/json-judge.ts";
import { LandingReplies } from "./landing-replies.ts";
import { stderrLog } from "./log.ts";
import { HOST_OPTIONS } from "./host-options.ts";
import { badOptions, checkArgument, checkNames, checkOptions } from "../text/options.ts";
import type { PolicyInForce, Settled } from "./policy-in-force.ts";
import { renderPrompt } from "./prompt.ts";
import { RateLimit } from "./rate.ts";
import type { Session, SessionOptions } from "./session.ts";
import { ViewRows } from "./view-rows.ts";
import { namesIn } from "./session-tools.ts";

const LOG_RECORDS = 100;
const EVENTS: readonly (keyof Events)[] = ["tool"];

/** Opens a fork of the session, of its own journal, with the same mounts. */
type Reopen = (journal: Journal, options: SessionOptions) => Promise<Session>;

/** An open session: what a host asks is checked here and handed to the part that carries it out. */
export class OpenedSession implements Session {
  readonly id: string;
  readonly gates: GateDesk;
  readonly workspace: HostFiles;
  readonly #host: Actor;
  readonly #policy: PolicyInForce;
  readonly #store: Store;
  readonly #core: OpenCore;
  readonly #gateway: Gateway;
  readonly #audit: AuditTrail;
  readonly #events: Emitter;
  readonly #history: History;
  readonly #mounts: SessionMounts;
  readonly #directory: WorkDirectory;
  readonly #folders: SessionFolders;
  readonly #live: LiveFolders;
  readonly #reopen: Reopen;
  readonly #isLive: boolean;

  constructor(
    reopen: Reopen,
    store: Store,
    core: OpenCore,
    policy: PolicyInForce,
    mounts: readonly ResolvedMount[],
    options: SessionOptions,
  ) {
    const { clock = systemClock, log = stderrLog } = options;
    const host = { agent: "host", role: "host", now: () => clock.now() };
    const { id } = core.journal;
    this.id = id;
    this.#reopen = reopen;
    this.#isLive = mounts.some(({ live }) => live);
    this.#store = store;
    this.#core = core;
    this.#host = host;
    this.#policy = policy;
    this.#history = new History(core, host);
    this.workspace = new SessionFiles(core, host);
    this.#folders = new SessionFolders(
      core,
      host,
      jsonJudge(),
      mounts.filter(({ live }) => !live),
    );
    this.#mounts = new SessionMounts({
      core,
      actor: host,
      mounts,
      onProgress: options.onMount,
      warn: (what) => log.error(what, { session: id }),
    });
    const report = (what: string, cause: unknown): void => log.error(what, { session: id, cause });
    this.#directory = new WorkDirectory({ core, host, isVolatile: store.isVolatile === true, report });
    this.#live = new LiveFolders({ core, host, mounts, report });
    this.gates = new SessionGateDesk(core, host, () => this.#settled.gates, gateLog(log));
    this.#audit = new AuditTrail(core.journal, log);
    this.#events = new Emitter(log);
    this.#gateway = new Gateway({
      session: id,
      core,
      policy,
      clock,
      rate: new RateLimit(() => core.limits),
      audit: this.#audit,
      events: this.#events,
      log,
      views: new ViewRows(core.journal),
      cursorKey: cursorKey(core.journal),
      replies: new LandingReplies(core, heardIn(this)),
    });
  }

  /** What the host has settled, as of now: here, by another opening of the session or in another process. */
  get #settled(): Settled {
    return this.#policy.in(this.#core.timeline.state);
  }

  as(identity: Identity): Agent {
    const agent = checkIdentity(identity, namesIn(this.#settled.tools));
    return new SessionAgent(this.id, agent, this.#gateway, () => {
      const { tools, policy, requireVersions } = this.#settled;
      return { tools: [...tools.values()].filter((tool) => isOffered(tool, agent, policy)), requireVersions };
    });
  }

  get at(): Position {
    return this.#core.timeline.state.at;
  }

  files(): FileInfo[] {
    return allFiles(this.#core.timeline.state);
  }

  async snapshot(label: string): Promise<Snapshot> {
    if (typeof label !== "string") throw badOptions(say`The label of a snapshot must be a string`);
    return this.#history.snapshot(label);
  }

  async snapshots(query?: SnapshotQuery): Promise<Snapshot[]> {
    checkOptions(say`snapshots`, query, HOST_OPTIONS.snapshots);
    return this.#history.snapshots(query);
  }

  async restore(request: RestoreRequest & DryRun): Promise<Restored & Placed> {
    checkOptions(say`restore`, request ?? {}, HOST_OPTIONS.restore);
    if (request?.to === undefined)
      throw badOptions(say`restore: to must name a position, such as a snapshot's id`);
    return this.#history.restore(request);
  }

  async reset(how: DryRun = {}): Promise<Restored & Placed> {
    checkOptions(say`reset`, how, HOST_OPTIONS.reset);
    this.#live.refuseReset();
    const mounts = await this.#mounts.anew();
    const done = await this.#history.reset({ ...how, files: mounts?.fill });
    if (how.dryRun === true) return done;
    await mounts?.done();
    await this.#directory.renew();
    return done;
  }

  async directory(how?: DirectoryOptions): Promise<string> {
    checkOptions(say`directory`, how, HOST_OPTIONS.directory);
    return this.#directory.directory(how);
  }

  async settled(at?: PositionRef): Promise<void> {
    if (at !== undefined) checkArgument(say`settled: the position`, at, "position");
    return this.#directory.settled(at);
  }

  async sync(how?: SyncRequest & DryRun): Promise<SyncReport> {
    checkOptions(say`sync`, how, HOST_OPTIONS.sync);
    return this.#directory.sync(how);
  }

  async mount(): Promise<void> {
    await this.#live.take();
    await this.#mounts.open();
    await this.#live.open();
  }

  /** Leaves the live folders, which stay as they are. */
  leave(): Promise<void> {
    return this.#live.close();
  }

  get mounted(): readonly MountReport[] {
    return this.#mounts.reports;
  }

  async refresh(how: RefreshRequest = {}): Promise<RefreshReport> {
    checkOptions(say`refresh`, how, HOST_OPTIONS.refresh);
    return this.#folders.refresh(how);
  }

  outsideChanges(): Promise<FolderChange[]> {
    return this.#folders.outsideChanges();
  }

  async plan(choice: LandingChoice = {}): Promise<LandingPlan> {
    checkOptions(say`plan`, choice, HOST_OPTIONS.plan);
    return this.#folders.plan(choice);
  }

  resumeLanding(): Promise<LandedUpdate | undefined> {
    return this.#folders.resume();
  }

  async revertLanding(landing: number): Promise<LandedUpdate> {
    if (!Number.isSafeInteger(landing) || landing < 1)
      throw badOptions(say`revertLanding: the landing is the number that land() returned`);
    return this.#folders.revert(landing);
  }

  prompt(): string {
    const { tools, policy, rules, limits } = this.#settled;
    return renderPrompt({
      tools: [...tools.values()].filter((tool) => includesTool(policy.toolsets, tool)),
      files: this.files().filter(({ path }) => rules.of(path).read),
      isStored: this.#store.isVolatile !== true,
      isReadOnly: policy.readOnly,
      isLive: this.#isLive,
      writeSize: limits.writeSize,
    });
  }

  agentsMayRead(path: string): boolean {
    const { limits, names, rules } = this.#settled;
    return rules.of(parsePath(path, { kind: "any", allowRoot: true, limits, names })).read;
  }

  landings(): Landing[] {
    return landingsOf(this.#core.timeline.state.slices.get("landings") as Landings);
  }

  settleLanding(request: number, reply: LandingReply): Promise<Position> {
    return settleLanding(this.#core, this.#host, request, reply);
  }

  async fork(
    how: { readonly at?: PositionRef; readonly id?: string; readonly name?: string } = {},
  ): Promise<Session> {
    checkOptions(say`fork`, how, HOST_OPTIONS.fork);
    const { timeline } = this.#core;
    const { at } = await (how.at === undefined ? timeline.catchUp() : timeline.past(positionOf(how.at)));
    const named = how.name === undefined ? {} : { name: how.name };
    const journal = await this.#store.fork(this.id, at, how.id ?? newSessionId(), named);
    const { name: _, files: __, ...own } = this.#policy.options(timeline.state);
    return this.#reopen(journal, { ...own, ...named, id: journal.id });
  }

  async undo(request: UndoRequest & DryRun): Promise<UndoReport & Placed> {
    checkOptions(say`undo`, request ?? {}, HOST_OPTIONS.undo);
    requireNamed(request ?? {});
    return this.#history.undo(request);
  }

  async diff(request?: DiffRequest): Promise<SessionDiff> {
    checkOptions(say`diff`, request, HOST_OPTIONS.diff);
    return this.#history.diff(request);
  }

  async log(query: Partial<LogQuery> = {}): Promise<JournalRecord[]> {
    checkOptions(say`log`, query, HOST_OPTIONS.log);
    return this.#history.log({ limit: LOG_RECORDS, ...query });
  }

  async blame(request: BlameRequest): Promise<Blame> {
    checkOptions(say`blame`, request ?? {}, HOST_OPTIONS.blame);
    if (request?.path === undefined) throw badOptions(say`blame: path must name a file`);
    return this.#history.blame(request);
  }

  async verify(how?: VerifyOptions): Promise<SessionVerified> {
    checkOptions(say`verify`, how, HOST_OPTIONS.verify);
    return this.#history.verify(how);
  }

  watch(options?: WatchOptions): AsyncGenerator<JournalRecord, void, undefined> {
    checkOptions(say`watch`, options, HOST_OPTIONS.watch);
    return this.#history.watch(options);
  }

  async prune(request: PruneRequest): Promise<Pruned> {
    checkOptions(say`prune`, request ?? {}, HOST_OPTIONS.prune);
    const before: unknown = request?.before;
    if (!Number.isSafeInteger(before) && !(before instanceof Date))
      throw badOptions(say`prune: before must be the number of a record, or a Date`);
    return this.#history.prune(request);
  }

  async audited(query: Partial<AuditQuery> = {}): Promise<AuditEntry[]> {
    checkOptions(say`audited`, query, HOST_OPTIONS.audited);
    await this.#audit.flush();
    return this.#core.journal.audited({ limit: LOG_RECORDS, ...query });
  }

  on<K extends keyof Events>(name: K, listener: (event: Events[K]) => void): () => void {
    checkNames(say`on`, [name], EVENTS);
    if (typeof listener !== "function") throw badOptions(say`on: the listener must be a function`);
    return this.#events.on(name, listener);
  }

  async close(how: { readonly delete?: boolean } = {}): Promise<void> {
    checkOptions(say`close`, how, HOST_OPTIONS.close);
    this.#gateway.close();
    await this.#audit.flush();
    await this.#live.close();
    await this.#directory.close({ isDeleted: how.delete === true });
    await this.#audit.close();
    await this.#core.close();
    if (how.delete === true) await this.#store.remove(this.id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
