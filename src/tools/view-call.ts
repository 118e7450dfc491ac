// Owns: steps 4 to 7 for calls that change only the agent's own view: no record, no fsync, nothing to undo.

import { HoldfastError, say } from "../errors.ts";
import { Draft } from "../session/draft.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Json } from "../value.ts";
import { throwIfAborted } from "../text/steps.ts";
import type { WriteCall } from "./call.ts";
import { namedPins, reach, tokenWriter } from "./call-versions.ts";
import { Context } from "./context.ts";
import { tokenIn, withFields } from "./render.ts";
import { requestHash } from "./request-hash.ts";
import type { CallResult } from "./result.ts";
import { takeOutput } from "./take-output.ts";
import { staleView } from "./versions.ts";
import { doneOf, dryRunOf, onceOf, replayed, replayOf } from "./write-call.ts";

/** Takes a view call through its steps. Throws what stops it. */
export async function viewCall(core: SessionCore, write: WriteCall): Promise<CallResult> {
  const { call, tool, input, resolved, common, frame, begin } = write;
  const dryRun = common.dryRun === true;
  const once = dryRun ? undefined : onceOf(common.idempotencyKey, frame.limits);
  const request = requestHash(tool.name, input);
  const pins = await namedPins(core, write, begin);
  await reach(write, Math.max(0, ...pins.map((pin) => pin.seq)));
  for (let tries = 1; tries <= frame.limits.contentionTries; tries++) {
    const ctx = contextOf(core, write);
    const row = await ctx.row();
    const stored = once === undefined ? undefined : await replayOf(core.journal, write, ctx, once, request);
    if (stored !== undefined) return replayed(core, write, stored.result, stored.at);
    for (const pin of pins)
      if (pin.rev !== row.rev) throw await staleView(core.journal, pin, tokenWriter(write));

    const value = takeOutput(tool, await ctx.during(() => tool.run(ctx, resolved)));
    throwIfAborted(frame.signal);
    if (dryRun) return dryRunOf(write, value);
    if (ctx.viewChange === undefined && once === undefined) return doneOf(write, value);
    // The token names the view that this very call makes.
    const done = withToken(write, value, row.rev + 1);
    const result = once === undefined ? undefined : { key: once, request, result: done as Json };
    if ((await frame.views.save(call.agent.id, row, ctx.viewChange, result)) !== undefined)
      return doneOf(write, done);
  }
  throw new HoldfastError(
    "conflict",
    "contended",
    say`Other calls of yours kept changing the same view. Nothing was changed; send the call again.`,
  );
}

function contextOf({ slices, timeline }: SessionCore, { call, frame }: WriteCall): Context {
  const draft = new Draft(slices, timeline.state, call.time, call.agent.id);
  return new Context(frame, draft, call.time, "view");
}

function withToken({ tool }: WriteCall, value: unknown, rev: number): unknown {
  const token = tokenIn(value);
  const read = token === undefined ? undefined : tool.tokens?.read(token);
  return read === undefined ? value : withFields(value, { token: tool.tokens?.write(read.at, rev) });
}
