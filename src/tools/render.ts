// Owns: step 9: the parts of an answer that no tool should have to think of.

import type { Shown } from "../errors.ts";
import { cutText } from "../text/index.ts";
import type { CallDone } from "./result.ts";
import type { Tool } from "./tool.ts";

/** What a call returns for a value. */
export function rendered(tool: Tool, value: unknown, input: unknown, budget: number): CallDone {
  const token = tokenIn(value);
  const text = render(tool, value, input, budget);
  return { ok: true, text, value, ...(token === undefined ? {} : { token }) };
}

/** The text of a value, cut to the budget when the tool could not keep within it. */
function render(tool: Tool, value: unknown, input: unknown, budget: number): string {
  const text = tool.text(value, input, budget);
  if (text.length <= budget) return text;
  const { text: kept, cut } = cutText(text, budget);
  if (cut === undefined) return text;
  return `${kept}\n[Cut: ${cut.chars} more characters. Ask for less, or with a larger budget.]`;
}

/** The token that a reading tool put into its value. */
export function tokenIn(value: unknown): Shown | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { token } = value as { token?: unknown };
  return typeof token === "string" ? (token as Shown) : undefined;
}

/** The value with fields that are known only after the commit. */
export function withFields(value: unknown, fields: Readonly<Record<string, unknown>>): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? { ...value, ...fields }
    : value;
}
