// Owns: text or binary, the names of encodings, and the way between bytes and text that keeps a BOM.
// Must never: decode what is not valid. Bytes that are not UTF-8 are binary, whatever they claim to be.

import { echo, HoldfastError, say } from "../errors.ts";
import { bomOf, type BomEncoding } from "./bom.ts";
import { asSource, readBytes, windowsOf, type ByteSource } from "./byte-source.ts";
import { checkArgument } from "./options.ts";
import { firstBadUtf8, Utf8Validator } from "./utf8.ts";
import { runNow, type Steps } from "./steps.ts";

const NAME_LENGTH = 64;
const WINDOWS_PER_STEP = 16;
const BOM_TEXT = "\ufeff";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * An encoding as a caller names it, trimmed and lower-cased; `utf8` is `utf-8`. A name we do not know is kept: it is a
 * hint for who reads the file. Nothing, or blanks, means `inherited`. Throws `invalid_argument` /
 * `encoding_bad_name` for a name that is too long, or other than ASCII letters, digits and `-_.:`.
 *
 * @example encodingName(" UTF8 ")  // "utf-8"
 */
export function encodingName(name: string | null | undefined, inherited?: string): string | undefined {
  const plain = (name ?? "").trim().toLowerCase();
  if (plain === "") return inherited;
  if (plain.length > NAME_LENGTH || !/^[a-z0-9_.:-]*$/.test(plain))
    throw new HoldfastError(
      "invalid_argument",
      "encoding_bad_name",
      say`The encoding ${echo(plain)} is no name: at most ${NAME_LENGTH} ASCII letters, digits and -_.: make one. Send "utf-8", or leave it out.`,
    );
  return plain === "utf8" ? "utf-8" : plain;
}

/** What bytes turned out to be. */
export type TextKind =
  | {
      /** All of it is UTF-8. */
      readonly encoding: "utf-8";
      /** Whether it begins with a byte order mark. */
      readonly bom: boolean;
    }
  | {
      /** Not UTF-8. */
      readonly encoding: "binary";
      /** The first byte that is not UTF-8. */
      readonly badAt: number;
      /** What a mark at the start says it is. */
      readonly looksLike: BomEncoding | undefined;
    };

/**
 * Finds out in one pass whether a source is UTF-8 text. Steps of about 1 MiB; {@link textKind} runs them all.
 *
 * @example const kind = await runPaced(textKindSteps(bytes));
 */
export function* textKindSteps(input: Uint8Array | ByteSource): Steps<TextKind> {
  const source = asSource(input);
  const check = new Utf8Validator();
  let windows = 0;
  for (const { bytes } of windowsOf(source)) {
    if (!check.push(bytes)) break;
    if (++windows % WINDOWS_PER_STEP === 0) yield;
  }
  const badAt = check.end();
  const mark = bomOf(readBytes(source, 0, 4))?.encoding;
  if (badAt === undefined) return { encoding: "utf-8", bom: mark === "utf-8" };
  return { encoding: "binary", badAt, looksLike: mark };
}

/**
 * {@link textKindSteps} at once: reads all of the source, about a millisecond for each megabyte.
 *
 * @example textKind(bytes).encoding  // "utf-8", or "binary" with what a BOM says it looks like
 */
export function textKind(input: Uint8Array | ByteSource): TextKind {
  return runNow(textKindSteps(input));
}

/** A text without its BOM, or the offset from which on the bytes are not UTF-8. */
export type DecodedText =
  | {
      /** All of it is UTF-8. */
      readonly ok: true;
      /** The text, without a byte order mark. */
      readonly text: string;
      /** Whether there was one. */
      readonly bom: boolean;
    }
  | {
      /** Not UTF-8. */
      readonly ok: false;
      /** The first byte that is not. */
      readonly badAt: number;
    };

/**
 * The text of UTF-8 bytes, its BOM told apart; or where they stop being UTF-8. Never replaces a byte. Cost: linear.
 *
 * @example
 * const decoded = decodeText(bytes);
 * if (decoded.ok) console.log(decoded.text);
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  checkArgument(say`decodeText: what is decoded`, bytes, "bytes");
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, badAt: firstBadUtf8(bytes) ?? 0 };
  }
  const bom = text.startsWith(BOM_TEXT);
  return { ok: true, text: bom ? text.slice(1) : text, bom };
}

/** What a file is to hold: text becomes UTF-8. */
export type FileContent = string | Uint8Array;

/**
 * The bytes of a file's content; undefined if the text holds half of a surrogate pair, which has none and would silently become
 * another character. Bytes are returned as they are.
 *
 * @example contentBytes("é") // the bytes C3 A9
 */
export function contentBytes(content: FileContent): Uint8Array | undefined {
  if (typeof content !== "string") return content;
  return content.isWellFormed() ? encodeText(content) : undefined;
}

/**
 * The bytes of a text, with its BOM put back. A lone surrogate, which no bytes stand for, becomes U+FFFD.
 *
 * @example encodeText("a", true)  // ef bb bf 61
 */
export function encodeText(text: string, bom = false): Uint8Array {
  checkArgument(say`encodeText: the text`, text, "string");
  return encoder.encode(bom ? BOM_TEXT + text : text);
}
