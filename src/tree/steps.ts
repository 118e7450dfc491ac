// Owns: how often long work over a tree pauses.

export { runNow, type Steps } from "../text/steps.ts";

/** Nodes looked at between two pauses: about a millisecond of work. */
export const STEP = 4_096;
