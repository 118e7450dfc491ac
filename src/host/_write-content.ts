// Owns: stored content on its way into a file of the host.

import { writeSync } from "node:fs";
import type { Content, Journal } from "../store/journal.ts";

const BUFFER_BYTES = 1 << 18;
const buffer = new Uint8Array(BUFFER_BYTES);

/** Writes content to an open file. Bytes that are stored in one place are read once. */
export async function writeContent(journal: Journal, fd: number, content: Content): Promise<void> {
  if (content.size === 0) return;
  const source = await journal.source(content);
  try {
    for (let at = 0; at < content.size;) {
      const length = source.read(at, buffer, 0, Math.min(BUFFER_BYTES, content.size - at));
      for (let done = 0; done < length;) done += writeSync(fd, buffer, done, length - done);
      at += length;
    }
  } finally {
    source.close();
  }
}

/** Mode bits of a new file, before the umask. */
export function modeOf({ executable }: { readonly executable: boolean }): number {
  return executable ? 0o777 : 0o666;
}
