// Owns: the lines around the content of a JSON read: its token, and how to go on.

import { escapeUnseen } from "../../errors.ts";

/** `[Token T]`, then what is left, then the content: the same JSON, with escapes for what could make a line or turn its direction. */
export function textOfRead(token: string, more: string | undefined, content: string): string {
  return [`[Token ${token}]`, ...(more === undefined ? [] : [more]), escapeUnseen(content)].join("\n");
}

/** `[42 more keys: call again with cursor "..."]` */
export function moreLine(what: string, cursor: string): string {
  return `[${what}: call again with cursor ${JSON.stringify(cursor)}]`;
}

/** Characters that the token and the line with the cursor may take. */
export const RESERVED = 320;
