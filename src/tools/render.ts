// Owns: step 9: the parts of a result that no tool should have to think of.

import type { Shown } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { OutsideNotes } from "../session/outside.ts";
import { cutText } from "../text/index.ts";
import { plural } from "../text/plural.ts";
import { rebaseNotices, type RebasedFile } from "./rebased-files.ts";
import type { CallDone } from "./result.ts";
import { withToken } from "./token-line.ts";
import type { Tool } from "./tool.ts";

/** Fields that the call path adds to a value. A text says them also where the value is no object that could have them. */
export type Known = Readonly<Record<string, unknown>>;

/** What a call returns for a value, its text within the budget. */
export function rendered(tool: Tool, value: unknown, input: unknown, frame: Frame, known?: Known): CallDone {
  const said = isFields(value) ? value : known;
  const token = tokenIn(said);
  const notices = noticesIn(said);
  const own = render(tool, value, said, input, { ...frame, budget: frame.budget - notices.length });
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
function render(
  tool: Tool,
  value: unknown,
  said: unknown,
  input: unknown,
  { budget, limits }: Frame,
): string {
  const told = tool.text(value, input, budget);
  const token = tokenIn(said);
  // A tool of the host's own need not think of it.
  const text =
    tool.access === "write" && token !== undefined && !told.includes(token) ? withToken(told, token) : told;
  if (text.length <= budget) return text;
  const needed = neededIn(said);
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

/** What is said after every text: where the caller's edit was rebased, and what it met in a live folder. */
function noticesIn(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const { rebased, diverged, ignored, unplaced } = value as Partial<OutsideNotes> & {
    readonly rebased?: readonly RebasedFile[];
  };
  const lines = Array.isArray(rebased) ? rebaseNotices(rebased) : [];
  if (Array.isArray(diverged) && Array.isArray(ignored) && Array.isArray(unplaced))
    lines.push(...outsideNotices({ diverged, ignored, unplaced }));
  return lines.map((line) => `\n${line}`).join("");
}

const NAMED = 5;

function outsideNotices({ diverged, ignored, unplaced }: OutsideNotes): string[] {
  const named = (paths: readonly string[]): string =>
    paths.slice(0, NAMED).join(", ") + (paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "");
  const lines: string[] = [];
  if (diverged.length > 0)
    lines.push(
      `[Warning] ${named(diverged)} was changed in the folder at the same time. Where both changed, the folder's text counts; yours is in the history. Read again before you go on.`,
    );
  if (unplaced.length > 0)
    lines.push(
      `[Warning] The session has this change, but the folder does not yet: the system did not write ${named(unplaced.map(({ path }) => path))} (${[...new Set(unplaced.map(({ reason }) => reason))].join(", ")}). Holdfast tries again by itself and with every call; do not send the call again.`,
    );
  if (ignored.length > 0) lines.push(`[Note] ${named(ignored)} is a name that the folder's rules ignore.`);
  return lines;
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
  return isFields(value) ? { ...value, ...fields } : value;
}

function isFields(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
