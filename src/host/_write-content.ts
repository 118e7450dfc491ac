// Owns: stored content on its way into files of the host.
// Must never: hold the thread for a large file.

import { writeSync } from "node:fs";
import type { FileBody } from "../session/files/file-change.ts";
import type { BlobId, Content, Journal } from "../store/journal.ts";
import type { ByteSource } from "../text/byte-source.ts";
import { Pacer } from "../text/steps.ts";
import { asked } from "./_refusal.ts";

const BUFFER_BYTES = 1 << 18;
const buffer = new Uint8Array(BUFFER_BYTES);
/** Files whose content is opened at once, and the blobs that may be open for them. */
const BATCH_FILES = 512;
const BATCH_BLOBS = 32;

/** Writes content to an open file. */
export async function writeContent(journal: Journal, fd: number, content: Content): Promise<void> {
  if (content.size === 0) return;
  const source = await journal.source(content);
  try {
    await writePart(source, 0, content.size, fd, new Pacer());
  } finally {
    source.close();
  }
}

/** Has `write` write many files, with the bytes of each: `fd` is the file that it has opened. Stored blobs are opened once for many files. */
export async function writeContents<T extends FileBody>(
  journal: Journal,
  files: Iterable<T>,
  pace: Pacer,
  write: (file: T, fill: (fd: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  for (const batch of batchesOf(files)) {
    const size = batch.reduce((sum, { content }) => sum + content.size, 0);
    const source = await journal.source({ size, extents: batch.flatMap(({ content }) => content.extents) });
    try {
      let at = 0;
      for (const file of batch) {
        const from = at;
        await write(file, (fd) => writePart(source, from, file.content.size, fd, pace));
        at += file.content.size;
        await pace.step();
      }
    } finally {
      source.close();
    }
  }
}

function* batchesOf<T extends FileBody>(files: Iterable<T>): Generator<readonly T[], void, undefined> {
  let batch: T[] = [];
  let blobs = new Set<BlobId>();
  for (const file of files) {
    batch.push(file);
    for (const [blob] of file.content.extents) blobs.add(blob);
    if (batch.length < BATCH_FILES && blobs.size < BATCH_BLOBS) continue;
    yield batch;
    [batch, blobs] = [[], new Set()];
  }
  if (batch.length > 0) yield batch;
}

/** The buffer is anybody's between two rounds: what is read into it is written before the next pause. */
async function writePart(
  source: ByteSource,
  from: number,
  size: number,
  fd: number,
  pace: Pacer,
): Promise<void> {
  for (let at = 0; at < size;) {
    const length = source.read(from + at, buffer, 0, Math.min(BUFFER_BYTES, size - at));
    for (let done = 0; done < length;) {
      const from = done;
      done += asked(() => writeSync(fd, buffer, from, length - from));
    }
    at += length;
    if (at < size) await pace.step();
  }
}

/** Mode bits of a new file, before the umask. */
export function modeOf({ executable }: { readonly executable: boolean }): number {
  return executable ? 0o777 : 0o666;
}
