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

/** `text` is for the model, `value` for code. */
export type CallResult<O = unknown> =
  | {
      readonly ok: true;
      readonly text: string;
      readonly value: O;
      readonly error?: undefined;
      /** The version of what the call read or wrote; feed it to `expectedVersion`. */
      readonly token?: Shown;
      /** An earlier call with the same idempotency key had done this already. */
      readonly replayed?: true;
    }
  | { readonly ok: false; readonly text: string; readonly value?: undefined; readonly error: CallError };

export function failure(error: HoldfastError): CallResult<never> {
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
