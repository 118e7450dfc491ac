// Owns: time, as the host lets sessions see it.

export interface Clock {
  now(): Date;
  /** Milliseconds that never go back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
