// Owns: what a caller sends as a file's content: text or base64, bounded, and honest about its encoding.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import { countChars, decodeBase64, encodeText, encodingName, firstBadUtf8 } from "../../text/index.ts";

export interface SentContent {
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
  readonly encoding?: string | undefined;
}

export interface Body {
  readonly bytes: Uint8Array;
  /** Undefined when the caller left it open: then the file keeps the one it has. */
  readonly encoding: string | undefined;
}

/** Throws `invalid_argument` when content is missing, given twice, too large, or not what it is said to be. */
export function readBody(sent: SentContent, limits: Limits): Body {
  const { content, content_base64: base64 } = sent;
  if ((content === undefined) === (base64 === undefined))
    throw refuse(
      "content_choice",
      say`Send either content (text) or content_base64 (bytes), exactly one of them.`,
    );
  const encoding = encodingName(sent.encoding);
  if (content !== undefined) {
    const size = countChars(content);
    if (size > limits.writeSize) throw tooLarge(size, say`characters`, limits.writeSize);
    // A lone surrogate would silently become another character.
    if (!content.isWellFormed())
      throw refuse("not_unicode", say`content holds half a surrogate pair, which no encoding can keep.`);
    return { bytes: encodeText(content), encoding: encoding ?? "utf-8" };
  }
  const bytes = decodeBase64(base64 ?? "");
  if (bytes.length > limits.writeSize) throw tooLarge(bytes.length, say`bytes`, limits.writeSize);
  if (encoding === "utf-8") {
    const at = firstBadUtf8(bytes);
    if (at !== undefined)
      throw refuse(
        "not_utf8",
        say`The bytes are not UTF-8: byte ${at} is wrong. Leave encoding out, or send "binary".`,
      );
  }
  return { bytes, encoding };
}

function tooLarge(size: number, what: Shown, limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "content_too_large",
    say`The content has ${size} ${what}; one call may send ${limit}. Write a part, then append the rest.`,
    { data: { size, limit } },
  );
}

function refuse(reason: Lowercase<string>, message: Shown): HoldfastError {
  return new HoldfastError("invalid_argument", reason, message);
}
