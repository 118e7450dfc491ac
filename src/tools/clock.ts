// Owns: time, as the host lets sessions see it.

/** Where a session takes the time from. */
export interface Clock {
  /** The present time. */
  now(): Date;
  /** Milliseconds that never go back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
