// Owns: `holdfast call`.

import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { echo } from "../errors.ts";
import type { Agent, CallResult } from "../tools/index.ts";
import { lineLog } from "./failure.ts";
import { openFor, type SessionFlags } from "./session-options.ts";
import { UsageError } from "./usage-error.ts";

export interface CallFlags extends SessionFlags {
  readonly batch?: boolean;
  readonly json?: boolean;
}

export async function callCommand(tool: string | undefined, input: string, flags: CallFlags): Promise<void> {
  if (flags.batch === true && tool !== undefined)
    throw new UsageError("With --batch the tools are named on standard input, not as arguments.");
  if (flags.batch !== true && tool === undefined)
    throw new UsageError("Name a tool, or use --batch. holdfast tools lists them.");
  const { agent, close } = await openFor(flags, lineLog);
  try {
    if (tool === undefined) await batch(agent, flags);
    else
      print(
        await agent.call(tool, parse(input === "-" ? await text(process.stdin) : input, "The input")),
        flags,
      );
  } finally {
    await close();
  }
}

async function batch(agent: Agent, flags: CallFlags): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    if (process.stdout.destroyed) break;
    if (line.trim() !== "") await one(agent, line, flags);
  }
}

async function one(agent: Agent, line: string, flags: CallFlags): Promise<void> {
  const call = parse(line, `The line ${echo(line)}`);
  if (typeof call !== "object" || call === null || !("tool" in call) || typeof call.tool !== "string")
    throw new UsageError(`The line ${echo(line)} names no tool. Write {"tool":"read_file","input":{...}}.`);
  const { tool, input = {}, idempotencyKey, ...rest } = call as BatchLine;
  for (const name of Object.keys(rest))
    throw new UsageError(
      `The line ${echo(line)} has the unknown field ${echo(name)}. Known: tool, input, idempotencyKey.`,
    );
  if (idempotencyKey !== undefined && typeof idempotencyKey !== "string")
    throw new UsageError(`The line ${echo(line)}: idempotencyKey must be a string.`);
  print(await agent.call(tool, input, idempotencyKey === undefined ? {} : { idempotencyKey }), flags);
}

interface BatchLine {
  readonly tool: string;
  readonly input?: unknown;
  readonly idempotencyKey?: unknown;
}

function parse(json: string, what: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${echo(error instanceof Error ? error.message : "")}.`);
  }
}

function print(result: CallResult, flags: CallFlags): void {
  process.stdout.write(`${flags.json === true ? JSON.stringify(result) : result.text}\n`);
  if (!result.ok) process.exitCode = 1;
}
