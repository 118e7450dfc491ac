// Owns: what a caller sends as a file's content: text or base64, exactly one of them, bounded.

import { HoldfastError, say, type Shown } from "../../errors.ts";
import type { Limits } from "../../limits.ts";
import type { FileContent } from "../../text/encoding.ts";
import { decodeBase64 } from "../../text/index.ts";

export interface SentContent {
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
}

/** How to send more than one call may. */
export const SPLIT_CONTENT: Shown = say`Write a part, then append the rest.`;

/** Throws `invalid_argument` when content is missing or given twice, or its bytes are too many; the call path counts characters. */
export function readContent({ content, content_base64: base64 }: SentContent, limits: Limits): FileContent {
  if ((content === undefined) === (base64 === undefined))
    throw new HoldfastError(
      "invalid_argument",
      "content_choice",
      say`Send either content (text) or content_base64 (bytes), exactly one of them.`,
    );
  if (content !== undefined) return content;
  const bytes = decodeBase64(base64 ?? "");
  if (bytes.length > limits.writeSize) throw tooManyBytes(bytes.length, limits.writeSize);
  return bytes;
}

function tooManyBytes(size: number, limit: number): HoldfastError {
  return new HoldfastError(
    "invalid_argument",
    "content_too_large",
    say`The content has ${size} bytes; one call may send ${limit}. ${SPLIT_CONTENT}`,
    { data: { size, limit } },
  );
}
