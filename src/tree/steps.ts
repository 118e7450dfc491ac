// Owns: long passes that a caller can step through, so that no call holds a thread.

export { runSteps } from "../text/steps.ts";

/** A pass that pauses now and then and ends with a result. Every pause comes after about a millisecond of work. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Nodes looked at between two pauses. */
export const STEP = 4_096;
