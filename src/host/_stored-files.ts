// Owns: opening the stored content of many files at once.

import type { BlobId, Content, Journal } from "../store/journal.ts";
import type { ByteSource } from "../text/byte-source.ts";

/** Files whose content is opened at once, and the blobs that may be open for them. */
const BATCH_FILES = 512;
const BATCH_BLOBS = 32;

interface Stored {
  readonly content: Content;
}

/** Uses files with their stored bytes, which begin at `from` of the source. Stored blobs are opened once for many files. */
export async function useStored<T extends Stored>(
  journal: Journal,
  files: Iterable<T>,
  use: (file: T, source: ByteSource, from: number) => Promise<void>,
): Promise<void> {
  for (const batch of batchesOf(files)) {
    const size = batch.reduce((sum, { content }) => sum + content.size, 0);
    const source = await journal.source({ size, extents: batch.flatMap(({ content }) => content.extents) });
    try {
      let from = 0;
      for (const file of batch) {
        await use(file, source, from);
        from += file.content.size;
      }
    } finally {
      source.close();
    }
  }
}

function* batchesOf<T extends Stored>(files: Iterable<T>): Generator<readonly T[], void, undefined> {
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
