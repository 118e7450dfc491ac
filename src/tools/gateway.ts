// Owns: the call path: the nine steps that every call of every tool takes, once.
//   1 find the tool, read its input   2 may this agent?        3 rate and batch size
//   4 idempotency key                 5 pinned versions        6 run
//   7 commit                          8 audit and event        9 render
// Must never: know a tool, or show an agent anything but a HoldfastError.

import { randomBytes } from "node:crypto";
import { echo, HoldfastError, say, sayAll, type Shown } from "../errors.ts";
import { LIMITS, type Limits } from "../limits.ts";
import type { NameAlphabet } from "../path/index.ts";
import { Draft } from "../session/draft.ts";
import { fileKey } from "../session/files/file-keys.ts";
import { transact, type Book, type Intent, type Outcome } from "../session/transact.ts";
import type { Position } from "../store/journal.ts";
import { tokenOf } from "../store/token.ts";
import { cutText, nearest } from "../text/index.ts";
import type { Json } from "../value.ts";
import type { AuditTrail } from "./audit-trail.ts";
import type { Clock } from "./clock.ts";
import { Context, throwIfAborted, type CallFrame } from "./context.ts";
import { readerOf } from "./definition.ts";
import type { Emitter } from "./events.ts";
import { permit, type Identity, type Policy } from "./identity.ts";
import type { WriteArguments } from "./input.ts";
import type { Log } from "./log.ts";
import { measureInput } from "./measure.ts";
import { rateLimited, type RateLimit } from "./rate.ts";
import { requestHash } from "./request-hash.ts";
import { failure, type CallResult } from "./result.ts";
import type { Target, Tool } from "./tool.ts";
import { checkPins, pinsOf, staleVersion, versionRequired } from "./versions.ts";

export interface GatewayParts {
  readonly session: string;
  readonly book: Book;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly names: NameAlphabet;
  readonly clock: Clock;
  readonly rate: RateLimit;
  readonly audit: AuditTrail;
  readonly events: Emitter;
  readonly log: Log;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Used when the input names no key: adapters pass the id of the tool call. */
  readonly idempotencyKey?: string;
  /** The session the caller believes to be in; another one is refused. */
  readonly session?: string;
}

/** What is known of a call so far: enough to audit it wherever it stops. */
interface Call {
  readonly agent: Identity;
  readonly tool: string;
  readonly started: number;
  readonly time: Date;
  targets: readonly Target[];
  mode?: string;
  outcome: string;
  reference?: string;
  at?: Position;
}

type Input = Readonly<Record<string, unknown>>;

const NEVER: AbortSignal = new AbortController().signal;
const NO_TARGETS: readonly Target[] = [];

export class Gateway {
  readonly #parts: GatewayParts;
  #closed = false;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  close(): void {
    this.#closed = true;
  }

  /** Never throws: what goes wrong is in the answer. */
  async call(agent: Identity, name: string, raw: unknown, options: CallOptions = {}): Promise<CallResult> {
    const { clock } = this.#parts;
    const call: Call = {
      agent,
      tool: name,
      started: clock.monotonic(),
      time: clock.now(),
      targets: NO_TARGETS,
      outcome: "ok",
    };
    let result: CallResult;
    try {
      result = await this.#take(call, raw, options);
    } catch (error) {
      const shown = HoldfastError.is(error) ? error : this.#internal(call, error);
      call.outcome = shown.code;
      result = failure(shown);
    }
    this.#record(call, result);
    return result;
  }

  async #take(call: Call, raw: unknown, options: CallOptions): Promise<CallResult> {
    const { book, tools, policy, limits, rate } = this.#parts;
    const { agent } = call;
    const wait = rate.take(agent.id, call.started);
    const tool = tools.get(call.tool) ?? unknownTool(call.tool, tools);
    measureInput(raw, limits);
    const { input, common } = readerOf(tool)(raw);
    if (typeof input["mode"] === "string") call.mode = input["mode"];

    this.#checkSession(options);
    permit(agent, tool, policy, book.timeline.state);

    if (wait > 0) throw rateLimited(wait);
    checkBatch(tool.batch(input), limits);

    const signal = options.signal ?? NEVER;
    throwIfAborted(signal);
    const frame = this.#frame(call, tool, input, signal);
    try {
      return tool.access === "read"
        ? await this.#read(call, tool, input, frame)
        : await this.#write(call, tool, input, common, frame, options);
    } finally {
      for (const source of frame.opened) source.close();
    }
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

  #frame(call: Call, tool: Tool, input: Input, signal: AbortSignal): CallFrame {
    const { book, limits, names, session } = this.#parts;
    const asked = input["budget"];
    return {
      book,
      agent: call.agent,
      limits,
      names,
      signal,
      budget: typeof asked === "number" ? Math.min(asked, LIMITS.budgetChars.max) : limits.budgetChars,
      scope: () => {
        const { cursor: _, budget: __, ...query } = input;
        return { session, tool: tool.name, query: requestHash(tool.name, query) };
      },
      opened: [],
    };
  }

  async #read(call: Call, tool: Tool, input: Input, frame: CallFrame): Promise<CallResult> {
    const { book } = this.#parts;
    const draft = new Draft(book.slices, book.timeline.state, call.time, call.agent.id);
    const ctx = new Context(frame, draft, call.time);
    call.targets = tool.targets(input, ctx);
    const value = await tool.run(ctx, input);
    const token = tokenIn(value);
    return {
      ok: true,
      text: fit(tool.text(value, input, frame.budget), frame.budget),
      value,
      ...(token === undefined ? {} : { token }),
    };
  }

  async #write(
    call: Call,
    tool: Tool,
    input: Input,
    common: WriteArguments,
    frame: CallFrame,
    options: CallOptions,
  ): Promise<CallResult> {
    const { book, limits } = this.#parts;
    const { journal, timeline } = book;
    const begin = new Context(
      frame,
      new Draft(book.slices, timeline.state, call.time, call.agent.id),
      call.time,
    );
    call.targets = tool.targets(input, begin);

    const dryRun = common.dryRun === true;
    const once = dryRun ? undefined : onceOf(common.idempotencyKey ?? options.idempotencyKey, limits);
    const request = requestHash(tool.name, input);
    if (once !== undefined) {
      const stored = await journal.replayOf(call.agent.id, once);
      if (stored !== undefined) {
        if (stored.request !== request) throw keyReused();
        return this.#replayed(call, tool, input, frame, stored.result, stored.at);
      }
    }

    const pins = pinsOf(common.expectedVersion, call.targets, (name) => fileKey(begin.path(name, "any")));
    const [first] = call.targets;
    if (tool.version === "required" && pins.length === 0 && first !== undefined)
      throw await versionRequired(journal, first);
    if (pins.length > 0) {
      await checkPins(journal, pins);
      if (pins.some((pin) => pin.seq > timeline.state.at.seq)) await timeline.catchUp();
    }

    const intent: Intent = {
      kind: tool.kind,
      agent: call.agent.id,
      role: call.agent.role,
      tool: tool.name,
      ...(once === undefined ? {} : { once }),
      request,
      targets: call.targets.map((target) => target.key),
      pins: pins.map(({ key, seq, hash, pinned }) => ({
        key,
        seq,
        pinned,
        ...(hash === undefined ? {} : { hash }),
      })),
      time: call.time,
      quota: { bytes: limits.sessionBytes, files: limits.sessionFiles },
      tries: limits.contentionTries,
      dryRun,
    };
    const outcome = await transact(
      book,
      intent,
      async (draft) => {
        const value = await tool.run(new Context(frame, draft, call.time), input);
        throwIfAborted(frame.signal);
        return value;
      },
      (value) => value as Json,
    );
    return this.#outcome(call, tool, input, frame, outcome, dryRun);
  }

  async #outcome(
    call: Call,
    tool: Tool,
    input: Input,
    frame: CallFrame,
    outcome: Outcome<unknown>,
    dryRun: boolean,
  ): Promise<CallResult> {
    switch (outcome.kind) {
      case "replayed":
        return this.#replayed(call, tool, input, frame, outcome.result, outcome.at);
      case "key_reused":
        throw keyReused();
      case "moved": {
        const [moved] = outcome.moved;
        const target = call.targets.find((one) => one.key === moved?.key);
        if (moved === undefined || target === undefined)
          throw new RangeError("a key moved that nobody pinned");
        throw await staleVersion(this.#parts.book.journal, target, moved.at.seq - 1, moved.at);
      }
      case "unwritten": {
        const text = fit(tool.text(outcome.value, input, frame.budget), frame.budget);
        if (!dryRun) return { ok: true, text, value: outcome.value };
        call.outcome = "dry_run";
        return { ok: true, text: `[Dry run] ${text}`, value: withFields(outcome.value, { dryRun: true }) };
      }
      case "committed": {
        call.at = outcome.at;
        const token = tokenOf(outcome.at);
        const value = withFields(outcome.value, { token });
        return { ok: true, text: fit(tool.text(value, input, frame.budget), frame.budget), value, token };
      }
    }
  }

  #replayed(call: Call, tool: Tool, input: Input, frame: CallFrame, result: Json, at: Position): CallResult {
    call.outcome = "replayed";
    call.at = at;
    const token = tokenOf(at);
    const value = withFields(result, { token });
    const text = fit(tool.text(value, input, frame.budget), frame.budget);
    return { ok: true, text, value, token, replayed: true };
  }

  #internal(call: Call, cause: unknown): HoldfastError {
    const reference = randomBytes(6).toString("hex");
    call.reference = reference;
    this.#parts.log.error("a call failed", { reference, tool: call.tool, agent: call.agent.id, cause });
    return new HoldfastError(
      "internal",
      "unexpected",
      say`Something went wrong inside ${echo(call.tool)}. Nothing was written. Give the host this reference: ${reference as Shown}.`,
      { data: { reference: reference as Shown }, cause },
    );
  }

  #record(call: Call, result: CallResult): void {
    const { audit, clock, events } = this.#parts;
    const { agent, tool, time, targets, outcome, reference, at, mode } = call;
    const ms = clock.monotonic() - call.started;
    const reason = result.error?.reason;
    audit.add({
      time,
      agent: agent.id,
      role: agent.role,
      tool,
      targets: targets.map((target) => target.key),
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

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): never {
  const close = nearest(name, tools.keys());
  const hint =
    close === undefined
      ? say`Known tools: ${sayAll([...tools.keys()] as Shown[])}.`
      : say`Did you mean ${close as Shown}?`;
  throw new HoldfastError("invalid_argument", "unknown_tool", say`There is no tool ${echo(name)}. ${hint}`);
}

function checkBatch(items: number, limits: Limits): void {
  if (items <= limits.batchItems) return;
  throw new HoldfastError(
    "invalid_argument",
    "batch_too_large",
    say`${items} items are too many for one call. Send at most ${limits.batchItems} at a time.`,
    { data: { items, limit: limits.batchItems } },
  );
}

function onceOf(key: string | undefined, limits: Limits): string | undefined {
  if (key === undefined || key.length <= limits.idempotencyKeyLength) return key;
  throw new HoldfastError(
    "invalid_argument",
    "idempotency_key_too_long",
    say`An idempotency key has at most ${limits.idempotencyKeyLength} characters.`,
  );
}

function keyReused(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "idempotency_key_reused",
    say`This idempotency key was used for another request. Take a new key for a new request.`,
  );
}

function tokenIn(value: unknown): Shown | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { token } = value as { token?: unknown };
  return typeof token === "string" ? (token as Shown) : undefined;
}

function withFields(value: unknown, fields: Readonly<Record<string, unknown>>): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value, ...fields }
    : value;
}

/** Tools keep within the budget themselves; this holds for those that could not. */
function fit(text: string, budget: number): string {
  if (text.length <= budget) return text;
  const { text: kept, cut } = cutText(text, budget);
  if (cut === undefined) return text;
  return `${kept}\n[Cut: ${cut.chars} more characters. Ask for less, or with a larger budget.]`;
}
