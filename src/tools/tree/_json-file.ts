// Owns: JSON documents of the workspace as trees and rulesets need them: read whole, within a bound; written in steps.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import { memorySource, parseJsonSteps, validateJsonSteps } from "../../json/index.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { readBytes } from "../../text/index.ts";
import { runPaced, type Steps } from "../../text/steps.ts";
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
  const judged = await runPaced(
    validateJsonSteps(source, { indexes: null, maxDepth: ctx.limits.jsonDepth }),
    ctx.signal,
  );
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
export function* writeNodes(root: NodeJson): Steps<string> {
  // What one step wrote is joined in that step: joining all parts at the end would hold the thread.
  const written: string[] = [];
  let parts: string[] = [];
  // Nodes whose children are being written, the root first.
  const open: { readonly children: readonly NodeJson[]; next: number }[] = [];
  const begin = ({ Children: children, ...own }: NodeJson): void => {
    const head = JSON.stringify(own);
    parts.push(head.slice(0, -1), head === "{}" ? "" : ",", '"Children":[');
    open.push({ children: (children ?? []) as readonly NodeJson[], next: 0 });
  };
  begin(root);
  let count = 0;
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const child = last.children[last.next++];
    if (child === undefined) {
      parts.push("]}");
      open.pop();
      continue;
    }
    parts.push(last.next > 1 ? "," : "", "\n", " ".repeat(open.length));
    begin(child);
    if (++count % NODES_A_STEP !== 0) continue;
    written.push(parts.join(""));
    parts = [];
    yield;
  }
  written.push(...parts, "\n");
  return written.join("");
}
