// Owns: steps 4 to 7, which only writes take: idempotency, versions, run, commit.

import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { Draft } from "../session/draft.ts";
import { fileKey } from "../session/files/file-keys.ts";
import { transact, type Book, type Intent, type Outcome } from "../session/transact.ts";
import type { Expectation, Journal, Position } from "../store/journal.ts";
import { tokenOf } from "../store/token.ts";
import type { Json } from "../value.ts";
import type { Call, Input } from "./call.ts";
import { Context, throwIfAborted, type CallFrame } from "./context.ts";
import type { WriteArguments } from "./input.ts";
import { render, withFields } from "./render.ts";
import { requestHash } from "./request-hash.ts";
import type { CallResult } from "./result.ts";
import type { Tool } from "./tool.ts";
import { checkPins, pinsOf, staleVersion, versionRequired } from "./versions.ts";

/** One writing call: the tool, what was sent, and where it runs. */
export interface WriteCall {
  readonly call: Call;
  readonly tool: Tool;
  readonly input: Input;
  readonly common: WriteArguments;
  readonly frame: CallFrame;
}

/** Takes a write through its steps. Throws what stops it. */
export async function writeCall(book: Book, write: WriteCall): Promise<CallResult> {
  const { call, tool, input, common, frame } = write;
  const { limits } = frame;
  const begin = new Context(
    frame,
    new Draft(book.slices, book.timeline.state, call.time, call.agent.id),
    call.time,
  );
  call.targets = tool.targets(input, begin);

  const dryRun = common.dryRun === true;
  const once = dryRun ? undefined : onceOf(common.idempotencyKey, limits);
  const request = requestHash(tool.name, input);
  const stored = once === undefined ? undefined : await replayOf(book.journal, call, once, request);
  if (stored !== undefined) return replayed(write, stored.result, stored.at);

  const pins = await pinned(book, write, begin);
  const intent: Intent = {
    kind: tool.kind,
    agent: call.agent.id,
    role: call.agent.role,
    tool: tool.name,
    ...(once === undefined ? {} : { once }),
    request,
    targets: call.targets.map((target) => target.key),
    pins,
    time: call.time,
    quota: { bytes: limits.sessionBytes, files: limits.sessionFiles },
    tries: limits.contentionTries,
    dryRun,
  };
  const plan = async (draft: Draft): Promise<unknown> => {
    const value = await tool.run(new Context(frame, draft, call.time), input);
    throwIfAborted(frame.signal);
    return value;
  };
  const outcome = await transact(book, intent, plan, (value) => value as Json);
  return answer(book.journal, write, outcome, intent);
}

function onceOf(key: string | undefined, limits: Limits): string | undefined {
  if (key === undefined || key.length <= limits.idempotencyKeyLength) return key;
  throw new HoldfastError(
    "invalid_argument",
    "idempotency_key_too_long",
    say`An idempotency key has at most ${limits.idempotencyKeyLength} characters.`,
  );
}

async function replayOf(
  journal: Journal,
  call: Call,
  once: string,
  request: string,
): Promise<{ readonly result: Json; readonly at: Position } | undefined> {
  const stored = await journal.replayOf(call.agent.id, once);
  if (stored !== undefined && stored.request !== request) throw keyReused();
  return stored;
}

function keyReused(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "idempotency_key_reused",
    say`This idempotency key was used for another request. Take a new key for a new request.`,
  );
}

/** The versions that the caller named, still current; the state is at least as new as they are. */
async function pinned({ journal, timeline }: Book, write: WriteCall, ctx: Context): Promise<Expectation[]> {
  const { call, tool, common } = write;
  const pins = pinsOf(common.expectedVersion, call.targets, (name) => fileKey(ctx.path(name, "any")));
  const [first] = call.targets;
  if (tool.version === "required" && pins.length === 0 && first !== undefined)
    throw await versionRequired(journal, first);
  if (pins.length === 0) return [];
  await checkPins(journal, pins);
  if (pins.some((pin) => pin.seq > timeline.state.at.seq)) await timeline.catchUp();
  return pins.map(({ key, seq, hash, pinned }) => ({ key, seq, hash, pinned }));
}

async function answer(
  journal: Journal,
  write: WriteCall,
  outcome: Outcome<unknown>,
  { pins, dryRun }: Intent,
): Promise<CallResult> {
  const { call, tool, input, frame } = write;
  switch (outcome.kind) {
    case "replayed":
      return replayed(write, outcome.result, outcome.at);
    case "key_reused":
      throw keyReused();
    case "moved": {
      const [moved] = outcome.moved;
      const target = call.targets.find((one) => one.key === moved?.key);
      const pin = pins.find((one) => one.key === moved?.key);
      if (moved === undefined || target === undefined || pin === undefined)
        throw new RangeError("a key moved that nobody pinned");
      throw await staleVersion(journal, target, pin.seq, moved.at);
    }
    case "unwritten": {
      const text = render(tool, outcome.value, input, frame.budget);
      if (!dryRun) return { ok: true, text, value: outcome.value };
      call.outcome = "dry_run";
      return { ok: true, text: `[Dry run] ${text}`, value: withFields(outcome.value, { dryRun: true }) };
    }
    case "committed": {
      call.at = outcome.at;
      const token = tokenOf(outcome.at);
      const value = withFields(outcome.value, { token });
      return { ok: true, text: render(tool, value, input, frame.budget), value, token };
    }
  }
}

function replayed({ call, tool, input, frame }: WriteCall, result: Json, at: Position): CallResult {
  call.outcome = "replayed";
  call.at = at;
  const token = tokenOf(at);
  const value = withFields(result, { token });
  return { ok: true, text: render(tool, value, input, frame.budget), value, token, replayed: true };
}
