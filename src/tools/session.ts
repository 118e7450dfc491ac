// Owns: what a host can ask of a session, and what it can settle when it opens one.

import type { GateConfigInput } from "../gates/index.ts";
import type { RefreshReport, RefreshRequest } from "../host/refresh.ts";
import type { LandedUpdate } from "../host/lander.ts";
import type { LandingChoice, LandingPlan } from "../host/landing-plan.ts";
import type { FolderChange } from "../host/folder-change.ts";
import type { Mount, MountProgress, MountReport } from "../host/mount.ts";
import type { SyncReport, SyncRequest } from "../host/sync-mirror.ts";
import type { DirectoryOptions } from "../host/work-directory.ts";
import type { SessionLimits } from "../limits.ts";
import type { NameAlphabet } from "../path/index.ts";
import type { Blame, BlameRequest } from "../session/blame.ts";
import type { DiffRequest, SessionDiff } from "../session/diff.ts";
import type { FileInfo, PathRule } from "../session/files/workspace.ts";
import type { DryRun, Placed, WatchOptions } from "../session/history.ts";
import type { HostContent, HostFiles } from "../session/host-files.ts";
import type { Landing, LandingReply } from "../session/landings.ts";
import type { LogQuery } from "../session/log.ts";
import type { PositionRef } from "../session/position-ref.ts";
import type { Restored, RestoreRequest } from "../session/restore.ts";
import type { Pruned, PruneRequest } from "../session/retention.ts";
import type { AnySlice } from "../session/slice.ts";
import type { Snapshot, SnapshotQuery } from "../session/snapshots.ts";
import type { UndoReport } from "../session/undo.ts";
import type { UndoRequest } from "../session/undo-request.ts";
import type { SessionVerified, VerifyOptions } from "../session/verify.ts";
import type { AuditEntry, AuditQuery, JournalRecord, Position, Store } from "../store/journal.ts";
import type { Agent } from "./agent.ts";
import type { Clock } from "./clock.ts";
import type { Events } from "./events.ts";
import type { GateDesk } from "./gates/gate-desk.ts";
import type { Identity, Policy } from "./identity.ts";
import type { Log } from "./log.ts";
import type { Tool } from "./tool.ts";

/**
 * What a host settles when it opens a session. Limits, names, gates, rules, rulesets and what agents may restore are stored with the
 * session, as a record of kind `policy`: they hold wherever it is opened again, and giving one then settles it anew. The others
 * belong to this opening.
 */
export interface SessionOptions {
  /** Opens the session of this id. A fresh id of 130 random bits when left out. */
  readonly id?: string;
  /** False: a session that the store does not have is `not_found` / `session_not_found`. Otherwise it is created. */
  readonly create?: boolean;
  /** A name to find the session by; only for a session that this call creates. */
  readonly name?: string;
  /** Files of a session that this call creates, by path: one commit by `host`. */
  readonly files?: Readonly<Record<string, HostContent>>;
  /** Where the session is stored. In memory when left out: then it is lost with the process. */
  readonly store?: Store;
  /** Bounds other than the defaults of `LIMITS`. Throws `invalid_argument` for an unknown name or a value out of range. */
  readonly limits?: { readonly [K in keyof SessionLimits]?: number };
  /** True: no agent may change anything, whatever its role. The host still can. */
  readonly readOnly?: boolean;
  /**
   * Toolsets, or names of single tools, that agents of this session may use; `["all"]` for every tool. When left out: files
   * and json, gates where there are some, and the host's own tools, because every tool costs an agent context. Throws for
   * an unknown name.
   */
  readonly toolsets?: readonly string[];
  /** Tools of the host's own beside ours, made with `defineTool`. Throws `invalid_argument` / `bad_options` when two have one name. */
  readonly tools?: readonly Tool[];
  /** State of the host's own, for its tools: journaled, undone and restored like files. */
  readonly slices?: readonly AnySlice[];
  /** Letters that file names may have: printable ASCII unless the host says `unicode`. */
  readonly names?: NameAlphabet;
  /** Gate sets by name: questions that an answer of an agent is judged by. Throws `invalid_argument` naming every problem. */
  readonly gates?: Readonly<Record<string, GateConfigInput>>;
  /** Gate sets that must pass before anything but `submit_gates` may write. */
  readonly requireGates?: readonly string[];
  /**
   * What agents may do at which paths: the first rule that holds for a path decides, for every tool. The host is never bound.
   * `.git` and `.holdfast` are closed to agents at any depth unless a rule with `allow` opens them. Throws
   * `invalid_argument` / `bad_rules`.
   *
   * @example
   * rules: [
   *   { paths: ["**" + "/.env*"], deny: "all" },
   *   { paths: ["dist/**"], deny: "write" },
   *   { paths: ["**"], require: "version" },
   * ]
   */
  readonly rules?: readonly PathRule[];
  /** Rulesets that validate_tree and lint_payload know by their id, as JSON; workspace files are known by their path. */
  readonly rulesets?: readonly unknown[];
  /** False: tree tools accept calls that name no version, and the last writer wins. */
  readonly requireVersions?: boolean;
  /** True: agents may restore the whole session or a path, and so revert the work of others. */
  readonly agentsMayRestore?: boolean;
  /** Holds back writes until it returns nothing; asked after the required gates, before every write. */
  readonly openGate?: Policy["openGate"];
  /**
   * Folders and files of the host whose files the session begins with: copied once, as one commit, when the session is opened for the
   * first time, and again by `reset`. Only {@link LandingPlan.land} and {@link Session.revertLanding} write the folders, and every
   * commit where a mount is `live`. Throws as a whole when one cannot be mounted: `invalid_argument` / `mount_too_large` for one with
   * more entries than the limit `mountEntries`. Costs reading every file that is taken.
   *
   * @example mounts: [{ from: "./docs", include: ["**" + "/*.md"] }]
   */
  readonly mounts?: readonly Mount[];
  /** Folders that mounts may come from, symbolic links resolved. Left out: every mount is allowed. Empty: none is. */
  readonly mountRoots?: readonly string[];
  /** Hears how far mounting is. */
  readonly onMount?: (progress: MountProgress) => void;
  /** Time, for tests. */
  readonly clock?: Clock;
  /** Hears of causes that agents must not see. One line each on stderr when left out. */
  readonly log?: Log;
}

/**
 * A session in the host's hands: an isolated workspace whose every change is one commit in one journal. Methods throw
 * `HoldfastError`; after {@link Session.close} agents' calls are refused with `session_closed`, the methods
 * with `journal_closed`, and only what was known last can still be looked at
 * ({@link Session.files}, {@link Session.at}).
 */
export interface Session extends AsyncDisposable {
  /** Names the session in its store. */
  readonly id: string;
  /** Where the session is: the position of its newest record that this process knows. */
  readonly at: Position;
  /** What only the host may do with gates. */
  readonly gates: GateDesk;
  /** What was mounted, and which entries were skipped, with reasons. Empty without mounts, and in a fork. */
  readonly mounted: readonly MountReport[];

  /**
   * The session as one agent may use it. Costs nothing; call it as often as you like. Throws `invalid_argument` /
   * `bad_identity` for an id or role that cannot be.
   *
   * @example const agent = session.as({ id: "planner", role: "editor", toolsets: ["files"] });
   */
  as(identity: Identity): Agent;

  /**
   * The files in the host's own hands: reads, writes of any size and removals without an agent, as commits by `host`. No rule, gate
   * or role binds them.
   *
   * @example await session.workspace.write("notes.md", "# Notes\n");
   */
  readonly workspace: HostFiles;

  /**
   * What agents should be told of the session, as Markdown for a system prompt: what there is, whether it is stored, and how to use
   * the tools of the toolsets in use. Names files that agents may read, and no others. Works after {@link Session.close} too.
   *
   * @example const messages = [{ role: "system", content: session.prompt() }];
   */
  prompt(): string;

  /**
   * Whether the rules let agents see a path: what is shown to one must not name others. Throws `invalid_argument` for a text that
   * is no path.
   *
   * @example session.agentsMayRead(".git/config") // false, unless a rule opens it
   */
  agentsMayRead(path: string): boolean;

  /**
   * What agents have asked the host to land, newest first. The last 1,000 are remembered, open ones always.
   *
   * @example const open = session.landings().filter(({ state }) => state === "open");
   */
  landings(): Landing[];

  /**
   * Replies to a landing request: one commit by `host`, which writes to no folder. The reply comes with the agent's next result. Throws
   * `not_found` or `conflict` / `landing_not_open` for a request that is not open, and `invalid_argument` / `bad_reason` for a reply
   * that is blank or has more than 1,000 characters.
   *
   * @example await session.settleLanding(request, { state: "declined", reply: "The tests fail." });
   */
  settleLanding(request: number, how: LandingReply): Promise<Position>;

  /**
   * All files, sorted by the segments of their paths, as this process last knew them. Reads no content, and works after
   * {@link Session.close} too.
   *
   * @example session.files().map(({ path, size_bytes }) => `${path} ${size_bytes}`)
   */
  files(): FileInfo[];

  /**
   * Gives the present a name, at the cost of one small record, whatever the session holds. `id` is what {@link Session.restore},
   * {@link Session.diff} and {@link Session.fork} take. Throws `invalid_argument` / `bad_label` for a label that is blank or has more
   * than 200 characters.
   *
   * @example
   * const before = await session.snapshot("before the refactoring");
   * const { files } = await session.diff({ from: before.id });
   */
  snapshot(label: string): Promise<Snapshot>;

  /**
   * Snapshots, newest first; 100 unless `limit` says otherwise. One whose state is pruned is `expired`: it can no longer be restored.
   * Throws `invalid_argument` / `bad_options` for a `limit` or `before` that is no whole number.
   *
   * @example const [latest] = await session.snapshots({ limit: 1 });
   */
  snapshots(query?: SnapshotQuery): Promise<Snapshot[]>;

  /**
   * Makes the session, or a part of it, what it was at a position: one new commit, which can be undone. Throws `conflict` /
   * `restore_refused` with all that is in the way, `conflict` / `unknown_position`, and `conflict` / `snapshot_expired` for a position
   * whose state is pruned; then nothing is written. Costs what differs, and rebuilding a state that is not at hand.
   *
   * @example await session.restore({ to: snapshot.id, path: "/workspace/src" });
   */
  restore(request: RestoreRequest & DryRun): Promise<Restored & Placed>;

  /**
   * Empties the session and mounts its folders anew: one new commit, which can be undone. History, policy and landing requests stay;
   * {@link Session.directory} is another one from then on, and the old one is removed with what was not imported from it by `sync`.
   * Throws when a folder cannot be mounted, or is `live`; then nothing is reset.
   *
   * @example const { diff } = await session.reset({ dryRun: true }); // what would differ
   */
  reset(how?: DryRun): Promise<Restored & Placed>;

  /**
   * A real directory that shows the files of the session, for programs and containers to work in: mode 0700, below the system's
   * temporary directory, made by the first call, which costs a copy of all files. It follows every commit; {@link Session.settled}
   * waits for that. What is changed in it stays there untouched until {@link Session.sync} imports it. Throws `forbidden` /
   * `races_not_guarded` on systems without `/proc/self/fd`, unless `acceptRaces`.
   *
   * @example const path = await session.directory(); // docker run -v ${path}:/work ...
   */
  directory(how?: DirectoryOptions): Promise<string>;

  /**
   * Resolves when {@link Session.directory} shows the session at a position, the present when left out, but for paths that were
   * changed there too. Throws `invalid_argument` / `no_directory` before the first {@link Session.directory}, and `conflict` /
   * `not_written` with the paths that the system did not write, such as on a full disk.
   *
   * @example
   * await session.workspace.write("in.csv", rows);
   * await session.settled(); // in.csv is in the directory
   */
  settled(at?: PositionRef): Promise<void>;

  /**
   * Imports what was changed in {@link Session.directory} as one commit by `external`, line by line, so that undo and blame work
   * beneath it. A path that the session has changed too is reported as `diverged`, and neither side is touched until `take` says
   * which one counts; the other one stays in the history. Costs a look at every entry, and reading those that changed.
   * Throws `invalid_argument` / `no_directory` before the first {@link Session.directory}, and `not_diverged` for a path of `take` that
   * needs no decision; then nothing is imported.
   *
   * @example
   * const { diverged } = await session.sync();
   * await session.sync({ take: { "/workspace/a.txt": "outside" } });
   */
  sync(how?: SyncRequest & DryRun): Promise<SyncReport>;

  /**
   * Brings what changed in the mounted folders since mounting, the last refresh or the last landing into the session, as one commit by
   * `host`. Where the session changed the same file too, both are merged line by line when they fit together; otherwise the file is
   * listed as a conflict and left alone until `take` says which side counts. The text of the other side stays in the history, or in
   * the folder. Throws `invalid_argument` / `not_in_conflict` for a path of `take` that needs no decision.
   * Cost: a look at every entry of the folders, and reading the files that changed.
   *
   * @example
   * const { conflicts } = await session.refresh();
   * await session.refresh({ take: { "notes.md": "outside" } });
   */
  refresh(how?: RefreshRequest): Promise<RefreshReport>;

  /**
   * What changed in the mounted folders since mounting, the last refresh or the last landing, in path order. Writes nothing. Costs as
   * {@link Session.refresh}.
   *
   * @example (await session.outsideChanges()).map(({ path, change }) => `${change} ${path}`)
   */
  outsideChanges(): Promise<FolderChange[]>;

  /**
   * What would be written to the mounted folders: all that differs from what they hold, or the work of some records or agents together
   * with what that needs, in files and hunks that can be left out. Writes nothing; a landing that was cut off is finished first. What is
   * left out stays offered. Cost: the history of the files that differ, and a look at every entry of the folders.
   * Throws `invalid_argument` / `unknown_hunk` for a name in `leave` that is not part of the plan.
   *
   * @example
   * const plan = await session.plan({ agents: ["planner"], leave: ["notes.md"] });
   * console.log(await plan.text());
   * if (plan.conflicts.length === 0) await plan.land();
   */
  plan(choice?: LandingChoice): Promise<LandingPlan>;

  /**
   * Finishes a landing that was cut off midway, or takes it back where a path has changed outside since; undefined when there is none.
   * Also done by the next `plan`, `land` and `refresh`. Throws `conflict` / `landing_pending` while another process is landing.
   *
   * @example if ((await session.resumeLanding())?.isLanded === false) console.error("The landing was taken back.");
   */
  resumeLanding(): Promise<LandedUpdate | undefined>;

  /**
   * Puts the files back that a landing wrote over, and offers its work again. Throws `conflict` / `landing_changed` when something was
   * landed or refreshed there since, `conflict` / `changed_outside` when the folder does not hold what it wrote, and `not_found` /
   * `no_such_landing`; then nothing is written.
   *
   * @example
   * const { landing } = await (await session.plan()).land();
   * await session.revertLanding(landing);
   */
  revertLanding(landing: number): Promise<LandedUpdate>;

  /**
   * A session of its own with the state and history up to a position, the present when left out. Its tools, limits and
   * policy are this session's. Costs a copy of the journal; content is shared where the store can. The fork must be closed like any
   * session. Throws `conflict` / `session_exists` for an id that is taken, `conflict` / `unknown_position` for a position that is not
   * part of the history, and `conflict` / `snapshot_expired` for one that is pruned.
   *
   * @example
   * await using trial = await session.fork({ at: snapshot.id, name: "trial" });
   * await trial.as({ id: "planner", role: "editor" }).call("write_file", { path: "a.txt", content: "only here" });
   */
  fork(how?: { readonly at?: PositionRef; readonly id?: string; readonly name?: string }): Promise<Session>;

  /**
   * Takes records back, any agent's, as one new commit, beneath what others did since; an undo is undone by its own record. Throws
   * `conflict` / `undo_refused` naming the records in the way, `not_found` / `nothing_to_undo`, and `conflict` / `snapshot_expired` for
   * a record that is pruned; then nothing is undone. With `partial` what can be taken back is, and `refused` lists the rest. Costs the
   * history of the files that the records touched.
   *
   * @example
   * const { at } = await session.undo({ lastCallOf: "planner" });
   * await session.undo({ record: at.seq }); // brings it back
   */
  undo(request: UndoRequest & DryRun): Promise<UndoReport & Placed>;

  /**
   * What differs between two positions: from the beginning to the present when left out. Lists 1,000 files and 32,000 bytes of hunks
   * unless `limit` and `budget` say otherwise; `moreFiles` counts the others. Costs what differs, and rebuilding a state that is not at
   * hand. Throws `conflict` / `unknown_position` or `snapshot_expired` for a position that is not part of the history or is pruned,
   * `invalid_argument` / `bad_token` for a text that names none, and `bad_part` for a slice that the session does not have.
   *
   * @example
   * const { files } = await session.diff({ from: snapshot.id });
   * console.log(files.map(({ change, path }) => `${change} ${path}`).join("\n"));
   */
  diff(request?: DiffRequest): Promise<SessionDiff>;

  /**
   * What was committed, by whom; the first 100 records unless the query says otherwise. Pruned records are listed without `changes`.
   * Costs the records that are looked at: those of a file are found at once, those below a directory among all. Throws
   * `invalid_argument` for a text that is no path, and `bad_options` for a `limit` that is no whole number.
   *
   * @example const [last] = await session.log({ path: "src/a.ts", newestFirst: true, limit: 1 });
   */
  log(query?: Partial<LogQuery>): Promise<JournalRecord[]>;

  /**
   * Which record, agent and tool brought in each line of a file. Costs reading the file's whole history. Lines from before what is
   * pruned have no `by`. Throws `not_found` / `no_such_file`, `invalid_argument` / `too_large` for a file beyond the limit `blameBytes`,
   * and `conflict` / `unknown_position` or `snapshot_expired` for `at`.
   *
   * @example
   * const { runs } = await session.blame({ path: "notes.md" });
   * for (const { first, last, by } of runs) console.log(first, last, by?.agent, by?.tool);
   */
  blame(request: BlameRequest): Promise<Blame>;

  /**
   * Checks that the history holds together, and says which record is wrong first. Reads all of it; with `blobs` also all content; with
   * `states` it replays it too. Damage is a result, `ok: false`, and not thrown; `conflict` / `aborted` is, when `signal` fires.
   *
   * @example
   * const found = await session.verify({ blobs: true });
   * if (!found.ok) console.error(`record ${found.seq}: ${found.what}`);
   */
  verify(how?: VerifyOptions): Promise<SessionVerified>;

  /**
   * Records as they are committed, by this process or another, once each and in order, until the signal ends it. Keeps the process alive
   * while it waits. Throws `internal` / `journal_closed` where the session is closed.
   *
   * @example
   * for await (const { seq, agent, tool } of session.watch({ signal: AbortSignal.timeout(60_000) }))
   *   console.log(seq, agent, tool);
   */
  watch(options?: WatchOptions): AsyncGenerator<JournalRecord, void, undefined>;

  /**
   * Forgets the changes of old records, and the content that only they used: they stay listed, but can no longer be undone, restored
   * or blamed. This cannot be undone. Costs encoding the state at the border, and reading the records that stay. Throws
   * `invalid_argument` / `bad_border` for a record that is not there, and `conflict` / `snapshot_expired` for a border before an
   * earlier one; then nothing is forgotten.
   *
   * @example const { bytes } = await session.prune({ before: new Date(Date.now() - 30 * 86_400_000) });
   */
  prune(request: PruneRequest): Promise<Pruned>;

  /**
   * How every call ended, refused ones included, newest first; 100 entries unless the query says otherwise. Entries that were waiting
   * are written first. The store drops the oldest beyond its `auditEntries`, and a crash may lose the newest.
   *
   * @example const refused = await session.audited({ outcome: "forbidden", limit: 20 });
   */
  audited(query?: Partial<AuditQuery>): Promise<AuditEntry[]>;

  /**
   * Hears of every finished call of this opening, refused ones included. The listener runs within the call: slow ones slow it down, and
   * one that throws goes to the log. Returns the function that stops listening. Throws `invalid_argument` / `unknown_option` for an
   * event that there is not.
   *
   * @example
   * const stop = session.on("tool", ({ agent, tool, outcome }) => console.log(agent, tool, outcome));
   * stop();
   */
  on<K extends keyof Events>(name: K, listener: (event: Events[K]) => void): () => void;

  /**
   * Ends all use of this session here; with `delete`, its history, content and directory too, which cannot be undone. Calls under way
   * are refused. The directory of a session in memory goes with it. The store stays open. Closing twice does nothing; `await using`
   * closes by itself.
   *
   * @example await session.close({ delete: true });
   */
  close(how?: { readonly delete?: boolean }): Promise<void>;
}
