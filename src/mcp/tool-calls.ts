// Owns: `tools/list` and `tools/call`: a request becomes a call of the client's agent, and its result the response.
// Must never: decide what a call may do. A refusal is a result; only what is no refusal is an error of the protocol.

import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { echo, HoldfastError, say, type Shown } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { throwIfAborted } from "../text/steps.ts";
import { failure } from "../tools/result.ts";
import { canAsk, clientOf } from "./client.ts";
import { callToLand, landingAnswer, REQUEST_LANDING, type LandingTalk } from "./landing-question.ts";
import { openReport, stagesOf, type Stages } from "./progress.ts";
import type { McpSource } from "./source.ts";
import { toolResult } from "./tool-result.ts";

/** A client may name an idempotency key here instead of in the arguments. */
const KEY_IN_META = "holdfast/idempotencyKey";
const OURS = "holdfast/";

/** How long a user may think about a question. */
const ANSWER_MS = 600_000;

/** What a client sent as arguments, before the protocol's own reading of it, by request. */
export type RawArguments = ReadonlyMap<string | number, unknown>;

export function serveTools(server: Server, source: McpSource, raw: RawArguments): void {
  server.setRequestHandler("tools/list", () => ({
    tools: source.tools.map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" as const },
      annotations,
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const { id } = ctx.mcpReq;
    const input = raw.has(id) ? raw.get(id) : params.arguments;
    try {
      return await callTool(server, source, ctx, params.name, input);
    } catch (error) {
      if (!HoldfastError.is(error)) throw error;
      return toolResult(failure(error, LIMITS.budgetChars.default));
    }
  });
}

async function callTool(
  server: Server,
  source: McpSource,
  ctx: ServerContext,
  name: string,
  input: unknown,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal, _meta } = ctx.mcpReq;
  const stages = stagesOf(ctx);
  const agent = await source.agent(
    clientOf(server, ctx),
    stages === undefined ? undefined : openReport(stages),
  );
  const key = keyIn(_meta);
  const talk = name === REQUEST_LANDING ? await talkOf(server, source, ctx, stages) : undefined;
  if (talk !== undefined && source.noLanding !== undefined && !isWithdrawal(input))
    throw new HoldfastError("conflict", "no_folder", source.noLanding);
  throwIfAborted(signal);
  const settled = talk === undefined ? undefined : landingAnswer(talk);
  if (settled !== undefined) return settled;
  const how = { signal, ...(key === undefined ? {} : { idempotencyKey: key }) };
  if (talk === undefined || isWithdrawal(input)) return toolResult(await agent.call(name, input, how));
  return callToLand(talk, (beforeWrite) => agent.call(name, input, { ...how, beforeWrite }));
}

/** Undefined for a source without a session: its requests to land are calls like any other. */
async function talkOf(
  server: Server,
  source: McpSource,
  ctx: ServerContext,
  stages: Stages | undefined,
): Promise<LandingTalk | undefined> {
  const session = await source.session?.();
  if (session === undefined) return undefined;
  const { mcpReq } = ctx;
  // Clients of the newer revision are asked by the result, and answer with a retry.
  const ask: LandingTalk["ask"] =
    mcpReq.envelope !== undefined
      ? undefined
      : (question) =>
          server.elicitInput(question, {
            relatedRequestId: mcpReq.id,
            signal: mcpReq.signal,
            timeout: ANSWER_MS,
            resetTimeoutOnProgress: true,
          });
  const { landCommand: commandFor } = source;
  return { session, ctx, commandFor, ask, canAsk: canAsk(server, ctx), stages };
}

/** The idempotency key of a request. Throws `invalid_argument` for keys of ours that are misspelt or hold something else. */
function keyIn(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const ours = Object.keys(meta ?? {}).filter((name) => name.startsWith(OURS));
  const strange = ours.find((name) => name !== KEY_IN_META);
  if (strange !== undefined)
    throw badMeta(say`A request has no ${echo(strange)} in _meta. Known: ${echo(KEY_IN_META)}.`);
  const key = meta?.[KEY_IN_META];
  if (key === undefined || typeof key === "string") return key;
  throw badMeta(say`${echo(KEY_IN_META)} in _meta must be a string. Nothing was called: send it as text.`);
}

function badMeta(message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", "bad_meta", message);
}

function isWithdrawal(input: unknown): boolean {
  return typeof input === "object" && input !== null && "withdraw" in input && input.withdraw !== null;
}
