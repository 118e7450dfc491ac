// Owns: what a caller sends as a file's content: text or base64, exactly one of them, bounded.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import type { FileContent } from "../../text/encoding.ts";
import { countChars, decodeBase64 } from "../../text/index.ts";

export interface SentContent {
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
}

/** Throws `invalid_argument` when content is missing, given twice or too large. */
export function readContent({ content, content_base64: base64 }: SentContent, limits: Limits): FileContent {
  if ((content === undefined) === (base64 === undefined))
    throw new HoldfastError(
      "invalid_argument",
      "content_choice",
      say`Send either content (text) or content_base64 (bytes), exactly one of them.`,
    );
  if (content !== undefined) {
    checkSize(countChars(content), say`characters`, limits.writeSize);
    return content;
  }
  const bytes = decodeBase64(base64 ?? "");
  checkSize(bytes.length, say`bytes`, limits.writeSize);
  return bytes;
}

function checkSize(size: number, what: Shown, limit: number): void {
  if (size <= limit) return;
  throw new HoldfastError(
    "invalid_argument",
    "content_too_large",
    say`The content has ${size} ${what}; one call may send ${limit}. Write a part, then append the rest.`,
    { data: { size, limit } },
  );
}
