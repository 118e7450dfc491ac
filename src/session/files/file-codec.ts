// Owns: the checkpoint form of the files: a line of JSON for each file, then one for each path with a grave.

import type { WorkspacePath } from "../../path/index.ts";
import type { Content } from "../../store/journal.ts";
import type { FileId } from "./file-change.ts";
import { FilesBuilder, pathOfKey, type FileEntry, type FilesState, type Grave } from "./file-state.ts";

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
  /** Absent in checkpoints from before files had one: then the path is the id, and the file is not executable. */
  id?: FileId,
  executable?: 0 | 1,
];
/** The id is absent in the same checkpoints. */
type GraveLine = readonly [key: string, version: number, id?: FileId | null];

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

function* lines(state: FilesState): Generator<FileLine | GraveLine, void, undefined> {
  for (const [, file] of state.files.entries()) {
    const { path, encoding, version, at, content, dead, id } = file;
    const [created, updated] = [file.created.getTime(), file.updated.getTime()];
    const executable = file.executable ? 1 : 0;
    yield [path, encoding, version, created, updated, at.seq, at.hash, content, dead, id, executable];
  }
  for (const [key, { version, id }] of state.graves.entries()) yield [key, version, id];
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
    const lines = JSON.parse(`[${text.slice(0, end - 1).replaceAll("\n", ",")}]`) as (FileLine | GraveLine)[];
    for (const line of lines) {
      if (isGrave(line)) builder.addGrave(line[0], graveOf(line));
      else builder.add(entryOf(line));
    }
  }
  return builder.build();
}

function isGrave(line: FileLine | GraveLine): line is GraveLine {
  return line.length <= 3;
}

function graveOf([key, version, id = pathOfKey(key)]: GraveLine): Grave {
  return { version, id };
}

function entryOf(line: FileLine): FileEntry {
  const [path, encoding, version, created, updated, seq, hash, content, dead, id = path, executable] = line;
  const born = new Date(created);
  return {
    id,
    path: path as WorkspacePath,
    encoding,
    executable: executable === 1,
    version,
    content,
    created: born,
    updated: updated === created ? born : new Date(updated),
    at: { seq, hash },
    dead,
  };
}
