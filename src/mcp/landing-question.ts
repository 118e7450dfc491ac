// Owns: request_landing over the protocol: the user is asked through the client, and on a yes the host lands what was shown.
// Must never: land what was not shown, or land one question twice.

import { randomUUID } from "node:crypto";
import {
  inputRequired,
  isSpecType,
  type CallToolResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { echo, HoldfastError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { relativePath } from "../path/index.ts";
import { cutText } from "../text/budget.ts";
import { plural } from "../text/plural.ts";
import { showLines, withoutLastBreak } from "../text/show-hunks.ts";
import { showName } from "../text/show.ts";
import { throwIfAborted } from "../text/steps.ts";
import type { CallDone, CallOptions, CallResult, Landing, LandingPlan, Session } from "../tools/index.ts";
import { failure } from "../tools/result.ts";
import { compareReport, writeReport, type Stages } from "./progress.ts";
import { toolResult } from "./tool-result.ts";

export const REQUEST_LANDING = "request_landing";

/** What was shown to a user whose answer is not known yet. */
interface Question {
  readonly request: number;
  readonly offer: Offer;
  /** What became of it: an answer that is sent again gets the same. */
  settled?: Promise<CallToolResult>;
}

/** By a handle that nobody can guess. The newest stay open; an older one is asked again. */
const questions = new WeakMap<Session, Map<string, Question>>();
const MOST_OPEN = 20;

const ANSWER = "land";
const NAMED = 20;
const DIFF_CHARS = 6_000;
const PLAN_TRIES = 3;

export interface LandingTalk {
  readonly session: Session;
  readonly ctx: ServerContext;
  /** The client can ask its user. */
  readonly canAsk: boolean;
  /** What a person types to land it, where the host knows: of these paths, or all. */
  readonly commandFor: ((paths: readonly string[]) => string) | undefined;
  /** Puts a question to the user within the call; undefined where the answer comes with the call's retry. */
  readonly ask: ((question: ElicitRequestFormParams) => Promise<ElicitResult>) | undefined;
  readonly stages: Stages | undefined;
}

/** What the user's answer comes to; undefined where the request carries none that is known. */
export function landingAnswer(talk: LandingTalk): Promise<CallToolResult> | undefined {
  const { session, ctx } = talk;
  const handle = ctx.mcpReq.requestState();
  const question = typeof handle === "string" ? questions.get(session)?.get(handle) : undefined;
  if (question === undefined) return undefined;
  const { [ANSWER]: answer = NO_ANSWER } = ctx.mcpReq.inputResponses ?? {};
  return settled(talk, question, answer);
}

const NO_ANSWER: ElicitResult = { action: "cancel" };

/** What an answer comes to, however it was sent. Only one that fits the form is a yes or a no. */
function settled(talk: LandingTalk, question: Question, answer: unknown): Promise<CallToolResult> {
  const open = (why: string): Promise<CallToolResult> =>
    question.settled ?? Promise.resolve(unanswered(question, why));
  if (!isSpecType.ElicitResult(answer)) return open(UNREADABLE);
  const { action, content } = answer as ElicitResult;
  const note = content?.["note"] ?? "";
  if (typeof note !== "string") return open(UNREADABLE);
  if (action === "cancel") return open("The user gave no answer.");
  const settling = action === "accept" ? land(talk.stages) : decline;
  return (question.settled ??= settle(talk, question, settling, note.trim()));
}

const UNREADABLE = "The client returned an answer that cannot be read.";

/** The result says how a request ended: none after it does. */
async function noteSaid(session: Session, request: number): Promise<void> {
  // Loaded here: a client that only asks what there is needs nothing of a session.
  const { noteHeard } = await import("../tools/heard-replies.ts");
  noteHeard(session, request);
}

function unanswered({ request }: Question, why: string): CallToolResult {
  return said(`${why} Landing request ${request} stays open: go on without it.`);
}

type Settling = (session: Session, question: Question) => Promise<string>;

async function settle(
  talk: LandingTalk,
  question: Question,
  settling: Settling,
  words: string,
): Promise<CallToolResult> {
  const { session } = talk;
  try {
    const text = await settling(session, question);
    await noteSaid(session, question.request);
    return said(words === "" ? text : `${text}\nThe user says: ${echo(words, 1_000)}`);
  } catch (error) {
    if (!HoldfastError.is(error)) throw error;
    // The plan is void: the next request makes another.
    const handle = waitingFor(session, question.request)?.[0];
    if (handle !== undefined) questions.get(session)?.delete(handle);
    const refused = failure(error, LIMITS.budgetChars.default);
    const paths = error.reason === "changed_outside" ? pathsIn(error.data) : [];
    return toolResult(
      paths.length === 0 ? refused : { ...refused, text: changedText(talk, question, paths) },
    );
  }
}

function pathsIn(data: HoldfastError["data"]): { readonly path: string }[] {
  const { paths = [] } = (data ?? {}) as { readonly paths?: readonly string[] };
  return paths.map((path) => ({ path }));
}

/** What the agent can do about a folder that changed after the question: no tool of its own refreshes a session. */
function changedText(
  { session, commandFor }: LandingTalk,
  { request }: Question,
  paths: readonly { readonly path: string }[],
): string {
  const asked = session.landings().find((one) => one.request === request)?.paths ?? [];
  const command = commandFor?.(asked);
  return (
    `[Error] The user agreed, but ${namesOf(session, paths)} changed in the user's folder meanwhile. Nothing was written, and landing request ${request} stays open.` +
    (command === undefined ? "" : ` A person settles that; this shows how: ${command}`)
  );
}

/** What can be landed, and what the user would be shown of it. */
interface Offer {
  readonly plan: LandingPlan;
  /** Its diff, where the user can be asked. */
  readonly diff: string;
}

/**
 * Makes the call and asks the user. All that takes time is done before the request is recorded: a call that is cancelled until then
 * has asked for nothing.
 */
export async function callToLand(
  talk: LandingTalk,
  call: (beforeWrite: NonNullable<CallOptions["beforeWrite"]>) => Promise<CallResult>,
): Promise<CallToolResult | InputRequiredResult> {
  let offer: Offer | undefined;
  const result = await call(async (paths) => {
    offer = await offerOf(talk, paths);
  });
  if (!result.ok) return toolResult(result);
  const { request } = result.value as { readonly request?: number };
  const landing = talk.session.landings().find((one) => one.request === request);
  return landing === undefined ? toolResult(result) : askToLand(talk, result, landing, offer);
}

async function offerOf(talk: LandingTalk, paths: readonly string[]): Promise<Offer> {
  const { session, canAsk, ctx, stages } = talk;
  const { signal } = ctx.mcpReq;
  const planned = (): Promise<LandingPlan> =>
    session.plan({
      ...(paths.length === 0 ? {} : { paths }),
      ...(stages === undefined ? {} : { onProgress: compareReport(stages) }),
      signal,
    });
  let plan = await planned();
  // Calls that were sent before this one may have been committed meanwhile.
  for (let tries = 1; tries < PLAN_TRIES && plan.position.seq < session.at.seq; tries++)
    plan = await planned();
  const isShown = canAsk && plan.conflicts.length === 0;
  const diff = isShown ? withoutLastBreak(showLines(await plan.text({ binary: false }))) : "";
  throwIfAborted(signal);
  return { plan, diff };
}

/** The question for the user, or the result with what a person has to do where nobody can be asked. */
async function askToLand(
  talk: LandingTalk,
  done: CallDone,
  landing: Landing,
  offered: Offer | undefined,
): Promise<CallToolResult | InputRequiredResult> {
  const { session, canAsk, ask } = talk;
  const also = (line: string): CallToolResult => toolResult({ ...done, text: `${done.text}\n${line}` });
  const waiting = waitingFor(session, landing.request);
  if (waiting?.[1].settled !== undefined) return waiting[1].settled;
  if (landing.state !== "open") {
    // Of another process, or an older one. The call's own result may say it already.
    const line = `[Landing request ${landing.request} ${landing.state}`;
    return done.text.includes(line) ? toolResult(done) : also(`${line}]`);
  }
  const command = talk.commandFor?.(landing.paths);
  // What was planned holds all before the request; one that another process made, or that others were faster than, is planned now.
  const isWhole = offered !== undefined && offered.plan.position.seq >= landing.request - 1;
  const offer = waiting?.[1].offer ?? (isWhole ? offered : await offerOf(talk, landing.paths));
  const { plan } = offer;
  if (plan.conflicts.length > 0)
    return also(
      `It cannot be landed as it is: ${namesOf(session, plan.conflicts)} changed in the user's folder too.` +
        (command === undefined ? "" : ` A person settles that; this shows how: ${command}`),
    );
  if (plan.isEmpty) {
    const result = also(await declineEmpty(talk, landing.request, plan));
    keep(session, { request: landing.request, offer, settled: Promise.resolve(result) });
    return result;
  }
  if (!canAsk)
    return command === undefined
      ? toolResult(done)
      : also(`This client cannot ask its user. A person lands it with: ${command}`);
  const question = waiting?.[1] ?? { request: landing.request, offer };
  const handle = waiting?.[0] ?? keep(session, question);
  const form = { message: questionText(landing, offer, command), requestedSchema: FORM };
  if (ask === undefined)
    return inputRequired({
      requestState: handle,
      inputRequests: { [ANSWER]: inputRequired.elicit(form) },
    });
  let answer: ElicitResult;
  try {
    answer = await ask(form);
  } catch (error) {
    if (talk.ctx.mcpReq.signal.aborted) throw error;
    const why = error instanceof Error ? `: ${showName(error.message, 200)}` : "";
    return unanswered(question, `The client could not ask its user${why}.`);
  }
  return settled(talk, question, answer);
}

/** Settles a request for nothing, about which nobody is asked, and returns why. */
async function declineEmpty(
  { session, ctx }: LandingTalk,
  request: number,
  { notMounted: { length } }: LandingPlan,
): Promise<string> {
  const reply =
    length === 0
      ? "Nothing of it differs from the user's folder."
      : `None of it lies in a folder of the user: ${plural(length, "file")} only in the session.`;
  throwIfAborted(ctx.mcpReq.signal);
  await session.settleLanding(request, { state: "declined", reply });
  await noteSaid(session, request);
  return reply;
}

const FORM: ElicitRequestFormParams["requestedSchema"] = {
  type: "object",
  properties: { note: { type: "string", title: "A word to the agent", description: "May be left empty" } },
};

function land(stages: Stages | undefined): Settling {
  return async (session, { request, offer: { plan } }) => {
    const { landing, requests } = await plan.land(
      stages === undefined ? {} : { onProgress: writeReport(stages) },
    );
    if (!requests.includes(request)) await session.settleLanding(request, { state: "landed" });
    return `The user agreed: ${plural(plan.files.length, "file")} written to the user's folder (landing ${landing}): ${namesOf(session, plan.files)}`;
  };
}

async function decline(session: Session, { request }: Question): Promise<string> {
  await session.settleLanding(request, { state: "declined", reply: "The user said no." });
  return `The user said no to landing request ${request}. Nothing was written to the user's folder; the work stays in the session.`;
}

/** The files of a plan that agents may know of. */
function namesOf(session: Session, files: readonly { readonly path: string }[]): string {
  const seen = files.filter(({ path }) => session.agentsMayRead(path));
  const named = seen.slice(0, NAMED).map(({ path }) => showName(path));
  const more = files.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** What the user reads: every file, and the diff as far as a question may be long. */
function questionText(
  { agent, reason }: Landing,
  { plan, diff }: Offer,
  command: string | undefined,
): string {
  const { files, notMounted } = plan;
  const rest = command === undefined ? "" : `; ${command} --dry-run shows all of it`;
  const { text, cut } = cutText(diff, DIFF_CHARS);
  return [
    `${showName(agent)} asks to write ${plural(files.length, "file")} to your folder: ${echo(reason, 500)}`,
    ...files.map(
      ({ kind, path, from, ignored }) =>
        `  ${kind} ${from === undefined ? "" : `${showName(relativePath(from), 200)} -> `}${showName(relativePath(path), 200)}` +
        (ignored === true ? " (ignored by .gitignore there)" : ""),
    ),
    ...(notMounted.length === 0
      ? []
      : [`${plural(notMounted.length, "other file")} would stay in the session.`]),
    "",
    cut === undefined ? text : `${text}\n[${plural(cut.chars, "more character")}${rest}]`,
  ].join("\n");
}

function waitingFor(session: Session, request: number): [string, Question] | undefined {
  return [...(questions.get(session) ?? [])].find(([, one]) => one.request === request);
}

function keep(session: Session, question: Question): string {
  const open = questions.get(session) ?? new Map<string, Question>();
  questions.set(session, open);
  const [oldest] = open.keys();
  if (open.size >= MOST_OPEN && oldest !== undefined) open.delete(oldest);
  const handle = randomUUID();
  open.set(handle, question);
  return handle;
}

function said(text: string): CallToolResult {
  return toolResult({ ok: true, value: undefined, text });
}
