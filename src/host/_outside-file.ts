// Owns: the bytes of a file that others may write: comparing them with stored content, and taking them in.
// Must never: hold more than two buffers of a file, or take a mixture of two states for its content.

import { closeSync, fstatSync, readSync } from "node:fs";
import { blobContent } from "../session/content.ts";
import type { FileBody } from "../session/files/file-change.ts";
import type { Content, Journal } from "../store/journal.ts";
import type { ByteSource } from "../text/byte-source.ts";
import type { Pacer } from "../text/steps.ts";
import { Utf8Validator } from "../text/utf8.ts";
import { isSamePrint, printOf, type Print } from "./_stat-index.ts";
import type { PinnedFile } from "./pinned-directory.ts";

const BUFFER_BYTES = 1 << 18;

/** A file that was taken in: its bytes are staged. */
export interface OutsideBody extends FileBody {
  readonly encoding: "utf-8" | "binary";
  readonly print: Print;
}

export function isExecutable({ mode }: { readonly mode: bigint }): boolean {
  return (mode & 0o100n) !== 0n;
}

/** Does an open file hold exactly this content? */
export async function holdsContent(
  journal: Journal,
  file: PinnedFile,
  content: Content,
  pace: Pacer,
): Promise<boolean> {
  const source = await journal.source(content);
  try {
    return await holdsPart(file, source, 0, content.size, pace);
  } finally {
    source.close();
  }
}

/** The same for content that lies in a source from `from` on. */
export async function holdsPart(
  { fd, stat }: PinnedFile,
  source: ByteSource,
  from: number,
  size: number,
  pace: Pacer,
): Promise<boolean> {
  if (stat.size !== BigInt(size)) return false;
  const most = Math.min(BUFFER_BYTES, size);
  const [ours, theirs] = [Buffer.allocUnsafe(most), Buffer.allocUnsafe(most)];
  for (let at = 0; at < size;) {
    const got = readSync(fd, theirs, 0, Math.min(most, size - at), at);
    if (got === 0) return false;
    source.read(from + at, ours, 0, got);
    if (ours.compare(theirs, 0, got, 0, got) !== 0) return false;
    at += got;
    await pace.step();
  }
  return isSamePrint(stat, fstatSync(fd, { bigint: true }));
}

/** Stages the bytes of an open file; undefined when it changed meanwhile. */
export async function stageFile(
  journal: Journal,
  { fd, stat }: PinnedFile,
  pace: Pacer,
): Promise<OutsideBody | undefined> {
  const size = Number(stat.size);
  const check = new Utf8Validator();
  let done = 0;
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    while (done < size) {
      const piece = Buffer.allocUnsafe(Math.min(BUFFER_BYTES, size - done));
      const got = readSync(fd, piece, 0, piece.length, done);
      if (got === 0) return;
      done += got;
      check.push(piece.subarray(0, got));
      yield piece.subarray(0, got);
      await pace.step();
    }
  }
  const blob = size === 0 ? "" : await journal.stage(pieces());
  const print = printOf(fstatSync(fd, { bigint: true }));
  if (done < size || !isSamePrint(stat, print)) return undefined;
  const encoding = check.end() === undefined ? "utf-8" : "binary";
  return { content: blobContent(blob, size), encoding, executable: isExecutable(stat), print };
}

/** Uses an open file and closes it. */
export async function using<T>(file: PinnedFile, use: (file: PinnedFile) => Promise<T>): Promise<T> {
  try {
    return await use(file);
  } finally {
    closeSync(file.fd);
  }
}
