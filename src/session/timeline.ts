// Owns: the current state of a session as this process knows it, and states of the past.
// Must never: change a state; it only replaces the one it holds with a later one.

import { HoldfastError, say } from "../errors.ts";
import type { Change, Journal, JournalRecord, Position } from "../store/journal.ts";
import { applyPaced, rebuild, type Rebuilt } from "./checkpoints.ts";
import type { Draft } from "./draft.ts";
import { Pacer, runPaced, type Steps } from "../text/steps.ts";
import { changesOf, isExpired } from "./packed-changes.ts";
import { isPruned } from "./pruned-records.ts";
import { stampOf, type Stamp } from "./slice.ts";
import type { SessionState, SliceSet } from "./state.ts";
import { ReplayCosts } from "./replay-costs.ts";

const BATCH = 256;
/** States share structure, so that each of these costs only what it changed. */
const RECENT_STATES = 64;
/** States that were asked for or given a name; a rebuilt one can be as large as the session. */
const PAST_STATES = 16;

/** Told of every record that this process has taken in, its own and others'. */
export type Advanced = (changes: readonly Change[]) => void;

interface AppliedRecord {
  readonly stamp: Stamp;
  readonly changes: readonly Change[];
}

/** A record that this process has committed. */
export interface Committed {
  readonly draft: Draft;
  /** Characters of JSON that each slice's changes take. */
  readonly lengths: ReadonlyMap<string, number>;
  readonly stamp: Stamp;
}

export class Timeline {
  #costs: ReplayCosts;
  readonly #journal: Journal;
  readonly #slices: SliceSet;
  readonly #listeners = new Set<Advanced>();
  /** States by seq, oldest first. */
  readonly #recent = new Map<number, SessionState>();
  readonly #past = new Map<number, SessionState>();
  #state: SessionState;
  #catchingUp: Promise<SessionState> | undefined;
  #nextCatchUp: Promise<SessionState> | undefined;

  private constructor(journal: Journal, slices: SliceSet, state: SessionState, costs: ReplayCosts) {
    this.#journal = journal;
    this.#slices = slices;
    this.#state = state;
    this.#costs = costs;
    remember(this.#recent, state, RECENT_STATES);
  }

  static async open(journal: Journal, slices: SliceSet): Promise<Timeline> {
    const { state, costs } = await rebuildHead(journal, slices);
    return new Timeline(journal, slices, state, costs);
  }

  get costs(): ReplayCosts {
    return this.#costs;
  }

  get state(): SessionState {
    return this.#state;
  }

  onAdvance(listener: Advanced): void {
    this.#listeners.add(listener);
  }

  /**
   * Applies all that has been committed before this call. One that is under way may have looked too early: calls that
   * come later wait for the next one, which all of them share.
   */
  catchUp(): Promise<SessionState> {
    if (this.#catchingUp === undefined) return this.#begin();
    this.#nextCatchUp ??= this.#catchingUp.then(
      () => this.#after(),
      () => this.#after(),
    );
    return this.#nextCatchUp;
  }

  #begin(): Promise<SessionState> {
    this.#catchingUp = this.#readOn().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  #after(): Promise<SessionState> {
    this.#nextCatchUp = undefined;
    return this.#catchingUp ?? this.#begin();
  }

  async #readOn(): Promise<SessionState> {
    // One for all: a crowd of others may have left hundreds of small records.
    const pace = new Pacer();
    for (;;) {
      const records = await this.#journal.records({ after: this.#state.at.seq, limit: BATCH });
      try {
        for (const group of groupsOf(records, records.length < BATCH)) await this.#readGroup(group, pace);
      } catch (error) {
        if (!isExpired(error)) throw error;
        await this.#skipPruned();
        continue;
      }
      if (records.length < BATCH) return this.#state;
    }
  }

  async #readGroup(group: readonly JournalRecord[], pace: Pacer): Promise<void> {
    for (let isMoved = true; isMoved;) {
      const before = this.#state;
      const records: AppliedRecord[] = [];
      for (const record of group)
        if (record.seq > before.at.seq)
          records.push({ stamp: stampOf(record), changes: await changesOf(this.#journal, record) });
      if (records.length === 0) return;
      await this.#apply(records, pace);
      // Another call may have applied some of them meanwhile: what is left is applied to that.
      isMoved = this.#state !== before;
    }
  }

  /** Another process has pruned records that were not known here yet: the state after them is in checkpoints. */
  async #skipPruned(): Promise<void> {
    const { state, costs } = await rebuildHead(this.#journal, this.#slices);
    if (state.at.seq <= this.#state.at.seq) return;
    this.#costs = costs;
    this.#enter(state, []);
  }

  /**
   * Takes in a commit of this process: as its drafts have made it when it was made on the present state, applied to that when
   * others came in between, and through the journal when some of theirs are not known here yet. Of records that were committed
   * together no call sees the state between them.
   */
  async advance(records: readonly Committed[]): Promise<void> {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return;
    if (this.#state.at.seq === first.stamp.at.seq - 1 && this.#catchingUp === undefined) {
      if (this.#state !== first.draft.base)
        await this.#apply(
          records.map(({ draft, stamp }) => ({ stamp, changes: draft.changes })),
          new Pacer(),
        );
      else
        for (const { draft, lengths, stamp } of records) {
          for (const [name, length] of lengths) this.costs.note(stamp.at.seq, name, length);
          this.#enter(draft.committed(stamp.at.hash), draft.changes);
        }
    }
    if (this.#state.at.seq < last.stamp.at.seq) await this.catchUp();
  }

  /** Enters the states after records together: no call sees one between them. */
  async #apply(records: readonly AppliedRecord[], pace: Pacer): Promise<void> {
    const before = this.#state;
    const noted = new ReplayCosts(this.#slices.keys());
    const made: { readonly state: SessionState; readonly changes: readonly Change[] }[] = [];
    for (const { stamp, changes } of records) {
      const from = made.at(-1)?.state ?? before;
      if (from.at.seq !== stamp.at.seq - 1) return;
      made.push({ state: await applyPaced(this.#slices, from, changes, stamp, noted, pace), changes });
    }
    // Another call may have applied the same records while this one waited.
    if (this.#state !== before) return;
    this.costs.join(noted);
    for (const { state, changes } of made) this.#enter(state, changes);
  }

  #enter(next: SessionState, changes: readonly Change[]): void {
    this.#state = next;
    remember(this.#recent, next, RECENT_STATES);
    // A record that changes nothing is there to give its place a name.
    if (changes.length === 0) remember(this.#past, next, PAST_STATES);
    for (const listener of this.#listeners) listener(changes);
  }

  /**
   * The state at a position; `hash` may be its leading digits. Recent ones are at hand; older ones are rebuilt from the
   * journal. Throws `conflict` / `unknown_position` for a place that is not in the history, or `snapshot_expired`.
   */
  async past(at: Position): Promise<SessionState> {
    if (at.seq > this.#state.at.seq) await this.catchUp();
    const state = (await this.#known(at.seq)) ?? (await this.#rebuild(at.seq));
    if (state !== undefined && this.#past.has(at.seq)) remember(this.#past, state, PAST_STATES);
    if (state === undefined || !state.at.hash.startsWith(at.hash))
      throw new HoldfastError(
        "conflict",
        "unknown_position",
        say`Position ${at.seq} is not part of this session's history, whose newest record is ${this.state.at.seq}. Name an earlier one, or read again to get a current token.`,
      );
    return state;
  }

  /** A state that is at hand, unless another process has pruned what it is made of. */
  async #known(seq: number): Promise<SessionState | undefined> {
    const known = this.#past.get(seq) ?? this.#recent.get(seq);
    if (known === undefined || seq === this.#state.at.seq) return known;
    if (!(await isPruned(this.#journal, seq + 1))) return known;
    this.forget(seq + 1);
    return undefined;
  }

  async #rebuild(seq: number): Promise<SessionState | undefined> {
    if (seq > this.#state.at.seq || seq < 0) return undefined;
    const { state } = await rebuild(this.#journal, this.#slices, seq);
    const slices = new Map(state.slices);
    for (const [name, slice] of this.#slices)
      if (slice.graftSteps !== undefined)
        slices.set(
          name,
          await runPaced(slice.graftSteps(slices.get(name), this.#state.slices.get(name)) as Steps<unknown>),
        );
    const grafted: SessionState = { at: state.at, slices };
    remember(this.#past, grafted, PAST_STATES);
    return grafted;
  }

  /** Retention has dropped what states before `seq` are made of. */
  forget(seq: number): void {
    for (const states of [this.#recent, this.#past])
      for (const at of states.keys()) if (at < seq) states.delete(at);
  }
}

/** Records that may have been committed together, since they have one time. Of a batch that is not the last, the last ones are left for the next. */
function groupsOf(records: readonly JournalRecord[], isLast: boolean): JournalRecord[][] {
  const groups: JournalRecord[][] = [];
  for (const record of records) {
    const group = groups.at(-1);
    if (group?.[0]?.time.getTime() === record.time.getTime()) group.push(record);
    else groups.push([record]);
  }
  if (!isLast && groups.length > 1) groups.pop();
  return groups;
}

/** The state at the head; at a newer one when another process prunes past the first meanwhile. */
async function rebuildHead(journal: Journal, slices: SliceSet): Promise<Rebuilt> {
  for (let tried = -1; ;) {
    const { seq } = await journal.head();
    try {
      return await rebuild(journal, slices, seq);
    } catch (error) {
      if (!isExpired(error) || seq === tried) throw error;
      tried = seq;
    }
  }
}

function remember(states: Map<number, SessionState>, state: SessionState, most: number): void {
  states.delete(state.at.seq);
  states.set(state.at.seq, state);
  if (states.size <= most) return;
  for (const oldest of states.keys()) {
    states.delete(oldest);
    return;
  }
}
