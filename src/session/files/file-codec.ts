// Owns: the checkpoint form of the files: a line of JSON for each file, then one for each deleted path's version.

import type { WorkspacePath } from "../../path/index.ts";
import type { Content } from "../../store/journal.ts";
import { FilesBuilder, type FileEntry, type FilesState } from "./file-state.ts";

type FileLine = readonly [
  path: string,
  encoding: string | null,
  version: number,
  created: number,
  updated: number,
  seq: number,
  hash: string,
  content: Content,
  dead: number,
];
type GoneLine = readonly [key: string, version: number];

const CHUNK = 64 * 1024;

export function* encodeFiles(state: FilesState): Generator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let text = "";
  for (const line of lines(state)) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < CHUNK) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}

function* lines(state: FilesState): Generator<FileLine | GoneLine, void, undefined> {
  for (const [, file] of state.files.entries()) {
    const { path, encoding, version, created, updated, at, content, dead } = file;
    yield [path, encoding, version, created.getTime(), updated.getTime(), at.seq, at.hash, content, dead];
  }
  for (const [key, version] of state.gone.entries()) yield [key, version];
}

export async function decodeFiles(chunks: AsyncIterable<Uint8Array>): Promise<FilesState> {
  const decoder = new TextDecoder();
  const builder = new FilesBuilder();
  let rest = "";
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    if (end === 0) continue;
    // One parse for many lines costs a third of one each.
    const lines = JSON.parse(`[${text.slice(0, end - 1).replaceAll("\n", ",")}]`) as (FileLine | GoneLine)[];
    for (const line of lines) {
      if (line.length === 2) builder.addGone(...line);
      else builder.add(entryOf(line));
    }
  }
  return builder.build();
}

function entryOf(line: FileLine): FileEntry {
  const [path, encoding, version, created, updated, seq, hash, content, dead] = line;
  const born = new Date(created);
  return {
    path: path as WorkspacePath,
    encoding,
    version,
    content,
    created: born,
    updated: updated === created ? born : new Date(updated),
    at: { seq, hash },
    dead,
  };
}
