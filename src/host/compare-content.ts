// Owns: comparing stored contents: equal or not, what differs, and how a side of a conflict is shown.

import type { ContentSplice } from "../session/content.ts";
import { withContentDiff } from "../session/content-diff.ts";
import type { FileBody } from "../session/files/file-change.ts";
import type { SessionCore } from "../session/transact.ts";
import type { Content, Journal } from "../store/journal.ts";
import { EXTENTS, readBytes } from "../text/index.ts";
import { splicesTo } from "../text/splice.ts";
import { areStoredAlike } from "../text/spliceable.ts";
import type { Pacer } from "../text/steps.ts";

/** One side of a conflict. */
export interface TextSide {
  /** Bytes. */
  readonly size: number;
  /** Its text; absent where it is not UTF-8 or has more than `diffBytes`. */
  readonly text?: string;
}

const PIECE = 1 << 18;

/** Have two contents the same bytes? Nothing is read where they are stored alike. */
export async function hasSameBytes(journal: Journal, a: Content, b: Content, pace: Pacer): Promise<boolean> {
  if (a.size !== b.size) return false;
  if (areStoredAlike(a.extents, b.extents)) return true;
  const left = await journal.source(a);
  try {
    const right = await journal.source(b);
    try {
      for (let at = 0; at < a.size; at += PIECE) {
        if (Buffer.compare(readBytes(left, at, PIECE), readBytes(right, at, PIECE)) !== 0) return false;
        await pace.step();
      }
      return true;
    } finally {
      right.close();
    }
  } finally {
    left.close();
  }
}

/** Whole-line splices from one stored content to another; one splice of all where they are too large to compare. */
export async function contentChanges(
  { journal, limits }: SessionCore,
  before: Content,
  after: Content,
  pace: Pacer,
): Promise<ContentSplice[]> {
  const { diffBytes } = limits;
  return withContentDiff(journal, before, after, diffBytes, pace, async ({ splices }) => {
    if (splices === undefined) return [{ at: 0, remove: before.size, insert: after.extents }];
    const differs = splices.map(({ at, remove, insert }) => [at, remove, insert.length] as const);
    return splicesTo(after.extents, differs, EXTENTS);
  });
}

export async function sideOf(
  { journal, limits }: SessionCore,
  body: FileBody | undefined,
): Promise<TextSide | null> {
  if (body === undefined) return null;
  const { size } = body.content;
  if (size > limits.diffBytes) return { size };
  const source = await journal.source(body.content);
  try {
    const text = utf8Text(readBytes(source, 0, size));
    return { size, ...(text === undefined ? {} : { text }) };
  } finally {
    source.close();
  }
}

/** Undefined for what is not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
