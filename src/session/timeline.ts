// Owns: the current state of a session as this process knows it, and states of the past.
// Must never: change a state; it only replaces the one it holds with a later one.

import { HoldfastError, say } from "../errors.ts";
import type { Change, Journal, JournalRecord, Position } from "../store/journal.ts";
import type { Stamp } from "./slice.ts";
import { applyChanges, emptyState, loadParts, type SessionState, type SliceSet } from "./state.ts";

const BATCH = 1_000;
const KEPT_STATES = 64;

export class Timeline {
  readonly #journal: Journal;
  readonly #slices: SliceSet;
  /** Recent states by seq, oldest first. They share structure, so that each costs only what it changed. */
  readonly #recent = new Map<number, SessionState>();
  #state: SessionState;
  #catchingUp: Promise<SessionState> | undefined;

  private constructor(journal: Journal, slices: SliceSet, state: SessionState) {
    this.#journal = journal;
    this.#slices = slices;
    this.#state = state;
    this.#remember(state);
  }

  static async open(journal: Journal, slices: SliceSet): Promise<Timeline> {
    const { seq } = await journal.head();
    return new Timeline(journal, slices, await rebuild(journal, slices, seq));
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Applies what others have committed meanwhile. Callers at one time share one pass. */
  catchUp(): Promise<SessionState> {
    this.#catchingUp ??= this.#readOn().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  async #readOn(): Promise<SessionState> {
    for (;;) {
      const records = await this.#journal.records({ after: this.#state.at.seq, limit: BATCH });
      for (const record of records) await this.#apply(record, changesOf(record));
      if (records.length < BATCH) return this.#state;
    }
  }

  /** Takes in a commit of this process: at once when it is the next one, else through the journal. */
  async advance(stamp: Stamp, changes: readonly Change[]): Promise<void> {
    if (this.#state.at.seq >= stamp.seq) return;
    if (this.#state.at.seq === stamp.seq - 1 && this.#catchingUp === undefined)
      await this.#apply(stamp, changes);
    if (this.#state.at.seq < stamp.seq) await this.catchUp();
    if (this.#state.at.seq < stamp.seq) await this.catchUp();
  }

  async #apply(stamp: Stamp, changes: readonly Change[]): Promise<void> {
    const parts = await loadParts(this.#slices, this.#journal, changes);
    if (this.#state.at.seq !== stamp.seq - 1) return;
    this.#state = applyChanges(this.#slices, this.#state, changes, stamp, parts);
    this.#remember(this.#state);
  }

  #remember(state: SessionState): void {
    this.#recent.set(state.at.seq, state);
    if (this.#recent.size <= KEPT_STATES) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }

  /** The state at a position. Recent ones are at hand; older ones are rebuilt from the journal. */
  async past(at: Position): Promise<SessionState> {
    const state = this.#recent.get(at.seq) ?? (await rebuild(this.#journal, this.#slices, at.seq));
    if (state.at.seq !== at.seq || !state.at.hash.startsWith(at.hash))
      throw new HoldfastError(
        "conflict",
        "unknown_position",
        say`Position ${at.seq} is not part of this session's history. Read again to get a current token.`,
      );
    return state;
  }
}

function changesOf(record: JournalRecord): readonly Change[] {
  if (record.changes !== undefined) return record.changes;
  throw new HoldfastError(
    "conflict",
    "snapshot_expired",
    say`Record ${record.seq} has been pruned, so states before it are gone. Use a later position.`,
  );
}

/** The state at `seq`: each slice from its nearest checkpoint, then every record up to there. */
async function rebuild(journal: Journal, slices: SliceSet, seq: number): Promise<SessionState> {
  const start = new Map<string, number>();
  const loaded = new Map(emptyState(slices, journal.genesis).slices);
  for (const [name, slice] of slices) {
    const checkpoint = await journal.checkpoint.load(name, seq);
    if (checkpoint === undefined) continue;
    start.set(name, checkpoint.at.seq);
    loaded.set(name, await slice.decode(checkpoint.chunks));
  }
  const first = Math.min(...[...slices.keys()].map((name) => start.get(name) ?? 0));
  let state: SessionState = { at: journal.genesis, slices: loaded };
  for (let after = first; after < seq;) {
    const records = await journal.records({ after, upTo: seq, limit: BATCH });
    if (records.length === 0) break;
    for (const record of records) {
      const changes = changesOf(record).filter((change) => record.seq > (start.get(change.slice) ?? 0));
      const parts = await loadParts(slices, journal, changes);
      state = applyChanges(slices, state, changes, record, parts);
      after = record.seq;
    }
  }
  if (state.at.seq === seq || seq === 0) return state;
  const [record] = await journal.records({ after: seq - 1, upTo: seq, limit: 1 });
  return record === undefined ? state : { at: { seq, hash: record.hash }, slices: state.slices };
}
