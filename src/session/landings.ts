// Owns: what agents ask the host to land, and what became of it.

import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import type { Change, Position } from "../store/journal.ts";
import { tokenOf } from "../store/token.ts";
import { checkArgument, checkNames, checkOptions, type OptionKinds } from "../text/options.ts";
import type { Json } from "../value.ts";
import { commitAs, type Actor } from "./actor.ts";
import { fixedSlice } from "./fixed-slice.ts";
import type { Refusal, Slice } from "./slice.ts";
import type { SessionCore } from "./transact.ts";

/** How far a request is: open until the host lands or declines it, or its agent takes it back. */
export type LandingState = "open" | "landed" | "declined" | "withdrawn";

/** An agent's request to land its work. */
export interface Landing {
  /** The number of its record. */
  readonly request: number;
  /** The position that it asks to land. */
  readonly token: Shown;
  /** Who asks. */
  readonly agent: string;
  /** When it asked. */
  readonly time: Date;
  /** Why, in its own words. */
  readonly reason: string;
  /** Files and directories; none: all of the session. */
  readonly paths: readonly string[];
  /** How far it is. */
  readonly state: LandingState;
  /** What the host answered. */
  readonly reply?: string;
}

/** How the host settles a request. */
export interface LandingReply {
  /** What became of it. */
  readonly state: "landed" | "declined";
  /** For the agent: it comes with its next result. */
  readonly reply?: string;
}

export type LandingChange = Change &
  (
    | { readonly op: "request"; readonly reason: string; readonly paths: readonly string[] }
    | {
        readonly op: "settle";
        readonly request: number;
        readonly state: Exclude<LandingState, "open">;
        readonly reply?: string;
      }
  );

interface Entry {
  readonly at: Position;
  readonly agent: string;
  readonly time: string;
  readonly reason: string;
  readonly paths: readonly string[];
  readonly state: LandingState;
  readonly reply?: string;
  /** The record that settled it. */
  readonly settled?: number;
}

/** Requests by the number of their record, oldest first. */
export type Landings = ReadonlyMap<number, Entry>;

/** Requests that are remembered; beyond, the oldest settled ones are forgotten. */
const REMEMBERED = 1_000;
const TEXT_LENGTH = 1_000;

export const landingsSlice: Slice<Landings, LandingChange, Landings> = fixedSlice<Landings, LandingChange>({
  name: "landings",
  empty: new Map(),
  apply(state, change, { at, time, agent }) {
    const next = new Map(state);
    if (change.op === "request") {
      const { reason, paths } = change;
      next.set(at.seq, { at, agent, time: time.toISOString(), reason, paths, state: "open" });
      return bounded(next);
    }
    const entry = next.get(change.request);
    if (entry === undefined) return state;
    const { reply } = change;
    const said = reply === undefined ? {} : { reply };
    return next.set(change.request, { ...entry, state: change.state, settled: at.seq, ...said });
  },
  refuse(state, change): readonly Refusal[] {
    if (change.op === "request") return [];
    const entry = state.get(change.request);
    if (entry?.state === "open") return [];
    const message =
      entry === undefined
        ? say`There is no landing request ${change.request}`
        : say`Landing request ${change.request} is ${entry.state as Shown} already`;
    const code = entry === undefined ? "not_found" : "conflict";
    return [{ key: "landings", code, reason: "landing_not_open", message }];
  },
  toJson: (state) => [...state] as unknown as Json,
  fromJson: (json) => new Map(json as unknown as [number, Entry][]),
});

function bounded(state: Map<number, Entry>): Map<number, Entry> {
  for (const [seq, { state: how }] of state) {
    if (state.size <= REMEMBERED) break;
    if (how !== "open") state.delete(seq);
  }
  return state;
}

/** Newest first. */
export function landingsOf(state: Landings): Landing[] {
  return Array.from(state, ([request, entry]) => landingOf(request, entry)).reverse();
}

function landingOf(request: number, { at, agent, time, reason, paths, state, reply }: Entry): Landing {
  return {
    request,
    token: tokenOf(at),
    agent,
    time: new Date(time),
    reason,
    paths,
    state,
    ...(reply === undefined ? {} : { reply }),
  };
}

/** Who has asked for a landing. */
export function agentsOf(state: Landings): ReadonlySet<string> {
  return new Set(Array.from(state.values(), ({ agent }) => agent));
}

/** The requests of an agent that were settled by a record after `seq`, oldest settlement first, each with that record. */
export function settledSince(
  state: Landings,
  agent: string,
  seq: number,
): { landing: Landing; at: number }[] {
  return Array.from(state)
    .filter(([, one]) => one.agent === agent && one.state !== "withdrawn" && (one.settled ?? 0) > seq)
    .map(([request, one]) => ({ landing: landingOf(request, one), at: one.settled ?? 0 }))
    .toSorted((a, b) => a.at - b.at);
}

/** Throws `invalid_argument` / `bad_reason` for a text that is blank or too long. */
export function landingText(what: Shown, text: string): string {
  const trimmed = text.trim();
  if (trimmed !== "" && trimmed.length <= TEXT_LENGTH && trimmed.isWellFormed()) return trimmed;
  throw new HoldfastError(
    "invalid_argument",
    "bad_reason",
    say`${what} has 1 to ${TEXT_LENGTH} characters; this is ${echo(text, 40)}.`,
  );
}

const REPLY: OptionKinds<LandingReply> = { state: "string", reply: "string" };

/** The host's reply to a request, which settles it. Throws where there is none, or it is settled. */
export async function settleLanding(
  core: SessionCore,
  host: Actor,
  request: number,
  how: LandingReply,
): Promise<Position> {
  checkArgument(say`settleLanding: the request`, request, "number");
  checkOptions(say`settleLanding`, how ?? {}, REPLY);
  checkNames(say`settleLanding: state`, [how?.state], ["landed", "declined"]);
  const { state, reply } = how;
  const said = reply === undefined ? {} : { reply: landingText(say`A reply`, reply) };
  const change: LandingChange = { slice: "landings", op: "settle", request, state, ...said };
  const asked = { request, state, ...said };
  const { at } = await commitAs(core, host, "landing_reply", asked, async (draft) => {
    draft.reader(landingsSlice);
    draft.change(change);
  });
  return at;
}
