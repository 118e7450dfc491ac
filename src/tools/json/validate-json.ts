// Owns: validate_json: whether a file is JSON, by the strict rules of RFC 8259.

import { z } from "zod";
import { HoldfastError, say, type Shown } from "../../errors.ts";
import {
  editJsonSteps,
  invalidJson,
  kilobytes,
  listKeysSteps,
  validateJsonSteps,
  type JsonFault,
} from "../../json/index.ts";
import { showName } from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { runPaced } from "../../text/steps.ts";
import { defineTool, fileTarget, type ReadCtx, type Tool } from "../tool.ts";
import { openDocument, PAUSE_EVERY, type JsonDocument } from "./_document.ts";
import { textOfRead } from "./_lines.ts";

const output = z.object({
  path: z.string(),
  version: z.int(),
  token: z.string(),
  kind: z.string(),
  /** Keys of the root object or items of the root array; 0 for a scalar. */
  total: z.int(),
  /** The first of them. */
  keys: z.array(z.string()),
  size_bytes: z.int(),
});

const SHOWN_KEYS = 10;

export const validateJsonTool: Tool = defineTool({
  name: "validate_json",
  toolset: "json",
  access: "read",
  title: "Validate JSON",
  description: "Checks that a file is strict JSON; else says line, column and cause.",
  input: z.object({ path: z.string() }),
  output,
  resolve: ({ path }, ctx) => ctx.path(path, "file"),
  targets: (path) => [fileTarget(path)],
  async run(ctx, path) {
    const document = await openDocument(ctx, path);
    const { file, source, indexes, maxDepth } = document;
    const strict = validateJsonSteps(source, { mode: "strict", indexes, maxDepth }, PAUSE_EVERY);
    const validity = await runPaced(strict, ctx.signal);
    if (!validity.valid) throw await refusal(ctx, document, validity.fault);
    const options = { limit: SHOWN_KEYS, indexes, pauseEvery: PAUSE_EVERY };
    const { kind, total, keys } = await runPaced(listKeysSteps(source, "$", options), ctx.signal);
    const { version, token = "", size_bytes } = file;
    return { path, version, token, kind, total, keys: keys.map(({ name }) => name), size_bytes };
  },
  text: ({ token, kind, total, keys, size_bytes: size }) =>
    textOfRead(token, undefined, `Valid JSON: ${rootText(kind, total, keys)}, size: ${kilobytes(size)}`),
});

function rootText(kind: string, total: number, keys: readonly string[]): string {
  if (kind === "array") return `array with ${plural(total, "item")} at root`;
  if (kind !== "object") return `${kind} at root`;
  const names = [...keys.map((name) => showName(name)), ...(total > keys.length ? ["..."] : [])];
  return `${plural(total, "key")} at root${names.length === 0 ? "" : ` (${names.join(", ")})`}`;
}

async function refusal(ctx: ReadCtx, document: JsonDocument, fault: JsonFault): Promise<HoldfastError> {
  const { data } = invalidJson(fault);
  const asJsonc = LOOSE.has(fault.reason) && (await isWritable(ctx, document));
  const loose = asJsonc
    ? say` This check is strict; the other JSON tools read and edit the file as it is${fault.reason === "byte_order_mark" ? say`` : say` (JSONC)`}.`
    : say``;
  const details = data === undefined ? {} : { data };
  // What need not be mended gets no advice how.
  const { hint: _hint, ...found } = fault;
  const text = faultText(asJsonc ? found : fault);
  return new HoldfastError("invalid_argument", "invalid_json", say`${text}${loose}`, details);
}

/** Faults of strict JSON that the other tools may live with. */
const LOOSE: ReadonlySet<string> = new Set(["comment", "trailing_comma", "byte_order_mark"]);

/** Whether a write would take the file: its rules are those of the file's own mode. */
async function isWritable(ctx: ReadCtx, { source, indexes, mode, maxDepth }: JsonDocument): Promise<boolean> {
  const options = { mode, indexes, maxDepth, pauseEvery: PAUSE_EVERY };
  try {
    await runPaced(editJsonSteps(source, [], options), ctx.signal);
    return true;
  } catch (error) {
    if (HoldfastError.is(error) && error.reason === "invalid_json") return false;
    throw error;
  }
}

/** `Invalid JSON at line 42: unexpected token ','`, then where in the line, what was expected, and what to do. */
function faultText({ reason, message, line, column, expected, found, hint, related }: JsonFault): Shown {
  if (reason === "wrong_encoding" || reason === "too_deep") return message;
  const what = /^['"]/.test(found) ? say`token ${found}` : (found.replace(/^(an?|the) /, "") as Shown);
  const also = related === undefined ? say`` : say` (${related.message})`;
  const advice = hint === undefined ? say`` : say` ${hint}`;
  return say`Invalid JSON at line ${line}: unexpected ${what} at column ${column}, expected ${expected}${also}.${advice}`;
}
