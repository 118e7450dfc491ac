// Owns: the one error class, and the only way to make text that a caller may read.
// Must never: accept a plain string. A host path is a plain string, so it cannot get into a message or its data.

declare const shown: unique symbol;

/**
 * Text that is fit to be shown to a caller. It is made by {@link say} from our own words, by {@link echo} from the
 * caller's words, or by a room that owns a safe form (a workspace path, a version token).
 */
export type Shown = string & { readonly [shown]: true };

/** Data that may travel with an error: plain JSON whose strings are all {@link Shown}. */
export type ShownData =
  | null
  | boolean
  | number
  | Shown
  | readonly ShownData[]
  | { readonly [key: string]: ShownData | undefined };

/**
 * Writes a message. Only numbers and shown text can be put into it.
 *
 * @example say`line ${12} of ${path} is ${echo(text)}`
 */
export function say(words: TemplateStringsArray, ...parts: readonly (number | Shown)[]): Shown {
  let text = words[0] ?? "";
  for (let i = 0; i < parts.length; i++) text += String(parts[i]) + (words[i + 1] ?? "");
  return text as Shown;
}

/**
 * Joins shown texts: `a, b, c`.
 *
 * @example say`Known are: ${sayAll(names.map((name) => echo(name)))}.`
 */
export function sayAll(parts: readonly Shown[], separator = ", "): Shown {
  return parts.join(separator) as Shown;
}

/** Joins clauses, each with or without its final stop, to the inside of one sentence: `a; b`. */
export function sayClauses(parts: readonly Shown[]): Shown {
  return sayAll(
    parts.map((part) => (part.endsWith(".") ? (part.slice(0, -1) as Shown) : part)),
    "; ",
  );
}

const ECHO_LENGTH = 80;

/**
 * Quotes what the caller sent or what a document holds, as a JSON string of at most `max` UTF-16 units of it and never
 * half a character, so that control characters, invisible ones, those that turn the direction of text, quotes and huge
 * values cannot spoil the message around it. Never give it a host path.
 *
 * @example throw new HoldfastError("not_found", "no_such_part", say`There is no part ${echo(name)}.`);
 */
export function echo(text: string, max: number = ECHO_LENGTH): Shown {
  let cut = text;
  if (text.length > max) {
    let end = max;
    const unit = text.charCodeAt(end - 1);
    if (unit >= 0xd800 && unit < 0xdc00) end--;
    cut = `${text.slice(0, end)}...`;
  }
  return escapeUnseen(JSON.stringify(cut));
}

/** JSON text as one visible line: control, invisible and direction-turning characters as escapes of JSON strings. */
export function escapeUnseen(json: string): Shown {
  return json.replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  ) as Shown;
}

/** What went wrong, coarsely: the six codes that every tool uses. */
export type ErrorCode =
  | "invalid_argument"
  | "not_found"
  | "forbidden"
  | "conflict"
  | "rate_limited"
  | "internal";

/** Every code that an error can have. A code says what kind of thing went wrong, a reason which one. */
export const ERROR_CODES: readonly ErrorCode[] = [
  "invalid_argument",
  "not_found",
  "forbidden",
  "conflict",
  "rate_limited",
  "internal",
];

/** What an error carries besides code, reason and message. */
export interface ErrorDetails<D extends ShownData = ShownData> {
  /** Machine-readable details. Only text that may be shown: see {@link Shown}. */
  readonly data?: D;
  /** Seconds after which the same call can succeed. */
  readonly retryAfter?: number;
  /** Kept for the host's log; never shown to an agent. */
  readonly cause?: unknown;
}

const brand = Symbol.for("holdfast.error");

/**
 * The only error that Holdfast shows. `code` says what kind of failure it is, `reason` which one exactly, `message`
 * what happened and what to do next, `data` the same for code.
 */
export class HoldfastError<D extends ShownData = ShownData> extends Error {
  /** Tells this error from others in logs. */
  override readonly name = "HoldfastError";
  /** What happened and what to do next: made of nothing but what may be shown. */
  declare readonly message: Shown;
  /** What kind of thing went wrong: one of `ERROR_CODES`. */
  readonly code: ErrorCode;
  /** Which thing went wrong, as a word to compare with: `stale_version`. */
  readonly reason: string;
  /** Machine-readable details, as the reason's documentation says. */
  readonly data: D | undefined;
  /** Seconds after which the same call can succeed; undefined where waiting does not help. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, reason: Reason, message: Shown, details: ErrorDetails<D> = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.reason = reason;
    this.data = details.data;
    this.retryAfter = details.retryAfter;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True also for an error of another copy of this package in the same process. */
  static is(error: unknown): error is HoldfastError {
    return typeof error === "object" && error !== null && (error as { [brand]?: unknown })[brand] === true;
  }
}

/** A fine reason: lower-case words joined by underscores, written as a literal where the error is made. */
export type Reason = Lowercase<string>;
