// Owns: what a file is to hold, as bytes and a name of their encoding: text becomes UTF-8, and utf-8 is a promise.

import { echo, HoldfastError, say, type Shown } from "../../errors.ts";
import type { WorkspacePath } from "../../path/index.ts";
import { encodingName, firstBadUtf8, type FileContent } from "../../text/index.ts";
import type { OptionKinds } from "../../text/options.ts";
import { textBytes } from "../../text/text-bytes.ts";

/** How a file is written. */
export interface WriteOptions {
  /** Left out: the file keeps the encoding it has if the bytes allow it; a new one gets what its bytes are. */
  readonly encoding?: string | undefined;
  /** Left out: as it was; false for a new file. */
  readonly executable?: boolean | undefined;
}

export const WRITE_OPTIONS: OptionKinds<WriteOptions> = { encoding: "string", executable: "boolean" };

/** What {@link contentIn} takes, in words. */
export const PIECE_KINDS: Shown = say`a string, a Uint8Array or other view of bytes, or an ArrayBuffer`;

/** A text as it is, or the bytes of a view or a buffer; undefined for anything else. */
export function contentIn(value: unknown): FileContent | undefined {
  if (typeof value === "string" || value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

export function bytesOf(content: FileContent): Uint8Array {
  return typeof content === "string" ? textBytes(content) : content;
}

/** What the caller said, else what text is, else what the file had, else what the bytes are; never "utf-8" for others. */
export function encodingFor(
  content: FileContent,
  bytes: Uint8Array,
  options: WriteOptions,
  old: string | null,
): string {
  const said = encodingName(options.encoding);
  if (typeof content === "string") return said ?? "utf-8";
  const badAt = firstBadUtf8(bytes);
  if (said === "utf-8" && badAt !== undefined)
    throw new HoldfastError(
      "invalid_argument",
      "not_utf8",
      say`The bytes are not UTF-8: byte ${badAt} is wrong. Leave encoding out, or send "binary".`,
    );
  if (said !== undefined) return said;
  if (old !== null && (old !== "utf-8" || badAt === undefined)) return old;
  return badAt === undefined ? "utf-8" : "binary";
}

/** Text is written as UTF-8: beyond ASCII it would be other characters in a file that says that it has another encoding. */
export function refuseOtherText(path: WorkspacePath, encoding: string | null, bytes: Uint8Array): void {
  if (encoding === null || encoding === "utf-8" || encoding === "binary") return;
  if (bytes.every((byte) => byte < 0x80)) return;
  throw new HoldfastError(
    "invalid_argument",
    "not_utf8",
    say`${path} has the encoding ${echo(encoding)}, so only ASCII can be put into it as text. Write the whole file: its bytes (content_base64, or a Uint8Array in code), or its text without encoding, which makes it UTF-8.`,
  );
}

export function refuseBadUtf8(path: WorkspacePath, bytes: Uint8Array): void {
  const badAt = firstBadUtf8(bytes);
  if (badAt === undefined) return;
  throw new HoldfastError(
    "invalid_argument",
    "not_utf8",
    say`${path} is UTF-8 text and byte ${badAt} of what is to go in is not. Send whole characters, or encoding "binary" to make the file binary.`,
  );
}
