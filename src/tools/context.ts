// Owns: what a running tool sees and may do. Every effect of a tool goes through here.

import type { Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { parsePath, type NameAlphabet, type WorkspacePath } from "../path/index.ts";
import { Draft } from "../session/draft.ts";
import { Workspace, type Files } from "../session/files/workspace.ts";
import type { Slice } from "../session/slice.ts";
import type { SessionCore } from "../session/transact.ts";
import { blame, type Blame, type BlameRequest } from "../session/blame.ts";
import { diffPositions, type DiffRequest, type SessionDiff } from "../session/diff.ts";
import { readLog, type LogQuery } from "../session/log.ts";
import { planRestore, type Restored, type RestoreRequest } from "../session/restore.ts";
import { listSnapshots, markSnapshot, type Snapshot, type SnapshotQuery } from "../session/snapshots.ts";
import { undo, type UndoReport } from "../session/undo.ts";
import type { UndoRequest } from "../session/undo-request.ts";
import type { Change, JournalRecord, Position, RecordQuery } from "../store/journal.ts";
import type { ByteSource } from "../text/byte-source.ts";
import type { Json } from "../value.ts";
import { makeCursor, readCursor, type CursorKey, type CursorScope } from "./cursor.ts";
import type { Identity } from "./identity.ts";
import type { Permissions, ReadCtx, Resumed, Shared, Viewed, ViewKind, WriteCtx } from "./tool.ts";
import type { ViewChange, ViewRow, ViewRows } from "./view-rows.ts";

/** What stays the same for all contexts of one call. */
export interface CallFrame {
  readonly core: SessionCore;
  readonly agent: Identity;
  readonly limits: Limits;
  readonly names: NameAlphabet;
  readonly signal: AbortSignal;
  readonly budget: number;
  readonly scope: () => CursorScope;
  readonly cursorKey: CursorKey;
  readonly views: ViewRows;
  readonly shared: Map<object, unknown>;
  readonly permissions: Permissions;
  /** Tools that require a version insist on it. */
  readonly requireVersions: boolean;
  /** Sources to close when the call ends. */
  readonly opened: (ByteSource & { close(): void })[];
}

export class Context implements WriteCtx {
  readonly now: Date;
  readonly files: Files;
  readonly #frame: CallFrame;
  readonly #draft: Draft;
  #row: Promise<ViewRow> | undefined;
  #viewChange: ViewChange | undefined;

  constructor(frame: CallFrame, draft: Draft, now: Date) {
    this.#frame = frame;
    this.#draft = draft;
    this.now = now;
    const { core, limits, opened } = frame;
    this.files = new Workspace({ draft, journal: core.journal, limits, time: now, opened });
  }

  get at(): Position {
    return this.#draft.base.at;
  }

  get agent(): Identity {
    return this.#frame.agent;
  }

  get limits(): Limits {
    return this.#frame.limits;
  }

  get names(): NameAlphabet {
    return this.#frame.names;
  }

  get signal(): AbortSignal {
    return this.#frame.signal;
  }

  get budget(): number {
    return this.#frame.budget;
  }

  get permissions(): Permissions {
    return this.#frame.permissions;
  }

  slice<S, C extends Change, R>(slice: Slice<S, C, R>): R {
    return this.#draft.reader(slice);
  }

  depend(keys: Iterable<string>): void {
    this.#draft.depend(keys);
  }

  path(text: string, kind: "file" | "directory" | "any"): WorkspacePath {
    const { limits, names } = this.#frame;
    return parsePath(text, { limits, names, kind, allowRoot: kind !== "file" });
  }

  async past(at: Position): Promise<ReadCtx> {
    const { core, agent } = this.#frame;
    const state = at.seq === this.at.seq ? this.#draft.base : await core.timeline.past(at);
    return new Context(this.#frame, new Draft(core.slices, state, this.now, agent.id), this.now);
  }

  async cursor(place: Json): Promise<Shown> {
    const { cursorKey, scope } = this.#frame;
    return makeCursor(await cursorKey.get(), scope(), { at: this.at, place });
  }

  async resume(cursor: string): Promise<Resumed> {
    const { cursorKey, scope } = this.#frame;
    const { at, place } = readCursor(await cursorKey.get(), scope(), cursor);
    return { ctx: await this.past(at), place };
  }

  records(query: RecordQuery): Promise<JournalRecord[]> {
    return this.#frame.core.journal.records(query);
  }

  snapshots(query?: SnapshotQuery): Promise<Snapshot[]> {
    return listSnapshots(this.#frame.core.journal, query);
  }

  shared<T>(what: Shared<T>): T {
    const { shared, limits } = this.#frame;
    if (!shared.has(what)) shared.set(what, what.make(limits));
    return shared.get(what) as T;
  }

  /** The agent's row as this context first saw it. */
  row(): Promise<ViewRow> {
    this.#row ??= this.#frame.views.load(this.agent.id);
    return this.#row;
  }

  async view<V>(kind: ViewKind<V>): Promise<Viewed<V>> {
    const row = await this.row();
    const view = row.view(kind);
    return { view: this.#viewChange === undefined ? view : (this.#viewChange.of(view) as V), rev: row.rev };
  }

  changeView<V>(kind: ViewKind<V>, change: (view: V) => V): void {
    const before = this.#viewChange?.of as ((view: V) => V) | undefined;
    const of = before === undefined ? change : (view: V): V => change(before(view));
    this.#viewChange = { kind, of } as ViewChange;
  }

  /** What the tool has asked to be done to the view. */
  get viewChange(): ViewChange | undefined {
    return this.#viewChange;
  }

  snapshot(label: string): void {
    markSnapshot(this.#draft, label);
  }

  restore(request: RestoreRequest): Promise<Restored> {
    return planRestore(this.#frame.core, this.#draft, request);
  }

  change<S, C extends Change, R>(_slice: Slice<S, C, R>, change: C): void {
    this.#draft.change(change);
  }

  undo(request: UndoRequest): Promise<UndoReport> {
    return undo(this.#frame.core, this.#draft, request);
  }

  log(query: LogQuery): Promise<JournalRecord[]> {
    return readLog(this.#frame.core, query);
  }

  diff(request: DiffRequest): Promise<SessionDiff> {
    return diffPositions(this.#frame.core, { to: this.at, signal: this.signal, ...request });
  }

  blame(request: BlameRequest): Promise<Blame> {
    return blame(this.#frame.core, { at: this.at, signal: this.signal, ...request });
  }
}
