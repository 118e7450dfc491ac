// Owns: what a tool is. A toolset only declares tools; everything around them happens once, in the call path.

import { z } from "zod";
import { echo, say, type Shown } from "../errors.ts";
import {
  badOptions,
  checkArgument,
  checkMethods,
  checkNames,
  checkOptions,
  isOfKind,
  type OptionKinds,
} from "../text/options.ts";
import type { Limits } from "../limits.ts";
import type { NameAlphabet, WorkspacePath } from "../path/index.ts";
import type { RecordKind } from "../session/record-kinds.ts";
import type { Stands } from "../session/standing.ts";
import { dirKey, fileKey, pathNamedBy } from "../session/files/file-keys.ts";
import type { Files, ReadonlyFiles } from "../session/files/workspace.ts";
import type { Slice } from "../session/slice.ts";
import type { Change, Key, JournalRecord, Position, RecordQuery } from "../store/journal.ts";
import type { Json } from "../value.ts";
import { itemsIn } from "./list-items.ts";
import { requirePath } from "./known-path.ts";
import { requireStrict } from "./strictness.ts";
import type { Identity } from "./identity.ts";
import type { ResultImage } from "./result.ts";
import type { Blame, BlameRequest } from "../session/blame.ts";
import type { DiffRequest, SessionDiff } from "../session/diff.ts";
import type { LogQuery } from "../session/log.ts";
import type { Restored, RestoreRequest } from "../session/restore.ts";
import type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
import type { UndoReport } from "../session/undo.ts";
import type { UndoRequest } from "../session/undo-request.ts";

/** What a call works on: the key that versions are checked against, and how callers name it. */
export interface Target {
  /** The key that versions are checked against. */
  readonly key: Key;
  /** How callers name it. */
  readonly name: Shown;
  /**
   * Where a tool requires a version: `required`, this target's own must be named; `optional`, it need not, since the call
   * will not change it as far as can be said before; `read`, nor need this one, which the call takes something from and leaves as
   * it is. Otherwise one version of any target is enough. A token that is sent alone is never that of an `optional` target.
   */
  readonly pin?: "required" | "optional" | "read";
  /** The call works on all files below this directory, so that a map of versions may name any of them. */
  readonly below?: WorkspacePath;
}

/**
 * A file as the target of a call. Throws `invalid_argument` for a text that `ctx.path` has not read.
 *
 * @example targets: (path) => [fileTarget(path)]
 */
export function fileTarget(path: WorkspacePath): Target {
  requirePath(path);
  return { key: fileKey(path), name: path };
}

/**
 * Which names a directory holds, as the target of a call. Throws `invalid_argument` for a text that `ctx.path` has not read.
 *
 * @example targets: (path) => [directoryTarget(path)]
 */
export function directoryTarget(path: WorkspacePath): Target {
  requirePath(path);
  return { key: dirKey(path), name: path };
}

/** A target whose version the input of a call names itself. */
export interface BasedTarget extends Target {
  /** The token, as it was sent. */
  readonly version: string;
}

/**
 * All files below a directory as the target of a call: a map of versions may name any of them.
 *
 * @example targets: (directory) => [subtreeTarget(directory)]
 */
export function subtreeTarget(path: WorkspacePath): Target {
  return { ...directoryTarget(path), below: path };
}

/** The path of a target that is a file or a directory. */
export function pathOfTarget({ key }: Target): WorkspacePath | undefined {
  return pathNamedBy(key);
}

/** What one agent keeps for itself beside the session's state: no history, no undo. One kind per session. */
export interface ViewKind<V> {
  /** The view of an agent that has none yet. */
  readonly empty: V;
  /** The view as bytes. */
  encode(view: V): Uint8Array;
  /** Reads what `encode` wrote. */
  decode(bytes: Uint8Array): V;
}

/** `rev` counts the changes of the agent's view; 0 when there was none. */
export interface Viewed<V> {
  /** The view. */
  readonly view: V;
  /** How often the agent has changed its view. */
  readonly rev: number;
}

/** What tools of one open session share, made when first asked for. Never part of its state. */
export interface Shared<T> {
  /** Makes it. Called once for each open session. */
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
  /** Restoring and undoing what reverts the work of others. */
  readonly restoreAll: boolean;
}

/**
 * What a reading tool sees: one immutable state. Reading through a slice records what the call depends on. What its methods throw as
 * `HoldfastError` the agent reads.
 */
export interface ReadCtx {
  /** The position of the state that is seen. */
  readonly at: Position;
  /** When the call was made. */
  readonly now: Date;
  /** Who calls. */
  readonly agent: Identity;
  /** The bounds of the session. */
  readonly limits: Limits;
  /** The letters that names of files may have. */
  readonly names: NameAlphabet;
  /** Fires when the caller gives up; long work must look at it. */
  readonly signal: AbortSignal;
  /** Characters that the result's text may have. */
  readonly budget: number;
  /**
   * One kind of state as it was at {@link ReadCtx.at}, with what this call has changed; what is read through it is noted. Throws for a
   * slice that the session was not opened with.
   *
   * @example const count = ctx.slice(counter);
   */
  slice<S, C extends Change, R>(slice: Slice<S, C, R>): R;
  /**
   * Reads a path as a caller sent it. Throws `invalid_argument` for one that leaves the workspace or cannot be a name.
   *
   * @example resolve: ({ path }, ctx) => ctx.path(path, "file")
   */
  path(text: string, kind: "file" | "directory" | "any"): WorkspacePath;
  /** The session's files: the only way to them, by paths that {@link ReadCtx.path} has read. */
  readonly files: ReadonlyFiles;
  /**
   * The same session at another position. Costs rebuilding a state that is not at hand. Throws `conflict` / `unknown_position`, and
   * `conflict` / `snapshot_expired` for one that is pruned.
   *
   * @example const before = await ctx.past({ seq: 12, hash: "" });
   */
  past(at: Position): Promise<ReadCtx>;
  /**
   * Records of the journal, as stored, rewrites and what others did at hidden paths included: show an agent {@link ReadCtx.log}.
   *
   * @example const [last] = await ctx.records({ newestFirst: true, limit: 1 });
   */
  records(query: RecordQuery): Promise<JournalRecord[]>;
  /**
   * What was done, without rewrites; a path may be a file or a directory. Costs as {@link Session.log}. Throws `invalid_argument` for a
   * text that is no path.
   *
   * @example const records = await ctx.log({ path: "src", newestFirst: true, limit: 20 });
   */
  log(query: LogQuery): Promise<JournalRecord[]>;
  /**
   * Where records, which come newest first, still stand in this very state. Costs the undos, restores and resets since the oldest
   * of them.
   *
   * @example const stands = (await ctx.standing(records)).get(records[0].seq); // "nowhere" | "in_part" | "everywhere"
   */
  standing(records: readonly JournalRecord[]): Promise<ReadonlyMap<number, Stands>>;
  /**
   * Snapshots, newest first; 100 unless `limit` says otherwise.
   *
   * @example const [latest] = await ctx.snapshots({ limit: 1 });
   */
  snapshots(query?: SnapshotQuery): Promise<Snapshot[]>;
  /**
   * What differs between two positions; up to this very state when `to` is left out. Costs and throws as {@link Session.diff}.
   *
   * @example const { files } = await ctx.diff({ from: ctx.at.seq - 1 });
   */
  diff(request: DiffRequest): Promise<SessionDiff>;
  /**
   * Who brought in each line of a file, in this very state unless `at` says another. Costs and throws as {@link Session.blame}, and
   * `forbidden` / `path_denied` for a hidden file.
   *
   * @example const { runs } = await ctx.blame({ path });
   */
  blame(request: BlameRequest): Promise<Blame>;
  /**
   * The calling agent's own view, as this call found it and has changed it. `empty` where it has none yet.
   *
   * @example const { view } = await ctx.view(seenFiles);
   */
  view<V>(kind: ViewKind<V>): Promise<Viewed<V>>;
  /**
   * What tools of this open session share; made at the first call, and gone when the session is closed. `what` itself is its key: keep
   * it in a constant.
   *
   * @example const cache = ctx.shared(CACHE); // const CACHE: Shared<Map<string, number>> = { make: () => new Map() }
   */
  shared<T>(what: Shared<T>): T;
  /** What the host lets agents do beyond their own work. */
  readonly permissions: Permissions;
  /**
   * An opaque cursor that brings a later call with the same arguments back to `place` in this very state, until that is pruned.
   *
   * @example return { items, cursor: await ctx.cursor({ after: items.at(-1) ?? null }) };
   */
  cursor(place: Json): Promise<Shown>;
  /**
   * Reads a cursor back. Throws `invalid_argument` / `bad_cursor` for one of another call, or `conflict` / `snapshot_expired` when its
   * state is gone.
   *
   * @example const { ctx: then, place } = await ctx.resume(cursor);
   */
  resume(cursor: string): Promise<Resumed>;
}

/** Where a cursor leads to. */
export interface Resumed {
  /** The state that the cursor was made in. */
  readonly ctx: ReadCtx;
  /** The place in it, as the tool wrote it. */
  readonly place: Json;
}

/** What a tool may do besides that changes only what its agent sees. */
export interface ViewCtx extends ReadCtx {
  /**
   * Changes the agent's view when the call succeeds. `change` may be asked again, of a later view. A view has no history: it cannot be
   * undone.
   *
   * @example ctx.changeView(seenFiles, (seen) => [...seen, path]);
   */
  changeView<V>(kind: ViewKind<V>, change: (view: V) => V): void;
}

/**
 * What a writing tool may do besides. It can run again on a newer state, so all effects go through here. A call that throws has changed
 * nothing. Every write must be awaited: one that is made, or still at work, when `run` has returned fails with an error in the log
 * that names the tool, and nothing is written.
 */
export interface WriteCtx extends ViewCtx {
  /** The session's files, to read and to change. */
  readonly files: Files;
  /**
   * Did the caller name the version of a target?
   *
   * @example if (!ctx.isPinned(fileTarget(path))) notes.push("No version was named.");
   */
  isPinned(target: Target): boolean;
  /**
   * Names what the call depends on beyond what it reads through slices: when another call touches one of the keys meanwhile, this one runs
   * again.
   *
   * @example ctx.depend([directoryTarget(directory).key]);
   */
  depend(keys: Iterable<Key>): void;
  /**
   * Makes a change; later reads of this call see it. Throws what `refuse` of the slice says is in the way, and a `TypeError` for a change
   * that is no plain JSON data (a number that is not finite, a `Date`, `undefined` in a list), naming the field. The change is copied.
   *
   * @example ctx.change(counter, { slice: "counter", op: "add", by: 1 });
   */
  change<S, C extends Change, R>(slice: Slice<S, C, R>, change: C): void;
  /**
   * Takes records back within this call, before it changes anything: after that it throws `conflict` / `undo_after_changes`. Throws
   * `forbidden` / `others_work` for records of others unless the host lets agents restore, `conflict` / `undo_refused`, `not_found` /
   * `nothing_to_undo`, `conflict` / `snapshot_expired`, and `forbidden` / `path_denied` where it would change a closed file.
   *
   * @example const { undone } = await ctx.undo({ lastCallOf: ctx.agent.id });
   */
  undo(request: UndoRequest): Promise<UndoReport>;
  /**
   * Makes the record of this call a snapshot. Throws `invalid_argument` / `bad_label` for a label that is blank or has more than 200
   * characters.
   *
   * @example ctx.snapshot("before the migration");
   */
  snapshot(label: string): void;
  /**
   * Makes the state, or a part of it, what it was at a position: that reverts the work of others too, so ask {@link ReadCtx.permissions}
   * first. Throws `conflict` / `restore_refused`, `unknown_position` or `snapshot_expired`, and `forbidden` / `path_denied` where it would
   * change a closed file.
   *
   * @example if (ctx.permissions.restoreAll) await ctx.restore({ to: snapshot.id, path: "src" });
   */
  restore(request: RestoreRequest): Promise<Restored>;
  /**
   * The keys of what this call has changed so far.
   *
   * @example const isChanged = ctx.touched().has(fileTarget(path).key);
   */
  touched(): ReadonlySet<Key>;
  /**
   * What this call has changed so far, against the state that it began with. Costs what was changed.
   *
   * @example const { files } = await ctx.preview({ budget: 2_000 });
   */
  preview(bounds?: Pick<DiffRequest, "budget" | "limit">): Promise<SessionDiff>;
}

/** Common arguments of writes that a catalogue may leave unsaid: every one costs the agent context. */
export type Advertised = "dryRun" | "idempotencyKey";

/** What kind of record a tool makes. */
export type ToolRecordKind = Extract<
  RecordKind,
  "call" | "undo" | "restore" | "snapshot" | "landing_request"
>;

/** What a tool of each kind of access gets. */
export interface Ctx {
  /** For tools that read. */
  readonly read: ReadCtx;
  /** For tools that change the state. */
  readonly write: WriteCtx;
  /** For tools that change what their agent sees. */
  readonly view: ViewCtx;
}

/** How a tool works on the session: it reads, changes the state, or changes only what its agent sees. */
export type Access = keyof Ctx;

/**
 * How edits of a tool are placed on text that others have changed since the version that the caller named. The tool takes
 * `onConflict: "rebase"` then. Its `run` needs to do nothing for it: `ctx.files` shows it the text that the caller saw, and
 * `splice` or `append`, once for each file, puts the edit where it belongs in the text as it is now; what is read after that
 * is the result. Line numbers, versions and hunks are those of the result if they are taken from what `splice` and
 * {@link Files.hunks} return. An edit of bytes that others changed is a conflict that shows both, as is a change of the whole
 * file (overwrite, move, removal).
 *
 * @example defineTool({ ..., rebase: { prove: (ctx, path) => requireJson(ctx, path) } })
 */
export interface Rebase<R = unknown> {
  /**
   * Proves again what the tool promises of a file whose edit was placed on other text: throws `HoldfastError` when it does not
   * hold, and the call is a conflict that says so. Two inserts into `{}` go in side by side and leave no JSON.
   */
  prove?(ctx: ReadCtx, path: WorkspacePath, resolved: R): Promise<void>;
}

/** How a tool is declared. `I` is its input as zod knows it, `O` the value it returns, `R` what `resolve` makes of the input. */
export interface ToolDef<I extends z.ZodObject, O, A extends Access, R = z.output<I>> {
  /** Lower-case words joined by underscores: what the agent calls. */
  readonly name: string;
  /** The toolset it belongs to; a name of the host's own makes a new one. */
  readonly toolset: string;
  /** How it works on the session: it reads, writes, or changes only what its agent sees. */
  readonly access: A;
  /** Its name for people. */
  readonly title: string;
  /** What the model reads of it: short and exact, since every session pays for it. */
  readonly description: string;
  /** What it takes. Objects inside it must be strict, so that no field is dropped. */
  readonly input: I;
  /**
   * What it returns as `value`: plain JSON data. From a tool that writes, anything else (a `Date`: send its `toISOString()`) fails the call
   * with nothing written, since a retry could not return the same.
   */
  readonly output: z.ZodType<O>;
  /** Whether a write must name the version it changes. Reads have none. */
  readonly version?: "optional" | "required";
  /** How its tokens are written; as a place in history when left out. */
  readonly tokens?: TokenForm;
  /** `bounded`: the tool itself bounds the lists in its input and reads them in steps; otherwise the call path bounds them. */
  readonly lists?: "bounded";
  /** Fields of the input that hold bytes as base64: the tool bounds the bytes, and the call path does not count the characters. */
  readonly base64?: readonly string[];
  /** What to do about more text than one call may send; "Shorten it, or send it in several calls." when left out. */
  readonly split?: Shown;
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
  /** What the call works on: where its versions are checked and its token comes from. */
  targets(resolved: R): readonly Target[];
  /**
   * Targets whose versions the input itself names, beside `expectedVersion`, and that the run checks: where a rule of the host
   * wants their versions named, they are, and with `onConflict: "rebase"` they count as versions of `expectedVersion` do.
   */
  based?(resolved: R): readonly BasedTarget[];
  /**
   * What the call may change besides, where that shows only when it runs: versions may be named of it too, and where a rule of the
   * host wants the version of a file that turns out to be changed, the call must.
   */
  mayChange?(resolved: R): readonly Target[];
  /** What the input names beyond the targets, for the audit: `node:n4`. Also of a call that is refused. */
  mentions?(input: z.output<I>): readonly Key[];
  /** Every call has one target, so its version is one token and never a map. */
  readonly oneTarget?: boolean;
  /** Common arguments of writes that its definition always describes, because its description advises them. */
  readonly advertises?: readonly Advertised[];
  /** Callers may send `onConflict: "rebase"`. */
  readonly rebase?: Rebase<R>;
  /** Whether a write can take something away or overwrite it, so that clients may ask first. It can when left out. */
  readonly destructive?: boolean;
  /** Fields of the result that are known only when the record is committed. */
  stamp?(at: Position, output: O): Readonly<Record<string, unknown>>;
  /**
   * How many items the call handles, which `batchItems` bounds: those of all lists that `input` declares when left out, none of a
   * tool whose `lists` are `bounded`.
   */
  batch?(input: z.output<I>): number;
  /**
   * Does the work, through `ctx` only: it may run again on a newer state. What it throws as `HoldfastError` the agent
   * reads.
   */
  run(ctx: Ctx[A], resolved: R): Promise<O>;
  /** Of a tool that reads: whether a value says of some of what was named that it cannot be had. Then it is of the newest state, as an error is. */
  refuses?(output: O): boolean;
  /** Images of the value, which models see beside the text. */
  images?(output: O): readonly ResultImage[];
  /** What the model reads: short, exact, within the budget. */
  text(output: O, input: z.output<I>, budget: number): string;
}

/** A declared tool whose own types are forgotten: what registries and the call path handle. */
export interface Tool {
  /** What the agent calls. */
  readonly name: string;
  /** The toolset it belongs to. */
  readonly toolset: string;
  /** How it works on the session. */
  readonly access: Access;
  /** Its name for people. */
  readonly title: string;
  /** What the model reads of it. */
  readonly description: string;
  /** What it takes. */
  readonly input: z.ZodObject;
  /** What it returns as `value`. */
  readonly output: z.ZodType;
  /** Whether a write must name the version that it changes. */
  readonly version: "optional" | "required" | "none";
  /** How its tokens are written. */
  readonly tokens?: TokenForm;
  /** The tool itself bounds the lists in its input. */
  readonly lists?: "bounded";
  /** Fields of the input that hold bytes as base64. */
  readonly base64?: readonly string[];
  /** What to do about more text than one call may send. */
  readonly split?: Shown;
  /** Gates that a session requires do not hold it back. */
  readonly ignoresGates: boolean;
  /** The kind of the records that it makes. */
  readonly kind: ToolRecordKind;
  /** Fields of the value that are known only when the record is committed. */
  stamp?(at: Position, output: unknown): Readonly<Record<string, unknown>>;
  /** How many items a call handles. */
  batch(input: unknown): number;
  /** What the input means, worked out once for each call. */
  resolve(input: unknown, ctx: ReadCtx): unknown;
  /** What the call works on. */
  targets(resolved: unknown): readonly Target[];
  /** Targets whose versions the input itself names. */
  based?(resolved: unknown): readonly BasedTarget[];
  /** What the call may change besides, where that shows only when it runs. */
  mayChange?(resolved: unknown): readonly Target[];
  /** What the input names beyond the targets, for the audit. */
  mentions?(input: unknown): readonly Key[];
  /** Every call has one target. */
  readonly oneTarget?: boolean;
  /** Common arguments of writes that its definition always describes. */
  readonly advertises?: readonly Advertised[];
  /** How its edits are placed on text that others have changed. */
  readonly rebase?: Rebase;
  /** Whether it can take something away. */
  readonly destructive: boolean;
  /** Does the work. May run again on a newer state. */
  run(ctx: WriteCtx, resolved: unknown): Promise<unknown>;
  /** Whether a value says of some of what was named that it cannot be had. */
  refuses?(output: unknown): boolean;
  /** Images of the value, which models see beside the text. */
  images?(output: unknown): readonly ResultImage[];
  /** What the model reads of the result. */
  text(output: unknown, input: unknown, budget: number): string;
}

/**
 * Declares a tool. Throws `invalid_argument` / `bad_options` for a part of the wrong kind, a name that some framework would refuse, and
 * an input that would drop fields.
 *
 * @example
 * const shout = defineTool({
 *   name: "shout_file",
 *   toolset: "mine",
 *   access: "write",
 *   title: "Shout",
 *   description: "Makes a text file upper-case.",
 *   input: z.object({ path: z.string() }),
 *   output: z.object({ size_bytes: z.int() }),
 *   resolve: ({ path }, ctx) => ctx.path(path, "file"),
 *   targets: (path) => [fileTarget(path)],
 *   async run({ files }, path) {
 *     const text = new TextDecoder().decode(await files.read(path)).toUpperCase();
 *     const { size_bytes } = await files.replace(path, new TextEncoder().encode(text));
 *     return { size_bytes };
 *   },
 *   text: ({ size_bytes }) => `${size_bytes} bytes`,
 * });
 * const session = await openSession({ tools: [shout] });
 */
export function defineTool<I extends z.ZodObject, O, A extends Access, R = z.output<I>>(
  def: ToolDef<I, O, A, R>,
): Tool {
  checkArgument(say`defineTool: what declares a tool`, def, "object");
  checkOptions(say`defineTool`, def as unknown as AnyToolDef, TOOL_FIELDS);
  for (const name of ["name", "toolset", "title", "description"] as const)
    checkArgument(say`defineTool: ${name as Shown}`, def[name], "string");
  checkMethods(say`defineTool: what declares a tool`, def as unknown as Tool, ["targets", "run", "text"]);
  checkNames(say`defineTool: access`, [def.access], ["read", "write", "view"]);
  for (const [name, words] of WORDS)
    checkNames(say`defineTool: ${name as Shown}`, [def[name] ?? []].flat() as string[], words);
  for (const name of ["input", "output"] as const)
    if (!isSchema(def[name])) throw badOptions(say`defineTool: ${name as Shown} must be a zod schema`);
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(def.name))
    throw badOptions(
      say`defineTool: bad tool name ${echo(def.name)}: use 1 to 64 of a-z, 0-9 and _, beginning with a letter`,
    );
  if (!(def.input instanceof z.ZodObject)) throw badOptions(say`defineTool: input must be a z.object`);
  requireStrict(def.name, def.input);
  const version = def.access === "read" ? "none" : (def.version ?? "optional");
  if (def.access !== "read") checkNames(say`defineTool: version`, [version], ["optional", "required"]);
  const { ignoresGates = def.access === "view", kind = "call", destructive = true } = def;
  const batch = (input: unknown): number => (def.lists === "bounded" ? 0 : itemsIn(def.input, input));
  const defaults = { batch, resolve: (input: unknown) => input };
  const lists = { ...listing(def, "targets"), ...listing(def, "based"), ...listing(def, "mayChange") };
  const named = { ...lists, ...listing(def, "mentions") };
  return { ...defaults, ...def, ...named, version, ignoresGates, kind, destructive } as unknown as Tool;
}

type Listing = "targets" | "based" | "mayChange" | "mentions";

/** A function of a tool that says what a call is about. A promise, or what is no list, fails the call that asked, in words for the log. */
function listing<I extends z.ZodObject, O, A extends Access, R>(
  def: ToolDef<I, O, A, R>,
  name: Listing,
): object {
  const list = def[name] as ((of: never) => readonly unknown[]) | undefined;
  if (list === undefined) return {};
  const isItem = (item: unknown): boolean =>
    name === "mentions" ? isOfKind("string", item) : isOfKind("string", (item as Target | null)?.key);
  return {
    [name]: (of: never) => {
      const items: unknown = list.call(def, of);
      if (Array.isArray(items) && items.every(isItem)) return items;
      const what = name === "mentions" ? "keys" : "targets";
      throw new TypeError(`${name} of the tool ${def.name} must return a list of ${what}, and no promise`);
    },
  };
}

type AnyToolDef = ToolDef<z.ZodObject, unknown, Access, unknown>;

const TOOL_FIELDS: OptionKinds<AnyToolDef> = {
  name: "string",
  toolset: "string",
  access: "any",
  title: "string",
  description: "string",
  input: "any",
  output: "any",
  version: "string",
  tokens: "methods",
  lists: "string",
  base64: "strings",
  split: "string",
  ignoresGates: "boolean",
  kind: "string",
  resolve: "function",
  targets: "any",
  based: "function",
  mayChange: "function",
  mentions: "function",
  oneTarget: "boolean",
  advertises: "strings",
  rebase: "methods",
  destructive: "boolean",
  stamp: "function",
  batch: "function",
  run: "any",
  refuses: "function",
  images: "function",
  text: "any",
};

/** The words that a field may be, or that may be in its list. */
const WORDS: readonly [keyof AnyToolDef, readonly string[]][] = [
  ["lists", ["bounded"]],
  ["kind", ["call", "undo", "restore", "snapshot", "landing_request"]],
  ["advertises", ["dryRun", "idempotencyKey"]],
];

/** What cannot be read, such as a proxy that throws, is none. */
function isSchema(value: unknown): boolean {
  try {
    return value instanceof z.ZodType;
  } catch {
    return false;
  }
}
