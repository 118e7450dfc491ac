// Owns: what a tool that writes returned, as it is stored for a retry: both the first result and a replay are rendered from that.

import { takeFromCode } from "../text/code-json.ts";
import type { Json } from "../value.ts";
import type { Tool } from "./tool.ts";

/**
 * The output as plain JSON data: a field that is undefined is left out, any other `undefined` is null. Throws a TypeError for what JSON has no form for, before anything is written: its
 * type would be another one when the call is sent again.
 */
export function takeOutput({ name }: Tool, output: unknown): Json {
  return takeFromCode(output, `what "${name}" returns`, { undefinedAsNull: true });
}
