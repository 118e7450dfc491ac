// Owns: what a tool is. A toolset only declares tools; everything around them happens once, in the call path.

import type { z } from "zod";
import type { Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { NameAlphabet, WorkspacePath } from "../path/index.ts";
import type { RecordKind } from "../session/record-kinds.ts";
import { dirKey, fileKey } from "../session/files/file-keys.ts";
import type { Files, ReadonlyFiles } from "../session/files/workspace.ts";
import type { Slice } from "../session/slice.ts";
import type { Change, Key, JournalRecord, Position, RecordQuery } from "../store/journal.ts";
import type { Json } from "../value.ts";
import { requireStrict } from "./strictness.ts";
import type { Identity } from "./identity.ts";
import type { Blame, BlameRequest } from "../session/blame.ts";
import type { DiffRequest, SessionDiff } from "../session/diff.ts";
import type { LogQuery } from "../session/log.ts";
import type { Restored, RestoreRequest } from "../session/restore.ts";
import type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
import type { UndoReport } from "../session/undo.ts";
import type { UndoRequest } from "../session/undo-request.ts";

/** What a call works on: the key that versions are checked against, and how callers name it. */
export interface Target {
  readonly key: Key;
  readonly name: Shown;
  /**
   * Where a tool requires a version: `required`, this target's own must be named; `optional`, it need not, since the call
   * will not change it as far as can be said before. Otherwise one version of any target is enough.
   */
  readonly pin?: "required" | "optional";
}

/** A file as the target of a call. */
export function fileTarget(path: WorkspacePath): Target {
  return { key: fileKey(path), name: path };
}

/** Which names a directory holds, as the target of a call. */
export function directoryTarget(path: WorkspacePath): Target {
  return { key: dirKey(path), name: path };
}

/** What one agent keeps for itself beside the session's state: no history, no undo. One kind per session. */
export interface ViewKind<V> {
  readonly empty: V;
  encode(view: V): Uint8Array;
  decode(bytes: Uint8Array): V;
}

/** `rev` counts the changes of the agent's view; 0 when there was none. */
export interface Viewed<V> {
  readonly view: V;
  readonly rev: number;
}

/** What tools of one open session share, made when first asked for. Never part of its state. */
export interface Shared<T> {
  make(limits: Limits): T;
}

/** How a tool writes and reads its version tokens, where they hold more than a place in history. */
export interface TokenForm {
  /** `rev` is that of the agent's view. */
  write(at: Position, rev: number): Shown;
  /** Undefined when the text is no such token; `rev` is absent when the token names no view. */
  read(text: string): { readonly at: Position; readonly rev?: number } | undefined;
}

/** What the host lets agents do beyond their own work. */
export interface Permissions {
  /** Restoring the session or a path, which reverts the work of others. */
  readonly restoreAll: boolean;
}

/** What a reading tool sees: one immutable state. Reading through a slice records what the call depends on. */
export interface ReadCtx {
  readonly at: Position;
  readonly now: Date;
  readonly agent: Identity;
  readonly limits: Limits;
  /** The letters that names of files may have. */
  readonly names: NameAlphabet;
  readonly signal: AbortSignal;
  /** Characters that the answer's text may have. */
  readonly budget: number;
  slice<S, C extends Change, R>(slice: Slice<S, C, R>): R;
  /** Reads a path as a caller sent it. Throws `invalid_argument` for one that leaves the workspace or cannot be a name. */
  path(text: string, kind: "file" | "directory" | "any"): WorkspacePath;
  /** The session's files: the only way to them. */
  readonly files: ReadonlyFiles;
  /** The same session at another position. */
  past(at: Position): Promise<ReadCtx>;
  records(query: RecordQuery): Promise<JournalRecord[]>;
  /** What was done, without rewrites; a path may be a file or a directory. */
  log(query: LogQuery): Promise<JournalRecord[]>;
  snapshots(query?: SnapshotQuery): Promise<Snapshot[]>;
  /** What differs between two positions; up to this very state when `to` is left out. */
  diff(request: DiffRequest): Promise<SessionDiff>;
  /** Who brought in each line of a file, in this very state unless `at` says another. */
  blame(request: BlameRequest): Promise<Blame>;
  /** The calling agent's own view, as this call found it and has changed it. */
  view<V>(kind: ViewKind<V>): Promise<Viewed<V>>;
  shared<T>(what: Shared<T>): T;
  readonly permissions: Permissions;
  /** An opaque cursor that brings a later call with the same arguments back to `place` in this very state. */
  cursor(place: Json): Promise<Shown>;
  /** Reads a cursor back. Throws `invalid_argument` / `bad_cursor`, or `conflict` when its state is gone. */
  resume(cursor: string): Promise<Resumed>;
}

export interface Resumed {
  readonly ctx: ReadCtx;
  readonly place: Json;
}

/** What a writing tool may do besides. It can run again on a newer state, so all effects go through here. */
export interface WriteCtx extends ReadCtx {
  readonly files: Files;
  /** Names what the call depends on beyond what it reads through slices. */
  depend(keys: Iterable<Key>): void;
  /** Makes a change; later reads of this call see it. Throws when the state refuses it. */
  change<S, C extends Change, R>(slice: Slice<S, C, R>, change: C): void;
  /**
   * Changes the agent's view when the call succeeds. `change` may be asked again, of a later view.
   */
  changeView<V>(kind: ViewKind<V>, change: (view: V) => V): void;
  /** Takes records back within this call. */
  undo(request: UndoRequest): Promise<UndoReport>;
  /** Makes the record of this call a snapshot. */
  snapshot(label: string): void;
  /** Makes the state, or a part of it, what it was at a position. */
  restore(request: RestoreRequest): Promise<Restored>;
}

/** What kind of record a tool makes. */
export type ToolRecordKind = Extract<RecordKind, "call" | "undo" | "restore" | "snapshot">;

export interface Ctx {
  readonly read: ReadCtx;
  readonly write: WriteCtx;
  readonly view: WriteCtx;
}

export type Access = keyof Ctx;

/** How a tool is declared. `I` is its input as zod knows it, `O` the value it returns, `R` what `resolve` makes of the input. */
export interface ToolDef<I extends z.ZodObject, O, A extends Access, R = z.output<I>> {
  /** Lower-case words joined by underscores: what the agent calls. */
  readonly name: string;
  readonly toolset: string;
  readonly access: A;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodType<O>;
  /** Whether a write must name the version it changes. Reads have none. */
  readonly version?: "optional" | "required";
  /** How its tokens are written; as a place in history when left out. */
  readonly tokens?: TokenForm;
  /** `bounded`: the tool itself bounds how much text a call may send; otherwise the call path does. */
  readonly sends?: "bounded";
  /** Gates that a session requires do not hold this tool back. */
  readonly ignoresGates?: boolean;
  /** The kind of the records that the tool makes: `call` unless it works on history itself. */
  readonly kind?: ToolRecordKind;
  /**
   * What the input means: paths, a parsed patch, the trees that nodes are in. Done once for each call; `targets` and `run`
   * work with what it returns, or with the input itself when it is left out. `run` may get it again with a newer state, so it
   * must not hold what may have changed by then.
   */
  resolve?(input: z.output<I>, ctx: ReadCtx): R | Promise<R>;
  targets(resolved: R): readonly Target[];
  /** What the input names beyond the targets, for the audit: `node:n4`. Also of a call that is refused. */
  mentions?(input: z.output<I>): readonly Key[];
  /** Every call has one target, so its version is one token and never a map. */
  readonly oneTarget?: boolean;
  /** Whether a write can take something away or overwrite it, so that clients may ask first. It can when left out. */
  readonly destructive?: boolean;
  /** Fields of the answer that are known only when the record is kept. */
  stamp?(at: Position): Readonly<Record<string, unknown>>;
  /** How many items the call handles, for tools that take lists. */
  batch?(input: z.output<I>): number;
  run(ctx: Ctx[A], resolved: R): Promise<O>;
  /** What the model reads: short, exact, within the budget. */
  text(output: O, input: z.output<I>, budget: number): string;
}

/** A declared tool whose own types are forgotten: what registries and the call path handle. */
export interface Tool {
  readonly name: string;
  readonly toolset: string;
  readonly access: Access;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly version: "optional" | "required" | "none";
  readonly tokens?: TokenForm;
  readonly sends?: "bounded";
  readonly ignoresGates: boolean;
  readonly kind: ToolRecordKind;
  stamp?(at: Position): Readonly<Record<string, unknown>>;
  batch(input: unknown): number;
  resolve(input: unknown, ctx: ReadCtx): unknown;
  targets(resolved: unknown): readonly Target[];
  mentions?(input: unknown): readonly Key[];
  readonly oneTarget?: boolean;
  readonly destructive: boolean;
  run(ctx: WriteCtx, resolved: unknown): Promise<unknown>;
  text(output: unknown, input: unknown, budget: number): string;
}

/** Declares a tool. Throws `TypeError` on a name that some framework would refuse, or an input that would drop fields. */
export function defineTool<I extends z.ZodObject, O, A extends Access, R = z.output<I>>(
  def: ToolDef<I, O, A, R>,
): Tool {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(def.name)) throw new TypeError(`bad tool name: ${def.name}`);
  requireStrict(def.name, def.input);
  const version = def.access === "read" ? "none" : (def.version ?? "optional");
  const { ignoresGates = def.access === "view", kind = "call", destructive = true } = def;
  const defaults = { batch: () => 0, resolve: (input: unknown) => input };
  return { ...defaults, ...def, version, ignoresGates, kind, destructive } as unknown as Tool;
}
