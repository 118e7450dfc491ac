// Owns: a session as a host holds it: opening, agents, and what only the host may do.

import type { GateConfigInput } from "../gates/index.ts";
import { resolveLimits, type Limits } from "../limits.ts";
import type { NameAlphabet } from "../path/index.ts";
import type { Blame, BlameRequest } from "../session/blame.ts";
import { openBook, type OpenBook } from "../session/book.ts";
import type { DiffRequest, SessionDiff } from "../session/diff.ts";
import type { FilesState } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import { gatesSlice } from "../session/gates/gates-slice.ts";
import { History, type WatchOptions } from "../session/history.ts";
import type { LogQuery } from "../session/log.ts";
import { positionOf, type PositionRef } from "../session/position-ref.ts";
import type { Restored, RestoreRequest } from "../session/restore.ts";
import type { PruneRequest, Pruned } from "../session/retention.ts";
import { newSessionId } from "../session/sessions.ts";
import type { AnySlice } from "../session/slice.ts";
import { treeSlice } from "../session/tree/tree-slice.ts";
import type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
import type { UndoReport, UndoRequest } from "../session/undo-request.ts";
import type { SessionVerified, VerifyOptions } from "../session/verify.ts";
import type { AuditEntry, AuditQuery, Journal, JournalRecord, Position, Store } from "../store/journal.ts";
import { memoryStore } from "../store/memory.ts";
import { tokenOf } from "../store/token.ts";
import { Agent } from "./agent.ts";
import { AuditTrail } from "./audit-trail.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Emitter, type Events } from "./events.ts";
import { GateDesk } from "./gates/gate-desk.ts";
import { gateLog, gateSets, requiredGates, type GateSetsByName } from "./gates/gate-sets.ts";
import { gateTools } from "./gates/gate-tools.ts";
import { Gateway } from "./gateway.ts";
import { checkIdentity, type Identity, type Policy } from "./identity.ts";
import { stderrLog, type Log } from "./log.ts";
import { RateLimit } from "./rate.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./toolsets.ts";
import { rulesetsOf, RULESETS } from "./tree/_rulesets.ts";
import { ViewRows } from "./view-rows.ts";

export interface SessionOptions {
  /** Opens the session of this id, creating it when the store has none. A fresh id when left out. */
  readonly id?: string;
  readonly name?: string;
  /** Where sessions are kept; in memory when left out. */
  readonly store?: Store;
  readonly limits?: { readonly [K in keyof Limits]?: number };
  /** No agent may change anything, whatever its role. */
  readonly readOnly?: boolean;
  /** Toolsets that agents of this session may use; all when left out. */
  readonly toolsets?: readonly string[];
  /** Tools of the host's own, beside ours. */
  readonly tools?: readonly Tool[];
  /** State of the host's own, for its tools. */
  readonly slices?: readonly AnySlice[];
  /** Letters that file names may have: printable ASCII unless the host says otherwise. */
  readonly names?: NameAlphabet;
  /** Gate sets by name: questions that an answer of an agent is judged by. */
  readonly gates?: Readonly<Record<string, GateConfigInput>>;
  /** Gate sets that must pass before anything but `submit_gates` may write. */
  readonly requireGates?: readonly string[];
  /** Rulesets that validate_tree and lint_payload know by their id, as JSON; workspace files are known by their path. */
  readonly rulesets?: readonly unknown[];
  /** False: tree tools accept calls that name no version. */
  readonly requireVersions?: boolean;
  /** Agents may restore the whole session or a path, and so revert the work of others. */
  readonly agentsMayRestore?: boolean;
  /** Holds back writes until it answers nothing; asked after the required gates. */
  readonly openGate?: Policy["openGate"];
  readonly clock?: Clock;
  readonly log?: Log;
}

/** A file as the host sees it. */
export interface FileInfo {
  readonly path: string;
  readonly encoding: string | null;
  readonly size_bytes: number;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly token: string;
}

/**
 * Opens a session: an isolated workspace whose every change is one commit.
 *
 * @example
 * const session = await openSession();
 * const agent = session.as({ id: "planner", role: "editor" });
 * const r = await agent.call("write_file", { path: "notes.md", content: "# Plan\n" });
 */
export async function openSession(options: SessionOptions = {}): Promise<Session> {
  const limits = resolveLimits(options.limits);
  const sets = gateSets(options.gates ?? {});
  const gates = sets.size === 0 ? [] : gateTools(sets, options.log ?? stderrLog);
  const tools = toolMap([...TOOLS, ...gates, ...(options.tools ?? [])]);
  const store = options.store ?? memoryStore();
  const id = options.id ?? newSessionId();
  const journal = await store.open(id, {
    create: true,
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  return new Session(store, await bookOf(journal, limits, options), tools, limits, { ...options, id, store });
}

function bookOf(journal: Journal, limits: Limits, options: SessionOptions): Promise<OpenBook> {
  const { log = stderrLog, names = "ascii", slices = [] } = options;
  return openBook(journal, [filesSlice, gatesSlice, treeSlice, ...slices], {
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

export class Session {
  readonly id: string;
  /** What only the host may do with gates. */
  readonly gates: GateDesk;
  readonly #store: Store;
  readonly #book: OpenBook;
  readonly #gateway: Gateway;
  readonly #audit: AuditTrail;
  readonly #events: Emitter;
  readonly #history: History;
  readonly #options: SessionOptions;
  readonly #limits: Limits;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #toolsets: readonly string[];

  /** @internal Use {@link openSession}. */
  constructor(
    store: Store,
    book: OpenBook,
    tools: ReadonlyMap<string, Tool>,
    limits: Limits,
    options: SessionOptions,
  ) {
    const { clock = systemClock, log = stderrLog, names = "ascii", readOnly = false } = options;
    const sets = gateSets(options.gates ?? {});
    const host = { agent: "host", role: "host", now: () => clock.now() };
    const { id } = book.journal;
    this.id = id;
    this.#store = store;
    this.#book = book;
    this.#history = new History(book, host);
    this.gates = new GateDesk(book, host, sets, gateLog(log));
    this.#options = options;
    this.#limits = limits;
    this.#tools = tools;
    this.#toolsets = options.toolsets ?? [...new Set([...tools.values()].map((tool) => tool.toolset))];
    this.#audit = new AuditTrail(book.journal, log);
    this.#events = new Emitter(log);
    this.#gateway = new Gateway({
      session: id,
      book,
      tools,
      policy: { readOnly, toolsets: this.#toolsets, openGate: firstOpen(sets, options) },
      limits,
      names,
      clock,
      rate: new RateLimit(limits.callsPerMinute, limits.callBurst),
      audit: this.#audit,
      events: this.#events,
      log,
      views: new ViewRows(book.journal),
      shared: new Map([[RULESETS, rulesetsOf(options.rulesets ?? [], limits)]]),
      permissions: { restoreAll: options.agentsMayRestore ?? false },
      requireVersions: options.requireVersions ?? true,
    });
  }

  /** The session as one agent may use it. */
  as(identity: Identity): Agent {
    const agent = checkIdentity(identity);
    const allowed = agent.toolsets ?? this.#toolsets;
    const tools = [...this.#tools.values()].filter(
      ({ toolset, access }) =>
        allowed.includes(toolset) &&
        this.#toolsets.includes(toolset) &&
        (access === "read" || agent.role === "editor"),
    );
    return new Agent(this.id, agent, tools, this.#gateway);
  }

  /** Where the session stands. */
  get at(): Position {
    return this.#book.timeline.state.at;
  }

  /** All files, sorted by the segments of their paths. */
  files(): FileInfo[] {
    const state = this.#book.timeline.state.slices.get("files") as FilesState;
    return Array.from(state.files.entries(), ([, entry]) => ({
      path: entry.path,
      encoding: entry.encoding,
      size_bytes: entry.content.size,
      version: entry.version,
      created_at: entry.created,
      updated_at: entry.updated,
      token: tokenOf(entry.at),
    }));
  }

  /**
   * Gives the present a name, at the cost of one small record. `id` is what {@link restore}, {@link diff} and
   * {@link fork} take.
   */
  snapshot(label: string): Promise<Snapshot> {
    return this.#history.snapshot(label);
  }

  /** Newest first. */
  snapshots(query?: SnapshotQuery): Promise<Snapshot[]> {
    return this.#history.snapshots(query);
  }

  /**
   * Makes the session, or a part of it, what it was at a position: one new commit, which can be undone. Throws `conflict` /
   * `restore_refused` with all that stands in the way, and nothing is written.
   *
   * @example await session.restore({ to: snapshot.id, path: "/workspace/src" });
   */
  restore(request: RestoreRequest): Promise<Restored & { readonly at: Position }> {
    return this.#history.restore(request);
  }

  /** Empties the session: one new commit, which can be undone. History stays. */
  reset(): Promise<Restored & { readonly at: Position }> {
    return this.#history.reset();
  }

  /**
   * A session of its own with the state and history up to a position, the present when left out. Its tools, limits and
   * policy are this session's.
   */
  async fork(
    how: { readonly at?: PositionRef; readonly id?: string; readonly name?: string } = {},
  ): Promise<Session> {
    const { timeline } = this.#book;
    const { at } = how.at === undefined ? timeline.state : await timeline.past(positionOf(how.at));
    const named = how.name === undefined ? {} : { name: how.name };
    const journal = await this.#store.fork(this.id, at, how.id ?? newSessionId(), named);
    const { name: _, ...own } = this.#options;
    const options = { ...own, ...named, id: journal.id };
    const book = await bookOf(journal, this.#limits, options);
    return new Session(this.#store, book, this.#tools, this.#limits, options);
  }

  /** Takes records back, whoever made them, as one new commit. */
  undo(request: UndoRequest): Promise<UndoReport> {
    return this.#history.undo(request);
  }

  /** What differs between two positions: from the beginning to the present when left out. */
  diff(request?: DiffRequest): Promise<SessionDiff> {
    return this.#history.diff(request);
  }

  /** What was committed, by whom. */
  log(query: LogQuery): Promise<JournalRecord[]> {
    return this.#history.log(query);
  }

  /** Which record, agent and tool brought in each line of a file. */
  blame(request: BlameRequest): Promise<Blame> {
    return this.#history.blame(request);
  }

  /** Checks that the history holds together. Reads all of it. */
  verify(how?: VerifyOptions): Promise<SessionVerified> {
    return this.#history.verify(how);
  }

  /** Records as they are committed, by whomever, until the signal ends it. */
  watch(options?: WatchOptions): AsyncGenerator<JournalRecord, void, undefined> {
    return this.#history.watch(options);
  }

  /** Forgets the changes of old records: they stay listed, but can no longer be undone, restored or blamed. */
  prune(request: PruneRequest): Promise<Pruned> {
    return this.#history.prune(request);
  }

  /** How every call ended. Entries that were waiting are written first. */
  async audited(query: AuditQuery): Promise<AuditEntry[]> {
    await this.#audit.flush();
    return this.#book.journal.audited(query);
  }

  /** Answers the function that stops listening. */
  on<K extends keyof Events>(name: K, listener: (event: Events[K]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Ends all use of this session here; with `delete`, its history and content too. */
  async close(how: { readonly delete?: boolean } = {}): Promise<void> {
    this.#gateway.close();
    await this.#audit.flush();
    await this.#book.close();
    if (how.delete === true) await this.#store.remove(this.id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
