// Owns: the lines that offsets of a document are on.

import type { ByteSource } from "../../text/byte-source.ts";
import type { Steps } from "../../text/steps.ts";
import { openScanner } from "../scan/open.ts";
import { settle } from "../scan/scanner.ts";
import type { ReadOptions } from "./read-options.ts";

/**
 * The line of each offset, from 1; lines end with LF. Of a large document that was looked at before, each costs a scan of
 * one stride; otherwise line breaks are counted from the start.
 *
 * @example const [line] = await runPaced(lineNumbersSteps(source, [120]));
 */
export function* lineNumbersSteps(
  source: ByteSource,
  offsets: Iterable<number>,
  options: Pick<ReadOptions, "indexes" | "pauseEvery"> = {},
): Steps<number[]> {
  const scanner = openScanner(source, options);
  const lines: number[] = [];
  for (const offset of offsets) lines.push((yield* settle(scanner, scanner.lines(offset))) + 1);
  return lines;
}
