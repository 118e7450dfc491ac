// Owns: the files that are given to this room: by name, as bytes or text, with or without a version token.

import { echo, say, type Shown } from "../errors.ts";
import { relativePath, type WorkspacePath } from "../path/index.ts";
import { contentBytes, type FileContent } from "../text/encoding.ts";
import { badOptions, checkArgument, isOfKind } from "../text/options.ts";

/** A file as it is given: its content, and the version token it has, if tokens are used. */
export type PatchFile = FileContent | { readonly content: FileContent; readonly token?: string };

/**
 * Files by name. A patch finds them by its own spelling, by `/workspace/a/b` or by `a/b`. A file that is not there does
 * not exist.
 */
export type PatchFiles = ReadonlyMap<string, PatchFile> | { readonly [name: string]: PatchFile };

/** A file that was found. */
export interface FoundFile {
  /** The name it is given under. */
  readonly name: string;
  /** Undefined for text that cannot be encoded. */
  readonly bytes: Uint8Array | undefined;
  readonly token: string | undefined;
}

/** Throws `invalid_argument` / `bad_options` for what is no set of files. */
export function checkFiles(what: Shown, files: PatchFiles): void {
  if (!(files instanceof Map)) checkArgument(what, files, "object");
  for (const name of fileNames(files)) {
    const file = fileNamed(files, name);
    if (!isContent(file) && !(isOfKind("object", file) && isContent((file as { content?: unknown }).content)))
      throw badOptions(say`${what} has neither text nor bytes for ${echo(name)}`);
  }
}

function isContent(given: unknown): given is FileContent {
  return typeof given === "string" || given instanceof Uint8Array;
}

export function findFile(files: PatchFiles, path: WorkspacePath, spelling: string): FoundFile | undefined {
  for (const name of [spelling, path, relativePath(path)]) {
    const file = fileNamed(files, name);
    if (file === undefined) continue;
    const whole = isContent(file) ? { content: file } : file;
    return { name, bytes: contentBytes(whole.content), token: whole.token };
  }
  return undefined;
}

export function fileNamed(files: PatchFiles, name: string): PatchFile | undefined {
  if (files instanceof Map) return (files as ReadonlyMap<string, PatchFile>).get(name);
  return Object.hasOwn(files, name) ? (files as { readonly [name: string]: PatchFile })[name] : undefined;
}

export function fileNames(files: PatchFiles): string[] {
  return files instanceof Map ? [...(files as ReadonlyMap<string, PatchFile>).keys()] : Object.keys(files);
}

/** The content of a given file. */
export function contentOf(file: PatchFile): FileContent {
  return isContent(file) ? file : file.content;
}
