// Owns: step 9: the parts of a result that no tool should have to think of.

import type { Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { cutText } from "../text/index.ts";
import { plural } from "../text/plural.ts";
import { rebaseNotices, type RebasedFile } from "./rebased-files.ts";
import type { CallDone } from "./result.ts";
import type { Tool } from "./tool.ts";

/** What a call returns for a value, its text within the budget. */
export function rendered(tool: Tool, value: unknown, input: unknown, frame: Frame): CallDone {
  const token = tokenIn(value);
  const notices = noticesIn(value);
  const own = render(tool, value, input, { ...frame, budget: frame.budget - notices.length });
  const images = tool.images?.(value) ?? [];
  return {
    ok: true,
    text: own + notices,
    value,
    ...(images.length === 0 ? {} : { images }),
    ...(token === undefined ? {} : { token }),
  };
}

/** How long a text may be now, and at most. */
interface Frame {
  readonly budget: number;
  readonly limits: Pick<Limits, "budgetChars">;
}

/** Fields of a value without which a caller cannot go on. */
const NEEDED = ["token", "cursor", "pageToken"] as const;

type Needed = readonly [name: string, value: string];

/** The text of a value, cut to the budget when the tool could not keep within it; never what is needed to go on. */
function render(tool: Tool, value: unknown, input: unknown, { budget, limits }: Frame): string {
  const text = tool.text(value, input, budget);
  if (text.length <= budget) return text;
  const needed = neededIn(value);
  const larger = "budget" in tool.input.shape && budget < limits.budgetChars;
  const advice = `Ask for less${larger ? ", or with a larger budget" : ""}`;
  const tail = (chars: number, rest: readonly Needed[]): string =>
    [
      `[Cut: ${plural(chars, "more character")}. ${advice}.]`,
      ...rest.map((one) => `[${one.join(" ")}]`),
    ].join("\n");
  const { text: start, cut } = cutText(text, Math.max(0, budget - tail(text.length, needed).length - 1));
  if (cut === undefined) return text;
  const gap = start === "" || start.endsWith("\n") ? "" : "\n";
  return `${start}${gap}${tail(
    cut.chars,
    needed.filter(([, needs]) => !start.includes(needs)),
  )}`;
}

/** What is said after every text: here, where the caller's edit was rebased. */
function noticesIn(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const { rebased } = value as { rebased?: readonly RebasedFile[] };
  return Array.isArray(rebased)
    ? rebaseNotices(rebased)
        .map((line) => `\n${line}`)
        .join("")
    : "";
}

function neededIn(value: unknown): Needed[] {
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Readonly<Record<string, unknown>>;
  return NEEDED.flatMap((name) => {
    const needs = fields[name];
    return typeof needs === "string" ? [[name, needs] as const] : [];
  });
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
