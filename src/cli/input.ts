// Owns: what commands read and write: files that the command line names, and standard input where it says `-`.

import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { echo, HoldfastError, say } from "../errors.ts";
import { FileError, UsageError } from "./usage-error.ts";

/** Standard input, in the place of a file's name. */
export const STDIN = "-";

/** The bytes of a file, or of standard input. */
export async function inputBytes(file: string): Promise<Uint8Array> {
  if (file === STDIN) return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch (cause) {
    throw new FileError(file, unreadable(cause));
  }
}

/** {@link inputBytes} as text. */
export async function inputText(file: string): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await inputBytes(file));
}

/** A file that must hold JSON, such as a configuration. */
export async function inputJson(file: string): Promise<unknown> {
  return parseJson(await inputText(file), file === STDIN ? "Standard input" : file);
}

/** JSON that was typed or read. `what` begins the sentence when it is not. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${(error as Error).message}`);
  }
}

/** Runs what may be refused, with the file's name in front of the refusal. */
export async function about<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (HoldfastError.is(error)) throw new FileError(file === STDIN ? "standard input" : file, error);
    throw error;
  }
}

/** Runs what writes a file, with its name in front of what the system refuses. */
export async function written<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw cause;
    throw new FileError(file, unwritable(code, cause));
  }
}

function unwritable(code: string, cause: unknown): HoldfastError {
  if (code === "ENOSPC" || code === "EDQUOT")
    return new HoldfastError("internal", "no_space", say`There is no room left on the disk.`, { cause });
  if (code === "ENOENT" || code === "ENOTDIR")
    return new HoldfastError("not_found", "no_such_directory", say`There is no such directory to write to.`, {
      cause,
    });
  return new HoldfastError("forbidden", "not_writable", say`It cannot be written (${echo(code)}).`, {
    cause,
  });
}

function unreadable(cause: unknown): HoldfastError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR")
    return new HoldfastError("not_found", "no_such_file", say`There is no such file.`, { cause });
  if (code === "EISDIR")
    return new HoldfastError("invalid_argument", "not_a_file", say`This is a directory, not a file.`, {
      cause,
    });
  return new HoldfastError("forbidden", "not_readable", say`The file cannot be read.`, { cause });
}
