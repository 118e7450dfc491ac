// Owns: what a host can do with the past of one session, in one place. Each method is carried out in a file of its own.

import type { JournalRecord, Position } from "../store/journal.ts";
import { commitAs, type Actor } from "./actor.ts";
import { blame, type Blame, type BlameRequest } from "./blame.ts";
import { diffPositions, type DiffRequest, type SessionDiff } from "./diff.ts";
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

export interface WatchOptions {
  /** Records after this one; the present when left out. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

const NEVER: AbortSignal = new AbortController().signal;

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
  async restore(request: RestoreRequest): Promise<Restored & { readonly at: Position }> {
    const { value, at } = await commitAs(this.#core, this.#actor, "restore", plain(request), (draft) =>
      planRestore(this.#core, draft, request),
    );
    return { ...value, at };
  }

  /** Empties the session: one new commit, which can be undone. */
  async reset(): Promise<Restored & { readonly at: Position }> {
    const { slices, journal } = this.#core;
    const empty = emptyState(slices, journal.genesis);
    const { value, at } = await commitAs(this.#core, this.#actor, "reset", null, (draft) =>
      restoreState(this.#core, draft, empty, slicesOf(this.#core, {})),
    );
    return { ...value, at };
  }

  /** Takes records back, of any agent, as one new commit. */
  async undo(request: UndoRequest): Promise<UndoReport> {
    const { value } = await commitAs(this.#core, this.#actor, "undo", plain(request), (draft) =>
      undo(this.#core, draft, request),
    );
    return value;
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
  watch({ after, signal = NEVER }: WatchOptions = {}): AsyncGenerator<JournalRecord, void, undefined> {
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
