// Owns: passes over a whole file that a read needs, in steps that yield.

import { textKindSteps, windowsOf, type ByteSource } from "../../text/index.ts";
import { LF } from "../../text/lines.ts";
import { Pacer, runPaced } from "../../text/steps.ts";

/** Where line `line` (from 1) begins, or how many lines there are when it does not exist. Line 1 always exists. */
export async function lineStart(
  source: ByteSource,
  line: number,
  signal: AbortSignal,
): Promise<{ readonly at: number } | { readonly lines: number }> {
  if (line === 1) return { at: 0 };
  const pace = new Pacer(signal);
  let seen = 1;
  let last = 0;
  for (const { at, bytes } of windowsOf(source, 0)) {
    for (let i = bytes.indexOf(LF); i >= 0; i = bytes.indexOf(LF, i + 1)) {
      last = at + i + 1;
      if (++seen === line && last < source.size) return { at: last };
    }
    await pace.step();
  }
  return { lines: last === source.size && seen > 1 ? seen - 1 : seen };
}

/** Whether the bytes are text to be shown as such: declared UTF-8 was checked when written; anything else is looked at. */
export async function isTextFile(
  source: ByteSource,
  encoding: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (encoding === "utf-8") return true;
  if (encoding === "binary") return false;
  return (await runPaced(textKindSteps(source), signal)).encoding === "utf-8";
}
