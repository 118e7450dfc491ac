// Owns: how often long work over a tree pauses.

export { runNow, type Steps } from "../text/steps.ts";

/** Nodes looked at between two pauses: about a millisecond of work. */
export const STEP = 4_096;
/** Nodes taken from a document, or made, between two pauses: each costs many times a look. */
export const NODES_PER_STEP = 256;
