// Owns: `holdfast call`.

import { createInterface } from "node:readline";
import { echo } from "../errors.ts";
import type { Agent, CallResult } from "../tools/index.ts";
import { lineLog } from "./failure.ts";
import { parseJson, inputText, STDIN } from "./input.ts";
import { note, printText, printJson, type JsonFlag } from "./output.ts";
import { mountProgress } from "./progress.ts";
import { skippedLines, skippedOf } from "./skipped-text.ts";
import { openFor, OWN_LIMITS, type SessionFlags } from "./session-options.ts";
import { UsageError } from "./usage-error.ts";

export interface CallFlags extends SessionFlags, JsonFlag {
  readonly batch?: boolean;
}

export async function callCommand(tool: string | undefined, input: string, flags: CallFlags): Promise<void> {
  if (flags.batch === true && tool !== undefined)
    throw new UsageError("With --batch the tools are named on standard input, not as arguments.");
  if (flags.batch !== true && tool === undefined)
    throw new UsageError("Name a tool, or use --batch. holdfast tools lists them.");
  const many = flags.batch === true ? { limits: OWN_LIMITS } : {};
  const progress = mountProgress();
  const { session, agent, isFresh, warning, close } = await openFor(flags, {
    log: lineLog,
    onMount: progress.onMount,
    ...many,
  }).finally(progress.end);
  if (isFresh) note(`Session ${agent.session}`);
  if (warning !== undefined) note(warning);
  const isMounting = isFresh || flags.mount !== undefined;
  for (const line of isMounting ? skippedLines(skippedOf(session)) : []) note(line);
  try {
    if (tool === undefined) await batch(agent, flags);
    else {
      const sent = parseJson(input === STDIN ? await inputText(STDIN) : input, "The input");
      const result = await agent.call(tool, sent);
      printCall(result, flags, "");
      if (!result.ok && result.error.code === "not_found" && isEmpty(flags))
        note("This session began empty and is gone now. --folder . calls in the session of this folder.");
      if (result.ok && !isStored(flags) && hasCursor(result.value))
        note(
          "This session is gone now, and its cursors with it. Send a larger budget, or call in a stored session: --folder . is that of this folder.",
        );
    }
  } finally {
    await close();
  }
}

/** Whether the session is there for another command. */
function isStored({ folder, session, store, new: fresh }: CallFlags): boolean {
  return folder !== undefined || session !== undefined || store !== undefined || fresh === true;
}

function hasCursor(value: unknown): boolean {
  return typeof value === "object" && value !== null && "cursor" in value && typeof value.cursor === "string";
}

/** Whether the options name no place where files could be. */
function isEmpty({ folder, mount, session }: CallFlags): boolean {
  return folder === undefined && mount === undefined && session === undefined;
}

async function batch(agent: Agent, flags: CallFlags): Promise<void> {
  let number = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    number++;
    if (process.stdout.destroyed) break;
    if (line.trim() === "") continue;
    const call = lineCall(line, `Line ${number}`, flags);
    if (call === undefined) continue;
    const { tool, input, options } = call;
    printCall(await agent.call(tool, input, options), flags, `line ${number}: `);
  }
}

interface BatchCall {
  readonly tool: string;
  readonly input: unknown;
  readonly options: { readonly idempotencyKey?: string };
}

/** What a line asks for. One that cannot be read is refused as a call is: the lines before it are done, and those after it follow. */
function lineCall(line: string, where: string, flags: CallFlags): BatchCall | undefined {
  try {
    return readLine(line, where);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.exitCode = 1;
    const { message } = error;
    if (flags.json === true)
      printJson({ ok: false, error: { code: "invalid_argument", reason: "bad_line", message } });
    else note(`[Error] ${message}`);
    return undefined;
  }
}

function readLine(line: string, where: string): BatchCall {
  const call = parseJson(line, where);
  if (typeof call !== "object" || call === null || !("tool" in call) || typeof call.tool !== "string")
    throw new UsageError(`${where} names no tool. Write {"tool":"read_file","input":{...}}.`);
  const { tool, input = {}, idempotencyKey, ...rest } = call as Record<string, unknown> & { tool: string };
  for (const name of Object.keys(rest))
    throw new UsageError(`${where} has the unknown field ${echo(name)}. Known: tool, input, idempotencyKey.`);
  if (idempotencyKey !== undefined && typeof idempotencyKey !== "string")
    throw new UsageError(`${where}: idempotencyKey must be a string.`);
  return { tool, input, options: idempotencyKey === undefined ? {} : { idempotencyKey } };
}

/** Results on standard output, refusals on standard error; with --json both on standard output. */
function printCall(result: CallResult, flags: CallFlags, where: string): void {
  if (!result.ok) process.exitCode = 1;
  if (flags.json === true) printJson(result);
  else if (result.ok) printText(result.text);
  else note(where === "" ? result.text : result.text.replace("[Error] ", `[Error] ${where}`));
}
