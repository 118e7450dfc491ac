// Owns: changes of files, made from what the files are: the one place that knows which parts each kind of change has.
// Must never: look at a state. Whether a change can be made is for `apply-file-change.ts`.

import { EXTENTS, removedBy } from "../../text/index.ts";
import { spliceContent, type ContentSplice } from "../content.ts";
import type { Differs } from "../../text/splice.ts";
import type { FileBody, FileChange, FileId } from "./file-change.ts";

/** A file as it is before a change, or as a creation makes it. */
interface ChangedFile extends FileBody {
  readonly id: FileId;
  readonly path: string;
}

interface DatedFile extends ChangedFile {
  readonly created: Date | string;
}

export function bodyOf({ content, encoding, executable }: FileBody): FileBody {
  return { content, encoding, executable };
}

/** `last` is where a file of this id was last. */
export function creationOf(file: DatedFile, last: string = file.path): FileChange {
  const { id, path, created } = file;
  const from = last === path ? {} : { from: last };
  return { slice: "files", op: "create", id, path, ...from, body: bodyOf(file), created: timeOf(created) };
}

export function deletionOf(file: DatedFile): FileChange {
  const { id, path, created } = file;
  return { slice: "files", op: "delete", id, path, body: bodyOf(file), created: timeOf(created) };
}

export function moveOf({ id, path }: Pick<ChangedFile, "id" | "path">, to: string): FileChange {
  return { slice: "files", op: "move", id, path, to };
}

/** Gives a file another body. All of its text is new where what differs is not known. */
export function replacementOf(file: ChangedFile, after: FileBody, differs?: Differs): FileChange {
  const { id, path } = file;
  return { slice: "files", op: "replace", id, path, before: bodyOf(file), after: bodyOf(after), differs };
}

/** What of a body is not text. */
type TextKind = Omit<FileBody, "content">;

/** Changes a file's text, and its encoding or mode where they become others: only a replacement can say that. */
export function spliceOf(file: ChangedFile, splices: readonly ContentSplice[], after: TextKind): FileChange {
  const { id, path, content } = file;
  if (isSameKind(file, after)) {
    const removed = removedBy(content.extents, splices, EXTENTS);
    return { slice: "files", op: "splice", id, path, splices, removed };
  }
  const differs = splices.map(({ at, remove, insert }) => [at, remove, EXTENTS.length(insert)] as const);
  return replacementOf(file, { ...after, content: spliceContent(content, splices) }, differs);
}

/** The same as a list: empty where nothing would change. */
export function bodyChanges(
  file: ChangedFile,
  splices: readonly ContentSplice[],
  after: TextKind,
): FileChange[] {
  return splices.length === 0 && isSameKind(file, after) ? [] : [spliceOf(file, splices, after)];
}

function isSameKind(a: TextKind, b: TextKind): boolean {
  return a.encoding === b.encoding && a.executable === b.executable;
}

function timeOf(created: Date | string): string {
  return typeof created === "string" ? created : created.toISOString();
}
