// Owns: what a running tool sees and may do. Every effect of a tool goes through here.

import { say, type Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { parsePath, type NameAlphabet, type WorkspacePath } from "../path/index.ts";
import { Draft, takeChange } from "../session/draft.ts";
import { pathsChanged } from "../session/files/file-history.ts";
import type { FilesState } from "../session/files/file-state.ts";
import { FilesMeant } from "../session/files/files-meant.ts";
import { closedToAgents, type HistoryCaller } from "../session/history-caller.ts";
import { Workspace, type Files, type PathRules, type StaleFiles } from "../session/files/workspace.ts";
import type { AnySlice, Slice } from "../session/slice.ts";
import type { SessionState } from "../session/state.ts";
import type { SessionCore } from "../session/transact.ts";
import { blame, type Blame, type BlameRequest } from "../session/blame.ts";
import { diffPositions, diffStates, type DiffRequest, type SessionDiff } from "../session/diff.ts";
import { readLog, type LogQuery } from "../session/log.ts";
import { positionOf } from "../session/position-ref.ts";
import { planRestore, type Restored, type RestoreRequest } from "../session/restore.ts";
import { standingOf, type Stands } from "../session/standing.ts";
import { listSnapshots, markSnapshot, type Snapshot, type SnapshotQuery } from "../session/snapshots.ts";
import { undo, type UndoReport } from "../session/undo.ts";
import { requireNamed, type UndoRequest } from "../session/undo-request.ts";
import type { Change, JournalRecord, Key, Position, RecordQuery } from "../store/journal.ts";
import type { ByteSource } from "../text/byte-source.ts";
import { takeFromCode } from "../text/code-json.ts";
import {
  badOptions,
  checkArgument,
  checkMethods,
  checkNames,
  checkOptions,
  isPosition,
} from "../text/options.ts";
import { Pacer } from "../text/steps.ts";
import type { Json } from "../value.ts";
import { makeCursor, readCursor, type CursorScope } from "./cursor.ts";
import { HOST_OPTIONS } from "./host-options.ts";
import type { Identity } from "./identity.ts";
import { INDEXES } from "./json/_document.ts";
import { jsonJudge } from "./json/json-judge.ts";
import type { Permissions, ReadCtx, Resumed, Shared, Target, Viewed, ViewKind, WriteCtx } from "./tool.ts";
import { ToolFiles } from "./tool-files.ts";
import type { MayWrite, ToolWrites } from "./tool-writes.ts";
import type { PinnedKeys } from "./versions.ts";
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
  readonly cursorKey: Buffer;
  readonly views: ViewRows;
  readonly shared: Map<object, unknown>;
  readonly permissions: Permissions;
  /** What the host lets agents do at which paths. */
  readonly rules: PathRules;
  /** Tools that require a version insist on it. */
  readonly requireVersions: boolean;
  /** Whether what the host has settled for this call is what holds in a state. */
  readonly holdsIn: (state: SessionState) => boolean;
  /** Makes a write depend on the gates that it needs. Throws `forbidden` / `gate_open` where one is open. */
  readonly passGates: (draft: Draft) => void;
  /** What a context lets the tool write. */
  readonly writes: (may: MayWrite) => ToolWrites;
  /** Sources to close when the call ends. */
  readonly opened: (ByteSource & { close(): void })[];
}

/** A call says by itself whether it is a dry run. */
const { dryRun: _restores, ...RESTORE_OPTIONS } = HOST_OPTIONS.restore;
const { dryRun: _undoes, ...UNDO_OPTIONS } = HOST_OPTIONS.undo;
const PATH_KINDS = ["file", "directory", "any"];
const NOTHING_PINNED: PinnedKeys = new Set();

export class Context implements WriteCtx {
  readonly now: Date;
  readonly files: Files;
  readonly #workspace: Workspace;
  readonly #writes: ToolWrites;
  readonly #frame: CallFrame;
  readonly #draft: Draft;
  readonly #pinned: PinnedKeys;
  #row: Promise<ViewRow> | undefined;
  #viewChange: ViewChange | undefined;

  /** `may` is what the tool may write here; `pinned` are the keys whose version the caller named, `stale` the files among them that it saw an older version of. */
  constructor(
    frame: CallFrame,
    draft: Draft,
    now: Date,
    may: MayWrite,
    pinned: PinnedKeys = NOTHING_PINNED,
    stale?: StaleFiles,
  ) {
    this.#frame = frame;
    this.#draft = draft;
    this.#pinned = pinned;
    this.now = now;
    this.#writes = frame.writes(may);
    const { core, limits, opened, rules } = frame;
    const { journal } = core;
    this.#workspace = new Workspace({ draft, journal, limits, time: now, opened, rules, stale });
    this.files = new ToolFiles(this.#workspace, frame, this.#writes);
  }

  /** Runs a part of the tool here; nothing can be written here once it has ended. Throws where it has lost a write. */
  during<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#writes.during(work);
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
    this.#requireOwn(slice);
    return this.#draft.reader(slice);
  }

  /** A slice that only has the name of another would show or change what that one guards. */
  #requireOwn(slice: AnySlice): void {
    if (this.#frame.core.slices.get(slice.name) !== slice)
      throw new TypeError(`the slice "${slice.name}" is not the one that this session has by that name`);
  }

  isPinned(target: Target): boolean {
    checkArgument(say`ctx.isPinned: target`, target, "object");
    return this.#pinned.has(target.key);
  }

  depend(keys: Iterable<string>): void {
    this.#writes.require("ctx.depend");
    const all = typeof keys === "object" && keys !== null && Symbol.iterator in keys ? [...keys] : keys;
    checkArgument(say`ctx.depend: keys`, all, "strings");
    this.#draft.depend(all);
  }

  path(text: string, kind: "file" | "directory" | "any"): WorkspacePath {
    const { limits, names } = this.#frame;
    checkNames(say`ctx.path: kind`, [kind], PATH_KINDS);
    return parsePath(text, { limits, names, kind, allowRoot: kind !== "file" });
  }

  /** Throws `forbidden` / `path_denied` for a path that the caller may not see, whether or not a file is there. */
  refuseHidden(path: WorkspacePath): void {
    this.#workspace.refuseHidden(path);
  }

  async past(at: Position): Promise<ReadCtx> {
    if (!isPosition(at)) throw badOptions(say`ctx.past: at must be a position, such as ctx.at, or a record`);
    const { core, agent } = this.#frame;
    const state = at.seq === this.at.seq ? this.#draft.base : await core.timeline.past(at);
    const draft = new Draft(core.slices, state, this.now, agent.id, false);
    return new Context(this.#frame, draft, this.now, "nothing");
  }

  async cursor(place: Json): Promise<Shown> {
    const { cursorKey, scope } = this.#frame;
    const taken = takeFromCode(place, "the place of a cursor", {});
    return makeCursor(cursorKey, scope(), { at: this.at, place: taken });
  }

  async resume(cursor: string): Promise<Resumed> {
    checkArgument(say`ctx.resume: cursor`, cursor, "string");
    const { cursorKey, scope } = this.#frame;
    const { at, place } = readCursor(cursorKey, scope(), cursor);
    return { ctx: await this.past(at), place };
  }

  async records(query: RecordQuery): Promise<JournalRecord[]> {
    checkArgument(say`ctx.records: query`, query, "object");
    checkOptions(say`ctx.records`, query, HOST_OPTIONS.records);
    return this.#frame.core.journal.records(query);
  }

  async standing(records: readonly JournalRecord[]): Promise<ReadonlyMap<number, Stands>> {
    checkArgument(say`ctx.standing: records`, records, "array");
    if (!records.every(isPosition))
      throw badOptions(say`ctx.standing: records must be a list of records, such as ctx.records gives`);
    return standingOf(this.#frame.core, this.at.seq, records);
  }

  async snapshots(query?: SnapshotQuery): Promise<Snapshot[]> {
    checkOptions(say`ctx.snapshots`, query, HOST_OPTIONS.snapshots);
    return listSnapshots(this.#frame.core.journal, query);
  }

  shared<T>(what: Shared<T>): T {
    checkMethods(say`ctx.shared: what`, what ?? {}, ["make"]);
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
    this.#writes.require("ctx.changeView", "view");
    checkMethods(say`ctx.changeView: kind`, kind, ["encode", "decode"]);
    checkArgument(say`ctx.changeView: change`, change, "function");
    const before = this.#viewChange?.of as ((view: V) => V) | undefined;
    const of = before === undefined ? change : (view: V): V => change(before(view));
    this.#viewChange = { kind, of } as ViewChange;
  }

  /** What the tool has asked to be done to the view. */
  get viewChange(): ViewChange | undefined {
    return this.#viewChange;
  }

  snapshot(label: string): void {
    this.#writes.require("ctx.snapshot");
    checkArgument(say`ctx.snapshot: label`, label, "string");
    markSnapshot(this.#draft, label);
  }

  restore(request: RestoreRequest): Promise<Restored> {
    return this.#writes.write("ctx.restore", async () => {
      checkOptions(say`ctx.restore`, request ?? {}, RESTORE_OPTIONS);
      checkArgument(say`ctx.restore: to`, request?.to, "position");
      const restored = await planRestore(this.#frame.core, this.#draft, request, this.#caller);
      await this.#requireWritable();
      return restored;
    });
  }

  touched(): ReadonlySet<Key> {
    return this.#draft.touched;
  }

  async preview(bounds: Pick<DiffRequest, "budget" | "limit"> = {}): Promise<SessionDiff> {
    checkOptions(say`ctx.preview`, bounds, HOST_OPTIONS.preview);
    const { base, made } = this.#draft;
    const request = { signal: this.signal, only: this.#mayRead, ...bounds };
    return diffStates(this.#frame.core, base, made, request);
  }

  change<S, C extends Change, R>(slice: Slice<S, C, R>, change: C): void {
    this.#writes.require("ctx.change");
    this.#requireOwn(slice);
    const taken = takeChange(change, slice.name);
    if (taken.slice !== slice.name)
      throw new TypeError(`a change of the slice "${taken.slice}" was given for "${slice.name}"`);
    this.#draft.change(taken);
  }

  undo(request: UndoRequest): Promise<UndoReport> {
    return this.#writes.write("ctx.undo", async () => {
      checkOptions(say`ctx.undo`, request ?? {}, UNDO_OPTIONS);
      requireNamed(request ?? {});
      const report = await undo(this.#frame.core, this.#draft, request, this.#caller);
      await this.#requireWritable();
      return report;
    });
  }

  readonly #mayRead = (path: WorkspacePath): boolean => this.#workspace.permission(path).read;

  /** What comes out of history goes past the host's rules too: a change of a file that is closed is refused unnamed. */
  async #requireWritable(): Promise<void> {
    const pace = new Pacer(this.signal);
    for (const path of pathsChanged(this.#draft.changes)) {
      if (!this.#workspace.permission(path).write) throw closedToAgents();
      await pace.step();
    }
  }

  get #caller(): HistoryCaller {
    const { agent, permissions } = this.#frame;
    return {
      agent: agent.id,
      mayUndoAll: permissions.restoreAll,
      signal: this.signal,
      judge: jsonJudge(this.shared(INDEXES)),
      permission: (path) => this.#workspace.permission(path),
    };
  }

  async log(query: LogQuery): Promise<JournalRecord[]> {
    checkArgument(say`ctx.log: query`, query, "object");
    checkOptions(say`ctx.log`, query, HOST_OPTIONS.log);
    return readLog(this.#frame.core, query, this.#mayRead);
  }

  async diff(request: DiffRequest): Promise<SessionDiff> {
    checkOptions(say`ctx.diff`, request, HOST_OPTIONS.diff);
    const { core } = this.#frame;
    const asked = { to: this.at, signal: this.signal, only: this.#mayRead, ...request };
    const { path, ...whole } = asked;
    const now = this.#draft.base;
    if (path === undefined || positionOf(asked.to).seq >= now.at.seq) return diffPositions(core, asked);
    const files = now.slices.get("files") as FilesState;
    const meant = await FilesMeant.by(files, this.path(path, "any"), new Pacer(this.signal));
    const only = (one: WorkspacePath, ids: readonly string[]): boolean =>
      asked.only(one, ids) && ids.some((id) => meant.has(id, [one]));
    return diffPositions(core, { ...whole, slice: "files", only });
  }

  async blame(request: BlameRequest): Promise<Blame> {
    checkOptions(say`ctx.blame`, request ?? {}, HOST_OPTIONS.blame);
    await this.files.stat(this.path(request?.path, "file"));
    return blame(this.#frame.core, { at: this.at, signal: this.signal, ...request });
  }
}
