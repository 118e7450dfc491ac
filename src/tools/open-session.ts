// Owns: opening a session, and handing what it is asked to the parts that carry it out.

import { say } from "../errors.ts";
import { LIMITS, resolveLimits, type Limits } from "../limits.ts";
import type { Blame, BlameRequest } from "../session/blame.ts";
import { openCore, type OpenCore } from "../session/open-core.ts";
import type { DiffRequest, SessionDiff } from "../session/diff.ts";
import type { FilesState } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import { fileInfo, type FileInfo } from "../session/files/workspace.ts";
import { gatesSlice } from "../session/gates/gates-slice.ts";
import { History, type WatchOptions } from "../session/history.ts";
import type { LogQuery } from "../session/log.ts";
import { positionOf, type PositionRef } from "../session/position-ref.ts";
import type { Restored, RestoreRequest } from "../session/restore.ts";
import type { PruneRequest, Pruned } from "../session/retention.ts";
import { newSessionId } from "../session/sessions.ts";
import { treeSlice } from "../session/tree/tree-slice.ts";
import type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
import type { UndoReport } from "../session/undo.ts";
import type { UndoRequest } from "../session/undo-request.ts";
import type { SessionVerified, VerifyOptions } from "../session/verify.ts";
import type { AuditEntry, AuditQuery, Journal, JournalRecord, Position, Store } from "../store/journal.ts";
import { memoryStore } from "../store/memory.ts";
import { SessionAgent, type Agent } from "./agent.ts";
import { AuditTrail } from "./audit-trail.ts";
import { systemClock } from "./clock.ts";
import { CursorKey } from "./cursor.ts";
import { Emitter, type Events } from "./events.ts";
import { SessionGateDesk, type GateDesk } from "./gates/gate-desk.ts";
import { gateLog, gateSets, requiredGates, type GateSetsByName } from "./gates/gate-sets.ts";
import { gateTools } from "./gates/gate-tools.ts";
import { Gateway } from "./gateway.ts";
import { checkIdentity, includesTool, type Identity, type Policy } from "./identity.ts";
import { stderrLog } from "./log.ts";
import { checkNames, checkOptions, type OptionNames } from "./options.ts";
import { RateLimit } from "./rate.ts";
import type { Session, SessionOptions } from "./session.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./toolsets.ts";
import { rulesetsOf, RULESETS } from "./tree/_rulesets.ts";
import { ViewRows } from "./view-rows.ts";

const SESSION_OPTIONS: OptionNames<SessionOptions> = {
  id: true,
  create: true,
  name: true,
  store: true,
  limits: true,
  readOnly: true,
  toolsets: true,
  tools: true,
  slices: true,
  names: true,
  gates: true,
  requireGates: true,
  rulesets: true,
  requireVersions: true,
  agentsMayRestore: true,
  openGate: true,
  clock: true,
  log: true,
};
const LOG_RECORDS = 100;
/** A session without gate sets has no such tools, and may still name the toolset. */
const TOOLSETS: readonly string[] = ["files", "patch", "tree", "gates", "history"];

/** Names by which tools are allowed: of toolsets, and their own. */
function namesIn(tools: ReadonlyMap<string, Tool>): readonly string[] {
  return [...new Set([...TOOLSETS, ...[...tools.values()].map((tool) => tool.toolset), ...tools.keys()])];
}

/**
 * Opens a session: an isolated workspace whose every change is one commit. Costs a few milliseconds and what has to be
 * replayed since the last checkpoint. Throws `invalid_argument` for options that cannot be, and what the store throws.
 *
 * @example
 * const session = await openSession();
 * const agent = session.as({ id: "planner", role: "editor" });
 * const r = await agent.call("write_file", { path: "notes.md", content: "# Plan\n" });
 */
export async function openSession(options: SessionOptions = {}): Promise<Session> {
  checkOptions(say`The options of a session`, options, SESSION_OPTIONS);
  checkNames(say`limits`, Object.keys(options.limits ?? {}), Object.keys(LIMITS));
  const limits = resolveLimits(options.limits);
  const sets = gateSets(options.gates ?? {});
  const gates = sets.size === 0 ? [] : gateTools(sets, options.log ?? stderrLog);
  const tools = toolMap([...TOOLS, ...gates, ...(options.tools ?? [])]);
  if (options.toolsets !== undefined) checkNames(say`toolsets`, options.toolsets, namesIn(tools));
  const store = options.store ?? memoryStore();
  const id = options.id ?? newSessionId();
  const journal = await store.open(id, {
    create: options.create ?? true,
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  return new OpenSession(store, await coreOf(journal, limits, options), tools, limits, {
    ...options,
    id,
    store,
  });
}

function coreOf(journal: Journal, limits: Limits, options: SessionOptions): Promise<OpenCore> {
  const { log = stderrLog, names = "ascii", slices = [] } = options;
  return openCore(journal, [filesSlice, gatesSlice, treeSlice, ...slices], {
    limits,
    names,
    report: (what, cause) => log.error(what, { session: journal.id, cause }),
  });
}

function toolMap(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (map.has(tool.name)) throw new TypeError(`two tools are named ${tool.name}`);
    map.set(tool.name, tool);
  }
  return map;
}

/** The required gates first, then whatever else the host asks. */
function firstOpen(
  sets: GateSetsByName,
  { requireGates = [], openGate }: SessionOptions,
): Policy["openGate"] {
  const required = requiredGates(sets, requireGates);
  return (state) => required(state) ?? openGate?.(state);
}

class OpenSession implements Session {
  readonly id: string;
  readonly gates: GateDesk;
  readonly #store: Store;
  readonly #core: OpenCore;
  readonly #gateway: Gateway;
  readonly #audit: AuditTrail;
  readonly #events: Emitter;
  readonly #history: History;
  readonly #options: SessionOptions;
  readonly #limits: Limits;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #toolsets: readonly string[];

  constructor(
    store: Store,
    core: OpenCore,
    tools: ReadonlyMap<string, Tool>,
    limits: Limits,
    options: SessionOptions,
  ) {
    const { clock = systemClock, log = stderrLog, names = "ascii", readOnly = false } = options;
    const sets = gateSets(options.gates ?? {});
    const host = { agent: "host", role: "host", now: () => clock.now() };
    const { id } = core.journal;
    this.id = id;
    this.#store = store;
    this.#core = core;
    this.#history = new History(core, host);
    this.gates = new SessionGateDesk(core, host, sets, gateLog(log));
    this.#options = options;
    this.#limits = limits;
    this.#tools = tools;
    this.#toolsets = options.toolsets ?? [...new Set([...tools.values()].map((tool) => tool.toolset))];
    this.#audit = new AuditTrail(core.journal, log);
    this.#events = new Emitter(log);
    this.#gateway = new Gateway({
      session: id,
      core,
      tools,
      policy: { readOnly, toolsets: this.#toolsets, openGate: firstOpen(sets, options) },
      limits,
      names,
      clock,
      rate: new RateLimit(limits.callsPerMinute, limits.callBurst),
      audit: this.#audit,
      events: this.#events,
      log,
      views: new ViewRows(core.journal),
      cursorKey: new CursorKey(core.journal),
      shared: new Map([[RULESETS, rulesetsOf(options.rulesets ?? [], limits)]]),
      permissions: { restoreAll: options.agentsMayRestore ?? false },
      requireVersions: options.requireVersions ?? true,
    });
  }

  as(identity: Identity): Agent {
    const agent = checkIdentity(identity, namesIn(this.#tools));
    const allowed = agent.toolsets ?? this.#toolsets;
    const tools = [...this.#tools.values()].filter(
      (tool) =>
        includesTool(allowed, tool) &&
        includesTool(this.#toolsets, tool) &&
        (tool.access === "read" || agent.role === "editor"),
    );
    return new SessionAgent(this.id, agent, tools, this.#gateway);
  }

  get at(): Position {
    return this.#core.timeline.state.at;
  }

  files(): FileInfo[] {
    const state = this.#core.timeline.state.slices.get("files") as FilesState;
    return Array.from(state.files.entries(), ([, entry]) => fileInfo(entry));
  }

  snapshot(label: string): Promise<Snapshot> {
    return this.#history.snapshot(label);
  }

  snapshots(query?: SnapshotQuery): Promise<Snapshot[]> {
    return this.#history.snapshots(query);
  }

  restore(request: RestoreRequest): Promise<Restored & { readonly at: Position }> {
    return this.#history.restore(request);
  }

  reset(): Promise<Restored & { readonly at: Position }> {
    return this.#history.reset();
  }

  async fork(
    how: { readonly at?: PositionRef; readonly id?: string; readonly name?: string } = {},
  ): Promise<Session> {
    const { timeline } = this.#core;
    const { at } = how.at === undefined ? timeline.state : await timeline.past(positionOf(how.at));
    const named = how.name === undefined ? {} : { name: how.name };
    const journal = await this.#store.fork(this.id, at, how.id ?? newSessionId(), named);
    const { name: _, ...own } = this.#options;
    const options = { ...own, ...named, id: journal.id };
    const core = await coreOf(journal, this.#limits, options);
    return new OpenSession(this.#store, core, this.#tools, this.#limits, options);
  }

  undo(request: UndoRequest): Promise<UndoReport> {
    return this.#history.undo(request);
  }

  diff(request?: DiffRequest): Promise<SessionDiff> {
    return this.#history.diff(request);
  }

  log(query: Partial<LogQuery> = {}): Promise<JournalRecord[]> {
    return this.#history.log({ limit: LOG_RECORDS, ...query });
  }

  blame(request: BlameRequest): Promise<Blame> {
    return this.#history.blame(request);
  }

  verify(how?: VerifyOptions): Promise<SessionVerified> {
    return this.#history.verify(how);
  }

  watch(options?: WatchOptions): AsyncGenerator<JournalRecord, void, undefined> {
    return this.#history.watch(options);
  }

  prune(request: PruneRequest): Promise<Pruned> {
    return this.#history.prune(request);
  }

  async audited(query: AuditQuery): Promise<AuditEntry[]> {
    await this.#audit.flush();
    return this.#core.journal.audited(query);
  }

  on<K extends keyof Events>(name: K, listener: (event: Events[K]) => void): () => void {
    return this.#events.on(name, listener);
  }

  async close(how: { readonly delete?: boolean } = {}): Promise<void> {
    this.#gateway.close();
    await this.#audit.flush();
    await this.#core.close();
    if (how.delete === true) await this.#store.remove(this.id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
