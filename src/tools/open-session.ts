// Owns: a session as a host holds it: opening, agents, and what only the host may do.

import { randomBytes } from "node:crypto";
import { HoldfastError, say } from "../errors.ts";
import { resolveLimits, type Limits } from "../limits.ts";
import type { NameAlphabet } from "../path/index.ts";
import { openBook, type OpenBook } from "../session/book.ts";
import type { FilesState } from "../session/files/file-state.ts";
import { filesSlice } from "../session/files/files-slice.ts";
import type { AnySlice } from "../session/slice.ts";
import { transact } from "../session/transact.ts";
import { undo, type UndoReport, type UndoRequest } from "../session/undo-request.ts";
import type {
  AuditEntry,
  AuditQuery,
  JournalRecord,
  Position,
  RecordQuery,
  Store,
} from "../store/journal.ts";
import { memoryStore } from "../store/memory.ts";
import { tokenOf } from "../store/token.ts";
import { Agent } from "./agent.ts";
import { AuditTrail } from "./audit-trail.ts";
import { systemClock, type Clock } from "./clock.ts";
import { Emitter, type Events } from "./events.ts";
import { Gateway } from "./gateway.ts";
import { checkIdentity, type Identity, type Policy } from "./identity.ts";
import { stderrLog, type Log } from "./log.ts";
import { RateLimit } from "./rate.ts";
import { requestHash } from "./request-hash.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./toolsets.ts";

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
  /** Holds back writes until it answers nothing. */
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

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

function newSessionId(): string {
  return Array.from(randomBytes(26), (byte) => BASE32[byte & 31]).join("");
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
  const tools = toolMap([...TOOLS, ...(options.tools ?? [])]);
  const store = options.store ?? memoryStore();
  const id = options.id ?? newSessionId();
  const journal = await store.open(id, {
    create: true,
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  const { log = stderrLog } = options;
  const book = await openBook(journal, [filesSlice, ...(options.slices ?? [])], {
    limits,
    report: (what, cause) => log.error(what, { session: id, cause }),
  });
  return new Session(id, store, book, tools, limits, options);
}

function toolMap(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (map.has(tool.name)) throw new TypeError(`two tools are named ${tool.name}`);
    map.set(tool.name, tool);
  }
  return map;
}

export class Session {
  readonly id: string;
  readonly #store: Store;
  readonly #book: OpenBook;
  readonly #gateway: Gateway;
  readonly #audit: AuditTrail;
  readonly #events: Emitter;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #toolsets: readonly string[];

  /** @internal Use {@link openSession}. */
  constructor(
    id: string,
    store: Store,
    book: OpenBook,
    tools: ReadonlyMap<string, Tool>,
    limits: Limits,
    options: SessionOptions,
  ) {
    const { clock = systemClock, log = stderrLog, names = "ascii", readOnly = false, openGate } = options;
    this.id = id;
    this.#store = store;
    this.#book = book;
    this.#clock = clock;
    this.#limits = limits;
    this.#tools = tools;
    this.#toolsets = options.toolsets ?? [...new Set([...tools.values()].map((tool) => tool.toolset))];
    this.#audit = new AuditTrail(book.journal, log);
    this.#events = new Emitter(log);
    this.#gateway = new Gateway({
      session: id,
      book,
      tools,
      policy: { readOnly, toolsets: this.#toolsets, openGate },
      limits,
      names,
      clock,
      rate: new RateLimit(limits.callsPerMinute, limits.callBurst),
      audit: this.#audit,
      events: this.#events,
      log,
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

  /** Takes records back, whoever made them, as one new commit. */
  async undo(request: UndoRequest): Promise<UndoReport> {
    const { slices, journal } = this.#book;
    const outcome = await transact(
      this.#book,
      {
        kind: "undo",
        agent: "host",
        role: "host",
        request: requestHash("undo", request),
        targets: [],
        pins: [],
        time: this.#clock.now(),
        quota: { bytes: this.#limits.sessionBytes, files: this.#limits.sessionFiles },
        tries: this.#limits.contentionTries,
        dryRun: false,
      },
      (draft) => undo(slices, journal, draft, request),
      () => undefined,
    );
    if (outcome.kind === "committed" || outcome.kind === "unwritten") return outcome.value;
    throw new HoldfastError("internal", "unexpected", say`The undo was not committed.`);
  }

  /** What was committed, by whom. */
  log(query: RecordQuery): Promise<JournalRecord[]> {
    return this.#book.journal.records(query);
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
