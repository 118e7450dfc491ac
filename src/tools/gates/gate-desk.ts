// Owns: what only the host may do with gates: answer as the person in charge, override, look.

import {
  decideGates,
  emptyGates,
  liftOverride,
  overrideGates,
  parseGates,
  putGates,
  type GateActor,
  type GateConfigInput,
  type GateLog,
  type GateRecord,
  type GateResult,
  type GateSet,
  type GateState,
} from "../../gates/index.ts";
import type { Limits } from "../../limits.ts";
import { commitAs, type Actor } from "../../session/actor.ts";
import { gatesSlice, type GatesState } from "../../session/gates/gates-slice.ts";
import type { SessionCore } from "../../session/transact.ts";
import { chooseSet, type GateSetsByName } from "./gate-sets.ts";

/** What judging an answer comes to. */
export type JudgedGates = GateResult<GateSet<GateConfigInput>>;

/** A set's answers and the decision over them, with the order of its gates. */
export interface GateSetRecord extends GateRecord {
  /** The keys of `state.gates` in gate order, which a plain object does not keep where they are digits. */
  readonly gate_order: readonly string[];
}

/**
 * What only the host may do with the gates of a session. Methods throw `not_found` / `no_such_gate_set` for a set that is not there, and
 * `invalid_argument` / `gate_set_required` where none is named and the session has several.
 */
export interface GateDesk {
  /**
   * What a set's answers are now; the only set when none is named. A set that was never answered has empty answers.
   *
   * @example const { decision } = session.gates.get("intake"); // decision.next_question is what to ask
   */
  get(set?: string): GateSetRecord;
  /**
   * Judges an answer of the person in charge: absent parts stay as they are, a null gate asks for deletion. What the
   * judge refuses is in the result, and nothing changes; otherwise one commit by `host`.
   *
   * @example
   * const judged = await session.gates.submit({ gates: { "1_data": { raw: "yes, all of it", classified: null } } });
   * if (!judged.ok) console.error(judged.errors);
   */
  submit(answer: unknown, set?: string): Promise<JudgedGates>;
  /**
   * Passes a set by the word of the person in charge, whatever is missing; recorded as `user_override`. It stays in
   * force, whatever is answered later, until {@link lift}. One commit by `host`.
   *
   * @example (await session.gates.override("intake")).decision.reason // "user_override"
   */
  override(set?: string): Promise<GateSetRecord>;
  /**
   * Ends an override: the set is decided by its answers again, and may hold writes back from then on. Changes nothing where there is
   * none.
   *
   * @example const { decision } = await session.gates.lift("intake");
   */
  lift(set?: string): Promise<GateSetRecord>;
}

export class SessionGateDesk implements GateDesk {
  readonly #core: SessionCore;
  readonly #host: Actor;
  readonly #sets: () => GateSetsByName;
  readonly #log: GateLog;

  constructor(core: SessionCore, host: Actor, sets: () => GateSetsByName, log: GateLog) {
    this.#core = core;
    this.#host = host;
    this.#sets = sets;
    this.#log = log;
  }

  get(set?: string): GateSetRecord {
    const { name, config } = chooseSet(this.#sets(), set);
    const { sets } = this.#core.timeline.state.slices.get("gates") as GatesState;
    return ordered(sets.get(name) ?? unanswered(config), config);
  }

  async submit(answer: unknown, set?: string): Promise<JudgedGates> {
    const { name, config } = chooseSet(this.#sets(), set);
    const done = await commitAs(this.#core, this.#host, "gates", { set: name }, async (draft) => {
      const gates = draft.reader(gatesSlice);
      const by = { actor: "user", log: this.#log, limits: this.#core.limits } as const;
      const result = judgeAnswer(answer, config, gates.set(name), by);
      if (result.ok) draft.change(putGates(gates.sets(name), name, recordOf(result)));
      return result;
    });
    return done.value;
  }

  override(set?: string): Promise<GateSetRecord> {
    return this.#decide(set, true);
  }

  lift(set?: string): Promise<GateSetRecord> {
    return this.#decide(set, false);
  }

  async #decide(set: string | undefined, override: boolean): Promise<GateSetRecord> {
    const { name, config } = chooseSet(this.#sets(), set);
    const done = await commitAs(this.#core, this.#host, "gates", { set: name, override }, async (draft) => {
      const gates = draft.reader(gatesSlice);
      const before = gates.set(name);
      if (!override && !isOverridden(before)) return before ?? unanswered(config);
      const state = (before?.state ?? emptyGates(config)) as GateState<typeof config>;
      const record = recordOf(override ? overrideGates(state, config) : liftOverride(state, config));
      draft.change(putGates(gates.sets(name), name, record));
      return record;
    });
    return ordered(done.value, config);
  }
}

interface JudgedBy {
  readonly actor: GateActor;
  readonly log: GateLog;
  readonly limits: Limits;
}

/** Judges an answer to a set. Where the host has overridden the set it passes whatever the answer is. */
export function judgeAnswer(
  answer: unknown,
  config: GateSet<GateConfigInput>,
  before: GateRecord | undefined,
  { actor, log, limits }: JudgedBy,
): JudgedGates {
  const previous = (before?.state ?? null) as GateState<typeof config> | null;
  const { answerLength: maxLength, answerDepth: maxDepth } = limits;
  const result = parseGates(answer, config, { previous, actor, log, maxLength, maxDepth });
  return result.ok && isOverridden(before) ? { ...result, ...overrideGates(result.state, config) } : result;
}

function isOverridden(record: GateRecord | undefined): boolean {
  return record?.decision.reason === "user_override";
}

/** History keeps states of any configuration, so their own types are forgotten here. */
export function recordOf(judged: Pick<Extract<JudgedGates, { ok: true }>, "state" | "decision">): GateRecord {
  return { state: judged.state as unknown as GateState, decision: judged.decision };
}

function ordered(record: GateRecord, config: GateSet<GateConfigInput>): GateSetRecord {
  return { ...record, gate_order: [...config.gates.keys()] };
}

function unanswered(config: GateSet<GateConfigInput>): GateRecord {
  const state = emptyGates(config);
  return recordOf({ state, decision: decideGates(state, config) });
}
