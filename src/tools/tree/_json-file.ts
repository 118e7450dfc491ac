// Owns: JSON documents of the workspace as trees and rulesets need them: read whole, within a bound; written in steps.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { memorySource, parseJsonSteps, validateJsonSteps } from "../../json/index.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { readBytes } from "../../text/index.ts";
import { runPaced } from "../../text/steps.ts";
import type { NodeJson } from "../../tree/operations.ts";
import type { ReadCtx } from "../tool.ts";
import { lostNumbersSteps, type LostNumber } from "./_json-numbers.ts";

/** A document is held whole in memory, as text and as values. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The text of a file. Throws `invalid_argument` for one that is too large, or no UTF-8. */
export async function readTextFile(ctx: ReadCtx, path: WorkspacePath): Promise<string> {
  const source = await ctx.files.open(path);
  if (source.size > MOST_BYTES)
    throw new HoldfastError(
      "invalid_argument",
      "document_too_large",
      say`${path} has ${source.size} bytes; a document that is read as a whole may have ${MOST_BYTES}. Split it.`,
      { data: { size: source.size, limit: MOST_BYTES } },
    );
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readBytes(source, 0, source.size));
  } catch {
    throw new HoldfastError(
      "invalid_argument",
      "not_utf8",
      say`${path} is not UTF-8 text, so nothing can be read from it as a document. Name another file.`,
    );
  }
}

/** A JSON file as a value, with the numbers in it that are others there. */
export interface JsonFile {
  readonly json: unknown;
  readonly lost: readonly LostNumber[];
}

/**
 * A JSON file. Throws `invalid_argument` / `bad_json` with `next`, which says what can be read instead, and for a number that is
 * too large for any value.
 */
export async function readJsonFile(ctx: ReadCtx, path: WorkspacePath, next: Shown): Promise<JsonFile> {
  const text = await readTextFile(ctx, path);
  const source = memorySource(text);
  const refuse = (why: Shown): HoldfastError =>
    new HoldfastError("invalid_argument", "bad_json", say`${path} is not JSON. ${why} ${next}`);
  const judged = await runPaced(validateJsonSteps(source, { indexes: null }), ctx.signal);
  if (!judged.valid) throw refuse(judged.fault.message);
  const lost = await runPaced(lostNumbersSteps(text), ctx.signal);
  const large = lost.find(({ value }) => !Number.isFinite(value));
  if (large !== undefined)
    throw new HoldfastError(
      "invalid_argument",
      "bad_json",
      say`${path} holds the number ${echo(large.literal)} at line ${large.line}, column ${large.column}, which is too large. Write it as text, in quotes.`,
    );
  try {
    return { json: await runPaced(parseJsonSteps(source), ctx.signal), lost };
  } catch (error) {
    throw error instanceof HoldfastError ? error : refuse(say`It is nested too deep.`);
  }
}

const NODES_A_STEP = 256;

/** A branch as JSON text, one node a line, in steps. No recursion: depth does not matter. */
export function* writeNodes(root: NodeJson): Generator<undefined, string, undefined> {
  // What one step wrote is joined in that step: joining all parts at the end would hold the thread.
  const written: string[] = [];
  let parts: string[] = [];
  // What is still to be written, last first: text, or a node with its depth.
  const stack: (string | { readonly node: NodeJson; readonly depth: number })[] = [{ node: root, depth: 0 }];
  let count = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === "string") {
      parts.push(next);
      continue;
    }
    const { node, depth } = next;
    const { Children: children, ...own } = node;
    const head = JSON.stringify(own);
    const below = (children ?? []) as readonly NodeJson[];
    const line = `\n${" ".repeat(depth + 1)}`;
    parts.push(head.slice(0, -1), head === "{}" ? "" : ",", '"Children":[');
    stack.push("]}");
    for (let i = below.length - 1; i >= 0; i--) {
      stack.push({ node: below[i] as NodeJson, depth: depth + 1 });
      stack.push(i > 0 ? `,${line}` : line);
    }
    if (++count % NODES_A_STEP !== 0) continue;
    written.push(parts.join(""));
    parts = [];
    yield;
  }
  written.push(...parts, "\n");
  return written.join("");
}
