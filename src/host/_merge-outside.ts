// Owns: the text of a file that was changed in the session and outside at once.

import { blobContent } from "../session/content.ts";
import type { FileBody } from "../session/files/file-change.ts";
import type { SessionCore } from "../session/transact.ts";
import { applySplices, diffLinesSteps, readBytes } from "../text/index.ts";
import { mergeSplices } from "../text/merge-splices.ts";
import type { Content } from "../store/journal.ts";
import type { Pacer } from "../text/steps.ts";

/**
 * What both made of `base`: all that the outside changed, and of what the session changed, what touches none of it. The outside
 * whole, where one of them is too large to compare, or none was there before.
 */
export async function mergeOutside(
  core: SessionCore,
  base: FileBody | undefined,
  session: FileBody,
  outside: FileBody,
  pace: Pacer,
): Promise<FileBody> {
  const { diffBytes } = core.limits;
  const bodies = [base, session, outside];
  if (base === undefined || bodies.some((body) => body === undefined || body.content.size > diffBytes))
    return outside;
  const [old, ours, theirs] = [
    await bytesIn(core, base.content),
    await bytesIn(core, session.content),
    await bytesIn(core, outside.content),
  ];
  const made = await pace.run(diffLinesSteps(old, theirs));
  const own = await pace.run(diffLinesSteps(old, ours));
  const splices = mergeSplices(made, own);
  const executable = outside.executable === base.executable ? session.executable : outside.executable;
  if (splices.length === made.length) return { ...outside, executable };
  const merged = applySplices(old, splices);
  const blob = merged.length === 0 ? "" : await core.journal.stage(merged);
  return { content: blobContent(blob, merged.length), encoding: outside.encoding, executable };
}

async function bytesIn({ journal }: SessionCore, content: Content): Promise<Uint8Array> {
  const source = await journal.source(content);
  try {
    return readBytes(source, 0, content.size);
  } finally {
    source.close();
  }
}
