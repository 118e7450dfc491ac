// Owns: hunks, what an edit looks like to a reader, made from its splices alone.
// Must never: compute a diff, or read more of the source than the changed lines, their context and the line count.

import { asSource, type ByteSource } from "./byte-source.ts";
import { blocksOf, type Block } from "./_hunk-blocks.ts";
import { linesAfter, linesBefore, shorten, type ShownLine } from "./_hunk-lines.ts";
import type { LineIndex } from "./line-index.ts";
import type { Splice } from "./splice.ts";
import { splicedSource } from "./spliced-source.ts";

export interface HunkLine {
  /** Unchanged, removed or added. */
  readonly kind: " " | "-" | "+";
  /** The line with its ending, or the part of it that is shown. */
  readonly bytes: Uint8Array;
  /** Is the line longer than what is shown, on either side? */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

export interface Hunk {
  /** The first line shown, from 1; where a side has no lines, the line before which they would stand. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly HunkLine[];
  /** Lines of the hunk that the budget left out. */
  readonly leftOut: number;
}

export interface HunkList {
  readonly hunks: readonly Hunk[];
  /** All removed and added lines, those left out included. */
  readonly removed: number;
  readonly added: number;
  /** Hunks that the budget left out as a whole. */
  readonly leftOut: number;
  /** True when nothing is cut or left out: applying the hunks gives the result. */
  readonly exact: boolean;
}

export interface HunkOptions {
  /** Unchanged lines to show on each side: 3 unless said. */
  readonly context?: number;
  /** Bytes to show in all: 8,000 unless said. What does not fit is counted, never dropped silently. */
  readonly budget?: number;
  /** Bytes to show of one line: 1,000 unless said. A longer one is cut to the part around the change. */
  readonly lineLength?: number;
  /** An index of the source's lines, when the caller has one: without it the line feeds before an edit are counted. */
  readonly lines?: Pick<LineIndex, "lineAt">;
}

/**
 * The hunks of an edit, as steps. Splices grow to whole lines; lines that turn out the same on both sides are context;
 * hunks whose context meets are one. Cost: what the splices touch, plus counting the lines before them without an index.
 */
export function* hunkSteps(
  original: Uint8Array | ByteSource,
  splices: readonly Splice[],
  options: HunkOptions = {},
): Generator<void, HunkList, void> {
  const source = asSource(original);
  const context = options.context ?? 3;
  const lineLength = options.lineLength ?? 1_000;
  const result = splicedSource(source, splices, "");
  const blocks = blocksOf(source, result, splices, { lineLength, lines: options.lines });
  const writer = new HunkWriter(options.budget ?? 8_000, lineLength);
  let shift = 0;
  for (let block = yield* nextBlock(blocks); block !== undefined;) {
    const before = block.cutBefore ? [] : linesBefore(source, block.oldFrom, context);
    writer.open(block.line - before.length, block.line - before.length + shift);
    for (const line of before) writer.add(" ", line);
    for (let joined = true; joined && block !== undefined;) {
      writer.block(block);
      shift += block.newCount - block.oldCount;
      const following: Block | undefined = yield* nextBlock(blocks);
      const after: ShownLine[] = block.cutAfter ? [] : linesAfter(source, block.oldTo, Infinity, context);
      joined =
        following !== undefined &&
        contextStart(source, following, context) <= (after.at(-1)?.to ?? block.oldTo);
      const between =
        joined && following !== undefined
          ? linesAfter(source, block.oldTo, following.oldFrom, Infinity)
          : after;
      for (const line of between) writer.add(" ", line);
      block = following;
    }
    writer.close();
  }
  return writer.list();
}

function* nextBlock(
  blocks: Generator<Block | undefined, void, void>,
): Generator<void, Block | undefined, void> {
  for (let step = blocks.next(); step.done !== true; step = blocks.next()) {
    if (step.value !== undefined) return step.value;
    yield;
  }
  return undefined;
}

/** Where the context before a block begins. */
function contextStart(source: ByteSource, block: Block, context: number): number {
  if (block.cutBefore) return block.oldFrom;
  return linesBefore(source, block.oldFrom, context)[0]?.from ?? block.oldFrom;
}

/** {@link hunkSteps} in one go. */
export function hunksOf(
  original: Uint8Array | ByteSource,
  splices: readonly Splice[],
  options: HunkOptions = {},
): HunkList {
  const steps = hunkSteps(original, splices, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Collects hunks within a budget. After the first line that does not fit no other is shown, only counted. */
class HunkWriter {
  readonly #hunks: Hunk[] = [];
  readonly #lineLength: number;
  #room: number;
  #full = false;
  #exact = true;
  #leftOutHunks = 0;
  #removed = 0;
  #added = 0;
  #oldStart = 0;
  #newStart = 0;
  #oldLines = 0;
  #newLines = 0;
  #leftOut = 0;
  #lines: HunkLine[] = [];

  constructor(budget: number, lineLength: number) {
    this.#room = budget;
    this.#lineLength = lineLength;
  }

  open(oldStart: number, newStart: number): void {
    [this.#oldStart, this.#newStart, this.#oldLines, this.#newLines, this.#leftOut] = [
      oldStart,
      newStart,
      0,
      0,
      0,
    ];
    this.#lines = [];
  }

  add(kind: HunkLine["kind"], line: ShownLine, center = 0): void {
    if (kind !== "+") this.#oldLines++;
    if (kind !== "-") this.#newLines++;
    const { bytes, cutBefore, cutAfter } = shorten(line, this.#lineLength, center);
    if (this.#full || bytes.length + 1 > this.#room) {
      this.#full = true;
      this.#leftOut++;
      return;
    }
    this.#room -= bytes.length + 1;
    if (cutBefore || cutAfter) this.#exact = false;
    this.#lines.push({ kind, bytes, cutBefore, cutAfter });
  }

  block(block: Block): void {
    for (const [kind, lines, count] of [
      ["-", block.oldLines, block.oldCount],
      ["+", block.newLines, block.newCount],
    ] as const) {
      let shown = 0;
      for (const line of lines) {
        this.add(kind, line, shown === 0 ? block.center : 0);
        shown++;
      }
      this.#leftOut += count - shown;
      if (count > shown) this.#full = true;
      if (kind === "-") this.#oldLines += count - shown;
      else this.#newLines += count - shown;
    }
    // A block that begins in the long line where the last one ended shows another part of a line already counted.
    const again = block.sameLine ? 1 : 0;
    this.#removed += block.oldCount - again;
    this.#added += block.newCount - again;
  }

  close(): void {
    if (this.#lines.length === 0) {
      this.#leftOutHunks++;
      return;
    }
    this.#hunks.push({
      oldStart: this.#oldStart,
      oldLines: this.#oldLines,
      newStart: this.#newStart,
      newLines: this.#newLines,
      lines: this.#lines,
      leftOut: this.#leftOut,
    });
  }

  list(): HunkList {
    return {
      hunks: this.#hunks,
      removed: this.#removed,
      added: this.#added,
      leftOut: this.#leftOutHunks,
      exact: this.#exact && !this.#full,
    };
  }
}
