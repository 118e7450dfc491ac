// Owns: what a call's result is over the protocol.

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { CallResult } from "../tools/index.ts";

/**
 * Text for the model, and nothing else where a client might show that instead: what code needs travels in `_meta`. The message
 * of an error is its text, so it is not said again.
 */
export function toolResult(result: CallResult): CallToolResult {
  const images = result.images ?? [];
  const content = [
    { type: "text" as const, text: result.text },
    ...images.map(({ mimeType, base64 }) => ({ type: "image" as const, data: base64, mimeType })),
  ];
  if (!result.ok) {
    const { message: _, ...error } = result.error;
    return { content, isError: true, _meta: { "holdfast/error": error } };
  }
  const { token, replayed } = result;
  if (token === undefined) return { content };
  const meta = { "holdfast/token": token, ...(replayed === undefined ? {} : { "holdfast/replayed": true }) };
  return { content, _meta: meta };
}
