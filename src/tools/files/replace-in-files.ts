// Owns: replace_in_files: one text or pattern replaced in many files, as one commit.

import { z } from "zod";
import { HoldfastError, echo, say, type Shown } from "../../errors.ts";
import { displayPath, ROOT, type WorkspacePath } from "../../path/index.ts";
import type { Limits } from "../../limits.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import { encodeText, type ByteSource, type Splice } from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { Pacer, runPaced } from "../../text/steps.ts";
import { withToken } from "../token-line.ts";
import { defineTool, fileTarget, subtreeTarget, type Target, type Tool, type WriteCtx } from "../tool.ts";
import { tooManyPlaces, tooMuchText } from "./edit-file.ts";
import { fileFilter, filesOf, filterInput, type FileFilter } from "./_file-filter.ts";
import { hunkText } from "./_hunk-text.ts";
import { linesWith, matchIn, scanBuffer, type LinePart } from "./_line-scan.ts";
import { findTextSteps, withLf } from "./_find-text.ts";
import {
  after,
  compilePatternOf,
  patternInput,
  type LineMatch,
  type LinePattern,
  type PatternRequest,
} from "./_pattern.ts";
import { PlaceEndings, TextReplacement } from "./_replace-text.ts";
import { isTextFile } from "./_scan.ts";

const input = z.object({
  ...patternInput,
  replacement: z.string().describe("With regex: $1, ${name} and $0 stand for groups, $$ for $"),
  ...filterInput,
});

const changed = z.object({ path: z.string(), replaced: z.int(), version: z.int(), hunk: z.string() });

const output = z.object({
  files: z.array(changed),
  replaced: z.int(),
  token: z.string().optional(),
});

/** Bytes of hunks that a result shows of all files together, and at most of one. */
const HUNK_BYTES = 6_000;
const FILE_HUNK_BYTES = 1_200;

export const replaceInFiles: Tool = defineTool({
  name: "replace_in_files",
  toolset: "files",
  access: "write",
  title: "Replace in files",
  description:
    "Replaces a text or regex in every file that include and exclude let pass, as one commit. Send dryRun first to see the hunks.",
  advertises: ["dryRun"],
  input,
  output,
  async resolve(sent, ctx) {
    const replacement = replacementOf(sent.replacement, sent.regex ?? false);
    const find = isManyLines(sent)
      ? { text: sent.pattern, newText: sent.replacement }
      : { pattern: compilePatternOf(sent, ctx.limits), replacement, regex: sent.regex ?? false };
    const filter = fileFilter(sent, ctx);
    const isFile = filter.path !== ROOT && (await ctx.files.stat(filter.path)) !== undefined;
    const target = isFile ? fileTarget(filter.path) : subtreeTarget(filter.path);
    return { find, filter, target, sent: sent.pattern };
  },
  targets: ({ target }) => [target],
  async run(ctx, request): Promise<z.output<typeof output>> {
    const plan = await planned(ctx, request);
    const files: z.output<typeof changed>[] = [];
    let room = HUNK_BYTES;
    let replaced = 0;
    for (const { path, places, splices } of plan) {
      const { version } = await ctx.files.splice(path, splices);
      const hunk = await hunkText(ctx.files, path, Math.max(0, Math.min(room, FILE_HUNK_BYTES)));
      room -= hunk.length;
      replaced += places;
      files.push({ path, replaced: places, version, hunk });
    }
    return { files, replaced };
  },
  text({ files, replaced, token }) {
    const lines = [
      withToken(`Replaced ${plural(replaced, "place")} in ${plural(files.length, "file")}`, token),
    ];
    for (const file of files)
      lines.push(`${file.path}: ${plural(file.replaced, "place")}, version ${file.version}`, file.hunk);
    return lines.join("\n");
  },
});

/** What is looked for line by line; or a text of several lines, in which a line break is LF or CRLF. */
type Find = FindPattern | { readonly text: string; readonly newText: string };

interface FindPattern {
  readonly pattern: LinePattern;
  readonly replacement: Replacement;
  readonly regex: boolean;
}

/** Only a literal text is looked for across lines, letter by letter. */
function isManyLines({ pattern, regex, ignore_case: folds, whole_word: isWord }: PatternRequest): boolean {
  return pattern.includes("\n") && regex !== true && folds !== true && isWord !== true;
}

interface Request {
  readonly find: Find;
  readonly filter: FileFilter;
  readonly target: Target;
  readonly sent: string;
}

interface PlannedFile {
  readonly path: WorkspacePath;
  readonly places: number;
  readonly splices: readonly Splice[];
}

/** What would change. Throws when nothing would, or more than the bounds allow: then nothing is changed. */
async function planned(ctx: WriteCtx, { find, filter, sent }: Request): Promise<PlannedFile[]> {
  const { limits, signal } = ctx;
  const pace = new Pacer(signal);
  const buffer = scanBuffer();
  const plan: PlannedFile[] = [];
  const all = await filesOf(ctx, filter);
  const bounds = new Bounds(limits);
  for (const file of all) {
    const found = await splicesIn(ctx, file, find, buffer, bounds, pace);
    if (found.places > 0) plan.push({ path: file.path, ...found });
    if (plan.length > limits.batchItems) throw tooManyFiles(limits.batchItems);
    bounds.checkTime();
    await pace.step();
  }
  if (plan.length === 0)
    throw new HoldfastError(
      "conflict",
      "text_not_found",
      say`${echo(sent)} occurs in none of the ${plural(all.length, "file") as Shown} searched, or would stay the same. Look for it with search_files.`,
    );
  return plan;
}

function splicesIn(
  { files, signal }: WriteCtx,
  { path, encoding, size_bytes: size }: FileInfo,
  find: Find,
  buffer: Buffer,
  bounds: Bounds,
  pace: Pacer,
): Promise<Omit<PlannedFile, "path">> {
  return files.openFor(path, async (source: ByteSource) => {
    if (size === 0 || !(await isTextFile(source, encoding, signal))) return { places: 0, splices: [] };
    const splices =
      "text" in find
        ? await splicesOfText(source, find, bounds, signal)
        : await splicesOfPattern(path, source, find, buffer, bounds, pace);
    return { places: splices.length, splices };
  });
}

/** Matches between two looks at the clock: each may take as long as its line does. */
const TIMED = 16;

/** One splice for each match of a pattern that changes something. */
async function splicesOfPattern(
  path: WorkspacePath,
  source: ByteSource,
  { pattern, replacement, regex }: FindPattern,
  buffer: Buffer,
  bounds: Bounds,
  pace: Pacer,
): Promise<Splice[]> {
  const splices: Splice[] = [];
  const endings = new PlaceEndings(source);
  /** Where the last match ended: one that began in the part before may end in this one. */
  let done = 0;
  let seen = 0;
  for (const part of linesWith(source, pattern.required, buffer)) {
    if (part === undefined) {
      await pace.step();
      continue;
    }
    let units = 0;
    let bytes = part.textAt;
    let match = matchIn(part, pattern, Math.max(part.from, unitsBefore(part, done)));
    if (match !== undefined && regex && !part.isWhole) throw lineTooLong(path, part.number);
    for (; match !== undefined; match = matchIn(part, pattern, after(match, part.text))) {
      bytes += Buffer.byteLength(part.text.slice(units, match.start));
      units = match.start;
      const old = match.groups[0] ?? "";
      const place = { from: bytes, to: bytes + Buffer.byteLength(old) };
      done = place.to;
      if (++seen % TIMED === 0) {
        bounds.checkTime();
        await pace.step();
      }
      const sent = replacement(match, pattern);
      const insert = endings.taken(withLf(sent), place, sent);
      if (insert === old) continue;
      const put = encodeText(insert);
      bounds.count(put);
      splices.push({ at: place.from, remove: place.to - place.from, insert: put });
    }
  }
  return splices;
}

/** The UTF-16 units of a part before a byte of the file. */
function unitsBefore({ text, textAt }: LinePart, at: number): number {
  // No character has fewer bytes than units.
  return at <= textAt
    ? 0
    : Buffer.from(text.slice(0, at - textAt))
        .subarray(0, at - textAt)
        .toString().length;
}

/** The same for a text of several lines. */
async function splicesOfText(
  source: ByteSource,
  { text, newText }: { readonly text: string; readonly newText: string },
  bounds: Bounds,
  signal: AbortSignal,
): Promise<Splice[]> {
  if (withLf(text) === withLf(newText)) return [];
  const places = await runPaced(findTextSteps(source, text, { most: bounds.most }), signal);
  const replacement = new TextReplacement(source, text, newText);
  return places.map((place) => {
    const splice = replacement.splice(place);
    bounds.count(splice.insert);
    return splice;
  });
}

/** How much one call may change, over all its files, and how long it may look for it. */
class Bounds {
  readonly #limits: Pick<Limits, "replacePlaces" | "replaceBytes" | "searchMillis">;
  readonly #until: number;
  #places = 0;
  #bytes = 0;

  constructor(limits: Pick<Limits, "replacePlaces" | "replaceBytes" | "searchMillis">) {
    this.#limits = limits;
    this.#until = performance.now() + limits.searchMillis;
  }

  checkTime(): void {
    if (performance.now() > this.#until) throw tooSlow(this.#limits.searchMillis);
  }

  /** One more than may be changed. */
  get most(): number {
    return this.#limits.replacePlaces + 1;
  }

  count(insert: Uint8Array): void {
    const { replacePlaces, replaceBytes } = this.#limits;
    this.#places++;
    this.#bytes += insert.length;
    if (this.#places > replacePlaces) throw tooManyPlaces(replacePlaces);
    if (this.#bytes > replaceBytes) throw tooMuchText(replaceBytes);
  }
}

/** What goes in the place of a match. */
type Replacement = (match: LineMatch, pattern: LinePattern) => string;

function replacementOf(text: string, regex: boolean): Replacement {
  if (!text.isWellFormed())
    throw new HoldfastError(
      "invalid_argument",
      "not_unicode",
      say`The replacement holds half a surrogate pair, which no file can hold. Send whole characters.`,
    );
  if (!regex) return () => text;
  return ({ groups }, pattern) =>
    text.replace(/\$(?:\$|(\d{1,2})|\{(\w+)\})/g, (all, digits?: string, name?: string) => {
      if (all === "$$") return "$";
      const index = digits === undefined ? (pattern.group(name ?? "") ?? Number(name)) : Number(digits);
      if (index < groups.length) return groups[index] ?? "";
      throw new HoldfastError(
        "invalid_argument",
        "bad_replacement",
        say`The replacement names the group ${echo(all)}, which the pattern does not have. Write $$ for a plain dollar sign.`,
      );
    });
}

function tooManyFiles(limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "too_many_files",
    say`More than ${limit} files would change; one call may change ${limit}. Narrow it with path, include or exclude.`,
    { data: { limit } },
  );
}

function lineTooLong(path: WorkspacePath, line: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "line_too_long",
    say`Line ${line} of ${displayPath(path)} has a match and more than 256 KiB, too much for a regex; nothing was changed. Exclude the file, or send literal text without regex.`,
    { data: { path, line } },
  );
}

function tooSlow(millis: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "search_too_long",
    say`The search took longer than ${millis} milliseconds; nothing was changed. Narrow it with path, include or exclude.`,
    { data: { limit: millis } },
  );
}
