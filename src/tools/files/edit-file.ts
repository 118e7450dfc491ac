// Owns: edit_file: exact text replaced by other text, many edits of one file in one commit, or none of them.

import { z } from "zod";
import { HoldfastError, say, sayAll, type Shown } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import {
  composeSplices,
  runPaced,
  splicedSource,
  type ByteSource,
  type Splice,
  type Steps,
} from "../../text/index.ts";
import { changesNothingSteps } from "../../text/changes-nothing.ts";
import { LineCounter } from "../../text/line-column.ts";
import { plural } from "../../text/plural.ts";
import { withToken } from "../token-line.ts";
import { defineTool, fileTarget, type Tool, type WriteCtx } from "../tool.ts";
import { sayMiss, nearPlaceSteps } from "./_edit-miss.ts";
import { fileFacts } from "./_file-facts.ts";
import { findTextSteps, withLf, type TextPlace } from "./_find-text.ts";
import { hunkText } from "./_hunk-text.ts";
import { TextReplacement } from "./_replace-text.ts";

const edit = z.strictObject({
  old_text: z.string().describe("Exact text of the file, without line numbers"),
  new_text: z.string(),
  replace_all: z.boolean().optional().describe("Every match, not exactly one"),
});

type Edit = z.output<typeof edit>;

const input = z.object({
  path: z.string(),
  edits: z.array(edit).min(1).describe("In order, each on the result of the one before"),
});

const output = z.object({
  path: z.string(),
  version: z.int(),
  size_bytes: z.int(),
  /** Places that were replaced. */
  replaced: z.int(),
  hunk: z.string(),
  token: z.string().optional(),
});

/** Bytes of hunks that a result shows. */
const HUNK_BYTES = 2_000;
/** Matches of an ambiguous text that are counted, and lines of them that are named. */
const COUNTED = 100;
const NAMED = 5;

export const editFile: Tool = defineTool({
  name: "edit_file",
  toolset: "files",
  access: "write",
  oneTarget: true,
  rebase: {},
  title: "Edit a file",
  description:
    "Replaces exact text that occurs once in a file (or all, with replace_all), all edits or none. Line endings are kept; a line break matches LF or CRLF.",
  input,
  output,
  resolve: ({ path, edits }, ctx) => ({ path: ctx.path(path, "file"), edits }),
  targets: ({ path }) => [fileTarget(path)],
  async run(ctx, { path, edits }) {
    const source = await ctx.files.open(path, "write");
    const before = await ctx.files.stat(path);
    let splices: Splice[] = [];
    let replaced = 0;
    let inserted = 0;
    for (const [i, one] of edits.entries()) {
      const where: Where = { path, number: edits.length === 1 ? undefined : i + 1 };
      checkEdit(one, where, before?.encoding ?? null);
      const now = splices.length === 0 ? source : splicedSource(source, splices, "");
      const { places, splices: made } = await splicesOf(ctx, now, one, where);
      replaced += places;
      for (const { insert } of made) inserted += insert.length;
      if (inserted > ctx.limits.replaceBytes) throw tooMuchText(ctx.limits.replaceBytes);
      splices = splices.length === 0 ? made : composeSplices(splices, made);
    }
    if (await runPaced(changesNothingSteps(source, splices), ctx.signal)) throw nothingLeft();
    const { version, size_bytes } = await ctx.files.splice(path, splices);
    const hunk = await hunkText(ctx.files, path, HUNK_BYTES);
    return { path, version, size_bytes, replaced, hunk };
  },
  text: ({ path, replaced, hunk, token, ...file }) =>
    withToken(
      `Edited ${path} (${replaced === 1 ? "" : `${plural(replaced, "place")}, `}${fileFacts(file)})\n${hunk}`,
      token,
    ),
});

/** Which edit of which file, for messages. */
interface Where {
  readonly path: WorkspacePath;
  /** From 1; undefined where there is only one. */
  readonly number: number | undefined;
}

function which({ number }: Where): Shown {
  return number === undefined ? say`` : say`Edit ${number}: `;
}

function checkEdit({ old_text: old, new_text: now }: Edit, where: Where, encoding: string | null): void {
  if (old === "")
    throw new HoldfastError(
      "invalid_argument",
      "empty_old_text",
      say`${which(where)}old_text is empty. Send the text to replace; use write_file to create, append or overwrite.`,
    );
  if (withLf(old) === withLf(now))
    throw new HoldfastError(
      "invalid_argument",
      "no_change",
      say`${which(where)}old_text and new_text are the same, so there is nothing to do. Leave the edit out.`,
    );
  if (!now.isWellFormed() || !old.isWellFormed())
    throw new HoldfastError(
      "invalid_argument",
      "not_unicode",
      say`${which(where)}the text holds half a surrogate pair, which no file can hold. Send whole characters.`,
    );
  if (encoding !== "utf-8" && /[^\u0000-\u007f]/.test(now))
    throw new HoldfastError(
      "invalid_argument",
      "not_utf8",
      say`${which(where)}${where.path} is not UTF-8, so only ASCII can be put into it. Write the whole file with write_file and content_base64 instead.`,
    );
}

function nothingLeft(): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "no_change",
    say`The edits take each other back, so the file would stay as it is. Leave them out.`,
  );
}

async function splicesOf(
  ctx: WriteCtx,
  source: ByteSource,
  one: Edit,
  where: Where,
): Promise<{ readonly places: number; readonly splices: Splice[] }> {
  const { old_text: old, new_text: now, replace_all: all = false } = one;
  const limit = ctx.limits.replacePlaces;
  const found = await runPaced(
    findTextSteps(source, old, { most: all ? limit + 1 : COUNTED, overlap: !all }),
    ctx.signal,
  );
  if (found.length === 0) throw await missed(ctx, source, old, where);
  if (!all && found.length > 1) throw await ambiguous(ctx, source, found, where);
  if (found.length > limit) throw tooManyPlaces(limit);
  if (found.length * now.length > ctx.limits.replaceBytes) throw tooMuchText(ctx.limits.replaceBytes);
  const replacement = new TextReplacement(source, old, now);
  return { places: found.length, splices: found.map((place) => replacement.splice(place)) };
}

export function tooMuchText(limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "too_much_text",
    say`The new text at all places would be more than ${limit} bytes; one call may put in ${limit}. Use a shorter text, or change fewer places at a time.`,
    { data: { limit } },
  );
}

export function tooManyPlaces(limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "too_many_places",
    say`The text occurs in more than ${limit} places; one call may change ${limit}. Use a longer text, or fewer files.`,
    { data: { limit } },
  );
}

async function missed(ctx: WriteCtx, source: ByteSource, old: string, where: Where): Promise<HoldfastError> {
  const near = await runPaced(nearPlaceSteps(source, old), ctx.signal);
  const hint = near === undefined ? say`Nothing in it is like it.` : sayMiss(near);
  return new HoldfastError(
    "conflict",
    "text_not_found",
    say`${which(where)}old_text is not in ${where.path}. ${hint} Nothing was changed: read the file again and send its text exactly.`,
    near === undefined ? {} : { data: { line: near.line, column: near.column } },
  );
}

async function ambiguous(
  ctx: WriteCtx,
  source: ByteSource,
  found: readonly TextPlace[],
  where: Where,
): Promise<HoldfastError> {
  const lines = await runPaced(linesOfPlaces(source, found.slice(0, NAMED)), ctx.signal);
  const count = found.length < COUNTED ? say`${found.length}` : say`at least ${COUNTED}`;
  const more = found.length > NAMED ? say`, ...` : say``;
  return new HoldfastError(
    "conflict",
    "text_ambiguous",
    say`${which(where)}old_text occurs ${count} times in ${where.path}, on lines ${sayAll(lines.map((line) => say`${line}`))}${more}. Nothing was changed: add lines around it so that it occurs once, or send replace_all: true.`,
    { data: { lines } },
  );
}

function* linesOfPlaces(source: ByteSource, places: readonly TextPlace[]): Steps<number[]> {
  const counter = new LineCounter(source);
  const lines: number[] = [];
  for (const { from } of places) lines.push(yield* counter.lineAt(from));
  return lines;
}
