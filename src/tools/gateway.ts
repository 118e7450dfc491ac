// Owns: the call path: the nine steps that every call of every tool takes, once.
//   1 find the tool, read its input   2 may this agent?        3 rate and batch size
//   4 idempotency key                 5 pinned versions        6 run
//   7 commit                          8 audit and event        9 render
// Must never: know a tool, or show an agent anything but a HoldfastError.

import { randomBytes } from "node:crypto";
import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { Draft } from "../session/draft.ts";
import type { SessionCore } from "../session/transact.ts";
import { nearest } from "../text/index.ts";
import type { AuditTrail } from "./audit-trail.ts";
import type { Call, Input, WriteCall } from "./call.ts";
import type { Clock } from "./clock.ts";
import { noteTurn, throwIfAborted } from "../text/steps.ts";
import { Context, type CallFrame } from "./context.ts";
import { readerOf, warmReaderOf, warmUp } from "./definition.ts";
import type { Emitter } from "./events.ts";
import { checkOptions, type OptionKinds } from "../text/options.ts";
import { isOffered, passGates, permit, type Identity } from "./identity.ts";
import type { ParsedInput, WriteArguments } from "./input.ts";
import type { LandingReplies } from "./landing-replies.ts";
import { checkBatch } from "./list-items.ts";
import type { Log } from "./log.ts";
import { PolicyChanged, type PolicyInForce, type Settled } from "./policy-in-force.ts";
import { rateLimited, type RateLimit } from "./rate.ts";
import { rendered } from "./render.ts";
import { requestHash } from "./request-hash.ts";
import { failure, type CallResult } from "./result.ts";
import { pathOfTarget, type Target, type Tool } from "./tool.ts";
import { checkText, takeInput, type SentText } from "./take-input.ts";
import { ToolWrites } from "./tool-writes.ts";
import { viewCall } from "./view-call.ts";
import type { ViewRows } from "./view-rows.ts";
import { writeCall } from "./write-call.ts";

export interface GatewayParts {
  readonly session: string;
  readonly core: SessionCore;
  readonly policy: PolicyInForce;
  readonly clock: Clock;
  readonly rate: RateLimit;
  readonly audit: AuditTrail;
  readonly events: Emitter;
  readonly log: Log;
  readonly views: ViewRows;
  readonly cursorKey: Buffer;
  readonly replies: LandingReplies;
}

/** How a call is made. */
export interface CallOptions {
  /** Gives up the call. One that is not committed yet changes nothing and is refused with `conflict` / `aborted`. */
  readonly signal?: AbortSignal;
  /** Used when the input names no key: adapters pass the id of the tool call. */
  readonly idempotencyKey?: string;
  /** The session the caller believes to be in; another one is refused. */
  readonly session?: string;
  /**
   * Awaited before a writing call runs, with the paths that it names, and not for one that is replayed. What it throws ends the call
   * with nothing written. It is awaited again where the call begins anew.
   */
  readonly beforeWrite?: (paths: readonly string[]) => Promise<void>;
}

/** A call whose input has been read; `wait` is how long its agent has to wait for it, in seconds. */
interface SentCall extends Pick<WriteCall, "call" | "tool" | "input" | "common" | "beforeWrite"> {
  readonly text: SentText;
  readonly signal: AbortSignal;
  readonly wait: number;
}

const NEVER: AbortSignal = new AbortController().signal;
const NO_TARGETS: readonly Target[] = [];
/** No tool has a longer name; what an audit keeps of others is bounded. */
const NAME_CHARS = 64;
const CALL_OPTIONS: OptionKinds<CallOptions> = {
  signal: "signal",
  idempotencyKey: "string",
  session: "string",
  beforeWrite: "function",
};
/** Of what a call names, the audit holds the first. */
const MENTIONED = 20;
/** How often a call begins anew because a live folder, or the policy, changed under it. */
const FRESH_TRIES = 5;
const STALE = Symbol("stale");

export class Gateway {
  readonly #parts: GatewayParts;
  #closed = false;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  close(): void {
    this.#closed = true;
  }

  /** Reads an input as a call would. Throws what the call would be refused with. */
  read(tool: Tool, raw: unknown): ParsedInput {
    return readerOf(tool)(takeInput(raw, this.#settled.limits, tool).input);
  }

  get #settled(): Settled {
    const { policy, core } = this.#parts;
    return policy.in(core.timeline.state);
  }

  /** Never throws: what goes wrong is in the result. */
  async call(agent: Identity, name: string, raw: unknown, options: CallOptions = {}): Promise<CallResult> {
    noteTurn();
    const { clock } = this.#parts;
    const call: Call = {
      agent,
      tool: typeof name === "string" ? name.slice(0, NAME_CHARS) : typeof name,
      started: clock.monotonic(),
      time: clock.now(),
      targets: NO_TARGETS,
      outcome: "ok",
    };
    let result: CallResult;
    try {
      result = await this.#take(call, name, raw, options);
    } catch (error) {
      const shown = HoldfastError.is(error) ? error : this.#internal(call, error);
      call.outcome = shown.code;
      result = failure(shown, this.#settled.limits.budgetChars);
    }
    if (!this.#closed)
      result = await this.#parts.replies.with(agent.id, result, this.#settled.limits.budgetChars);
    this.#record(call, result);
    return result;
  }

  async #take(call: Call, name: unknown, raw: unknown, options: CallOptions): Promise<CallResult> {
    const { core, rate } = this.#parts;
    const { tools, limits, policy } = this.#settled;
    const wait = rate.take(call.agent.id, call.started);
    const tool = toolNamed(name, tools, (known) => isOffered(known, call.agent, policy));
    checkOptions(say`The options of a call`, options, CALL_OPTIONS);
    const { input: plain, text } = takeInput(raw, limits, tool);
    const read = warmReaderOf(tool) ?? (await warmUp(tool));
    const { input, common } = read(plain);
    if (typeof input["mode"] === "string") call.mode = input["mode"];
    call.mentions = tool.mentions?.(input) ?? [];

    this.#checkSession(options);
    const sent = {
      call,
      tool,
      input,
      text,
      common: withKey(common, options),
      signal: options.signal ?? NEVER,
      wait,
      beforeWrite: options.beforeWrite,
    };
    const known = core.timeline.state.at.seq;
    // Another process may have written what a refusal does not know of: then it is not the last word.
    const isNewest = async (): Promise<boolean> => (await core.timeline.catchUp()).at.seq === known;
    try {
      const result = await this.#attempt(sent);
      if (!result.ok || tool.refuses?.(result.value) !== true || (await isNewest())) return result;
    } catch (error) {
      if (!isOfState(error) || (await isNewest())) throw error;
    }
    return await this.#attempt(sent);
  }

  /** Takes a call that has been read through the steps that look at the session's state. */
  async #attempt(sent: SentCall, tries = 1): Promise<CallResult> {
    const { core } = this.#parts;
    const { state } = core.timeline;
    const settled = this.#parts.policy.in(state);
    const { call, input, signal, wait } = sent;
    const { agent } = call;
    // Those for gates are made from the policy.
    const tool = settled.tools.get(sent.tool.name) ?? sent.tool;
    permit(agent, tool, settled.policy, state);
    if (wait > 0) throw rateLimited(wait);
    checkText(sent.text, settled.limits, tool);
    checkBatch(tool.batch(input), settled.limits);
    throwIfAborted(signal);
    const frame = this.#frame(call, tool, input, signal, settled);
    try {
      const notesReads = tool.access !== "read" || !core.outside.isEmpty;
      const draft = new Draft(core.slices, state, call.time, agent.id, notesReads);
      const begin = new Context(frame, draft, call.time, "nothing");
      const resolved = await begin.during(() => tool.resolve(input, begin));
      call.targets = tool.targets(resolved);
      // Before anything is said of their versions, which would tell whether they exist.
      for (const target of call.targets) {
        const path = pathOfTarget(target);
        if (path !== undefined) begin.refuseHidden(path);
      }
      if (tool.access === "read") {
        const value = await this.#freshly(tries, draft, () => begin.during(() => tool.run(begin, resolved)));
        return value === STALE ? await this.#attempt(sent, tries + 1) : rendered(tool, value, input, frame);
      }
      if ((await this.#freshly(tries, draft, async () => undefined)) === STALE)
        return await this.#attempt(sent, tries + 1);
      const write = { ...sent, tool, resolved, frame, begin };
      return await (tool.access === "view" ? viewCall(core, write) : writeCall(core, write));
    } catch (error) {
      if (!(error instanceof PolicyChanged) || tries > FRESH_TRIES) throw error;
      return await this.#attempt(sent, tries + 1);
    } finally {
      for (const source of frame.opened) source.close();
    }
  }

  /** What a run returns, or {@link STALE} when something that it read had changed in a live folder: that has been imported now. */
  async #freshly(tries: number, draft: Draft, run: () => Promise<unknown>): Promise<unknown> {
    const { outside } = this.#parts.core;
    if (outside.isEmpty || tries > FRESH_TRIES) return run();
    let value: unknown;
    try {
      value = await run();
    } catch (error) {
      if (await outside.refresh(draft)) return STALE;
      throw error;
    }
    return (await outside.refresh(draft)) ? STALE : value;
  }

  #checkSession(options: CallOptions): void {
    if (this.#closed)
      throw new HoldfastError(
        "not_found",
        "session_closed",
        say`The session is closed. Open it again to go on.`,
      );
    if (options.session !== undefined && options.session !== this.#parts.session)
      throw new HoldfastError("forbidden", "wrong_session", say`This tool belongs to another session.`);
  }

  #frame(call: Call, tool: Tool, input: Input, signal: AbortSignal, settled: Settled): CallFrame {
    const { core, cursorKey, views, policy, log } = this.#parts;
    const refused: Error[] = [];
    const { limits, names, shared, permissions, rules, requireVersions } = settled;
    const asked = input["budget"];
    return {
      core,
      agent: call.agent,
      limits,
      names,
      signal,
      budget: typeof asked === "number" ? Math.min(asked, limits.budgetChars) : limits.budgetChars,
      scope: () => {
        const { cursor: _, budget: __, ...query } = input;
        return { tool: tool.name, query: requestHash(tool.name, query) };
      },
      cursorKey,
      views,
      shared,
      permissions,
      rules,
      requireVersions,
      holdsIn: (state) => policy.in(state) === settled,
      passGates(draft) {
        if (!tool.ignoresGates) draft.depend(settled.gateKeys);
        passGates(call.agent, tool, settled.policy, draft.base);
      },
      writes: (may) => new ToolWrites(tool.name, may, log, refused),
      opened: [],
    };
  }

  #internal(call: Call, cause: unknown): HoldfastError {
    const reference = randomBytes(6).toString("hex");
    call.reference = reference;
    this.#parts.log.error("a call failed", { reference, tool: call.tool, agent: call.agent.id, cause });
    const state =
      call.at === undefined
        ? say`Nothing was written.`
        : say`What it changed was written as record ${call.at.seq}: look at it before you go on.`;
    return new HoldfastError(
      "internal",
      "unexpected",
      say`Something went wrong inside ${echo(call.tool)}. ${state} Give the host this reference: ${reference as Shown}.`,
      { data: { reference: reference as Shown }, cause },
    );
  }

  #record(call: Call, result: CallResult): void {
    const { audit, clock, events } = this.#parts;
    const { agent, tool, time, targets, mentions = [], outcome, reference, at, mode } = call;
    const ms = clock.monotonic() - call.started;
    const reason = result.error?.reason;
    audit.add({
      time,
      agent: agent.id,
      role: agent.role,
      tool,
      targets: [...targets.map((target) => target.key), ...mentions.slice(0, MENTIONED)],
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(reference === undefined ? {} : { reference }),
      ms,
      ...(at === undefined ? {} : { seq: at.seq }),
      count: 1,
      last: time,
    });
    if (!events.hears("tool")) return;
    events.emit("tool", {
      agent: agent.id,
      role: agent.role,
      tool,
      targets: targets.map((target) => target.name),
      ...(mode === undefined ? {} : { mode }),
      resultSize: result.text.length,
      duration: ms,
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(result.ok && result.token !== undefined ? { token: result.token } : {}),
    });
  }
}

/** Whether a refusal could be another one in a newer state. */
function isOfState(error: unknown): boolean {
  return HoldfastError.is(error) && error.code !== "rate_limited" && !LAST_WORDS.has(error.reason);
}

/** `outcome_unknown`: it may have been written, so it must not be sent again. */
const LAST_WORDS: ReadonlySet<string> = new Set(["contended", "outcome_unknown"]);

/** A key beside the input counts when the input has none. */
function withKey(common: WriteArguments, { idempotencyKey }: CallOptions): WriteArguments {
  return { ...common, idempotencyKey: common.idempotencyKey ?? idempotencyKey };
}

/** The tool of a name. A name that is none is refused with those that the agent may use. */
function toolNamed(name: unknown, tools: ReadonlyMap<string, Tool>, mayUse: (tool: Tool) => boolean): Tool {
  if (typeof name !== "string")
    throw new HoldfastError(
      "invalid_argument",
      "unknown_tool",
      say`The name of a tool is a string, such as "read_file".`,
    );
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const known = [...tools.values()].filter(mayUse).map((offered) => offered.name);
  const close = nearest(name, known);
  const hint =
    close === undefined
      ? say`Known tools: ${sayAll(known as readonly string[] as readonly Shown[])}.`
      : say`Did you mean ${close as Shown}?`;
  throw new HoldfastError("invalid_argument", "unknown_tool", say`There is no tool ${echo(name)}. ${hint}`);
}
