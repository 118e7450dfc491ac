// Owns: what the host replied to landing requests, brought to the agent that asked with its next result, once.

import { echo } from "../errors.ts";
import { agentsOf, settledSince, type Landings } from "../session/landings.ts";
import type { SessionCore } from "../session/transact.ts";
import type { CallResult } from "./result.ts";

/** Up to where an agent has been told, and of which requests that was. */
interface Told {
  readonly state: Landings;
  readonly upTo: number;
}

export class LandingReplies {
  readonly #core: SessionCore;
  /** Requests whose agents heard how they ended from elsewhere. */
  readonly #heard: Set<number>;
  /** Of agents that have asked: there are never more of them than requests. */
  readonly #told = new Map<string, Told>();
  /** Who has asked, in the state that was looked at last. */
  #asked: { readonly state: Landings; readonly agents: ReadonlySet<string> } | undefined;

  constructor(core: SessionCore, heard: Set<number>) {
    this.#core = core;
    this.#heard = heard;
  }

  /** The result with replies that the agent has not seen yet. Those that it has no room for wait for the next one. */
  async with(agent: string, result: CallResult, budget: number): Promise<CallResult> {
    const state = this.#core.timeline.state.slices.get("landings") as Landings;
    const told = this.#told.get(agent);
    if (told?.state === state || !this.#hasAsked(state, agent)) return result;
    const from = told?.upTo ?? (await this.#lastOf(agent));
    let { text } = result;
    let upTo = from;
    let isAll = true;
    for (const { landing, at } of settledSince(state, agent, from)) {
      const { request, state: how, reply } = landing;
      if (this.#heard.delete(request)) {
        upTo = at;
        continue;
      }
      const line = `\n[Landing request ${request} ${how}${reply === undefined ? "" : `: ${echo(reply, 1_000)}`}]`;
      isAll = text.length + line.length <= budget;
      if (!isAll) break;
      text += line;
      upTo = at;
    }
    if (isAll) this.#told.set(agent, { state, upTo });
    else this.#told.set(agent, { state: told?.state ?? new Map(), upTo });
    return text === result.text ? result : { ...result, text };
  }

  #hasAsked(state: Landings, agent: string): boolean {
    if (state.size === 0) return false;
    if (this.#asked?.state !== state) this.#asked = { state, agents: agentsOf(state) };
    return this.#asked.agents.has(agent);
  }

  /** A reply that came before an agent's newest record came with its result. */
  async #lastOf(agent: string): Promise<number> {
    const [newest] = await this.#core.journal.records({ agent, newestFirst: true, limit: 1 });
    return newest?.seq ?? 0;
  }
}
