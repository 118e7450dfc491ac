// Owns: search_files: lines of files that hold a text or match a pattern, as many as fit, within bounded time.

import { z } from "zod";
import { displayPath, comparePaths, type WorkspacePath } from "../../path/index.ts";
import type { FileInfo } from "../../session/files/workspace.ts";
import { isBlobLost } from "../../store/lost-bytes.ts";
import { Budget, bytesSource, countChars, readBytes, type ByteSource } from "../../text/index.ts";
import { plural } from "../../text/plural.ts";
import { Pacer } from "../../text/steps.ts";
import { paging } from "../paging.ts";
import { defineTool, directoryTarget, type ReadCtx, type Tool } from "../tool.ts";
import { batchesOf, type FileBatch } from "./_file-batch.ts";
import { fileFilter, filesOf, filterInput } from "./_file-filter.ts";
import { showPath } from "../../text/show.ts";
import { showLines } from "../../text/show-hunks.ts";
import { matchedLines, scanBuffer, type MatchedLine } from "./_line-scan.ts";
import { compilePatternOf, patternInput, type LinePattern } from "./_pattern.ts";
import { isTextFile } from "./_scan.ts";

const input = z.object({
  ...patternInput,
  ...filterInput,
  context: z.int().min(0).max(10).optional().describe("Lines to show around each hit"),
  ...paging,
});

const hit = z.object({
  path: z.string(),
  line: z.int(),
  column: z.int(),
  text: z.string(),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
});

type Hit = z.output<typeof hit>;

const output = z.object({
  hits: z.array(hit),
  /** Files that were looked at in this call, and all that pass the filter. */
  searched: z.int(),
  files: z.int(),
  /** Files that are not text and were not searched. */
  binary: z.int(),
  damaged: z
    .array(z.string())
    .optional()
    .describe(
      "Files whose stored bytes are missing or damaged and which were not searched: the first twenty",
    ),
  /** Not everything was looked at: `time` ran out, or the `budget` is full. The cursor goes on. */
  partial: z.enum(["time", "budget"]).optional(),
  cursor: z.string().optional(),
});

/** Where a page begins: after this line of this file. */
interface Place {
  readonly [key: string]: string | number;
  readonly path: string;
  readonly line: number;
}

const RESERVED = 600;
/** Characters of a line that are shown, and how many of them lie before the match in a longer one. */
const SHOWN = 240;
const SHOWN_BEFORE = 80;
const NEAR_BYTES = 1 << 14;
const SHOWN_DAMAGED = 20;
const BATCH_BYTES = 1 << 21;

export const searchFiles: Tool = defineTool({
  name: "search_files",
  toolset: "files",
  access: "read",
  title: "Search in files",
  description: "Finds lines that hold a text or match a regex, as path:line: text.",
  input,
  output,
  resolve: (sent, ctx) => ({
    pattern: compilePatternOf(sent, ctx.limits),
    filter: fileFilter(sent, ctx),
    context: sent.context ?? 0,
    cursor: sent.cursor,
  }),
  targets: ({ filter }) => [directoryTarget(filter.path)],
  async run(ctx, { pattern, filter, context, cursor }): Promise<z.output<typeof output>> {
    const resumed = cursor === undefined ? undefined : await ctx.resume(cursor);
    const here = resumed?.ctx ?? ctx;
    const search = new Search(here, pattern, context, ctx.budget - RESERVED);
    const all = await filesOf(here, filter);
    const stop = await search.run(all, resumed?.place as Place | undefined, ctx);
    const { hits, searched, binary, damaged } = search;
    const lost = damaged.length === 0 ? {} : { damaged: damaged.slice(0, SHOWN_DAMAGED) };
    const out = { hits, searched, files: all.length, binary, ...lost };
    if (stop === undefined) return out;
    return { ...out, partial: stop.why, cursor: await here.cursor(stop.place) };
  },
  text({ hits, searched, files, binary, damaged, partial, cursor }) {
    const paths = new Set(hits.map(({ path }) => path)).size;
    const skipped = binary === 0 ? "" : `, ${plural(binary, "binary file")} skipped`;
    const lines = [
      `${plural(hits.length, "hit")} in ${plural(paths, "file")} (${searched} of ${files} searched${skipped})`,
    ];
    if (cursor !== undefined) {
      const why = partial === "time" ? "Partial: time ran out" : "Partial: more hits may follow";
      lines.push(`[${why}. Call again with cursor ${JSON.stringify(cursor)}]`);
    }
    const [lost] = damaged ?? [];
    if (lost !== undefined)
      lines.push(
        `[Not searched: ${showPath(displayPath(lost as WorkspacePath))}${others(damaged)}: stored bytes are missing or damaged. Write anew or restore what is wanted]`,
      );
    for (const [i, one] of hits.entries()) lines.push(...linesOfHit(one, i > 0));
    return lines.join("\n");
  },
});

function others(paths: readonly string[] = []): string {
  return paths.length > 1 ? ` and ${plural(paths.length - 1, "other file")}` : "";
}

function linesOfHit({ path, line, text, before, after }: Hit, isLater: boolean): string[] {
  const name = showPath(displayPath(path as WorkspacePath));
  const around = (number: number, shown: string): string => `${name}-${number}- ${shown}`;
  if (before === undefined || after === undefined) return [`${name}:${line}: ${text}`];
  return [
    ...(isLater ? ["--"] : []),
    ...before.map((shown, i) => around(line - before.length + i, shown)),
    `${name}:${line}: ${text}`,
    ...after.map((shown, i) => around(line + 1 + i, shown)),
  ];
}

interface Stop {
  readonly why: "time" | "budget";
  readonly place: Place;
}

/** One search: what it has found so far. */
class Search {
  readonly hits: Hit[] = [];
  searched = 0;
  binary = 0;
  readonly damaged: WorkspacePath[] = [];
  readonly #ctx: ReadCtx;
  readonly #pattern: LinePattern;
  readonly #context: number;
  readonly #budget: Budget;
  /** For files that are read together. */
  readonly #batch = Buffer.allocUnsafe(BATCH_BYTES);
  /** For the lines of one file. */
  readonly #lines = scanBuffer();

  constructor(ctx: ReadCtx, pattern: LinePattern, context: number, budget: number) {
    this.#ctx = ctx;
    this.#pattern = pattern;
    this.#context = context;
    this.#budget = new Budget(budget);
  }

  /** Why it ended before the end. */
  async run(
    all: readonly FileInfo[],
    from: Place | undefined,
    { limits, signal }: ReadCtx,
  ): Promise<Stop | undefined> {
    const until = performance.now() + limits.searchMillis;
    const pace = new Pacer(signal);
    let next = from === undefined ? 0 : firstAt(all, from.path as WorkspacePath);
    if (from !== undefined && from.line > 0 && all[next]?.path === from.path) {
      const stop = await this.#alone(all[next++] as FileInfo, from.line, pace, until);
      if (stop !== undefined) return stop;
    }
    for (const batch of batchesOf(all, next, this.#batch.length)) {
      const [{ path }] = batch.files as [FileInfo];
      if (performance.now() > until) return { why: "time", place: { path, line: 0 } };
      const stop = await this.#inBatch(batch, pace, until);
      if (stop !== undefined) return stop;
      await pace.step();
    }
    return undefined;
  }

  /** Where one of them is damaged, each is read alone, so that the others are searched. */
  async #inBatch({ files, bytes }: FileBatch, pace: Pacer, until: number): Promise<Stop | undefined> {
    const isRead =
      files.length > 1 &&
      (await this.#ctx.files
        .openTogether(files, (source) => source.read(0, this.#batch, 0, bytes) === bytes)
        .catch((error: unknown) => {
          if (!isBlobLost(error)) throw error;
          return false;
        }));
    if (isRead) return this.#together(files, this.#batch.subarray(0, bytes), pace, until);
    for (const file of files) {
      const stop = await this.#alone(file, 0, pace, until);
      if (stop !== undefined) return stop;
      await pace.step();
    }
    return undefined;
  }

  /** Looks for what every match holds in all the files at once, and at the lines of those only that hold it. */
  async #together(
    files: readonly FileInfo[],
    window: Buffer,
    pace: Pacer,
    until: number,
  ): Promise<Stop | undefined> {
    const { required } = this.#pattern;
    const next = (from: number): number => (required === undefined ? from : required.indexIn(window, from));
    let start = 0;
    let found = next(0);
    for (const [i, file] of files.entries()) {
      const { path, size_bytes: size } = file;
      if (found < start) found = next(start);
      if (found < 0) {
        this.searched += files.length - i;
        return undefined;
      }
      if (found < start + size) {
        if (i > 0 && performance.now() > until) return { why: "time", place: { path, line: 0 } };
        const source = bytesSource(window.subarray(start, start + size));
        const stop = await this.#scan(file, source, 0, pace, until);
        if (stop !== undefined) return stop;
        await pace.step();
      }
      this.searched++;
      start += size;
    }
    return undefined;
  }

  async #alone(file: FileInfo, after: number, pace: Pacer, until: number): Promise<Stop | undefined> {
    const { path, encoding, size_bytes: size } = file;
    const search = async (source: ByteSource): Promise<Stop | undefined> => {
      if (await isTextFile(source, encoding, this.#ctx.signal))
        return this.#scan(file, source, after, pace, until);
      this.binary++;
      return undefined;
    };
    const stop =
      size === 0
        ? undefined
        : await this.#ctx.files.openFor(path, search).catch((error: unknown) => {
            if (!isBlobLost(error)) throw error;
            this.damaged.push(path);
            return undefined;
          });
    if (stop === undefined) this.searched++;
    return stop;
  }

  async #scan(
    file: FileInfo,
    source: ByteSource,
    after: number,
    pace: Pacer,
    until: number,
  ): Promise<Stop | undefined> {
    const { path } = file;
    let last = after;
    for (const line of matchedLines(source, this.#pattern, this.#lines)) {
      if (line === undefined) {
        await pace.step();
        if (performance.now() > until && last > after) return { why: "time", place: { path, line: last } };
        continue;
      }
      if (line.number <= after) continue;
      if (!this.#add(file, source, line)) return { why: "budget", place: { path, line: last } };
      last = line.number;
    }
    return undefined;
  }

  /** False when it does not fit, except for the first, which always counts. */
  #add({ path }: FileInfo, source: ByteSource, line: MatchedLine): boolean {
    const found: Hit = {
      path,
      line: line.number,
      column: columnOf(line),
      text: shownLine(line),
      ...this.#around(source, line),
    };
    const text = linesOfHit(found, this.hits.length > 0).join("\n");
    if (!this.#budget.add(text) && this.hits.length > 0) return false;
    this.hits.push(found);
    return true;
  }

  #around(source: ByteSource, { start, end }: MatchedLine): Pick<Hit, "before" | "after"> {
    if (this.#context === 0) return {};
    const from = Math.max(0, start - NEAR_BYTES);
    const before = Buffer.from(readBytes(source, from, start - from))
      .toString()
      .split("\n")
      .slice(0, -1);
    const rest = Buffer.from(readBytes(source, end, NEAR_BYTES))
      .toString()
      .split("\n")
      .slice(1);
    // A final newline ends the last line and begins none.
    if (end + NEAR_BYTES >= source.size && rest.at(-1) === "") rest.pop();
    return {
      before: before.slice(-this.#context).map(cutLine),
      after: rest.slice(0, this.#context).map(cutLine),
    };
  }
}

/** The index of the first file at or after a path. */
function firstAt(files: readonly FileInfo[], path: WorkspacePath): number {
  const found = files.findIndex((file) => comparePaths(file.path, path) >= 0);
  return found < 0 ? files.length : found;
}

/** In characters from 1; of a very long line, in the part that was looked at. */
function columnOf({ text, match }: MatchedLine): number {
  return countChars(text.slice(0, match.start)) + 1;
}

/** The line, or the part around its match. */
function shownLine({ text, match }: MatchedLine): string {
  if (text.length <= SHOWN) return oneLine(text);
  const from = Math.max(0, Math.min(match.start - SHOWN_BEFORE, text.length - SHOWN));
  const part = text.slice(from, from + SHOWN);
  return `${from > 0 ? "..." : ""}${oneLine(part)}${from + SHOWN < text.length ? "..." : ""}`;
}

function cutLine(text: string): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  return oneLine(line.length <= SHOWN ? line : `${line.slice(0, SHOWN)}...`);
}

function oneLine(text: string): string {
  return showLines(text.toWellFormed());
}
