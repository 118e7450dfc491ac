// Owns: what a call returns. A tool never throws at an agent.

import { countChars, cutText } from "../text/budget.ts";
import { plural } from "../text/plural.ts";
import type { ErrorCode, HoldfastError, Shown, ShownData } from "../errors.ts";

/** Why a call was refused. */
export interface CallError {
  /** What kind of refusal: one of `ERROR_CODES`. */
  readonly code: ErrorCode;
  /** Which refusal, as a word to compare with: `stale_version`. */
  readonly reason: string;
  /** What happened and what to do next, for the model. */
  readonly message: string;
  /** Machine-readable details; lists in it are bounded, and say how many items were left out. */
  readonly data?: ShownData;
  /** Seconds after which the same call can succeed. */
  readonly retryAfter?: number;
}

/** An image that belongs to a result. */
export interface ResultImage {
  /** Such as `image/png`. */
  readonly mimeType: string;
  /** Its bytes. */
  readonly base64: string;
}

/** What a call returns that did what it was asked. `text` is for the model, `value` for code. */
export interface CallDone<O = unknown> {
  /** True: the call did what it was asked. */
  readonly ok: true;
  /** What the model reads. */
  readonly text: string;
  /** What code reads. Its type follows from the tool's name. */
  readonly value: O;
  /** Absent. */
  readonly error?: undefined;
  /** Images that the model sees beside the text. */
  readonly images?: readonly ResultImage[];
  /** The version of what the call read or wrote; feed it to `expectedVersion`. */
  readonly token?: Shown;
  /** An earlier call with the same idempotency key had done this already. */
  readonly replayed?: true;
}

/** What a call returns that was refused: nothing was changed. */
export interface CallRefused {
  /** False: nothing was changed. */
  readonly ok: false;
  /** The message as the model reads it, after `[Error]`. */
  readonly text: string;
  /** Absent. */
  readonly value?: undefined;
  /** Why. */
  readonly error: CallError;
  /** Absent. */
  readonly images?: undefined;
  /** Absent. A refusal that knows the latest token has it in `error.data`. */
  readonly token?: undefined;
  /** Absent. */
  readonly replayed?: undefined;
}

/** How a call ended. Look at `ok` first. */
export type CallResult<O = unknown> = CallDone<O> | CallRefused;

/** The refusal that an error comes to, message and data together within the budget. */
export function failure(error: HoldfastError, budget: number): CallRefused {
  const { code, reason, data, retryAfter } = error;
  const message = boundMessage(error.message, budget);
  return {
    ok: false,
    text: `${MARK}${message}`,
    error: {
      code,
      reason,
      message,
      ...(data === undefined ? {} : { data: boundData(data, budget - MARK.length - message.length) }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    },
  };
}

const MARK = "[Error] ";

/** The start of a message that is too long, in whole words, and how much more there is; all of it within the budget. */
function boundMessage(message: string, budget: number): string {
  const note = (chars: number): string => ` [Cut: ${plural(chars, "more character")}]`;
  const room = budget - MARK.length;
  if (message.length <= room) return message;
  const { text, cut, wholeLines } = cutText(message, room - note(message.length).length);
  if (cut === undefined) return text;
  const start = (wholeLines ? text : wholeWords(text, message)).trimEnd();
  return `${start}${note(countChars(message) - countChars(start))}`;
}

/** The start of a message without the word that it was cut in; one endless word stays. */
function wholeWords(start: string, message: string): string {
  let end = start.length;
  while (end > 0 && !isSpace(message, end) && !isSpace(message, end - 1)) end--;
  return end === 0 ? start : start.slice(0, end);
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at));
}

/** What a caller needs to go on is short: it has room whatever the message has used. */
const SHORT = 200;

/** Lists lose their ends where all together would be too long; `<name>_left_out` says how many items are not there. */
function boundData(data: ShownData, room: number): ShownData {
  if (typeof data !== "object" || data === null || JSON.stringify(data).length <= room) return data;
  const bounded: Record<string, ShownData> = {};
  let left = room;
  const sizeOf = (name: string, value: ShownData): number => name.length + JSON.stringify(value).length + 4;
  const fields = Object.entries(data as Readonly<Record<string, ShownData | undefined>>).filter(
    (field): field is [string, ShownData] => field[1] !== undefined,
  );
  for (const [name, value] of fields) {
    if (Array.isArray(value)) continue;
    const size = sizeOf(name, value);
    left -= size;
    if (left >= 0 || size <= SHORT) bounded[name] = value;
  }
  for (const [name, value] of fields) {
    if (!Array.isArray(value)) continue;
    const items = value as readonly ShownData[];
    left -= 2 * sizeOf(name, "_left_out_9999" as Shown);
    const cut = items.findIndex((item) => (left -= sizeOf("", item)) < 0);
    bounded[name] = cut < 0 ? items : items.slice(0, cut);
    if (cut >= 0) bounded[`${name}_left_out`] = items.length - cut;
  }
  return bounded;
}
