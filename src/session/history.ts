// Owns: what a host can do with the past of one session, in one place. Each method is carried out in a file of its own.

import type { JournalRecord, Position } from "../store/journal.ts";
import { commitAs, type Actor } from "./actor.ts";
import { blame, type Blame, type BlameRequest } from "./blame.ts";
import { diffPositions, diffStates, type DiffRequest, type SessionDiff } from "./diff.ts";
import type { Draft } from "./draft.ts";
import { readLog, type LogQuery } from "./log.ts";
import { restoreState, planRestore, slicesOf, type Restored, type RestoreRequest } from "./restore.ts";
import { prune, type PruneRequest, type Pruned } from "./retention.ts";
import { listSnapshots, markSnapshot, type Snapshot, type SnapshotQuery } from "./snapshots.ts";
import { emptyState } from "./state.ts";
import type { SessionCore } from "./transact.ts";
import { tokenOf } from "../store/token.ts";
import { undo, type UndoReport } from "./undo.ts";
import type { UndoRequest } from "./undo-request.ts";
import { verifySession, type SessionVerified, type VerifyOptions } from "./verify.ts";
import { watchRecords } from "./watch-records.ts";
import type { Json } from "../value.ts";

/** From where to watch, and until when. */
export interface WatchOptions {
  /** Records after this one; the present when left out. */
  readonly after?: number;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

/** For what a host can look at first. */
export interface DryRun {
  /** True: nothing is written, and the result holds the diff that it would make. */
  readonly dryRun?: boolean;
}

/** Where the session is after it, and with `dryRun` what would differ. */
export interface Placed {
  /** The position after it; with `dryRun` the present one. */
  readonly at: Position;
  /** With `dryRun`: what would differ. */
  readonly diff?: SessionDiff;
}

type FilesPlan = ((draft: Draft) => Promise<void>) | undefined;

export class History {
  readonly #core: SessionCore;
  readonly #actor: Actor;

  constructor(core: SessionCore, actor: Actor) {
    this.#core = core;
    this.#actor = actor;
  }

  /** Gives the present a name. One small record, whatever the session holds. */
  async snapshot(label: string): Promise<Snapshot> {
    const { agent } = this.#actor;
    const time = this.#actor.now();
    const { at } = await commitAs(
      this.#core,
      { ...this.#actor, now: () => time },
      "snapshot",
      label,
      async (draft) => markSnapshot(draft, label),
    );
    return { id: tokenOf(at), seq: at.seq, label: label.trim(), agent, time, expired: false };
  }

  /** Newest first. */
  snapshots(query: SnapshotQuery = {}): Promise<Snapshot[]> {
    return listSnapshots(this.#core.journal, query);
  }

  /** Makes the session, or a part of it, what it was at a position: one new commit, which can be undone. */
  restore({ dryRun, ...request }: RestoreRequest & DryRun): Promise<Restored & Placed> {
    return this.#change("restore", plain(request), dryRun, (draft) =>
      planRestore(this.#core, draft, request),
    );
  }

  /** Empties the session: one new commit, which can be undone. `files` makes the files what they are to be instead. */
  reset({ dryRun, files }: DryRun & { files?: FilesPlan } = {}): Promise<Restored & Placed> {
    const { slices, journal } = this.#core;
    const empty = emptyState(slices, journal.genesis);
    const all = slicesOf(this.#core, {});
    const emptied = files === undefined ? all : all.filter(({ slice }) => slice.name !== "files");
    return this.#change("reset", null, dryRun, async (draft) => {
      const restored = await restoreState(this.#core, draft, empty, emptied);
      await files?.(draft);
      return restored;
    });
  }

  /** Takes records back, of any agent, as one new commit. */
  undo({ dryRun, ...request }: UndoRequest & DryRun): Promise<UndoReport & Placed> {
    return this.#change("undo", plain(request), dryRun, (draft) => undo(this.#core, draft, request));
  }

  /** One commit, or with `dryRun` what it would change. */
  async #change<T extends object>(
    kind: "restore" | "reset" | "undo",
    request: Json,
    dryRun: boolean | undefined,
    plan: (draft: Draft) => Promise<T>,
  ): Promise<T & Placed> {
    let diff: SessionDiff | undefined;
    const planned = async (draft: Draft): Promise<T> => {
      const value = await plan(draft);
      if (dryRun === true) diff = await diffStates(this.#core, draft.base, draft.made, {});
      return value;
    };
    const { value, at } = await commitAs(this.#core, this.#actor, kind, request, planned, dryRun === true);
    return { ...value, at, ...(diff === undefined ? {} : { diff }) };
  }

  diff(request: DiffRequest = {}): Promise<SessionDiff> {
    return diffPositions(this.#core, request);
  }

  log(query: LogQuery): Promise<JournalRecord[]> {
    return readLog(this.#core, query);
  }

  blame(request: BlameRequest): Promise<Blame> {
    return blame(this.#core, request);
  }

  verify(how: VerifyOptions = {}): Promise<SessionVerified> {
    return verifySession(this.#core, how);
  }

  /** Records as they are committed, by this process or another. */
  watch({ after, signal = new AbortController().signal }: WatchOptions = {}): AsyncGenerator<
    JournalRecord,
    void,
    undefined
  > {
    const { journal, timeline } = this.#core;
    return watchRecords(journal, after ?? timeline.state.at.seq, signal);
  }

  /** Forgets the changes of old records. What they were cannot be undone, restored or blamed any more. */
  prune(request: PruneRequest): Promise<Pruned> {
    return prune(this.#core, request);
  }
}

function plain(request: object): Json {
  return JSON.parse(JSON.stringify(request)) as Json;
}
