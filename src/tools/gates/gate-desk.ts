// Owns: what only the host may do with gates: answer as the person in charge, override, look.

import {
  decideGates,
  emptyGates,
  overrideGates,
  parseGates,
  putGates,
  type GateConfigInput,
  type GateLog,
  type GateRecord,
  type GateResult,
  type GateSet,
  type GateState,
} from "../../gates/index.ts";
import { commitAs, type Actor } from "../../session/actor.ts";
import { gatesSlice, type GatesState } from "../../session/gates/gates-slice.ts";
import type { Book } from "../../session/transact.ts";
import { chooseSet, type GateSetsByName } from "./gate-sets.ts";

/** What judging an answer comes to. */
export type JudgedGates = GateResult<GateSet<GateConfigInput>>;

/** What only the host may do with the gates of a session. Methods throw `HoldfastError` for a set that is not there. */
export interface GateDesk {
  /** What a set's answers are now; the only set when none is named. */
  get(set?: string): GateRecord;
  /**
   * Judges an answer of the person in charge: absent parts stay as they are, a null gate asks for deletion. What the
   * judge refuses is in the result, and nothing changes.
   */
  submit(answer: unknown, set?: string): Promise<JudgedGates>;
  /** Passes a set by the word of the person in charge, whatever is missing; recorded as `user_override`. */
  override(set?: string): Promise<GateRecord>;
}

export class SessionGateDesk implements GateDesk {
  readonly #book: Book;
  readonly #host: Actor;
  readonly #sets: GateSetsByName;
  readonly #log: GateLog;

  constructor(book: Book, host: Actor, sets: GateSetsByName, log: GateLog) {
    this.#book = book;
    this.#host = host;
    this.#sets = sets;
    this.#log = log;
  }

  get(set?: string): GateRecord {
    const { name, config } = chooseSet(this.#sets, set);
    const { sets } = this.#book.timeline.state.slices.get("gates") as GatesState;
    return sets.get(name) ?? unanswered(config);
  }

  async submit(answer: unknown, set?: string): Promise<JudgedGates> {
    const { name, config } = chooseSet(this.#sets, set);
    const done = await commitAs(this.#book, this.#host, "gates", { set: name }, async (draft) => {
      const gates = draft.reader(gatesSlice);
      const previous = gates.set(name)?.state as GateState<typeof config> | undefined;
      const result = parseGates(answer, config, {
        previous: previous ?? null,
        actor: "user",
        log: this.#log,
      });
      if (result.ok) draft.change(putGates(gates.sets(name), name, recordOf(result)));
      return result;
    });
    return done.value;
  }

  async override(set?: string): Promise<GateRecord> {
    const { name, config } = chooseSet(this.#sets, set);
    const done = await commitAs(
      this.#book,
      this.#host,
      "gates",
      { set: name, override: true },
      async (draft) => {
        const gates = draft.reader(gatesSlice);
        const state = (gates.set(name)?.state ?? emptyGates(config)) as GateState<typeof config>;
        const record = recordOf(overrideGates(state, config));
        draft.change(putGates(gates.sets(name), name, record));
        return record;
      },
    );
    return done.value;
  }
}

/** History keeps states of any configuration, so their own types are forgotten here. */
export function recordOf(judged: Pick<Extract<JudgedGates, { ok: true }>, "state" | "decision">): GateRecord {
  return { state: judged.state as unknown as GateState, decision: judged.decision };
}

function unanswered(config: GateSet<GateConfigInput>): GateRecord {
  const state = emptyGates(config);
  return recordOf({ state, decision: decideGates(state, config) });
}
