// Owns: how many calls an agent may make: a token bucket for each, filled continuously.

import { HoldfastError, say } from "../errors.ts";
import type { Limits } from "../limits.ts";

const MS_PER_MINUTE = 60_000;
/** Above so many, buckets that are full again are forgotten, then the oldest. */
const MAX_AGENTS = 1_000;

type Rate = Pick<Limits, "callsPerMinute" | "callBurst">;

interface Bucket {
  tokens: number;
  /** When `tokens` was right, in milliseconds of the monotonic clock. */
  at: number;
}

export class RateLimit {
  readonly #rate: () => Rate;
  readonly #buckets = new Map<string, Bucket>();

  /** `rate` is asked for every call: the host may settle another one. */
  constructor(rate: () => Rate) {
    this.#rate = rate;
  }

  /** Takes one token. Returns 0, or the seconds after which a token will be there. */
  take(agent: string, now: number): number {
    const { callsPerMinute, callBurst: burst } = this.#rate();
    const perMs = callsPerMinute / MS_PER_MINUTE;
    let bucket = this.#buckets.get(agent);
    if (bucket === undefined) {
      this.#makeRoom(now, perMs, burst);
      bucket = { tokens: burst, at: now };
      this.#buckets.set(agent, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) * perMs);
    bucket.at = now;
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.ceil((1 - bucket.tokens) / perMs) / 1000;
  }

  /** A full bucket holds nothing worth remembering. */
  #makeRoom(now: number, perMs: number, burst: number): void {
    if (this.#buckets.size < MAX_AGENTS) return;
    for (const [agent, { tokens, at }] of this.#buckets)
      if (tokens + (now - at) * perMs >= burst) this.#buckets.delete(agent);
    for (const agent of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_AGENTS) return;
      this.#buckets.delete(agent);
    }
  }
}

export function rateLimited(retryAfter: number): HoldfastError {
  return new HoldfastError(
    "rate_limited",
    "too_many_calls",
    say`Too many calls. Wait ${retryAfter} seconds, then send the call again.`,
    { retryAfter, data: { retryAfter } },
  );
}
