// Owns: a JSON document that the command line names: a file, or standard input.

import { openHostFile } from "../host/json/index.ts";
import { memorySource, type ByteSource } from "../json/index.ts";
import { about, inputBytes, STDIN } from "./input.ts";
import { Progress } from "./progress.ts";

/** What a document may cost where its owner asks: the bounds are for agents. */
export const UNBOUNDED: { readonly maxSteps: number; readonly maxMillis: number } = {
  maxSteps: Number.MAX_SAFE_INTEGER,
  maxMillis: Number.MAX_SAFE_INTEGER,
};

export async function withDocument<T>(file: string, read: (source: ByteSource) => T): Promise<T> {
  if (file === STDIN) {
    const source = memorySource(await inputBytes(file));
    return about(file, () => read(source));
  }
  return about(file, () => {
    const source = openHostFile(file);
    const progress = new Progress("Reading");
    try {
      return read(watched(source, progress));
    } finally {
      progress.end();
      source.close();
    }
  });
}

/** A source that shows how far reading is, which takes its time only where the file is large. */
function watched(source: ByteSource, progress: Progress): ByteSource {
  const { id, size } = source;
  if (size < LARGE) return source;
  return {
    id,
    size,
    read(at, into, from, length) {
      progress.show(at, size, () => `${Math.floor(at / MB)} of ${Math.floor(size / MB)} MB`);
      return source.read(at, into, from, length);
    },
  };
}

const MB = 1_000_000;
const LARGE = 10 * MB;
