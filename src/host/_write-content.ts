// Owns: stored content on its way into files of the host.
// Must never: hold the thread for a large file.

import { writeSync } from "node:fs";
import type { FileBody } from "../session/files/file-change.ts";
import type { Content, Journal } from "../store/journal.ts";
import type { ByteSource } from "../text/byte-source.ts";
import { Pacer } from "../text/steps.ts";
import { asked } from "./_refusal.ts";
import { useStored } from "./_stored-files.ts";

const BUFFER_BYTES = 1 << 18;
const buffer = new Uint8Array(BUFFER_BYTES);

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

/** Has `write` write many files, with the bytes of each: `fd` is the file that it has opened. */
export async function writeContents<T extends FileBody>(
  journal: Journal,
  files: Iterable<T>,
  pace: Pacer,
  write: (file: T, fill: (fd: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  await useStored(journal, files, async (file, source, from) => {
    await write(file, (fd) => writePart(source, from, file.content.size, fd, pace));
    await pace.step();
  });
}

/** The buffer is shared, and another call may use it between two rounds: what is read into it is written before the next pause. */
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
