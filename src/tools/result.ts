// Owns: what a call answers with. A tool never throws at an agent.

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
}

export type CallResult<O = unknown> = CallDone<O> | CallRefused;

export function failure(error: HoldfastError): CallRefused {
  const { code, reason, message, data, retryAfter } = error;
  return {
    ok: false,
    text: `[Error] ${message}`,
    error: {
      code,
      reason,
      message,
      ...(data === undefined ? {} : { data }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    },
  };
}
