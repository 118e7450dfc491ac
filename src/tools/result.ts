// Owns: what a call answers with. A tool never throws at an agent.

import { cutText } from "../text/index.ts";
import type { ErrorCode, HoldfastError, Shown, ShownData } from "../errors.ts";

export interface CallError {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly message: string;
  readonly data?: ShownData;
  /** Seconds after which the same call can succeed. */
  readonly retryAfter?: number;
}

/** What a call returns that did what it was asked. `text` is for the model, `value` for code. */
export interface CallDone<O = unknown> {
  readonly ok: true;
  readonly text: string;
  readonly value: O;
  readonly error?: undefined;
  /** The version of what the call read or wrote; feed it to `expectedVersion`. */
  readonly token?: Shown;
  /** An earlier call with the same idempotency key had done this already. */
  readonly replayed?: true;
}

/** What a call returns that was refused: nothing was changed. */
export interface CallRefused {
  readonly ok: false;
  readonly text: string;
  readonly value?: undefined;
  readonly error: CallError;
  readonly token?: undefined;
  readonly replayed?: undefined;
}

export type CallResult<O = unknown> = CallDone<O> | CallRefused;

/** The refusal that an error comes to, message and data within the budget. */
export function failure(error: HoldfastError, budget: number): CallRefused {
  const { code, reason, data, retryAfter } = error;
  const message = boundMessage(error.message, budget);
  return {
    ok: false,
    text: `[Error] ${message}`,
    error: {
      code,
      reason,
      message,
      ...(data === undefined ? {} : { data: boundData(data, budget) }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    },
  };
}

function boundMessage(message: string, budget: number): string {
  const { text, cut } = cutText(message, budget);
  return cut === undefined ? text : `${text} [Cut: ${cut.chars} more characters]`;
}

/** Lists lose their ends where all together would be too long; `<name>_left_out` says how many items are not there. */
function boundData(data: ShownData, budget: number): ShownData {
  if (typeof data !== "object" || data === null || JSON.stringify(data).length <= budget) return data;
  const bounded: Record<string, ShownData> = {};
  let room = budget;
  for (const [name, value] of Object.entries(data as Readonly<Record<string, ShownData>>)) {
    if (!Array.isArray(value)) {
      room -= JSON.stringify(value).length;
      if (room >= 0) bounded[name] = value;
      continue;
    }
    const items: ShownData[] = [];
    for (const item of value as readonly ShownData[]) {
      room -= JSON.stringify(item).length;
      if (room < 0) break;
      items.push(item);
    }
    bounded[name] = items;
    if (items.length < value.length) bounded[`${name}_left_out`] = value.length - items.length;
  }
  return bounded;
}
