// Owns: step 9: the parts of an answer that no tool should have to think of.

import type { Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { cutText } from "../text/index.ts";
import { plural } from "../text/plural.ts";
import type { CallDone } from "./result.ts";
import type { Tool } from "./tool.ts";

/** What a call returns for a value, its text within the budget. */
export function rendered(tool: Tool, value: unknown, input: unknown, frame: Frame): CallDone {
  const token = tokenIn(value);
  const text = render(tool, value, input, frame);
  return { ok: true, text, value, ...(token === undefined ? {} : { token }) };
}

/** How long a text may be now, and at most. */
interface Frame {
  readonly budget: number;
  readonly limits: Pick<Limits, "budgetChars">;
}

/** Fields of a value without which a caller cannot go on. */
const NEEDED = ["token", "cursor", "pageToken"] as const;

/** The text of a value, cut to the budget when the tool could not keep within it; never what is needed to go on. */
function render(tool: Tool, value: unknown, input: unknown, { budget, limits }: Frame): string {
  const text = tool.text(value, input, budget);
  if (text.length <= budget) return text;
  const needed = neededIn(value);
  const { text: start, cut } = cutText(text, Math.max(0, budget - needed.length));
  if (cut === undefined) return text;
  const larger = "budget" in tool.input.shape && budget < limits.budgetChars;
  return `${start}\n[Cut: ${plural(cut.chars, "more character")}. Ask for less${larger ? ", or with a larger budget" : ""}.]${needed}`;
}

function neededIn(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const fields = value as Readonly<Record<string, unknown>>;
  const lines = NEEDED.filter((name) => typeof fields[name] === "string").map(
    (name) => `\n[${name} ${String(fields[name])}]`,
  );
  return lines.join("");
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
