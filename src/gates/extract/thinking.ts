// Owns: what counts as the beginning or end of a model's thinking, in the marks of the known model families.

import { BRACKET_OPEN, GREATER, isBlank, LESS, SLASH } from "./chars.ts";

export interface ThinkingMark {
  readonly opens: boolean;
  /** After the mark. */
  readonly end: number;
  /** A channel ends the one before it, and is ended by any other. */
  readonly channel: boolean;
}

/** Of tags: `<think>`, `</think>`. Longer names before those they begin with. */
const TAGS = [
  "thinking",
  "think",
  "thoughts",
  "thought",
  "reasoning",
  "scratchpad",
  "analysis",
  "seed:think",
];
const FIRST_LETTERS: ReadonlySet<number> = new Set(TAGS.map((tag) => tag.charCodeAt(0)));
/** Marks that stand for themselves, in lower case. */
const MARKS: readonly (readonly [mark: string, opens: boolean])[] = [
  ["[think]", true],
  ["[/think]", false],
  ["<|start_thinking|>", true],
  ["<|end_thinking|>", false],
  ["<|begin_of_thought|>", true],
  ["<|end_of_thought|>", false],
];
const LONGEST_MARK = 20;
const CHANNEL = "<|channel|>";
const MESSAGE = "<|message|>";
const END = "<|end|>";
const ATTRIBUTE_REACH = 200;
/** No mark is longer: the head of a channel. */
const LONGEST_HEAD = CHANNEL.length + ATTRIBUTE_REACH;

/** The mark at `at`, which must be `<` or `[`: any case; in tags attributes and blanks before the `>` are allowed. */
export function readThinkingMark(text: string, at: number): ThinkingMark | undefined {
  const bar = text.charAt(at + 1) === "|";
  if (!bar && text.charCodeAt(at) !== BRACKET_OPEN) return readTag(text, at);
  if (bar && text.startsWith(CHANNEL, at)) return readChannel(text, at);
  if (bar && text.startsWith(END, at)) return { opens: false, end: at + END.length, channel: true };
  const next = text.charCodeAt(at + 1) | 0x20;
  // `|`, `t` of [THINK] or `/` of [/THINK]: most brackets are none.
  if (!bar && next !== 0x74 && next !== 0x2f) return undefined;
  const here = text.slice(at, at + LONGEST_MARK).toLowerCase();
  for (const [mark, opens] of MARKS)
    if (here.startsWith(mark)) return { opens, end: at + mark.length, channel: false };
  return undefined;
}

/** Whether the text ends in what may be the beginning of a mark at `at`. */
export function mayBecomeMark(text: string, at: number): boolean {
  const head = text.slice(at, at + LONGEST_HEAD).toLowerCase();
  if (head.length === LONGEST_HEAD) return false;
  if (head.startsWith(CHANNEL)) return !head.includes(MESSAGE);
  if ([CHANNEL, END, ...MARKS.map(([mark]) => mark)].some((mark) => mark.startsWith(head))) return true;
  if (!head.startsWith("<") || head.includes(">")) return false;
  const name = head.slice(head.startsWith("</") ? 2 : 1);
  return TAGS.some(
    (tag) => tag.startsWith(name) || (name.startsWith(tag) && isBlank(name.charCodeAt(tag.length))),
  );
}

function readTag(text: string, at: number): ThinkingMark | undefined {
  const closes = text.charCodeAt(at + 1) === SLASH;
  const from = closes ? at + 2 : at + 1;
  const name = tagAt(text, from);
  if (name === undefined) return undefined;
  let i = from + name.length;
  const c = text.charCodeAt(i);
  if (c !== GREATER && !isBlank(c)) return undefined;
  const limit = Math.min(text.length, i + ATTRIBUTE_REACH);
  while (i < limit && text.charCodeAt(i) !== GREATER && text.charCodeAt(i) !== LESS) i++;
  if (i >= limit || text.charCodeAt(i) !== GREATER) return undefined;
  return { opens: !closes, end: i + 1, channel: false };
}

/** The name at `from`, in any case. Most are in lower case, and most of what a `<` opens begins with another letter. */
function tagAt(text: string, from: number): string | undefined {
  const first = text.charCodeAt(from) | 0x20;
  if (!FIRST_LETTERS.has(first)) return undefined;
  const written = TAGS.find((tag) => text.startsWith(tag, from));
  if (written !== undefined) return written;
  const here = text.slice(from, from + LONGEST_MARK).toLowerCase();
  return TAGS.find((tag) => here.startsWith(tag));
}

/** `<|channel|>analysis<|message|>` opens; the head of any other channel ends what was before it. */
function readChannel(text: string, at: number): ThinkingMark | undefined {
  const from = at + CHANNEL.length;
  const head = text.slice(from, from + ATTRIBUTE_REACH);
  const message = head.indexOf(MESSAGE);
  if (message < 0) return undefined;
  return { opens: head.startsWith("analysis"), end: from + message + MESSAGE.length, channel: true };
}
