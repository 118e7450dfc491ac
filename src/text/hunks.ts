// Owns: hunks, what an edit looks like to a reader, made from its splices alone.
// Must never: compute a diff, or read more of the source than the changed lines, their context and the line count.

import { say } from "../errors.ts";
import { badOptions, checkArgument, checkOptionNames, isOfKind, type OptionNames } from "./options.ts";
import { asSource, type ByteSource } from "./byte-source.ts";
import { blocksOf, type Block } from "./_hunk-blocks.ts";
import { linesAfter, linesBefore, SCAN, type ShownLine } from "./_hunk-lines.ts";
import { HunkWriter } from "./_hunk-writer.ts";
import type { HunkList } from "./hunk.ts";
import type { LineIndex } from "./line-index.ts";
import type { Splice } from "./splice.ts";
import { splicedSource } from "./spliced-source.ts";
import { runNow, type Steps } from "./steps.ts";

const OPTIONS: OptionNames<HunkOptions> = { context: true, budget: true, lineLength: true, lines: true };

/** A larger block is not read as a whole where not all of it is wanted. */
const BLOCK_BYTES = 1 << 20;

/** How much hunks show. With `budget` and `lineLength` of `Infinity` they are exact, whatever they cost. */
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
 *
 * @example const { hunks } = await runPaced(hunksOfSteps(bytes, splices, { context: 1 }));
 */
export function* hunksOfSteps(
  original: Uint8Array | ByteSource,
  splices: readonly Splice[],
  options: HunkOptions = {},
): Steps<HunkList> {
  const source = asSource(original);
  const { context = 3, budget = 8_000, lineLength = 1_000, lines } = options;
  const reach = lineLength === Infinity ? Infinity : SCAN;
  const blockBytes = budget === Infinity ? Infinity : BLOCK_BYTES;
  const result = splicedSource(source, splices, "");
  const blocks = blocksOf(source, result, splices, { lineLength, reach, blockBytes, lines });
  const writer = new HunkWriter(budget, lineLength);
  let shift = 0;
  for (let block = yield* nextBlock(blocks); block !== undefined;) {
    const before = block.cutBefore ? [] : linesBefore(source, block.oldFrom, context, reach);
    writer.open(block.line - before.length, block.line - before.length + shift);
    for (const line of before) writer.add(" ", line);
    for (let joined = true; joined && block !== undefined;) {
      writer.block(block);
      shift += block.newCount - block.oldCount;
      const following: Block | undefined = yield* nextBlock(blocks);
      const after: ShownLine[] = block.cutAfter
        ? []
        : linesAfter(source, block.oldTo, Infinity, context, reach);
      joined =
        following !== undefined &&
        contextStart(source, following, context, reach) <= (after.at(-1)?.to ?? block.oldTo);
      const between =
        joined && following !== undefined
          ? linesAfter(source, block.oldTo, following.oldFrom, Infinity, reach)
          : after;
      for (const line of between) writer.add(" ", line);
      block = following;
    }
    writer.close();
  }
  return writer.list();
}

function* nextBlock(blocks: Generator<Block | undefined, void, void>): Steps<Block | undefined> {
  for (let step = blocks.next(); step.done !== true; step = blocks.next()) {
    yield;
    if (step.value !== undefined) return step.value;
  }
  return undefined;
}

/** Where the context before a block begins. */
function contextStart(source: ByteSource, block: Block, context: number, reach: number): number {
  if (block.cutBefore) return block.oldFrom;
  return linesBefore(source, block.oldFrom, context, reach)[0]?.from ?? block.oldFrom;
}

/**
 * The hunks of an edit, at once; {@link hunksOfSteps} says what they are and cost. Throws `RangeError` for splices that do not
 * fit the source.
 *
 * @example renderHunks(hunksOf(bytes, splices))  // "@@ -1,3 +1,3 @@ ..."
 */
export function hunksOf(
  original: Uint8Array | ByteSource,
  splices: readonly Splice[],
  options: HunkOptions = {},
): HunkList {
  checkOptionNames(say`hunksOf`, options, OPTIONS);
  checkArgument(say`hunksOf: the splices`, splices, "array");
  if (!splices.every((splice) => isOfKind("object", splice)))
    throw badOptions(say`hunksOf: each splice must be a plain object`);
  return runNow(hunksOfSteps(original, splices, options));
}
