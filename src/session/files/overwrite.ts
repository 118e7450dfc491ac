// Owns: what an overwrite changes of a file's text, so that lines it leaves as they were stay the work of their record.

import { diffLinesSteps, readBytes, type ByteSource } from "../../text/index.ts";
import type { Steps } from "../../text/steps.ts";
import type { Differs } from "../content-diff.ts";

/** Beyond, all of the text counts as new: comparing must stay cheap beside the write itself. */
const COMPARED_BYTES = 256 * 1024;
const COMPARED_WORK = 250_000;

/** The {@link Differs} of an overwrite; undefined where the texts are too large to compare. */
export function* differsSteps(before: ByteSource, after: Uint8Array): Steps<Differs | undefined> {
  if (Math.max(before.size, after.length) > COMPARED_BYTES) return undefined;
  const splices = yield* diffLinesSteps(readBytes(before, 0, before.size), after, { maxWork: COMPARED_WORK });
  return splices.map(({ at, remove, insert }) => [at, remove, insert.length] as const);
}
