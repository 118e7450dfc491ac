// Owns: the checkpoint form of the files: a line of JSON for each file, then one for each deleted path's version.

import type { WorkspacePath } from "../../path/index.ts";
import type { Content } from "../../store/journal.ts";
import { NO_FILES, putFile, type FilesState } from "./file-state.ts";

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
  let state = NO_FILES;
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) state = addLine(state, JSON.parse(part) as FileLine | GoneLine);
  }
  return state;
}

function addLine(state: FilesState, line: FileLine | GoneLine): FilesState {
  if (line.length === 2) return { ...state, gone: state.gone.set(line[0], line[1]) };
  const [path, encoding, version, created, updated, seq, hash, content, dead] = line;
  return putFile(state, {
    path: path as WorkspacePath,
    encoding,
    version,
    content,
    created: new Date(created),
    updated: new Date(updated),
    at: { seq, hash },
    dead,
  });
}
